#include "proptests/fuzzing/statement_edits.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"
#include "autograd/program/analyze.h"
#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"

namespace twingrad::fuzzing {
namespace {

using interleave::SplitMix;
using program::Attribute;
using program::AttributeSpec;
using program::AttributeValue;
using program::Bits;
using program::Format;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::Signature;
using program::SignatureOf;
using program::Statement;
using program::TensorType;
using program::ValueId;

constexpr int64_t kLongestDim = 5;
constexpr int kMostRank = 4;

// An element of a container, which has one.
template <typename Container>
auto& Pick(Container& container, SplitMix& random) {
  return *std::next(std::begin(container), random.Below(static_cast<int>(std::size(container))));
}

// Of numbers that are exact as f32 too.
double Number(SplitMix& random) {
  constexpr double kNumbers[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 0.5,
                                 -0.25,
                                 4,
                                 10,
                                 1e8,
                                 -1e8,
                                 0x1p-126,
                                 0x1p100,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  // Mostly a tame one.
  return random.Below(4) > 0 ? kNumbers[random.Below(11)] : Pick(kNumbers, random);
}

uint64_t Element(DType dtype, SplitMix& random) {
  if (dtype == DType::kBool) return static_cast<uint64_t>(random.Below(2));
  if (!IsFloating(dtype)) return static_cast<uint64_t>(static_cast<int64_t>(random.Below(8) - 2));
  return program::FloatBits({Rounded(Number(random), FormatOf(dtype))})[0];
}

void RemoveAttribute(Statement* statement, Key key) {
  std::erase_if(statement->attributes, [key](const Attribute& a) { return a.key == key; });
}

Attribute* FindAttribute(Statement* statement, Key key) {
  for (Attribute& attribute : statement->attributes) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

void SetData(Statement* leaf, Bits data) {
  for (const Key key : {Key::kData, Key::kSeed, Key::kFill}) RemoveAttribute(leaf, key);
  leaf->attributes.push_back({Key::kData, std::move(data)});
}

int64_t OtherInteger(int64_t value, SplitMix& random) {
  switch (random.Below(4)) {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return -value;
    default:
      return random.Below(5);
  }
}

void ChangeIntegers(std::vector<int64_t>* list, SplitMix& random) {
  if (list->empty() || random.Below(5) == 0) {
    list->push_back(random.Below(3));
  } else if (random.Below(5) == 0) {
    list->pop_back();
  } else if (random.Below(3) == 0) {
    std::swap(Pick(*list, random), Pick(*list, random));
  } else {
    int64_t& value = Pick(*list, random);
    value = OtherInteger(value, random);
  }
}

// As many values as before: a call has a result for each of its inputs.
void ChangeValues(const Program& program, std::vector<ValueId>* list, SplitMix& random) {
  if (list->empty()) return;
  Pick(*list, random) = random.Below(static_cast<int>(program.names.size()));
}

std::string Word(const AttributeSpec& spec, SplitMix& random) {
  const std::vector<std::string_view> words = absl::StrSplit(spec.words, ' ', absl::SkipEmpty());
  return words.empty() ? "" : std::string(Pick(words, random));
}

// For operands of a few ranks.
std::string NewEquation(SplitMix& random) {
  constexpr std::string_view kEquations[] = {"i->",       "i->i",         "ij->ji",  "ii->i",
                                             "ij->j",     "i,i->",        "i,j->ij", "ij,j->i",
                                             "ij,jk->ik", "bij,bjk->bik", "ijk->ki"};
  return std::string(Pick(kEquations, random));
}

// One letter becomes another of them, joins the result, leaves it, or changes its place there.
void ChangeEquation(std::string* text, SplitMix& random) {
  const size_t end = text->find("->");
  if (end == std::string::npos || end == 0) return;
  const std::string inputs = text->substr(0, end);
  std::string output = text->substr(end + 2);
  const char letter = inputs[static_cast<size_t>(random.Below(static_cast<int>(end)))];
  if (letter == ',') return;
  if (random.Below(3) == 0) {
    const auto at = static_cast<size_t>(random.Below(static_cast<int>(text->size())));
    if (absl::ascii_isalpha(static_cast<unsigned char>((*text)[at]))) (*text)[at] = letter;
    return;
  }
  const size_t found = output.find(letter);
  if (found == std::string::npos) {
    output.insert(static_cast<size_t>(random.Below(static_cast<int>(output.size()) + 1)), 1,
                  letter);
  } else if (random.Below(2) == 0) {
    output.erase(found, 1);
  } else {
    std::swap(output[found], Pick(output, random));
  }
  *text = absl::StrCat(inputs, "->", output);
}

// A value for an attribute that is absent; nothing if its format needs more than a guess.
std::optional<AttributeValue> NewValue(const AttributeSpec& spec, SplitMix& random) {
  switch (spec.format) {
    case Format::kFlag:
      return spec.otherwise != program::Default::kOne;
    case Format::kInteger:
      return static_cast<int64_t>(random.Below(4) - 1);
    case Format::kNumber:
      return Number(random);
    case Format::kWord:
      return Word(spec, random);
    case Format::kEquation:
      return NewEquation(random);
    case Format::kIntegers:
      return std::vector<int64_t>{random.Below(3)};
    case Format::kDevice:
      return static_cast<int64_t>(random.Below(3));
    default:
      return std::nullopt;
  }
}

void ChangeValue(const Program& program, const AttributeSpec& spec, AttributeValue* value,
                 SplitMix& random) {
  if (spec.format == Format::kWord) {
    *value = Word(spec, random);
  } else if (spec.format == Format::kEquation) {
    ChangeEquation(&std::get<std::string>(*value), random);
  } else if (auto* flag = std::get_if<bool>(value)) {
    *flag = !*flag;
  } else if (auto* integer = std::get_if<int64_t>(value)) {
    *integer =
        spec.format == Format::kDevice ? random.Below(4) - 1 : OtherInteger(*integer, random);
  } else if (auto* number = std::get_if<double>(value)) {
    *number = Number(random);
  } else if (auto* list = std::get_if<std::vector<int64_t>>(value)) {
    ChangeIntegers(list, random);
  } else if (auto* values = std::get_if<std::vector<ValueId>>(value)) {
    ChangeValues(program, values, random);
  } else if (auto* dtype = std::get_if<DType>(value)) {
    *dtype = Pick(kDTypes, random);
  }
}

bool AddAttribute(Statement* statement, SplitMix& random) {
  const Signature& signature = SignatureOf(statement->op);
  if (signature.attributes.empty()) return false;
  const AttributeSpec& spec = Pick(signature.attributes, random);
  if (statement->Find(spec.key) != nullptr) return false;
  std::optional<AttributeValue> value = NewValue(spec, random);
  if (!value) return false;
  statement->attributes.push_back({spec.key, *std::move(value)});
  return true;
}

}  // namespace

bool ChangeOp(const Program& /*program*/, int /*at*/, Statement* statement, SplitMix& random) {
  const Signature& old = SignatureOf(statement->op);
  const auto count = statement->operands.size();
  std::vector<Opcode> others;
  for (const Signature& other : program::Signatures()) {
    if (other.op == old.op || other.category != old.category) continue;
    if (other.min_operands > count || other.max_operands < count) continue;
    const size_t results = statement->results.size();
    if (other.min_results > results || other.max_results < results) continue;
    others.push_back(other.op);
  }
  if (others.empty()) return false;
  const Signature& chosen = SignatureOf(Pick(others, random));
  statement->op = chosen.op;
  // What the new one does not know goes, and what it must have comes.
  std::erase_if(statement->attributes,
                [&](const Attribute& a) { return chosen.Find(a.key) == nullptr; });
  for (const AttributeSpec& spec : chosen.attributes) {
    if (spec.otherwise != program::Default::kRequired || statement->Find(spec.key)) continue;
    std::optional<AttributeValue> value = NewValue(spec, random);
    if (!value) return false;
    statement->attributes.push_back({spec.key, *std::move(value)});
  }
  return true;
}

bool ChangeAttribute(const Program& program, int /*at*/, Statement* statement, SplitMix& random) {
  if (statement->attributes.empty() || random.Below(3) == 0) return AddAttribute(statement, random);
  Attribute& attribute = Pick(statement->attributes, random);
  const AttributeSpec* const spec = SignatureOf(statement->op).Find(attribute.key);
  if (spec == nullptr || attribute.key == Key::kType || attribute.key == Key::kData) return false;
  if (spec->otherwise != program::Default::kRequired && random.Below(3) == 0) {
    RemoveAttribute(statement, attribute.key);
    return true;
  }
  const AttributeValue before = attribute.value;
  ChangeValue(program, *spec, &attribute.value, random);
  return attribute.value != before;
}

bool ChangeResults(const Program& /*program*/, int /*at*/, Statement* statement,
                   SplitMix& /*random*/) {
  if (!program::MayGiveIndices(statement->op)) return false;
  if (statement->results.size() > 1) {
    statement->results.pop_back();
  } else {
    statement->results.push_back(kNoValue);
  }
  return true;
}

bool ChangeData(const Program& /*program*/, int /*at*/, Statement* statement, SplitMix& random) {
  if (statement->op != Opcode::kLeaf) return false;
  Bits data = program::LeafData(*statement);
  if (data.empty()) return false;
  Pick(data, random) = Element(statement->Get<TensorType>(Key::kType).dtype, random);
  SetData(statement, std::move(data));
  return true;
}

bool ChangeShape(const Program& /*program*/, int /*at*/, Statement* statement, SplitMix& random) {
  if (statement->op != Opcode::kLeaf) return false;
  Attribute* const attribute = FindAttribute(statement, Key::kType);
  if (attribute == nullptr) return false;
  auto type = std::get<TensorType>(attribute->value);
  const int rank = static_cast<int>(type.shape.size());
  if (rank < kMostRank && (rank == 0 || random.Below(3) == 0)) {
    type.shape.insert(type.shape.begin() + random.Below(rank + 1), 1 + random.Below(3));
  } else if (random.Below(3) == 0) {
    type.shape.erase(type.shape.begin() + random.Below(rank));
  } else {
    type.shape[static_cast<size_t>(random.Below(rank))] = random.Below(kLongestDim + 1);
  }
  Bits data = program::LeafData(*statement);
  const size_t before = data.size();
  data.resize(static_cast<size_t>(program::NumElements(type.shape)));
  for (size_t i = before; i < data.size(); ++i) {
    data[i] = before > 0 ? data[i % before] : Element(type.dtype, random);
  }
  attribute->value = type;
  SetData(statement, std::move(data));
  return true;
}

bool ChangeOperand(const Program& program, int at, Statement* statement, SplitMix& random) {
  if (statement->operands.empty()) return false;
  const auto analysis = program::Analyze(program);
  ValueId& operand = Pick(statement->operands, random);
  if (!analysis.ok() || operand == kNoValue) return false;
  const auto& values = analysis->values;
  const bool any = random.Below(4) == 0;
  std::vector<ValueId> others;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<ValueId>(i);
    if (value == operand || values[i].statement >= at) continue;
    if (any || values[i].type == values[static_cast<size_t>(operand)].type) others.push_back(value);
  }
  if (others.empty()) return false;
  operand = Pick(others, random);
  return true;
}

}  // namespace twingrad::fuzzing
