#include "autograd/program/racy.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "autograd/program/parts.h"
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
        // Indices have no node.
        definitions_.push_back({&statement.operands, i > 0 && GivesIndices(statement) ? 0 : edges});
      }
    }
  }

  bool IsLeaf(ValueId value) const { return definitions_[value].operands->empty(); }

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

  bool Any() const { return !actors_.empty(); }

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

// What a thread section does to what others see.
struct Touches {
  bool hooks = false;  // adds or removes a hook of a value from before the sections
  bool calls = false;
  std::vector<bool> runs, releases;  // by value: whether a call reaches its node; with its graph
  std::vector<bool> read;            // whether hooks read what a call adds to its .grad
};

// The values with hooks after accumulation.
std::vector<bool> ReadByHooks(const Program& program) {
  std::vector<bool> read(program.names.size());
  for (const Statement& statement : program.statements) {
    if (statement.op == Opcode::kAccumulateHook) read[statement.operands[0]] = true;
  }
  return read;
}

// `first`: where the section's own values begin.
Touches TouchesOf(const Program& program, const Section& section, ValueId first,
                  const Ancestry& ancestry) {
  Touches touches;
  touches.runs.resize(program.names.size());
  touches.releases.resize(program.names.size());
  touches.read.resize(program.names.size());
  const std::vector<bool> read = ReadByHooks(program);
  for (int32_t s = section.begin; s < section.end; ++s) {
    const Statement& statement = program.statements[s];
    const Category category = SignatureOf(statement.op).category;
    if (category == Category::kHook) {
      touches.hooks |= statement.operands.empty() || statement.operands[0] < first;
    }
    if (category != Category::kCall) continue;
    touches.calls = true;
    const bool keeps =
        statement.Get<bool>(Key::kRetainGraph, statement.Get<bool>(Key::kCreateGraph));
    for (const ValueId root : statement.operands) {
      const std::vector<bool> reached = ancestry.Of(root);
      for (size_t v = 0; v < reached.size(); ++v) {
        if (reached[v] && read[v]) touches.read[v] = true;
        if (!reached[v] || ancestry.IsLeaf(static_cast<ValueId>(v))) continue;
        touches.runs[v] = true;
        if (!keeps) touches.releases[v] = true;
      }
    }
  }
  return touches;
}

// `actors`: whether a call may run hooks that act on others.
bool Race(const Touches& a, const Touches& b, bool actors) {
  if (actors && a.calls && b.calls) return true;
  if ((a.hooks && (b.hooks || b.calls)) || (b.hooks && a.calls)) return true;
  for (size_t v = 0; v < a.runs.size(); ++v) {
    if ((a.runs[v] && b.releases[v]) || (a.releases[v] && b.runs[v])) return true;
    if (a.read[v] && b.read[v]) return true;
  }
  return false;
}

// Whether timing decides what two sections of one group show. Each section is compared with those
// that follow it.
bool SectionsAreRacy(const Program& program, bool actors) {
  const Ancestry ancestry(program);
  ValueId next = 0;
  for (int32_t s = 0; s < static_cast<int32_t>(program.statements.size()); ++s) {
    if (Begins(program.statements[s], RegionKind::kThread)) {
      std::vector<Touches> group;
      for (const Section& section : SectionsFrom(program, s)) {
        group.push_back(TouchesOf(program, section, next, ancestry));
      }
      for (size_t i = 1; i < group.size(); ++i) {
        if (Race(group[0], group[i], actors)) return true;
      }
    }
    next += static_cast<ValueId>(program.statements[s].results.size());
  }
  return false;
}

}  // namespace

bool IsRacy(const Program& program) {
  const Actors actors(program);
  return actors.AreRacy() || SectionsAreRacy(program, actors.Any());
}

}  // namespace twingrad::program
