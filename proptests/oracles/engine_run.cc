#include "proptests/oracles/engine_run.h"

#include "autograd/runner/run.h"

namespace twingrad::oracles {

autograd::program::Observation EngineRun::operator()(const autograd::program::Program& program,
                                                     int device_threads) {
  std::unique_ptr<autograd::Engine>& engine = engines_[device_threads];
  if (engine == nullptr) {
    autograd::EngineOptions options;
    options.device_threads = device_threads;
    engine = std::make_unique<autograd::Engine>(options);
  }
  return autograd::runner::Run(program, *engine);
}

}  // namespace twingrad::oracles
