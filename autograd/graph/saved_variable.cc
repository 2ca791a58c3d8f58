// Keeping tensors for backward. See saved_variable.h.

#include "autograd/graph/saved_variable.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/sync/thread.h"

namespace twingrad {

namespace {

[[noreturn]] void RefuseInference(const Tensor& tensor) {
  throw Error(
      ErrorKind::kInvalidArgument,
      absl::StrCat("[graph] an inference tensor ", DTypeName(tensor.dtype()),
                   ShapeToString(tensor.sizes()),
                   " was to be saved for backward; tensors made outside inference mode can be; "
                   "clone it outside"));
}

}  // namespace

// Holds a saved variable's lock byte. What it protects takes a few instructions, and contention
// needs two tasks at one node, so waiting is a plain loop. Sequentially consistent, as
// SavedReader::Begin asks of who changes something.
class SavedVariable::Guard {
 public:
  explicit Guard(LockByte& locked) : locked_(locked) {
    while (locked_.Exchange(1, sync::kSeqCst) != 0) sync::Thread::Yield();
  }
  ~Guard() { locked_.Store(0, sync::kRelease); }

 private:
  LockByte& locked_;
};

// For who changes what it protects.
class SavedVariable::WriteGuard : Guard {
 public:
  explicit WriteGuard(LockByte& locked) : Guard(locked) { SavedReaders::WaitFor(locked); }
};

SavedVariable::SavedVariable(const Tensor& tensor, bool is_output, uint32_t output_nr)
    : place_(is_output ? Place::kResult : Place::kHere), data_(), edge_(nullptr, output_nr) {
  if (!tensor.defined()) return;
  if (tensor.impl()->is_inference()) [[unlikely]]
    RefuseInference(tensor);
  if (!is_output) edge_ = GradientEdge(tensor);
  Save(tensor);
}

void SavedVariable::Save(const Tensor& tensor) {
  if (tensor.impl()->is_inference()) [[unlikely]]
    RefuseInference(tensor);
  if (const auto* frame = SavedTensorHooksInForce(); frame != nullptr) [[unlikely]] {
    PackedTensorPtr packed = sync::MakeIntrusive<PackedTensor>(tensor, *frame);
    new (&packed_) PackedTensorPtr(std::move(packed));
    state_ = State::kPacked;
    return;
  }
  Keep(tensor);
}

// A handle to the tensor itself would be cheaper for one without history, but if that became a leaf
// later and its `.grad` got a history through this node, nothing would ever free them. What cannot
// have a history, indices say, is kept as it is.
void SavedVariable::Keep(const Tensor& tensor) {
  state_ = State::kSaved;
  version_ = tensor.version();
  const bool is_plain = tensor.impl()->meta() == nullptr && !IsFloating(tensor.dtype());
  const bool needs_edge = edge_.is_valid() || edge_.input_nr > kMostNumber;
  if (is_plain || needs_edge || !tensor.impl()->IsStoredRowMajor()) {
    data_ = is_plain ? tensor : tensor.Detach();
    return;
  }
  if (place_ == Place::kResult) number_ = static_cast<uint8_t>(edge_.input_nr);
  Store(tensor);
}

SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept {
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  other.accesses_.Add(&other, /*writes=*/true, sync::Site::current());
  DropContent();
  is_stored_ = other.is_stored_;
  if (is_stored_) {
    new (&storage_) StoragePtr(std::move(other.storage_));
    new (&type_) TypeWords(other.type_);
    other.BecomeUnstored();
  } else {
    if (other.state_ == State::kPacked) {
      new (&packed_) PackedTensorPtr(std::move(other.packed_));
      other.packed_.~PackedTensorPtr();
      new (&other.data_) Tensor();
    } else {
      new (&data_) Tensor(std::move(other.data_));
    }
    new (&edge_) Edge(std::move(other.edge_));
  }
  state_ = std::exchange(other.state_, State::kEmpty);
  place_ = other.place_;
  number_ = other.number_;
  version_ = other.version_;
  return *this;
}

void SavedVariable::CheckVersion(const Node* saved_for, const Tensor& data) const {
  if (data.version() == version_) return;
  throw Error(ErrorKind::kVersion,
              absl::StrCat("[graph] a variable ", DTypeName(data.dtype()),
                           ShapeToString(data.sizes()), " that ", saved_for->name(),
                           " saved at version ", version_, " is at version ", data.version(),
                           "; it must not be written before backward; write to a copy of it"));
}

SavedVariable::Content SavedVariable::Look() const {
  Guard guard(lock());
  accesses_.Add(this, /*writes=*/false, sync::Site::current());
  if (state_ != State::kSaved) return {state_, Tensor()};
  return {state_, is_stored_ ? Tensor::OfStorage(storage_, type_) : data_};
}

Tensor SavedVariable::Unpack(const Node* saved_for) const {
  Tensor data;
  StoragePtr storage;
  TypeWords type;
  PackedTensorPtr packed;
  Edge edge;
  State state;
  Place place;
  uint32_t number;
  {
    Guard guard(lock());
    accesses_.Add(this, /*writes=*/false, sync::Site::current());
    state = state_;
    if (state == State::kPacked) [[unlikely]] {
      packed = packed_;
    } else if (is_stored_) {
      storage = storage_;
      type = type_;
    } else {
      data = data_;
    }
    place = place_;
    number = is_stored_ || place == Place::kOperand ? number_ : edge_.input_nr;
    if (CurrentThread().modes.grad_mode && !is_stored_) edge = edge_;
  }
  if (state == State::kEmpty) return Tensor();
  if (state == State::kFreed) {
    throw Error(
        ErrorKind::kFreed,
        absl::StrCat("[graph] ", saved_for->name(),
                     " runs a second time, but its saved variables were released by the "
                     "first run; a graph may be used once; pass retain_graph the first time"));
  }
  const bool is_new = storage != nullptr;
  if (state == State::kPacked) [[unlikely]] {
    data = packed->Unpack();
  } else {
    if (is_new) data = Tensor::OfStorage(std::move(storage), type);
    CheckVersion(saved_for, data);
  }
  if (!CurrentThread().modes.grad_mode) return data;
  if (place == Place::kOperand) {
    edge = saved_for->next_edge(number);
  } else if (place == Place::kResult && IsFloating(data.dtype())) {
    edge = saved_for->extras() != nullptr && saved_for->extras()->result_edge != nullptr
               ? saved_for->extras()->result_edge()
               : Edge(NodePtr(const_cast<Node*>(saved_for)), number);
  }
  if (!edge.is_valid()) return data;
  Tensor variable = is_new ? std::move(data) : data.Detach();
  AutogradMeta::SetNode(variable, std::move(edge.function), edge.input_nr);
  return variable;
}

void SavedVariable::Reset() {
  Tensor data;  // destroyed after the lock is given up
  StoragePtr storage;
  PackedTensorPtr packed;
  Edge edge;
  WriteGuard guard(lock());
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  if (state_ == State::kPacked) [[unlikely]] {
    packed = std::move(packed_);
    packed_.~PackedTensorPtr();
    new (&data_) Tensor();
  } else if (IsStored()) {
    storage = std::move(storage_);
    BecomeUnstored();
  } else if (state_ == State::kSaved) {
    data = std::move(data_);
  } else {
    return;
  }
  state_ = State::kFreed;
  edge = std::move(edge_);
}

void SavedVariable::RegisterHooks(const Node* saved_for, SavedTensorHooks hooks) {
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  if (state_ == State::kFreed) {
    throw Error(ErrorKind::kFreed,
                absl::StrCat("[hook] a saved tensor of ", saved_for->name(),
                             " was to get hooks after it had been released; they can be set while "
                             "it is kept; set them before backward, or pass retain_graph"));
  }
  if (state_ != State::kSaved) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] a saved tensor of ", saved_for->name(),
                             state_ == State::kEmpty ? " is undefined" : " has hooks already",
                             "; one pair can be set, where a tensor is kept; leave it out"));
  }
  const Tensor data = is_stored_ ? Tensor::OfStorage(storage_, type_) : data_;
  CheckVersion(saved_for, data);
  auto frame = MakeSavedTensorHooks(std::move(hooks));
  PackedTensorPtr packed = sync::MakeIntrusive<PackedTensor>(data, *frame);
  if (is_stored_) {
    BecomeUnstored();
    edge_.input_nr = number_;
  }
  data_.~Tensor();
  new (&packed_) PackedTensorPtr(std::move(packed));
  state_ = State::kPacked;
}

void SavedVariable::ShareLock(SavedVariable* saved, uint8_t count) {
  for (uint8_t i = 0; i < count; ++i) saved[i].lock_distance_ = i;
}

SavedVariable::StoragePtr SavedVariable::TakeStorage() {
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  StoragePtr storage = std::move(storage_);
  BecomeUnstored();
  state_ = State::kFreed;
  return storage;
}

bool SavedVariable::Reading::Borrow(const SavedVariable* saved, uint32_t count, uint32_t which,
                                    Tensor* const* places) {
  SavedReader* const reader = CurrentThread().reader;
  if (!reader->Begin(saved->lock())) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if ((which >> i & 1) == 0) continue;
    saved[i].accesses_.Add(&saved[i], /*writes=*/false, sync::Site::current());
    if (saved[i].IsCurrent() && !saved[i].type_.is_sim() && !saved[i].type_.is_remote()) {
      continue;
    }
    reader->End();
    return false;
  }
  reader_ = reader;
  for (uint32_t i = 0; i < count; ++i) {
    if ((which >> i & 1) == 0) continue;
    places_[i] = places[i];
    *places[i] = Tensor::OfLent(*saved[i].storage_, saved[i].type_);
  }
  return true;
}

void SavedVariable::Reading::GiveBack() {
  for (Tensor* const place : places_) {
    if (place != nullptr) place->EndLending();
  }
  reader_->End();
}

void SavedVariable::Reading::UnpackAll(const SavedVariable* saved, uint32_t count, uint32_t which,
                                       const Node* saved_for, Tensor* const* places) {
  ThreadState& thread = CurrentThread();
  const bool releases = thread.releasing == saved_for;
  thread.releasing = nullptr;
  StoragePtr storage[kMostTogether];
  TypeWords type[kMostTogether];
  if (!thread.modes.grad_mode) {
    if (!releases && thread.reader != nullptr && Borrow(saved, count, which, places)) return;
    bool are_all = true;
    Guard guard(saved->lock());
    if (releases) SavedReaders::WaitFor(saved->lock());
    for (uint32_t i = 0; i < count; ++i) {
      if ((which >> i & 1) == 0) continue;
      saved[i].accesses_.Add(&saved[i], /*writes=*/false, sync::Site::current());
      are_all &= saved[i].IsCurrent();
    }
    for (uint32_t i = 0; i < count; ++i) {
      if ((which >> i & 1) == 0 || !saved[i].IsStored()) continue;
      type[i] = saved[i].type_;
      if (are_all && releases) {
        storage[i] = const_cast<SavedVariable&>(saved[i]).TakeStorage();
      } else {
        storage[i] = saved[i].storage_;
      }
    }
    if (are_all && releases) thread.released = saved_for;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if ((which >> i & 1) == 0) continue;
    if (storage[i] == nullptr) {
      *places[i] = saved[i].Unpack(saved_for);
      continue;
    }
    *places[i] = Tensor::OfStorage(std::move(storage[i]), type[i]);
    saved[i].CheckVersion(saved_for, *places[i]);
  }
}

void SavedVariable::ResetAll(SavedVariable* saved, uint32_t count) {
  StoragePtr storage[kMostTogether];  // destroyed after the lock is given up
  uint32_t others = 0;
  {
    WriteGuard guard(saved->lock());
    for (uint32_t i = 0; i < count; ++i) {
      saved[i].accesses_.Add(&saved[i], /*writes=*/false, sync::Site::current());
      if (saved[i].IsStored()) {
        storage[i] = saved[i].TakeStorage();
      } else if (saved[i].state_ == State::kSaved || saved[i].state_ == State::kPacked) {
        others |= 1u << i;
      }
    }
  }
  for (uint32_t i = 0; others >> i != 0; ++i) {
    if ((others >> i & 1) != 0) saved[i].Reset();
  }
}

}  // namespace twingrad
