// ConvolutionPlan: what cuDNN is told of a convolution's shape, and the algorithm that was chosen.
//
//   const DnnLease handle(dnn, device, what);                       // this thread's for a scope
//   const PlanPtr plan = PlanFor(dnn, handle.get(), key, what);
//   if (plan->algorithm < 0) ...                                    // cuDNN has none for the shape
//
// Of the algorithms that cuDNN offers for a shape the first is taken that is deterministic, is a
// sum of products, works in no TF32 and wants no more memory than kMostWorkspace. So the terms of a
// result have the same order on every run. Plans are kept, kMostPlans of them at a time.
//
// Any thread. Throws Error(kDevice) if cuDNN fails.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "autograd/base/span.h"
#include "autograd/sync/ref_count.h"
#include "cuda/dnn.h"
#include "cuda/kernels/convolution_shape.h"

namespace twingrad::cuda {

inline constexpr size_t kMostWorkspace = size_t{256} << 20;
inline constexpr size_t kMostPlans = 4096;

// "3xxx": cuDNN has nothing for that.
constexpr bool IsNotSupported(DnnStatus status) { return status / 1000 == 3; }

// Names the status and says what to do.
void ThrowIfDnnFailed(const Dnn& dnn, DnnStatus status, const std::string& what);

// A handle of cuDNN that no other thread uses meanwhile. The device is the current one.
class DnnLease {
 public:
  DnnLease(const Dnn& dnn, uint8_t device, const std::string& what);
  ~DnnLease();
  DnnLease(const DnnLease&) = delete;
  DnnLease& operator=(const DnnLease&) = delete;
  DnnHandle get() const { return handle_; }

 private:
  const uint8_t device_;
  DnnHandle handle_;
};

struct PlanKey {
  uint8_t device = 0;
  DnnType type = kDnnFloat;
  kernels::ConvolutionPart part = kernels::ConvolutionPart::kNarrow;
  DnnShape shape;

  auto Key() const { return std::tie(device, type, part, shape); }
  friend bool operator==(const PlanKey& a, const PlanKey& b) { return a.Key() == b.Key(); }
  template <typename H>
  friend H AbslHashValue(H state, const PlanKey& key) {
    return H::combine(std::move(state), key.Key());
  }
};

// Owns its descriptors.
class ConvolutionPlan : public sync::RefCounted<ConvolutionPlan> {
 public:
  ConvolutionPlan(const Dnn& dnn, DnnHandle handle, const PlanKey& key, const std::string& what);
  ~ConvolutionPlan();

  DnnTensor wide = nullptr;
  DnnFilter weights = nullptr;
  DnnTensor narrow = nullptr;
  DnnConvolution convolution = nullptr;
  int algorithm = -1;  // none
  size_t workspace_bytes = 0;

 private:
  // False: cuDNN has nothing for such descriptors.
  bool Describe(const PlanKey& key, const std::string& what);
  bool IsDone(DnnStatus status, const std::string& what) const;
  template <class Pass, class A, class B, class Out>
  void Choose(const Pass& pass, Span<const int> sums, DnnHandle handle, A a, B b, Out out,
              const std::string& what);
  void Destroy();

  const Dnn& dnn_;
};
using PlanPtr = sync::IntrusivePtr<ConvolutionPlan>;

PlanPtr PlanFor(const Dnn& dnn, DnnHandle handle, const PlanKey& key, const std::string& what);

}  // namespace twingrad::cuda
