// Test support for parts: makes many small Programs of a leaf and one part and checks that each is
// valid.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"  // IWYU pragma: export
#include "proptests/generators/draft.h"
#include "proptests/generators/leaf.h"

namespace twingrad::generators {

// A Draft over the draws of one seed, with a leaf maker for what the test needs.
struct Bench {
  explicit Bench(uint64_t seed = 1) : source(Source::FromSeed(seed)) {}

  ValueId Leaf(int64_t size, bool grad) {
    return MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{size}, .grad = grad});
  }

  GeneratorOptions options;
  Source source;
  Draft draft{options, source};
};

// Makes `count` Programs with `add`, on Drafts that hold one leaf, and checks that each is valid.
// Returns for how many of them `holds(program)` is true.
inline int CountOf(const std::function<void(Draft&)>& add,
                   const std::function<bool(const Program&)>& holds, int count = 300) {
  int found = 0;
  for (int seed = 0; seed < count; ++seed) {
    Bench bench(static_cast<uint64_t>(seed));
    Draft& draft = bench.draft;
    draft.SetBudget(12);
    draft.SetRounding(seed % 4 == 0);
    MakeLeaf(draft, {.dtype = DType::kF64, .grad = true});
    add(draft);
    const Program program = draft.Take();
    const auto analysis = twingrad::program::Analyze(program);
    EXPECT_TRUE(analysis.ok()) << "seed " << seed << ": " << analysis.status() << "\n"
                               << twingrad::program::Print(program);
    if (holds(program)) ++found;
  }
  return found;
}

// How many operands are `value`, over the whole Program.
inline int UsesOf(const Program& program, ValueId value) {
  int uses = 0;
  for (const auto& statement : program.statements) {
    uses +=
        static_cast<int>(std::count(statement.operands.begin(), statement.operands.end(), value));
  }
  return uses;
}

// Whether `suits(statement)` holds for some statement.
template <typename Predicate>
bool HasStatement(const Program& program, Predicate suits) {
  return std::any_of(program.statements.begin(), program.statements.end(), suits);
}

// Whether some statement is an `op`.
inline bool Holds(const Program& program, Opcode op) {
  return HasStatement(program, [op](const auto& statement) { return statement.op == op; });
}

// In how many of 300 Programs `add` makes an `op`.
inline int CountWith(const std::function<void(Draft&)>& add, Opcode op, int count = 300) {
  return CountOf(
      add, [op](const Program& p) { return Holds(p, op); }, count);
}

// Calls `check` on as many Drafts.
inline void ForEachDraft(const std::function<void(Draft&)>& check) {
  CountOf(check, [](const Program&) { return true; });
}

}  // namespace twingrad::generators
