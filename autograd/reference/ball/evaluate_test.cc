// Views, copies and the ops in place, each against what it stands for.

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallEvaluate, Copies) {
  const LinearCase cases[] = {
      {kMatrix,
       "cast %x to=f32",
       "f32[2,3] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {kMatrix,
       "to %x device=dev:0",
       "f64[2,3] data=1,2,3,4,5,6 device=dev:0",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

TEST(BallEvaluate, Views) {
  const LinearCase cases[] = {
      {kMatrix,
       "transpose %x dims=0,1",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 6, 1, 5, 2, 4},
       {1, 3, 5, 2, 4, 6}},
      {kMatrix,
       "permute %x dims=1,0",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 6, 1, 5, 2, 4},
       {1, 3, 5, 2, 4, 6}},
      {kMatrix,
       "view %x shape=6",
       "f64[6] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {kMatrix,
       "reshape %x shape=3,2",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {kMatrix, "select %x dim=1 index=2", "f64[2] data=1,10", {2, 4}, {0, 0, 1, 0, 0, 10}},
      {kMatrix,
       "slice %x dim=1 start=0 step=2",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 6, 4},
       {1, 0, 2, 3, 0, 4}},
      {kMatrix,
       "unsqueeze %x dim=1",
       "f64[2,1,3] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {"%x = leaf type=f64[2,1] data=3,4 grad=1\n",
       "squeeze %x",
       "f64[2] data=1,10",
       {3, 4},
       {1, 10}},
      {"%x = leaf type=f64[2,1] data=3,4 grad=1\n",
       "expand %x shape=2,2",
       "f64[2,2] data=1,2,3,4",
       {3, 3, 4, 4},
       {3, 7}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

TEST(BallEvaluate, InPlaceOpsAreThoseThatTheyPerform) {
  for (const program::Signature& signature : program::Signatures()) {
    if (signature.category != program::Category::kInPlace || signature.performs == signature.op) {
      continue;
    }
    const auto& performed = program::SignatureOf(signature.performs);
    const std::string second = signature.min_operands == 2 ? " %b" : "";
    const std::string begin =
        "%x = leaf type=f64[2] data=0.5,2 grad=1\n%b = leaf type=f64[2] data=3,0.25 grad=1\n"
        "%y = clone %x\n";
    const std::string end = "%s = sum %r\nbackward %s\n";
    const BallRun apart(
        absl::StrCat(begin, "%r = ", std::string(performed.name), " %y", second, "\n", end));
    const BallRun in_place(
        absl::StrCat(begin, std::string(signature.name), " %y", second, "\n%r = clone %y\n", end));
    EXPECT_EQ(apart.Value("r"), in_place.Value("r")) << signature.name;
    EXPECT_EQ(apart.Grad("x"), in_place.Grad("x")) << signature.name;
    EXPECT_EQ(apart.Grad("b"), in_place.Grad("b")) << signature.name;
  }
}

}  // namespace
}  // namespace twingrad::reference::ball
