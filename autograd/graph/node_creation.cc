// Running node-creation hooks. See node_creation.h.

#include "autograd/graph/node_creation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad {
namespace {

// In force while hooks run.
constinit const NodeCreationFrame kRunning{};

class RunningHooks {
 public:
  RunningHooks() : before_(std::exchange(CurrentThread().modes.node_creation, &kRunning)) {}
  ~RunningHooks() { CurrentThread().modes.node_creation = before_; }
  RunningHooks(const RunningHooks&) = delete;
  RunningHooks& operator=(const RunningHooks&) = delete;

 private:
  const NodeCreationFrame* before_;
};

void RunFromOutermost(const NodeCreationFrame* frame, Node& node) {
  if (frame == nullptr) return;
  RunFromOutermost(frame->outer, node);
  (*frame->hook)(node);
}

}  // namespace

NodeCreationHookGuard::NodeCreationHookGuard(NodeCreationHook hook) : hook_(std::move(hook)) {
  if (!hook_) {
    throw Error(ErrorKind::kInvalidArgument,
                "[hook] a node-creation hook is an empty function; it must be one that can be "
                "called; leave it out");
  }
  const NodeCreationFrame*& in_force = CurrentThread().modes.node_creation;
  if (in_force == &kRunning) {
    throw Error(ErrorKind::kInvalidArgument,
                "[hook] a node-creation hook sets another one; hooks are set outside hooks; set "
                "both before");
  }
  frame_ = {&hook_, in_force};
  in_force = &frame_;
}

void RunNodeCreationHooks(Node& node) {
  const NodeCreationFrame* const innermost = CurrentThread().modes.node_creation;
  if (innermost == &kRunning) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] a node-creation hook has made the node ", node.name(),
                             ", which would be announced to it in turn; hooks compute without "
                             "recording; use a NoGradGuard in the hook"));
  }
  const RunningHooks running;
  RunFromOutermost(innermost, node);
}

}  // namespace twingrad
