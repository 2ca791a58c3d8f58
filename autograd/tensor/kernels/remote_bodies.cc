#include "autograd/tensor/kernels/remote_bodies.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad::kernels {

void RefuseRank(const char* op, Device device, size_t rank) {
  throw Error(ErrorKind::kUnsupported,
              absl::StrCat("[", op, "] unsupported on ", DeviceTypeName(device.type),
                           " of operands of rank ", rank, " whose memory has more than ",
                           kMostWalked, " dimensions; make them contiguous, or copy them to cpu"));
}

void RefuseOverlap(const char* op) {
  throw Error(ErrorKind::kInternal,
              absl::StrCat("[", op,
                           "] elements of the tensor to write share memory; pieces that run "
                           "at the same time must not; write it part by part"));
}

}  // namespace twingrad::kernels
