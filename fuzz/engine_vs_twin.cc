// Fuzz target that runs a Program on the engine, with the caller's thread alone and with two device
// threads, and compares it with twin and dual numbers.
//
// The bytes steer proptests/generators; an input that is the text of a Program (a finding, a
// golden) is used directly if it is small. The first disagreement is shrunk and printed, and ends
// the process.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "autograd/program/analyze.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "proptests/generators/generate.h"
#include "proptests/judge/judge.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/shrink/shrink.h"

namespace twingrad {
namespace {

namespace program = twingrad::program;

std::optional<program::Program> ProgramOf(absl::Span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, program::kHeader.size()) != program::kHeader) {
    generators::Source source = generators::Source::FromBytes(bytes);
    return generators::Generate(source);
  }
  auto parsed = program::Parse(text);
  if (!parsed.ok() || parsed->statements.size() > 64) return std::nullopt;
  if (program::Analyze(*parsed)->total_elements > 4096) return std::nullopt;
  return *std::move(parsed);
}

void Judge(const program::Program& candidate) {
  static judge::Judge* const judge = new judge::Judge;  // its device threads live on
  const judge::Judgement judgement =
      (*judge)(candidate, {.laws = judge::IsLawSample(program::Hash(candidate))});
  if (judgement.Failure() == nullptr) return;
  const auto fails = [](const program::Program& p) { return judge->Fails(p); };
  const program::Program small = shrink::Shrink(candidate, fails).program;
  const judge::Judgement again = (*judge)(small);
  const oracles::Verdict* verdict = again.Failure() ? again.Failure() : judgement.Failure();
  std::fprintf(stderr, "[fuzz] %s\n%sshrunk from:\n%s", verdict->text.c_str(),
               program::Print(small).c_str(), program::Print(candidate).c_str());
  std::abort();
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (const auto program = twingrad::ProgramOf({data, size})) twingrad::Judge(*program);
  return 0;
}
