// Who shares memory with whom.

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "sharing";

std::string UserText(const Program& program, ValueId value, bool is_grad) {
  if (value == program::kNoValue) return "no other value";
  return absl::StrCat(is_grad ? ".grad of " : "", NameOf(program, value));
}

Verdict JudgeCall(const Program& program, const CallRecord& call) {
  for (const program::SharingRecord& sharing : call.sharing) {
    const std::string with =
        sharing.hook >= 0 ? absl::StrCat("what the hook of statement ", sharing.hook, " keeps")
                          : UserText(program, sharing.with, sharing.with_grad);
    return Disagree(
        kOracle,
        absl::StrCat("sharing: ", UserText(program, sharing.value, sharing.is_grad),
                     " has the memory of ", with,
                     "\n  a .grad and a result of grad have memory of their own\n  after "
                     "the call of ",
                     LineOf(program, call.statement), "\n"),
        {call.statement, StatementOf(program, sharing.value)});
  }
  for (const HookRecord& hook : call.hooks) {
    if (!hook.overwritten) continue;
    return Disagree(kOracle,
                    absl::StrCat("sharing: the gradient that a hook keeps was written\n  ",
                                 LineOf(program, hook.statement), "\n  in the call of ",
                                 LineOf(program, call.statement), "\n"),
                    {hook.statement, call.statement});
  }
  return Agree(kOracle);
}

}  // namespace

Verdict JudgeSharing(const Evidence& evidence) {
  const Observation& observed = evidence.observed;
  for (const CallRecord& call : observed.calls) {
    Verdict verdict = JudgeCall(evidence.program, call);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  const auto& expected = evidence.expected.observation.values;
  for (size_t i = 0; i < observed.values.size() && i < expected.size(); ++i) {
    const ValueRecord& actual = observed.values[i];
    if (!actual.defined || !expected[i].defined || actual.storage == program::kNoValue ||
        actual.storage == expected[i].storage || actual.data.bits.empty()) {
      continue;
    }
    const auto value = static_cast<ValueId>(i);
    const int statement = StatementOf(evidence.program, value);
    const auto text = [&](ValueId storage) {
      return storage == value ? "memory of its own"
                              : absl::StrCat("the memory of ", NameOf(evidence.program, storage));
    };
    return Disagree(kOracle,
                    absl::StrCat("sharing: ", NameOf(evidence.program, value), "\n",
                                 ExpectedText(text(expected[i].storage), text(actual.storage)),
                                 "  ", LineOf(evidence.program, statement), "\n"),
                    {statement});
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
