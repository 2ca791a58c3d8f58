#include "tools/adapters/libtorch/failures.h"

#include <utility>

namespace twingrad::libtorch {
namespace {

// The first that occurs in the message counts.
constexpr std::pair<std::string_view, ErrorKind> kMessages[] = {
    {"has been modified by an inplace operation", ErrorKind::kVersion},
    {"Trying to backward through the graph a second time", ErrorKind::kFreed},
    {"leaf Variable that requires grad is being used in an in-place", ErrorKind::kLeafInPlace},
    {"leaf Variable that requires grad has been used in an in-place", ErrorKind::kLeafInPlace},
    {"is a view and is being modified inplace", ErrorKind::kInvalidArgument},
    {"created in no_grad mode", ErrorKind::kInvalidArgument},
    {"a function that returns multiple views", ErrorKind::kInvalidArgument},
    {"a view of a leaf Variable that requires grad", ErrorKind::kLeafInPlace},
    {"refers to a single memory location", ErrorKind::kInvalidArgument},
    {"refer to a single memory location", ErrorKind::kInvalidArgument},
    {"some elements of the input tensor and the written-to tensor", ErrorKind::kInvalidArgument},
    {"appears to not have been used in the graph", ErrorKind::kUnusedInput},
    {"the differentiated Tensors appears to not", ErrorKind::kUnusedInput},
    {"grad can be implicitly created only for scalar outputs", ErrorKind::kImplicitSeed},
    {"grad can be computed only for real scalar outputs", ErrorKind::kImplicitSeed},
    {"does not require grad", ErrorKind::kNoGraph},
    {"requires_grad=False", ErrorKind::kNoGraph},
    {"doesn't require gradient", ErrorKind::kNoGraph},
    {"tensors and", ErrorKind::kGradCount},
    {"out of bounds", ErrorKind::kIndex},
    {"index out of range", ErrorKind::kIndex},
    {"out of DATA bounds", ErrorKind::kIndex},
    {"self indexing axis dim should be positive", ErrorKind::kIndex},  // of no rows
    {"returned nan values in its", ErrorKind::kAnomaly},
    {"returned an incorrect number of gradients", ErrorKind::kGradCount},
    {"thrown by a pack hook of the Program", ErrorKind::kUser},
    {"thrown by a hook of the Program", ErrorKind::kUser},
    {"thrown by a custom function of the Program", ErrorKind::kUser},
    {"hook has changed the", ErrorKind::kHook},
    {"expected shape compatible with", ErrorKind::kShape},
    {"Integers to negative integer powers", ErrorKind::kDomain},
    {"The diagonal element", ErrorKind::kDomain},  // of what is inverted is zero
    {"not positive-definite", ErrorKind::kDomain},
    // What an op has not for a type of storage.
    {"not implemented for 'Half'", ErrorKind::kUnsupported},
    {"not implemented for 'BFloat16'", ErrorKind::kUnsupported},
    {"not implemented for 'Int'", ErrorKind::kUnsupported},
    {"Low precision dtypes not supported", ErrorKind::kUnsupported},
    // "derivative for aten::hardsigmoid_backward is not implemented": that an op has not at all.
    {"derivative for aten::", ErrorKind::kUnsupported},
};

}  // namespace

ErrorKind ClassOf(std::string_view message) {
  for (const auto& [words, error] : kMessages) {
    if (message.find(words) != std::string_view::npos) return error;
  }
  return ErrorKind::kInternal;
}

}  // namespace twingrad::libtorch
