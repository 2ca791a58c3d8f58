#include "proptests/conformance/seen.h"

#include <algorithm>
#include <string>
#include <utility>

#include "autograd/program/signature.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::CallRecord;
using twingrad::program::Category;
using twingrad::program::HookRecord;
using twingrad::program::Key;
using twingrad::program::kNoValue;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::SignatureOf;
using twingrad::program::Statement;
using twingrad::program::ValueId;
using twingrad::reference::Watch;

// Whether some hook of this kind changes the gradient that goes through one of the values.
bool IsChanged(const Program& program, Opcode kind, const std::vector<ValueId>& values) {
  return std::ranges::any_of(program.statements, [&](const Statement& s) {
    if (s.op != kind || std::ranges::count(values, s.operands[0]) == 0) return false;
    const auto action = s.Get<std::string>(Key::kDo);
    return action == "scale" || action == "undefined";
  });
}

// The values that share the value's node as results of one statement.
std::vector<ValueId> ResultsBeside(const Program& program, ValueId value) {
  for (const Statement& s : program.statements) {
    if (std::ranges::count(s.results, value) > 0) return {s.results.begin(), s.results.end()};
  }
  return {value};
}

// The results of a custom function whose gradients come to it.
std::vector<ValueId> WithGradients(const Statement& s) {
  const auto marked = s.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
  std::vector<ValueId> results;
  for (size_t k = 0; k < s.results.size(); ++k) {
    const bool is_marked = std::ranges::count(marked, static_cast<int64_t>(k)) > 0;
    if (!is_marked) results.push_back(s.results[k]);
  }
  return results;
}

// The gradient that record number `number` of `count` of a statement shows in a call.
SeenGradient GradientOf(const Program& program, int32_t call, int32_t statement, size_t number,
                        size_t count) {
  const Statement& s = program.statements[static_cast<size_t>(statement)];
  SeenGradient seen;
  seen.statement = statement;
  const bool custom = SignatureOf(s.op).category == Category::kCustom;
  const std::vector<ValueId> results = custom ? WithGradients(s) : std::vector<ValueId>();
  const bool has_results = !results.empty() && count == results.size();
  seen.value = has_results ? results[number] : s.operands[0];
  const std::vector<ValueId> beside = ResultsBeside(program, seen.value);
  bool known = true;
  if (custom) {
    known = has_results && !IsChanged(program, Opcode::kPreHook, beside);
  } else if (s.op == Opcode::kHook) {
    known = count == 1 && !IsChanged(program, Opcode::kHook, {seen.value});
  } else if (s.op != Opcode::kAccumulateHook) {
    known = count == 1 && beside.size() == 1 && !IsChanged(program, Opcode::kPreHook, beside);
  } else {
    known = count == 1;
  }
  // What it adds to another value is logged under its own statement.
  known &= s.Get<std::string>(Key::kDo) != "register";
  if (known) seen.watch = {call, seen.value, s.op == Opcode::kAccumulateHook};
  return seen;
}

// Not of a region, whose hooks see what is saved.
bool IsOfValue(const Program& program, int32_t statement) {
  const Category category =
      SignatureOf(program.statements[static_cast<size_t>(statement)].op).category;
  return category == Category::kHook || category == Category::kCustom;
}

// Those that saw something; final callbacks do not.
std::vector<size_t> RecordsOf(const CallRecord& call, int32_t statement) {
  std::vector<size_t> records;
  for (size_t i = 0; i < call.hooks.size(); ++i) {
    const HookRecord& record = call.hooks[i];
    if (record.statement == statement && record.gradient_defined) records.push_back(i);
  }
  return records;
}

void AddOfCall(const Program& program, const twingrad::reference::TwinResult& expected,
               const Observation& observed, size_t at, std::vector<SeenGradient>* all) {
  const CallRecord& call = expected.observation.calls[at];
  std::vector<int32_t> done;
  for (const HookRecord& record : call.hooks) {
    const int32_t statement = record.statement;
    if (!IsOfValue(program, statement) || std::ranges::count(done, statement) > 0) continue;
    done.push_back(statement);
    if (expected.IsSharedRead(call.statement, statement)) continue;
    const auto own = RecordsOf(call, statement), others = RecordsOf(observed.calls[at], statement);
    if (own.size() != others.size()) continue;
    for (size_t k = 0; k < own.size(); ++k) {
      SeenGradient seen = GradientOf(program, call.statement, statement, k, own.size());
      if (call.outer >= 0) seen.watch = {};
      seen.call = at;
      seen.expected = own[k];
      seen.observed = others[k];
      all->push_back(seen);
    }
  }
}

}  // namespace

std::vector<SeenGradient> SeenGradients(const Program& program,
                                        const twingrad::reference::TwinResult& expected,
                                        const Observation& observed) {
  std::vector<SeenGradient> all;
  const auto& calls = expected.observation.calls;
  for (size_t i = 0; i < std::min(calls.size(), observed.calls.size()); ++i) {
    if (calls[i].statement != observed.calls[i].statement) continue;
    AddOfCall(program, expected, observed, i, &all);
  }
  int32_t number = 0;
  for (SeenGradient& seen : all) {
    if (seen.watch.call >= 0) seen.number = number++;
  }
  return all;
}

std::vector<Watch> WatchesOf(const std::vector<SeenGradient>& seen) {
  std::vector<Watch> watches;
  for (const SeenGradient& s : seen) {
    if (s.IsKnown()) watches.push_back(s.watch);
  }
  return watches;
}

}  // namespace twingrad::conformance
