#include "autograd/runner/run.h"

#include "autograd/runner/execution.h"

namespace twingrad::runner {

program::Observation Run(const program::Program& program, Engine& engine,
                         const RunOptions& options) {
  return Execution(program, engine, options).Run();
}

}  // namespace twingrad::runner
