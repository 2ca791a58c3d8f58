#include "proptests/mutants/concurrent/program_hunt.h"

#include <set>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/generators/generate.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/mutants/concurrent/hunt.h"

namespace twingrad::mutants {
namespace {

using interleave::ProgramExplorer;
using interleave::ProgramOptions;
using interleave::ProgramRun;
using program::Program;

// Minimizing takes most of the time; more of it hardly finds anything smaller.
interleave::FindingLimits Limits(const ProgramHunt& hunt) {
  interleave::FindingLimits limits;
  limits.program_attempts = 300;
  limits.schedules_a_program = hunt.schedules_to_shrink;
  return limits;
}

// Whether, on one thread, the Program ends with an error of the engine's run and not of an earlier
// statement.
bool CallFails(const ProgramExplorer& explorer) {
  const auto& error = explorer.single().observation.error;
  if (!error.has_value()) return false;
  const auto& statement = explorer.program().statements[static_cast<size_t>(error->statement)];
  return program::SignatureOf(statement.op).category == program::Category::kCall;
}

// A failing run of the Program, if one of its schedules fails.
std::optional<ProgramRun> Explore(const Program& program, const ProgramOptions& options,
                                  uint64_t seed, const ProgramHunt& hunt, int64_t* runs) {
  ProgramExplorer explorer(program, options);
  if (explorer.skipped().has_value() || !explorer.single().ok()) return std::nullopt;
  if (hunt.failing && !CallFails(explorer)) return std::nullopt;
  const auto strategy = interleave::MakeDefaultStrategy();
  interleave::SplitMix seeds(seed);
  for (int i = 0; i < hunt.schedules; ++i) {
    ProgramRun run = explorer.Run(*strategy, seeds.Next());
    ++*runs;
    if (!run.ok()) return run;
    if (run.outcome.decisions.empty()) break;  // there is one interleaving, and this is it
  }
  return std::nullopt;
}

// Through the text that a finding's folder would hold.
bool Replays(const interleave::SmallFinding& small, const ProgramOptions& options) {
  ProgramExplorer explorer(small.program, options);
  interleave::ScheduleFile file;
  file.program_hash = program::Hash(small.program);
  file.device_threads = explorer.device_threads();
  file.strategy = "forced";
  file.detector = small.run.detector;
  file.decisions = small.run.outcome.decisions;
  const auto read = interleave::ParseSchedule(interleave::PrintSchedule(file));
  if (!read.ok()) return false;
  interleave::ReplayStrategy replay(read->decisions);
  const ProgramRun again = explorer.Run(replay, read->seed);
  return replay.Finished() && again.signature == small.run.signature;
}

}  // namespace

int CountNodes(const Program& program) {
  ProgramExplorer explorer(program);
  std::set<std::tuple<program::NodeRole, int32_t, int32_t>> nodes;
  for (const auto& call : explorer.single().observation.calls) {
    for (const auto& node : call.nodes) {
      nodes.emplace(node.name.role, node.name.statement, node.name.index);
    }
  }
  return static_cast<int>(nodes.size());
}

std::optional<ProgramCatch> HuntByPrograms(const ProgramHunt& hunt) {
  const double begin = ProcessorSeconds();
  ProgramCatch caught;
  generators::GeneratorOptions generator;
  // Which features are sought is said here; few Programs of their own weights have all of them.
  generator.weights = generators::Weights::kFixed;
  if (!hunt.features.empty() && !generators::SetFeatures(hunt.features, &generator).ok()) {
    return std::nullopt;
  }
  if (!hunt.ops.empty() && !generators::SetOps(hunt.ops, &generator).ok()) return std::nullopt;
  for (uint64_t seed = hunt.seed; caught.programs < hunt.programs; ++seed) {
    const Program program = generators::Generate(seed, generator);
    const bool has_sections = program::HasSections(program);
    if (hunt.sections ? !has_sections : program::DevicesOf(program) == 0 && !has_sections) {
      continue;
    }
    ++caught.programs;
    ProgramOptions options;
    options.device_threads = program::DevicesOf(program);
    options.helpers = false;  // what they show takes more nodes than on device workers
    options.check_state = hunt.check_state;
    options.record_calls = hunt.judge_calls;
    const auto failing = Explore(program, options, seed, hunt, &caught.schedules);
    if (!failing.has_value()) continue;
    caught.seconds = ProcessorSeconds() - begin;
    caught.found = failing->detector;
    if (!hunt.make_small) return caught;
    caught.small = interleave::ShrinkProgramFinding(program, options, *failing, Limits(hunt));
    caught.nodes = CountNodes(caught.small.program);
    caught.replays = Replays(caught.small, options);
    return caught;
  }
  return std::nullopt;
}

std::string FindingText(std::string_view mutant, const ProgramHunt& hunt,
                        const ProgramCatch& caught) {
  const interleave::SmallFinding& small = caught.small;
  return absl::StrFormat(
      "| %s | %s | %d | %d | found in %.3f s | %s | %d | %d |\n\n%sschedule of %d preemptions%s "
      "('>': another thread ran before):\n%s%s",
      mutant, hunt.check_state ? "on" : "off", caught.programs, caught.schedules, caught.seconds,
      small.run.detector, small.preemptions, caught.nodes, program::Print(small.program),
      small.preemptions, interleave::SettingText(small.program, small.run),
      FormatEvents(small.run.outcome, 400), small.run.failure);
}

}  // namespace twingrad::mutants
