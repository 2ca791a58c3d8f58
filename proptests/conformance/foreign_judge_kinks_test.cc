// What other numbers than the twin's are right at points without a derivative, and what nowhere
// else.

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/conformance/testing_judge.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;

// An element of %NAME (or of its .grad, with a dot before the name) that an engine shows in place
// of the twin's, and what becomes of it.
struct Answer {
  const char* what;
  const char* statements;
  std::vector<std::pair<const char*, std::vector<double>>> shown;
  Outcome outcome;
};

ForeignVerdict JudgeAnswer(const Answer& answer) {
  const Program program = Parsed(answer.statements);
  return Judge(program, Everything(), [&](Observation& observed) {
    for (const auto& [name, elements] : answer.shown) {
      const bool grad = name[0] == '.';
      for (size_t v = 0; v < program.names.size(); ++v) {
        if (program.names[v] != name + (grad ? 1 : 0)) continue;
        auto& bits = (grad ? observed.values[v].grad : observed.values[v].data).bits;
        ASSERT_EQ(bits.size(), elements.size()) << answer.what;
        for (size_t i = 0; i < bits.size(); ++i) bits[i] = std::bit_cast<uint64_t>(elements[i]);
      }
    }
  });
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Outcome kRight = Outcome::kConvention;

// The second derivative jumps where the first does not. An engine may take either side, and the
// twin follows the one that its dialect takes; the dual numbers know of both.
TEST(ForeignJudgeKinksTest, BothSidesOfAJumpOfTheSecondDerivativeAreLegal) {
  for (const char* operands : {"%x %b", "%b %x"}) {
    const Program smooth = Parsed(absl::StrCat(
        "%b = leaf type=f64[] data=0\n%x = leaf type=f64[] data=1 grad=1\n%y = smooth_l1_loss ",
        operands, "\n%g = grad %y inputs=%x create_graph=1\nbackward %g\n"));
    for (const char* dialect : {"twingrad", "pytorch", "pytorch1"}) {
      protocol::Hello hello = Everything();
      hello.dialect = dialect;
      const auto is_wrong = [&](double second) {
        return Judge(smooth, hello, Grad(1, second)).outcome == Outcome::kWrong;
      };
      EXPECT_FALSE(is_wrong(0)) << dialect << " " << operands;
      EXPECT_FALSE(is_wrong(1)) << dialect << " " << operands;
      EXPECT_TRUE(is_wrong(7)) << dialect << " " << operands;
    }
  }
}

// Legal are the chain rule over one element of each op's generalized gradient, chosen once for each
// node and element and kept in all uses, and no more.
TEST(ForeignJudgeKinksTest, AtKinksLegalAnswersAreConventionsAndOthersWrong) {
  const std::string two = "%x = leaf type=f64[2] data=3,3 grad=1\n", end = "backward %y\n";
  const char* relu = "%x = leaf type=f64[] grad=1\n%y = relu %x\nbackward %y\n";
  const char* difference =  // relu(x) - relu(-x), whose slope is a sum of two slopes of relu
      "%x = leaf type=f64[] grad=1\n%a = relu %x\n%n = neg %x\n%b = relu %n\n%y = sub %a %b\n"
      "backward %y\n";
  const char* twice =  // relu(x) to one leaf's gradient and twice it to another's
      "%w = leaf type=f64[2] data=1,2 grad=1\n%x = leaf type=f64[] grad=1\n"
      "%e = expand %x shape=2\n%r = relu %x\n%p = mul %r %w\n%y = sum %p\n"
      "%g = grad %y inputs=%x retain_graph=1\nbackward %y\n";
  const char* sgn = "%x = leaf type=f64[] grad=1\n%y = sgn %x\nbackward %y\n";
  const char* abs_squared =
      "%x = leaf type=f64[] grad=1\n%a = abs %x\n%y = mul %a %a\nbackward %y\n";
  const char* same = "%x = leaf type=f64[] data=2 grad=1\n%y = maximum %x %x\nbackward %y\n";
  const char* tied =
      "%x = leaf type=f64[] data=2 grad=1\n%z = leaf type=f64[] data=2 grad=1\n"
      "%y = maximum %x %z\nbackward %y\n";
  const char* clamped =
      "%x = leaf type=f64[] data=1 grad=1\n%y = clamp %x min=1 max=2\nbackward %y\n";
  const char* constant =
      "%x = leaf type=f64[] data=1 grad=1\n%y = clamp %x min=1 max=1\nbackward %y\n";
  const std::string amax = two + "%y = amax %x\n" + end, max = two + "%y = max %x dim=0\n" + end;
  const std::string sort = two +
                           "%w = leaf type=f64[2] data=1,10\n%p = sort %x dim=0\n%q = mul %p %w\n"
                           "%y = sum %q\n" +
                           end;
  // A kink beside which something else is wrong.
  const char* beside =
      "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] data=1 grad=1\n%r = relu %x\n%t = tanh "
      "%z\n"
      "%y = add %r %t\nbackward %y\n";
  for (const Answer& answer : std::vector<Answer>{
           {"relu'(0) is 1", relu, {{".x", {1}}}, kRight},
           {"relu'(0) is between", relu, {{".x", {0.25}}}, kRight},
           {"relu'(0) is 7", relu, {{".x", {7}}}, Outcome::kWrong},
           {"relu'(0) is negative", relu, {{".x", {-0.5}}}, Outcome::kWrong},
           {"relu(0) is 7", relu, {{"y", {7}}}, Outcome::kWrong},
           {"the sum of two slopes is 2", difference, {{".x", {2}}}, kRight},
           {"the sum of two slopes is 7", difference, {{".x", {7}}}, Outcome::kWrong},
           {"one slope in both calls", twice, {{".x", {3}}, {"g", {3}}}, kRight},
           {"two slopes of one node", twice, {{".x", {3}}, {"g", {1}}}, Outcome::kWrong},
           {"one slope changed, the other not", twice, {{".x", {3}}}, Outcome::kWrong},
           {"sgn'(0) is inf", sgn, {{".x", {kInf}}}, kRight},
           {"sgn'(0) is NaN", sgn, {{".x", {kNan}}}, kRight},
           {"sgn'(0) is 7", sgn, {{".x", {7}}}, Outcome::kWrong},
           {"abs(x) squared, which is x squared", abs_squared, {{".x", {7}}}, Outcome::kWrong},
           {"maximum(x, x), which is x", same, {{".x", {7}}}, Outcome::kWrong},
           {"maximum at a tie gives all to one", tied, {{".x", {1}}, {".z", {0}}}, kRight},
           {"maximum at a tie gives too much", tied, {{".x", {1}}}, Outcome::kWrong},
           {"clamp at its limit", clamped, {{".x", {1}}}, kRight},
           {"clamp at its limit beyond", clamped, {{".x", {7}}}, Outcome::kWrong},
           {"clamp to one number, which is constant", constant, {{".x", {1}}}, Outcome::kWrong},
           {"amax gives all to one", amax.c_str(), {{".x", {0, 1}}}, kRight},
           {"amax gives too little", amax.c_str(), {{".x", {0.5, 0}}}, Outcome::kWrong},
           {"amax gives each all", amax.c_str(), {{".x", {1, 1}}}, Outcome::kWrong},
           {"max picks the other", max.c_str(), {{".x", {0, 1}}}, kRight},
           {"max shares", max.c_str(), {{".x", {0.5, 0.5}}}, kRight},
           {"max shares what is not there", max.c_str(), {{".x", {0.7, 0.7}}}, Outcome::kWrong},
           {"sort in another order", sort.c_str(), {{".x", {10, 1}}}, kRight},
           {"sort twice the same", sort.c_str(), {{".x", {10, 10}}}, Outcome::kWrong},
           {"beside a kink", beside, {{".z", {7}}}, Outcome::kWrong},
           {"a kink beside", beside, {{".x", {1}}}, kRight},
           {"both", beside, {{".x", {1}}, {".z", {7}}}, Outcome::kWrong},
           {"a wrong number forward, beside a kink", beside, {{"t", {7}}}, Outcome::kWrong},
       }) {
    const ForeignVerdict verdict = JudgeAnswer(answer);
    EXPECT_EQ(verdict.outcome, answer.outcome) << answer.what << ": " << verdict.text;
  }
}

// Where a function is smooth no convention applies.
TEST(ForeignJudgeKinksTest, WherePowIsSmoothOthersAnswersAreWrong) {
  const std::string power =
      "%a = leaf type=f64[] data=3 grad=1\n%b = leaf type=f64[] data=0 grad=1\n%y = pow %a %b\n"
      "%g,%k = grad %y inputs=%a,%b create_graph=1\n";
  const std::string mixed = power + "%h = grad %g inputs=%b\n";
  const std::string other =
      power + "%h = grad %k inputs=%a retain_graph=1\n%m = grad %k inputs=%b\n";
  const auto of_base = [](const char* base, const char* exponent, bool second) {
    return std::string("%a = leaf type=f64[] data=") + base +
           " grad=1\n%b = leaf type=f64[] data=" + exponent + "\n%y = pow %a %b\n" +
           (second ? "%g = grad %y inputs=%a create_graph=1\n%h = grad %g inputs=%a\n"
                   : "backward %y\n");
  };
  const std::string square = of_base("0", "2", true), steep = of_base("inf", "2", false);
  const std::string steep_second = of_base("inf", "2", true), none = of_base("nan", "0", false);
  const char* near =  // an exponent that is 0 but for rounding
      "%x = leaf type=f64[] data=0.1\n%z = leaf type=f64[] data=0.2\n%w = leaf type=f64[] "
      "data=-0.3\n"
      "%u = add %x %z\n%b = add %u %w\n%a = leaf type=f64[] data=2 grad=1\n%y = pow %a "
      "%b\nbackward %y\n";
  for (const Answer& answer : std::vector<Answer>{
           {"pow by base, then exponent at 0", mixed.c_str(), {{"h", {0}}}, Outcome::kWrong},
           {"... 7", mixed.c_str(), {{"h", {7}}}, Outcome::kWrong},
           {"pow by exponent at 0, then base", other.c_str(), {{"h", {7}}}, Outcome::kWrong},
           {"pow by exponent at 0 twice", other.c_str(), {{"m", {7}}}, Outcome::kWrong},
           {"pow(0, 2) by base twice", square.c_str(), {{"h", {7}}}, Outcome::kWrong},
           {"pow(inf, 2) by base", steep.c_str(), {{".a", {7}}}, Outcome::kWrong},
           {"pow(inf, 2) by base twice", steep_second.c_str(), {{"h", {7}}}, Outcome::kWrong},
           {"pow(nan, 0) by base is NaN", none.c_str(), {{".a", {kNan}}}, kRight},
           {"pow(nan, 0) by base is 7", none.c_str(), {{".a", {7}}}, Outcome::kWrong},
           {"pow(2, b), b near 0", near, {{".a", {7}}}, Outcome::kWrong},
       }) {
    const ForeignVerdict verdict = JudgeAnswer(answer);
    EXPECT_EQ(verdict.outcome, answer.outcome) << answer.what << ": " << verdict.text;
  }
}

// Nor does one where a slope is infinite, or a number beyond the format, or rounding large.
TEST(ForeignJudgeKinksTest, WhereMathematicsNamesOneAnswerOthersAreWrong) {
  const auto of = [](const char* op, const char* data) {
    return std::string("%x = leaf type=f64[] data=") + data + " grad=1\n%y = " + op +
           " %x\nbackward %y\n";
  };
  const std::string log = of("log", "0"), sqrt = of("sqrt", "0"), exp = of("exp", "1000");
  const char* div =
      "%x = leaf type=f64[] data=3 grad=1\n%z = leaf type=f64[] data=0\n%y = div %x %z\nbackward "
      "%y\n";
  // 0 times an infinity: the slope of a closed relu, and an infinite cotangent.
  const char* closed =
      "%x = leaf type=f64[] data=-1 grad=1\n%r = relu %x\n%y = sqrt %r\nbackward %y\n";
  const char* seeded =
      "%x = leaf type=f64[] data=-1 grad=1\n%s = leaf type=f64[] data=inf\n%y = relu %x\n"
      "backward %y seeds=%s\n";
  const char* cancelled =
      "%a = leaf type=f64[3] data=1e16,1,-1e16\n%x = leaf type=f64[] data=1 grad=1\n%s = sum %a\n"
      "%y = mul %x %s\nbackward %y\n";
  for (const Answer& answer : std::vector<Answer>{
           {"log'(0)", log.c_str(), {{".x", {7}}}, Outcome::kWrong},
           {"log'(0) is infinite", log.c_str(), {{".x", {kInf}}}, Outcome::kAgree},
           {"sqrt'(0)", sqrt.c_str(), {{".x", {7}}}, Outcome::kWrong},
           {"sqrt'(0) is 0", sqrt.c_str(), {{".x", {0}}}, Outcome::kWrong},
           {"a / 0 by a", div, {{".x", {7}}}, Outcome::kWrong},
           {"exp'(1000)", exp.c_str(), {{".x", {7}}}, Outcome::kWrong},
           {"exp(1000)", exp.c_str(), {{"y", {7}}}, Outcome::kWrong},
           {"sqrt of a closed relu", closed, {{".x", {7}}}, Outcome::kWrong},
           {"sqrt of a closed relu is NaN", closed, {{".x", {kNan}}}, Outcome::kAgree},
           {"sqrt of a closed relu is 0", closed, {{".x", {0}}}, Outcome::kAgree},
           {"a closed relu, infinite seed", seeded, {{".x", {7}}}, Outcome::kWrong},
           {"a closed relu, infinite seed: NaN", seeded, {{".x", {kNan}}}, Outcome::kAgree},
           {"1e16 + 1 - 1e16", cancelled, {{".x", {7}}}, Outcome::kWrong},
           {"1e16 + 1 - 1e16 with the wrong size", cancelled, {{".x", {-7}}}, Outcome::kWrong},
           {"1e16 + 1 - 1e16 in another order",
            cancelled,
            {{".x", {1}}, {"s", {1}}, {"y", {1}}},
            Outcome::kAgree},
       }) {
    const ForeignVerdict verdict = JudgeAnswer(answer);
    EXPECT_EQ(verdict.outcome, answer.outcome) << answer.what << ": " << verdict.text;
  }
}

// What a kink reaches, where no legal answers are known, is not judged; what it does not, is.
TEST(ForeignJudgeKinksTest, WithoutASetNothingIsExcusedAsAConvention) {
  const std::string third =
      "%x = leaf type=f64[] data=0 grad=1\n%z = leaf type=f64[] data=2 grad=1\n%r = relu %x\n"
      "%q = mul %z %z\n%c = mul %q %z\n%y = add %r %c\n%g = grad %y inputs=%z create_graph=1\n"
      "%h = grad %g inputs=%z create_graph=1\n%k = grad %h inputs=%z\n";
  const ForeignVerdict verdict = JudgeAnswer({"", third.c_str(), {{"k", {7}}}, {}});
  EXPECT_EQ(verdict.outcome, Outcome::kNotJudged) << verdict.text;
  EXPECT_EQ(verdict.taken.not_judged, 1u);
  EXPECT_EQ(JudgeAnswer({"", third.c_str(), {{"c", {7}}}, {}}).outcome, Outcome::kWrong);
  // 0^0 by its exponent.
  const char* undefined =
      "%a = leaf type=f64[] data=0\n%b = leaf type=f64[] data=0 grad=1\n%y = pow %a %b\nbackward "
      "%y\n";
  EXPECT_EQ(JudgeAnswer({"", undefined, {{".b", {-kInf}}}, {}}).outcome, Outcome::kNotJudged);
}

// Of more combinations than are tried, intervals tell, element by element.
TEST(ForeignJudgeKinksTest, ManyKinksAreEnclosed) {
  const std::string many =
      "%x = leaf type=f64[9] grad=1\n%z = leaf type=f64[9] data=1,1,1,1,1,1,1,1,1 grad=1\n"
      "%r = relu %x\n%t = tanh %z\n%p = add %r %t\n%y = sum %p\nbackward %y\n";
  const std::vector<double> ones(9, 1), sevens(9, 7);
  const ForeignVerdict verdict = JudgeAnswer({"", many.c_str(), {{".x", ones}}, {}});
  EXPECT_EQ(verdict.outcome, Outcome::kConvention) << verdict.text;
  EXPECT_TRUE(verdict.taken.enclosed);
  EXPECT_EQ(verdict.taken.elements, 9u);
  EXPECT_TRUE(verdict.taken.kinks[static_cast<size_t>(twingrad::reference::Kink::kRelu)]);
  EXPECT_EQ(JudgeAnswer({"", many.c_str(), {{".x", sevens}}, {}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeAnswer({"", many.c_str(), {{".z", ones}}, {}}).outcome, Outcome::kWrong);
}

// What a Program shows that goes on after an error is judged as elsewhere.
TEST(ForeignJudgeKinksTest, AnErrorLeavesTheLegalAnswers) {
  const std::string beside =
      "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] data=2 grad=1\nbegin kind=try\n"
      "backward %x seeds=%x inputs=none\nend\n%r = relu %x\n%q = mul %z %z\n%y = add %r %q\n"
      "backward %y\n";
  EXPECT_EQ(JudgeAnswer({"", beside.c_str(), {{".x", {1}}}, {}}).outcome, kRight);
  EXPECT_EQ(JudgeAnswer({"", beside.c_str(), {{".x", {7}}}, {}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeAnswer({"", beside.c_str(), {{".z", {7}}}, {}}).outcome, Outcome::kWrong);
  // A kink of what did not run reaches nothing.
  const char* never =
      "%x = leaf type=f64[] grad=1\nbegin kind=try\nbegin kind=saved_tensor_hooks do=throw\n"
      "%a = abs %x\nend\nend\n%v = clone %x\nhook %v do=scale by=2\nhook %v do=record\n"
      "backward %v\n";
  EXPECT_EQ(Judge(Parsed(never), Everything(),
                  [](Observation& observed) {
                    observed.calls[0].hooks.at(1).gradient.bits[0] = std::bit_cast<uint64_t>(7.0);
                  })
                .rule,
            "hooks");
}

// Second derivatives are those of a piece: of relu(x)^2 0 or 2.
TEST(ForeignJudgeKinksTest, SecondDerivativesAtKinksAreThoseOfAPiece) {
  const char* square =
      "%x = leaf type=f64[] grad=1\n%r = relu %x\n%y = mul %r %r\n%g = grad %y inputs=%x "
      "create_graph=1\n"
      "%h = grad %g inputs=%x\n";
  EXPECT_EQ(JudgeAnswer({"", square, {{"h", {2}}}, {}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeAnswer({"", square, {{"h", {7}}}, {}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeAnswer({"", square, {{"g", {7}}}, {}}).outcome, Outcome::kWrong);
}

// Where its dialect chooses otherwise than the dual numbers, they are no second opinion.
TEST(ForeignJudgeKinksTest, ADialectsChoiceIsNoContradictionOfTheWitnesses) {
  const Program clamped = Parsed(
      "%x = leaf type=f64[] data=1 grad=1\n%y = clamp %x min=1 max=2\n%z = leaf type=f64[] data=2 "
      "grad=1\n%q = mul %z %z\n%s = add %y %q\nbackward %s\n");
  protocol::Hello hello = Everything();
  hello.dialect = "pytorch1";
  EXPECT_EQ(Judge(clamped, hello, AsItIs).outcome, Outcome::kAgree);
  const auto wrong = Grad(2, 7.0);
  const ForeignVerdict verdict = Judge(clamped, hello, wrong);
  EXPECT_EQ(verdict.rule, "twin") << verdict.text;
  EXPECT_TRUE(absl::StrContains(verdict.text, "the engine's dialect chooses otherwise"));
}

// The dual numbers agree only where they know the element.
TEST(ForeignJudgeKinksTest, TheSecondOpinionIsOfTheElement) {
  const char* kink = "%x = leaf type=f64[] grad=1\n%y = relu %x\nbackward %y\n";
  EXPECT_TRUE(absl::StrContains(JudgeAnswer({"", kink, {{".x", {7}}}, {}}).text,
                                "the dual numbers agree with the twin"));
  const char* view =
      "%x = leaf type=f64[2] data=2,1 grad=1\n%v = select %x dim=0 index=0\n%y = mul %v %v\n"
      "%g = grad %y inputs=%v\n";
  EXPECT_TRUE(absl::StrContains(JudgeAnswer({"", view, {{"g", {7}}}, {}}).text,
                                "second opinion: none, the dual numbers do not know this element"));
}

}  // namespace
}  // namespace twingrad::conformance
