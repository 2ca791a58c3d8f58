#include "cuda/kernels/convolution_plans.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"
#include "cuda/status.h"

namespace twingrad::cuda {
namespace {

using kernels::ConvolutionPart;

const char* AdviceFor(DnnStatus status) {
  switch (status) {
    case kDnnHostAllocationFailed:
    case kDnnDeviceAllocationFailed:
      return "free tensors or use smaller ones";
    case kDnnNotInitialized:
    case kDnnVersionMismatch:
    case kDnnLoadingFailed:
      return "install all parts of one version of cuDNN, made for this driver, or none";
    default:
      return "start the process anew";
  }
}

// Handles that no thread uses, by device. They live as long as the process.
struct Handles {
  sync::Mutex mutex{"cuDNN handles"};
  std::array<std::vector<DnnHandle>, std::numeric_limits<uint8_t>::max() + 1> spare
      AG_GUARDED_BY(mutex);
};
constinit sync::Lazy<Handles> handles;

struct Plans {
  sync::Mutex mutex{"cuDNN plans"};
  absl::flat_hash_map<PlanKey, PlanPtr> by_key AG_GUARDED_BY(mutex);
};
constinit sync::Lazy<Plans> plans;

}  // namespace

void ThrowIfDnnFailed(const Dnn& dnn, DnnStatus status, const std::string& what) {
  if (status == kDnnSuccess) return;
  ThrowIfFailed(cudaGetLastError(), what);  // which says more
  throw Error(ErrorKind::kDevice, absl::StrCat("[cuda] ", what, " failed: ", dnn.name_of(status),
                                               " (", static_cast<int>(status),
                                               " of cuDNN); it must succeed; ", AdviceFor(status)));
}

DnnLease::DnnLease(const Dnn& dnn, uint8_t device, const std::string& what) : device_(device) {
  {
    sync::MutexLock lock(handles->mutex);
    std::vector<DnnHandle>& spare = handles->spare[device];
    if (!spare.empty()) {
      handle_ = spare.back();
      spare.pop_back();
      return;
    }
  }
  DnnHandle created = nullptr;
  ThrowIfDnnFailed(dnn, dnn.create(&created), "preparing cuDNN for " + what);
  handle_ = created;
}

DnnLease::~DnnLease() {
  sync::MutexLock lock(handles->mutex);
  handles->spare[device_].push_back(handle_);
}

ConvolutionPlan::ConvolutionPlan(const Dnn& dnn, DnnHandle handle, const PlanKey& key,
                                 const std::string& what)
    : dnn_(dnn) {
  try {
    if (!Describe(key, what)) return;
    switch (key.part) {
      case ConvolutionPart::kNarrow:
        Choose(dnn.forward, kDnnForwardSums, handle, wide, weights, narrow, what);
        break;
      case ConvolutionPart::kWide:
        Choose(dnn.by_operand, kDnnDataSums, handle, weights, narrow, wide, what);
        break;
      case ConvolutionPart::kWeights:
        Choose(dnn.by_weights, kDnnFilterSums, handle, wide, narrow, weights, what);
        break;
    }
  } catch (...) {
    Destroy();
    throw;
  }
}

ConvolutionPlan::~ConvolutionPlan() { Destroy(); }

void ConvolutionPlan::Destroy() {
  if (wide != nullptr) dnn_.destroy_tensor(wide);
  if (weights != nullptr) dnn_.destroy_filter(weights);
  if (narrow != nullptr) dnn_.destroy_tensor(narrow);
  if (convolution != nullptr) dnn_.destroy_convolution(convolution);
}

bool ConvolutionPlan::IsDone(DnnStatus status, const std::string& what) const {
  if (IsNotSupported(status)) return false;
  ThrowIfDnnFailed(dnn_, status, what);
  return true;
}

bool ConvolutionPlan::Describe(const PlanKey& key, const std::string& what) {
  const DnnShape& shape = key.shape;
  const auto done = [&](DnnStatus status) { return IsDone(status, what); };
  const auto set = [&](DnnTensor tensor, const DnnShape::Sizes& sizes) {
    return done(
        dnn_.set_tensor(tensor, key.type, shape.rank, sizes.data(), shape.StridesOf(sizes).data()));
  };
  return done(dnn_.create_tensor(&wide)) && done(dnn_.create_filter(&weights)) &&
         done(dnn_.create_tensor(&narrow)) && done(dnn_.create_convolution(&convolution)) &&
         set(wide, shape.wide) && set(narrow, shape.narrow) &&
         done(dnn_.set_filter(weights, key.type, kDnnRowMajor, shape.rank, shape.weights.data())) &&
         done(dnn_.set_convolution(convolution, shape.rank - 2, shape.padding.data(),
                                   shape.stride.data(), shape.dilation.data(), kDnnCrossCorrelation,
                                   key.type)) &&
         done(dnn_.set_groups(convolution, shape.groups)) &&
         done(dnn_.set_math(convolution, kDnnFmaMath));
}

template <class Pass, class A, class B, class Out>
void ConvolutionPlan::Choose(const Pass& pass, Span<const int> sums, DnnHandle handle, A a, B b,
                             Out out, const std::string& what) {
  std::array<DnnOffer, 16> offers;
  int count = 0;
  const DnnStatus offered = pass.offers(handle, a, b, convolution, out,
                                        static_cast<int>(offers.size()), &count, offers.data());
  if (!IsDone(offered, what)) return;
  for (int i = 0; i < count; ++i) {
    const DnnOffer& offer = offers[static_cast<size_t>(i)];
    const bool multiplies_as_told = offer.math == kDnnFmaMath || offer.math == kDnnDefaultMath;
    if (offer.status != kDnnSuccess || offer.determinism != kDnnDeterministic ||
        !multiplies_as_told || std::count(sums.begin(), sums.end(), offer.algorithm) == 0) {
      continue;
    }
    // That of the offer is for the units of the offer.
    size_t bytes = 0;
    const DnnStatus sized = pass.workspace(handle, a, b, convolution, out, offer.algorithm, &bytes);
    if (!IsDone(sized, what) || bytes > kMostWorkspace) continue;
    algorithm = offer.algorithm;
    workspace_bytes = bytes;
    return;
  }
}

PlanPtr PlanFor(const Dnn& dnn, DnnHandle handle, const PlanKey& key, const std::string& what) {
  sync::MutexLock lock(plans->mutex);
  const auto found = plans->by_key.find(key);
  if (found != plans->by_key.end()) return found->second;
  PlanPtr plan = sync::MakeIntrusive<ConvolutionPlan>(dnn, handle, key, what);
  if (plans->by_key.size() >= kMostPlans) plans->by_key.clear();
  plans->by_key.emplace(key, plan);
  return plan;
}

}  // namespace twingrad::cuda
