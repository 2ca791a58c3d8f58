// What each switch of a dialect changes: a Program, and what it shows with and without.

#include "autograd/reference/dialect.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr std::string_view kNone = "no error";

std::string ErrorOf(const TwinRun& run) {
  const auto& error = run.result().observation.error;
  if (!error) return std::string(kNone);
  return absl::StrCat(std::string(ErrorKindName(error->error)), "@", error->statement);
}

// The error under each of the three dialects.
struct Errors {
  std::string_view twingrad, pytorch, pytorch1;
};

void ExpectErrors(std::string_view text, const Errors& expected) {
  EXPECT_EQ(ErrorOf(TwinRun(text, Dialect::kTwingrad)), expected.twingrad) << text;
  EXPECT_EQ(ErrorOf(TwinRun(text, Dialect::kPytorch)), expected.pytorch) << text;
  EXPECT_EQ(ErrorOf(TwinRun(text, Dialect::kPytorch1)), expected.pytorch1) << text;
}

TEST(DialectTest, PartsAreRenewed) {
  const std::string head =
      "%x = leaf type=f64[2] data=1,2 grad=1\n%y = clone %x\n%a,%b = split %y dim=0 count=1\n";
  ExpectErrors(head + "neg_ %a\n%s = sum %b\nbackward %s\n",
               {kNone, "invalid_argument@3", "invalid_argument@3"});
  ExpectErrors(head + "neg_ %y\n%s = sum %b\nbackward %s\n",
               {kNone, "invalid_argument@4", "invalid_argument@4"});
  ExpectErrors(head + "%v = alias %a\nneg_ %v\n",
               {kNone, "invalid_argument@4", "invalid_argument@4"});
}

TEST(DialectTest, OrdersBackwardNodes) {
  constexpr const char* kText = R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%g,%h = grad %y inputs=%x,%x create_graph=1
hook %g do=record
hook %h do=record
%z = add %g %h
backward %z
)";
  const std::vector<bool> in_order = {false, false};
  EXPECT_EQ(TwinRun(kText).result().call_in_any_order, in_order);
  for (const Dialect dialect : {Dialect::kPytorch, Dialect::kPytorch1}) {
    const std::vector<bool> own = {false, true};
    EXPECT_EQ(TwinRun(kText, dialect).result().call_in_any_order, own);
  }
  // Whether the hook that is registered still fires in this call depends on the order.
  const std::string acting =
      absl::StrCat(std::string_view(kText).substr(0, std::string_view(kText).find("hook %g")),
                   "pre_hook %g do=register target=%h\n%z = add %g %h\nbackward %z\n");
  EXPECT_FALSE(TwinRun(acting).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(acting, Dialect::kPytorch).result().skipped.has_value());
  // Whether a call that a hook makes finds its graph does, where the outer one releases it.
  const auto nested = [](const char* flags) {
    return absl::StrCat(
        "%x = leaf type=f64[] data=3 grad=1\n%y = neg %x\n%z = mul %y %y\n"
        "%g,%h = grad %z inputs=%y,%x create_graph=1\nhook %g do=backward target=%h\n"
        "%s = add %g %h\nbackward %s",
        flags, "\n");
  };
  EXPECT_FALSE(TwinRun(nested("")).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(nested(""), Dialect::kPytorch).result().skipped.has_value());
  EXPECT_FALSE(TwinRun(nested(" retain_graph=1"), Dialect::kPytorch).result().skipped.has_value());
}

TEST(DialectTest, CapturesRunHooks) {
  constexpr const char* kText = R"(%a = leaf type=f64[] data=1 grad=1
%b = mul %a %a
retain_grad %b
%g = grad %b inputs=%b
)";
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("b"), Row({1}));
  EXPECT_FALSE(TwinRun(kText, Dialect::kPytorch1).Record("b").grad_defined);
}

TEST(DialectTest, RootsRunHooks) {
  constexpr const char* kText = R"(%a = leaf type=f64[] data=1 grad=1
%b = leaf type=f64[] data=1 grad=1
%y = neg %a
retain_grad %y
%g = grad %y inputs=%b allow_unused=1
)";
  EXPECT_FALSE(TwinRun(kText).Record("y").grad_defined);
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("y"), Row({1}));
  EXPECT_FALSE(TwinRun(kText, Dialect::kPytorch1).Record("y").grad_defined);
}

TEST(DialectTest, WhatAPadSavesHasNoPartInItsGradient) {
  for (const char* op : {"pad_reflect", "pad_replicate", "pad_circular"}) {
    const std::string text = absl::StrCat(
        "%x = leaf type=f64[1,2] grad=1\nbegin kind=saved_tensor_hooks do=scale by=2\n%y = ", op,
        " %x pads=1,0\nend\n%s = sum %y\n%g = grad %s inputs=%x create_graph=1\n"
        "%t = mul %g %x\n%u = sum %t\nbackward %u\n");
    const Row expected = op == std::string_view("pad_replicate") ? Row({2, 1}) : Row({1, 2});
    for (const Dialect dialect : {Dialect::kTwingrad, Dialect::kPytorch, Dialect::kPytorch1}) {
      EXPECT_EQ(TwinRun(text, dialect).Grad("x"), expected) << text;
    }
  }
}

// No dialect of it: what PyTorch's Python front end does is in golden/expected.
TEST(DialectTest, SurplusSeedsAreErrors) {
  ExpectErrors("%a = leaf type=f64[] grad=1\nbackward %a seeds=_,_\n",
               {"grad_count@1", "grad_count@1", "grad_count@1"});
}

TEST(DialectTest, SeedsHaveTheTypeOfRoots) {
  constexpr const char* kText = R"(%a = leaf type=f64[] data=3 grad=1
%s = leaf type=f32[] data=2
%y = mul %a %a
backward %y seeds=%s
)";
  ExpectErrors(kText, {"dtype@3", kNone, kNone});
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("a"), Row({12}));
}

// Rules: H.
TEST(DialectTest, PreHooksBeforeRetainGrad) {
  constexpr const char* kText = R"(%a = leaf type=f64[] data=1 grad=1
%b = neg %a
retain_grad %b
pre_hook %b do=scale by=10
backward %b
)";
  EXPECT_EQ(TwinRun(kText).Grad("b"), Row({10}));
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("b"), Row({1}));
}

// The derivative of tanh depends on what was written, through the view.
TEST(DialectTest, WrittenViewsAreRenewed) {
  ExpectErrors(R"(%x = leaf type=f64[] data=1 grad=1
%y = neg %x
%v = view %y shape=scalar
tanh_ %v
%g = grad %v inputs=%x create_graph=1
%h = grad %g inputs=%v
)",
               {"unused_input@5", kNone, kNone});
}

TEST(DialectTest, NoGradViewsAreRenewed) {
  ExpectErrors(R"(%x = leaf type=f64[] grad=1
begin kind=no_grad
%v = permute %x
neg_ %x
end
%y = neg %v
)",
               {kNone, "invalid_argument@5", "invalid_argument@5"});
  ExpectErrors(R"(%x = leaf type=f64[1] data=3 grad=1
%y = neg %x
%z = unsqueeze %y dim=0
begin kind=no_grad
%v = view %y shape=1,1
end
mul_ %z %v
backward %z
)",
               {"version@7", "invalid_argument@7", "invalid_argument@7"});
}

// Whose node is made first is seen in the order: later ones are executed first.
TEST(DialectTest, FailedStatementsRenewViews) {
  constexpr const char* kText = R"(%x = leaf type=f64[1] grad=1
%y = neg %x
%v = view %y shape=1
%w = view %y shape=1
neg_ %y
%i = leaf type=i64[1] data=1
begin kind=try
%p = index_select %v %i dim=0
end
backward %w %v
)";
  EXPECT_EQ(TwinRun(kText).Executed(0), (std::vector<int>{9, 2, 3, 4, 1, 0}));
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Executed(0), (std::vector<int>{9, 3, 2, 4, 1, 0}));
}

TEST(DialectTest, SavesWhatIsNeeded) {
  ExpectErrors(R"(%x = leaf type=f64[] data=2 grad=1
%e = leaf type=f64[] data=3
%y = pow %x %e
neg_ %y
backward %y
)",
               {kNone, "version@4", "version@4"});
  // The weight of lerp, although only its own derivative is asked for, and the divisor of addcdiv,
  // although only that of what is added to is.
  for (const char* op : {"lerp %e %e %x", "addcdiv %x %e %d"}) {
    ExpectErrors(absl::StrCat("%x = leaf type=f64[] data=2 grad=1\n%e = leaf type=f64[] data=3\n"
                              "%d = leaf type=f64[] data=3\n%y = ",
                              op, "\nbegin kind=no_grad\nneg_ %x\nneg_ %d\nend\nbackward %y\n"),
                 {kNone, "version@8", "version@8"});
  }
  // What layer_norm adds, although no derivative depends on it; the other norms do not.
  const auto written = [](const char* norm, const char* count) {
    return absl::StrCat("%x = leaf type=f64[2,2] data=1,2,3,5 grad=1\n%b = leaf type=f64[2]\n",
                        "%c = leaf type=f64[2]\n%y = ", norm, " %x %b %c ", count,
                        "eps=1\n%s = sum %y\nneg_ %c\nbackward %s\n");
  };
  ExpectErrors(written("layer_norm", "count=1 "), {kNone, "version@6", "version@6"});
  ExpectErrors(written("group_norm", ""), {kNone, kNone, kNone});
  ExpectErrors(written("batch_norm", ""), {kNone, kNone, kNone});
}

TEST(DialectTest, OperandsAreSavedForTheirSizes) {
  for (const char* op : {"mean %y dims=0", "embedding %y %i"}) {
    ExpectErrors(
        absl::StrCat("%x = leaf type=f64[2,1] data=2,4 grad=1\n%i = leaf type=i64[1] data=1\n"
                     "%y = neg %x\n%z = ",
                     op, "\nneg_ %y\n%s = sum %z\nbackward %s\n"),
        {kNone, kNone, "version@6"});
  }
}

// Along a dimension of one there is nothing to sum: the operand is saved in another shape.
TEST(DialectTest, SumsAreSaved) {
  const auto written = [](const char* leaf, bool tracked, const char* equation) {
    return absl::StrCat("%x = leaf type=", leaf, " grad=1\n%c = leaf type=", leaf, "\n%b = neg ",
                        tracked ? "%x" : "%c", "\n%y = einsum %x %b equation=", equation,
                        "\n%s = sum %y\nneg_ %b\nbackward %s\n");
  };
  const Errors all = {"version@6", "version@6", "version@6"};
  for (const bool tracked : {true, false}) {
    for (const char* equation : {"b,c->", "b,c->b"}) {
      ExpectErrors(written("f64[2] data=2,4", tracked, equation), {"version@6", kNone, kNone});
      ExpectErrors(written("f64[1] data=2", tracked, equation), all);
    }
    ExpectErrors(written("f64[2] data=2,4", tracked, "b,b->"), all);
  }
}

// What is made of such a view has a node that leads nowhere.
TEST(DialectTest, ViewsRequireGradWithBase) {
  constexpr std::string_view kView =
      "%x = leaf type=f64[1] data=3 grad=1\nbegin kind=no_grad\n%v = view %x shape=1\nend\n"
      "%y = mul %v %v\n";
  ExpectErrors(absl::StrCat(kView, "backward %y\n"), {"no_graph@5", kNone, kNone});
  ExpectErrors(absl::StrCat(kView, "backward %v\n"), {"no_graph@5", "no_graph@5", "no_graph@5"});
  ExpectErrors(absl::StrCat(kView, "%g = grad %y inputs=%v\n"),
               {"no_graph@5", "unused_input@5", "unused_input@5"});
  ExpectErrors(absl::StrCat(kView, "hook %v do=record\n"),
               {"no_graph@5", "no_graph@5", "no_graph@5"});
  const std::string freed = absl::StrCat(kView, "backward %y\nbackward %y\n");
  ExpectErrors(freed, {"no_graph@5", kNone, kNone});  // Nothing was saved.
  // Nor are factors whose product is added.
  const std::string added = absl::StrReplaceAll(freed, {{"mul %v %v", "addcmul %v %v %v"}});
  ExpectErrors(added, {"no_graph@5", kNone, kNone});
  // The divisor is saved for the derivatives in both operands.
  const std::string quotient = absl::StrReplaceAll(freed, {{"mul", "div"}});
  ExpectErrors(quotient, {"no_graph@5", "freed@6", "freed@6"});
  const TwinRun run(absl::StrCat(kView, "backward %y\n"), Dialect::kPytorch);
  EXPECT_EQ(run.Executed(0), std::vector<int>{4});
  EXPECT_FALSE(run.Record("x").grad_defined);
}

TEST(DialectTest, SeedsComeFirst) {
  ExpectErrors("%x = leaf type=f64[2]\n%y = leaf type=f64[2] grad=1\nbackward %x %y\n",
               {"no_graph@2", "implicit_seed@2", "implicit_seed@2"});
  ExpectErrors("%x = leaf type=f64[2]\n%y = leaf type=f64[] grad=1\nbackward %y %x seeds=_,%y\n",
               {"no_graph@2", "shape@2", "shape@2"});
  ExpectErrors("%x = leaf type=f64[2]\n%y = leaf type=f64[] grad=1\nbackward %x %y\n",
               {"no_graph@2", "no_graph@2", "no_graph@2"});
}

TEST(DialectTest, ViewWritesAreFreed) {
  ExpectErrors(R"(%x = leaf type=f64[2] grad=1
%b = neg %x
%v = select %b dim=0 index=0
neg_ %v
%s = sum %b
backward %s
backward %s
)",
               {kNone, "freed@6", "freed@6"});
}

TEST(DialectTest, OverwrittenGetsZeros) {
  for (const char* write : {"copy_ %y %z\n", "zero_ %y\n"}) {
    const std::string text = absl::StrCat(
        "%x = leaf type=f64[] data=3 grad=1\n%z = leaf type=f64[] data=2 grad=1\n%y = neg %x\n",
        write, "backward %y\n");
    EXPECT_FALSE(TwinRun(text).Record("x").grad_defined) << text;
    EXPECT_EQ(TwinRun(text, Dialect::kPytorch).Grad("x"), Row({0})) << text;
  }
}

TEST(DialectTest, OperandsMayOverlap) {
  ExpectErrors("%x = leaf type=f64[1] data=3\n%v = view %x shape=scalar\nadd_ %x %v\n",
               {kNone, "invalid_argument@2", "invalid_argument@2"});
  ExpectErrors("%x = leaf type=f64[2,2]\n%v = transpose %x dims=0,1\nadd_ %x %v\n",
               {kNone, "invalid_argument@2", "invalid_argument@2"});
  // Element by element, in other places, or not in one stretch.
  ExpectErrors("%x = leaf type=f64[2]\n%v = slice %x dim=0\nadd_ %x %v\n", {kNone, kNone, kNone});
  ExpectErrors(
      "%x = leaf type=f64[4]\n%a = slice %x dim=0 stop=2\n%b = slice %x dim=0 start=2\n"
      "add_ %a %b\n",
      {kNone, kNone, kNone});
  ExpectErrors(
      "%x = leaf type=f64[4]\n%a = slice %x dim=0 step=2\n%b = slice %x dim=0 stop=2\n"
      "add_ %a %b\n",
      {kNone, kNone, kNone});
  // Neither fills a stretch, so that the overlap is not seen, and the result is anybody's.
  constexpr const char* kUnseen =
      "%x = leaf type=f64[2,2,2]\n%v = select %x dim=1 index=1\n%w = transpose %v dims=0,1\n"
      "mul_ %v %w\n";
  EXPECT_FALSE(TwinRun(kUnseen).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(kUnseen, Dialect::kPytorch).result().skipped.has_value());
}

TEST(DialectTest, SignsHaveHistory) {
  for (const char* op : {"relu %x", "abs %x", "hardtanh %x min=1 max=4", "relu6 %x"}) {
    const std::string text = absl::StrCat("%x = leaf type=f64[] data=3 grad=1\n%y = ", op,
                                          "\n%g = grad %y inputs=%x create_graph=1\nbackward %g\n");
    ExpectErrors(text, {"no_graph@3", kNone, kNone});
    EXPECT_EQ(TwinRun(text, Dialect::kPytorch).Grad("x"), Row({0})) << text;
  }
  // And no other: the third derivative of a cube is what it is.
  constexpr const char* kCube = R"(%x = leaf type=f64[1,2] data=3,4 grad=1
%p = pad_reflect %x pads=1,0
%q = mul %p %p
%c = mul %q %p
%s = sum %c
%g = grad %s inputs=%x create_graph=1
%t = sum %g
%h = grad %t inputs=%x create_graph=1
%u = sum %h
backward %u
)";
  EXPECT_EQ(TwinRun(kCube, Dialect::kPytorch).Grad("x"), Row({6, 12}));
  for (const char* op : {"pad_reflect", "pad_replicate"}) {
    const std::string text = absl::StrCat(
        "%x = leaf type=f64[1,2] data=3,4 grad=1\n%w = leaf type=f64[1,4]\n%y = ", op,
        " %x pads=1,1\n%g = grad %y seeds=%w inputs=%x create_graph=1\n%s = sum %g\nbackward %s\n");
    ExpectErrors(text, {"no_graph@5", kNone, kNone});
    EXPECT_EQ(TwinRun(text, Dialect::kPytorch).Grad("x"), Row({0, 0})) << text;
    // The node of the zeros keeps the shape alone: it may run twice, after a write of what it pads.
    ExpectErrors(absl::StrCat("%x = leaf type=f64[1,2] data=3,4 grad=1\n%w = leaf type=f64[1,4]\n"
                              "%y = ",
                              op,
                              " %x pads=1,1\n"
                              "%g = grad %y seeds=%w inputs=%x create_graph=1\n%s = sum %g\n"
                              "begin kind=no_grad\nneg_ %x\nend\nbackward %g seeds=%x\n"
                              "backward %g seeds=%x\n"),
                 {"no_graph@8", kNone, kNone});
  }
}

TEST(DialectTest, SquaresHaveHistory) {
  const std::string second =
      "%x = leaf type=f64[] data=3 grad=1\n%y = square %x\n%g = grad %y inputs=%x create_graph=1\n"
      "%h = grad %g inputs=%x create_graph=1\n";
  ExpectErrors(absl::StrCat(second, "backward %h\n"), {"no_graph@4", kNone, kNone});
  EXPECT_EQ(TwinRun(absl::StrCat(second, "backward %h\n"), Dialect::kPytorch).Grad("x"), Row({0}));
  ExpectErrors(absl::StrCat(second, "%i = grad %h inputs=%x create_graph=1\nbackward %i\n"),
               {"no_graph@4", "no_graph@5", "no_graph@5"});
}

TEST(DialectTest, ClampIsFlatAtLimits) {
  constexpr const char* kText =
      "%x = leaf type=f64[3] data=1,2,3 grad=1\n%y = clamp %x min=1 max=3\n%s = sum %y\n"
      "backward %s\n";
  EXPECT_EQ(TwinRun(kText).Grad("x"), Row({0, 1, 0}));
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("x"), Row({0, 1, 0}));
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch1).Grad("x"), Row({1, 1, 1}));
}

// 1/3 three times is not 1.
TEST(DialectTest, FactorsAreSaved) {
  const auto twice = [](const std::string& scaled) {
    return absl::StrCat("%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=5 grad=1\n",
                        scaled, "%g = grad %y inputs=%x seeds=%s create_graph=1\n",
                        "backward %g\nbackward %g\n");
  };
  ExpectErrors(twice("%y = neg %x\nhook %y do=scale by=2\n"), {"freed@6", kNone, kNone});
  ExpectErrors(twice("%y = custom %x do=scale by=2\n"), {"freed@5", kNone, kNone});
  // The weights of an interpolation, in what create_graph makes of its gradient.
  ExpectErrors(
      "%x = leaf type=f64[1,1,1] data=0 grad=1\n%y = upsample_linear1d %x shape=1\n"
      "%g = grad %y seeds=%y inputs=%x create_graph=1\nbackward %g seeds=%x\n"
      "backward %g seeds=%x\n",
      {"freed@4", kNone, kNone});
  // Where pow takes its base, which the third derivative depends on.
  ExpectErrors(
      "%x = leaf type=f64[] data=2 grad=1\n%b = leaf type=f64[] data=3\n%y = pow %x %b\n"
      "%g = grad %y inputs=%x create_graph=1\n%h = grad %g inputs=%x create_graph=1\n"
      "backward %h\nbackward %g\n",
      {"freed@6", kNone, kNone});
}

TEST(DialectTest, RetainingAgainRequestsNodes) {
  // A part has no node once its base was written.
  ExpectErrors(
      "%x = leaf type=f64[1] data=1 grad=1\n%y = neg %x\n%p = split %y dim=0 count=1\n"
      "retain_grad %p\nneg_ %y\nretain_grad %p\n",
      {kNone, kNone, "invalid_argument@5"});
}

TEST(DialectTest, DividesLate) {
  for (const char* mean : {"mean %x dims=0,1", "adaptive_avg_pool1d %x shape=1"}) {
    const std::string text = absl::StrCat("%x = leaf type=f64[1,6] grad=1\n%m = ", mean, R"(
%w = leaf type=f64[] data=1 grad=1
%y = mul %m %w
%z = sum %y
%g = grad %z inputs=%x create_graph=1
%s = sum %g
backward %s
)");
    EXPECT_EQ(TwinRun(text).GradBound("w"), Row({0})) << mean;
    EXPECT_GT(TwinRun(text, Dialect::kPytorch).GradBound("w")[0], 0) << mean;
  }
  // The mean's part of what %g holds runs twice; nothing of it was saved.
  constexpr const char* kTwice = R"(%x = leaf type=f64[] data=0 grad=1
%y = mul %x %x
%m = mean %y
%g = grad %m seeds=%x inputs=%x create_graph=1
backward %g create_graph=1
%h = read_grad %x
backward %h
backward %g
)";
  ExpectErrors(kTwice, {"freed@7", kNone, kNone});
}

}  // namespace
}  // namespace twingrad::reference
