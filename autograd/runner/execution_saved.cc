// Regions of saved-tensor hooks. See execution.h.

#include <any>
#include <cstdint>
#include <string>

#include "autograd/base/error.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/thread_state.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/runner/execution.h"
#include "autograd/sync/user_code.h"

namespace twingrad::runner {
namespace {

// What a node keeps: a copy, so that later writes do not show.
struct Packed {
  Tensor tensor;
  // Whether a statement packed it. What a call packs is not predicted, so it is not logged.
  bool by_statement;
  sync::UserObject object = {};
};

}  // namespace

SavedTensorHooks Execution::SavedHooksOf(int32_t begin) {
  const program::Statement& statement = program_.statements[begin];
  const auto action = statement.Get<std::string>(program::Key::kDo, "record");
  const double by = statement.Get<double>(program::Key::kBy, 1.0);
  const bool throws = action == "throw";
  const bool scales = action == "scale";
  return {.pack = [throws](const Tensor& tensor) -> std::any {
            sync::UserCode("a pack hook");
            if (throws) {
              throw Error(ErrorKind::kUser,
                          "[runner] a pack hook with do=throw was run; hooks may throw; the "
                          "statement ends here");
            }
            return Packed{ops::Clone(tensor), CurrentNode() == nullptr};
          },
          .unpack =
              [this, begin, scales, by](const std::any& any) {
                sync::UserCode("an unpack hook");
                const auto& packed = std::any_cast<const Packed&>(any);
                const Tensor& tensor = packed.tensor;
                const Node* node = CurrentNode();
                if (packed.by_statement && node != nullptr) {
                  recorder_.NoteHook(*node, begin, tensor);
                }
                if (!scales || !IsFloating(tensor.dtype())) return tensor;
                return ops::Mul(tensor, ops::Constant(by, tensor));
              }};
}

}  // namespace twingrad::runner
