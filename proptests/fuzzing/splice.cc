#include "proptests/fuzzing/splice.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/signature.h"
#include "proptests/shrink/rebuild.h"

namespace twingrad::fuzzing {
namespace {

using interleave::SplitMix;
using program::Attribute;
using program::Key;
using program::kNoValue;
using program::Program;
using program::Statement;
using program::ValueId;
using program::ValueInfo;

constexpr int kMostImported = 16;
constexpr int kUsesHostPercent = 70;
constexpr int kUsesNewPercent = 80;

bool IsAlike(const ValueInfo& a, const ValueInfo& b) {
  return a.type == b.type && a.device == b.device;
}

// Calls visit(ValueId&) for each value that the statement names and does not make.
template <typename Visit>
void ForEachUse(Statement& statement, Visit visit) {
  for (ValueId& operand : statement.operands) {
    if (operand != kNoValue) visit(operand);
  }
  for (Attribute& attribute : statement.attributes) {
    auto* const list = std::get_if<std::vector<ValueId>>(&attribute.value);
    if (list == nullptr) continue;
    for (ValueId& value : *list) {
      if (value != kNoValue) visit(value);
    }
  }
}

class Splicer {
 public:
  Splicer(const Program& host, int at, const Program& donor, SplitMix& random)
      : host_(host),
        at_(at),
        donor_(donor),
        host_values_(program::Analyze(host)->values),
        donor_values_(program::Analyze(donor)->values),
        random_(random),
        map_(donor.names.size(), kNoValue) {}

  std::optional<Program> Run(Window window) {
    for (int i = 0; i < window.count; ++i) {
      if (!Import(window.first + i)) return std::nullopt;
    }
    std::vector<Statement> statements(host_.statements.begin(), host_.statements.begin() + at_);
    for (const int index : imported_) statements.push_back(Mapped(donor_.statements[Place(index)]));
    std::vector<Statement> rest(host_.statements.begin() + at_, host_.statements.end());
    if (random_.Below(100) < kUsesNewPercent) UseNew(&rest);
    statements.insert(statements.end(), rest.begin(), rest.end());
    Program all;
    all.names.resize(host_.names.size() + donor_.names.size());
    shrink::Rebuilder rebuilder(all);
    for (const Statement& statement : statements) rebuilder.Add(statement);
    return rebuilder.Take();
  }

 private:
  static size_t Place(int index) { return static_cast<size_t>(index); }
  ValueId NewId(ValueId donors) const { return static_cast<ValueId>(host_.names.size()) + donors; }

  // Takes the statement along, and settles what its values become.
  bool Import(int index) {
    if (!imported_.insert(index).second) return true;
    if (imported_.size() > kMostImported) return false;
    Statement statement = donor_.statements[Place(index)];
    for (const ValueId result : statement.results) map_[Place(result)] = NewId(result);
    bool complete = true;
    ForEachUse(statement, [&](ValueId value) { complete = complete && Settle(value); });
    return complete;
  }

  bool Settle(ValueId value) {
    ValueId& mapped = map_[Place(value)];
    if (mapped != kNoValue) return true;
    if (random_.Below(100) < kUsesHostPercent) mapped = PickOfHost(donor_values_[Place(value)]);
    return mapped != kNoValue || Import(donor_values_[Place(value)].statement);
  }

  ValueId PickOfHost(const ValueInfo& like) {
    std::vector<ValueId> alike;
    for (size_t i = 0; i < host_values_.size(); ++i) {
      if (host_values_[i].statement < at_ && IsAlike(host_values_[i], like)) {
        alike.push_back(static_cast<ValueId>(i));
      }
    }
    if (alike.empty()) return kNoValue;
    return alike[Place(random_.Below(static_cast<int>(alike.size())))];
  }

  // A donor's statement over the new values. Handles get names that the host cannot have yet.
  Statement Mapped(Statement statement) const {
    for (ValueId& result : statement.results) result = NewId(result);
    ForEachUse(statement, [&](ValueId& value) { value = map_[Place(value)]; });
    for (Attribute& attribute : statement.attributes) {
      const bool is_handle = attribute.key == Key::kId || attribute.key == Key::kTarget;
      auto* const name = std::get_if<std::string>(&attribute.value);
      if (is_handle && name != nullptr) absl::StrAppend(name, "x", host_.statements.size());
    }
    return statement;
  }

  // Makes one new value an operand of what follows.
  void UseNew(std::vector<Statement>* rest) {
    std::vector<std::pair<ValueId*, ValueId>> choices;
    for (Statement& statement : *rest) {
      for (ValueId& operand : statement.operands) {
        if (operand == kNoValue) continue;
        for (const int index : imported_) {
          for (const ValueId made : donor_.statements[Place(index)].results) {
            if (IsAlike(donor_values_[Place(made)], host_values_[Place(operand)])) {
              choices.emplace_back(&operand, NewId(made));
            }
          }
        }
      }
    }
    if (choices.empty()) return;
    const auto& [operand, value] = choices[Place(random_.Below(static_cast<int>(choices.size())))];
    *operand = value;
  }

  const Program& host_;
  const int at_;
  const Program& donor_;
  const std::vector<ValueInfo> host_values_;
  const std::vector<ValueInfo> donor_values_;
  SplitMix& random_;
  std::vector<ValueId> map_;  // from the donor's values
  std::set<int> imported_;    // statements of the donor, in their order
};

}  // namespace

std::optional<Program> Splice(const Program& host, int at, const Program& donor, Window window,
                              SplitMix& random) {
  return Splicer(host, at, donor, random).Run(window);
}

}  // namespace twingrad::fuzzing
