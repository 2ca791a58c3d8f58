#include "autograd/program/random_program.h"
#include "autograd/program/square.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/base/float_format.h"
#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"

namespace twingrad::program {
namespace {

class RandomStatements {
 public:
  explicit RandomStatements(uint64_t seed) : random_(seed) {}

  Program Make(int statements) {
    while (builder_.num_statements() < statements) {
      Statement statement;
      const bool need_leaf = builder_.num_values() == 0 || Below(6) == 0;
      statement.op = need_leaf ? Opcode::kLeaf : static_cast<Opcode>(Below(kNumOpcodes));
      // A refusal costs little: draw again.
      for (int attempt = 0; attempt < 8; ++attempt) {
        Fill(statement);
        if (builder_.AddStatement(statement)) break;
      }
    }
    for (ValueId value = 0; value < builder_.num_values(); ++value) {
      if (Below(2) == 0) builder_.Rename(value, Name());
    }
    return builder_.Take();
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }

  std::string Name() {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
    std::string name;
    const uint64_t length = 1 + Below(Below(10) == 0 ? kMaxNameLength : 4);
    for (uint64_t i = 0; i < length; ++i) name += kLetters[Below(kLetters.size())];
    return name;
  }

  ValueId Value() {
    const int count = builder_.num_values();
    // Prefers late values, and mostly values that fit together: f64 on the cpu.
    ValueId value = 0;
    for (int i = 0; i < 3; ++i) {
      value = static_cast<ValueId>(count - 1 - Below(Below(2) == 0 ? std::min(count, 6) : count));
      if (builder_.TypeOf(value).dtype == DType::kF64 && builder_.Info(value).device == kCpu) break;
    }
    return value;
  }

  void Fill(Statement& statement) {
    const Signature& signature = SignatureOf(statement.op);
    statement.operands.clear();
    statement.results.clear();
    statement.attributes.clear();
    const uint64_t most = std::min<uint64_t>(signature.max_operands, signature.min_operands + 3);
    uint64_t operands = signature.min_operands + Below(most - signature.min_operands + 1);
    for (uint64_t i = 0; i < operands; ++i) statement.operands.push_back(Value());
    if (statement.op == Opcode::kWhere || statement.op == Opcode::kMaskedFill)
      statement.operands[0] = OfType(DType::kBool);
    for (uint64_t i = 0; i < operands; ++i) {
      const bool mask = statement.op == Opcode::kMaskedSelect;
      if (signature.IsIndex(static_cast<int>(i)))
        statement.operands[i] = OfType(mask ? DType::kBool : DType::kI64);
    }
    TakeIndexed(statement);
    TakeSparse(statement);
    if (PlaneRank(signature) > 0) TakePlane(statement, static_cast<size_t>(PlaneRank(signature)));
    TakeNetwork(statement);
    TakeSquares(statement);
    TakeContracted(statement);
    type_ = Type();
    elements_ = static_cast<size_t>(NumElements(type_.shape));
    if (statement.op == Opcode::kExpect && !statement.operands.empty()) {
      type_ = builder_.TypeOf(statement.operands[0]);
      elements_ = static_cast<size_t>(NumElements(type_.shape));
    }
    for (const AttributeSpec& spec : signature.attributes) {
      // An expectation mostly needs these; DropMisfits takes away the others.
      const bool expects =
          statement.op == Opcode::kExpect &&
          (spec.key == Key::kCount || spec.key == Key::kError || spec.key == Key::kAt);
      if (spec.otherwise != Default::kRequired && Below(3) >= (expects ? 2 : 1)) continue;
      statement.attributes.push_back({spec.key, Argument(statement, spec)});
    }
    DropMisfits(statement);
    size_t results = signature.min_results;
    if (statement.op == Opcode::kCustom) results = statement.operands.size();
    if (HasParts(statement.op)) {
      results = FittingResults(statement, builder_.TypeOf(statement.operands[0]).shape);
    }
    if (MayGiveIndices(statement.op)) results += Below(2);
    if (statement.op == Opcode::kGrad) {
      results = statement.Get<std::vector<ValueId>>(Key::kInputs).size();
    }
    statement.results.resize(results);
  }

  // Drops attributes that are valid only together with others; otherwise nearly all draws would be
  // refused.
  void DropMisfits(Statement& statement) {
    const auto word = statement.Get<std::string>(Key::kDo);
    const auto drop = [&](Key key) {
      std::erase_if(statement.attributes, [&](const Attribute& a) { return a.key == key; });
    };
    if (statement.op == Opcode::kExpect) {
      const auto kind = statement.Get<std::string>(Key::kKind);
      const bool data = kind == "value" || kind == "grad";
      const bool of_call = kind == "dependencies" || kind == "executed" || kind == "warnings";
      const bool count = of_call || kind == "version";
      if (!data) drop(Key::kType), drop(Key::kData);
      if (!count) drop(Key::kCount);
      if (kind != "error") drop(Key::kError);
      if (kind != "error" && !of_call) drop(Key::kAt);
      return;
    }
    const Signature& signature = SignatureOf(statement.op);
    if (statement.op == Opcode::kIndex || statement.op == Opcode::kIndexPut) {
      drop(Key::kCount);
      const DType last = builder_.TypeOf(statement.operands.back()).dtype;
      if (last == DType::kBool) {
        statement.attributes.insert(statement.attributes.begin(),
                                    {Key::kCount, static_cast<int64_t>(Below(5))});
      }
    }
    if (signature.Find(Key::kBy) != nullptr && signature.Find(Key::kDo) != nullptr) {
      drop(Key::kBy);
      if (word == "scale") statement.attributes.push_back({Key::kBy, Float()});
    }
    if (signature.Find(Key::kTarget) != nullptr) {
      drop(Key::kTarget);
      if (word == "register" || word == "backward") {
        statement.attributes.push_back({Key::kTarget, std::vector<ValueId>{Value()}});
      } else if (word == "remove") {
        statement.attributes.push_back({Key::kTarget, Handle()});
      }
    }
  }

  // The latest value of the type, or one before it.
  ValueId OfType(DType dtype) {
    ValueId found = 0;
    for (ValueId value = builder_.num_values() - 1; value >= 0; --value) {
      if (builder_.TypeOf(value).dtype != dtype) continue;
      found = value;
      if (Below(2) == 0) break;
    }
    return found;
  }

  // Channels and a plane; the weights of a convolution have a plane of single entries.
  void TakePlane(Statement& statement, size_t dims) {
    Shape shape(dims + 1, 1), weights(dims + 2, 1);
    for (int64_t& size : shape) size += static_cast<int64_t>(Below(2));
    const auto groups = static_cast<int64_t>(Below(2)) + 1;
    shape[0] *= groups;
    const bool transposed = SignatureOf(statement.op).Find(Key::kOutputPadding) != nullptr;
    weights[0] = transposed ? shape[0] : groups;
    weights[1] = transposed ? 1 : shape[0] / groups;
    groups_ = groups;
    statement.operands[0] = builder_.SeededLeaf({DType::kF64, shape}, 1);
    if (statement.operands.size() > 1) {
      statement.operands[1] = builder_.SeededLeaf({DType::kF64, weights}, 2);
    }
  }

  // Operands of linear, attention and norms, whose shapes must fit.
  void TakeNetwork(Statement& statement) {
    const bool norms = SignatureOf(statement.op).category == Category::kNorm;
    const bool attends = statement.op == Opcode::kScaledDotProductAttention;
    if (!norms && !attends && statement.op != Opcode::kLinear) return;
    const auto size = static_cast<int64_t>(1 + Below(3));
    const Shape square = {size, size}, list = {size};
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      const bool lists = norms ? k > 0 : k == 2 && !attends;
      statement.operands[k] = builder_.SeededLeaf({DType::kF64, lists ? list : square}, 1);
    }
    groups_ = size;
  }

  // Operands of what is made of square matrices.
  void TakeSquares(Statement& statement) {
    if (!IsOfSquares(statement.op)) return;
    const auto size = static_cast<int64_t>(Below(4));
    for (ValueId& operand : statement.operands) {
      operand = builder_.SeededLeaf({DType::kF64, {size, size}}, 1);
    }
  }

  // What indices in several dimensions, or one mask, take of and put into.
  void TakeIndexed(Statement& statement) {
    if (statement.op == Opcode::kScatterReduce) {
      for (size_t k = 0; k < 3; ++k) {
        const DType dtype = k == 1 ? DType::kI64 : DType::kF64;
        statement.operands[k] = builder_.SeededLeaf({dtype, {2, 2}}, 1);
      }
    }
    if (statement.op != Opcode::kIndex && statement.op != Opcode::kIndexPut) return;
    const size_t first = statement.op == Opcode::kIndex ? 1 : 2;
    for (size_t k = 0; k < first; ++k) {
      const Shape shape = k == 0 ? Shape{2, 2, 2} : Shape{2};
      statement.operands[k] = builder_.SeededLeaf({DType::kF64, shape}, 1);
    }
    if (Below(4) != 0) return;
    statement.operands.resize(first + 1);
    statement.operands[first] = builder_.SeededLeaf({DType::kBool, {2, 2}}, 1);
  }

  // Values and indices of two entries, or a sparse tensor of them, which must be coalesced for
  // some.
  void TakeSparse(Statement& statement) {
    const bool makes = statement.op == Opcode::kSparseCoo;
    if (!makes && !TakesSparse(statement.op)) return;
    const ValueId values = builder_.SeededLeaf({DType::kF64, {2}}, 1);
    const ValueId indices = builder_.Leaf({DType::kI64, {1, 2}}, IntBits({1, 0}));
    if (makes) {
      statement.operands = {values, indices};
      return;
    }
    const Attribute shape = {Key::kShape, std::vector<int64_t>{2}};
    ValueId sparse = builder_.Op(Opcode::kSparseCoo, {values, indices}, {shape});
    if (TakesCoalesced(statement.op)) {
      sparse = builder_.Op(Opcode::kCoalesce, {sparse}, {{Key::kCount, int64_t{2}}});
    }
    statement.operands = {sparse};
  }

  // Operands of einsum, of equal sizes.
  void TakeContracted(Statement& statement) {
    if (statement.op != Opcode::kEinsum) return;
    operands_ = statement.operands.size();
    const auto size = static_cast<int64_t>(1 + Below(2));
    for (ValueId& operand : statement.operands) {
      operand = builder_.SeededLeaf({DType::kF64, {size, size}}, 1);
    }
  }

  // Of those.
  std::string Equation() {
    constexpr const char* kOfOne[] = {"ij->ji", "ij->i", "ij->"};
    constexpr const char* kOfTwo[] = {"ij,jk->ik", "ij,ij->", "ij,kl->lji"};
    return operands_ == 1 ? kOfOne[Below(3)] : kOfTwo[Below(3)];
  }

  // Few handles, so that most recur.
  std::string Handle() { return absl::StrCat("h", Below(4)); }

  TensorType Type() {
    TensorType type;
    type.dtype = Below(2) == 0 ? DType::kF64 : kDTypes[Below(std::size(kDTypes))];
    const uint64_t rank = Below(Below(8) == 0 ? kMaxRank + 1 : 4);
    for (uint64_t i = 0; i < rank; ++i) {
      type.shape.push_back(static_cast<int64_t>(Below(8) == 0 ? Below(4) : 1 + Below(2)));
    }
    return type;
  }

  double Float() {
    constexpr double kSpecial[] = {0.0,
                                   -0.0,
                                   1e300,
                                   0.1,
                                   -9007199254740993.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::denorm_min(),
                                   std::numeric_limits<double>::max()};
    if (Below(2) == 0) return static_cast<double>(Below(9)) - 4;
    if (Below(4) == 0) return std::bit_cast<double>(FloatBits({std::nan("")})[0]);
    if (Below(2) == 0) return kSpecial[Below(std::size(kSpecial))];
    return std::bit_cast<double>(FloatBits({std::bit_cast<double>(random_())})[0]);
  }

  uint64_t Element(DType dtype) {
    switch (dtype) {
      case DType::kF64:
        return FloatBits({Float()})[0];
      case DType::kF16:
      case DType::kBF16:
      case DType::kF32: {
        const auto value = std::bit_cast<float>(static_cast<uint32_t>(random_()));
        return Below(2) == 0 ? SeededElement(0, static_cast<int64_t>(Below(100)), dtype)
                             : FloatBits({Rounded(value, FormatOf(dtype))})[0];
      }
      case DType::kI32:
        return static_cast<uint64_t>(int64_t{static_cast<int32_t>(random_())});
      case DType::kI64:
        if (Below(4) == 0) return std::bit_cast<uint64_t>(std::numeric_limits<int64_t>::min());
        return Below(2) == 0 ? random_() : Below(5);
      case DType::kBool:
        return Below(2);
    }
    return 0;
  }

  AttributeValue Argument(const Statement& statement, const AttributeSpec& spec) {
    switch (spec.format) {
      case Format::kFlag:
        return Below(2) == 0;
      case Format::kInteger:
        return Integer(spec.key);
      case Format::kNumber:
        return Float();
      case Format::kWord: {
        const std::vector<std::string> words = absl::StrSplit(spec.words, ' ');
        return words[Below(words.size())];
      }
      case Format::kEquation:
        return Equation();
      case Format::kName:
      case Format::kTarget:
        return Handle();
      case Format::kIntegers:
        return Integers(statement, spec.key);
      case Format::kElements:
      case Format::kElement: {
        // data= of an expectation without type= is in f64.
        const DType dtype = statement.Find(Key::kType) != nullptr ? type_.dtype : DType::kF64;
        Bits bits;
        const size_t count = spec.format == Format::kElement ? 1 : elements_;
        for (size_t i = 0; i < count; ++i) bits.push_back(Element(dtype));
        return bits;
      }
      case Format::kValues: {
        std::vector<ValueId> values;
        for (uint64_t i = Below(4); i > 0; --i) {
          values.push_back(spec.key == Key::kSeeds && Below(3) == 0 ? kNoValue : Value());
        }
        return values;
      }
      case Format::kType:
        return type_;
      case Format::kDType:
        return static_cast<DType>(Below(4));
      case Format::kDevice:
        return static_cast<int64_t>(Below(4)) - 1;
    }
    return false;
  }

  int64_t Integer(Key key) {
    if (key == Key::kSeed) return static_cast<int64_t>(random_());
    if (key == Key::kGroups) return groups_;
    if (key == Key::kAt) return static_cast<int64_t>(Below(builder_.num_statements() + 1));
    return static_cast<int64_t>(Below(4));
  }

  std::vector<int64_t> Integers(const Statement& statement, Key key) {
    const Shape& shape = builder_.TypeOf(statement.operands[0]).shape;
    std::vector<int64_t> integers;
    if (const int dims = PlaneRank(SignatureOf(statement.op)); dims > 0) {
      // What fits into any plane.
      const bool transposed = SignatureOf(statement.op).Find(Key::kOutputPadding) != nullptr;
      const bool grows = key == Key::kStride || key == Key::kDilation || key == Key::kShape;
      const bool pads = key == Key::kPadding || key == Key::kOutputPadding;
      for (int d = 0; d < dims; ++d) {
        const bool convolves = statement.op >= Opcode::kConv1d && !transposed;
        const bool more = grows || (key == Key::kPadding && convolves) ||
                          (key == Key::kOutputPadding && Below(4) == 0);
        integers.push_back((pads ? 0 : 1) + static_cast<int64_t>(more ? Below(2) : 0));
      }
      return integers;
    }
    if (key == Key::kShape) {
      integers.assign(shape.begin(), shape.end());
      if (Below(2) == 0) integers.insert(integers.begin(), 1);
      if (statement.op != Opcode::kExpand) std::shuffle(integers.begin(), integers.end(), random_);
      return integers;
    }
    for (size_t d = 0; d < shape.size(); ++d) integers.push_back(static_cast<int64_t>(d));
    std::shuffle(integers.begin(), integers.end(), random_);
    if (statement.op == Opcode::kTranspose || statement.op == Opcode::kDiagonal) {
      if (integers.size() > 2) integers.resize(2);
    } else if (statement.op != Opcode::kPermute) {
      integers.resize(Below(integers.size() + 1));
    }
    return integers;
  }

  std::mt19937_64 random_;
  ProgramBuilder builder_;
  TensorType type_;  // of the statement being drawn
  size_t elements_ = 1;
  int64_t groups_ = 1;
  size_t operands_ = 0;  // of the last einsum
};

}  // namespace

Program RandomProgram(uint64_t seed, int statements) {
  return RandomStatements(seed).Make(statements);
}

}  // namespace twingrad::program
