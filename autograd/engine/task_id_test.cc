// Ids name living tasks only.

#include "autograd/engine/task_id.h"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace twingrad {
namespace {

// Rules: D14.
TEST(TaskIdTest, AnIdIsAliveAsLongAsItsTask) {
  uint32_t id = 0;
  {
    TaskId task;
    id = task.claim_id();
    ASSERT_NE(id, 0u);
    EXPECT_TRUE(TaskId::IsAlive(id));
  }
  EXPECT_FALSE(TaskId::IsAlive(id));
  EXPECT_FALSE(TaskId::IsAlive(0));
}

TEST(TaskIdTest, ManyTasksHaveDistinctNumbersAndThoseWithoutAPlaceClaimNothing) {
  std::vector<std::unique_ptr<TaskId>> tasks;
  std::set<uint64_t> numbers;
  std::set<uint32_t> ids;
  int without = 0;
  for (int i = 0; i < 300; ++i) {
    tasks.push_back(std::make_unique<TaskId>());
    EXPECT_TRUE(numbers.insert(tasks.back()->number()).second);
    if (tasks.back()->claim_id() == 0) {
      ++without;
    } else {
      EXPECT_TRUE(ids.insert(tasks.back()->claim_id()).second);
    }
  }
  EXPECT_GT(without, 0);
  EXPECT_GE(ids.size(), 200u);
  tasks.clear();
  EXPECT_NE(TaskId().claim_id(), 0u);
}

}  // namespace
}  // namespace twingrad
