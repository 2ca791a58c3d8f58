#include "proptests/judge/engine_run.h"

#include <memory>

#include "autograd/runner/run.h"

namespace twingrad::judge {

EngineRun::EngineRun() : section_threads_(std::make_unique<twingrad::CallThreads>()) {}

EngineRun::~EngineRun() {
  // In a forked child nobody would answer.
  if (section_threads_->AreGone()) (void)section_threads_.release();
}

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
  const bool lends = program.statements.size() % 8 != 0 && !section_threads_->AreGone();
  if (lends) options.section_threads = section_threads_.get();
  options.count_memory = device_threads == 0;
  return twingrad::runner::Run(program, *engine, options);
}

}  // namespace twingrad::judge
