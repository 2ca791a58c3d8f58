#include "proptests/mutants/sequential/kill.h"

#include "absl/strings/str_cat.h"
#include "proptests/generators/generate.h"
#include "proptests/shrink/shrink.h"

namespace twingrad::mutants {

using program::Program;

std::optional<Kill> Hunt(judge::Judge& judge, uint64_t first_seed, int max_programs) {
  for (int i = 0; i < max_programs; ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    const Program program = generators::Generate(seed);
    const judge::Judgement judgement = judge(program);
    const oracles::Verdict* failure = judgement.Failure();
    if (failure == nullptr) continue;
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

std::string MatrixRow(std::string_view name, const Kill& kill) {
  return absl::StrCat("| ", std::string(name), " | ", kill.programs, " | ", kill.oracle, " | ",
                      kill.shrunk.statements.size(), " |");
}

}  // namespace twingrad::mutants
