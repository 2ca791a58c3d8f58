#include "tools/golden/derivatives.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/program/analyze.h"
#include "autograd/program/signature.h"

namespace twingrad::golden {
namespace {

using twingrad::program::Analysis;
using twingrad::program::Category;
using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::Signature;
using twingrad::program::Statement;
using twingrad::program::ValueId;

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
    const Signature& signature = twingrad::program::SignatureOf(statement.op);
    const bool writes = signature.category == Category::kInPlace;
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
    const ValueId target = writes ? statement.operands[0] : statement.results[0];
    if (records) history[{statement.op, nothing || IsNothing(target)}] = 0;
    recorded_[Index(target)] = records;
    histories_[Index(target)] = std::move(history);
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

}  // namespace

std::map<Opcode, ShownOrders> ShownDerivatives(const Program& program) {
  const auto& statements = program.statements;
  const absl::StatusOr<Analysis> analysis = twingrad::program::Analyze(program);
  if (!analysis.ok() || std::any_of(statements.begin(), statements.end(),
                                    [](const auto& s) { return s.op == Opcode::kBegin; })) {
    return {};
  }
  return Walk(program, *analysis).Take();
}

}  // namespace twingrad::golden
