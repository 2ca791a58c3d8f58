// Anomaly mode: where in the forward computation a gradient that is wrong comes from.
//
//   DetectAnomalyGuard anomaly;              // on this thread, until the end of the block
//   Tensor loss = Model(x);                  // each node notes where it is made
//   Backward({loss});                        // a node that returns NaN is Error(kAnomaly)
//
// Each node made under it notes the stack, the innermost AnomalyLabel, and the node that was being
// evaluated (under create_graph), so that the error of a call can say where the node that failed
// was made and what induced that. An Error says it in its message; of another exception, whose type
// must stay, the engine says it in a warning. Errors of every kind are explained, not NaN alone.
//
// The mode belongs to a thread and goes with its calls to every thread that evaluates their nodes.
// It is not one of the process, as PyTorch's is: a thread that looks for an anomaly neither slows
// down nor fails the calls of others, and what a call does never depends on what others switch
// meanwhile. Off, it costs nothing; on, each node costs some microseconds and keeps the nodes that
// induced it. Each guard restores the mode before.

#pragma once

#include <string>
#include <string_view>

#include "autograd/graph/edge.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {

struct AnomalyOptions {
  // Whether a node whose result has a NaN is an error.
  bool check_nan = true;
  // Whether nodes note the stack. Labels and inducing nodes cost less.
  bool capture_stacks = true;
};

struct AnomalyMode {
  static bool IsEnabled() { return CurrentThread().modes.anomaly; }
  static bool ShouldCheckNan() { return CurrentThread().modes.check_nan; }
  // Of this thread, until it is set again.
  static void SetEnabled(bool enabled, const AnomalyOptions& options = {});
};

// Anomaly mode on this thread until the end of the block.
class [[nodiscard]] DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(const AnomalyOptions& options = {}) : modes_(CurrentThread().modes) {
    AnomalyMode::SetEnabled(true, options);
  }
  explicit DetectAnomalyGuard(bool check_nan)
      : DetectAnomalyGuard(AnomalyOptions{.check_nan = check_nan}) {}

 private:
  ModesScope modes_;  // restores those of before
};

// Names the code that runs until the end of the block, for nodes made meanwhile on this thread. The
// text must live as long.
class [[nodiscard]] AnomalyLabel {
 public:
  explicit AnomalyLabel(std::string_view text)
      : text_(text), before_(CurrentThread().modes.anomaly_label) {
    CurrentThread().modes.anomaly_label = this;
  }
  ~AnomalyLabel() { CurrentThread().modes.anomaly_label = before_; }
  AnomalyLabel(const AnomalyLabel&) = delete;
  AnomalyLabel& operator=(const AnomalyLabel&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  const AnomalyLabel* before_;
};

// Where a node was made.
struct NodeOrigin {
  static constexpr int kMaxFrames = 24;

  void* frames[kMaxFrames];  // return addresses, the innermost first
  int num_frames = 0;
  std::string label;
  // What was being evaluated.
  NodePtr parent;
};

// Notes where the node is being made; for MakeNode.
void NoteOrigin(Node& node);

// That of a node made under anomaly mode, else null. Lives as long as the node.
const NodeOrigin* OriginOf(const Node& node);

// In several lines, indented and without a line break at the end: where the node was made, what
// induced that, and so on; or that it is not known. At most kMaxOrigins nodes are listed.
inline constexpr int kMaxOrigins = 16;
std::string DescribeOrigin(const Node& node);

}  // namespace twingrad
