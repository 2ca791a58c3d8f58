#include "cuda/kernels/convolutions.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "cuda/current_device.h"
#include "cuda/dnn.h"
#include "cuda/kernels/convolution_plans.h"
#include "cuda/kernels/convolution_shape.h"
#include "cuda/kernels/scratch.h"
#include "cuda/native_stream.h"

namespace twingrad::cuda {
namespace {

using kernels::ConvolutionPart;
using kernels::ConvolutionWork;

template <class T>
DnnStatus RunPlan(const Dnn& dnn, DnnHandle handle, const ConvolutionPlan& plan,
                  const ConvolutionWork<T>& work, void* workspace) {
  const T one(1), zero(0);
  const auto run = [&](const auto& pass, auto a, const T* a_data, auto b, const T* b_data, auto out,
                       T* out_data) {
    return pass.run(handle, &one, a, a_data, b, b_data, plan.convolution, plan.algorithm, workspace,
                    plan.workspace_bytes, &zero, out, out_data);
  };
  switch (work.part) {
    case ConvolutionPart::kNarrow:
      break;
    case ConvolutionPart::kWide:
      return run(dnn.by_operand, plan.weights, work.weights, plan.narrow, work.narrow, plan.wide,
                 work.wide);
    case ConvolutionPart::kWeights:
      return run(dnn.by_weights, plan.wide, work.wide, plan.narrow, work.narrow, plan.weights,
                 work.weights);
  }
  return run(dnn.forward, plan.wide, work.wide, plan.weights, work.weights, plan.narrow,
             work.narrow);
}

template <class T>
bool ConvolveTyped(const char* op, const ConvolutionWork<T>& work, Stream stream) {
  const std::optional<DnnShape> shape = DnnShapeOf(work.shape);
  const Dnn* const dnn = shape ? FindDnn() : nullptr;
  if (dnn == nullptr) return false;
  const std::string what = std::string("launching ") + op;
  const uint8_t device = stream.device.index;
  const cudaStream_t native = NativeStream(stream);
  const CurrentDevice current(device);
  const DnnLease handle(*dnn, device, what);
  const DnnType type = std::is_same_v<T, float> ? kDnnFloat : kDnnDouble;
  const PlanPtr plan = PlanFor(*dnn, handle.get(), {device, type, work.part, *shape}, what);
  if (plan->algorithm < 0) return false;
  const Scratch workspace(plan->workspace_bytes, stream);
  ThrowIfDnnFailed(*dnn, dnn->set_stream(handle.get(), native), what);
  const DnnStatus status = RunPlan(*dnn, handle.get(), *plan, work, workspace.data());
  if (IsNotSupported(status)) return false;
  ThrowIfDnnFailed(*dnn, status, what);
  return true;
}

}  // namespace

bool ConvolveByDnn(const char* op, const ConvolutionWork<float>& work, Stream stream) {
  return ConvolveTyped(op, work, stream);
}
bool ConvolveByDnn(const char* op, const ConvolutionWork<double>& work, Stream stream) {
  return ConvolveTyped(op, work, stream);
}

}  // namespace twingrad::cuda
