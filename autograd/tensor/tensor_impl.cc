// Blocks of memory with tensors and storages in them. See tensor.h.

#include "autograd/tensor/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/device_registry.h"
#include "autograd/device/stream.h"
#include "autograd/tensor/elements.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/remote.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {

// A tensor with its own storage. Behind it lie the dimensions and, where there are few, the
// elements, or which storage lends them. Freed when neither the tensor nor a view uses the storage.
struct OwningBlock {
  TensorImpl impl;
  Storage storage;

  // In `bytes` of memory; the elements lie elsewhere.
  OwningBlock(size_t rank, size_t bytes, void* data, size_t data_bytes,
              Storage::Holds holds = Storage::Holds::kElements)
      : impl(reinterpret_cast<int64_t*>(this + 1), rank, bytes), storage(data, data_bytes, holds) {
    impl.owning_ = true;
    impl.inference_ = InferenceTensors();
    impl.storage_ = &storage;
    impl.data_ = data;
  }
  ~OwningBlock() = default;

  // Where elements are to lie that are not on the heap.
  static void* ElementsOf(void* memory, size_t rank, size_t data_bytes) {
    return static_cast<char*>(memory) + ElementsOffset(rank, data_bytes);
  }
  // More than one may be read at once, so they are aligned for that.
  static constexpr size_t ElementsOffset(size_t rank, size_t data_bytes) {
    const size_t end = sizeof(OwningBlock) + rank * 2 * sizeof(int64_t);
    return data_bytes <= 8 ? end : (end + 15) & ~size_t{15};
  }
  static constexpr size_t BytesFor(size_t rank, size_t data_bytes) {
    return (ElementsOffset(rank, data_bytes) + data_bytes + 7) & ~size_t{7};
  }
  void* OwnElements(size_t data_bytes) { return ElementsOf(this, impl.room_, data_bytes); }
  static OwningBlock* Make(size_t rank, size_t data_bytes) {
    // Also where there are none, so that their address is no other storage's.
    const size_t bytes = BytesFor(rank, std::max<size_t>(data_bytes, 1));
    void* const memory = pool::Allocate(bytes);
    auto* block =
        new (memory) OwningBlock(rank, bytes, ElementsOf(memory, rank, data_bytes), data_bytes);
    block->storage.in_block_ = true;
    return block;
  }
  static OwningBlock* MakeAround(size_t rank, void* data, size_t data_bytes) {
    const size_t bytes = BytesFor(rank, 0);
    return new (pool::Allocate(bytes)) OwningBlock(rank, bytes, data, data_bytes);
  }
};

namespace {

// How many ranks the dimensions in a tensor's own block have room for.
size_t RoomFor(size_t rank) { return rank <= TensorImpl::kInlineRank ? rank : 0; }

OwningBlock* BlockOf(Storage* storage) {
  // The storage is a member of a standard block; offsetof is exact for it on every supported
  // compiler.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  constexpr size_t kOffset = offsetof(OwningBlock, storage);
#pragma GCC diagnostic pop
  return reinterpret_cast<OwningBlock*>(reinterpret_cast<char*>(storage) - kOffset);
}

// What such a block notes in its own room: of a storage that is Holds::kBorrowed, whose elements it
// shows; of one that is Holds::kDeviceBlock, a DeviceNote.
template <class T>
T NotedIn(OwningBlock& block) {
  T noted;
  std::memcpy(&noted, block.OwnElements(sizeof(noted)), sizeof(noted));
  return noted;
}
Storage* LenderOf(OwningBlock& block) { return NotedIn<Storage*>(block); }

struct DeviceNote {
  Device device;
  IndexBound bound{};
};
DeviceNote& DeviceNoteIn(OwningBlock& block) {
  return *static_cast<DeviceNote*>(block.OwnElements(sizeof(DeviceNote)));
}

// Apart, so that what makes each tensor saves no registers for them.
[[noreturn, gnu::noinline, gnu::cold]] void RefuseBytes(Ints sizes, DType dtype) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[tensor] ", DTypeName(dtype), ShapeToString(sizes),
                           " has more bytes than fit 63 bits; use smaller sizes"));
}

[[noreturn, gnu::noinline, gnu::cold]] void RefuseMemory(int64_t bytes, Ints sizes, DType dtype) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[tensor] no memory for the ", bytes, " bytes of ", DTypeName(dtype),
                           ShapeToString(sizes), "; use smaller sizes"));
}

OwningBlock* MakeOnDevice(size_t room, size_t data_bytes, Device device) {
  const size_t bytes = OwningBlock::BytesFor(room, sizeof(DeviceNote));
  void* const memory = pool::Allocate(bytes);
  void* data = nullptr;
  try {
    data = GetDeviceInterface(device).Allocate(data_bytes, CurrentStream(device));
  } catch (...) {
    pool::Free(memory, bytes);
    throw;
  }
  auto* block =
      new (memory) OwningBlock(room, bytes, data, data_bytes, Storage::Holds::kDeviceBlock);
  new (block->OwnElements(sizeof(DeviceNote))) DeviceNote{device};
  return block;
}

[[gnu::always_inline]] inline TypeWords WordsOf(DType dtype, Device device, Ints sizes) {
  TypeWords words;
  words.low = static_cast<uint64_t>(dtype) | static_cast<uint64_t>(device.type) << 8 |
              static_cast<uint64_t>(device.index) << 16;
  uint64_t bits = 0;
  for (int64_t size : sizes) bits |= static_cast<uint64_t>(size);
  const bool exact = sizes.size() <= 3 && bits >> 32 == 0;
  if (!exact) {
    words.low |= TypeWords::kInexact << 24 | static_cast<uint64_t>(sizes.size()) << 32;
    return words;
  }
  words.low |= static_cast<uint64_t>(sizes.size()) << 24;
  if (!sizes.empty()) words.low |= static_cast<uint64_t>(sizes[0]) << 32;
  if (sizes.size() > 1) words.high = static_cast<uint64_t>(sizes[1]);
  if (sizes.size() > 2) words.high |= static_cast<uint64_t>(sizes[2]) << 32;
  return words;
}

}  // namespace

Shape TypeWords::sizes() const {
  AG_CHECK(IsExact(), "[tensor] the sizes of this type do not fit two words");
  const int64_t all[] = {static_cast<int64_t>(low >> 32), static_cast<int64_t>(high & 0xffffffff),
                         static_cast<int64_t>(high >> 32)};
  return Shape(all, all + ((low >> 24) & 0xff));
}

void Storage::Dispose() {
  OwningBlock* block = BlockOf(this);
  if (!in_block_) {
    if (holds() == Holds::kElements) {
      elements::Free(data_, bytes_);
    } else if (holds() == Holds::kSparseParts) {
      delete static_cast<SparseParts*>(data_);
    } else if (holds() == Holds::kDeviceBlock) {
      DeviceNote& note = DeviceNoteIn(*block);
      GetDeviceInterface(note.device).Deallocate(data_);
      note.~DeviceNote();
    } else {
      LenderOf(*block)->Release();
    }
  }
  const size_t bytes = block->impl.block_bytes();
  block->~OwningBlock();
  pool::Free(block, bytes);
}

IndexBound* Storage::index_bound() {
  return holds() == Holds::kDeviceBlock ? &DeviceNoteIn(*BlockOf(this)).bound : nullptr;
}

void Storage::DropElements() {
  if (in_block_) return;
  elements::Free(data_, bytes_);
  data_ = this;  // not null, but nothing is there
  bytes_ = 0;
  in_block_ = true;
}

int64_t TensorImpl::offset() const {
  if (type_.is_sparse()) return 0;
  return (static_cast<const char*>(data_) - static_cast<const char*>(storage_->data())) /
         static_cast<int64_t>(ElementSize(dtype()));
}

TensorImpl* TensorImpl::MakeOwningScalar(DType dtype, Device device) {
  if (!device.IsCpu()) [[unlikely]]
    return MakeOwning({}, dtype, device);
  OwningBlock* block = OwningBlock::Make(0, ElementSize(dtype));
  block->impl.type_ = WordsOf(dtype, device, {});
  return &block->impl;
}

TensorImpl* TensorImpl::MakeOwning(Ints sizes, DType dtype, Device device) {
  const int64_t numel = ElementCount(sizes);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(numel, static_cast<int64_t>(ElementSize(dtype)), &bytes)) {
    RefuseBytes(sizes, dtype);
  }
  const size_t room = RoomFor(sizes.size());
  OwningBlock* block;
  if (!device.IsCpu()) [[unlikely]] {
    block = MakeOnDevice(room, static_cast<size_t>(bytes), device);
  } else if (bytes <= static_cast<int64_t>(kInlineBytes)) {
    block = OwningBlock::Make(room, static_cast<size_t>(bytes));
  } else {
    void* data = elements::Allocate(static_cast<size_t>(bytes));
    if (data == nullptr) RefuseMemory(bytes, sizes, dtype);
    block = OwningBlock::MakeAround(room, data, static_cast<size_t>(bytes));
  }
  TensorImpl& impl = block->impl;
  impl.type_ = WordsOf(dtype, device, sizes);
  impl.numel_ = numel;
  if (!sizes.empty()) impl.SetSizes(sizes);
  return &impl;
}

// Over `storage`, a reference to which it takes over; as wide as `rank` needs, of rank 0 so far.
TensorImpl* TensorImpl::MakeUnshaped(Storage* storage, size_t rank) {
  const size_t room = RoomFor(rank);
  const size_t bytes = sizeof(TensorImpl) + room * 2 * sizeof(int64_t);
  void* const memory = pool::Allocate(bytes);
  auto* dims = reinterpret_cast<int64_t*>(static_cast<char*>(memory) + sizeof(TensorImpl));
  auto* impl = new (memory) TensorImpl(dims, room, bytes);
  impl->storage_ = storage;
  return impl;
}

// Of a new tensor: its storage from the start.
[[gnu::always_inline]] inline void TensorImpl::ShowRowMajor(const TypeWords& type) {
  type_ = type;
  data_ = storage_->data();
  if (type.rank() > 0) {
    const Shape sizes = type.sizes();
    for (int64_t size : sizes) numel_ *= size;
    SetSizes(sizes);
  }
}

TensorImpl* TensorImpl::MakeRowMajor(sync::IntrusivePtr<Storage> storage, const TypeWords& type) {
  TensorImpl* impl = MakeUnshaped(storage.get(), type.rank());
  static_cast<void>(storage.Detach());
  impl->ShowRowMajor(type);
  return impl;
}

TensorImpl* TensorImpl::MakeLent(Storage& storage, const TypeWords& type) {
  TensorImpl* impl = MakeUnshaped(&storage, type.rank());
  impl->lent_ = true;
  impl->ShowRowMajor(type);
  return impl;
}

// A contiguous tensor may have any stride where a size is 1.
bool TensorImpl::HasRowMajorStrides() const {
  int64_t stride = 1;
  for (size_t i = rank_; i-- > 0;) {
    if (dims_[rank_ + i] != stride) return false;
    stride *= std::max<int64_t>(dims_[i], 1);
  }
  return true;
}

TensorImpl* TensorImpl::MakeAlias(const TensorImpl& of, Ints sizes, Ints strides, int64_t offset) {
  const int64_t numel = ElementCount(sizes);
  TensorImpl* impl = MakeUnshaped(of.storage_, sizes.size());
  of.storage_->AddRef();
  impl->inference_ = of.inference_;
  impl->type_ = WordsOf(of.dtype(), of.device(), sizes);
  impl->numel_ = numel;
  if (of.type_.is_sparse()) {
    impl->type_.low |= TypeWords::kSparse;
    impl->data_ = of.data_;
    impl->contiguous_ = false;
  } else {
    impl->data_ = static_cast<char*>(of.storage_->data()) +
                  offset * static_cast<int64_t>(ElementSize(of.dtype()));
  }
  if (!sizes.empty()) {
    impl->SetSizes(sizes);
    std::copy(strides.begin(), strides.end(), impl->dims_ + impl->rank_);
    impl->contiguous_ = !of.type_.is_sparse() && IsContiguousGeometry(sizes, strides);
  }
  return impl;
}

Storage* TensorImpl::Borrow(Storage* lender, uint32_t version, size_t rank) {
  if (lender->holds() == Storage::Holds::kBorrowed) lender = LenderOf(*BlockOf(lender));
  lender->AddRef();
  if (IndexBound* const bound = lender->index_bound()) bound->Forbid();
  const size_t room = RoomFor(rank);
  const size_t bytes = OwningBlock::BytesFor(room, sizeof(lender));
  auto* block = new (pool::Allocate(bytes))
      OwningBlock(room, bytes, lender->data(), lender->bytes(), Storage::Holds::kBorrowed);
  std::memcpy(block->OwnElements(sizeof(lender)), &lender, sizeof(lender));
  block->storage.version_.Store(version, sync::kRelaxed);
  return &block->storage;
}

TensorImpl* TensorImpl::MakeBorrowing(const TensorImpl& of, uint32_t version) {
  const size_t rank = of.sizes().size();
  TensorImpl& impl = BlockOf(Borrow(of.storage_, version, rank))->impl;
  impl.CopyGeometry(of);
  return &impl;
}

TensorImpl* TensorImpl::MakeSparse(Ints sizes, SparseParts parts) {
  const int64_t numel = ElementCount(sizes);
  const DType dtype = parts.values.dtype();
  const Device device = parts.values.device();
  auto* owned = new SparseParts(std::move(parts));
  // What its data() shows is a zero of any type.
  constexpr size_t kZeroBytes = 8;
  const size_t room = RoomFor(sizes.size());
  const size_t bytes = OwningBlock::BytesFor(room, kZeroBytes);
  auto* block =
      new (pool::Allocate(bytes)) OwningBlock(room, bytes, owned, 0, Storage::Holds::kSparseParts);
  TensorImpl& impl = block->impl;
  impl.type_ = WordsOf(dtype, device, sizes);
  impl.type_.low |= TypeWords::kSparse;
  impl.numel_ = numel;
  impl.contiguous_ = false;
  impl.data_ = block->OwnElements(kZeroBytes);
  std::memset(impl.data_, 0, kZeroBytes);
  if (!sizes.empty()) {
    impl.SetSizes(sizes);
    std::fill_n(impl.dims_ + impl.rank_, impl.rank_, 0);
  }
  return &impl;
}

void TensorImpl::CopyGeometry(const TensorImpl& from) {
  type_ = from.type_;
  data_ = from.data_;
  numel_ = from.numel_;
  contiguous_ = from.contiguous_;
  SetSizes(from.sizes());
  const Ints strides = from.strides();
  std::copy(strides.begin(), strides.end(), dims_ + rank_);
}

void TensorImpl::Exchange(const TensorImpl& with) {
  if (&with == this) return;
  if (lent_) KeepStorage();
  Storage* const before = storage_;
  storage_ = Borrow(with.storage_, before->version(), /*rank=*/0);
  CopyGeometry(with);
  if (!owning_ || exchanged_) {
    before->Release();
    return;
  }
  // The block that holds this object lives as long as its storage, which is given up at the end.
  exchanged_ = true;
  if (before->IsUniquelyOwned() && before->holds() == Storage::Holds::kElements) {
    before->DropElements();
  }
}

int64_t* TensorImpl::RoomInBlock() {
  char* const end = owning_ ? reinterpret_cast<char*>(reinterpret_cast<OwningBlock*>(this) + 1)
                            : reinterpret_cast<char*>(this + 1);
  return reinterpret_cast<int64_t*>(end);
}

void TensorImpl::SetSizes(Ints sizes) {
  const size_t rank = sizes.size();
  if (HasHeapDims()) delete[] std::exchange(dims_, RoomInBlock());
  rank_ = 0;  // until the room is there
  if (rank > room_) dims_ = new int64_t[2 * rank];
  rank_ = static_cast<uint8_t>(rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    dims_[i] = sizes[i];
    dims_[rank + i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
}

void TensorImpl::Dispose() {
  if (meta_ != nullptr) TakeMeta()->Drop();
  if (HasHeapDims()) delete[] dims_;
  const bool owning = owning_;
  Storage* last = storage_;
  if (exchanged_) {
    last = &reinterpret_cast<OwningBlock*>(this)->storage;
    storage_->Release();
  }
  const size_t bytes = block_bytes();
  if (!lent_) last->Release();  // an owning tensor's memory may end here
  if (!owning) {
    this->~TensorImpl();
    pool::Free(this, bytes);
  }
}

}  // namespace twingrad
