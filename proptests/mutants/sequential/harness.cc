// The main function of sequential mutants: `<test> NAME must_die|must_live SEED [PROGRAMS]`.
//
// A mutant must be found within kMaxPrograms, or as many as are given, and shrink to
// kMaxStatements; a control must not be found. Prints a row of the kill matrix, the finding and the
// smallest Program. Exit status 0 as expected, 1 otherwise, 2 if the copy with the defect is not
// linked.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "autograd/program/print.h"
#include "proptests/judge/judge.h"
#include "proptests/mutants/planted.h"
#include "proptests/mutants/sequential/kill.h"

int main(int argc, char** argv) {
  using twingrad::mutants::Hunt;
  using twingrad::mutants::Kill;
  uint64_t first_seed = 0;
  int programs = twingrad::mutants::kMaxPrograms;
  if (argc < 4 || argc > 5 || !absl::SimpleAtoi(argv[3], &first_seed) ||
      (argc == 5 && !absl::SimpleAtoi(argv[4], &programs))) {
    std::fprintf(stderr, "usage: %s NAME must_die|must_live SEED [PROGRAMS]\n", argv[0]);
    return 2;
  }
  if (!twingrad::mutants::CheckPlanted(argv[1])) return 2;
  const bool must_die = std::string_view(argv[2]) == "must_die";
  twingrad::judge::Judge judge;
  const std::optional<Kill> kill = Hunt(judge, first_seed, programs);
  if (!kill) {
    std::printf("| %s | %s in %d programs from seed %llu | | |\n", argv[1],
                must_die ? "SURVIVED" : "nothing found", programs,
                static_cast<unsigned long long>(first_seed));
    return must_die ? 1 : 0;
  }
  std::printf("%s\n\nseed %llu\n%s\n%s", twingrad::mutants::MatrixRow(argv[1], *kill).c_str(),
              static_cast<unsigned long long>(kill->seed), kill->text.c_str(),
              twingrad::program::Print(kill->shrunk).c_str());
  if (!must_die) return 1;
  // The end of a region says nothing that its beginning has not said.
  const auto statements = static_cast<int>(std::ranges::count_if(
      kill->shrunk.statements, [](const twingrad::program::Statement& statement) {
        return statement.op != twingrad::program::Opcode::kEnd;
      }));
  if (statements <= twingrad::mutants::kMaxStatements) return 0;
  std::printf("\n%d statements; at most %d are allowed: the shrinker lacks a step\n", statements,
              twingrad::mutants::kMaxStatements);
  return 1;
}
