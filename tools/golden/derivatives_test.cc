// Which derivatives of which statements a golden shows: that every differentiable statement of the
// vocabulary has goldens of higher order, over nothing too, is then a test.
//
// Read from the Program alone: a statement is differentiated once by a call whose roots depend on
// it and whose results, or some .grad, the Program expects; once more by a call whose roots depend
// on those results, where they were made with create_graph. Programs with regions count for
// nothing.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/opcode.h"
#include "autograd/program/parse.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "tools/golden/entry.h"

namespace twingrad::golden {
namespace {

using program::Analysis;
using program::Key;
using program::Opcode;
using program::Program;
using program::Signature;
using program::Statement;
using program::ValueId;

// The highest derivative that is shown; 0: none.
struct ShownOrders {
  int order = 0;
  int order_of_nothing = 0;  // where an operand or the result has no elements
};

// A statement that a value depends on: its opcode, and whether it works on nothing.
using Use = std::pair<Opcode, bool>;
// How often the uses that a value depends on have been differentiated.
using History = std::map<Use, int>;

void Merge(const History& from, History* into) {
  for (const auto& [use, order] : from) {
    int& known = into->emplace(use, order).first->second;
    known = std::max(known, order);
  }
}

class Walk {
 public:
  Walk(const Program& program, const Analysis& analysis)
      : analysis_(analysis), histories_(analysis.values.size()), recorded_(histories_.size()) {
    for (const Statement& statement : program.statements) {
      if (statement.op == Opcode::kExpect) NoteExpected(statement);
    }
    for (const Statement& statement : program.statements) Step(statement);
  }

  std::map<Opcode, ShownOrders> Take() { return std::move(shown_); }

 private:
  void NoteExpected(const Statement& statement) {
    const auto kind = statement.Get<std::string>(Key::kKind);
    if (kind == "grad") grad_expected_ = true;
    if (kind == "value") values_expected_.insert(statement.operands[0]);
  }

  void Step(const Statement& statement) {
    if (statement.op == Opcode::kLeaf) {
      recorded_[Index(statement.results[0])] = statement.Get<bool>(Key::kGrad);
    } else if (statement.op == Opcode::kGrad || statement.op == Opcode::kBackward) {
      Call(statement);
    } else {
      Record(statement);
    }
  }

  // An op, or a write in place: what its target depends on from now on.
  void Record(const Statement& statement) {
    const Signature& signature = program::SignatureOf(statement.op);
    const bool writes =
        signature.category == program::Category::kInPlace || statement.op == Opcode::kCustomInPlace;
    if (signature.differentiable == 0 || (statement.results.empty() && !writes)) return;
    History history;
    bool records = false;
    bool nothing = false;
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      const size_t operand = Index(statement.operands[k]);
      nothing |= IsNothing(statement.operands[k]);
      if (!signature.IsDifferentiable(static_cast<int>(k)) || !recorded_[operand]) continue;
      records = true;
      Merge(histories_[operand], &history);
    }
    // Each result of a custom function is taken to depend on all operands.
    std::vector<ValueId> targets(statement.results.begin(), statement.results.end());
    if (writes) targets.push_back(statement.operands[0]);
    for (const ValueId target : targets) nothing |= IsNothing(target);
    if (records) history[{statement.op, nothing}] = 0;
    for (const ValueId target : targets) {
      recorded_[Index(target)] = records;
      histories_[Index(target)] = history;
    }
  }

  void Call(const Statement& statement) {
    History derivative;
    for (const ValueId root : statement.operands) Merge(histories_[Index(root)], &derivative);
    for (auto& [use, order] : derivative) ++order;
    const auto& results = statement.results;
    const bool shown = statement.op == Opcode::kBackward
                           ? grad_expected_
                           : std::any_of(results.begin(), results.end(), [this](ValueId result) {
                               return values_expected_.count(result) != 0;
                             });
    for (const auto& [use, order] : derivative) {
      if (!shown) break;
      ShownOrders& orders = shown_[use.first];
      int& highest = use.second ? orders.order_of_nothing : orders.order;
      highest = std::max(highest, order);
    }
    if (!statement.Get<bool>(Key::kCreateGraph)) return;
    for (const ValueId result : results) {
      recorded_[Index(result)] = true;
      histories_[Index(result)] = derivative;
    }
  }

  bool IsNothing(ValueId value) const {
    const auto& shape = analysis_.values[Index(value)].type.shape;
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
  }

  static size_t Index(ValueId value) { return static_cast<size_t>(value); }

  const Analysis& analysis_;
  std::vector<History> histories_;  // by value
  std::vector<bool> recorded_;      // whether a gradient flows to the value
  std::set<ValueId> values_expected_;
  bool grad_expected_ = false;
  std::map<Opcode, ShownOrders> shown_;
};

std::map<Opcode, ShownOrders> ShownDerivatives(const Program& program) {
  const auto& statements = program.statements;
  const absl::StatusOr<Analysis> analysis = program::Analyze(program);
  if (!analysis.ok() || std::any_of(statements.begin(), statements.end(),
                                    [](const auto& s) { return s.op == Opcode::kBegin; })) {
    return {};
  }
  return Walk(program, *analysis).Take();
}

std::map<Opcode, ShownOrders> Of(const std::string& statements) {
  const auto program = program::Parse(absl::StrCat("twingrad 1\n", statements));
  EXPECT_TRUE(program.ok()) << program.status();
  return ShownDerivatives(*program);
}

constexpr char kFirst[] =
    "%x = leaf type=f64[] data=1 grad=1\n%y = sin %x\n%g = grad %y inputs=%x create_graph=1\n";

TEST(ShownDerivativesTest, CountsTheCallsThatAValueHasPassed) {
  const std::string shown = "expect %g kind=value data=0\n";
  EXPECT_EQ(Of(absl::StrCat(kFirst, shown))[Opcode::kSin].order, 1);
  const std::string second = absl::StrCat(kFirst, "%z = mul %g %g\nbackward %z\n", shown);
  EXPECT_EQ(Of(second)[Opcode::kSin].order, 1);
  EXPECT_EQ(Of(second)[Opcode::kMul].order, 0);
  auto orders = Of(absl::StrCat(second, "expect %x kind=grad data=0\n"));
  EXPECT_EQ(orders[Opcode::kSin].order, 2);
  EXPECT_EQ(orders[Opcode::kMul].order, 1);
  EXPECT_EQ(orders[Opcode::kSin].order_of_nothing, 0);
}

TEST(ShownDerivativesTest, WhatNothingExpectsIsNotShown) {
  EXPECT_EQ(Of(kFirst)[Opcode::kSin].order, 0);
}

TEST(ShownDerivativesTest, NoGradientFlowsToIndicesAndConstants) {
  auto orders = Of(
      "%a = leaf type=f64[2]\n%x = leaf type=f64[2] grad=1\n%c = sin %a\n%d = detach %x\n%e = exp "
      "%d\n%y = mul %x %c\n%z = mul %y %e\n%s = sum %z\nbackward %s\nexpect %x kind=grad "
      "data=0,0\n");
  EXPECT_EQ(orders[Opcode::kMul].order, 1);
  EXPECT_EQ(orders[Opcode::kSin].order, 0);
  EXPECT_EQ(orders[Opcode::kExp].order, 0);
}

TEST(ShownDerivativesTest, OverNothingAndInPlace) {
  auto orders =
      Of("%x = leaf type=f64[0,2] grad=1\n%y = clone %x\nneg_ %y\n%s = sum %y\nbackward %s\n"
         "expect %x kind=grad type=f64[0,2]\n");
  EXPECT_EQ(orders[Opcode::kNegInPlace].order_of_nothing, 1);
  EXPECT_EQ(orders[Opcode::kSum].order_of_nothing, 1);
  EXPECT_EQ(orders[Opcode::kSum].order, 0);
}

TEST(GoldenDerivativesTest, EachOpHasAThirdDerivativeAndASecondOverNothing) {
  const absl::StatusOr<std::vector<Entry>> entries = LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  std::map<Opcode, ShownOrders> shown;
  for (const Entry& entry : *entries) {
    for (const auto& [op, orders] : ShownDerivatives(entry.program)) {
      ShownOrders& best = shown[op];
      best.order = std::max(best.order, orders.order);
      best.order_of_nothing = std::max(best.order_of_nothing, orders.order_of_nothing);
    }
  }
  int ops = 0;
  for (const Signature& signature : program::Signatures()) {
    if (signature.differentiable == 0) continue;
    const ShownOrders& orders = shown[signature.op];
    ++ops;
    EXPECT_GE(orders.order, 3) << signature.name << ": add a golden of its third derivative";
    EXPECT_GE(orders.order_of_nothing, 2)
        << signature.name << ": add a golden of its second derivative without elements";
  }
  EXPECT_GE(ops, 65);
}

}  // namespace
}  // namespace twingrad::golden
