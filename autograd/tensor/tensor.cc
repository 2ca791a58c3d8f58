// Making tensors and their geometry. See tensor.h.

#include "autograd/tensor/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/tensor/elements.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {

// A tensor with its own storage and room for few elements, as one block. It is freed when
// neither the tensor nor a view uses the storage.
struct OwningBlock {
  TensorImpl impl;
  Storage storage;
  alignas(16) unsigned char elements[TensorImpl::kInlineBytes];

  explicit OwningBlock(size_t bytes) : OwningBlock(elements, bytes) {}
  OwningBlock(void* data, size_t bytes, Storage::Holds holds = Storage::Holds::kElements)
      : storage(data, bytes, holds) {
    impl.owning_ = true;
    impl.inference_ = InferenceTensors();
    impl.storage_ = &storage;
    impl.data_ = data;
  }
  ~OwningBlock() = default;
};

namespace {

OwningBlock* BlockOf(Storage* storage) {
  // The storage is a member of a standard block; offsetof is exact for it on every supported
  // compiler.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  constexpr size_t kOffset = offsetof(OwningBlock, storage);
#pragma GCC diagnostic pop
  return reinterpret_cast<OwningBlock*>(reinterpret_cast<char*>(storage) - kOffset);
}

// Of a block whose storage is Holds::kBorrowed: whose elements it shows, noted in its own room.
Storage* LenderOf(const OwningBlock& block) {
  Storage* lender;
  std::memcpy(&lender, block.elements, sizeof(lender));
  return lender;
}

}  // namespace

TypeWords TypeWords::Of(DType dtype, Device device, Ints sizes) {
  TypeWords words;
  words.low = static_cast<uint64_t>(dtype) | static_cast<uint64_t>(device.type) << 8 |
              static_cast<uint64_t>(device.index) << 16;
  bool exact = sizes.size() <= 3;
  for (int64_t size : sizes) exact = exact && (static_cast<uint64_t>(size) >> 32) == 0;
  if (!exact) {
    words.low |= kInexact << 24 | static_cast<uint64_t>(sizes.size()) << 32;
    return words;
  }
  words.low |= static_cast<uint64_t>(sizes.size()) << 24;
  if (!sizes.empty()) words.low |= static_cast<uint64_t>(sizes[0]) << 32;
  if (sizes.size() > 1) words.high = static_cast<uint64_t>(sizes[1]);
  if (sizes.size() > 2) words.high |= static_cast<uint64_t>(sizes[2]) << 32;
  return words;
}

Shape TypeWords::sizes() const {
  AG_CHECK(IsExact(), "[tensor] the sizes of this type do not fit two words");
  const int64_t all[] = {static_cast<int64_t>(low >> 32), static_cast<int64_t>(high & 0xffffffff),
                         static_cast<int64_t>(high >> 32)};
  return Shape(all, all + ((low >> 24) & 0xff));
}

void Storage::Dispose() {
  OwningBlock* block = BlockOf(this);
  if (data_ != block->elements) {
    if (holds() == Holds::kElements) {
      elements::Free(data_, bytes_);
    } else if (holds() == Holds::kSparseParts) {
      delete static_cast<SparseParts*>(data_);
    } else {
      LenderOf(*block)->Release();
    }
  }
  block->~OwningBlock();
  pool::Free(block, sizeof(OwningBlock));
}

void Storage::DropElements() {
  OwningBlock* block = BlockOf(this);
  if (data_ == block->elements) return;
  elements::Free(data_, bytes_);
  data_ = block->elements;
  bytes_ = 0;
}

TensorImpl* TensorImpl::MakeOwningScalar(DType dtype, Device device) {
  auto* block = new (pool::Allocate(sizeof(OwningBlock))) OwningBlock(ElementSize(dtype));
  block->impl.type_ = TypeWords::Of(dtype, device, {});
  return &block->impl;
}

TensorImpl* TensorImpl::MakeOwning(Ints sizes, DType dtype, Device device) {
  const int64_t numel = ElementCount(sizes);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(numel, static_cast<int64_t>(ElementSize(dtype)), &bytes)) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[tensor] ", DTypeName(dtype), ShapeToString(sizes),
                             " has more bytes than fit 63 bits; use smaller sizes"));
  }
  OwningBlock* block;
  if (bytes <= static_cast<int64_t>(kInlineBytes)) {
    block = new (pool::Allocate(sizeof(OwningBlock))) OwningBlock(static_cast<size_t>(bytes));
  } else {
    void* data = elements::Allocate(static_cast<size_t>(bytes));
    if (data == nullptr) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[tensor] no memory for the ", bytes, " bytes of ", DTypeName(dtype),
                               ShapeToString(sizes), "; use smaller sizes"));
    }
    block = new (pool::Allocate(sizeof(OwningBlock))) OwningBlock(data, static_cast<size_t>(bytes));
  }
  TensorImpl& impl = block->impl;
  impl.type_ = TypeWords::Of(dtype, device, sizes);
  impl.numel_ = numel;
  if (!sizes.empty()) impl.SetSizes(sizes);
  return &impl;
}

TensorImpl* TensorImpl::MakeAlias(const TensorImpl& of, Ints sizes, Ints strides, int64_t offset) {
  const int64_t numel = ElementCount(sizes);
  auto* impl = new (pool::Allocate(sizeof(TensorImpl))) TensorImpl();
  of.storage_->AddRef();
  impl->storage_ = of.storage_;
  impl->inference_ = of.inference_;
  impl->type_ = TypeWords::Of(of.dtype(), of.device(), sizes);
  impl->offset_ = offset;
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
    std::copy(strides.begin(), strides.end(), const_cast<int64_t*>(impl->dims()) + impl->rank_);
    impl->contiguous_ = !of.type_.is_sparse() && IsContiguousGeometry(sizes, strides);
  }
  return impl;
}

Storage* TensorImpl::Borrow(Storage* lender, uint32_t version) {
  if (lender->holds() == Storage::Holds::kBorrowed) lender = LenderOf(*BlockOf(lender));
  lender->AddRef();
  auto* block = new (pool::Allocate(sizeof(OwningBlock)))
      OwningBlock(lender->data(), lender->bytes(), Storage::Holds::kBorrowed);
  std::memcpy(block->elements, &lender, sizeof(lender));
  block->storage.version_.Store(version, sync::kRelaxed);
  return &block->storage;
}

TensorImpl* TensorImpl::MakeBorrowing(const TensorImpl& of, uint32_t version) {
  TensorImpl& impl = BlockOf(Borrow(of.storage_, version))->impl;
  impl.CopyGeometry(of);
  return &impl;
}

TensorImpl* TensorImpl::MakeSparse(Ints sizes, SparseParts parts) {
  const int64_t numel = ElementCount(sizes);
  const DType dtype = parts.values.dtype();
  const Device device = parts.values.device();
  auto* owned = new SparseParts(std::move(parts));
  auto* block =
      new (pool::Allocate(sizeof(OwningBlock))) OwningBlock(owned, 0, Storage::Holds::kSparseParts);
  std::memset(block->elements, 0, sizeof(block->elements));
  TensorImpl& impl = block->impl;
  impl.type_ = TypeWords::Of(dtype, device, sizes);
  impl.type_.low |= TypeWords::kSparse;
  impl.numel_ = numel;
  impl.contiguous_ = false;
  impl.data_ = block->elements;
  if (!sizes.empty()) {
    impl.SetSizes(sizes);
    std::fill_n(const_cast<int64_t*>(impl.dims()) + impl.rank_, impl.rank_, 0);
  }
  return &impl;
}

void TensorImpl::CopyGeometry(const TensorImpl& from) {
  if (rank_ > kInlineRank) delete[] heap_dims_;
  rank_ = 0;
  type_ = from.type_;
  data_ = from.data_;
  numel_ = from.numel_;
  offset_ = from.offset_;
  contiguous_ = from.contiguous_;
  if (from.rank_ == 0) return;
  SetSizes(from.sizes());
  const Ints strides = from.strides();
  std::copy(strides.begin(), strides.end(), const_cast<int64_t*>(dims()) + rank_);
}

void TensorImpl::Exchange(const TensorImpl& with) {
  if (&with == this) return;
  Storage* const before = storage_;
  storage_ = Borrow(with.storage_, before->version());
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

void TensorImpl::SetSizes(Ints sizes) {
  const size_t rank = sizes.size();
  rank_ = static_cast<uint8_t>(rank);
  int64_t* dims = inline_dims_;
  if (rank_ > kInlineRank) dims = heap_dims_ = new int64_t[2 * rank];
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    dims[i] = sizes[i];
    dims[rank + i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
}

void TensorImpl::Dispose() {
  if (meta_ != nullptr) delete std::exchange(meta_, nullptr);
  if (rank_ > kInlineRank) delete[] heap_dims_;
  const bool owning = owning_;
  Storage* last = storage_;
  if (exchanged_) {
    last = &reinterpret_cast<OwningBlock*>(this)->storage;
    storage_->Release();
  }
  last->Release();  // an owning tensor's memory may end here
  if (!owning) {
    this->~TensorImpl();
    pool::Free(this, sizeof(TensorImpl));
  }
}

Tensor Tensor::Empty(Ints sizes, DType dtype, Device device) {
  return Tensor(TensorImpl::MakeOwning(sizes, dtype, device));
}

Tensor Tensor::Full(Ints sizes, double value, DType dtype, Device device) {
  Tensor result = Empty(sizes, dtype, device);
  DispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(result.data<T>(), result.numel(), CastNumber<T>(value));
  });
  return result;
}

Tensor Tensor::Zeros(Ints sizes, DType dtype, Device device) {
  return Full(sizes, 0, dtype, device);
}

Tensor Tensor::Ones(Ints sizes, DType dtype, Device device) {
  return Full(sizes, 1, dtype, device);
}

Tensor Tensor::Scalar(double value, DType dtype, Device device) {
  return Full({}, value, dtype, device);
}

Tensor Tensor::FromBytes(Ints sizes, DType dtype, const void* data, size_t count, Device device) {
  Tensor result = Empty(sizes, dtype, device);
  if (static_cast<int64_t>(count) != result.numel()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[tensor] ", count, " elements given for shape ", ShapeToString(sizes),
                             "; it takes exactly ", result.numel()));
  }
  if (count > 0) std::memcpy(result.raw_data(), data, count * ElementSize(dtype));
  return result;
}

void Tensor::RefuseVersion() {
  throw Error(
      ErrorKind::kInvalidArgument,
      "[tensor] the version of an inference tensor was asked for; only tensors made outside "
      "inference mode have one; clone it outside");
}

void Tensor::ThrowUndefined() {
  throw Error(ErrorKind::kUndefined,
              "[tensor] an undefined tensor was asked for its type or data; defined tensors have "
              "them; check defined() first");
}

void Tensor::ThrowNoItem(DType asked) const {
  if (numel() != 1) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[tensor] item() of ", numel(),
                             " elements; it takes exactly one; index or reduce first"));
  }
  throw Error(ErrorKind::kDType,
              absl::StrCat("[tensor] item() of a tensor of ", DTypeName(dtype()), " as ",
                           DTypeName(asked), "; it gives the tensor's own type; cast before"));
}

bool Tensor::HasSameTypeAs(const Tensor& other) const {
  if (!(Defined().type() == other.Defined().type())) return false;
  return type().IsExact() || sizes() == other.sizes();
}

Tensor Tensor::AsStrided(Ints sizes, Ints strides, int64_t offset) const {
  TensorImpl& self = Defined();
  if (is_sparse()) RefuseSparse("tensor");
  const int64_t capacity = static_cast<int64_t>(self.storage()->bytes() / ElementSize(dtype()));
  int64_t lowest = offset;
  int64_t highest = offset;
  bool fits = sizes.size() == strides.size();
  bool empty = false;
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    if (sizes[i] == 0) empty = true;
    int64_t reach = 0;
    fits = sizes[i] >= 0 &&
           !__builtin_mul_overflow(std::max<int64_t>(sizes[i] - 1, 0), strides[i], &reach) &&
           !__builtin_add_overflow(reach < 0 ? lowest : highest, reach,
                                   reach < 0 ? &lowest : &highest);
  }
  // Where there is no element, a slice of an empty tensor say, any offset will do.
  if (empty) offset = std::clamp<int64_t>(offset, 0, capacity);
  fits = fits && (empty || (lowest >= 0 && highest < capacity));
  if (!fits) {
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[tensor] sizes ", ShapeToString(sizes), " with strides ",
                     ShapeToString(strides), " at offset ", offset, " reach out of a storage of ",
                     capacity, " elements; every element must lie inside"));
  }
  return Tensor(TensorImpl::MakeAlias(self, sizes, strides, offset));
}

Tensor Tensor::Detach() const {
  return Tensor(TensorImpl::MakeAlias(Defined(), sizes(), strides(), storage_offset()));
}

Tensor Tensor::Data() const { return Tensor(TensorImpl::MakeBorrowing(Defined(), 0)); }

void RefuseSparse(const char* op) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", op,
                           "] an operand is a sparse tensor; dense ones are allowed; make it one "
                           "with kernels::ToDense"));
}

int64_t ElementCount(Ints sizes) {
  if (sizes.size() > 255) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[tensor] rank ", sizes.size(),
                             "; at most 255 dimensions are allowed; merge some"));
  }
  int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[tensor] size ", size, " in shape ", ShapeToString(sizes),
                               "; sizes are 0 or more"));
    }
    if (size == 0) empty = true;
    overflow |= size != 0 && __builtin_mul_overflow(count, size, &count);
  }
  if (overflow) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[tensor] the element count of ", ShapeToString(sizes),
                             " does not fit 63 bits; use smaller sizes"));
  }
  return empty ? 0 : count;
}

Shape ContiguousStrides(Ints sizes) {
  Shape strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool IsContiguousGeometry(Ints sizes, Ints strides) {
  for (int64_t size : sizes) {
    if (size == 0) return true;
  }
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

bool HasInternalOverlap(Ints sizes, Ints strides) {
  InlinedVector<std::pair<int64_t, int64_t>, 4> dims;  // (stride, size), those that move
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return false;
    if (sizes[i] > 1) dims.emplace_back(std::abs(strides[i]), sizes[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;  // the largest distance that the dimensions so far can span
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

std::string ShapeToString(Ints sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

}  // namespace twingrad
