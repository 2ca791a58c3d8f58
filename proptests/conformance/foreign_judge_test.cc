#include "proptests/conformance/foreign_judge.h"

#include <bit>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::ErrorKind;
using twingrad::program::Observation;
using twingrad::program::Program;

Hello Everything() {
  Hello hello;
  for (const auto& signature : twingrad::program::Signatures()) hello.ops.insert(signature.op);
  hello.single = hello.ops;
  hello.facts = {Fact::kGraph,    Fact::kOrder,        Fact::kNames,  Fact::kHooks,
                 Fact::kVersions, Fact::kRequiresGrad, Fact::kErrors, Fact::kAccessors};
  return hello;
}

// Changes of the twin's own prediction: an element of a value or its .grad, or its error.
auto Grad(size_t value, double becomes) {
  return [=](Observation& o) { o.values[value].grad.bits[0] = std::bit_cast<uint64_t>(becomes); };
}
auto Data(size_t value, double becomes) {
  return [=](Observation& o) { o.values[value].data.bits[0] = std::bit_cast<uint64_t>(becomes); };
}
auto Fails(ErrorKind error, int statement, std::string message) {
  return [=](Observation& o) { o.error = {error, statement, message}; };
}
void AsItIs(Observation&) {}

// Judges the twin's own prediction after `change`.
template <typename Change>
ForeignVerdict Judge(const Program& program, const Hello& hello, const Change& change) {
  Expectation expected = Expect(program, hello);
  Observation observed = expected.twin.observation;
  change(observed);
  return JudgeForeign(program, hello, expected, observed, nullptr);
}

// Of the square, on an engine that claims everything.
template <typename Change>
ForeignVerdict Judge(const Change& change) {
  return Judge(Square(), Everything(), change);
}

constexpr char kTwoSections[] =
    "%x = leaf type=f64[] data=3 grad=1\n%c = leaf type=f64[] data=2\nbegin kind=thread\n"
    "backward %c\nend\nbegin kind=thread\n%y = mul %x %c\nbackward %y\nend\n";

// Also where the order of nodes is the engine's own.
TEST(ForeignJudgeTest, ErrorsThatEndSectionsAreJudged) {
  const Program program = Parsed(kTwoSections);
  EXPECT_EQ(Judge(program, Everything(), AsItIs).outcome, Outcome::kAgree);
  const auto forgets = [](Observation& o) { o.survived.clear(); };
  const ForeignVerdict verdict = Judge(program, Everything(), forgets);
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.rule, "survived");
  Hello silent = Everything();
  silent.facts.erase(Fact::kErrors);
  EXPECT_EQ(Judge(program, silent, forgets).outcome, Outcome::kAgree);
}

// Which call loses its graph is read from the run, and the rest judged.
TEST(ForeignJudgeTest, ASectionThatLosesItsGraphIsJudged) {
  const Program program = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbegin kind=thread\nbackward %y\nend\n"
      "begin kind=thread\nbackward %y\nend\n");
  const auto second_fails = [](double grad) {
    return [grad](Observation& o) {
      o.survived = {{ErrorKind::kFreed, 6, "freed"}};
      o.calls.pop_back();
      o.values[0].grad.bits[0] = std::bit_cast<uint64_t>(grad);
    };
  };
  Hello without_graph = Everything();
  without_graph.facts.erase(Fact::kGraph);
  EXPECT_EQ(Judge(program, without_graph, second_fails(6)).outcome, Outcome::kAgree);
  // The dual numbers, which know of no errors, give no second opinion.
  EXPECT_EQ(Judge(program, without_graph, second_fails(18)).rule, "twin");
}

TEST(ForeignJudgeTest, AgreesWithTheTwin) {
  const ForeignVerdict verdict = Judge(AsItIs);
  EXPECT_EQ(verdict.outcome, Outcome::kAgree) << verdict.text;
  EXPECT_TRUE(verdict.predicted);
  EXPECT_TRUE(verdict.recounted);
}

TEST(ForeignJudgeTest, AWrongGradientHasASecondOpinion) {
  const ForeignVerdict verdict = Judge(Grad(0, 7.0));
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.rule, "twin");
  EXPECT_TRUE(absl::StrContains(verdict.text, "the dual numbers agree with the twin"));
  EXPECT_TRUE(absl::StrContains(verdict.text, "balls: the exact numbers are the twin's"));
}

// Rules of their own, so that a signature hides nothing else.
TEST(ForeignJudgeTest, ASeedThatBecameAGradAndARunTooManyAreNamed) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=2\n%y = mul %x %x\n"
      "backward %y seeds=%s\n");
  const auto written = [](Observation& observed) {
    observed.values[1].data.bits = observed.values[0].grad.bits;
  };
  EXPECT_EQ(Judge(seeded, Everything(), written).rule, "seed_is_grad");
  const auto other = Data(1, 7.0);
  EXPECT_EQ(Judge(seeded, Everything(), other).rule, "twin");
  const auto twice = [](Observation& observed) { observed.calls[0].executed.push_back(0); };
  EXPECT_EQ(Judge(twice).rule, "runs");
}

// A .grad that was replaced since, by a call that made a graph of it, still tells a seed.
TEST(ForeignJudgeTest, ASeedThatWasAGradBeforeIsNamedAndAnyOtherIsNot) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=2\n%y = mul %x %x\n"
      "backward %y seeds=%s retain_graph=1\nbackward %y create_graph=1\n");
  for (const auto& [value, rule] :
       {std::pair(12.0, "seed_is_grad"), {18.0, "seed_is_grad"}, {7.0, "twin"}}) {
    EXPECT_EQ(Judge(seeded, Everything(), Data(1, value)).rule, rule) << value;
  }
}

// So does one that zero_grad took away since.
TEST(ForeignJudgeTest, ASeedThatWasAGradBeforeZeroGradIsNamed) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n%v = reshape %x shape=scalar\nbackward %v seeds=%v\n"
      "backward %v\nzero_grad %x\n");
  const auto written = [](Observation& observed) {
    Data(0, 1.0)(observed);
    Data(1, 1.0)(observed);
  };
  EXPECT_EQ(Judge(seeded, Everything(), written).rule, "seed_is_grad");
}

TEST(ForeignJudgeTest, AGradientTooManyIsNotOneTooFew) {
  const auto surplus = [](Observation& observed) {
    observed.values[1].grad_defined = true;
    observed.values[1].grad = observed.values[0].grad;
  };
  EXPECT_EQ(Judge(surplus).rule, "only_defined");
  const auto missing = [](Observation& observed) { observed.values[0].grad_defined = false; };
  EXPECT_EQ(Judge(missing).rule, "twin");
}

// An error of a node that should not have run is told by the run.
TEST(ForeignJudgeTest, ARunTooManySaysMoreThanItsError) {
  const auto fails = Fails(ErrorKind::kVersion, 2, "written");
  EXPECT_EQ(Judge(fails).rule, "errors");
  const auto fails_in_a_run_too_many = [&](Observation& observed) {
    fails(observed);
    observed.calls[0].executed.push_back(0);
  };
  EXPECT_EQ(Judge(fails_in_a_run_too_many).rule, "runs");
}

// Where a statement is several nodes, what ran before an error is the engine's own.
TEST(ForeignJudgeTest, AnErrorMayComeBeforeAGradientWhereTheOrderIsNotPredicted) {
  const Program throws = Parsed(
      "%a = leaf type=f64[] data=3 grad=1\n%b = leaf type=f64[] data=2 grad=1\n%y = mul %a %b\n"
      "pre_hook %b do=throw\nbackward %y\n");
  const auto before = [](Observation& observed) {
    observed.values[0].grad_defined = false;
    observed.calls[0].executed.pop_back();
  };
  Hello hello = Everything();
  EXPECT_EQ(Judge(throws, hello, before).outcome, Outcome::kWrong);
  hello.single.erase(twingrad::program::Opcode::kMul);
  EXPECT_EQ(Judge(throws, hello, before).outcome, Outcome::kAgree);
  const auto half = Grad(0, 1.0);
  EXPECT_EQ(Judge(throws, hello, half).rule, "twin");
}

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

// Legal are the chain rule over one element of each op's generalized gradient, chosen once for each
// node and element and kept in all uses, and no more.
TEST(ForeignJudgeTest, AtKinksLegalAnswersAreConventionsAndOthersWrong) {
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
TEST(ForeignJudgeTest, WherePowIsSmoothOthersAnswersAreWrong) {
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
TEST(ForeignJudgeTest, WhereMathematicsNamesOneAnswerOthersAreWrong) {
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
TEST(ForeignJudgeTest, WithoutASetNothingIsExcusedAsAConvention) {
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
TEST(ForeignJudgeTest, ManyKinksAreEnclosed) {
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

// Second derivatives are those of a piece: of relu(x)^2 0 or 2.
TEST(ForeignJudgeTest, SecondDerivativesAtKinksAreThoseOfAPiece) {
  const char* square =
      "%x = leaf type=f64[] grad=1\n%r = relu %x\n%y = mul %r %r\n%g = grad %y inputs=%x "
      "create_graph=1\n"
      "%h = grad %g inputs=%x\n";
  EXPECT_EQ(JudgeAnswer({"", square, {{"h", {2}}}, {}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeAnswer({"", square, {{"h", {7}}}, {}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeAnswer({"", square, {{"g", {7}}}, {}}).outcome, Outcome::kWrong);
}

// Where its dialect chooses otherwise than the dual numbers, they are no second opinion.
TEST(ForeignJudgeTest, ADialectsChoiceIsNoContradictionOfTheWitnesses) {
  const Program clamped = Parsed(
      "%x = leaf type=f64[] data=1 grad=1\n%y = clamp %x min=1 max=2\n%z = leaf type=f64[] data=2 "
      "grad=1\n%q = mul %z %z\n%s = add %y %q\nbackward %s\n");
  Hello hello = Everything();
  hello.dialect = "pytorch1";
  EXPECT_EQ(Judge(clamped, hello, AsItIs).outcome, Outcome::kAgree);
  const auto wrong = Grad(2, 7.0);
  const ForeignVerdict verdict = Judge(clamped, hello, wrong);
  EXPECT_EQ(verdict.rule, "twin") << verdict.text;
  EXPECT_TRUE(absl::StrContains(verdict.text, "the engine's dialect chooses otherwise"));
}

// Of a Program for which the twin says nothing too.
TEST(ForeignJudgeTest, AWriteIntoAGradThatReachesASeedIsNamed) {
  const auto program = Parsed("%x = leaf type=f64[] grad=1\n%y = neg %x\nbackward %y seeds=%y\n");
  const auto rule_of = [&](twingrad::program::ValueId value, bool skipped) {
    Expectation expected = Expect(program, Everything());
    Observation observed = expected.twin.observation;
    observed.accessors = {{.accessor = "after_writes", .value = value}};
    if (skipped) expected.twin.skipped = "a reason";
    return JudgeForeign(program, Everything(), expected, observed, nullptr).rule;
  };
  for (const bool skipped : {false, true}) {
    EXPECT_EQ(rule_of(1, skipped), "seed_is_grad");
    EXPECT_EQ(rule_of(0, skipped), "accessors");
  }
}

// The dual numbers agree only where they know the element.
TEST(ForeignJudgeTest, TheSecondOpinionIsOfTheElement) {
  const char* kink = "%x = leaf type=f64[] grad=1\n%y = relu %x\nbackward %y\n";
  EXPECT_TRUE(absl::StrContains(JudgeAnswer({"", kink, {{".x", {7}}}, {}}).text,
                                "the dual numbers agree with the twin"));
  const char* view =
      "%x = leaf type=f64[2] data=2,1 grad=1\n%v = select %x dim=0 index=0\n%y = mul %v %v\n"
      "%g = grad %y inputs=%v\n";
  EXPECT_TRUE(absl::StrContains(JudgeAnswer({"", view, {{"g", {7}}}, {}}).text,
                                "second opinion: none, the dual numbers do not know this element"));
}

TEST(ForeignJudgeTest, UnsupportedIsARefusal) {
  const ForeignVerdict verdict = Judge(Fails(ErrorKind::kUnsupported, 1, "no mul here"));
  EXPECT_EQ(verdict.outcome, Outcome::kRefuse);
}

// What it takes to count a call again is the call alone.
TEST(ForeignJudgeTest, CallsAreRecountedWhateverElseIsSaidOfTheirProgram) {
  const auto recount = [](const Program& program, const auto& change) {
    const auto wrong_count = [&](Observation& observed) {
      change(observed);
      observed.calls.at(0).dependencies.at(1) += 1;
    };
    const ForeignVerdict right = Judge(program, Everything(), change);
    EXPECT_TRUE(right.recounted);
    const ForeignVerdict wrong = Judge(program, Everything(), wrong_count);
    EXPECT_TRUE(wrong.recounted);
    EXPECT_EQ(wrong.outcome, Outcome::kWrong) << wrong.text;
    return std::pair(right, wrong.rule);
  };
  using Recounted = std::pair<ForeignVerdict, std::string>;
  const Program then_more =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n%z = neg %x\n");
  const Recounted refused = recount(then_more, Fails(ErrorKind::kUnsupported, 3, "no neg here"));
  EXPECT_EQ(refused.first.outcome, Outcome::kRefuse);
  EXPECT_EQ(refused.second, "recount");
  EXPECT_FALSE(refused.first.predicted);

  const Recounted error = recount(then_more, Fails(ErrorKind::kVersion, 3, "written"));
  EXPECT_EQ(error.first.rule, "errors");
  EXPECT_FALSE(error.first.predicted);

  const Recounted type =
      recount(Square(), [](Observation& observed) { observed.values[0].grad.shape.push_back(1); });
  EXPECT_EQ(type.first.rule, "gradient type");

  // The twin does not run streams; what an engine showed before one counts all the same.
  Expectation expected = Expect(Square(), Everything());
  Observation observed = expected.twin.observation;
  expected.twin.skipped = "a stream";
  ForeignVerdict skipped = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
  EXPECT_EQ(skipped.outcome, Outcome::kNotJudged);
  EXPECT_TRUE(skipped.recounted);
  observed.calls.at(0).executed.push_back(0);
  skipped = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
  EXPECT_EQ(skipped.rule, "runs") << skipped.text;
}

TEST(ForeignJudgeTest, WhatIsRecountedIsWhatWasCalledAndShown) {
  const ForeignVerdict none = Judge([](Observation& observed) {
    observed.calls.clear();
    observed.error = {ErrorKind::kUnsupported, 1, "no mul here"};
  });
  EXPECT_TRUE(none.ran);
  EXPECT_FALSE(none.called || none.recounted || none.predicted);

  Hello hello = Everything();
  hello.facts.erase(Fact::kGraph);
  const ForeignVerdict blind = Judge(Square(), hello, AsItIs);
  EXPECT_TRUE(blind.ran && blind.called);
  EXPECT_FALSE(blind.recounted || blind.predicted);

  const Program twice = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y retain_graph=1\n"
      "begin kind=try\nbackward %x\nend\nbackward %y\n");
  const ForeignVerdict both = Judge(twice, Everything(), AsItIs);
  EXPECT_TRUE(both.called && both.recounted) << both.text;
  const ForeignVerdict one =
      Judge(twice, Everything(), [](Observation& observed) { observed.calls.pop_back(); });
  EXPECT_TRUE(one.called);
  EXPECT_FALSE(one.recounted);
}

// Then the fault is this repository's, whether the engine follows one of the two or neither.
TEST(ForeignJudgeTest, WitnessesThatContradictEachOtherAreTold) {
  for (const double gradient : {6.0, 5.0}) {
    Expectation expected = Expect(Square(), Everything());
    ASSERT_TRUE(expected.dual.grads.at(0).known);
    expected.dual.grads[0].data[0] = 7;
    Observation observed = expected.twin.observation;
    Grad(0, gradient)(observed);
    const ForeignVerdict judged = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
    EXPECT_EQ(judged.outcome, Outcome::kWrong) << gradient;
    EXPECT_EQ(judged.rule, "witnesses") << gradient;
    EXPECT_TRUE(absl::StrContains(judged.text, "the dual numbers contradict the twin"))
        << judged.text;
  }
}

// An error that engine and twin have in common; of one that the twin alone has, the engine is not
// blamed.
TEST(ForeignJudgeTest, BallsFindWhatTheTwinSharesWithTheEngine) {
  const Program program =
      Parsed("%x = leaf type=f64[] data=0.5 grad=1\n%y = tanh %x\nbackward %y\n");
  // The exact number is 0.786...; the third engine lies within a tenth of it, and its twin does
  // not.
  for (const auto& [balls, engine, twin, rule] : {std::tuple(true, 0.54, 0.54, "ball"),
                                                  {false, 0.54, 0.54, ""},
                                                  {true, 0.7, 0.62, "witnesses"}}) {
    Expectation expected = Expect(program, Everything(), balls);
    EXPECT_EQ(expected.ball.has_value(), balls);
    expected.dual.not_applicable = "not asked";
    Observation observed = expected.twin.observation;
    Grad(0, engine)(observed);
    Grad(0, twin)(expected.twin.observation);
    expected.twin.grad_bounds[0].bound[0] = 0.1;
    const ForeignVerdict judged = JudgeForeign(program, Everything(), expected, observed, nullptr);
    EXPECT_EQ(judged.rule, rule) << judged.text;
  }
}

// What balls enclose is judged as where they are not asked: another slope that is legal is no
// finding, one that is not is wrong, be it within their hull.
TEST(ForeignJudgeTest, BallsLeaveConventionsToTheLegalSet) {
  const Program program =
      Parsed("%x = leaf type=f64[] data=0 grad=1\n%y = relu %x\n%z = add %y %y\nbackward %z\n");
  for (const auto& [gradient, outcome] : {std::pair(2.0, Outcome::kConvention),
                                          {1.0, Outcome::kConvention},
                                          {3.0, Outcome::kWrong}}) {
    Expectation expected = Expect(program, Everything(), /*balls=*/true);
    Observation observed = expected.twin.observation;
    Grad(0, gradient)(observed);
    EXPECT_EQ(JudgeForeign(program, Everything(), expected, observed, nullptr).outcome, outcome)
        << gradient;
  }
}

TEST(ForeignJudgeTest, OnlyWhatTheHelloClaimsIsCompared) {
  const auto version = [](Observation& observed) { observed.values[0].version = 9; };
  const auto count = [](Observation& observed) { observed.calls[0].dependencies[1] = 9; };
  const auto order = [](Observation& observed) { observed.calls[0].executed.clear(); };
  const auto accessor = [](Observation& observed) {
    observed.accessors = {{"clone", 0, true, observed.values[0].grad, std::nullopt, "none"}};
  };
  for (const auto& [fact, outcome] : {std::pair(true, Outcome::kWrong), {false, Outcome::kAgree}}) {
    Hello hello = Everything();
    if (!fact) hello.facts = {};
    EXPECT_EQ(Judge(Square(), hello, version).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, count).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, order).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, accessor).outcome, outcome);
  }
}

TEST(ForeignJudgeTest, CountsArePredictedOnlyWhereEveryOpIsOneNode) {
  Hello hello = Everything();
  hello.single.erase(twingrad::program::Opcode::kMul);
  const auto rename = [](Observation& observed) { observed.calls[0].nodes[0].name.index = 5; };
  EXPECT_EQ(Judge(Square(), hello, rename).outcome, Outcome::kAgree);
  EXPECT_FALSE(Judge(Square(), hello, rename).predicted);
  EXPECT_EQ(Judge(rename).rule, "predicted");
}

TEST(ForeignJudgeTest, TheClassOfAnErrorCountsWhereItIsClaimed) {
  const Program twice =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\nbackward %y\n");
  const auto other = [](Observation& observed) { observed.error->error = ErrorKind::kInternal; };
  Hello hello = Everything();
  EXPECT_EQ(Judge(twice, hello, other).rule, "errors");
  hello.facts.erase(Fact::kErrors);
  EXPECT_EQ(Judge(twice, hello, other).outcome, Outcome::kAgree);
  const auto none = [](Observation& observed) { observed.error.reset(); };
  EXPECT_EQ(Judge(twice, hello, none).rule, "errors");
}

// An engine that frees no graph is not blamed for it, and for the rest it is.
TEST(ForeignJudgeTest, AnErrorThatTheEngineDoesNotHaveIsRefused) {
  const std::string once = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";
  const Program twice = Parsed(once + "backward %y\n");
  const Program region = Parsed(once + "begin kind=try\nneg_ %x\nend\n");
  const auto ran = [](Observation& observed) {
    observed.error.reset();
    Grad(0, 12.0)(observed);
  };
  Hello hello = Everything();
  hello.facts = {};
  EXPECT_EQ(Judge(twice, hello, ran).outcome, Outcome::kWrong);
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kWrong);
  hello.raises = std::set<ErrorKind>{ErrorKind::kFreed};
  EXPECT_EQ(Judge(twice, hello, ran).outcome, Outcome::kWrong);
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kRefuse);
  hello.raises = std::set<ErrorKind>{ErrorKind::kShape};
  const ForeignVerdict verdict = Judge(twice, hello, ran);
  EXPECT_EQ(verdict.outcome, Outcome::kRefuse);
  EXPECT_EQ(verdict.text,
            "statement 3 is an error of class freed, which the engine does not raise");
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kRefuse);
  EXPECT_EQ(Judge(Parsed(once), hello, ran).outcome, Outcome::kWrong);
}

}  // namespace
}  // namespace twingrad::conformance
