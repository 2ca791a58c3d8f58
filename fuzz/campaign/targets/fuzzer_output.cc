#include "fuzz/campaign/targets/fuzzer_output.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fuzz/campaign/shard_state.h"

namespace twingrad::campaign {
namespace {

constexpr size_t kMostFrames = 3;
constexpr size_t kMostSaid = 160;
constexpr size_t kBytesOfALine = 16;
constexpr size_t kMostShown = 2048;  // bytes of an input

// How libFuzzer, sanitizers and the C library begin the names of their own functions.
constexpr std::string_view kMachinery[] = {
    "__",    "fuzzer::", "raise", "abort",     "gsignal",           "pthread",
    "std::", "malloc",   "free",  "operator ", "twingrad::Require("};
constexpr char kEntry[] = "LLVMFuzzerTestOneInput";

// The function of a line of a stack, `    #3 0x55 in NAME FILE:LINE:COLUMN`; where nothing is known
// of names, `(FILE+0xOFFSET)`. Empty: it is no such line.
std::string FunctionIn(std::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "#")) return "";
  const size_t address = line.find(" 0x");
  if (address == std::string_view::npos) return "";
  line.remove_prefix(address + 1);
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return "";
  line = absl::StripLeadingAsciiWhitespace(line.substr(blank));
  if (!absl::ConsumePrefix(&line, "in ")) return std::string(line.substr(0, line.find(' ')));
  // The file comes last, and names may hold blanks.
  if (const size_t file = line.rfind(' '); file != std::string_view::npos) {
    line = line.substr(0, file);
  }
  return std::string(line);
}

bool IsMachinery(std::string_view function) {
  return std::ranges::any_of(
      kMachinery, [&](std::string_view name) { return absl::StartsWith(function, name); });
}

// The innermost functions of the first stack; those without a name where none has one.
std::vector<std::string> FunctionsIn(std::string_view output) {
  std::vector<std::string> named, nameless;
  bool in_stack = false;
  for (const std::string_view line : absl::StrSplit(output, '\n')) {
    const std::string function = FunctionIn(line);
    if (function.empty() && in_stack) break;
    in_stack = !function.empty();
    if (!in_stack || IsMachinery(function)) continue;
    const bool is_entry = absl::StartsWith(function, kEntry);
    if (!is_entry || named.empty()) (function[0] == '(' ? nameless : named).push_back(function);
    if (is_entry || named.size() == kMostFrames) break;
  }
  std::vector<std::string>& functions = named.empty() ? nameless : named;
  functions.resize(std::min(functions.size(), kMostFrames));
  return functions;
}

// What a target's own demand, or else a sanitizer, says; without addresses.
std::string Said(std::string_view output) {
  constexpr std::string_view kOwn = "[fuzz] ", kError = "ERROR: ";
  std::string_view said;
  for (const std::string_view line : absl::StrSplit(output, '\n')) {
    if (absl::StartsWith(line, kOwn)) {
      said = line.substr(kOwn.size());
      said = said.substr(0, said.find("; text:"));
      break;
    }
    if (absl::StrContains(line, "runtime error: ")) said = line;
    if (const size_t error = line.find(kError); error != std::string_view::npos && said.empty()) {
      said = line.substr(error + kError.size());
    }
  }
  for (const std::string_view address : {" on address ", " on unknown address ", " (pc "}) {
    said = said.substr(0, said.find(address));
  }
  return std::string(said.empty() ? "nothing" : said.substr(0, kMostSaid));
}

std::string OracleOf(std::string_view artifact) {
  if (absl::StartsWith(artifact, "leak-")) return "leak";
  if (absl::StartsWith(artifact, "timeout-")) return "hang";
  if (absl::StartsWith(artifact, "oom-")) return "memory";
  return "crash";
}

}  // namespace

std::optional<Progress> ProgressIn(std::string_view line) {
  Progress progress;
  if (absl::ConsumePrefix(&line, "stat::number_of_executed_units:")) {
    return absl::SimpleAtoi(line, &progress.runs) ? std::optional(progress) : std::nullopt;
  }
  const std::vector<std::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() < 2 || !absl::StartsWith(words[0], "#")) return std::nullopt;
  if (!absl::SimpleAtoi(words[0].substr(1), &progress.runs)) return std::nullopt;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] != "cov:") continue;
    return absl::SimpleAtoi(words[i + 1], &progress.covered) ? std::optional(progress)
                                                             : std::nullopt;
  }
  return std::nullopt;
}

bool IsBegun(std::string_view line) {
  return absl::StartsWith(line, "#") && absl::StrContains(line, "\tINITED ");
}

workers::CaseResult DeathIn(std::string_view output, std::string_view artifact) {
  workers::CaseResult result;
  result.failed = true;
  result.oracle = OracleOf(artifact);
  const std::vector<std::string> functions = FunctionsIn(output);
  result.text = absl::StrCat(
      result.oracle, " of a fuzz target: ", Said(output),
      "\n  in:  ", functions.empty() ? "unknown" : absl::StrJoin(functions, "\n       "), "\n");
  return result;
}

std::string Shown(std::string_view input) {
  const bool is_text = std::ranges::all_of(
      input, [](unsigned char c) { return absl::ascii_isprint(c) || c == '\n' || c == '\t'; });
  if (is_text && absl::StartsWith(input, "twingrad ")) return std::string(input);
  std::string text = absl::StrCat("# ", input.size(), " bytes\n");
  const std::string_view shown = input.substr(0, kMostShown);
  for (size_t at = 0; at < shown.size(); at += kBytesOfALine) {
    const std::string_view bytes = shown.substr(at, kBytesOfALine);
    absl::StrAppendFormat(&text, "# %06x ", at);
    for (const unsigned char c : bytes) absl::StrAppendFormat(&text, " %02x", c);
    text.append(3 * (kBytesOfALine - bytes.size()) + 2, ' ');
    for (const unsigned char c : bytes) text += absl::ascii_isprint(c) ? static_cast<char>(c) : '.';
    text += '\n';
  }
  if (shown.size() < input.size()) text += "# ...\n";
  return text;
}

std::string Hex(std::string_view bytes) { return absl::BytesToHexString(bytes); }

std::optional<std::string> Unhex(std::string_view digits) {
  const auto is_digit = [](unsigned char c) { return absl::ascii_isxdigit(c); };
  if (digits.size() % 2 != 0 || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  return absl::HexStringToBytes(digits);
}

std::set<uint32_t> EdgesIn(std::string_view control) {
  std::set<uint32_t> edges;
  for (std::string_view line : absl::StrSplit(control, '\n')) {
    if (!absl::ConsumePrefix(&line, "COV ")) continue;
    const std::vector<std::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    // The first is the number of the input.
    for (size_t i = 1; i < words.size(); ++i) {
      uint32_t edge = 0;
      if (absl::SimpleAtoi(words[i], &edge) && edge < kMostEdges) edges.insert(edge);
    }
  }
  return edges;
}

}  // namespace twingrad::campaign
