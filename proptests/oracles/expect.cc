#include "proptests/oracles/expect.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "proptests/oracles/compare.h"

namespace twingrad::oracles {
namespace {

using program::Bits;
using program::TensorText;
using program::TensorType;

// What an expectation misses; empty when it is met.
using Miss = std::string;

Miss CompareTensor(const Statement& statement, bool defined, const TensorData& actual) {
  if (!defined) return "it is undefined";
  const TensorType* type = nullptr;
  if (const auto* value = statement.Find(Key::kType)) type = &std::get<TensorType>(*value);
  if (type != nullptr && (type->dtype != actual.dtype || type->shape != actual.shape)) {
    return absl::StrCat("it is ", TensorText(actual), ", of another type");
  }
  const auto* data = statement.Find(Key::kData);
  if (data == nullptr) return "";
  const Bits& expected = std::get<Bits>(*data);
  const DType dtype = type == nullptr ? DType::kF64 : type->dtype;
  // All floating types are written as doubles; data= without type= means a floating type.
  const bool same_kind = expected.empty() || IsFloating(dtype) == IsFloating(actual.dtype);
  if (same_kind && expected == actual.bits) return "";
  TensorData wanted{dtype, type == nullptr ? actual.shape : type->shape, expected};
  return absl::StrCat("expected ", TensorText(wanted), ", it is ", TensorText(actual));
}

const CallRecord* FindCall(const Statement& statement, const Observation& observation) {
  const auto* at = statement.Find(Key::kAt);
  const CallRecord* found = nullptr;
  for (const CallRecord& call : observation.calls) {
    if (call.outer >= 0) continue;
    if (at == nullptr || call.statement == std::get<int64_t>(*at)) found = &call;
  }
  return found;
}

// The index of value's node in the call, or -1.
int FindNode(const Program& program, ValueId value, const CallRecord& call) {
  const int statement = StatementOf(program, value);
  if (statement < 0) return -1;
  const bool leaf = program.statements[statement].op == Opcode::kLeaf;
  const NodeName name = {leaf ? NodeRole::kAccumulateGrad : NodeRole::kStatement, statement, 0};
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    if (call.nodes[n].name == name) return static_cast<int>(n);
  }
  return -1;
}

Miss CompareCount(const char* what, int64_t expected, int64_t actual) {
  if (expected == actual) return "";
  return absl::StrCat("expected ", what, " ", expected, ", it is ", actual);
}

Miss JudgeCall(const Program& program, const Statement& statement, bool dependencies,
               const Observation& observation) {
  const int64_t count = statement.Get<int64_t>(Key::kCount);
  const CallRecord* call = FindCall(statement, observation);
  if (call == nullptr) return "there was no such call";
  const int node = FindNode(program, statement.operands[0], *call);
  if (!dependencies) {
    const int64_t times =
        node < 0 ? 0 : std::count(call->executed.begin(), call->executed.end(), node);
    return CompareCount("executions", count, times);
  }
  const bool counted = node >= 0 && node < static_cast<int>(call->dependencies.size());
  return CompareCount("dependencies", count, counted ? std::max(call->dependencies[node], 0) : 0);
}

Miss JudgeWarnings(const Statement& statement, const Observation& observation) {
  const CallRecord* call = FindCall(statement, observation);
  if (call == nullptr) return "there was no such call";
  const auto of_call = [call](const auto& warning) { return warning.call == call->statement; };
  return CompareCount(
      "warnings", statement.Get<int64_t>(Key::kCount),
      std::count_if(observation.warnings.begin(), observation.warnings.end(), of_call));
}

Miss JudgeError(const Statement& statement, const Observation& observation) {
  const auto& error = observation.error;
  if (!error.has_value()) return "the run ended without an error";
  const std::string wanted = statement.Get<std::string>(Key::kError);
  const auto* at = statement.Find(Key::kAt);
  const bool class_fits = wanted.empty() || wanted == ErrorKindName(error->error);
  const bool place_fits = at == nullptr || std::get<int64_t>(*at) == error->statement;
  if (class_fits && place_fits) return "";
  return absl::StrCat("the error is ", ErrorKindName(error->error), " at statement ",
                      error->statement, ": ", error->message);
}

Miss JudgeValue(const std::string& kind, const Statement& statement, const ValueRecord& value) {
  if (kind == "value") return CompareTensor(statement, value.defined, value.data);
  if (kind == "grad") return CompareTensor(statement, value.grad_defined, value.grad);
  if (kind == "undefined") return value.defined ? "it is " + TensorText(value.data) : "";
  if (kind == "undefined_grad") return value.grad_defined ? "it is " + TensorText(value.grad) : "";
  if (kind == "requires_grad") return value.requires_grad ? "" : "it does not require grad";
  if (kind == "no_requires_grad") return value.requires_grad ? "it requires grad" : "";
  if (kind == "version") {
    return CompareCount("version", statement.Get<int64_t>(Key::kCount), value.version);
  }
  return absl::StrCat("kind ", kind, " is not known");
}

Miss Judge(const Program& program, const Statement& statement, const Observation& observation) {
  const std::string kind = statement.Get<std::string>(Key::kKind);
  if (kind == "error") return JudgeError(statement, observation);
  if (kind == "warnings") return JudgeWarnings(statement, observation);
  if (kind == "dependencies" || kind == "executed") {
    return JudgeCall(program, statement, kind == "dependencies", observation);
  }
  if (statement.operands.empty()) return absl::StrCat("kind ", kind, " needs a value");
  const auto id = static_cast<size_t>(statement.operands[0]);
  if (id >= observation.values.size()) return "the value was not observed";
  return JudgeValue(kind, statement, observation.values[id]);
}

}  // namespace

std::vector<Unmet> UnmetExpectations(const Program& program, const Observation& observation) {
  std::vector<Unmet> unmet;
  bool expects_error = false;
  for (size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& statement = program.statements[s];
    if (statement.op != Opcode::kExpect) continue;
    const std::string kind = statement.Get<std::string>(Key::kKind);
    expects_error |= kind == "error";
    const Miss miss = Judge(program, statement, observation);
    if (miss.empty()) continue;
    const std::string name =
        statement.operands.empty() ? "" : absl::StrCat(" %", program.names[statement.operands[0]]);
    unmet.push_back({static_cast<int>(s),
                     absl::StrCat("statement ", s, ": expect", name, " kind=", kind, ": ", miss)});
  }
  if (observation.error.has_value() && !expects_error) {
    unmet.push_back(
        {-1, absl::StrCat("no error was expected: ", ErrorKindName(observation.error->error),
                          " at statement ", observation.error->statement, ": ",
                          observation.error->message)});
  }
  return unmet;
}

}  // namespace twingrad::oracles
