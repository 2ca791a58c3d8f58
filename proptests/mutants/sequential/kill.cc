#include "proptests/mutants/sequential/kill.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proptests/generators/generate.h"
#include "proptests/shrink/shrink.h"

namespace twingrad::mutants {

using program::Program;

namespace {

// What comes and goes with the interleaving of two callers cannot be minimized.
bool FailsEachTime(judge::Judge& judge, const Program& program) {
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) {
    if (!judge.Fails(program)) return false;
  }
  return true;
}

}  // namespace

std::optional<Kill> Hunt(judge::Judge& judge, uint64_t first_seed, int max_programs,
                         const generators::GeneratorOptions& options) {
  for (int i = 0; i < max_programs; ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    const Program program = generators::Generate(seed, options);
    const judge::Judgement judgement = judge(program);
    const oracles::Verdict* failure = judgement.Failure();
    if (failure == nullptr) continue;
    if (!FailsEachTime(judge, program)) continue;
    Kill kill;
    kill.seed = seed;
    kill.programs = i + 1;
    kill.oracle = std::string(failure->oracle);
    kill.text = failure->text;
    kill.shrunk =
        shrink::Shrink(program, [&judge](const Program& p) { return judge.Fails(p); }).program;
    if (const judge::Judgement again = judge(kill.shrunk); again.Failure() != nullptr) {
      kill.text = again.Failure()->text;
    }
    return kill;
  }
  return std::nullopt;
}

namespace {

// The median of how many Programs the hunts need, each at most `most`.
int MedianOf(judge::Judge& judge, generators::Weights weights, int most) {
  constexpr uint64_t kApart = 1'000'000;  // seeds of one hunt and the next
  generators::GeneratorOptions options;
  options.weights = weights;
  std::vector<int> needed;
  for (uint64_t hunt = 0; hunt < kHunts; ++hunt) {
    int programs = 0;
    bool found = false;
    while (!found && programs < most) {
      found = judge.Fails(generators::Generate(1 + hunt * kApart + programs++, options));
    }
    needed.push_back(programs);
  }
  std::ranges::sort(needed);
  return needed[kHunts / 2];
}

}  // namespace

Comparison CompareWeights(judge::Judge& judge, int most, bool whole) {
  Comparison result;
  result.swarm = MedianOf(judge, generators::Weights::kSwarm, most);
  const int limit = whole ? most : std::min(most, kSooner * result.swarm);
  result.fixed = MedianOf(judge, generators::Weights::kFixed, limit);
  result.fixed_ended = result.fixed >= limit;
  return result;
}

bool Comparison::IsSooner() const { return fixed >= kSooner * swarm; }

std::string Comparison::Text() const {
  return absl::StrCat("median of ", kHunts, " hunts: ", swarm,
                      " programs by weights of their own, ", fixed_ended ? "at least " : "", fixed,
                      " by the fixed weights");
}

std::string MatrixRow(std::string_view name, const Kill& kill) {
  return absl::StrCat("| ", std::string(name), " | ", kill.programs, " | ", kill.oracle, " | ",
                      kill.shrunk.statements.size(), " |");
}

}  // namespace twingrad::mutants
