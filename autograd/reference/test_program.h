// For tests: a Program from text, and what a witness says of its values by name.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"

namespace twingrad::reference {

using Row = std::vector<double>;

// The text without its header line.
inline program::Program ParseOrThrow(std::string_view text) {
  const auto program = program::Parse(absl::StrCat("twingrad 1\n", text));
  if (!program.ok()) throw std::invalid_argument(std::string(program.status().message()));
  return *program;
}

inline program::ValueId ValueOf(const program::Program& program, std::string_view name) {
  const auto it = std::find(program.names.begin(), program.names.end(), name);
  if (it == program.names.end()) throw std::invalid_argument(std::string(name));
  return static_cast<program::ValueId>(it - program.names.begin());
}

inline Row Numbers(const program::TensorData& data) {
  Row numbers;
  for (const uint64_t bits : data.bits) {
    numbers.push_back(IsFloating(data.dtype) ? std::bit_cast<double>(bits)
                                             : static_cast<double>(static_cast<int64_t>(bits)));
  }
  return numbers;
}

// The bounds of each element.
inline Row BoundsOf(const Judged& judged, const program::TensorData& data) {
  Row bounds;
  for (size_t i = 0; i < data.bits.size(); ++i) bounds.push_back(judged.Of(i));
  return bounds;
}

// A run of the twin.
class TwinRun {
 public:
  explicit TwinRun(std::string_view text, Dialect dialect = Dialect::kTwingrad)
      : TwinRun(text, RulesOf(dialect)) {}
  TwinRun(std::string_view text, const DialectRules& rules)
      : program_(ParseOrThrow(text)), result_(RunTwin(program_, rules)) {}

  const TwinResult& result() const { return result_; }
  const program::Program& program() const { return program_; }
  const program::ValueRecord& Record(std::string_view name) const {
    return result_.observation.values[ValueOf(program_, name)];
  }
  Row Value(std::string_view name) const { return Numbers(Record(name).data); }
  Row Grad(std::string_view name) const { return Numbers(Record(name).grad); }
  Row ValueBound(std::string_view name) const {
    return BoundsOf(result_.value_bounds[ValueOf(program_, name)], Record(name).data);
  }
  Row GradBound(std::string_view name) const {
    return BoundsOf(result_.grad_bounds[ValueOf(program_, name)], Record(name).grad);
  }
  const program::CallRecord& Call(size_t index) const { return result_.observation.calls[index]; }

  // The place in the call's list of the node that a statement (or a leaf) made, or -1.
  int Node(size_t call, int statement,
           program::NodeRole role = program::NodeRole::kStatement) const {
    const auto& nodes = Call(call).nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n].name.statement == statement && nodes[n].name.role == role) {
        return static_cast<int>(n);
      }
    }
    return -1;
  }
  // The statements of the nodes that ran, in order; leaves by theirs.
  std::vector<int> Executed(size_t call) const {
    std::vector<int> statements;
    for (const int32_t node : Call(call).executed) {
      statements.push_back(Call(call).nodes[node].name.statement);
    }
    return statements;
  }
  ErrorKind Error() const { return result_.observation.error.value().error; }
  int ErrorStatement() const { return result_.observation.error.value().statement; }

 private:
  program::Program program_;
  TwinResult result_;
};

}  // namespace twingrad::reference
