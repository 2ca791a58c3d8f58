// What tests of Programs on CUDA share: the same Program with its leaves on the device, and whether
// what it showed is what the host shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "autograd/base/device.h"
#include "autograd/engine/engine.h"
#include "autograd/ops/registry.h"
#include "autograd/program/analyze.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/sparse.h"
#include "autograd/runner/run.h"
#include "cuda/status.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {

// Programs mean CUDA by their devices.
class ProgramsOnCudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
    ops::SetDeviceType(DeviceType::kCuda);
  }
  void TearDown() override { ops::SetDeviceType(DeviceType::kSim); }
};

// With all leaves on dev:0, unless it says itself where they are; nothing where that makes no
// Program, of one that says that a copy is on the CPU, asks for more devices than there are, or
// has sparse tensors, which are on the host.
inline std::optional<program::Program> There(program::Program program) {
  if (program::DevicesOf(program) > DeviceCount()) return std::nullopt;
  if (program::DevicesOf(program) > 0) return program;
  if (std::any_of(program.statements.begin(), program.statements.end(),
                  [](const program::Statement& s) { return program::MakesSparse(s.op); })) {
    return std::nullopt;
  }
  for (program::Statement& statement : program.statements) {
    if (statement.op != program::Opcode::kLeaf) continue;
    std::erase_if(statement.attributes, [](const program::Attribute& attribute) {
      return attribute.key == program::Key::kDevice;
    });
    statement.attributes.push_back({program::Key::kDevice, int64_t{0}});
  }
  if (!program::Analyze(program).ok()) return std::nullopt;
  return program;
}

inline program::Observation RunOnEngine(const program::Program& program, int device_threads,
                                        const runner::RunOptions& run = {}) {
  EngineOptions options;
  options.device_threads = device_threads;
  Engine engine(options);
  return runner::Run(program, engine, run);
}

}  // namespace twingrad::cuda
