#include "autograd/engine/anomaly_check.h"

#include <cmath>
#include <cstddef>
#include <source_location>
#include <typeinfo>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/anomaly.h"
#include "autograd/graph/warning.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/sparse.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {
namespace {

// The greatest element is NaN if any is. Entries of one place are a sum: infinities may make one.
bool HasNan(const Tensor& tensor) {
  if (!tensor.defined() || !IsFloating(tensor.dtype())) return false;
  if (tensor.is_sparse()) return HasNan(SparsePartsOf(kernels::Coalesce(tensor)).values);
  const Tensor greatest = kernels::Amax(tensor, {}, /*keepdim=*/false);
  return std::isnan(kernels::Cast(greatest, DType::kF64).item<double>());
}

}  // namespace

void CheckForNan(const Node& node, const VariableList& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!HasNan(results[i])) continue;
    throw Error(ErrorKind::kAnomaly,
                absl::StrCat("[anomaly] ", node.name(), " returned nan in its result ", i, " of ",
                             results.size(),
                             "; under anomaly mode results must have none; look at the values "
                             "where the node was made, or turn check_nan off"));
  }
}

std::exception_ptr Explained(std::exception_ptr error, GraphTask& task, const Node& node) {
  if (!task.modes().anomaly) return error;
  try {
    std::rethrow_exception(error);
  } catch (const Error& thrown) {
    // A class derived from it would lose what it is.
    if (typeid(thrown) == typeid(Error)) {
      return std::make_exception_ptr(
          Error(thrown.kind(), absl::StrCat(thrown.what(), "\n", DescribeOrigin(node))));
    }
  } catch (...) {
  }
  task.Handle({absl::StrCat("[anomaly] ", node.name(),
                            " raised an exception; where the node was made may say why\n",
                            DescribeOrigin(node)),
               std::source_location::current()});
  return error;
}

}  // namespace twingrad
