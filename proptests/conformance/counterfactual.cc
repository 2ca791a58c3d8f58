#include "proptests/conformance/counterfactual.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autograd/program/analyze.h"
#include "autograd/program/parts.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/shrink/rebuild.h"

namespace twingrad::conformance {
namespace {

using shrink::Rebuilder;
using twingrad::program::Analysis;
using twingrad::program::Attribute;
using twingrad::program::Category;
using twingrad::program::GivesIndices;
using twingrad::program::Key;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::RegionKind;
using twingrad::program::SignatureOf;
using twingrad::program::Statement;
using twingrad::program::ValueId;
using twingrad::program::ValueRecord;

// How a statement is rewritten: as it is, not at all, or otherwise.
using Rewrite = std::function<std::optional<Statement>(const Statement&)>;

std::optional<Program> Rewritten(const Program& program, const Rewrite& rewrite) {
  Rebuilder rebuilder(program);
  bool changed = false;
  for (const Statement& statement : program.statements) {
    std::optional<Statement> instead = rewrite(statement);
    changed |= !instead || !(*instead == statement);
    if (instead) {
      rebuilder.Add(*instead);
    } else {
      rebuilder.Skip(statement);
    }
  }
  if (!changed) return std::nullopt;
  return rebuilder.Take();
}

// Without what `drops` says; of a `begin` the `end` goes too.
Rewrite Dropping(bool (*drops)(const Statement&)) {
  return
      [drops](const Statement& s) { return drops(s) ? std::nullopt : std::optional<Statement>(s); };
}

template <Category category>
bool Is(const Statement& statement) {
  return SignatureOf(statement.op).category == category;
}

bool WritesInPlace(const Statement& statement) {
  return Is<Category::kInPlace>(statement) || statement.op == Opcode::kCustomInPlace;
}

std::optional<Program> WithOneCall(const Program& program) {
  int calls = 0;
  return Rewritten(program, [&calls](const Statement& s) {
    const bool later = Is<Category::kCall>(s) && calls++ > 0;
    return later ? std::nullopt : std::optional<Statement>(s);
  });
}

std::optional<Program> WithoutGraphs(const Program& program) {
  return Rewritten(program, [](const Statement& s) -> std::optional<Statement> {
    Statement plain = s;
    std::erase_if(plain.attributes, [](const Attribute& a) { return a.key == Key::kCreateGraph; });
    return plain;
  });
}

std::optional<Program> WithoutInputs(const Program& program) {
  return Rewritten(program, [](const Statement& s) -> std::optional<Statement> {
    Statement plain = s;
    if (s.op == Opcode::kBackward) {
      std::erase_if(plain.attributes, [](const Attribute& a) { return a.key == Key::kInputs; });
    }
    return plain;
  });
}

std::optional<Program> WithoutFeature(const Program& program, std::string_view feature) {
  if (feature == "several_calls" || feature == "grad_of_grad") return WithOneCall(program);
  if (feature == "create_graph") return WithoutGraphs(program);
  if (feature == "inputs") return WithoutInputs(program);
  if (feature == "in_place") return Rewritten(program, Dropping(WritesInPlace));
  if (feature == "hook") return Rewritten(program, Dropping(Is<Category::kHook>));
  if (feature == "retain_grad") {
    return Rewritten(program,
                     Dropping([](const Statement& s) { return s.op == Opcode::kRetainGrad; }));
  }
  if (feature == "no_grad") {
    return Rewritten(program,
                     Dropping([](const Statement& s) { return Begins(s, RegionKind::kNoGrad); }));
  }
  return std::nullopt;
}

// A leaf with what the value holds at the end of the run.
Statement LeafOf(ValueId value, const Analysis& analysis, const ValueRecord& record) {
  const auto& info = analysis.values[value];
  Statement leaf;
  leaf.op = Opcode::kLeaf;
  leaf.results = {value};
  leaf.attributes = {{Key::kType, info.type}};
  if (record.defined) {
    leaf.attributes.push_back({Key::kData, record.data.bits});
  }
  if (record.requires_grad) leaf.attributes.push_back({Key::kGrad, true});
  leaf.attributes.push_back({Key::kDevice, int64_t{info.device}});
  return leaf;
}

// What stands for the statement: nothing, a leaf, or, where it can be written to, a copy of one.
void AddInstead(const Statement& statement, const Analysis& analysis, const Observation& expected,
                Rebuilder& rebuilder) {
  for (const ValueId value : statement.results) {
    const ValueRecord& record = expected.values[value];
    rebuilder.Add(LeafOf(value, analysis, record));
    if (!record.requires_grad) continue;
    Statement copy;
    copy.op = Opcode::kClone;
    copy.results = {value};
    copy.operands = {value};
    rebuilder.Add(copy);
  }
}

std::optional<Program> WithoutOps(const Program& program, const std::vector<Opcode>& ops,
                                  const Observation& expected) {
  const auto analysis = twingrad::program::Analyze(program);
  if (!analysis.ok() || expected.values.size() != program.names.size()) return std::nullopt;
  Rebuilder rebuilder(program);
  bool changed = false;
  for (const Statement& statement : program.statements) {
    const Category category = SignatureOf(statement.op).category;
    const bool computes = category != Category::kLeaf && category != Category::kCall;
    const bool named = std::ranges::count(ops, statement.op) > 0;
    const bool several = statement.results.size() > 1 && !GivesIndices(statement);
    if (!named || !computes || several) {
      rebuilder.Add(statement);
      continue;
    }
    changed = true;
    AddInstead(statement, *analysis, expected, rebuilder);
  }
  if (!changed) return std::nullopt;
  return rebuilder.Take();
}

}  // namespace

std::vector<Counterfactual> Counterfactuals(const Program& program,
                                            const FailureSignature& signature,
                                            const Observation& expected) {
  std::vector<Counterfactual> all;
  const auto add = [&all](std::string_view without, std::optional<Program> changed) {
    if (changed) all.push_back({std::string(without), *std::move(changed)});
  };
  for (const std::vector<Opcode>& any : signature.ops) {
    const std::string without = absl::StrJoin(any, "|", [](std::string* text, Opcode op) {
      absl::StrAppend(text, SignatureOf(op).name);
    });
    add(without, WithoutOps(program, any, expected));
  }
  for (const std::string_view feature : absl::StrSplit(signature.feature, ',')) {
    add(feature, WithoutFeature(program, feature));
  }
  return all;
}

}  // namespace twingrad::conformance
