#include "autograd/sync/model/scheduler.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::sync::model {
namespace {

std::vector<int> destroyed;

TEST(OperationNameTest, NamesAreDistinct) {
  std::set<std::string> names;
  const int count = static_cast<int>(OperationKind::kYield) + 1;
  for (int kind = 0; kind < count; ++kind) {
    names.insert(OperationName(static_cast<OperationKind>(kind)));
  }
  EXPECT_EQ(static_cast<int>(names.size()), count);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(LocalTableTest, CreatesOnceAndDestroysTheYoungestFirst) {
  destroyed.clear();
  LocalKey keys[2];
  const auto destroy = +[](void* object) {
    destroyed.push_back(*static_cast<int*>(object));
    delete static_cast<int*>(object);
  };
  {
    LocalTable table;
    int* one = static_cast<int*>(table.Get(
        keys[0], +[]() -> void* { return new int(1); }, destroy));
    table.Get(
        keys[1], +[]() -> void* { return new int(2); }, destroy);
    EXPECT_EQ(table.Get(
                  keys[0], +[]() -> void* { return new int(3); }, destroy),
              one);
  }
  EXPECT_EQ(destroyed, (std::vector<int>{2, 1}));
}

TEST(LocalTableTest, OutsideAnExecutionTheProcessHasOne) {
  ASSERT_EQ(Current(), nullptr);
  EXPECT_EQ(&CurrentLocals(), &CurrentLocals());
}

TEST(MisuseDeathTest, AbortsOutsideAnExecution) {
  EXPECT_DEATH(Misuse("[sync] nobody can end this wait", std::source_location::current()),
               "nobody can end this wait");
}

}  // namespace
}  // namespace twingrad::sync::model
