#include "autograd/program/racy.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

// Which values a value is computed from by its definition (ignoring in-place statements).
class Ancestry {
 public:
  explicit Ancestry(const Program& program) {
    for (const Statement& statement : program.statements) {
      if (SignatureOf(statement.op).category == Category::kInPlace) has_writes_ = true;
      for (size_t i = 0; i < statement.results.size(); ++i)
        operands_.push_back(&statement.operands);
    }
  }

  // The value itself and all it is computed from.
  std::vector<bool> Of(ValueId value) const {
    std::vector<bool> found(operands_.size(), false);
    std::vector<ValueId> open = {value};
    found[value] = true;
    while (!open.empty()) {
      const ValueId next = open.back();
      open.pop_back();
      for (const ValueId operand : *operands_[next]) {
        if (!found[operand]) open.push_back(operand);
        found[operand] = true;
      }
    }
    return found;
  }

  // Whether the nodes of two values run in a fixed order in any backward. A write in place gives a
  // value another node, so in a Program with in-place writes the answer is no.
  bool Ordered(ValueId a, ValueId b) const {
    return a == b || (!has_writes_ && (Of(a)[b] || Of(b)[a]));
  }

 private:
  std::vector<const absl::InlinedVector<ValueId, 3>*> operands_;  // by value
  bool has_writes_ = false;
};

// Whether a hook on `on`, or a custom function's backward, acts on a value whose node is unordered
// with its own.
bool ActsUnordered(const Ancestry& ancestry, ValueId on, const Statement& statement,
                   const absl::flat_hash_map<std::string, ValueId>& handles) {
  const auto action = statement.Get<std::string>(Key::kDo);
  const AttributeValue* target = statement.Find(Key::kTarget);
  if (target == nullptr) return false;
  if (const auto* handle = std::get_if<std::string>(target)) {
    return !ancestry.Ordered(on, handles.at(*handle));
  }
  const ValueId value = std::get<std::vector<ValueId>>(*target)[0];
  if (action != "backward") return !ancestry.Ordered(on, value);
  const std::vector<bool> reached = ancestry.Of(value);
  for (size_t v = 0; v < reached.size(); ++v) {
    if (reached[v] && !ancestry.Ordered(on, static_cast<ValueId>(v))) return true;
  }
  return false;
}

bool HooksAreRacy(const Program& program) {
  const Ancestry ancestry(program);
  absl::flat_hash_map<std::string, ValueId> handles;
  for (const Statement& statement : program.statements) {
    const Category category = SignatureOf(statement.op).category;
    if (category == Category::kCustom) {
      for (const ValueId result : statement.results) {
        if (ActsUnordered(ancestry, result, statement, handles)) return true;
      }
    }
    if (category != Category::kHook || statement.op == Opcode::kRemoveHook) continue;
    const ValueId on = statement.operands[0];
    if (const AttributeValue* id = statement.Find(Key::kId)) {
      handles[std::get<std::string>(*id)] = on;
    }
    if (ActsUnordered(ancestry, on, statement, handles)) return true;
  }
  return false;
}

// Whether a statement in a thread section whose values begin at `first` has effects that other
// sections can see.
bool Touches(const Statement& statement, ValueId first) {
  switch (SignatureOf(statement.op).category) {
    case Category::kCall:
      return true;
    case Category::kHook:
    case Category::kGradient:
      return statement.operands.empty() || statement.operands[0] < first;
    default:
      return false;
  }
}

// Whether two concurrent sections both touch what others can see.
bool SectionsAreRacy(const Program& program) {
  ValueId next = 0;
  int touching = 0;            // sections of the present group that touch
  int32_t after_section = -1;  // the statement after the latest section
  for (int32_t s = 0; s < static_cast<int32_t>(program.statements.size()); ++s) {
    if (Begins(program.statements[s], RegionKind::kThread)) {
      if (s != after_section) touching = 0;
      const auto first = program.statements.begin() + s;
      after_section = EndOfRegion(program, s) + 1;
      const bool touches =
          std::any_of(first, program.statements.begin() + after_section,
                      [&](const Statement& statement) { return Touches(statement, next); });
      if (touches && ++touching > 1) return true;
    }
    next += static_cast<ValueId>(program.statements[s].results.size());
  }
  return false;
}

}  // namespace

bool IsRacy(const Program& program) { return HooksAreRacy(program) || SectionsAreRacy(program); }

}  // namespace twingrad::program
