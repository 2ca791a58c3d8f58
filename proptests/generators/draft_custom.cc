// What a Draft learns from a custom function.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

namespace {

std::string ActionOf(const Attributes& attributes) {
  for (const Attribute& a : attributes) {
    if (a.key == Key::kDo) return std::get<std::string>(a.value);
  }
  return "";
}

}  // namespace

bool Draft::CustomWrite(ValueId target, Attributes attributes) {
  const std::string action = ActionOf(attributes);
  const NodeIndex edge = grad_mode() && IsFloating(target) ? NodeOf(target) : kNoNode;
  if (!Add(Opcode::kCustomInPlace, {target}, std::move(attributes))) return false;
  MakeStale(target);
  const bool saves = action == "exp";
  const Range before = known_[target].range;
  NodeIndex node = kNoNode;
  if (edge != kNoNode) {
    GraphNode made;
    made.edges.push_back(edge);
    made.saves = saves;
    made.nonlinear = saves ? 1 : 0;
    if (saves) made.factors.push_back(edge);
    node = graph_.Add(std::move(made));
    if (saves && saved_hooks_depth_ == 0) {
      saved_.push_back({builder_.Info(target).storage, node});
    }
  }
  LearnWrite(target, node, saves ? AfterUnary(Opcode::kExp, before) : before);
  return true;
}

std::vector<ValueId> Draft::Custom(absl::Span<const ValueId> operands, Attributes attributes) {
  if (!options().Has(Opcode::kCustom)) return {};
  const std::string action = ActionOf(attributes);
  std::vector<int64_t> marked;
  for (const Attribute& a : attributes) {
    if (a.key == Key::kNonDifferentiable) marked = std::get<std::vector<int64_t>>(a.value);
    has_acting_hooks_ |= a.key == Key::kTarget;
  }
  std::vector<NodeIndex> edges;
  for (const ValueId operand : operands) {
    edges.push_back(grad_mode() && IsFloating(operand) ? NodeOf(operand) : kNoNode);
  }
  const std::vector<ValueId> results =
      builder_.Results(static_cast<int>(operands.size()), Opcode::kCustom, operands, attributes);
  if (results.empty()) return results;
  const bool records =
      std::any_of(edges.begin(), edges.end(), [](NodeIndex edge) { return edge != kNoNode; });
  const bool curved = action == "square" || action == "exp";
  NodeIndex node = kNoNode;
  if (records) {
    GraphNode made;
    made.edges.assign(edges.begin(), edges.end());
    made.saves = curved;
    if (curved) made.nonlinear = static_cast<uint8_t>((1u << edges.size()) - 1);
    for (const NodeIndex edge : edges) {
      if (curved && edge != kNoNode) made.factors.push_back(edge);
    }
    node = graph_.Add(std::move(made));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const Range before = known_[operands[k]].range;
    Known& known = Learn(results[k]);
    known.base = results[k];
    known.range = before;
    if (IsFloating(results[k])) {
      if (action == "square") known.range = AfterProduct(before, before);
      if (action == "exp") known.range = AfterUnary(Opcode::kExp, before);
      const bool is_marked = std::find(marked.begin(), marked.end(), k) != marked.end();
      known.node = is_marked ? kNoNode : node;
      if (records && curved && saved_hooks_depth_ == 0) {
        const ValueId saved = action == "square" ? operands[k] : results[k];
        saved_.push_back({builder_.Info(saved).storage, node});
      }
    }
  }
  return results;
}

}  // namespace twingrad::generators
