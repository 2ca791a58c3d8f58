#include "autograd/program/signature.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

// In-place statements have the facts of what they perform.
constexpr std::array<Signature, kNumOpcodes> WithFacts() {
  std::array<Signature, kNumOpcodes> rows = kRows;
  for (Signature& row : rows) {
    if (row.performs != row.op) row.facts = kRows[static_cast<int>(row.performs)].facts;
  }
  rows[static_cast<int>(Opcode::kCopyInPlace)].facts.numbers = Numbers::kSecond;
  rows[static_cast<int>(Opcode::kZeroInPlace)].facts.numbers = Numbers::kZero;
  return rows;
}
constexpr std::array<Signature, kNumOpcodes> kSignatures = WithFacts();

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

struct NamedOpcode {
  std::string_view name;
  Opcode op = Opcode::kLeaf;
};
constexpr std::array<NamedOpcode, kNumOpcodes> SortedByName() {
  std::array<NamedOpcode, kNumOpcodes> sorted;
  for (int i = 0; i < kNumOpcodes; ++i) sorted[i] = {kSignatures[i].name, kSignatures[i].op};
  std::sort(sorted.begin(), sorted.end(),
            [](const NamedOpcode& a, const NamedOpcode& b) { return a.name < b.name; });
  return sorted;
}
constexpr std::array<NamedOpcode, kNumOpcodes> kByName = SortedByName();

constexpr std::array<std::string_view, kNumKeys> kKeyNames = {
    "type",    "data",  "seed",   "fill",         "grad",         "device",       "dims",
    "keepdim", "shape", "dim",    "index",        "start",        "stop",         "step",
    "to",      "seeds", "inputs", "retain_graph", "create_graph", "allow_unused", "materialize",
    "id",      "do",    "by",     "target",       "kind",         "count",        "error",
    "at",      "min",   "max",    "descending",   "reduction"};

}  // namespace

absl::Span<const Signature> Signatures() { return kSignatures; }

const Signature& SignatureOf(Opcode op) { return kSignatures[static_cast<int>(op)]; }

absl::Span<const Opcode> UnaryOps(Category category, bool rounds) {
  const OpcodeList& list = kUnary[(category == Category::kInPlace ? 2 : 0) + (rounds ? 1 : 0)];
  return absl::MakeConstSpan(list.ops.data(), list.size);
}

Saves Signature::SavedBy(bool a_has_gradient, bool b_has_gradient) const {
  constexpr Saves kUnconditional = kSavesA | kSavesB | kSavesC | kSavesResult | kSavesOwn;
  Saves saved = facts.saves & kUnconditional;
  if ((facts.saves & kSavesAForB) != 0 && b_has_gradient) saved |= kSavesA;
  if ((facts.saves & kSavesBForA) != 0 && a_has_gradient) saved |= kSavesB;
  if ((facts.saves & kSavesResultForB) != 0 && b_has_gradient) saved |= kSavesResult;
  return category == Category::kInPlace ? saved & ~kSavesA : saved;
}

std::string_view KeyName(Key key) { return kKeyNames[static_cast<int>(key)]; }

std::string_view CategoryName(Category category) {
  constexpr std::string_view kNames[] = {
      "leaf", "elementwise", "reduction", "matmul",   "rearrange", "scan",
      "loss", "view",        "copy",      "in_place", "gradient",  "hook",
      "call", "custom",      "region",    "stream",   "expect"};
  return kNames[static_cast<int>(category)];
}

std::optional<Opcode> OpcodeFromName(std::string_view name) {
  const auto* it = std::lower_bound(
      kByName.begin(), kByName.end(), name,
      [](const NamedOpcode& a, std::string_view wanted) { return a.name < wanted; });
  if (it == kByName.end() || it->name != name) return std::nullopt;
  return it->op;
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kI64, DType::kBool}) {
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
      if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
      if (const int64_t* number = std::get_if<int64_t>(&value)) return *number == 0;
      if (const Bits* bits = std::get_if<Bits>(&value)) return bits->size() == 1 && (*bits)[0] == 0;
      return false;
    case Default::kOne: {
      const int64_t* number = std::get_if<int64_t>(&value);
      return number != nullptr && *number == 1;
    }
    case Default::kEmpty:
      if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return list->empty();
      if (const auto* list = std::get_if<std::vector<ValueId>>(&value)) return list->empty();
      return false;
    case Default::kOnCpu: {
      const int64_t* device = std::get_if<int64_t>(&value);
      return device != nullptr && *device == kCpu;
    }
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
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return true;
    }
  }
  return false;
}

}  // namespace twingrad::program
