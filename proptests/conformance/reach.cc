#include "proptests/conformance/reach.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>

namespace twingrad::conformance {
namespace {

using twingrad::program::kNoValue;
using twingrad::program::Statement;
using twingrad::program::ValueId;

// Sets of values that statements join.
class Components {
 public:
  explicit Components(size_t values) : parent_(values) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  size_t Find(ValueId value) {
    auto at = static_cast<size_t>(value);
    while (parent_[at] != at) at = std::exchange(parent_[at], parent_[parent_[at]]);
    return at;
  }
  void Join(ValueId a, ValueId b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parent_;
};

std::vector<ValueId> NamedBy(const Statement& statement) {
  std::vector<ValueId> named(statement.results.begin(), statement.results.end());
  named.insert(named.end(), statement.operands.begin(), statement.operands.end());
  for (const auto& attribute : statement.attributes) {
    const auto* list = std::get_if<std::vector<ValueId>>(&attribute.value);
    if (list != nullptr) named.insert(named.end(), list->begin(), list->end());
  }
  std::erase(named, kNoValue);
  return named;
}

}  // namespace

std::vector<bool> ReachedBy(const std::vector<twingrad::reference::KinkPoint>& points,
                            const twingrad::program::Program& program) {
  const size_t values = program.names.size();
  Components components(values);
  for (const Statement& statement : program.statements) {
    const std::vector<ValueId> named = NamedBy(statement);
    for (const ValueId value : named) components.Join(value, named.front());
  }
  std::vector<bool> has_point(values), reached(values);
  for (const auto& point : points) {
    // Where a point's statement is not known, it may be any.
    const auto at = static_cast<size_t>(point.statement);
    if (point.statement < 0 || at >= program.statements.size())
      return std::vector<bool>(values, true);
    for (const ValueId value : NamedBy(program.statements[at])) {
      has_point[components.Find(value)] = true;
    }
  }
  for (size_t v = 0; v < values; ++v) {
    reached[v] = has_point[components.Find(static_cast<ValueId>(v))];
  }
  return reached;
}

}  // namespace twingrad::conformance
