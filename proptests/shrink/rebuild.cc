#include "proptests/shrink/rebuild.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"

namespace twingrad::shrink {

using program::Default;
using program::Signature;

// Adds the statement, made from the original one, with the next free ids as its results, and maps
// the original's to them; false if the builder rejects it.
bool Rebuilder::AddFresh(const Statement& original, Statement* statement) {
  for (size_t i = 0; i < statement->results.size(); ++i) {
    statement->results[i] = builder_.num_values() + static_cast<ValueId>(i);
  }
  if (!builder_.AddStatement(*statement)) return false;
  for (size_t i = 0; i < original.results.size(); ++i) {
    if (original.results[i] == kNoValue) continue;
    const bool gone = i >= statement->results.size();  // of a statement that has fewer parts now
    map_[original.results[i]] = statement->results[gone ? 0 : i];
  }
  return true;
}

void Rebuilder::Skip(const Statement& statement) {
  if (statement.op == Opcode::kBegin) skipped_regions_.push_back(true);
}

// Maps operands and value lists in place; false where one is missing.
bool Rebuilder::MapValues(Statement* statement) {
  for (ValueId& operand : statement->operands) {
    if (operand == kNoValue) continue;
    operand = map_[operand];
    if (operand == kNoValue) return false;
  }
  for (Attribute& attribute : statement->attributes) {
    auto* list = std::get_if<std::vector<ValueId>>(&attribute.value);
    if (list == nullptr) continue;
    for (ValueId& value : *list) {
      if (value == kNoValue) continue;
      value = map_[value];
      if (value == kNoValue) return false;
    }
  }
  return true;
}

// Like MapValues, for a call: removes missing roots and inputs, with their seeds and results.
bool Rebuilder::MapCall(Statement* statement, std::vector<int>* kept_results) {
  std::vector<ValueId>* seeds = nullptr;
  std::vector<ValueId>* inputs = nullptr;
  for (Attribute& attribute : statement->attributes) {
    if (attribute.key == Key::kSeeds) seeds = &std::get<std::vector<ValueId>>(attribute.value);
    if (attribute.key == Key::kInputs) inputs = &std::get<std::vector<ValueId>>(attribute.value);
  }
  absl::InlinedVector<ValueId, 3> roots;
  std::vector<ValueId> kept_seeds;
  for (size_t i = 0; i < statement->operands.size(); ++i) {
    const ValueId root = map_[statement->operands[i]];
    if (root == kNoValue) continue;
    roots.push_back(root);
    if (seeds == nullptr || i >= seeds->size()) continue;
    const ValueId seed = (*seeds)[i];
    kept_seeds.push_back(seed == kNoValue ? kNoValue : map_[seed]);
  }
  if (roots.empty()) return false;
  statement->operands = std::move(roots);
  if (seeds != nullptr) *seeds = std::move(kept_seeds);
  if (inputs == nullptr) return true;
  std::vector<ValueId> kept_inputs;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const ValueId input = map_[(*inputs)[i]];
    if (input == kNoValue) continue;
    kept_inputs.push_back(input);
    kept_results->push_back(static_cast<int>(i));
  }
  if (kept_inputs.empty() && !inputs->empty()) return false;
  *inputs = std::move(kept_inputs);
  // Seeds that are all implicit are written as none.
  if (seeds != nullptr &&
      std::all_of(seeds->begin(), seeds->end(), [](ValueId v) { return v == kNoValue; })) {
    std::erase_if(statement->attributes, [](const Attribute& a) { return a.key == Key::kSeeds; });
  }
  return true;
}

void Rebuilder::AddCall(const Statement& original) {
  Statement statement = original;
  std::vector<int> kept;
  if (!MapCall(&statement, &kept)) return;
  if (!original.results.empty()) {
    statement.results.clear();
    for (const int i : kept) statement.results.push_back(original.results[i]);
  }
  const Statement of_kept = statement;
  AddFresh(of_kept, &statement);
}

// The statement no longer fits: retries it without its optional attributes; if that fails too, maps
// its result to its first operand.
void Rebuilder::Retry(const Statement& original, Statement statement) {
  const Signature& signature = SignatureOf(statement.op);
  const size_t before = statement.attributes.size();
  std::erase_if(statement.attributes, [&](const Attribute& a) {
    const auto* spec = signature.Find(a.key);
    return spec == nullptr || spec->otherwise != Default::kRequired;
  });
  if (statement.attributes.size() < before && AddFresh(original, &statement)) return;
  const bool alone = original.results.size() == 1 || program::GivesIndices(original);
  if (alone && !original.operands.empty()) {
    map_[original.results[0]] = statement.operands.back();
    if (statement.op != Opcode::kWhere) map_[original.results[0]] = statement.operands.front();
  }
}

void Rebuilder::Add(const Statement& original) {
  if (original.op == Opcode::kEnd) {
    const bool skipped = skipped_regions_.empty() || skipped_regions_.back();
    if (!skipped_regions_.empty()) skipped_regions_.pop_back();
    if (!skipped) builder_.AddStatement(original);
    return;
  }
  if (SignatureOf(original.op).category == Category::kCall) return AddCall(original);
  Statement statement = original;
  const bool complete = MapValues(&statement);
  if (complete && program::HasParts(statement.op)) {
    const TensorType& whole = builder_.TypeOf(statement.operands[0]);
    statement.results.resize(program::FittingResults(statement, whole.shape));
  }
  const bool added = complete && AddFresh(original, &statement);
  if (original.op == Opcode::kBegin) skipped_regions_.push_back(!added);
  if (complete && !added) Retry(original, std::move(statement));
}

void Rebuilder::AddAllBut(const Program& program, int at, const Statement& instead) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    Add(static_cast<int>(i) == at ? instead : program.statements[i]);
  }
}

}  // namespace twingrad::shrink
