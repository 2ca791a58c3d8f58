#include "autograd/program/signature.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "autograd/base/words.h"
#include "autograd/program/statement_table.h"

namespace twingrad::program {
namespace {

using table::kRows;

constexpr bool InOrder() {
  for (int i = 0; i < kNumOpcodes; ++i) {
    if (kRows[i].op != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(InOrder());

// In-place statements have the operands, types and facts of what they perform.
constexpr std::array<Signature, kNumOpcodes> WithPerformed() {
  std::array<Signature, kNumOpcodes> rows = kRows;
  for (Signature& row : rows) {
    if (row.performs == row.op) continue;
    const Signature& performed = kRows[static_cast<int>(row.performs)];
    row.min_operands = row.max_operands = performed.max_operands;
    row.dtypes = performed.dtypes;
    row.differentiable = performed.differentiable;
    row.facts = performed.facts;
  }
  return rows;
}

}  // namespace

constexpr std::array<Signature, kNumOpcodes> kSignatures = WithPerformed();

namespace {

// The opcodes of the rows that UnaryOps() asks for.
struct OpcodeList {
  std::array<Opcode, kNumOpcodes> ops = {};
  size_t size = 0;
};
constexpr OpcodeList UnaryRows(Category category, bool rounds) {
  OpcodeList list;
  for (const Signature& row : kSignatures) {
    const bool unary = row.category == category && row.min_operands == 1 && row.max_operands == 1;
    if (unary && row.attributes.empty() && Rounds(row.facts.numbers) == rounds) {
      list.ops[list.size++] = row.op;
    }
  }
  return list;
}
constexpr OpcodeList kUnary[] = {
    UnaryRows(Category::kElementwise, false), UnaryRows(Category::kElementwise, true),
    UnaryRows(Category::kInPlace, false), UnaryRows(Category::kInPlace, true)};

constexpr std::string_view NameOf(Opcode op) { return kSignatures[static_cast<int>(op)].name; }

constexpr std::array<Opcode, kNumOpcodes> SortedByName() {
  std::array<Opcode, kNumOpcodes> sorted;
  for (int i = 0; i < kNumOpcodes; ++i) sorted[i] = static_cast<Opcode>(i);
  std::ranges::sort(sorted, {}, NameOf);
  return sorted;
}
constexpr std::array<Opcode, kNumOpcodes> kByName = SortedByName();

constexpr auto kKeyNames = SplitWords<kNumKeys>(
    "type data seed fill grad device dims keepdim shape dim index start stop step to seeds inputs "
    "retain_graph create_graph allow_unused materialize id do by target kind count error at "
    "min max descending reduction pads kernel stride padding dilation groups "
    "output_padding align_corners eps causal upper equation accumulate include_self "
    "sparse non_differentiable keep_undefined waits");

// Names end in 1d, 2d or 3d, with _indices after it where the result is indices.
constexpr int PlaneRankOf(std::string_view name) {
  constexpr std::string_view kIndices = "_indices";
  if (name.ends_with(kIndices)) name.remove_suffix(kIndices.size());
  if (name.size() < 2 || name.back() != 'd') return 0;
  const char digit = name[name.size() - 2];
  return digit >= '1' && digit <= '3' ? digit - '0' : 0;
}

// Whether the value holds this alternative, with these contents.
template <typename T>
bool Holds(const AttributeValue& value, const T& contents) {
  const T* held = std::get_if<T>(&value);
  return held != nullptr && *held == contents;
}

}  // namespace

absl::Span<const Opcode> UnaryOps(Category category, bool rounds) {
  const OpcodeList& list = kUnary[(category == Category::kInPlace ? 2 : 0) + (rounds ? 1 : 0)];
  return absl::MakeConstSpan(list.ops.data(), list.size);
}

Saves Signature::SavedBy(bool a_has_gradient, bool b_has_gradient) const {
  constexpr Saves kUnconditional = kSavesOperands | kSavesResult | kSavesOwn;
  Saves saved = facts.saves & kUnconditional;
  if ((facts.saves & kSavesAForB) != 0 && b_has_gradient) saved |= kSavesA;
  if ((facts.saves & kSavesBForA) != 0 && a_has_gradient) saved |= kSavesB;
  if ((facts.saves & kSavesBForB) != 0 && b_has_gradient) saved |= kSavesB;
  if ((facts.saves & kSavesResultForB) != 0 && b_has_gradient) saved |= kSavesResult;
  return category == Category::kInPlace ? saved & ~kSavesA : saved;
}

Saves SavesOf(const Statement& statement) {
  const Saves saves = SignatureOf(statement.op).facts.saves;
  if (statement.op != Opcode::kScatterReduce) return saves;
  const auto reduction = statement.Get<std::string>(Key::kReduction);
  if (reduction == "sum" || reduction == "mean") return kSavesB;
  return reduction == "prod" ? saves & ~kSavesResult : saves;
}

int PlaneRank(const Signature& signature) { return PlaneRankOf(signature.name); }

std::string_view KeyName(Key key) { return kKeyNames[static_cast<int>(key)]; }

std::optional<Opcode> OpcodeFromName(std::string_view name) {
  const auto* it = std::ranges::lower_bound(kByName, name, {}, NameOf);
  if (it == kByName.end() || NameOf(*it) != name) return std::nullopt;
  return *it;
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DType dtype : kDTypes) {
    if (name == DTypeName(dtype)) return dtype;
  }
  return std::nullopt;
}

bool IsDefault(const AttributeSpec& spec, const AttributeValue& value) {
  switch (spec.otherwise) {
    case Default::kRequired:
    case Default::kNone:
      return false;
    case Default::kZero:
      return Holds(value, false) || Holds(value, int64_t{0}) || Holds(value, Bits{0});
    case Default::kOne:
      return Holds(value, true) || Holds(value, int64_t{1});
    case Default::kEmpty:
      return Holds(value, std::vector<int64_t>()) || Holds(value, std::vector<ValueId>());
    case Default::kOnCpu:
      return Holds(value, int64_t{kCpu});
  }
  return false;
}

bool HasFormat(Format format, const AttributeValue& value) {
  switch (format) {
    case Format::kFlag:
      return std::holds_alternative<bool>(value);
    case Format::kInteger:
    case Format::kDevice:
      return std::holds_alternative<int64_t>(value);
    case Format::kNumber:
      return std::holds_alternative<double>(value);
    case Format::kWord:
    case Format::kEquation:
    case Format::kName:
      return std::holds_alternative<std::string>(value);
    case Format::kIntegers:
      return std::holds_alternative<std::vector<int64_t>>(value);
    case Format::kElements:
      return std::holds_alternative<Bits>(value);
    case Format::kElement:
      return std::holds_alternative<Bits>(value) && std::get<Bits>(value).size() == 1;
    case Format::kValues:
      return std::holds_alternative<std::vector<ValueId>>(value);
    case Format::kTarget:
      return std::holds_alternative<std::string>(value) ||
             std::holds_alternative<std::vector<ValueId>>(value);
    case Format::kType:
      return std::holds_alternative<TensorType>(value);
    case Format::kDType:
      return std::holds_alternative<DType>(value);
  }
  return false;
}

bool IsWord(std::string_view words, std::string_view word) {
  while (true) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    if (end == words.size()) return false;
    words.remove_prefix(end + 1);
  }
}

}  // namespace twingrad::program
