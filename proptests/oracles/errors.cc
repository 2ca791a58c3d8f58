// Whether the run may end as it did.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

std::string ErrorText(const ErrorRecord& error) {
  std::string text =
      absl::StrCat(std::string(ErrorKindName(error.error)), " at statement ", error.statement);
  if (!error.message.empty()) absl::StrAppend(&text, ": ", error.message.substr(0, 160));
  return text;
}

}  // namespace

Verdict JudgeInternalError(const Program& program, const Observation& observed) {
  constexpr std::string_view kOracle = "internal";
  const auto& error = observed.error;
  if (!error || error->error != ErrorKind::kInternal) return Agree(kOracle);
  return Disagree(kOracle,
                  absl::StrCat("internal: ", LineOf(program, error->statement),
                               "\n  expected no internal error, whatever else is right\n"
                               "  actual   ",
                               ErrorText(*error), "\n"),
                  {error->statement});
}

Verdict JudgeErrors(const Evidence& evidence) {
  constexpr std::string_view kOracle = "errors";
  const auto& observed = evidence.observed.error;
  const auto& expected = evidence.expected.observation.error;
  if (observed && observed->error == ErrorKind::kUnsupported) {
    return Skip(kOracle, absl::StrCat("the engine does not run ",
                                      LineOf(evidence.program, observed->statement)));
  }
  if (!observed && !expected) return Agree(kOracle);
  if (observed) {
    const auto& legal = evidence.expected.legal_errors;
    const size_t allowed = !evidence.SeveralOutcomes() && !legal.empty() ? 1 : legal.size();
    for (size_t i = 0; i < allowed; ++i) {
      if (legal[i].error == observed->error && legal[i].statement == observed->statement) {
        return Agree(kOracle);
      }
    }
  }
  const int statement = observed ? observed->statement : expected->statement;
  std::string text = absl::StrCat("errors: ", LineOf(evidence.program, statement), "\n  expected ",
                                  expected ? ErrorText(*expected) : "no error", "\n  actual   ",
                                  observed ? ErrorText(*observed) : "no error", "\n  ",
                                  EngineText(evidence), "\n");
  return Disagree(kOracle, std::move(text), {statement});
}

Verdict JudgeSurvivedErrors(const Evidence& evidence) {
  constexpr std::string_view kOracle = "survived";
  // Where nodes run in any order, and several can throw, nothing but one thread is judged.
  if (evidence.device_threads != 0 || evidence.expected.ends_in_any_order) {
    return Skip(kOracle, "several errors may be legal");
  }
  const auto& expected = evidence.expected.observation.survived;
  const auto& observed = evidence.observed.survived;
  for (size_t i = 0; i < std::max(expected.size(), observed.size()); ++i) {
    const ErrorRecord* wanted = i < expected.size() ? &expected[i] : nullptr;
    const ErrorRecord* seen = i < observed.size() ? &observed[i] : nullptr;
    if (wanted != nullptr && seen != nullptr && wanted->error == seen->error &&
        wanted->statement == seen->statement) {
      continue;
    }
    const int statement = seen != nullptr ? seen->statement : wanted->statement;
    return Disagree(kOracle,
                    absl::StrCat("survived: ", LineOf(evidence.program, statement), "\n",
                                 ExpectedText(wanted != nullptr ? ErrorText(*wanted) : "no error",
                                              seen != nullptr ? ErrorText(*seen) : "no error"),
                                 "  ", EngineText(evidence), "\n"),
                    {statement});
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
