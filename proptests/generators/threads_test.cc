// Thread sections: at least two in a row, which call the engine and share what came before them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

using twingrad::program::RegionKind;
using twingrad::program::Section;
using twingrad::program::SectionsFrom;
using twingrad::program::SignatureOf;

std::vector<Section> SectionsOf(const Program& program) {
  for (size_t s = 0; s < program.statements.size(); ++s) {
    if (Begins(program.statements[s], RegionKind::kThread)) {
      return SectionsFrom(program, static_cast<int32_t>(s));
    }
  }
  return {};
}

// How many of a Program's sections call the engine.
int Calling(const Program& program) {
  int calling = 0;
  for (const Section& section : SectionsOf(program)) {
    const auto begin = program.statements.begin();
    calling += std::any_of(begin + section.begin, begin + section.end, [](const auto& statement) {
      return statement.op == Opcode::kBackward || statement.op == Opcode::kGrad;
    });
  }
  return calling;
}

TEST(Threads, SectionsStandSideBySide) {
  EXPECT_EQ(CountOf(AddThreads, [](const Program& p) { return SectionsOf(p).size() >= 2; }), 300);
}

TEST(Threads, MostCallTheEngineAtOnce) {
  EXPECT_GT(CountOf(AddThreads, [](const Program& p) { return Calling(p) >= 2; }), 200);
}

// Whether a section holds such a statement.
bool InASection(const Program& program, twingrad::program::Category category) {
  for (const Section& section : SectionsOf(program)) {
    for (int s = section.begin; s < section.end; ++s) {
      if (SignatureOf(program.statements[static_cast<size_t>(s)].op).category == category) {
        return true;
      }
    }
  }
  return false;
}

TEST(Threads, SectionsHaveStreamsAndWritesOfTheirOwn) {
  using twingrad::program::Category;
  for (const Category category : {Category::kStream, Category::kInPlace, Category::kView}) {
    EXPECT_GT(CountOf(AddThreads, [=](const Program& p) { return InASection(p, category); }), 3);
  }
}

bool HasReader(const Program& program) {
  return std::any_of(program.statements.begin(), program.statements.end(),
                     [](const auto& s) { return s.op == Opcode::kAccumulateHook; });
}

TEST(Threads, SomeReleaseOneGraph) {
  const int racy = CountOf(AddThreads, [](const Program& p) {
    return !HasReader(p) && twingrad::program::Analyze(p)->racy;
  });
  EXPECT_GT(racy, 0);
  EXPECT_LT(racy, 60);
}

TEST(Threads, SomeMeetAtALeafThatHooksRead) {
  const int racy = CountOf(AddThreads, [](const Program& p) {
    return HasReader(p) && twingrad::program::Analyze(p)->racy;
  });
  EXPECT_GT(racy, 10);
  EXPECT_LT(racy, 60);
}

}  // namespace
}  // namespace twingrad::generators
