#include "autograd/program/racy.h"

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
  std::vector<bool> is_thread;  // open regions
  int threads = 0;              // thread regions among them
  int touching = 0;             // sections of the present group that touch
  bool touches = false;
  ValueId next = 0, first = 0;
  bool after_section = false;
  for (const Statement& statement : program.statements) {
    const bool ends_section =
        statement.op == Opcode::kEnd && !is_thread.empty() && is_thread.back();
    if (statement.op == Opcode::kBegin) {
      is_thread.push_back(Begins(statement, RegionKind::kThread));
      if (is_thread.back()) {
        if (!after_section) touching = 0;
        touches = false;
        first = next;
        ++threads;
      }
    } else if (statement.op == Opcode::kEnd) {
      if (ends_section) {
        --threads;
        if (touches && ++touching > 1) return true;
      }
      is_thread.pop_back();
    } else if (threads > 0 && Touches(statement, first)) {
      touches = true;
    }
    after_section = ends_section;
    next += static_cast<ValueId>(statement.results.size());
  }
  return false;
}

}  // namespace

bool IsRacy(const Program& program) { return HooksAreRacy(program) || SectionsAreRacy(program); }

}  // namespace twingrad::program
