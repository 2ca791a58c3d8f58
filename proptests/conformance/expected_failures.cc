#include "proptests/conformance/expected_failures.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "autograd/program/signature.h"
#include "proptests/conformance/facts.h"
#include "proptests/judge/traits.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {

std::string RuleWord(std::string_view rule) { return absl::StrReplaceAll(rule, {{" ", "_"}}); }

namespace {

using twingrad::program::ErrorRecord;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;

bool IsDate(std::string_view word) {
  if (word.size() != 10) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (i == 4 || i == 7 ? word[i] != '-' : !absl::ascii_isdigit(word[i])) return false;
  }
  return true;
}

std::optional<judge::Trait> FeatureOf(std::string_view word) {
  for (int i = 0; i < judge::kNumTraits; ++i) {
    const auto feature = static_cast<judge::Trait>(i);
    if (judge::TraitName(feature) == word) return feature;
  }
  return std::nullopt;
}

const twingrad::reference::DefectRow* DefectOf(std::string_view name) {
  const auto& rows = twingrad::reference::kDefects;
  const auto* row = std::ranges::find(rows, name, &twingrad::reference::DefectRow::name);
  return row == std::end(rows) ? nullptr : row;
}

std::string OpsText(const std::vector<std::vector<Opcode>>& ops) {
  if (ops.empty()) return "*";
  const auto name = [](std::string* text, Opcode op) {
    absl::StrAppend(text, twingrad::program::SignatureOf(op).name);
  };
  return absl::StrJoin(ops, ",", [&](std::string* text, const auto& any) {
    absl::StrAppend(text, absl::StrJoin(any, "|", name));
  });
}

std::string ClassText(const std::optional<ErrorRecord>& error) {
  return error ? std::string(ErrorKindName(error->error)) : "none";
}

// With one `_` for each run of blanks and ends of lines.
std::string Words(std::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()), "_");
}

// Whether the error is of the class that `wanted` names. Where the other came first there was none,
// and of two that are the same nothing is wrong.
bool IsOfClass(std::string_view wanted, const std::optional<ErrorRecord>& error,
               const std::optional<ErrorRecord>& other) {
  if (wanted == "*" || wanted == ClassText(error)) return true;
  if (wanted != "none" || !other) return false;
  const bool same = other->statement == error->statement && other->error == error->error;
  return same || other->statement < error->statement;
}

// Whether an engine's error is of the class that `wanted` names, and it or the verdict says each of
// its texts.
bool IsActual(std::string_view wanted, const std::optional<ErrorRecord>& actual,
              const std::optional<ErrorRecord>& expected, std::string_view verdict) {
  const std::vector<std::string_view> parts = absl::StrSplit(wanted, '~');
  if (!IsOfClass(parts[0], actual, expected)) return false;
  const std::string message = actual ? Words(actual->message) : "", said = Words(verdict);
  return std::all_of(parts.begin() + 1, parts.end(), [&](std::string_view text) {
    return absl::StrContains(message, text) || absl::StrContains(said, text);
  });
}

// Whether `rules`, a word or several joined by `|`, names the broken one. What ends a part of a
// Program is an error as what ends it all is: `errors` names both.
bool NamesRule(std::string_view rules, std::string_view broken) {
  const std::string word = RuleWord(broken == "survived" ? "errors" : broken);
  const std::vector<std::string_view> words = absl::StrSplit(rules, '|');
  return std::ranges::count(words, word) > 0;
}

// The first `count` words of a line and what follows them.
bool Cut(std::string_view line, size_t count, std::vector<std::string>* words) {
  *words = absl::StrSplit(line, absl::MaxSplits(' ', count), absl::SkipEmpty());
  return words->size() == count + 1;
}

absl::Status Wrong(std::string_view what, std::string_view wrong, std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(what, wrong, "; allowed ", allowed));
}

absl::Status CheckEntry(std::string_view who, const std::string& entry,
                        const ExpectedFailures& failures) {
  if (std::ranges::count(failures.entries, entry, &ExpectedEntry::id) > 0) return absl::OkStatus();
  return Wrong(absl::StrCat("the ", who, " names "), entry, "are entries that stand above it");
}

absl::Status ReadFollowed(const std::vector<std::string>& words, ExpectedFailures* failures) {
  if (DefectOf(words[1]) == nullptr) {
    return Wrong("unknown defect ", words[1],
                 absl::StrCat("are ", absl::StrJoin(twingrad::reference::kDefects, ", ",
                                                    [](std::string* text, const auto& row) {
                                                      absl::StrAppend(text, row.name);
                                                    })));
  }
  failures->followed.push_back({words[1], words[2], words[3], words[4]});
  return CheckEntry("defect", words[2], *failures);
}

absl::Status ReadSignature(const std::vector<std::string>& words, ExpectedFailures* failures) {
  FailureSignature signature = {words[1], {}, words[3], words[4], words[5], words[6], words[7]};
  for (std::string_view name : absl::StrSplit(words[2], ',')) {
    if (name == "*") continue;
    auto& any = signature.ops.emplace_back();
    for (std::string_view one : absl::StrSplit(name, '|')) {
      const auto op = twingrad::program::OpcodeFromName(one);
      if (!op) return Wrong("unknown op ", one, "are `*` and names of statements");
      any.push_back(*op);
    }
  }
  for (std::string_view word : absl::StrSplit(signature.feature, ',')) {
    if (word == "*" || FeatureOf(word)) continue;
    return Wrong("unknown feature ", word, "are `*` and those of a summary");
  }
  failures->signatures.push_back(std::move(signature));
  return CheckEntry("signature", failures->signatures.back().entry, *failures);
}

absl::Status ReadLine(std::string_view line, ExpectedFailures* failures) {
  std::vector<std::string> words;
  std::string until;
  if (Cut(line, 4, &words) && words[0] == "entry") {
    failures->entries.push_back({words[1], words[2], words[3], words[4]});
    until = words[3];
  } else if (Cut(line, 4, &words) && words[0] == "follow") {
    if (absl::Status status = ReadFollowed(words, failures); !status.ok()) return status;
    until = words[3];
  } else if (Cut(line, 7, &words) && words[0] == "signature") {
    if (absl::Status status = ReadSignature(words, failures); !status.ok()) return status;
    until = words[6];
  } else {
    return Wrong("the line cannot be read", "",
                 "are `entry ID RULE UNTIL REASON`, `follow DEFECT ENTRY UNTIL REASON` and "
                 "`signature RULE OPS CLASS FEATURE ENTRY UNTIL REASON`");
  }
  if (IsDate(until)) return absl::OkStatus();
  return Wrong(absl::StrCat("`", until, "` is no date"), "", "is such as 2027-12-31");
}

}  // namespace

namespace {

// Whether the run was over when it should have come to this error.
bool EndsBefore(const std::optional<ErrorRecord>& error, const Observation& run) {
  return error && run.error && run.error->statement < error->statement;
}

}  // namespace

BlamedErrors BlamedErrorsOf(const Observation& expected, const Observation& actual) {
  const auto same = [](const auto& a, const auto& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->error == b->error && a->statement == b->statement));
  };
  const auto at = [](const std::vector<ErrorRecord>& errors, size_t i) {
    return i < errors.size() ? std::optional(errors[i]) : std::nullopt;
  };
  for (size_t i = 0; i < std::max(expected.survived.size(), actual.survived.size()); ++i) {
    const BlamedErrors survived = {at(expected.survived, i), at(actual.survived, i)};
    if (same(survived.expected, survived.actual)) continue;
    if (EndsBefore(survived.expected, actual) || EndsBefore(survived.actual, expected)) break;
    return survived;
  }
  return {expected.error, actual.error};
}

bool FailureSignature::Matches(const Program& program, std::string_view broken_rule,
                               const std::optional<ErrorRecord>& expected,
                               const std::optional<ErrorRecord>& actual,
                               std::string_view verdict) const {
  if (!NamesRule(rule, broken_rule)) return false;
  const auto holds = [&](Opcode op) { return Holds(program, op); };
  const auto holds_any = [&](const auto& any) { return std::ranges::any_of(any, holds); };
  if (!std::ranges::all_of(ops, holds_any)) return false;
  const std::pair<std::string, std::string> wanted =
      absl::StrSplit(classes, absl::MaxSplits('/', 1));
  if (!IsOfClass(wanted.first, expected, actual)) return false;
  if (classes != "*" && !IsActual(wanted.second, actual, expected, verdict)) return false;
  const auto features = judge::TraitsOf(program);
  for (std::string_view word : absl::StrSplit(feature, ',')) {
    if (word != "*" && !features[static_cast<size_t>(*FeatureOf(word))]) return false;
  }
  return true;
}

twingrad::reference::Defects ExpectedFailures::DefectsToFollow() const {
  twingrad::reference::Defects defects;
  for (const FollowedDefect& defect : followed) defects.*DefectOf(defect.name)->follows = true;
  return defects;
}

std::vector<FollowedDefect> ExpectedFailures::Of(
    const twingrad::reference::Defects& defects) const {
  std::vector<FollowedDefect> lines;
  for (const FollowedDefect& defect : followed) {
    if (defects.*DefectOf(defect.name)->follows) lines.push_back(defect);
  }
  return lines;
}

size_t ExpectedFailures::PlaceOf(std::string_view id) const {
  return static_cast<size_t>(std::ranges::find(entries, id, &ExpectedEntry::id) - entries.begin());
}

std::vector<std::string> ExpectedFailures::Expired(std::string_view today) const {
  std::vector<std::string> expired;
  for (const ExpectedEntry& entry : entries) {
    if (entry.until < today) expired.push_back(absl::StrCat("entry ", entry.id, " ", entry.until));
  }
  for (const FailureSignature& signature : signatures) {
    if (signature.until >= today) continue;
    expired.push_back(absl::StrCat("signature of ", signature.entry, " ", signature.until));
  }
  for (const FollowedDefect& defect : followed) {
    if (defect.until >= today) continue;
    expired.push_back(absl::StrCat("follow ", defect.name, " ", defect.until));
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

absl::StatusOr<ExpectedFailures> ReadExpectedFailures(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) return ExpectedFailures();
  absl::StatusOr<std::string> text = workers::ReadInput(path);
  if (!text.ok()) return text.status();
  return ParseExpectedFailures(*text);
}

std::string HeadOf(std::string_view text) {
  std::string head;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "#")) break;
    absl::StrAppend(&head, line, "\n");
  }
  return head;
}

std::string PrintExpectedFailures(std::string_view head, const ExpectedFailures& failures) {
  std::vector<std::string> lines;
  for (const ExpectedEntry& entry : failures.entries) {
    lines.push_back(
        absl::StrCat("entry ", entry.id, " ", entry.rule, " ", entry.until, " ", entry.reason));
  }
  for (const FollowedDefect& defect : failures.followed) {
    lines.push_back(absl::StrCat("follow ", defect.name, " ", defect.entry, " ", defect.until, " ",
                                 defect.reason));
  }
  for (const FailureSignature& s : failures.signatures) {
    lines.push_back(absl::StrJoin({std::string("signature"), s.rule, OpsText(s.ops), s.classes,
                                   s.feature, s.entry, s.until, s.reason},
                                  " "));
  }
  std::ranges::sort(lines);
  std::string text(head);
  for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  return text;
}

}  // namespace twingrad::conformance
