// What the witnesses say of a Program before an engine is judged by it.
//
// The twin follows the rules of the engine's dialect, and the dual numbers and the balls those that
// all dialects share. Where an engine is known for a defect that the twin can follow, a second
// expectation says what the engine must show if that defect is all that is wrong with it: on the
// tensors that the defect changes the twin alone speaks. Pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dialect.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// Whose contents and whose .grad a defect changes, by ValueId; empty where none is followed.
struct Altered {
  std::vector<bool> values, grads;

  bool Holds(twingrad::program::ValueId value, bool grad) const {
    const auto& altered = grad ? grads : values;
    return static_cast<size_t>(value) < altered.size() && altered[static_cast<size_t>(value)];
  }
  // Makes these tensors unknown to a witness that follows no defect.
  template <typename Witness>
  void Hide(Witness& witness) const {
    for (size_t v = 0; v < values.size(); ++v) {
      if (values[v] && v < witness.values.size()) witness.values[v].known = false;
      if (grads[v] && v < witness.grads.size()) witness.grads[v].known = false;
    }
  }
};

struct Expectation {
  twingrad::reference::DialectRules rules;  // that the twin followed
  twingrad::reference::TwinResult twin;
  twingrad::reference::DualResult dual;
  // The statements that end in an error by the twin, which the dual numbers follow.
  std::vector<int32_t> failed;
  // Only where balls were asked for, and follow the rules that the twin does.
  std::optional<twingrad::reference::ball::BallResult> ball;
  // Whether the Program makes one node a statement in this engine, so that its counts are
  // predicted. Else the order of nodes is its own too, and after an error that decides.
  bool predicted = false;
  Altered altered;
};

// Made before or while the engine runs the Program.
Expectation Expect(const twingrad::program::Program& program, const protocol::Hello& hello,
                   bool balls = false);

// The same with those of the engine's known defects that the Program provokes; nullopt: it provokes
// none, or the twin cannot follow them.
std::optional<Expectation> Follow(const twingrad::program::Program& program,
                                  const Expectation& sound,
                                  const twingrad::reference::Defects& known);

// Whether dual numbers and balls follow these rules on the Program.
bool WitnessesFollow(const twingrad::reference::DialectRules& rules,
                     const twingrad::program::Program& program);

// Of calls that share a graph, which still find it is for timing to decide: the twin follows what
// the engine showed of that.
void FollowFreedCalls(const twingrad::program::Program& program,
                      const twingrad::program::Observation& observed, Expectation& expected);

}  // namespace twingrad::conformance
