#include "proptests/judge/seeded_runs.h"

#include <utility>

namespace twingrad::judge {

using oracles::SeedEdit;
using twingrad::program::Observation;
using twingrad::program::Program;

std::optional<SeededRuns> MakeSeededRuns(const Program& program,
                                         const std::function<Observation(const Program&)>& run) {
  std::optional<oracles::SeededProgram> seeded = oracles::MakeSeeded(program);
  if (!seeded) return std::nullopt;
  const auto predicted = [&run](const Program& edited) {
    return SeededRuns::Predicted{run(edited), twingrad::reference::RunTwin(edited)};
  };
  SeededRuns runs;
  runs.once = predicted(seeded->program);
  runs.pattern = predicted(EditSeeds(*seeded, SeedEdit::kPattern));
  runs.sum = predicted(EditSeeds(*seeded, SeedEdit::kSum));
  runs.twice = run(EditSeeds(*seeded, SeedEdit::kTwice));
  runs.zero = run(EditSeeds(*seeded, SeedEdit::kZero));
  runs.seeded = *std::move(seeded);
  return runs;
}

bool IsLawSample(uint64_t seed) {
  // Mixed, so that jobs that share the seeds out share the laws too.
  return (seed * 0x9e3779b97f4a7c15u) >> 61 == 0;
}

}  // namespace twingrad::judge
