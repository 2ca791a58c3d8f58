#include "tools/oracle/fuzz_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/oracle/arguments.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using campaign::Target;

namespace {

constexpr FlagSpec kFuzzFlags[] = {
    {"target", "FILE", FlagType::kPath, "none", "a program built with --config=asan-libfuzzer"},
    {"corpus", "DIR", FlagType::kPath, "none", "inputs to begin with"},
    {"dict", "FILE", FlagType::kPath, "none", "a dictionary of libFuzzer"},
    {"arguments", "WORDS", FlagType::kPath, "none", "further arguments of libFuzzer"},
    kTimeout,
    kMemory,
};

// No verb of the command line: only plans have it.
constexpr VerbSpec kFuzzJob = {.name = campaign::kFuzz, .flags = kFuzzFlags};

std::vector<std::string> WordsOf(std::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

}  // namespace

absl::StatusOr<Target> TargetOf(const campaign::Job& job) {
  std::vector<std::string> words = {job.verb};
  for (const auto& [name, value] : job.flags) words.push_back(absl::StrCat("--", name, "=", value));
  const absl::StatusOr<Arguments> arguments = ParseArguments({&kFuzzJob, 1}, words);
  if (!arguments.ok()) {
    return absl::InvalidArgumentError(absl::StrReplaceAll(
        arguments.status().message(), {{"see `oracle fuzz --help`", "correct the plan"}}));
  }
  Target target;
  target.program = arguments->Path("target").value_or("");
  target.seeds = arguments->Path("corpus").value_or("");
  target.dictionary = arguments->Path("dict").value_or("");
  target.arguments = WordsOf(arguments->Path("arguments").value_or(""));
  if (const auto timeout = arguments->Duration("timeout")) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*timeout);
    target.timeout = static_cast<uint64_t>(seconds.count());
  }
  if (const auto memory = arguments->Number("memory")) target.memory = *memory >> 20;
  return target;
}

Target TargetOf(const findings::Description& description) {
  Target target;
  target.program = description.target;
  target.arguments = WordsOf(description.arguments);
  if (description.timeout_ms > 0) {
    target.timeout = std::max<uint64_t>(1, description.timeout_ms / 1000);
  }
  if (description.memory_mib > 0) target.memory = description.memory_mib;
  return target;
}

}  // namespace twingrad::oracle
