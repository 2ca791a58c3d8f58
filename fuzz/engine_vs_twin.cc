// Fuzz target that runs a Program on the engine, with the caller's thread alone and, where that may
// differ, with two device threads, and compares it with twin and dual numbers.
//
// An input is the text of a small Program (a finding, a golden), or bytes that steer
// proptests/generators. Mutations are those of Programs and make texts, unless
// TWINGRAD_FUZZ_MUTATOR=bytes asks for libFuzzer's own. The first disagreement is shrunk and
// printed, and ends the process.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/print.h"
#include "proptests/fuzzing/libfuzzer.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/fuzzing/program_mutator.h"
#include "proptests/fuzzing/schedule_input.h"
#include "proptests/judge/judge.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/shrink/shrink.h"

namespace twingrad {
namespace {

namespace program = twingrad::program;

void Judge(const program::Program& candidate) {
  static judge::Judge* const judge = new judge::Judge;  // its device threads live on
  // As `check` does: what every Program need not go through a sample does.
  const uint64_t hash = program::Hash(candidate);
  const judge::Judgement judgement = (*judge)(candidate, {.laws = judge::IsLawSample(hash),
                                                          .helpers = judge::HasHelpers(hash),
                                                          .repeats = judge::IsRepeatSample(hash)});
  if (judgement.Failure() == nullptr) return;
  const auto fails = [](const program::Program& p) { return judge->Fails(p); };
  const program::Program small = shrink::Shrink(candidate, fails).program;
  const judge::Judgement again = (*judge)(small);
  const oracles::Verdict* verdict = again.Failure() ? again.Failure() : judgement.Failure();
  std::fprintf(stderr, "[fuzz] %s\n%sshrunk from:\n%s", verdict->text.c_str(),
               program::Print(small).c_str(), program::Print(candidate).c_str());
  std::abort();
}

// libFuzzer's own mutation, if it is asked for.
const fuzzing::PlainMutation& OnBytes() {
  static const char* const wanted = std::getenv("TWINGRAD_FUZZ_MUTATOR");
  static const auto plain = wanted != nullptr && std::string_view(wanted) == "bytes"
                                ? fuzzing::LibFuzzerMutation()
                                : fuzzing::PlainMutation();
  return plain;
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto program = twingrad::fuzzing::ProgramOf({data, size});
  if (!program) return -1;  // not to be kept
  // What decoding has covered says nothing about the engine.
  for (uint8_t& counter : twingrad::fuzzing::EdgeCounters()) counter = 0;
  twingrad::Judge(*program);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  namespace fuzzing = twingrad::fuzzing;
  if (const auto& plain = twingrad::OnBytes()) return plain(data, size, max_size);
  return fuzzing::Give(fuzzing::MutateProgramText({data, size}, max_size, seed), data);
}

// Among libFuzzer's own mutations is a crossing of its own.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned int seed) {
  namespace fuzzing = twingrad::fuzzing;
  if (const auto& plain = twingrad::OnBytes()) {
    a_size = std::min(a_size, max_size);
    std::copy(a, a + a_size, out);
    return plain(out, a_size, max_size);
  }
  return fuzzing::Give(fuzzing::CrossProgramTexts({a, a_size}, {b, b_size}, max_size, seed), out);
}
