// Second opinion: before an engine is blamed, the dual numbers judge the twin's own results.
//
// Where they differ from the twin, the fault is this repository's.

#pragma once

#include <string>

#include "autograd/program/program.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"

namespace twingrad::conformance {

struct Opinion {
  std::string text;       // a line, or more if the witnesses differ
  bool doubtful = false;  // the dual numbers contradict the twin
};
Opinion SecondOpinion(const twingrad::program::Program& program,
                      const twingrad::reference::TwinResult& twin,
                      const twingrad::reference::DualResult& dual);

}  // namespace twingrad::conformance
