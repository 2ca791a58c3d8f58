// A gradient has the type of its value.

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "gradient type";

Verdict Differs(const Program& program, ValueId value, int statement, const TensorData& data,
                const TensorData& gradient) {
  return Disagree(
      kOracle,
      absl::StrCat("gradient type: gradient of ", NameOf(program, value), ", ",
                   LineOf(program, statement), "\n  expected ", TypeText(data.dtype, data.shape),
                   "\n  actual   ", TypeText(gradient.dtype, gradient.shape), "\n"),
      {statement});
}

}  // namespace

Verdict JudgeGradientTypes(const Program& program, const Observation& observed) {
  for (size_t i = 0; i < observed.values.size(); ++i) {
    const auto& record = observed.values[i];
    if (!record.defined || !record.grad_defined || SameType(record.data, record.grad)) continue;
    const auto value = static_cast<ValueId>(i);
    return Differs(program, value, StatementOf(program, value), record.data, record.grad);
  }
  for (size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& statement = program.statements[s];
    if (statement.op != Opcode::kGrad) continue;
    const auto* inputs = statement.Find(Key::kInputs);
    if (inputs == nullptr) continue;
    const auto& list = std::get<std::vector<ValueId>>(*inputs);
    for (size_t i = 0; i < list.size() && i < statement.results.size(); ++i) {
      const auto& of = observed.values[list[i]];
      const auto& gradient = observed.values[statement.results[i]];
      if (!of.defined || !gradient.defined || SameType(of.data, gradient.data)) continue;
      return Differs(program, list[i], static_cast<int>(s), of.data, gradient.data);
    }
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
