// What the ball witness must know of a Program before it runs it: the order of its derivatives,
// which values need variables of their own, what hooks do to gradients, and whether the Program can
// be judged at all. A pure function.

#pragma once

#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"

namespace twingrad::reference::ball {

struct Plan {
  int order = 0;
  Refusal refusal = Refusal::kNone;  // why the witness cannot judge the Program
  // By ValueId.
  std::vector<bool> has_variable;  // its gradient is asked for
  std::vector<bool> loses_grad;    // a hook makes its .grad undefined where it fires
  std::vector<double> scale;       // by hooks on its gradient
  std::vector<double> node_scale;  // by hooks of the node that made it, beyond
  // A derivative of what was made with it may be written with the value itself (exp): then the
  // derivative of a gradient with respect to it is no property of the function.
  std::vector<bool> saves_result;
  std::vector<int> level;  // how many times its contents are gradients of gradients
};

Plan MakePlan(const program::Program& program);

}  // namespace twingrad::reference::ball
