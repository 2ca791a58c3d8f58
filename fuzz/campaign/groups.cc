#include "fuzz/campaign/groups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autograd/program/print.h"
#include "fuzz/campaign/merge.h"
#include "proptests/findings/case_text.h"

namespace twingrad::campaign {
namespace {

// What a Program needs for a gradient: data, a number to start from, a way to ask.
constexpr std::string_view kHelpers[] = {"leaf", "sum",       "mean",     "backward",
                                         "grad", "read_grad", "set_grad", "zero_grad"};

// Attributes whose word decides what the statement does.
constexpr std::string_view kActions[] = {"do=", "kind="};

// "hook do=throw" for the line "hook %x do=throw".
std::string StatementWord(std::string_view line) {
  if (const size_t equals = line.find(" = "); equals != std::string_view::npos) {
    line.remove_prefix(equals + 3);
  }
  const std::vector<std::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.empty()) return "";
  std::string name(words[0]);
  for (const std::string_view word : words) {
    const auto begins = [&](std::string_view action) { return absl::StartsWith(word, action); };
    if (std::ranges::any_of(kActions, begins)) absl::StrAppend(&name, " ", word);
  }
  return name;
}

std::set<std::string> StatementWords(std::string_view program) {
  std::set<std::string> words;
  const std::string text = findings::SplitCase(program).program;
  for (const std::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#' || absl::StartsWith(line, "twingrad ")) continue;
    words.insert(StatementWord(line));
  }
  return words;
}

bool IsPart(const std::set<std::string>& part, const std::set<std::string>& whole) {
  return std::ranges::includes(whole, part);
}

}  // namespace

Coarse CoarseOf(const ShardFinding& finding) {
  // What an oracle says of a statement ends with its text, which differs from Program to Program.
  constexpr std::string_view kQuote = "statement #: ";
  Coarse coarse = {finding.rule, finding.kind, StatementWords(finding.program)};
  if (const size_t quote = coarse.complaint.find(kQuote); quote != std::string::npos) {
    coarse.complaint.resize(quote + kQuote.find(':'));
  }
  std::set<std::string> own;
  std::ranges::copy_if(
      coarse.statements, std::inserter(own, own.end()),
      [](const std::string& word) { return std::ranges::count(kHelpers, word) == 0; });
  if (!own.empty()) coarse.statements = std::move(own);
  return coarse;
}

std::string CoarseSignature(const Coarse& coarse) {
  const std::string key = absl::StrCat(coarse.rule, "\n", coarse.complaint, "\n",
                                       absl::StrJoin(coarse.statements, "\n"));
  return absl::StrFormat("%016x", program::Fnv1a(key));
}

std::vector<FindingGroup> GroupFindings(const std::vector<MergedFinding>& findings) {
  std::vector<std::pair<Coarse, size_t>> all;
  for (size_t i = 0; i < findings.size(); ++i) all.emplace_back(CoarseOf(findings[i].best), i);
  // Findings with few statements open rows, the others join them.
  std::ranges::stable_sort(all, {}, [&](const auto& entry) {
    const auto& [coarse, place] = entry;
    return std::pair(coarse.statements.size(), findings[place].best.program.size());
  });
  std::vector<FindingGroup> groups;
  for (const auto& [coarse, place] : all) {
    const MergedFinding& finding = findings[place];
    auto group = std::ranges::find_if(groups, [&](const FindingGroup& known) {
      return known.planted == finding.planted && known.coarse.rule == coarse.rule &&
             known.coarse.complaint == coarse.complaint &&
             IsPart(known.coarse.statements, coarse.statements);
    });
    if (group == groups.end()) {
      groups.push_back({coarse, CoarseSignature(coarse), finding.planted, {}, 0, {}});
      group = groups.end() - 1;
    }
    group->findings.push_back(place);
    group->failures += finding.failures;
    group->shards.insert(finding.shards.begin(), finding.shards.end());
  }
  std::ranges::sort(groups, {}, [](const FindingGroup& group) {
    return *std::ranges::min_element(group.findings);
  });
  return groups;
}

}  // namespace twingrad::campaign
