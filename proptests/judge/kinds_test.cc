// Kinds are found in statements, each once.

#include "proptests/judge/kinds.h"

#include <set>
#include <string>
#include <vector>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::judge {
namespace {

std::vector<std::string> Names(const std::string& text) {
  const auto program = program::Parse("twingrad 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.status();
  std::vector<std::string> names;
  for (const int kind : KindsOf(*program)) names.emplace_back(KindName(kind));
  return names;
}

TEST(Kinds, StatementsRegionsAndActionsEachOnce) {
  const std::vector<std::string> expected = {"leaf",
                                             "neg",
                                             "hook",
                                             "post_hook",
                                             "custom_",
                                             "begin",
                                             "end",
                                             "begin kind=try",
                                             "begin kind=saved_tensor_hooks",
                                             "hook do=warn",
                                             "custom do=scale",
                                             "saved_tensor_hooks do=scale"};
  EXPECT_EQ(Names("%x = leaf type=f64[] grad=1\nbegin kind=try\n"
                  "begin kind=saved_tensor_hooks do=scale by=2\n%y = neg %x\n%z = neg %y\n"
                  "end\nend\nhook %y do=warn\npost_hook %y do=warn\ncustom_ %y do=scale by=2\n"),
            expected);
}

TEST(Kinds, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  int generated = 0;
  for (int kind = 0; kind < kNumKinds; ++kind) {
    EXPECT_TRUE(names.emplace(KindName(kind)).second) << KindName(kind);
    generated += IsGenerated(kind) ? 1 : 0;
  }
  EXPECT_EQ(generated, kNumKinds - 1);
  EXPECT_EQ(names.count("hook do=callback"), 1u);
  EXPECT_EQ(names.count("hook do=zero_grad"), 1u);
  EXPECT_EQ(names.count("custom do=keep"), 0u);
}

}  // namespace
}  // namespace twingrad::judge
