// Draft: calls of the engine and what they leave behind.

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

Draft::Ends Draft::EndsOf(const Call& call) {
  Ends ends;
  for (size_t i = 0; i < call.roots.size(); ++i) {
    ends.roots.push_back(NodeOf(call.roots[i]));
    const ValueId seed = i < call.seeds.size() ? call.seeds[i] : kNoValue;
    ends.seeds.push_back(seed == kNoValue ? kNoNode : NodeOf(seed));
  }
  return ends;
}

GradientFacts Draft::Gradient(const Call& call, ValueId input) {
  const NodeIndex target = NodeOf(input);
  const Ends ends = EndsOf(call);
  return graph_.Gradient(ends.roots, ends.seeds, target);
}

NodeFlags Draft::Differentiable(const Call& call) {
  const Ends ends = EndsOf(call);
  return graph_.Differentiable(ends.roots, ends.seeds);
}

std::vector<ValueId> Draft::AddCall(const Call& call) {
  if (!(call.grad ? options().grad : options().backward)) return {};
  Attributes attributes;
  attributes.reserve(4);
  bool explicit_seed = false;
  for (ValueId seed : call.seeds) explicit_seed |= seed != kNoValue;
  if (explicit_seed) {
    attributes.push_back({Key::kSeeds, std::vector<ValueId>(call.seeds.begin(), call.seeds.end())});
  }
  if (!call.inputs.empty()) {
    attributes.push_back(
        {Key::kInputs, std::vector<ValueId>(call.inputs.begin(), call.inputs.end())});
  }
  if (call.retain_graph >= 0) attributes.push_back({Key::kRetainGraph, call.retain_graph == 1});
  if (call.create_graph) attributes.push_back({Key::kCreateGraph, true});
  if (call.allow_unused) attributes.push_back({Key::kAllowUnused, true});
  if (call.materialize) attributes.push_back({Key::kMaterialize, true});

  NodeList roots;
  for (ValueId root : call.roots) roots.push_back(NodeOf(root));
  absl::InlinedVector<GradientFacts, 2> facts;
  for (ValueId input : call.inputs) facts.push_back(Gradient(call, input));

  std::vector<ValueId> results;
  if (!call.grad) {
    if (!builder_.Add(Opcode::kBackward, call.roots, std::move(attributes))) return results;
  } else {
    results = builder_.Results(static_cast<int>(call.inputs.size()), Opcode::kGrad, call.roots,
                               std::move(attributes));
    if (results.empty()) return results;
  }
  const bool keeps = call.retain_graph == 1 || (call.retain_graph < 0 && call.create_graph);
  if (!keeps) graph_.Free(graph_.Reached(roots));
  for (size_t i = 0; i < results.size(); ++i) {
    LearnGradient(call, call.inputs[i], facts[i], results[i]);
  }
  return results;
}

void Draft::LearnGradient(const Call& call, ValueId input, const GradientFacts& facts,
                          ValueId gradient) {
  Known& known = Learn(gradient);
  known.base = gradient;
  known.usable = facts.reached || call.materialize;
  known.is_gradient = true;
  // A gradient is about as wide as the root times everything on the way: guess from the input.
  known.range = known_[input].range;
  known.range.high += 4;
  known.range.power_of_two = known.range.positive = false;
  if (!call.create_graph || !facts.requires_grad) return;
  GraphNode node;
  for (NodeIndex n : facts.dependencies) node.edges.push_back(n);
  for (NodeIndex n : facts.dependencies) node.factors.push_back(n);
  node.nonlinear = 255;
  node.saves = true;
  known.node = graph_.Add(std::move(node));
}

ValueId Draft::ReadGrad(const Call& call, ValueId input) {
  const GradientFacts facts = Gradient(call, input);
  if (!facts.reached || known_[input].emptied) return kNoValue;
  const ValueId result = builder_.Op(Opcode::kReadGrad, {input});
  if (result != kNoValue) LearnGradient(call, input, facts, result);
  return result;
}

void Draft::LookAtGrad(ValueId leaf) {
  if (!options().Has(Opcode::kReadGrad)) return;
  const ValueId result = builder_.Op(Opcode::kReadGrad, {leaf});
  if (result == kNoValue) return;
  Learn(result).usable = false;
  known_[result].base = result;
}

}  // namespace twingrad::generators
