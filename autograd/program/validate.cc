#include "autograd/program/validate.h"

#include "autograd/program/analyze.h"

namespace twingrad::program {

absl::Status Validate(const Program& program) { return Analyze(program).status(); }

}  // namespace twingrad::program
