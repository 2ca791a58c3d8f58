// Noting and describing where nodes were made. See anomaly.h.

#include "autograd/graph/anomaly.h"

#include <execinfo.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/debugging/symbolize.h"
#include "absl/strings/str_cat.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"

namespace twingrad {
namespace {

// Frames of the noting itself: NoteOrigin, NoteNewNode.
constexpr int kOwnFrames = 2;

void AppendFrames(const NodeOrigin& origin, std::string& text) {
  for (int i = 0; i < origin.num_frames; ++i) {
    char symbol[512];
    // The address is that of the next instruction, which may belong to another function.
    const void* call = static_cast<const char*>(origin.frames[i]) - 1;
    const bool known = absl::Symbolize(call, symbol, sizeof(symbol));
    absl::StrAppend(&text, "\n    at ", known ? symbol : "(unknown)");
  }
}

}  // namespace

void AnomalyMode::SetEnabled(bool enabled, const AnomalyOptions& options) {
  Modes& modes = CurrentThread().modes;
  modes.anomaly = enabled;
  modes.check_nan = options.check_nan;
  modes.capture_stacks = options.capture_stacks;
}

void NoteOrigin(Node& node) {
  const ThreadState& thread = CurrentThread();
  auto origin = std::make_unique<NodeOrigin>();
  if (thread.modes.capture_stacks) {
    void* frames[NodeOrigin::kMaxFrames + kOwnFrames];
    const int count = backtrace(frames, NodeOrigin::kMaxFrames + kOwnFrames);
    origin->num_frames = std::max(0, count - kOwnFrames);
    std::copy_n(frames + kOwnFrames, origin->num_frames, origin->frames);
  }
  if (const AnomalyLabel* label = thread.modes.anomaly_label; label != nullptr) {
    origin->label = label->text();
  }
  if (thread.node != nullptr) origin->parent = NodePtr(thread.node);
  node.MakeExtras().origin = std::move(origin);
}

const NodeOrigin* OriginOf(const Node& node) {
  const NodeExtras* extras = node.extras();
  return extras == nullptr ? nullptr : extras->origin.get();
}

std::string DescribeOrigin(const Node& node) {
  std::string text;
  int listed = 0;
  for (const Node* at = &node; at != nullptr; ++listed) {
    if (listed == kMaxOrigins) {
      absl::StrAppend(&text, "\n  induced by others");
      break;
    }
    absl::StrAppend(&text, listed == 0 ? "  in " : "\n  induced by ", at->name());
    const NodeOrigin* origin = OriginOf(*at);
    if (origin == nullptr) {
      absl::StrAppend(&text,
                      ", made where anomaly mode was off; turn it on before the forward "
                      "computation");
      break;
    }
    absl::StrAppend(&text, ", made");
    if (!origin->label.empty()) absl::StrAppend(&text, " in ", origin->label);
    AppendFrames(*origin, text);
    at = origin->parent.get();
  }
  return text;
}

}  // namespace twingrad
