#include "proptests/judge/engine_run.h"

#include "autograd/runner/run.h"

namespace twingrad::judge {

twingrad::program::Observation EngineRun::operator()(const twingrad::program::Program& program,
                                                     int device_threads, int helpers) {
  std::unique_ptr<twingrad::Engine>& engine = engines_[{device_threads, helpers}];
  if (engine == nullptr) {
    twingrad::EngineOptions options;
    options.device_threads = device_threads;
    options.cpu_threads = 1 + helpers;
    options.share_after = twingrad::sync::Duration::zero();
    engine = std::make_unique<twingrad::Engine>(options);
  }
  twingrad::runner::RunOptions options;
  // By what the Program is, so that it runs alike wherever it does.
  if (program.statements.size() % 8 != 0) options.section_threads = &section_threads_;
  options.count_memory = device_threads == 0;
  return twingrad::runner::Run(program, *engine, options);
}

}  // namespace twingrad::judge
