#include "proptests/generators/indexed.h"

#include <algorithm>
#include <string>

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Statement;

void Apply(Draft& draft, Opcode op) {
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{3, 2, 2}, .grad = true});
  ApplyIndexed(draft, x, op, 1);
}

// In how many of 400 Programs the op's statement is as asked for; `leaf` gives the leaf of operand
// k.
template <typename Predicate>
int CountWhere(Opcode op, Predicate holds) {
  return CountOf([op](Draft& draft) { Apply(draft, op); },
                 [&](const Program& program) {
                   const auto leaf = [&](ValueId value) {
                     return *std::find_if(program.statements.begin(), program.statements.end(),
                                          [&](const auto& s) {
                                            return !s.results.empty() && s.results[0] == value;
                                          });
                   };
                   return HasStatement(program, [&](const Statement& s) {
                     return s.op == op && holds(s, leaf(s.operands.back()));
                   });
                 },
                 400);
}

Bits DataOf(const Statement& leaf) { return leaf.Get<Bits>(Key::kData); }

TEST(Indexed, MasksAndIndicesOfAllKinds) {
  for (const Opcode op : {Opcode::kIndex, Opcode::kIndexPut}) {
    const size_t least = op == Opcode::kIndex ? 2 : 3;
    const auto masked = [](const Statement& s) { return s.Find(Key::kCount) != nullptr; };
    const auto count_of = [](const Statement& s) { return s.Get<int64_t>(Key::kCount); };
    for (size_t more = 0; more < 3; ++more) {
      EXPECT_GT(CountWhere(op,
                           [&](const Statement& s, const Statement&) {
                             return s.operands.size() == least + more && !masked(s);
                           }),
                20);
    }
    EXPECT_GT(CountWhere(op, [&](const auto& s, const auto&) { return masked(s); }), 60);
    EXPECT_GT(CountWhere(op,
                         [&](const auto& s, const auto& mask) {
                           return masked(s) && count_of(s) == 0 && !DataOf(mask).empty();
                         }),
              5);
    EXPECT_GT(CountWhere(op,
                         [&](const auto& s, const auto& mask) {
                           return masked(s) &&
                                  count_of(s) == static_cast<int64_t>(DataOf(mask).size());
                         }),
              5);
    EXPECT_GT(CountWhere(op, [&](const auto& s,
                                 const auto& list) { return !masked(s) && DataOf(list).empty(); }),
              5);
    EXPECT_GT(CountWhere(op,
                         [&](const auto& s, const auto& list) {
                           const Bits data = DataOf(list);
                           return !masked(s) && s.operands.size() == least &&
                                  std::count(data.begin(), data.end(), data.empty() ? 0 : data[0]) >
                                      1;
                         }),
              5);
  }
  const auto adds = [](bool accumulate) {
    return CountWhere(Opcode::kIndexPut, [=](const auto& s, const auto&) {
      return s.template Get<bool>(Key::kAccumulate) == accumulate;
    });
  };
  EXPECT_GT(adds(true), 80);
  EXPECT_GT(adds(false), 80);
}

TEST(Indexed, EveryReductionWithAndWithoutWhatIsThere) {
  for (const char* reduction : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool include_self : {false, true}) {
      const int found = CountWhere(Opcode::kScatterReduce, [&](const auto& s, const auto&) {
        return s.template Get<std::string>(Key::kReduction) == reduction &&
               s.template Get<bool>(Key::kIncludeSelf, true) == include_self;
      });
      EXPECT_GT(found, 4) << reduction << include_self;
    }
  }
}

TEST(Indexed, MasksThatSelect) {
  const auto counts = [](auto holds) {
    return CountWhere(Opcode::kMaskedSelect, [=](const auto& s, const auto& mask) {
      return holds(s.template Get<int64_t>(Key::kCount), DataOf(mask).size());
    });
  };
  EXPECT_GT(counts([](int64_t count, size_t) { return count > 0; }), 100);
  EXPECT_GT(counts([](int64_t count, size_t size) { return count == 0 && size > 0; }), 10);
  EXPECT_GT(counts([](int64_t count, size_t size) { return size < 12 && count > 0; }), 10);
  EXPECT_GT(counts([](int64_t, size_t size) { return size == 24; }), 10);
}

}  // namespace
}  // namespace twingrad::generators
