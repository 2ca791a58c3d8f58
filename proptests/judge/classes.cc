#include "proptests/judge/classes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/base/check.h"
#include "autograd/program/equation.h"
#include "autograd/program/signature.h"

namespace twingrad::judge {

using program::AttributeSpec;
using program::Category;
using program::Key;
using program::Opcode;
using program::Signature;
using program::SignatureOf;
using program::Statement;
using program::TensorData;

namespace {

using Operands = absl::Span<const TensorData* const>;

// A statement with the facts of its op.
struct Seen {
  const Statement& statement;
  const Signature& signature;
  Operands operands;

  bool Flag(Key key) const {
    const AttributeSpec& spec = *signature.Find(key);
    return statement.Get<bool>(key, spec.otherwise == program::Default::kOne);
  }
  int64_t Number(Key key) const {
    const AttributeSpec& spec = *signature.Find(key);
    return statement.Get<int64_t>(key, spec.otherwise == program::Default::kOne ? 1 : 0);
  }
  // Whether a number, or one of a list, fulfils the condition; an absent list is one `otherwise`.
  template <typename Condition>
  bool Some(Key key, int64_t otherwise, Condition condition) const {
    if (signature.Find(key)->format == program::Format::kInteger) return condition(Number(key));
    const auto* const list = statement.Find(key);
    if (list == nullptr) return condition(otherwise);
    return std::ranges::any_of(std::get<std::vector<int64_t>>(*list), condition);
  }
  const TensorData* Operand(size_t k) const { return k < operands.size() ? operands[k] : nullptr; }
  // The first that is no condition or index.
  const TensorData* Numbers() const {
    for (size_t k = 0; k < operands.size(); ++k) {
      if (signature.IsDifferentiable(static_cast<int>(k))) return operands[k];
    }
    return Operand(0);
  }
};

struct Row {
  std::string_view name;
  bool (*is_of)(const Signature&);
  bool (*holds)(const Seen&);
};

constexpr bool Is(int64_t n, int64_t sign) { return (n > 0) - (n < 0) == sign; }

// --- Attributes ---

template <Key kKey>
bool Has(const Signature& op) {
  return op.Find(kKey) != nullptr;
}
template <Key kKey>
bool MayLack(const Signature& op) {
  return Has<kKey>(op) && op.Find(kKey)->otherwise != program::Default::kRequired;
}
// Views of which the stride is a step in memory are no windows.
bool HasWindows(const Signature& op) {
  return Has<Key::kStride>(op) && op.Find(Key::kStride)->otherwise == program::Default::kEmpty;
}
bool HasPlaces(const Signature& op) {
  return Has<Key::kBy>(op) && op.Find(Key::kBy)->format == program::Format::kInteger;
}
bool MayHaveSomeDims(const Signature& op) { return MayLack<Key::kDims>(op); }
bool HasMask(const Signature& op) { return op.op == Opcode::kIndex || op.op == Opcode::kIndexPut; }
bool HasShare(const Signature& op) { return op.op == Opcode::kDropout; }
constexpr char kMean[] = "mean", kSum[] = "sum", kNone[] = "none";
constexpr char kProd[] = "prod", kAmax[] = "amax", kAmin[] = "amin";
// Losses are means where they say nothing.
template <const char* kWord>
bool HasReduction(const Signature& op) {
  const AttributeSpec* const spec = op.Find(Key::kReduction);
  if (spec == nullptr) return false;
  if (kWord == kMean && MayLack<Key::kReduction>(op)) return true;
  const std::vector<std::string_view> words = absl::StrSplit(spec->words, ' ');
  return std::ranges::find(words, std::string_view(kWord)) != words.end();
}
template <const char* kWord>
constexpr Row OfReduction() {
  return {kWord, HasReduction<kWord>, [](const Seen& s) {
            const auto* const given = s.statement.Find(Key::kReduction);
            return given == nullptr ? kWord == kMean : std::get<std::string>(*given) == kWord;
          }};
}

template <Key kKey, bool kValue>
bool FlagIs(const Seen& s) {
  return s.Flag(kKey) == kValue;
}
template <Key kKey, bool kGiven>
bool IsGiven(const Seen& s) {
  return (s.statement.Find(kKey) != nullptr) == kGiven;
}
template <Key kKey>
bool SomeAboveOne(const Seen& s) {
  return s.Some(kKey, 1, [](int64_t n) { return n > 1; });
}
template <Key kKey>
bool AllOne(const Seen& s) {
  return !SomeAboveOne<kKey>(s);
}
template <Key kKey, int kSign>
bool SomeOfSign(const Seen& s) {
  return s.Some(kKey, 0, [](int64_t n) { return Is(n, kSign); });
}
template <Key kKey>
bool AllZero(const Seen& s) {
  return !s.Some(kKey, 0, [](int64_t n) { return n != 0; });
}

size_t NumDims(const Seen& s) {
  const auto* const dims = s.statement.Find(Key::kDims);
  return dims == nullptr ? 0 : std::get<std::vector<int64_t>>(*dims).size();
}

constexpr Row kOfAttributes[] = {
    {"keepdim=0", Has<Key::kKeepdim>, FlagIs<Key::kKeepdim, false>},
    {"keepdim=1", Has<Key::kKeepdim>, FlagIs<Key::kKeepdim, true>},
    {"descending=0", Has<Key::kDescending>, FlagIs<Key::kDescending, false>},
    {"descending=1", Has<Key::kDescending>, FlagIs<Key::kDescending, true>},
    {"upper=0", Has<Key::kUpper>, FlagIs<Key::kUpper, false>},
    {"upper=1", Has<Key::kUpper>, FlagIs<Key::kUpper, true>},
    {"causal=0", Has<Key::kCausal>, FlagIs<Key::kCausal, false>},
    {"causal=1", Has<Key::kCausal>, FlagIs<Key::kCausal, true>},
    {"accumulate=0", Has<Key::kAccumulate>, FlagIs<Key::kAccumulate, false>},
    {"accumulate=1", Has<Key::kAccumulate>, FlagIs<Key::kAccumulate, true>},
    {"include_self=0", Has<Key::kIncludeSelf>, FlagIs<Key::kIncludeSelf, false>},
    {"include_self=1", Has<Key::kIncludeSelf>, FlagIs<Key::kIncludeSelf, true>},
    {"sparse=0", Has<Key::kSparse>, FlagIs<Key::kSparse, false>},
    {"sparse=1", Has<Key::kSparse>, FlagIs<Key::kSparse, true>},
    {"align_corners=0", Has<Key::kAlignCorners>, FlagIs<Key::kAlignCorners, false>},
    {"align_corners=1", Has<Key::kAlignCorners>, FlagIs<Key::kAlignCorners, true>},
    {"stride 1", HasWindows, AllOne<Key::kStride>},
    {"stride above 1", HasWindows, SomeAboveOne<Key::kStride>},
    {"dilation 1", Has<Key::kDilation>, AllOne<Key::kDilation>},
    {"dilation above 1", Has<Key::kDilation>, SomeAboveOne<Key::kDilation>},
    {"groups 1", Has<Key::kGroups>, AllOne<Key::kGroups>},
    {"groups above 1", Has<Key::kGroups>, SomeAboveOne<Key::kGroups>},
    {"step 1", Has<Key::kStep>, AllOne<Key::kStep>},
    {"step above 1", Has<Key::kStep>, SomeAboveOne<Key::kStep>},
    {"padding 0", Has<Key::kPadding>, AllZero<Key::kPadding>},
    {"padding above 0", Has<Key::kPadding>, SomeOfSign<Key::kPadding, 1>},
    {"output_padding 0", Has<Key::kOutputPadding>, AllZero<Key::kOutputPadding>},
    {"output_padding above 0", Has<Key::kOutputPadding>, SomeOfSign<Key::kOutputPadding, 1>},
    {"pads above 0", Has<Key::kPads>, SomeOfSign<Key::kPads, 1>},
    {"all dims", MayHaveSomeDims, [](const Seen& s) { return NumDims(s) == 0; }},
    {"one of dims", MayHaveSomeDims, [](const Seen& s) { return NumDims(s) == 1; }},
    {"several dims", MayHaveSomeDims, [](const Seen& s) { return NumDims(s) > 1; }},
    {"dim 0", Has<Key::kDim>, SomeOfSign<Key::kDim, 0>},
    {"dim above 0", Has<Key::kDim>, SomeOfSign<Key::kDim, 1>},
    {"by below 0", HasPlaces, SomeOfSign<Key::kBy, -1>},
    {"by 0", HasPlaces, SomeOfSign<Key::kBy, 0>},
    {"by above 0", HasPlaces, SomeOfSign<Key::kBy, 1>},
    {"share 0", HasShare, [](const Seen& s) { return s.statement.Get<double>(Key::kBy) == 0; }},
    {"share above 0", HasShare,
     [](const Seen& s) { return s.statement.Get<double>(Key::kBy) > 0; }},
    {"without min", MayLack<Key::kMin>, IsGiven<Key::kMin, false>},
    {"without max", MayLack<Key::kMax>, IsGiven<Key::kMax, false>},
    {"start 0", Has<Key::kStart>, SomeOfSign<Key::kStart, 0>},
    {"start above 0", Has<Key::kStart>, SomeOfSign<Key::kStart, 1>},
    {"without stop", MayLack<Key::kStop>, IsGiven<Key::kStop, false>},
    {"with stop", MayLack<Key::kStop>, IsGiven<Key::kStop, true>},
    OfReduction<kMean>(),
    OfReduction<kSum>(),
    OfReduction<kNone>(),
    OfReduction<kProd>(),
    OfReduction<kAmax>(),
    OfReduction<kAmin>(),
    {"mask", HasMask, IsGiven<Key::kCount, true>},
    {"indices", HasMask, IsGiven<Key::kCount, false>},
};

// --- Operands ---

bool Computes(const Signature& op) { return program::IsComputed(op.category); }
bool HasIndex(const Signature& op) {
  return op.indices != 0 && op.op != Opcode::kMaskedSelect &&
         op.max_operands > 1;  // a sparse tensor has none of its own
}
bool Orders(const Signature& op) {
  using enum Opcode;
  static constexpr Opcode kOrdering[] = {
      kMaximum, kMinimum, kAmax, kAmin,        kMax,    kMin,    kArgmax,        kArgmin,
      kSort,    kArgsort, kTopk, kTopkIndices, kCummax, kCummin, kCummaxIndices, kCumminIndices};
  return std::ranges::find(kOrdering, op.op) != std::end(kOrdering) ||
         (PlaneRank(op) > 0 && op.name.find("max_pool") != std::string_view::npos);
}
bool TakesSeveral(const Signature& op) { return op.min_operands != op.max_operands; }
bool Broadcasts(const Signature& op) {
  return op.category == Category::kElementwise && op.min_operands > 1;
}
bool TakesNumbers(const Signature& op, program::DTypeRule least) {
  return Computes(op) && op.dtypes <= least;
}

bool HasEqual(const TensorData& data) {
  program::Bits bits = data.bits;
  std::ranges::sort(bits);
  return std::ranges::adjacent_find(bits) != bits.end();
}
bool RepeatsIndex(const Seen& s) {
  for (size_t k = 0; k < s.operands.size(); ++k) {
    const TensorData* const index = s.operands[k];
    if (index == nullptr || !s.signature.IsIndex(static_cast<int>(k))) continue;
    if (index->dtype == DType::kI64 && HasEqual(*index)) return true;
  }
  return false;
}
bool HasTie(const Seen& s) {
  const TensorData *const a = s.Operand(0), *const b = s.Operand(1);
  if (a == nullptr) return false;
  if (b == nullptr) return HasEqual(*a);
  for (const uint64_t element : a->bits) {
    if (std::ranges::find(b->bits, element) != b->bits.end()) return true;
  }
  return false;
}
template <DType kType>
bool IsOf(const Seen& s) {
  return s.Numbers() != nullptr && s.Numbers()->dtype == kType;
}

constexpr Row kOfOperands[] = {
    {"fewer operands", TakesSeveral,
     [](const Seen& s) { return s.operands.size() == s.signature.min_operands; }},
    {"more operands", TakesSeveral,
     [](const Seen& s) { return s.operands.size() > s.signature.min_operands; }},
    {"broadcast", Broadcasts,
     [](const Seen& s) {
       return std::ranges::any_of(s.operands, [&](const TensorData* data) {
         return data != nullptr && s.operands[0] != nullptr && data->shape != s.operands[0]->shape;
       });
     }},
    {"empty", Computes,
     [](const Seen& s) {
       return std::ranges::any_of(s.operands, [](const TensorData* data) {
         return data != nullptr && std::ranges::find(data->shape, 0) != data->shape.end();
       });
     }},
    {"tie", Orders, HasTie},
    {"repeated index", HasIndex, RepeatsIndex},
    {"f64", Computes, IsOf<DType::kF64>},
    {"f32", Computes, IsOf<DType::kF32>},
    {"f16", Computes, IsOf<DType::kF16>},
    {"bf16", Computes, IsOf<DType::kBF16>},
    {"i64", [](const Signature& op) { return TakesNumbers(op, program::DTypeRule::kNumeric); },
     IsOf<DType::kI64>},
    {"i32", [](const Signature& op) { return TakesNumbers(op, program::DTypeRule::kNumeric); },
     IsOf<DType::kI32>},
    {"bool", [](const Signature& op) { return TakesNumbers(op, program::DTypeRule::kAny); },
     IsOf<DType::kBool>},
    {"diagonal", [](const Signature& op) { return op.op == Opcode::kEinsum; },
     [](const Seen& s) {
       const auto equation = program::ParseEquation(s.statement.Get<std::string>(Key::kEquation));
       return equation && std::ranges::any_of(equation->inputs, [](const std::string& labels) {
                return program::Distinct(labels).size() < labels.size();
              });
     }},
};

constexpr auto kRows = [] {
  std::array<Row, std::size(kOfAttributes) + std::size(kOfOperands)> rows{};
  std::ranges::copy(kOfAttributes, rows.begin());
  std::ranges::copy(kOfOperands, rows.begin() + std::size(kOfAttributes));
  return rows;
}();
// The classes of each op, one op after the other.
struct OpClasses {
  struct Of {
    int first = 0;
    std::vector<const Row*> rows;
  };
  std::array<Of, program::kNumOpcodes> ops;
  std::vector<std::string> names;
  std::vector<Opcode> op_of;

  OpClasses() {
    for (const Signature& signature : program::Signatures()) {
      Of& of = ops[static_cast<size_t>(signature.op)];
      of.first = static_cast<int>(names.size());
      if (!Computes(signature)) continue;
      for (const Row& row : kRows) {
        if (!row.is_of(signature)) continue;
        of.rows.push_back(&row);
        names.push_back(absl::StrCat(signature.name, " ", row.name));
        op_of.push_back(signature.op);
      }
    }
    AG_CHECK(names.size() == kNumOpClasses, "[judge] ", names.size(),
             " classes of ops, and classes.h says ", kNumOpClasses, "; change the number there");
  }
};

const OpClasses& AllOpClasses() {
  static const auto* const all = new OpClasses();
  return *all;
}

}  // namespace

std::string OpClassName(int op_class) {
  return AllOpClasses().names[static_cast<size_t>(op_class)];
}

Opcode OpOf(int op_class) { return AllOpClasses().op_of[static_cast<size_t>(op_class)]; }

absl::InlinedVector<int, 16> OpClassesOf(const Statement& statement, Operands operands) {
  const OpClasses::Of& of = AllOpClasses().ops[static_cast<size_t>(statement.op)];
  absl::InlinedVector<int, 16> classes;
  if (of.rows.empty()) return classes;
  const Seen seen{statement, SignatureOf(statement.op), operands};
  for (size_t k = 0; k < of.rows.size(); ++k) {
    if (of.rows[k]->holds(seen)) classes.push_back(of.first + static_cast<int>(k));
  }
  return classes;
}

}  // namespace twingrad::judge
