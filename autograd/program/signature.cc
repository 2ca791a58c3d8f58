#include "autograd/program/signature.h"

#include <algorithm>
#include <array>

#include "autograd/program/limits.h"
#include "autograd/program/region.h"

namespace twingrad::program {
namespace {

using enum Format;

// Attributes of each statement, in canonical order.
constexpr AttributeSpec kNothing[] = {{Key::kType, kFlag, Default::kNone, ""}};  // never spanned
constexpr AttributeSpec kLeafKeys[] = {
    {Key::kType, kType, Default::kRequired, ""}, {Key::kData, kElements, Default::kNone, ""},
    {Key::kFill, kElement, Default::kZero, ""},  {Key::kSeed, kInteger, Default::kNone, ""},
    {Key::kGrad, kFlag, Default::kZero, ""},     {Key::kDevice, kDevice, Default::kOnCpu, ""}};
constexpr AttributeSpec kReductionKeys[] = {{Key::kDims, kIntegers, Default::kEmpty, ""},
                                            {Key::kKeepdim, kFlag, Default::kZero, ""}};
constexpr AttributeSpec kExtremeKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                          {Key::kKeepdim, kFlag, Default::kZero, ""}};
constexpr AttributeSpec kSortKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                       {Key::kDescending, kFlag, Default::kZero, ""}};
constexpr AttributeSpec kClampKeys[] = {{Key::kMin, kNumber, Default::kNone, ""},
                                        {Key::kMax, kNumber, Default::kNone, ""}};
constexpr AttributeSpec kLossKeys[] = {{Key::kReduction, kWord, Default::kNone, "sum none"}};
constexpr AttributeSpec kShapeKeys[] = {{Key::kShape, kIntegers, Default::kRequired, ""}};
constexpr AttributeSpec kDimsKeys[] = {{Key::kDims, kIntegers, Default::kRequired, ""}};
constexpr AttributeSpec kOptionalDimsKeys[] = {{Key::kDims, kIntegers, Default::kEmpty, ""}};
constexpr AttributeSpec kSelectKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                         {Key::kIndex, kInteger, Default::kRequired, ""}};
constexpr AttributeSpec kSliceKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                        {Key::kStart, kInteger, Default::kZero, ""},
                                        {Key::kStop, kInteger, Default::kNone, ""},
                                        {Key::kStep, kInteger, Default::kOne, ""}};
constexpr AttributeSpec kDimKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""}};
constexpr AttributeSpec kCastKeys[] = {{Key::kTo, kDType, Default::kRequired, ""}};
constexpr AttributeSpec kToKeys[] = {{Key::kDevice, kDevice, Default::kRequired, ""}};
constexpr std::string_view kHookWords =
    "record scale undefined throw wrong_shape wrong_dtype register remove backward callback";
constexpr AttributeSpec kHookKeys[] = {{Key::kId, kName, Default::kNone, ""},
                                       {Key::kDo, kWord, Default::kRequired, kHookWords},
                                       {Key::kBy, kNumber, Default::kNone, ""},
                                       {Key::kTarget, kTarget, Default::kNone, ""}};
constexpr AttributeSpec kAccumulateHookKeys[] = {
    {Key::kId, kName, Default::kNone, ""},
    {Key::kDo, kWord, Default::kRequired, "record throw register remove backward callback"},
    {Key::kTarget, kTarget, Default::kNone, ""}};
constexpr AttributeSpec kIdKeys[] = {{Key::kId, kName, Default::kRequired, ""}};
constexpr AttributeSpec kBackwardKeys[] = {{Key::kSeeds, kValues, Default::kEmpty, ""},
                                           {Key::kInputs, kValues, Default::kNone, ""},
                                           {Key::kRetainGraph, kFlag, Default::kNone, ""},
                                           {Key::kCreateGraph, kFlag, Default::kZero, ""}};
constexpr AttributeSpec kGradKeys[] = {
    {Key::kSeeds, kValues, Default::kEmpty, ""},    {Key::kInputs, kValues, Default::kRequired, ""},
    {Key::kRetainGraph, kFlag, Default::kNone, ""}, {Key::kCreateGraph, kFlag, Default::kZero, ""},
    {Key::kAllowUnused, kFlag, Default::kZero, ""}, {Key::kMaterialize, kFlag, Default::kZero, ""}};
constexpr AttributeSpec kCustomKeys[] = {
    {Key::kDo, kWord, Default::kRequired,
     "pass scale undefined throw wrong_shape wrong_dtype wrong_count nan backward"},
    {Key::kBy, kNumber, Default::kNone, ""},
    {Key::kTarget, kTarget, Default::kNone, ""}};
constexpr AttributeSpec kBeginKeys[] = {{Key::kKind, kWord, Default::kRequired, kRegionKindWords},
                                        {Key::kDo, kWord, Default::kNone, "record scale throw"},
                                        {Key::kBy, kNumber, Default::kNone, ""}};
constexpr AttributeSpec kStreamKeys[] = {{Key::kId, kName, Default::kRequired, ""},
                                         {Key::kDevice, kDevice, Default::kRequired, ""}};
constexpr AttributeSpec kExpectKeys[] = {
    {Key::kKind, kWord, Default::kRequired,
     "value grad undefined undefined_grad requires_grad no_requires_grad version dependencies "
     "executed error"},
    {Key::kType, kType, Default::kNone, ""},
    {Key::kData, kElements, Default::kNone, ""},
    {Key::kCount, kInteger, Default::kNone, ""},
    {Key::kError, kWord, Default::kNone,
     "invalid_argument shape dtype device domain index undefined no_graph grad_count implicit_seed "
     "unused_input version freed leaf_in_place hook user unsupported internal anomaly"},
    {Key::kAt, kInteger, Default::kNone, ""}};

constexpr absl::Span<const AttributeSpec> kNone(kNothing, 0);

// The usual shapes of a row.
constexpr Signature Elementwise(Opcode op, std::string_view name, int operands, DTypeRule dtypes,
                                std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands);
  return {op, name, Category::kElementwise, n, n, 1, 1, dtypes, (1u << n) - 1, kNone, doc};
}
constexpr Signature Unary(Opcode op, std::string_view name, Category category, DTypeRule dtypes,
                          absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return {op, name, category, 1, 1, 1, 1, dtypes, 1, attributes, doc};
}
constexpr Signature InPlace(Opcode op, std::string_view name, int operands, DTypeRule dtypes,
                            uint32_t differentiable, std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands);
  return {op, name, Category::kInPlace, n, n, 0, 0, dtypes, differentiable, kNone, doc};
}
// One operand, along a dimension; `differentiable` is 0 where the result is indices.
constexpr Signature Along(Opcode op, std::string_view name, Category category, DTypeRule dtypes,
                          uint32_t differentiable, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc) {
  return {op, name, category, 1, 1, 1, 1, dtypes, differentiable, attributes, doc};
}
constexpr Signature Rearranged(Opcode op, std::string_view name, int least, int most,
                               DTypeRule dtypes, uint32_t differentiable, uint32_t indices,
                               std::string_view doc) {
  const auto n = static_cast<uint16_t>(least), m = static_cast<uint16_t>(most);
  return {op, name,   Category::kRearrange, n,        m,   1,
          1,  dtypes, differentiable,       kDimKeys, doc, indices};
}
// A statement that computes nothing differentiable.
constexpr Signature Plain(Opcode op, std::string_view name, Category category, int operands,
                          int results, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands), r = static_cast<uint16_t>(results);
  return {op, name, category, n, n, r, r, DTypeRule::kAny, 0, attributes, doc};
}

using enum DTypeRule;
constexpr Category kView = Category::kView;
constexpr Category kCopy = Category::kCopy;
constexpr uint16_t kMany = kMaxOperands;
constexpr uint16_t kFew = kMaxCustomOperands;

constexpr std::array<Signature, kNumOpcodes> kSignatures = {{
    Plain(Opcode::kLeaf, "leaf", Category::kLeaf, 0, 1, kLeafKeys,
          "a tensor from data=, fill= or seed= (zeros without); grad=1: requires grad"),
    Elementwise(Opcode::kAdd, "add", 2, kNumeric, "a + b, broadcast"),
    Elementwise(Opcode::kSub, "sub", 2, kNumeric, "a - b, broadcast"),
    Elementwise(Opcode::kMul, "mul", 2, kNumeric, "a * b, broadcast"),
    Elementwise(Opcode::kDiv, "div", 2, kFloating, "a / b, broadcast"),
    Elementwise(Opcode::kPow, "pow", 2, kNumeric, "a to the power of b, broadcast"),
    Elementwise(Opcode::kMaximum, "maximum", 2, kNumeric,
                "the greater of a and b, NaN if either is; broadcast"),
    Elementwise(Opcode::kMinimum, "minimum", 2, kNumeric,
                "the lesser of a and b, NaN if either is; broadcast"),
    Elementwise(Opcode::kNeg, "neg", 1, kNumeric, "-a"),
    Elementwise(Opcode::kExp, "exp", 1, kFloating, "e to the power of a"),
    Elementwise(Opcode::kLog, "log", 1, kFloating, "natural logarithm"),
    Elementwise(Opcode::kSqrt, "sqrt", 1, kFloating, "square root"),
    Elementwise(Opcode::kSin, "sin", 1, kFloating, "sine"),
    Elementwise(Opcode::kCos, "cos", 1, kFloating, "cosine"),
    Elementwise(Opcode::kTanh, "tanh", 1, kFloating, "hyperbolic tangent"),
    Elementwise(Opcode::kSigmoid, "sigmoid", 1, kFloating, "1 / (1 + exp(-a))"),
    Elementwise(Opcode::kRelu, "relu", 1, kNumeric, "the greater of a and 0"),
    Elementwise(Opcode::kAbs, "abs", 1, kNumeric, "absolute value"),
    Elementwise(Opcode::kSgn, "sgn", 1, kNumeric, "-1, 0 or 1: the sign; 0 for NaN"),
    Unary(Opcode::kClamp, "clamp", Category::kElementwise, kFloating, kClampKeys,
          "a, but min= where it is less and max= where it is greater; one of them or both"),
    {Opcode::kWhere, "where", Category::kElementwise, 3, 3, 1, 1, kNumeric, 0b110, kNone,
     "b where the condition a (bool) is true, else c; broadcast"},
    Unary(Opcode::kSum, "sum", Category::kReduction, kNumeric, kReductionKeys,
          "sum over dims= (all without); keepdim=1 keeps them with size 1"),
    Unary(Opcode::kMean, "mean", Category::kReduction, kFloating, kReductionKeys,
          "mean over dims= (all without); keepdim=1 keeps them with size 1"),
    Unary(Opcode::kProd, "prod", Category::kReduction, kNumeric, kReductionKeys,
          "product over dims= (all without); 1 over nothing"),
    Unary(Opcode::kAmax, "amax", Category::kReduction, kNumeric, kReductionKeys,
          "the greatest over dims= (all without), NaN if any is; none may have size 0"),
    Unary(Opcode::kAmin, "amin", Category::kReduction, kNumeric, kReductionKeys,
          "the least over dims= (all without), NaN if any is; none may have size 0"),
    Unary(Opcode::kLogsumexp, "logsumexp", Category::kReduction, kFloating, kReductionKeys,
          "log of the sum of exp(a) over dims= (all without)"),
    Along(Opcode::kMax, "max", Category::kReduction, kNumeric, 1, kExtremeKeys,
          "the greatest along dim=: the first of the greatest, or the first NaN, and no other"),
    Along(Opcode::kMin, "min", Category::kReduction, kNumeric, 1, kExtremeKeys,
          "the least along dim=: the first of the least, or the first NaN, and no other"),
    Along(Opcode::kArgmax, "argmax", Category::kReduction, kNumeric, 0, kExtremeKeys,
          "the index along dim= of what max picks, i64"),
    Along(Opcode::kArgmin, "argmin", Category::kReduction, kNumeric, 0, kExtremeKeys,
          "the index along dim= of what min picks, i64"),
    {Opcode::kMatmul, "matmul", Category::kMatmul, 2, 2, 1, 1, kNumeric, 0b11, kNone,
     "matrix product, ranks 1 to 4, batch dimensions broadcast"},
    {Opcode::kAddmm, "addmm", Category::kMatmul, 3, 3, 1, 1, kNumeric, 0b111, kNone,
     "a plus the product of the matrices b and c; a is broadcast to it"},
    Rearranged(Opcode::kCat, "cat", 1, kFew, kAny, 0xff, 0,
               "one after the other along dim=; the other sizes are equal"),
    Rearranged(Opcode::kStack, "stack", 1, kFew, kAny, 0xff, 0,
               "one after the other along a new dimension before dim=; the shapes are equal"),
    Unary(Opcode::kFlip, "flip", Category::kRearrange, kAny, kDimsKeys,
          "a copy with the order along dims= reversed"),
    Rearranged(Opcode::kIndexSelect, "index_select", 2, 2, kAny, 1, 0b10,
               "the entries of dim= whose indices b lists, in its order"),
    Rearranged(Opcode::kGather, "gather", 2, 2, kAny, 1, 0b10,
               "b's shape: a where b replaces the coordinate of dim="),
    Rearranged(Opcode::kScatterAdd, "scatter_add", 3, 3, kNumeric, 0b101, 0b10,
               "a, and each element of c, in order, added where b replaces the coordinate of dim="),
    Along(Opcode::kSort, "sort", Category::kRearrange, kNumeric, 1, kSortKeys,
          "in ascending order along dim=, equal ones in their order, NaN above all"),
    Along(Opcode::kArgsort, "argsort", Category::kRearrange, kNumeric, 0, kSortKeys,
          "the indices along dim= of what sort puts there, i64"),
    Along(Opcode::kCumsum, "cumsum", Category::kScan, kNumeric, 1, kDimKeys,
          "the sums of the entries up to each along dim="),
    Along(Opcode::kSoftmax, "softmax", Category::kScan, kFloating, 1, kDimKeys,
          "exp(a) over its sum along dim="),
    Along(Opcode::kLogSoftmax, "log_softmax", Category::kScan, kFloating, 1, kDimKeys,
          "the logarithm of softmax"),
    {Opcode::kMseLoss, "mse_loss", Category::kLoss, 2, 2, 1, 1, kFloating, 0b11, kLossKeys,
     "the mean (sum, or each) of (a - b) squared, of equal shapes"},
    {Opcode::kCrossEntropy, "cross_entropy", Category::kLoss, 2, 2, 1, 1, kFloating, 0b01,
     kLossKeys,
     "the mean (sum, or each) of -log_softmax at the class that b names; a [N,C], or [C]", 0b10},
    Unary(Opcode::kView, "view", kView, kAny, kShapeKeys,
          "the same elements with shape=; the operand must be contiguous when run"),
    Unary(Opcode::kReshape, "reshape", kView, kAny, kShapeKeys,
          "the same elements with shape=; a copy where the operand is not contiguous"),
    Unary(Opcode::kTranspose, "transpose", kView, kAny, kDimsKeys, "swaps the two dims="),
    Unary(Opcode::kPermute, "permute", kView, kAny, kOptionalDimsKeys,
          "dimension i of the result is dims[i]; a scalar has none"),
    Unary(Opcode::kExpand, "expand", kView, kAny, kShapeKeys,
          "repeats dimensions of size 1, without a copy, up to shape="),
    Unary(Opcode::kSelect, "select", kView, kAny, kSelectKeys, "entry index= of dim=, which goes"),
    Unary(Opcode::kSlice, "slice", kView, kAny, kSliceKeys,
          "entries start= to before stop= (its size without) of dim=, each step="),
    Unary(Opcode::kSqueeze, "squeeze", kView, kAny, kOptionalDimsKeys,
          "drops those of dims= (of all without) whose size is 1"),
    Unary(Opcode::kUnsqueeze, "unsqueeze", kView, kAny, kDimKeys,
          "inserts a dimension of size 1 before dim="),
    Unary(Opcode::kClone, "clone", kCopy, kAny, kNone, "a copy"),
    Plain(Opcode::kDetach, "detach", kCopy, 1, 1, kNone,
          "the same storage without history; not a view for autograd"),
    Unary(Opcode::kCast, "cast", kCopy, kAny, kCastKeys,
          "a copy of element type to=; float to integer saturates, NaN becomes 0"),
    Unary(Opcode::kTo, "to", kCopy, kAny, kToKeys, "a copy on device="),
    InPlace(Opcode::kAddInPlace, "add_", 2, kNumeric, 0b11, "a becomes a + b"),
    InPlace(Opcode::kSubInPlace, "sub_", 2, kNumeric, 0b11, "a becomes a - b"),
    InPlace(Opcode::kMulInPlace, "mul_", 2, kNumeric, 0b11, "a becomes a * b"),
    InPlace(Opcode::kDivInPlace, "div_", 2, kFloating, 0b11, "a becomes a / b"),
    InPlace(Opcode::kNegInPlace, "neg_", 1, kNumeric, 1, "a becomes -a"),
    InPlace(Opcode::kExpInPlace, "exp_", 1, kFloating, 1, "a becomes exp(a)"),
    InPlace(Opcode::kSqrtInPlace, "sqrt_", 1, kFloating, 1, "a becomes sqrt(a)"),
    InPlace(Opcode::kSinInPlace, "sin_", 1, kFloating, 1, "a becomes sin(a)"),
    InPlace(Opcode::kCosInPlace, "cos_", 1, kFloating, 1, "a becomes cos(a)"),
    InPlace(Opcode::kTanhInPlace, "tanh_", 1, kFloating, 1, "a becomes tanh(a)"),
    InPlace(Opcode::kSigmoidInPlace, "sigmoid_", 1, kFloating, 1, "a becomes sigmoid(a)"),
    InPlace(Opcode::kReluInPlace, "relu_", 1, kNumeric, 1, "a becomes relu(a)"),
    InPlace(Opcode::kAbsInPlace, "abs_", 1, kNumeric, 1, "a becomes abs(a)"),
    InPlace(Opcode::kCopyInPlace, "copy_", 2, kAny, 0b10, "a becomes b"),
    InPlace(Opcode::kZeroInPlace, "zero_", 1, kAny, 0, "a becomes 0"),
    Plain(Opcode::kRetainGrad, "retain_grad", Category::kGradient, 1, 0, kNone,
          "keeps the gradient of a non-leaf in .grad"),
    {Opcode::kReadGrad, "read_grad", Category::kGradient, 1, 1, 1, 1, kAny, 0, kNone,
     "a differentiable copy of .grad; undefined where .grad is"},
    Plain(Opcode::kZeroGrad, "zero_grad", Category::kGradient, 1, 0, kNone,
          "makes .grad undefined"),
    Plain(Opcode::kHook, "hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradient of a value"),
    Plain(Opcode::kPreHook, "pre_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that enter the value's node"),
    Plain(Opcode::kPostHook, "post_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that leave the value's node"),
    Plain(Opcode::kAccumulateHook, "accumulate_hook", Category::kHook, 1, 0, kAccumulateHookKeys,
          "a hook after a leaf's .grad was accumulated"),
    Plain(Opcode::kRemoveHook, "remove_hook", Category::kHook, 0, 0, kIdKeys,
          "removes the hook with this id="),
    {Opcode::kBackward, "backward", Category::kCall, 1, kMany, 0, 0, kAny, 0, kBackwardKeys,
     "accumulates gradients of the roots into .grad of the leaves, or of inputs="},
    {Opcode::kGrad, "grad", Category::kCall, 1, kMany, 0, kMany, kAny, 0, kGradKeys,
     "gradients of the roots with respect to inputs=, one result each"},
    {Opcode::kCustom, "custom", Category::kCustom, 1, kFew, 1, kFew, kAny, 0xff, kCustomKeys,
     "a custom function: result i is a copy of operand i, its gradient what do= says"},
    Plain(Opcode::kBegin, "begin", Category::kRegion, 0, 0, kBeginKeys, "begins a region of kind="),
    Plain(Opcode::kEnd, "end", Category::kRegion, 0, 0, kNone, "ends the innermost region"),
    Plain(Opcode::kStream, "stream", Category::kStream, 0, 0, kStreamKeys,
          "makes stream id= current on device="),
    Plain(Opcode::kRecordEvent, "record_event", Category::kStream, 0, 0, kStreamKeys,
          "records event id= on the current stream of device="),
    Plain(Opcode::kWaitEvent, "wait_event", Category::kStream, 0, 0, kStreamKeys,
          "the current stream of device= waits for event id="),
    {Opcode::kExpect, "expect", Category::kExpect, 0, 1, 0, 0, kAny, 0, kExpectKeys,
     "states what the run must show; no effect on it"},
}};

constexpr bool InOrder() {
  for (int i = 0; i < kNumOpcodes; ++i) {
    if (kSignatures[i].op != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(InOrder());

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
