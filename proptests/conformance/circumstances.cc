#include "proptests/conformance/circumstances.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Category;
using twingrad::program::Key;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::SignatureOf;

// The ops whose results got a new node as only views do, although they are none to the Program.
std::set<Opcode> HiddenViews(const Program& program, const Observation& observed) {
  std::set<Opcode> ops;
  for (const auto& call : observed.calls) {
    for (const auto& node : call.nodes) {
      const int32_t statement = node.name.statement;
      const bool known =
          statement >= 0 && static_cast<size_t>(statement) < program.statements.size();
      if (!known || node.name.role != NodeRole::kRegeneratedView) continue;
      const Opcode op = program.statements[static_cast<size_t>(statement)].op;
      if (SignatureOf(op).category != Category::kView) ops.insert(op);
    }
  }
  return ops;
}

bool MultipliesZeros(const Program& program, const Observation& expected) {
  return std::any_of(program.statements.begin(), program.statements.end(), [&](const auto& s) {
    if (s.op != Opcode::kProd || s.Find(Key::kDims) != nullptr) return false;
    const auto operand = static_cast<size_t>(s.operands[0]);
    if (operand >= expected.values.size() || !expected.values[operand].defined) return false;
    const auto& bits = expected.values[operand].data.bits;
    return std::count_if(bits.begin(), bits.end(), [](uint64_t x) { return x << 1 == 0; }) > 1;
  });
}

bool IsIn(const twingrad::program::Statement& statement, twingrad::program::ValueId value) {
  const auto* inputs = statement.Find(Key::kInputs);
  if (inputs == nullptr) return false;
  const auto& ids = std::get<std::vector<twingrad::program::ValueId>>(*inputs);
  return std::find(ids.begin(), ids.end(), value) != ids.end();
}

// Whether a hook, retain_grad or inputs= shows the gradient of what prod gave.
bool ShowsProd(const Program& program) {
  std::set<twingrad::program::ValueId> products;
  for (const auto& s : program.statements) {
    if (s.op == Opcode::kProd) products.insert(s.results[0]);
    const bool hooks = SignatureOf(s.op).category == Category::kHook || s.op == Opcode::kRetainGrad;
    if (hooks && !s.operands.empty() && products.count(s.operands[0]) > 0) return true;
    if (std::any_of(products.begin(), products.end(),
                    [&s](auto product) { return IsIn(s, product); })) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string Circumstances(const Program& program, const Observation& expected,
                          const Observation& observed) {
  std::string text;
  for (const Opcode op : HiddenViews(program, observed)) {
    absl::StrAppend(&text, "  circumstance: the result of ", SignatureOf(op).name, " is a view\n");
  }
  if (MultipliesZeros(program, expected)) text += "  circumstance: prod of several zeros\n";
  if (ShowsProd(program)) text += "  circumstance: the gradient of a prod is shown\n";
  return text;
}

}  // namespace twingrad::conformance
