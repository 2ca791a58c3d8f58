// Accesses to memory of devices, and copies of tensors that the host cannot touch. See remote.h.

#include "autograd/tensor/remote.h"

#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/device_registry.h"

namespace twingrad {
namespace {

size_t BytesOf(const Tensor& tensor) {
  return static_cast<size_t>(tensor.numel()) * ElementSize(tensor.dtype());
}

void Record(const Tensor& tensor, Stream stream) {
  GetDeviceInterface(tensor.device()).RecordStream(tensor.impl()->storage()->data(), stream);
}

// From the first to the last of the elements, of which there are some.
BodyAccess AccessOf(const TensorImpl& tensor, bool is_write) {
  if (tensor.is_contiguous()) {
    return {tensor.data(), static_cast<size_t>(tensor.numel()) * ElementSize(tensor.dtype()),
            is_write};
  }
  int64_t lowest = 0, highest = 0;
  for (int d = 0; d < tensor.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    const int64_t reach = (tensor.sizes()[at] - 1) * tensor.strides()[at];
    (reach < 0 ? lowest : highest) += reach;
  }
  const auto size = static_cast<int64_t>(ElementSize(tensor.dtype()));
  return {static_cast<const char*>(tensor.data()) + lowest * size,
          static_cast<size_t>((highest - lowest + 1) * size), is_write};
}

void Append(const Tensor& tensor, bool is_write, Stream stream, std::vector<BodyAccess>* accesses) {
  if (tensor.numel() == 0) return;
  Record(tensor, stream);
  accesses->push_back(AccessOf(*tensor.impl(), is_write));
}

// The label of the work is the name of an operation where one was given.
[[noreturn]] void RefuseHostAccess(Device device) {
  throw Error(
      ErrorKind::kUnsupported,
      absl::StrCat("[", CurrentWorkLabel(), "] unsupported on ", DeviceTypeName(device.type),
                   ": it reads or writes elements on the host, which cannot touch those of ",
                   device.ToString(), "; copy the tensor to cpu with to"));
}

}  // namespace

void TensorImpl::NoteAccess(bool is_write) const {
  if (type_.is_remote()) RefuseHostAccess(device());
  if (numel_ == 0 || type_.is_sparse()) return;
  const BodyAccess access = AccessOf(*this, is_write);
  GetDeviceInterface(device()).NoteAccess(access.data, access.bytes, is_write,
                                          WorkStream(device()));
}

void Tensor::RefuseHost() const { RefuseHostAccess(device()); }

Tensor Tensor::OnHost() const { return CopiedToHost(*this); }

void RefuseRemote(const char* op, Device device) {
  throw Error(ErrorKind::kUnsupported,
              absl::StrCat("[", op, "] unsupported on ", DeviceTypeName(device.type),
                           "; it works on cpu and sim; copy the operands of ", device.ToString(),
                           " to cpu with to"));
}

std::vector<BodyAccess> AccessesOf(std::initializer_list<const Tensor*> written,
                                   std::initializer_list<const Tensor*> read, Stream stream) {
  std::vector<BodyAccess> accesses;
  accesses.reserve(written.size() + read.size());
  for (const Tensor* tensor : written) Append(*tensor, /*is_write=*/true, stream, &accesses);
  for (const Tensor* tensor : read) Append(*tensor, /*is_write=*/false, stream, &accesses);
  return accesses;
}

void RunLater(const char* op, std::function<void()> work, Span<const BodyAccess> accesses,
              Stream stream) {
  std::vector<DeviceInterface::Access> touched;
  touched.reserve(accesses.size());
  for (const BodyAccess& access : accesses) {
    touched.push_back({access.data, access.bytes, access.is_write});
  }
  GetDeviceInterface(stream.device)
      .Launch(stream, touched, absl::StrCat(CurrentWorkLabel(), " (", op, ")"), std::move(work));
}

bool AreIndicesBelow(const Tensor& index, int64_t size) {
  Storage* const storage = index.impl()->storage();
  const IndexBound* const bound = storage->index_bound();
  return bound != nullptr && !index.impl()->is_inference() &&
         bound->IsBelow(size, storage->version());
}

void NoteIndicesBelow(const Tensor& index, int64_t size) {
  Storage* const storage = index.impl()->storage();
  IndexBound* const bound = storage->index_bound();
  if (bound == nullptr || index.impl()->is_inference()) return;
  if (!index.IsContiguous() || BytesOf(index) != storage->bytes()) return;
  bound->Note(size, storage->version());
}

Tensor CopiedToHost(const Tensor& contiguous) {
  Tensor host = Tensor::Empty(contiguous.sizes(), contiguous.dtype());
  if (host.numel() == 0) return host;
  const Stream stream = WorkStream(contiguous.device());
  Record(contiguous, stream);
  GetDeviceInterface(contiguous.device())
      .CopyToHost(host.mutable_raw_data(), contiguous.impl()->data(), BytesOf(contiguous), stream);
  return host;
}

void CopyFromHost(const Tensor& target, const Tensor& host) {
  if (host.numel() == 0) return;
  const Stream stream = WorkStream(target.device());
  Record(target, stream);
  GetDeviceInterface(target.device())
      .CopyFromHost(target.impl()->data(), host.raw_data(), BytesOf(target), stream);
}

void CopyOnDevice(const Tensor& target, const Tensor& source) {
  if (source.numel() == 0) return;
  const Stream stream = WorkStream(source.device());
  Record(target, stream);
  Record(source, stream);
  GetDeviceInterface(source.device())
      .CopyOnDevice(target.impl()->data(), source.impl()->data(), BytesOf(target), stream);
}

}  // namespace twingrad
