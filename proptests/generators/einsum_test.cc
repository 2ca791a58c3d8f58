#include "proptests/generators/einsum.h"

#include <algorithm>
#include <string>

#include "autograd/program/equation.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Distinct;
using twingrad::program::Equation;
using twingrad::program::ParseEquation;

void Apply(Draft& draft) {
  ApplyEinsum(draft, MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2, 2}, .grad = true}));
}

// For how many of 400 Programs the equation of an einsum holds what is asked for.
template <typename Predicate>
int CountWithEquation(Predicate holds) {
  return CountOf(
      Apply,
      [&](const Program& p) {
        return HasStatement(p, [&](const auto& s) {
          if (s.op != Opcode::kEinsum) return false;
          return holds(*ParseEquation(s.template Get<std::string>(Key::kEquation)));
        });
      },
      400);
}

bool IsAmong(char label, const std::string& labels) {
  return labels.find(label) != std::string::npos;
}

TEST(Einsum, MakesEveryKindOfEquation) {
  EXPECT_GT(CountWithEquation([](const Equation& e) { return e.inputs.size() == 1; }), 40);
  EXPECT_GT(CountWithEquation([](const Equation& e) { return e.inputs.size() == 2; }), 200);
  EXPECT_GT(CountWithEquation([](const Equation& e) { return e.output.empty(); }), 20);
  EXPECT_GT(CountWithEquation([](const Equation& e) { return e.output == e.inputs[0]; }), 4);
  EXPECT_GT(CountWithEquation([](const Equation& e) {
              return Distinct(e.inputs[0]).size() < e.inputs[0].size();
            }),
            40);
  EXPECT_GT(CountWithEquation([](const Equation& e) {
              const std::string& last = e.inputs.back();
              return e.inputs.size() == 2 && Distinct(last).size() < last.size();
            }),
            10);
}

TEST(Einsum, MakesLettersOfAllKinds) {
  const auto with = [](bool in_both, bool in_result) {
    return CountWithEquation([&](const Equation& e) {
      return std::ranges::any_of(e.inputs[0], [&](char label) {
        const bool both = e.inputs.size() == 2 && IsAmong(label, e.inputs[1]);
        return both == in_both && IsAmong(label, e.output) == in_result;
      });
    });
  };
  for (const bool in_both : {false, true}) {
    for (const bool in_result : {false, true}) EXPECT_GT(with(in_both, in_result), 80);
  }
}

}  // namespace
}  // namespace twingrad::generators
