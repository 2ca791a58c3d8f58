// Runs Programs on the repository's engine, kept from one run to the next.

#pragma once

#include <map>
#include <memory>
#include <utility>

#include "autograd/engine/call_threads.h"
#include "autograd/engine/engine.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::judge {

// One engine for each number of device threads and helpers, made when first asked for. Thread
// sections run on threads that are kept too, those of one Program in eight on fresh ones: what a
// section leaves on its thread would show in the next. Used by one thread at a time.
class EngineRun {
 public:
  EngineRun();
  ~EngineRun();
  twingrad::program::Observation operator()(const twingrad::program::Program& program,
                                            int device_threads, int helpers = 0);

 private:
  std::map<std::pair<int, int>, std::unique_ptr<twingrad::Engine>> engines_;
  std::unique_ptr<twingrad::CallThreads> section_threads_;
};

}  // namespace twingrad::judge
