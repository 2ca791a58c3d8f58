#include "autograd/program/racy.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

// Which values a value is computed from by its definition (ignoring in-place statements).
class Ancestry {
 public:
  explicit Ancestry(const Program& program) {
    std::vector<bool> records = {true};  // of the open regions
    for (const Statement& statement : program.statements) {
      const Signature& signature = SignatureOf(statement.op);
      has_writes_ |=
          signature.category == Category::kInPlace || statement.op == Opcode::kCustomInPlace;
      if (statement.op == Opcode::kBegin) {
        records.push_back(records.back() && !Begins(statement, RegionKind::kNoGrad));
      } else if (statement.op == Opcode::kEnd) {
        records.pop_back();
      }
      const bool to_integers =
          statement.op == Opcode::kCast && !IsFloating(std::get<DType>(*statement.Find(Key::kTo)));
      const uint32_t edges = records.back() && !to_integers ? signature.differentiable : 0;
      for (size_t i = 0; i < statement.results.size(); ++i) {
        definitions_.push_back({&statement.operands, edges});
      }
    }
  }

  // The value itself and all it is computed from; `by_edges`: all that its node surely leads to.
  std::vector<bool> Of(ValueId value, bool by_edges = false) const {
    std::vector<bool> found(definitions_.size(), false);
    std::vector<ValueId> open = {value};
    found[value] = true;
    while (!open.empty()) {
      const Definition& next = definitions_[open.back()];
      open.pop_back();
      for (size_t k = 0; k < next.operands->size(); ++k) {
        const ValueId operand = (*next.operands)[k];
        if (found[operand] || (by_edges && (k >= 32 || (next.edges >> k & 1) == 0))) continue;
        found[operand] = true;
        open.push_back(operand);
      }
    }
    return found;
  }

  // Whether the nodes of two values run in a fixed order in any backward. A write in place gives a
  // value another node, so in a Program with in-place writes the answer is no.
  bool Ordered(ValueId a, ValueId b) const {
    return a == b || (!has_writes_ && (Of(a, true)[b] || Of(b, true)[a]));
  }

 private:
  struct Definition {
    const absl::InlinedVector<ValueId, 3>* operands;
    uint32_t edges;  // bit k: a gradient flows to operand k
  };
  std::vector<Definition> definitions_;  // by value
  bool has_writes_ = false;
};

// A hook or a custom function's backward that acts on others.
struct Actor {
  ValueId on;
  const Statement* statement;
  ValueId target;  // the value that it names, or on which the hook that it removes is
  bool is_backward;
};

class Actors {
 public:
  explicit Actors(const Program& program) : ancestry_(program) {
    absl::flat_hash_map<std::string, ValueId> handles;
    for (const Statement& statement : program.statements) {
      const Category category = SignatureOf(statement.op).category;
      if (category == Category::kCustom) {
        for (const ValueId result : statement.results) Take(result, statement, handles);
      }
      if (category != Category::kHook || statement.op == Opcode::kRemoveHook) continue;
      const ValueId on = statement.operands[0];
      if (const AttributeValue* id = statement.Find(Key::kId)) {
        handles[std::get<std::string>(*id)] = on;
      }
      Take(on, statement, handles);
    }
  }

  bool AreRacy() const {
    std::vector<std::vector<bool>> touched;
    for (const Actor& actor : actors_) {
      touched.push_back(TouchedBy(actor));
      for (size_t v = 0; v < touched.back().size(); ++v) {
        if (touched.back()[v] && !ancestry_.Ordered(actor.on, static_cast<ValueId>(v))) return true;
      }
    }
    // Two that act on one value must have an order between them, too.
    for (size_t a = 0; a < actors_.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (ancestry_.Ordered(actors_[a].on, actors_[b].on)) continue;
        for (size_t v = 0; v < touched[a].size(); ++v) {
          if (touched[a][v] && touched[b][v]) return true;
        }
      }
    }
    return false;
  }

 private:
  void Take(ValueId on, const Statement& statement,
            const absl::flat_hash_map<std::string, ValueId>& handles) {
    const AttributeValue* target = statement.Find(Key::kTarget);
    if (target == nullptr) return;
    const auto* handle = std::get_if<std::string>(target);
    const ValueId value =
        handle != nullptr ? handles.at(*handle) : std::get<std::vector<ValueId>>(*target)[0];
    const bool is_backward = statement.Get<std::string>(Key::kDo) == "backward";
    actors_.push_back({on, &statement, value, is_backward});
  }

  // The values that the actor acts on; where it runs backward, all those that are reached, with
  // what the actors there act on.
  std::vector<bool> TouchedBy(const Actor& actor) const {
    std::vector<bool> touched = ancestry_.Of(actor.target);
    if (!actor.is_backward) {
      std::fill(touched.begin(), touched.end(), false);
      touched[actor.target] = true;
      return touched;
    }
    std::vector<bool> seen(actors_.size(), false);
    for (bool grew = true; grew;) {
      grew = false;
      for (size_t a = 0; a < actors_.size(); ++a) {
        if (seen[a] || !touched[actors_[a].on]) continue;
        seen[a] = grew = true;
        touched[actors_[a].target] = true;
        if (!actors_[a].is_backward) continue;
        const std::vector<bool> reached = ancestry_.Of(actors_[a].target);
        for (size_t v = 0; v < reached.size(); ++v) touched[v] = touched[v] || reached[v];
      }
    }
    return touched;
  }

  const Ancestry ancestry_;
  std::vector<Actor> actors_;
};

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

bool IsRacy(const Program& program) {
  return Actors(program).AreRacy() || SectionsAreRacy(program);
}

}  // namespace twingrad::program
