// Test support for parts: makes many small Programs of a leaf and one part and checks that each is
// valid.

#pragma once

#include <cstdint>
#include <functional>

#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"  // IWYU pragma: export
#include "proptests/generators/draft.h"
#include "proptests/generators/leaf.h"

namespace twingrad::generators {

// Makes `count` Programs with `add`, on Drafts that hold one leaf, and checks that each is valid.
// Returns for how many of them `holds(program)` is true.
inline int CountOf(const std::function<void(Draft&)>& add,
                   const std::function<bool(const Program&)>& holds, int count = 300) {
  int found = 0;
  const GeneratorOptions options;
  for (int seed = 0; seed < count; ++seed) {
    Source source = Source::FromSeed(static_cast<uint64_t>(seed));
    Draft draft(options, source);
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
    for (ValueId operand : statement.operands) uses += operand == value ? 1 : 0;
  }
  return uses;
}

// Whether some statement is an `op`.
inline bool Holds(const Program& program, Opcode op) {
  for (const auto& statement : program.statements) {
    if (statement.op == op) return true;
  }
  return false;
}

}  // namespace twingrad::generators
