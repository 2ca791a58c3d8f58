#include "proptests/conformance/expected_failures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "autograd/program/signature.h"
#include "proptests/oracles/features.h"

namespace twingrad::oracle {
namespace {

using twingrad::program::ErrorRecord;
using twingrad::program::Opcode;
using twingrad::program::Program;

bool IsDate(std::string_view word) {
  if (word.size() != 10) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool right = i == 4 || i == 7 ? word[i] == '-' : absl::ascii_isdigit(word[i]);
    if (!right) return false;
  }
  return true;
}

std::optional<oracles::Feature> FeatureOf(std::string_view word) {
  for (int i = 0; i < oracles::kNumFeatures; ++i) {
    const auto feature = static_cast<oracles::Feature>(i);
    if (oracles::FeatureName(feature) == word) return feature;
  }
  return std::nullopt;
}

std::string OpsText(const std::vector<Opcode>& ops) {
  if (ops.empty()) return "*";
  return absl::StrJoin(ops, ",", [](std::string* text, Opcode op) {
    absl::StrAppend(text, twingrad::program::SignatureOf(op).name);
  });
}

std::string ClassText(const std::optional<ErrorRecord>& error) {
  return error ? std::string(ErrorKindName(error->error)) : "none";
}

// With one `_` for each run of blanks and ends of lines.
std::string Words(std::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()), "_");
}

// Whether an engine's error is of the class that `wanted` names, and it or the verdict says its
// text.
bool IsActual(std::string_view wanted, const std::optional<ErrorRecord>& actual,
              std::string_view verdict) {
  const std::pair<std::string_view, std::string_view> parts =
      absl::StrSplit(wanted, absl::MaxSplits('~', 1));
  if (parts.first != "*" && parts.first != ClassText(actual)) return false;
  if (actual && absl::StrContains(Words(actual->message), parts.second)) return true;
  return absl::StrContains(Words(verdict), parts.second);
}

// The first `count` words of a line and what follows them.
bool Cut(std::string_view line, size_t count, std::vector<std::string>* words) {
  *words = absl::StrSplit(line, absl::MaxSplits(' ', count), absl::SkipEmpty());
  return words->size() == count + 1;
}

absl::Status ReadSignature(const std::vector<std::string>& words, ExpectedFailures* failures) {
  Signature signature;
  signature.rule = words[1];
  for (std::string_view name : absl::StrSplit(words[2], ',')) {
    if (name == "*") continue;
    const auto op = twingrad::program::OpcodeFromName(name);
    if (!op) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown op ", name, "; allowed are `*` and names of statements"));
    }
    signature.ops.push_back(*op);
  }
  signature.classes = words[3];
  signature.feature = words[4];
  for (std::string_view word : absl::StrSplit(signature.feature, ',')) {
    if (word == "*" || FeatureOf(word)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown feature ", word, "; allowed are `*` and those of a summary"));
  }
  signature.entry = words[5];
  signature.until = words[6];
  signature.reason = words[7];
  const auto& entries = failures->entries;
  if (std::none_of(entries.begin(), entries.end(),
                   [&](const ExpectedEntry& entry) { return entry.id == signature.entry; })) {
    return absl::InvalidArgumentError(absl::StrCat("the signature names ", signature.entry,
                                                   "; allowed are entries that stand above it"));
  }
  failures->signatures.push_back(std::move(signature));
  return absl::OkStatus();
}

absl::Status ReadLine(std::string_view line, ExpectedFailures* failures) {
  std::vector<std::string> words;
  std::string until;
  absl::Status status;
  if (Cut(line, 4, &words) && words[0] == "entry") {
    failures->entries.push_back({words[1], words[2], words[3], words[4]});
    until = words[3];
  } else if (Cut(line, 7, &words) && words[0] == "signature") {
    status = ReadSignature(words, failures);
    until = words[6];
  } else {
    return absl::InvalidArgumentError(
        "the line cannot be read; allowed are `entry ID RULE UNTIL REASON` and `signature RULE OPS "
        "CLASS FEATURE ENTRY UNTIL REASON`");
  }
  if (status.ok() && !IsDate(until)) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", until, "` is no date; allowed is such as 2027-12-31"));
  }
  return status;
}

}  // namespace

std::string RuleWord(std::string_view rule) { return absl::StrReplaceAll(rule, {{" ", "_"}}); }

bool Signature::Matches(const Program& program, std::string_view broken_rule,
                        const std::optional<ErrorRecord>& expected,
                        const std::optional<ErrorRecord>& actual, std::string_view verdict) const {
  if (rule != RuleWord(broken_rule)) return false;
  for (Opcode op : ops) {
    if (std::none_of(program.statements.begin(), program.statements.end(),
                     [op](const auto& statement) { return statement.op == op; })) {
      return false;
    }
  }
  const std::pair<std::string, std::string> wanted =
      absl::StrSplit(classes, absl::MaxSplits('/', 1));
  if (wanted.first != "*" && wanted.first != ClassText(expected)) return false;
  if (classes != "*" && !IsActual(wanted.second, actual, verdict)) return false;
  const auto features = oracles::FeaturesOf(program);
  for (std::string_view word : absl::StrSplit(feature, ',')) {
    if (word != "*" && !features[static_cast<size_t>(*FeatureOf(word))]) return false;
  }
  return true;
}

std::vector<std::string> ExpectedFailures::Expired(std::string_view today) const {
  std::vector<std::string> expired;
  for (const ExpectedEntry& entry : entries) {
    if (entry.until < today) expired.push_back(absl::StrCat("entry ", entry.id, " ", entry.until));
  }
  for (const Signature& signature : signatures) {
    if (signature.until >= today) continue;
    expired.push_back(absl::StrCat("signature of ", signature.entry, " ", signature.until));
  }
  return expired;
}

absl::StatusOr<ExpectedFailures> ParseExpectedFailures(std::string_view text) {
  ExpectedFailures failures;
  int number = 0;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (absl::Status status = ReadLine(line, &failures); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("[oracle] expected failures, line ", number, ": ", status.message()));
    }
  }
  return failures;
}

std::string PrintExpectedFailures(std::string_view head, const ExpectedFailures& failures) {
  std::vector<std::string> entries;
  for (const ExpectedEntry& entry : failures.entries) {
    entries.push_back(
        absl::StrCat("entry ", entry.id, " ", entry.rule, " ", entry.until, " ", entry.reason));
  }
  std::vector<std::string> signatures;
  for (const Signature& signature : failures.signatures) {
    signatures.push_back(absl::StrCat(
        "signature ", signature.rule, " ", OpsText(signature.ops), " ", signature.classes, " ",
        signature.feature, " ", signature.entry, " ", signature.until, " ", signature.reason));
  }
  std::sort(entries.begin(), entries.end());
  std::sort(signatures.begin(), signatures.end());
  std::string text(head);
  for (const auto& lines : {entries, signatures}) {
    for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace twingrad::oracle
