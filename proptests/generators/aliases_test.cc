// The pairs that values of one memory are made for occur.

#include <algorithm>
#include <set>

#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

using program::Category;
using program::SignatureOf;
using program::Statement;

// Whether some of `later` follows some of `earlier` in the Program, not necessarily at once.
template <typename Earlier, typename Later>
bool Follows(const Program& program, Earlier earlier, Later later) {
  const auto first = std::ranges::find_if(program.statements, earlier);
  return first != program.statements.end() &&
         std::any_of(first + 1, program.statements.end(), later);
}

bool IsWrite(const Statement& s) { return SignatureOf(s.op).category == Category::kInPlace; }
bool IsView(const Statement& s) { return SignatureOf(s.op).category == Category::kView; }
bool Is(const Statement& s, Opcode op) { return s.op == op; }

TEST(Aliases, MostDraftsHoldViewsAndWrites) {
  const auto holds = [](auto is) {
    return CountOf(AddAliases, [is](const Program& p) { return HasStatement(p, is); });
  };
  EXPECT_GT(holds(IsView), 240);
  EXPECT_GT(holds(IsWrite), 100);
}

TEST(Aliases, GradsAreRetainedBeforeAndAfterAWrite) {
  const auto retains = [](const Statement& s) { return Is(s, Opcode::kRetainGrad); };
  const auto before = [&](const Program& p) { return Follows(p, retains, IsWrite); };
  const auto after = [&](const Program& p) { return Follows(p, IsWrite, retains); };
  EXPECT_GT(CountOf(AddAliases, before), 15);
  EXPECT_GT(CountOf(AddAliases, after), 15);
}

TEST(Aliases, HooksAreAddedBeforeAndAfterAWrite) {
  const auto hooks = [](const Statement& s) { return Is(s, Opcode::kHook); };
  const auto before = [&](const Program& p) { return Follows(p, hooks, IsWrite); };
  const auto after = [&](const Program& p) { return Follows(p, IsWrite, hooks); };
  EXPECT_GT(CountOf(AddAliases, before), 5);
  EXPECT_GT(CountOf(AddAliases, after), 5);
}

// A view whose operand is what `makes` says.
template <typename Makes>
bool HasViewOf(const Program& program, Makes makes) {
  std::set<ValueId> made;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& s = program.statements[i];
    if (IsView(s) && made.count(s.operands[0]) > 0) return true;
    if (makes(program, i, made)) made.insert(s.results[0]);
  }
  return false;
}

TEST(Aliases, ViewsOfDetachedSlicesOccur) {
  const auto detached_slice = [](const Program& program, size_t at, const std::set<ValueId>&) {
    const Statement& s = program.statements[at];
    return Is(s, Opcode::kDetach) && HasStatement(program, [&](const Statement& of) {
             return (Is(of, Opcode::kSlice) || Is(of, Opcode::kSelect)) &&
                    of.results[0] == s.operands[0];
           });
  };
  EXPECT_GT(CountOf(AddAliases, [&](const Program& p) { return HasViewOf(p, detached_slice); }),
            15);
}

TEST(Aliases, ViewsOfViewsMadeWithoutGradModeOccur) {
  const auto made_without = [](const Program& program, size_t at, const std::set<ValueId>&) {
    return at > 0 && IsView(program.statements[at]) &&
           Begins(program.statements[at - 1], program::RegionKind::kNoGrad);
  };
  EXPECT_GT(CountOf(AddAliases, [&](const Program& p) { return HasViewOf(p, made_without); }), 15);
}

}  // namespace
}  // namespace twingrad::generators
