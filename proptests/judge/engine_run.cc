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
  return twingrad::runner::Run(program, *engine, {.count_memory = device_threads == 0});
}

}  // namespace twingrad::judge
