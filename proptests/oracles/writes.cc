// What a call may write: the `.grad`s that it adds to, and nothing else.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Key;
using program::Opcode;

constexpr std::string_view kOracle = "writes";

bool Does(const Statement& statement, std::string_view action) {
  const std::string* given = std::get_if<std::string>(statement.Find(Key::kDo));
  return given != nullptr && *given == action;
}

bool Names(const Statement& statement, Key key, ValueId value) {
  const auto* given = statement.Find(key);
  if (given == nullptr) return false;
  const auto& values = std::get<std::vector<ValueId>>(*given);
  return std::ranges::find(values, value) != values.end();
}

bool IsOn(const Statement& statement, ValueId value) {
  return std::ranges::find(statement.operands, value) != statement.operands.end();
}

// What the statements before a call say of the `.grad` of a value.
struct Before {
  bool nests = false;     // a hook or custom function may make calls to all leaves
  bool retains = false;   // the value keeps its gradient
  bool resets = false;    // a hook of the value makes it undefined
  bool may_leaf = false;  // a leaf that requires grad, or zeros made for a result of `grad`
};

Before Look(const Program& program, int32_t call, ValueId value) {
  Before before;
  for (int32_t i = 0; i < call; ++i) {
    const Statement& statement = program.statements[i];
    if (IsComputed(program::SignatureOf(statement.op).category)) continue;  // says nothing of it
    const bool defines = std::ranges::find(statement.results, value) != statement.results.end();
    before.nests = before.nests || Does(statement, "backward");
    if (statement.op == Opcode::kRetainGrad && IsOn(statement, value)) before.retains = true;
    // Gradients that go to a result of operations stay there from then on.
    if (statement.op == Opcode::kBackward && Names(statement, Key::kInputs, value)) {
      before.retains = true;
    }
    if (Does(statement, "zero_grad") && IsOn(statement, value)) before.resets = true;
    if (defines && statement.op == Opcode::kLeaf) before.may_leaf = statement.Get<bool>(Key::kGrad);
    if (defines && statement.op == Opcode::kGrad) before.may_leaf = true;
  }
  return before;
}

bool MayWriteGrad(const Program& program, int32_t call, ValueId value) {
  const Before before = Look(program, call, value);
  if (before.retains || (before.nests && (before.may_leaf || before.resets))) return true;
  const Statement& statement = program.statements[call];
  if (statement.op != Opcode::kBackward) return false;
  if (statement.Find(Key::kInputs) != nullptr) return Names(statement, Key::kInputs, value);
  return before.may_leaf;
}

std::string RoleText(const Program& program, int32_t call, ValueId value) {
  const Statement& statement = program.statements[call];
  if (Names(statement, Key::kSeeds, value)) return ", a seed";
  if (IsOn(statement, value)) return ", a root";
  return Names(statement, Key::kInputs, value) ? ", an input" : "";
}

}  // namespace

Verdict JudgeWrites(const Program& program, const Observation& observed) {
  for (const CallRecord& call : observed.calls) {
    for (const program::WriteRecord& write : call.writes) {
      if (write.is_grad && MayWriteGrad(program, call.statement, write.value)) continue;
      const std::string name = NameOf(program, write.value);
      const std::string what =
          write.is_grad ? absl::StrCat("the .grad of ", name)
                        : absl::StrCat(name, RoleText(program, call.statement, write.value));
      return Disagree(kOracle,
                      absl::StrCat("writes: ", what, " holds something else after the call of ",
                                   LineOf(program, call.statement),
                                   "\n  a call writes the .grads of what it accumulates to, and "
                                   "no other contents\n"),
                      {call.statement, StatementOf(program, write.value)});
    }
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
