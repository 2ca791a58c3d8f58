#include "tools/adapters/libtorch/failures.h"

#include <utility>

namespace twingrad::libtorch {
namespace {

using twingrad::program::ErrorClass;

// The first that occurs in the message counts.
constexpr std::pair<std::string_view, ErrorClass> kMessages[] = {
    {"has been modified by an inplace operation", ErrorClass::kVersion},
    {"Trying to backward through the graph a second time", ErrorClass::kFreed},
    {"leaf Variable that requires grad is being used in an in-place", ErrorClass::kLeafInPlace},
    {"leaf Variable that requires grad has been used in an in-place", ErrorClass::kLeafInPlace},
    {"is a view and is being modified inplace", ErrorClass::kInvalidArgument},
    {"A view was created in no_grad mode", ErrorClass::kInvalidArgument},
    {"a view of a leaf Variable that requires grad", ErrorClass::kLeafInPlace},
    {"refers to a single memory location", ErrorClass::kInvalidArgument},
    {"refer to a single memory location", ErrorClass::kInvalidArgument},
    {"some elements of the input tensor and the written-to tensor", ErrorClass::kInvalidArgument},
    {"appears to not have been used in the graph", ErrorClass::kUnusedInput},
    {"the differentiated Tensors appears to not", ErrorClass::kUnusedInput},
    {"grad can be implicitly created only for scalar outputs", ErrorClass::kImplicitSeed},
    {"grad can be computed only for real scalar outputs", ErrorClass::kImplicitSeed},
    {"does not require grad", ErrorClass::kNoGraph},
    {"requires_grad=False", ErrorClass::kNoGraph},
    {"doesn't require gradient", ErrorClass::kNoGraph},
    {"tensors and", ErrorClass::kGradCount},
    {"out of bounds", ErrorClass::kIndex},
    {"index out of range", ErrorClass::kIndex},
    {"thrown by a hook of the Program", ErrorClass::kUser},
    {"hook has changed the", ErrorClass::kHook},
    {"expected shape compatible with", ErrorClass::kShape},
    {"Integers to negative integer powers", ErrorClass::kDomain},
};

}  // namespace

ErrorClass ClassOf(std::string_view message) {
  for (const auto& [words, error] : kMessages) {
    if (message.find(words) != std::string_view::npos) return error;
  }
  return ErrorClass::kInternal;
}

}  // namespace twingrad::libtorch
