// The main function of sequential mutants:
// `<test> NAME must_die|must_die_sooner|must_live SEED [PROGRAMS [STATEMENTS [DEVICE]]]`.
//
// A mutant must be found within kMaxPrograms, and shrink to kMaxStatements, or as many as are
// given; DEVICE is as of `check`, drawn unless given. One that needs a pair of features must also
// be found kSooner times sooner than with the fixed weights, and may keep kMaxPairStatements; a
// control must not be found. Prints a row of the kill matrix, the finding and the smallest Program.
// Exit status 0 as expected, 1 otherwise, 2 if the copy with the defect is not linked. With
// TWINGRAD_COMPARE_WEIGHTS=N in the environment, hunts by the fixed weights go on up to N Programs.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "autograd/program/print.h"
#include "proptests/judge/judge.h"
#include "proptests/mutants/planted.h"
#include "proptests/mutants/sequential/kill.h"

namespace {

// Prints how soon both kinds of weights find the defect; returns the exit status.
int CompareBoth(twingrad::judge::Judge& judge, const char* name) {
  int whole = 0;
  const char* const given = std::getenv("TWINGRAD_COMPARE_WEIGHTS");
  const bool is_whole = given != nullptr && absl::SimpleAtoi(given, &whole) && whole > 0;
  const twingrad::mutants::Comparison comparison = twingrad::mutants::CompareWeights(
      judge, is_whole ? whole : twingrad::mutants::kMaxPairPrograms, is_whole);
  std::printf("\n| %s | %s |\n", name, comparison.Text().c_str());
  if (comparison.IsSooner()) return 0;
  std::printf("by weights of their own it must be found %d times sooner\n",
              twingrad::mutants::kSooner);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using twingrad::mutants::Hunt;
  using twingrad::mutants::Kill;
  uint64_t first_seed = 0;
  int programs = twingrad::mutants::kMaxPrograms;
  int statements_left = twingrad::mutants::kMaxStatements;
  twingrad::generators::GeneratorOptions options;
  if (argc < 4 || argc > 7 || !absl::SimpleAtoi(argv[3], &first_seed) ||
      (argc >= 5 && !absl::SimpleAtoi(argv[4], &programs)) ||
      (argc >= 6 && !absl::SimpleAtoi(argv[5], &statements_left)) ||
      (argc == 7 && !twingrad::generators::SetDevice(argv[6], &options).ok())) {
    std::fprintf(stderr,
                 "usage: %s NAME must_die|must_die_sooner|must_live SEED [PROGRAMS "
                 "[STATEMENTS [DEVICE]]]\n",
                 argv[0]);
    return 2;
  }
  if (!twingrad::mutants::CheckPlanted(argv[1])) return 2;
  const bool must_die = std::string_view(argv[2]) != "must_live";
  const bool pair = std::string_view(argv[2]) == "must_die_sooner";
  twingrad::judge::Judge judge;
  const std::optional<Kill> kill = Hunt(judge, first_seed, programs, options);
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
  const int allowed = pair ? twingrad::mutants::kMaxPairStatements : statements_left;
  if (statements > allowed) {
    std::printf("\n%d statements; at most %d are allowed: the shrinker lacks a step\n", statements,
                allowed);
    return 1;
  }
  return pair ? CompareBoth(judge, argv[1]) : 0;
}
