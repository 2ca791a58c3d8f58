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
// needs two tasks at one node, so waiting is a plain loop.
class SavedVariable::Guard {
 public:
  explicit Guard(sync::Atomic<uint8_t>& locked) : locked_(locked) {
    while (locked_.Exchange(1, sync::kAcquire) != 0) sync::Thread::Yield();
  }
  ~Guard() { locked_.Store(0, sync::kRelease); }

 private:
  sync::Atomic<uint8_t>& locked_;
};

// A handle to the tensor itself would be cheaper for one without history, but if that became a leaf
// later and its `.grad` got a history through this node, nothing would ever free them. What cannot
// have a history, indices say, is kept as it is.
SavedVariable::SavedVariable(const Tensor& tensor, bool is_output, uint32_t output_nr)
    : is_output_(is_output), data_(), edge_(nullptr, output_nr) {
  if (!tensor.defined()) return;
  if (tensor.impl()->is_inference()) [[unlikely]]
    RefuseInference(tensor);
  if (!is_output) edge_ = GradientEdge(tensor);
  if (const auto* frame = SavedTensorHooksInForce(); frame != nullptr) [[unlikely]] {
    PackedTensorPtr packed = sync::MakeIntrusive<PackedTensor>(tensor, *frame);
    new (&packed_) PackedTensorPtr(std::move(packed));
    state_ = State::kPacked;
    return;
  }
  state_ = State::kSaved;
  version_ = tensor.version();
  const bool is_plain = tensor.impl()->meta() == nullptr && !IsFloating(tensor.dtype());
  data_ = is_plain ? tensor : tensor.Detach();
}

SavedVariable::SavedVariable(SavedVariable&& other) noexcept : data_() { *this = std::move(other); }

SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept {
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  other.accesses_.Add(&other, /*writes=*/true, sync::Site::current());
  DropContent();
  if (other.state_ == State::kPacked) {
    new (&packed_) PackedTensorPtr(std::move(other.packed_));
    other.packed_.~PackedTensorPtr();
    new (&other.data_) Tensor();
  } else {
    new (&data_) Tensor(std::move(other.data_));
  }
  state_ = std::exchange(other.state_, State::kEmpty);
  is_output_ = other.is_output_;
  version_ = other.version_;
  edge_ = std::move(other.edge_);
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
  Guard guard(locked_);
  accesses_.Add(this, /*writes=*/false, sync::Site::current());
  return {state_, state_ == State::kSaved ? data_ : Tensor()};
}

Tensor SavedVariable::Unpack(const Node* saved_for) const {
  Tensor data;
  PackedTensorPtr packed;
  Edge edge;
  State state;
  {
    Guard guard(locked_);
    accesses_.Add(this, /*writes=*/false, sync::Site::current());
    state = state_;
    if (state == State::kPacked) [[unlikely]] {
      packed = packed_;
    } else {
      data = data_;
    }
    if (CurrentThread().modes.grad_mode) edge = edge_;
  }
  if (state == State::kEmpty) return Tensor();
  if (state == State::kFreed) {
    throw Error(
        ErrorKind::kFreed,
        absl::StrCat("[graph] ", saved_for->name(),
                     " runs a second time, but its saved variables were released by the "
                     "first run; a graph may be used once; pass retain_graph the first time"));
  }
  if (state == State::kPacked) [[unlikely]] {
    data = packed->Unpack();
  } else {
    CheckVersion(saved_for, data);
  }
  if (!CurrentThread().modes.grad_mode) return data;
  if (is_output_ && IsFloating(data.dtype())) {
    edge = saved_for->extras() != nullptr && saved_for->extras()->result_edge != nullptr
               ? saved_for->extras()->result_edge()
               : Edge(NodePtr(const_cast<Node*>(saved_for)), edge.input_nr);
  }
  if (!edge.is_valid()) return data;
  Tensor variable = data.Detach();
  AutogradMeta& meta = AutogradMeta::Of(variable);
  meta.node = std::move(edge.function);
  meta.output_nr = edge.input_nr;
  return variable;
}

void SavedVariable::Reset() {
  Tensor data;  // destroyed after the lock is given up
  PackedTensorPtr packed;
  Edge edge;
  Guard guard(locked_);
  accesses_.Add(this, /*writes=*/true, sync::Site::current());
  if (state_ == State::kPacked) [[unlikely]] {
    packed = std::move(packed_);
    packed_.~PackedTensorPtr();
    new (&data_) Tensor();
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
  CheckVersion(saved_for, data_);
  auto frame = MakeSavedTensorHooks(std::move(hooks));
  PackedTensorPtr packed = sync::MakeIntrusive<PackedTensor>(data_, *frame);
  data_.~Tensor();
  new (&packed_) PackedTensorPtr(std::move(packed));
  state_ = State::kPacked;
}

}  // namespace twingrad
