// Tensor: a handle to strided, typed memory that views share.
//
//   Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
//   Tensor row = a.AsStrided({3}, {1}, 3);     // shares a's memory and version
//
// A copy of a handle shares the tensor. Knows nothing of graphs: autograd/graph attaches its part
// through TensorMeta. A tensor that owns its memory is one pooled block that holds the tensor, its
// storage, its dimensions and, up to kInlineBytes, the elements, with room for as many as it has.
// The block outlives the tensor while views use the memory.
//
// An *inference tensor*, made while the thread's InferenceTensors() is set, has no version: writes
// to it go unnoticed. Its views are inference tensors too.
//
// Memory of a simulated accelerator's tensor comes from the device and belongs to the stream that
// is current when the tensor is made. Kernels run on the host, at once, and data() and
// mutable_data() tell the device what the thread's current stream reads and writes: so the device
// knows of every access, and reports those that no event orders (device/sim_device.h). Memory of a
// CUDA device is the device's as well, but the host cannot touch it: see remote.h.
//
// Threads: counts and the version are atomic; elements and meta are the caller's to order.
// Limits: sizes are not negative, element counts and byte sizes are checked for overflow.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "autograd/base/check.h"
#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/ref_count.h"
#include "autograd/sync/thread_local.h"
#include "autograd/tensor/element.h"   // IWYU pragma: export
#include "autograd/tensor/geometry.h"  // IWYU pragma: export

namespace twingrad {

// dtype, device and shape as two words, so that the usual comparison is two instructions.
// Exact when IsExact(); otherwise (rank above 3, sizes of 2^32 and more) sizes must be compared
// too.
struct TypeWords {
  uint64_t low = 0;
  uint64_t high = 0;

  DType dtype() const { return static_cast<DType>(low & 0xff); }
  Device device() const {
    return Device{static_cast<DeviceType>((low >> 8) & 0x7f),
                  static_cast<uint8_t>((low >> 16) & 0xff)};
  }
  bool is_sparse() const { return (low & kSparse) != 0; }
  // Of a simulated accelerator; of a device whose memory the host cannot touch. Each is one test of
  // a bit; a simulated accelerator whose work runs later has both.
  bool is_sim() const { return (low & kSim) != 0; }
  bool is_remote() const { return (low & kRemote) != 0; }
  // dtype, device and whether it is sparse.
  uint64_t kind() const { return low & 0xffffff; }
  bool IsExact() const { return ((low >> 24) & 0xff) != kInexact; }
  // Of exact words only.
  size_t rank() const { return (low >> 24) & 0xff; }
  Shape sizes() const;
  bool operator==(const TypeWords&) const = default;

  static constexpr uint64_t kInexact = 0xff;
  static constexpr uint64_t kSparse = uint64_t{1} << 15;
  static constexpr uint64_t kSim = static_cast<uint64_t>(DeviceType::kSim) << 8;
  static constexpr uint64_t kRemote = static_cast<uint64_t>(DeviceType::kCuda) << 8;
  static_assert(static_cast<int>(DeviceType::kCpu) == 0 &&
                static_cast<int>(DeviceType::kSim) == 1 &&
                static_cast<int>(DeviceType::kCuda) == 2 &&
                static_cast<int>(DeviceType::kLate) == (1 | 2) && kDeviceTypeCount == 4);
};

// Whether tensors with memory of their own that this thread makes are inference tensors. Set by the
// scopes of autograd/graph.
AG_THREAD_LOCAL(bool, InferenceTensors, false);

// What another layer attaches to a tensor; owned by it, or counted in a way of its own.
class TensorMeta {
 public:
  virtual ~TensorMeta() = default;
  // The tensor gives it up.
  virtual void Drop() { delete this; }
};

struct SparseParts;

// What is known of the integers in a device's memory: that at a version they were all 0 or more and
// below a bound. So an index is not looked at twice, for which the host would have to wait.
class IndexBound {
 public:
  // Whether all of version `version` are known to be indices of a dimension of this size.
  bool IsBelow(int64_t size, uint32_t version) const {
    const uint64_t known = known_.Load(sync::kRelaxed);
    const auto bound = static_cast<uint32_t>(known);
    return bound != 0 && known != kForbidden && known >> 32 == version && size >= bound;
  }
  void Note(int64_t size, uint32_t version) {
    if (size < 1 || size >= static_cast<int64_t>(UINT32_MAX)) return;
    const uint64_t known = uint64_t{version} << 32 | static_cast<uint64_t>(size);
    uint64_t before = known_.Load(sync::kRelaxed);
    if (before == kForbidden) return;
    // Who forbids meanwhile wins.
    known_.CompareExchangeStrong(before, known, sync::kRelaxed, sync::kRelaxed);
  }
  // From now on nothing is known: versions do not count all writes.
  void Forbid() { known_.Store(kForbidden, sync::kRelaxed); }

 private:
  static constexpr uint64_t kForbidden = UINT64_MAX;
  sync::Atomic<uint64_t> known_{0};  // version and bound; 0: nothing
};

// The memory that a tensor and its views share, with the version that writes bump.
class Storage {
 public:
  // What `data` points to: elements, the parts of a sparse tensor (sparse.h), the elements of
  // another storage, which this one keeps alive, or a block of a device.
  enum class Holds : uint8_t { kElements, kSparseParts, kBorrowed, kDeviceBlock };

  Storage(void* data, size_t bytes, Holds holds)
      : data_(data), bytes_(bytes), holds_(static_cast<size_t>(holds)), in_block_(false) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  uint32_t version() const { return version_.Load(sync::kRelaxed); }
  void BumpVersion() { version_.FetchAdd(1, sync::kRelaxed); }

  void AddRef() const { references_.Increment(); }
  void Release() {
    if (references_.Decrement()) Dispose();
  }
  // Nobody else uses the memory.
  bool IsUniquelyOwned() const { return references_.IsOne() && holds() != Holds::kBorrowed; }
  Holds holds() const { return static_cast<Holds>(holds_); }
  // Of a kDeviceBlock; null else.
  IndexBound* index_bound();

 private:
  friend class TensorImpl;
  friend struct OwningBlock;

  void Dispose();
  // Frees elements that nobody will use any more, although the block stays. Of kElements.
  void DropElements();

  sync::RefCount references_;
  sync::Atomic<uint32_t> version_{0};
  void* data_;
  size_t bytes_ : 61;
  size_t holds_ : 2;
  size_t in_block_ : 1;  // the elements lie in the storage's own block
};

class TensorImpl {
 public:
  // What lies in the tensor's own block.
  static constexpr int kInlineRank = 8;
  static constexpr size_t kInlineBytes = 64;

  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  // Contiguous, with memory of its own. Not initialised.
  static TensorImpl* MakeOwning(Ints sizes, DType dtype, Device device);
  static TensorImpl* MakeOwningScalar(DType dtype, Device device);
  // Tells the device that the current stream reads or writes the elements. Of a tensor that
  // HasDeviceMemory. Error(kUnsupported) of a remote one.
  void NoteAccess(bool is_write) const;
  bool HasDeviceMemory() const { return (type_.low & (TypeWords::kSim | TypeWords::kRemote)) != 0; }
  // Shares `storage`.
  static TensorImpl* MakeAlias(const TensorImpl& of, Ints sizes, Ints strides, int64_t offset);
  // Shows `storage` from its start in row-major order. `type` is exact, and fits it.
  static TensorImpl* MakeRowMajor(sync::IntrusivePtr<Storage> storage, const TypeWords& type);
  // The same, taking no reference: somebody else keeps the storage, until KeepStorage is called or
  // the tensor ends.
  static TensorImpl* MakeLent(Storage& storage, const TypeWords& type);
  bool is_lent() const { return lent_; }
  void KeepStorage() {
    storage_->AddRef();
    lent_ = false;
  }
  // Whether MakeRowMajor of its storage and type would show the same.
  bool IsStoredRowMajor() const {
    return data_ == storage_->data() && contiguous_ && !inference_ && type_.IsExact() &&
           (rank_ == 0 || HasRowMajorStrides());
  }
  // Shares the memory of `of`, with a version of its own that starts at `version`.
  static TensorImpl* MakeBorrowing(const TensorImpl& of, uint32_t version);
  // Takes `parts` over, which fit `sizes`.
  static TensorImpl* MakeSparse(Ints sizes, SparseParts parts);
  // Shows the memory of `with`, in its geometry and type, from now on; the version goes on from
  // this tensor's. Views that were made before keep the old memory.
  void Exchange(const TensorImpl& with);

  void AddRef() const { references_.Increment(); }
  void Release() const {
    if (references_.Decrement()) const_cast<TensorImpl*>(this)->Dispose();
  }
  uint32_t ReferenceCount() const { return references_.Value(); }
  bool IsUniquelyOwned() const { return references_.IsOne(); }

  const TypeWords& type() const { return type_; }
  DType dtype() const { return type_.dtype(); }
  Device device() const { return type_.device(); }
  int rank() const { return rank_; }
  int64_t numel() const { return numel_; }
  int64_t offset() const;
  void* data() const { return data_; }
  bool is_contiguous() const { return contiguous_; }
  bool is_inference() const { return inference_; }
  Storage* storage() const { return storage_; }
  Ints sizes() const { return {dims_, static_cast<size_t>(rank_)}; }
  Ints strides() const { return {dims_ + rank_, static_cast<size_t>(rank_)}; }

  TensorMeta* meta() const { return meta_; }
  // By which the other layer knows one kind of meta from another.
  bool meta_tag() const { return meta_tag_; }
  // Takes `meta` over; drops the one before.
  void SetMeta(TensorMeta* meta, bool tag = false) {
    TensorMeta* const before = TakeMeta();
    meta_ = meta;
    meta_tag_ = tag;
    if (before != nullptr) before->Drop();
  }
  // Leaves the tensor without one.
  TensorMeta* TakeMeta() {
    meta_tag_ = false;
    return std::exchange(meta_, nullptr);
  }

 private:
  friend struct OwningBlock;
  friend class Storage;

  // In a block of `bytes` with room for the dimensions of `room` ranks at `dims`.
  TensorImpl(int64_t* dims, size_t room, size_t bytes)
      : room_(static_cast<uint8_t>(room)),
        granules_(static_cast<uint8_t>(bytes / kGranule)),
        dims_(dims) {}
  ~TensorImpl() = default;
  static TensorImpl* MakeUnshaped(Storage* storage, size_t rank);
  void ShowRowMajor(const TypeWords& type);
  bool HasHeapDims() const { return rank_ > room_; }
  // Blocks are sized in these.
  static constexpr size_t kGranule = 8;
  size_t block_bytes() const { return granules_ * kGranule; }
  // In a block of its own, whose tensor has no geometry, but room for one: shows the memory of
  // `lender`.
  static Storage* Borrow(Storage* lender, uint32_t version, size_t rank);
  int64_t* RoomInBlock();
  bool HasRowMajorStrides() const;
  void SetSizes(Ints sizes);
  void CopyGeometry(const TensorImpl& from);
  void Dispose();

  sync::RefCount references_;
  uint8_t rank_ = 0;
  bool contiguous_ : 1 = true;
  // This object lies in a block with a storage, `storage_` unless exchanged.
  bool owning_ : 1 = false;
  bool exchanged_ : 1 = false;
  bool inference_ : 1 = false;
  bool meta_tag_ : 1 = false;
  bool lent_ : 1 = false;   // `storage_` is not counted
  const uint8_t room_;      // ranks that the dimensions in the block have room for
  const uint8_t granules_;  // size of the block
  TypeWords type_;
  void* data_ = nullptr;
  int64_t numel_ = 1;
  Storage* storage_ = nullptr;
  TensorMeta* meta_ = nullptr;
  int64_t* dims_;  // sizes, then strides: in the block, or on the heap where they do not fit
};
// Where atomics are no wider than what they hold.
static_assert(sizeof(TensorImpl) == 64 || sizeof(sync::Atomic<uint32_t>) > sizeof(uint32_t),
              "a tensor fills one cache line");

class Tensor {
 public:
  Tensor() = default;

  static Tensor Empty(Ints sizes, DType dtype, Device device = Device::Cpu());
  static Tensor Zeros(Ints sizes, DType dtype, Device device = Device::Cpu());
  static Tensor Ones(Ints sizes, DType dtype, Device device = Device::Cpu());
  // `value` converted to dtype by truncation for i64, by comparison with 0 for bool.
  static Tensor Full(Ints sizes, double value, DType dtype, Device device = Device::Cpu());
  static Tensor Scalar(double value, DType dtype = DType::kF64, Device device = Device::Cpu());
  // A scalar that is not initialised: the fast path of elementwise kernels.
  static Tensor EmptyScalar(DType dtype, Device device) {
    return Tensor(TensorImpl::MakeOwningScalar(dtype, device));
  }
  // Copies the elements, in row-major order.
  template <class T>
  static Tensor FromData(Ints sizes, Span<const T> data, Device device = Device::Cpu()) {
    return FromBytes(sizes, kDTypeOf<T>, data.data(), data.size(), device);
  }

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const = delete;
  // Of an undefined tensor these are Error(kUndefined).
  DType dtype() const { return Defined().dtype(); }
  Device device() const { return Defined().device(); }
  Ints sizes() const { return Defined().sizes(); }
  Ints strides() const { return Defined().strides(); }
  int64_t dim() const { return Defined().rank(); }
  int64_t numel() const { return Defined().numel(); }
  // In elements, from the start of the storage.
  int64_t storage_offset() const { return Defined().offset(); }
  // Row-major, sizes of 1 not looked at; a tensor without elements is contiguous.
  bool IsContiguous() const { return Defined().is_contiguous(); }
  // Of a defined tensor: the engine compares types of what it knows to be there.
  const TypeWords& type() const { return impl_->type(); }
  // See sparse.h. A sparse tensor has no elements in memory: data() shows a zero and strides are 0.
  bool is_sparse() const { return type().is_sparse(); }
  bool HasSameTypeAs(const Tensor& other) const;

  // The first element, at storage_offset(), to be read by work of the current stream. Never null.
  // Error(kUnsupported) where the host cannot touch it (remote.h).
  template <class T>
  const T* data() const {
    AG_DCHECK(kDTypeOf<T> == dtype(), "[tensor] data() of another type than ", DTypeName(dtype()));
    return static_cast<const T*>(raw_data());
  }
  const void* raw_data() const {
    const TensorImpl& self = Defined();
    if (self.HasDeviceMemory()) [[unlikely]]
      self.NoteAccess(/*is_write=*/false);
    return self.data();
  }
  // The same, to be written, and read as well.
  template <class T>
  T* mutable_data() const {
    AG_DCHECK(kDTypeOf<T> == dtype(), "[tensor] data of another type than ", DTypeName(dtype()));
    return static_cast<T*>(mutable_raw_data());
  }
  void* mutable_raw_data() const {
    const TensorImpl& self = Defined();
    if (self.HasDeviceMemory()) [[unlikely]]
      self.NoteAccess(/*is_write=*/true);
    return self.data();
  }
  // The same, for who only looks at what has been computed so far and is no work of a stream: the
  // device is told nothing.
  template <class T>
  const T* watched_data() const {
    AG_DCHECK(kDTypeOf<T> == dtype(), "[tensor] data of another type than ", DTypeName(dtype()));
    if (Defined().type().is_remote()) [[unlikely]]
      RefuseHost();
    return static_cast<const T*>(impl_->data());
  }
  // The value of a tensor of one element; Error(kShape) if it has more or none, Error(kDType) if
  // its elements are no T.
  template <class T>
  T item() const {
    if (numel() != 1 || kDTypeOf<T> != dtype()) [[unlikely]]
      ThrowNoItem(kDTypeOf<T>);
    if (type().is_remote()) [[unlikely]]
      return OnHost().item<T>();
    return *data<T>();
  }

  // Error(kInvalidArgument) for an inference tensor.
  uint32_t version() const {
    if (Defined().is_inference()) [[unlikely]]
      RefuseVersion();
    return impl_->storage()->version();
  }
  void BumpVersion() const {
    if (!Defined().is_inference()) [[likely]]
      impl_->storage()->BumpVersion();
  }
  // Another geometry over the same memory, without history. Error if it reaches out of the storage.
  Tensor AsStrided(Ints sizes, Ints strides, int64_t offset) const;
  // The same geometry over the same memory, without history.
  Tensor Detach() const;
  // As Detach, but with a version of its own: neither tensor knows of writes through the other.
  Tensor Data() const;
  // What MakeRowMajor makes.
  static Tensor OfStorage(sync::IntrusivePtr<Storage> storage, const TypeWords& type) {
    return Tensor(TensorImpl::MakeRowMajor(std::move(storage), type));
  }
  // What MakeLent makes; EndLending follows while somebody still keeps the storage. It gives this
  // handle up if it is the only one, else the tensor takes a reference. Nothing if the handle has
  // got another tensor meanwhile.
  static Tensor OfLent(Storage& storage, const TypeWords& type) {
    return Tensor(TensorImpl::MakeLent(storage, type));
  }
  void EndLending() {
    if (!defined() || !impl_->is_lent()) return;
    if (impl_->IsUniquelyOwned()) {
      impl_.reset();
    } else {
      impl_->KeepStorage();
    }
  }
  bool HasSameStorage(const Tensor& other) const {
    return defined() && other.defined() &&
           impl_->storage()->data() == other.impl_->storage()->data();
  }
  int UseCount() const { return defined() ? static_cast<int>(impl_->ReferenceCount()) : 0; }
  bool IsUniquelyOwned() const { return impl_->IsUniquelyOwned(); }
  // No other tensor uses the memory.
  bool OwnsStorageAlone() const { return impl_->storage()->IsUniquelyOwned(); }

  TensorImpl* impl() const { return impl_.get(); }
  bool IsSameAs(const Tensor& other) const { return impl_ == other.impl_; }
  void reset() { impl_.reset(); }

 private:
  friend Tensor MakeSparse(Ints sizes, const Tensor& indices, const Tensor& values);

  // Takes over the reference that a new impl begins with.
  explicit Tensor(TensorImpl* made) : impl_(sync::IntrusivePtr<TensorImpl>::Adopt(made)) {}

  TensorImpl& Defined() const {
    if (!defined()) [[unlikely]]
      ThrowUndefined();
    return *impl_;
  }
  [[noreturn]] static void ThrowUndefined();
  [[noreturn]] void ThrowNoItem(DType asked) const;
  [[noreturn]] void RefuseHost() const;
  // A copy of a remote tensor of one element.
  Tensor OnHost() const;

  [[noreturn]] static void RefuseVersion();
  static Tensor FromBytes(Ints sizes, DType dtype, const void* data, size_t count, Device device);

  sync::IntrusivePtr<TensorImpl> impl_;
};

// Throws Error(kInvalidArgument) naming `op`, which takes dense tensors only.
[[noreturn]] void RefuseSparse(const char* op);

}  // namespace twingrad
