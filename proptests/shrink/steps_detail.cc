// Edits within statements: shapes, element types, devices, attributes, ops and data.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/equation.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "proptests/shrink/rebuild.h"
#include "proptests/shrink/size.h"
#include "proptests/shrink/sparse_entries.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {
namespace {

// The Program with each statement passed through `edit(Statement*)`.
template <typename Edit>
Program EditAll(const Program& program, Edit edit) {
  Rebuilder rebuilder(program);
  for (const Statement& statement : program.statements) {
    Statement edited = statement;
    edit(&edited);
    rebuilder.Add(edited);
  }
  return rebuilder.Take();
}
template <typename Edit>
Program EditOne(const Program& program, int at, Edit edit) {
  Statement edited = program.statements[at];
  edit(&edited);
  return Replace(program, at, edited);
}

uint64_t One(DType dtype) { return IsFloating(dtype) ? std::bit_cast<uint64_t>(1.0) : 1; }

Attribute* Find(Statement* statement, Key key) {
  for (Attribute& attribute : statement->attributes) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

// The type that holds all numbers of this one.
DType Widest(DType dtype) {
  return IsFloating(dtype) ? DType::kF64 : IsInteger(dtype) ? DType::kI64 : dtype;
}

// Gives a leaf another type: as many of its elements as fit, then ones.
void Retype(Statement* leaf, const TensorType& type) {
  Attribute* attribute = Find(leaf, Key::kType);
  if (attribute == nullptr) return;
  const auto old = std::get<TensorType>(attribute->value);
  Bits data = program::LeafData(*leaf);
  data.resize(static_cast<size_t>(program::NumElements(type.shape)), One(old.dtype));
  const bool is_wide = type.dtype == Widest(old.dtype);
  if (type.dtype != old.dtype && !is_wide) {
    for (uint64_t& bits : data) bits = One(type.dtype);
  }
  attribute->value = type;
  std::erase_if(leaf->attributes, [](const Attribute& a) {
    return a.key == Key::kData || a.key == Key::kSeed || a.key == Key::kFill;
  });
  leaf->attributes.push_back({Key::kData, std::move(data)});
}

// --- The whole Program at once: scalars, sizes of 1, one element type, no devices ---
constexpr int kGlobals = 12;
int CountGlobals(const Program&) { return kGlobals; }
std::optional<Program> Globally(const Program& program, int position) {
  return EditAll(program, [position](Statement* statement) {
    if (position == 1) {
      std::erase_if(statement->attributes,
                    [](const Attribute& a) { return a.key == Key::kDevice; });
      return;
    }
    const auto from = static_cast<int64_t>(12 - position);  // sizes 10 to 2 become 1
    if (statement->op == Opcode::kLeaf) {
      auto type = statement->Get<TensorType>(Key::kType);
      if (position == 0) {
        type.shape.clear();
      } else if (position == 2) {
        type.dtype = Widest(type.dtype);
      } else {
        for (int64_t& size : type.shape) {
          if (size == from) size = 1;
        }
      }
      if (type != statement->Get<TensorType>(Key::kType)) Retype(statement, type);
    }
    Attribute* shape = Find(statement, Key::kShape);
    if (shape == nullptr) return;
    auto& sizes = std::get<std::vector<int64_t>>(shape->value);
    if (position == 0) sizes.clear();
    if (position == 2) return;
    for (int64_t& size : sizes) {
      if (size == from) size = 1;
    }
  });
}

// --- One leaf: no dimensions; one dimension less; a size less ---
constexpr int kShapeEdits = 10;
int CountShapes(const Program& program) { return Count(program) * kShapeEdits; }
std::optional<Program> Reshape(const Program& program, int position) {
  const int at = position / kShapeEdits;
  const int edit = position % kShapeEdits;
  if (program.statements[at].op != Opcode::kLeaf) return std::nullopt;
  auto type = program.statements[at].Get<TensorType>(Key::kType);
  const auto rank = static_cast<int>(type.shape.size());
  if (rank == 0) return std::nullopt;
  if (edit == 0) {
    type.shape.clear();
  } else if (edit <= 3) {
    if (edit - 1 >= rank) return std::nullopt;
    type.shape.erase(type.shape.begin() + (edit - 1));
  } else {
    const int dim = (edit - 4) / 2;
    if (dim >= rank || type.shape[dim] < 2) return std::nullopt;
    type.shape[dim] = edit % 2 == 0 ? 1 : type.shape[dim] - 1;
  }
  return EditOne(program, at, [&](Statement* leaf) { Retype(leaf, type); });
}

bool IsLeaf(const Program& program, program::ValueId value) {
  return std::ranges::any_of(program.statements, [value](const Statement& s) {
    return s.op == Opcode::kLeaf && s.results[0] == value;
  });
}

// --- One letter of an equation less, and the dimensions that it names ---
constexpr int kLetters = 8;
int CountLetters(const Program& program) { return Count(program) * kLetters; }
// Where all operands that have it are leaves.
std::optional<Program> DropLetter(const Program& program, int position) {
  const Statement& einsum = program.statements[position / kLetters];
  if (einsum.op != Opcode::kEinsum) return std::nullopt;
  const auto text = einsum.Get<std::string>(Key::kEquation);
  const std::optional<program::Equation> equation = program::ParseEquation(text);
  if (!equation) return std::nullopt;
  std::string letters;
  for (const std::string& labels : equation->inputs) letters += labels;
  letters = program::Distinct(letters);
  const auto which = static_cast<size_t>(position % kLetters);
  if (which >= letters.size()) return std::nullopt;
  const char letter = letters[which];
  for (size_t k = 0; k < einsum.operands.size(); ++k) {
    const bool has_it = equation->inputs[k].find(letter) != std::string::npos;
    if (has_it && !IsLeaf(program, einsum.operands[k])) return std::nullopt;
  }
  return EditAll(program, [&](Statement* statement) {
    if (statement->results == einsum.results) {
      std::erase(std::get<std::string>(Find(statement, Key::kEquation)->value), letter);
    }
    if (statement->op != Opcode::kLeaf) return;
    for (size_t k = 0; k < einsum.operands.size(); ++k) {
      if (einsum.operands[k] != statement->results[0]) continue;
      const auto type = statement->Get<TensorType>(Key::kType);
      TensorType smaller = {type.dtype, {}};
      for (size_t d = 0; d < type.shape.size(); ++d) {
        if (equation->inputs[k][d] != letter) smaller.shape.push_back(type.shape[d]);
      }
      return smaller.shape == type.shape ? void() : Retype(statement, smaller);
    }
  });
}

// --- An entry of a sparse tensor less ---
constexpr int kEntryEdits = 8;
int CountEntries(const Program& program) { return Count(program) * kEntryEdits; }
std::optional<Program> DropEntry(const Program& program, int position) {
  const int at = position / kEntryEdits;
  const int64_t dropped = position % kEntryEdits;
  const std::optional<int64_t> count = EntriesOf(program, at);
  if (!count || dropped >= *count) return std::nullopt;
  std::vector<int64_t> entries;
  for (int64_t entry = 0; entry < *count; ++entry) {
    if (entry != dropped) entries.push_back(entry);
  }
  return TakeEntries(program, at, entries);
}

// --- Drop an attribute ---
constexpr int kMaxAttributes = 6;
int CountAttributes(const Program& program) { return Count(program) * kMaxAttributes; }
std::optional<Program> DropAttribute(const Program& program, int position) {
  const int at = position / kMaxAttributes;
  const auto index = static_cast<size_t>(position % kMaxAttributes);
  const Statement& statement = program.statements[at];
  if (index >= statement.attributes.size()) return std::nullopt;
  const Key key = statement.attributes[index].key;
  if (key == Key::kType || key == Key::kData) return std::nullopt;
  return EditOne(program, at, [&](Statement* edited) {
    // A leaf given by a seed becomes one of ones.
    if (key == Key::kSeed) Retype(edited, edited->Get<TensorType>(Key::kType));
    std::erase_if(edited->attributes, [&](const Attribute& a) { return a.key == key; });
  });
}

// --- A lighter op in place of another ---
constexpr int kOpEdits = 3;
constexpr Opcode kUnary[] = {Opcode::kNeg, Opcode::kClone};
constexpr Opcode kBinary[] = {Opcode::kAdd, Opcode::kMul, Opcode::kMatmul};
constexpr Opcode kInPlace[] = {Opcode::kNegInPlace};
int CountOps(const Program& program) { return Count(program) * kOpEdits; }
std::optional<Program> ReplaceOp(const Program& program, int position) {
  const int at = position / kOpEdits;
  const auto choice = static_cast<size_t>(position % kOpEdits);
  const Statement& statement = program.statements[at];
  Statement edited = statement;
  absl::Span<const Opcode> lighter;
  if (SignatureOf(statement.op).category == Category::kInPlace) {
    lighter = kInPlace;
    edited.operands.resize(1);
  } else if (statement.results.size() == 1 && !statement.operands.empty()) {
    lighter = statement.operands.size() == 1 ? absl::MakeConstSpan(kUnary) : kBinary;
    // A condition or a summand comes first.
    edited.operands.erase(edited.operands.begin(),
                          edited.operands.end() - std::min<ptrdiff_t>(2, edited.operands.size()));
    edited.attributes.clear();
  }
  if (choice >= lighter.size()) return std::nullopt;
  edited.op = lighter[choice];
  return Replace(program, at, edited);
}

// --- Data: all elements 0, 1 or 2; then one at a time ---
constexpr int kDataEdits = 3 + 3 * 24;
int CountData(const Program& program) { return Count(program) * kDataEdits; }
std::optional<Program> SimplifyData(const Program& program, int position) {
  const int at = position / kDataEdits;
  const int edit = position % kDataEdits;
  const Statement& leaf = program.statements[at];
  if (leaf.op != Opcode::kLeaf) return std::nullopt;
  const auto* attribute = leaf.Find(Key::kData);
  if (attribute == nullptr) return std::nullopt;
  const DType dtype = leaf.Get<TensorType>(Key::kType).dtype;
  Bits data = std::get<Bits>(*attribute);
  const double number = edit % 3;
  const uint64_t bits =
      IsFloating(dtype) ? std::bit_cast<uint64_t>(number) : static_cast<uint64_t>(edit % 3);
  if (dtype == DType::kBool && bits > 1) return std::nullopt;
  if (edit < 3) {
    for (uint64_t& element : data) element = bits;
  } else {
    const auto index = static_cast<size_t>(edit / 3 - 1);
    if (index >= data.size() || ElementWeight(data[index], dtype) <= ElementWeight(bits, dtype)) {
      return std::nullopt;
    }
    data[index] = bits;
  }
  if (data == std::get<Bits>(*attribute)) return std::nullopt;
  return EditOne(program, at,
                 [&](Statement* edited) { Find(edited, Key::kData)->value = std::move(data); });
}

// --- Numbers of hooks and ops ---
std::optional<Program> SimplifyNumber(const Program& program, int position) {
  const auto* by = program.statements[position].Find(Key::kBy);
  if (by == nullptr) return std::nullopt;
  program::AttributeValue plain = 2.0;
  if (std::holds_alternative<int64_t>(*by)) plain = int64_t{1};  // a number of places
  if (*by == plain) return std::nullopt;
  return EditOne(program, position, [&](Statement* s) { Find(s, Key::kBy)->value = plain; });
}

// --- What a hook or custom function does: only look, or pass on ---
std::optional<Program> LightenAction(const Program& program, int position) {
  const Statement& statement = program.statements[position];
  const auto action = statement.Get<std::string>(Key::kDo);
  const bool custom = SignatureOf(statement.op).category == Category::kCustom;
  const std::string light = custom ? "pass" : "record";
  if (action.empty() || action == light) return std::nullopt;
  return EditOne(program, position, [&](Statement* edited) {
    Find(edited, Key::kDo)->value = light;
    std::erase_if(edited->attributes,
                  [](const Attribute& a) { return a.key == Key::kBy || a.key == Key::kTarget; });
  });
}

constexpr Step kSteps[] = {
    {"simplify the whole Program", CountGlobals, Globally},
    {"shrink a leaf", CountShapes, Reshape},
    {"drop a letter", CountLetters, DropLetter},
    {"drop an entry", CountEntries, DropEntry},
    {"drop an attribute", CountAttributes, DropAttribute},
    {"use a lighter op", CountOps, ReplaceOp},
    {"simplify data", CountData, SimplifyData},
    {"simplify a factor", Count, SimplifyNumber},
    {"use a lighter action", Count, LightenAction},
};

}  // namespace

absl::Span<const Step> DetailSteps() { return kSteps; }

}  // namespace twingrad::shrink
