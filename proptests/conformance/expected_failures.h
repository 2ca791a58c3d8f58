// Expected failures: where a released engine is known to be wrong, so that a run does not report it
// again.
//
//   entry libtorch-0001 errors 2027-12-31 in-place write through a view made in no_grad is let pass
//   signature errors transpose,add_ version/none in_place libtorch-0001 2027-12-31 the same
//
//   follow captures_miss_hooks hooks-0001 2027-12-31 a captured gradient has not passed its hooks
//
// One line each. `entry ID RULE UNTIL REASON`: a golden that must still fail. `signature RULE OPS
// CLASS FEATURE ENTRY UNTIL REASON`: random Programs that may fail: the rule that they break
// (`twin|hooks`: one of them), ops that they hold (`a,b` both, `a|b` one of them), the classes of
// the expected and the actual error (such as version/none), features that they hold, and the entry
// that shows the same defect; `*` stands for any. `follow DEFECT ENTRY UNTIL REASON`: a defect that
// the twin can follow: random Programs may show exactly what it then says, and nothing else. Plain
// data.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/program/observation.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"
#include "autograd/reference/dialect.h"

namespace twingrad::conformance {

// How a list names the rule that a Verdict's `oracle` is: one word, such as gradient_type.
std::string RuleWord(std::string_view rule);

struct ExpectedEntry {
  std::string id;
  std::string rule;
  std::string until;  // 2027-12-31
  std::string reason;
};

// The two errors whose classes a signature names: the first that differ of those survived, which
// come first, or those that ended the runs, also if one ended before.
struct BlamedErrors {
  std::optional<twingrad::program::ErrorRecord> expected, actual;
};
BlamedErrors BlamedErrorsOf(const twingrad::program::Observation& expected,
                            const twingrad::program::Observation& actual);

struct FailureSignature {
  std::string rule;                                         // of several, joined by `|`, one
  std::vector<std::vector<twingrad::program::Opcode>> ops;  // of each list one
  // `*` or EXPECTED/ACTUAL, each of which may be `*`; ACTUAL~TEXT: the engine's message, or
  // the verdict, holds TEXT, whose blanks are written as `_`; ACTUAL~TEXT~TEXT: holds both.
  std::string classes;
  std::string feature;  // `*` or words of proptests/oracles, apart by commas
  std::string entry;
  std::string until;
  std::string reason;

  // `verdict` is the text of the Verdict that blames the engine.
  bool Matches(const twingrad::program::Program& program, std::string_view broken_rule,
               const std::optional<twingrad::program::ErrorRecord>& expected,
               const std::optional<twingrad::program::ErrorRecord>& actual,
               std::string_view verdict) const;
};

struct FollowedDefect {
  std::string name;  // as in twingrad::reference::kDefects
  std::string entry;
  std::string until;
  std::string reason;
};

struct ExpectedFailures {
  std::vector<ExpectedEntry> entries;
  std::vector<FailureSignature> signatures;
  std::vector<FollowedDefect> followed;

  twingrad::reference::Defects DefectsToFollow() const;
  // The lines of these defects.
  std::vector<FollowedDefect> Of(const twingrad::reference::Defects& defects) const;

  // The place of an entry in the list; the number of entries if it is not there.
  size_t PlaceOf(std::string_view id) const;

  // Those whose date has passed on `today` (2026-11-21): each as its line's id and date.
  std::vector<std::string> Expired(std::string_view today) const;
};

// Error: `[oracle] LINE: what is wrong; what is allowed`. Each signature and
// each defect must name an entry of the list.
absl::StatusOr<ExpectedFailures> ParseExpectedFailures(std::string_view text);

// The list in the file `path`; where there is no such file, an empty one.
absl::StatusOr<ExpectedFailures> ReadExpectedFailures(const std::string& path);

// The comment that the text of a list begins with.
std::string HeadOf(std::string_view text);

// The same list as text, sorted; `head` is the comment that it begins with.
std::string PrintExpectedFailures(std::string_view head, const ExpectedFailures& failures);

}  // namespace twingrad::conformance
