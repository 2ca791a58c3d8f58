// `oracle campaign` over an engine with two defects: what a person sees is two rows.

#include <string>

#include "nlohmann/json.hpp"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

class GroupsTest : public ToolTest {
 protected:
  GroupsTest() : ToolTest("tools/oracle/twice_wrong_oracle") {}
};

// Of statements that show one defect, `add` (a gradient is not summed over what was broadcast) or
// `sigmoid` (a sign in its second derivative), and of some that may follow.
TEST_F(GroupsTest, TwoDefectsOfManyFormsAreTwoGroups) {
  Written("plan.json", R"({"seed": 3, "shards": 1, "jobs": [{"programs": 200, "flags": {
      "ops": "add,sigmoid,matmul,amin,slice,select",
      "features": "-hook,-custom,-saved_hooks,-error,-calls,-threads"}}]})");
  ASSERT_EQ(Tool({"campaign", "plan", "plan.json", "--out=c"}).exit_status, 0);
  ASSERT_EQ(Tool({"campaign", "work", "c", "--jobs=1"}).exit_status, 0);
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 1) << merge.errors;
  EXPECT_THAT(merge.output, HasSubstr(" in 2 groups\n"));
  const auto status = nlohmann::json::parse(Tool({"campaign", "status", "c", "--json"}).output);
  EXPECT_EQ(status["groups"], 2);
  EXPECT_GE(status["findings"], 3) << merge.output;
  const std::string page = Read(At("c/merged/index.html"));
  EXPECT_THAT(page, HasSubstr(R"("statements":["add"])"));
  EXPECT_THAT(page, HasSubstr(R"("statements":["sigmoid"])"));
}

}  // namespace
}  // namespace twingrad::oracle
