#include "proptests/conformance/circumstances.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "proptests/conformance/number_circumstances.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::CallRecord;
using twingrad::program::Category;
using twingrad::program::Key;
using twingrad::program::NodeName;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::SignatureOf;
using twingrad::program::Statement;
using twingrad::program::ValueId;

// The statement that made what another one writes; the other itself where that makes values.
const Statement& MakerOf(const Program& program, const Statement& statement) {
  if (!statement.results.empty() || statement.operands.empty()) return statement;
  const auto makes = [&](const Statement& s) {
    return std::ranges::count(s.results, statement.operands[0]) > 0;
  };
  const auto maker = std::ranges::find_if(program.statements, makes);
  return maker == program.statements.end() ? statement : *maker;
}

// Whether a call runs a statement's inner node, and not the one of its result.
bool IsEnteredBehind(const CallRecord& call, const NodeName& name) {
  if (name.role != NodeRole::kStatement || name.index == 0) return false;
  return std::ranges::none_of(call.nodes, [&](const auto& node) {
    return node.name == NodeName{name.role, name.statement, 0};
  });
}

// The ops whose results got a new node as only views do, were written as only views are, or were
// passed by on the way to what they are a view of, although they are none to the Program.
std::set<Opcode> HiddenViews(const Program& program, const Observation& observed) {
  std::set<Opcode> ops;
  for (const auto& call : observed.calls) {
    for (const auto& node : call.nodes) {
      const NodeName& name = node.name;
      const bool known =
          name.statement >= 0 && static_cast<size_t>(name.statement) < program.statements.size();
      const bool written = name.role == NodeRole::kCopySlices;
      const bool shows =
          written || name.role == NodeRole::kRegeneratedView || IsEnteredBehind(call, name);
      if (!known || !shows) continue;
      const Statement& statement = program.statements[static_cast<size_t>(name.statement)];
      const Opcode op = (written ? MakerOf(program, statement) : statement).op;
      const Category category = SignatureOf(op).category;
      if (category != Category::kView && category != Category::kLeaf) ops.insert(op);
    }
  }
  return ops;
}

// Whether this operand of an `op` has no elements.
bool TakesNothing(const Program& program, const Observation& expected, Opcode op, size_t number) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != op) return false;
    const auto at = static_cast<size_t>(s.operands[number]);
    return at < expected.values.size() && expected.values[at].defined &&
           expected.values[at].data.bits.empty();
  });
}

bool StridesToNothing(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != Opcode::kAsStrided) return false;
    const auto at = static_cast<size_t>(s.results[0]);
    return at < expected.values.size() && expected.values[at].defined &&
           expected.values[at].data.bits.empty();
  });
}

bool RepeatsNoTimes(const Program& program) {
  return std::ranges::any_of(program.statements, [](const auto& s) {
    return s.op == Opcode::kRepeat &&
           std::ranges::count(s.template Get<std::vector<int64_t>>(Key::kShape), 0) > 0;
  });
}

// Of gradients whose rows an engine may list: that there are some, and of what kind.
std::string ListedGradients(const Program& program, const Observation& expected) {
  std::set<ValueId> leaves;
  bool any = false, of_nothing = false, of_one = false, of_result = false;
  const auto shape = [&](ValueId id) {
    return expected.values[static_cast<size_t>(id)].data.shape;
  };
  for (const auto& s : program.statements) {
    if (s.op == Opcode::kLeaf) leaves.insert(s.results[0]);
    if (s.op != Opcode::kEmbedding || !s.Get<bool>(Key::kSparse)) continue;
    const auto weight = static_cast<size_t>(s.operands[0]);
    if (weight >= expected.values.size() || !expected.values[weight].requires_grad) continue;
    const int64_t numbers =
        twingrad::program::NumElements(shape(s.operands[1])) * shape(s.operands[0]).at(1);
    any = true;
    of_nothing |= numbers == 0;
    of_one |= numbers == 1;
    of_result |= leaves.count(s.operands[0]) == 0;
  }
  std::string text;
  if (any) text += "  circumstance: a sparse gradient\n";
  if (of_nothing) text += "  circumstance: a sparse gradient of nothing\n";
  if (of_one) text += "  circumstance: a sparse gradient of one number\n";
  if (of_result) text += "  circumstance: a sparse gradient of a result\n";
  return text;
}

// Whether hooks after accumulation have run where the twin's have not.
bool AccumulatesTooOften(const Program& program, const Observation& expected,
                         const Observation& observed) {
  const auto runs = [&](const Observation& observation) {
    int64_t count = 0;
    for (const auto& call : observation.calls) {
      count += std::ranges::count_if(call.hooks, [&](const auto& record) {
        const auto at = static_cast<size_t>(record.statement);
        return at < program.statements.size() &&
               program.statements[at].op == Opcode::kAccumulateHook;
      });
    }
    return count;
  };
  return runs(observed) > runs(expected);
}

// Whether a hook, retain_grad or inputs= shows the gradient of what `op` gave.
bool ShowsResultOf(Opcode op, const Program& program) {
  std::set<ValueId> products;
  const auto is_product = [&](ValueId value) { return products.count(value) > 0; };
  for (const auto& s : program.statements) {
    if (s.op == op) products.insert(s.results[0]);
    const bool hooks = SignatureOf(s.op).category == Category::kHook || s.op == Opcode::kRetainGrad;
    if (hooks && !s.operands.empty() && is_product(s.operands[0])) return true;
    if (std::ranges::any_of(s.template Get<std::vector<ValueId>>(Key::kInputs), is_product))
      return true;
  }
  return false;
}

// Whether a transposed convolution has another shape in the engine.
bool TransposesToAnotherShape(const Program& program, const Observation& expected,
                              const Observation& observed) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (!SignatureOf(s.op).name.starts_with("conv_transpose")) return false;
    const auto at = static_cast<size_t>(s.results[0]);
    if (at >= expected.values.size() || at >= observed.values.size()) return false;
    const auto &e = expected.values[at], &o = observed.values[at];
    return e.defined && o.defined && e.data.shape != o.data.shape;
  });
}

// Of operands and results without elements.
std::string OfNothing(const Program& program, const Observation& expected) {
  std::string text;
  if (StridesToNothing(program, expected)) text += "  circumstance: as_strided to nothing\n";
  for (const Opcode op : {Opcode::kDet, Opcode::kBatchNorm, Opcode::kNllLoss, Opcode::kCrossEntropy,
                          Opcode::kLogcumsumexp, Opcode::kVar}) {
    if (!TakesNothing(program, expected, op, 0)) continue;
    absl::StrAppend(&text, "  circumstance: ", SignatureOf(op).name, " of nothing\n");
  }
  if (TakesNothing(program, expected, Opcode::kAddmv, 1)) {
    text += "  circumstance: addmv of nothing\n";
  }
  if (RepeatsNoTimes(program)) text += "  circumstance: repeat of 0 times\n";
  return text;
}

}  // namespace

std::string Circumstances(const Program& program, const Observation& expected,
                          const Observation& observed) {
  std::string text;
  for (const Opcode op : HiddenViews(program, observed)) {
    absl::StrAppend(&text, "  circumstance: the result of ", SignatureOf(op).name, " is a view\n");
  }
  text += NumberCircumstances(program, expected, observed);
  text += OfNothing(program, expected);
  if (TransposesToAnotherShape(program, expected, observed)) {
    text += "  circumstance: a conv_transpose of another shape\n";
  }
  text += ListedGradients(program, expected);
  if (AccumulatesTooOften(program, expected, observed)) {
    text += "  circumstance: an accumulate_hook that runs too often\n";
  }
  for (const Opcode op : {Opcode::kProd, Opcode::kCumprod, Opcode::kScatterReduce, Opcode::kDet}) {
    if (!ShowsResultOf(op, program)) continue;
    absl::StrAppend(&text, "  circumstance: the gradient of a ", SignatureOf(op).name,
                    " is shown\n");
  }
  return text;
}

}  // namespace twingrad::conformance
