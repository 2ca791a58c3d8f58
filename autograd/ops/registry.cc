#include "autograd/ops/registry.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/ops/ops.h"

namespace twingrad::ops {
namespace {

using program::Key;
using program::Opcode;
using program::Statement;

// A list attribute without a copy; empty where absent.
absl::Span<const int64_t> List(const Statement& statement, Key key) {
  const auto* value = statement.Find(key);
  if (value == nullptr) return {};
  return std::get<std::vector<int64_t>>(*value);
}

int64_t Integer(const Statement& statement, Key key, int64_t otherwise = 0) {
  return statement.Get<int64_t>(key, otherwise);
}

using UnaryFunction = Tensor (*)(const Tensor&);
using BinaryFunction = Tensor (*)(const Tensor&, const Tensor&);
using UnaryWrite = void (*)(Tensor&);
using BinaryWrite = void (*)(Tensor&, const Tensor&);

template <UnaryFunction kFunction>
Tensor Unary(Operands x, const Statement&) {
  return kFunction(*x[0]);
}
template <BinaryFunction kFunction>
Tensor Binary(Operands x, const Statement&) {
  return kFunction(*x[0], *x[1]);
}
template <UnaryWrite kFunction>
Tensor Write(Operands x, const Statement&) {
  kFunction(*x[0]);
  return Tensor();
}
template <BinaryWrite kFunction>
Tensor WriteWith(Operands x, const Statement&) {
  kFunction(*x[0], *x[1]);
  return Tensor();
}

Tensor RunWhere(Operands x, const Statement&) { return Where(*x[0], *x[1], *x[2]); }
using Along = Tensor (*)(const Tensor&, int64_t, bool);
template <Along kFunction>
Tensor PickAlong(Operands x, const Statement& s) {
  return kFunction(*x[0], Integer(s, Key::kDim), s.Get<bool>(Key::kKeepdim));
}
template <Along kFunction>
Tensor OrderAlong(Operands x, const Statement& s) {
  return kFunction(*x[0], Integer(s, Key::kDim), s.Get<bool>(Key::kDescending));
}
using Scan = Tensor (*)(const Tensor&, int64_t);
template <Scan kFunction>
Tensor ScanAlong(Operands x, const Statement& s) {
  return kFunction(*x[0], Integer(s, Key::kDim));
}
using Fold = Tensor (*)(const Tensor&, absl::Span<const int64_t>, bool);
template <Fold kFunction>
Tensor FoldOver(Operands x, const Statement& s) {
  return kFunction(*x[0], List(s, Key::kDims), s.Get<bool>(Key::kKeepdim));
}
using Joined = Tensor (*)(absl::Span<const Tensor* const>, int64_t);
template <Joined kFunction>
Tensor JoinAll(Operands x, const Statement& s) {
  const absl::InlinedVector<const Tensor*, 4> operands(x.begin(), x.end());
  return kFunction(operands, Integer(s, Key::kDim));
}
using Loss = Tensor (*)(const Tensor&, const Tensor&, Reduction);
template <Loss kFunction>
Tensor RunLoss(Operands x, const Statement& s) {
  const auto reduction = s.Get<std::string>(Key::kReduction);
  return kFunction(*x[0], *x[1],
                   reduction == "sum"    ? Reduction::kSum
                   : reduction == "none" ? Reduction::kNone
                                         : Reduction::kMean);
}
Tensor RunClamp(Operands x, const Statement& s) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  return Clamp(*x[0], s.Get<double>(Key::kMin, -kNoLimit), s.Get<double>(Key::kMax, kNoLimit));
}
Tensor RunFlip(Operands x, const Statement& s) { return Flip(*x[0], List(s, Key::kDims)); }
Tensor RunIndexSelect(Operands x, const Statement& s) {
  return IndexSelect(*x[0], Integer(s, Key::kDim), *x[1]);
}
Tensor RunGather(Operands x, const Statement& s) {
  return Gather(*x[0], Integer(s, Key::kDim), *x[1]);
}
Tensor RunScatterAdd(Operands x, const Statement& s) {
  return ScatterAdd(*x[0], Integer(s, Key::kDim), *x[1], *x[2]);
}
Tensor RunAddmm(Operands x, const Statement&) { return Addmm(*x[0], *x[1], *x[2]); }
Tensor RunView(Operands x, const Statement& s) { return View(*x[0], List(s, Key::kShape)); }
Tensor RunReshape(Operands x, const Statement& s) { return Reshape(*x[0], List(s, Key::kShape)); }
Tensor RunTranspose(Operands x, const Statement& s) {
  const auto dims = List(s, Key::kDims);
  return Transpose(*x[0], dims.at(0), dims.at(1));
}
Tensor RunPermute(Operands x, const Statement& s) { return Permute(*x[0], List(s, Key::kDims)); }
Tensor RunExpand(Operands x, const Statement& s) { return Expand(*x[0], List(s, Key::kShape)); }
Tensor RunSelect(Operands x, const Statement& s) {
  return Select(*x[0], Integer(s, Key::kDim), Integer(s, Key::kIndex));
}
Tensor RunSlice(Operands x, const Statement& s) {
  return Slice(*x[0], Integer(s, Key::kDim), Integer(s, Key::kStart),
               Integer(s, Key::kStop, std::numeric_limits<int64_t>::max()),
               Integer(s, Key::kStep, 1));
}
Tensor RunSqueeze(Operands x, const Statement& s) { return Squeeze(*x[0], List(s, Key::kDims)); }
Tensor RunUnsqueeze(Operands x, const Statement& s) {
  return Unsqueeze(*x[0], Integer(s, Key::kDim));
}
Tensor RunCast(Operands x, const Statement& s) { return Cast(*x[0], s.Get<DType>(Key::kTo)); }
Tensor RunTo(Operands x, const Statement& s) {
  const auto index = static_cast<program::DeviceIndex>(Integer(s, Key::kDevice, program::kCpu));
  return To(*x[0], DeviceOf(index));
}

constexpr std::string_view kNumbers = "f32 f64 i64";
constexpr std::string_view kFloats = "f32 f64";
constexpr std::string_view kAll = "all";

constexpr RegisteredOp kRows[] = {
    {Opcode::kAdd, Binary<Add>, "a + b", "g; g", kNumbers},
    {Opcode::kSub, Binary<Sub>, "a - b", "g; -g", kNumbers},
    {Opcode::kMul, Binary<Mul>, "a * b", "g b; g a", kNumbers},
    {Opcode::kDiv, Binary<Div>, "a / b", "g / b; -(g a / b²)", kFloats},
    {Opcode::kPow, Binary<Pow>, "a^b", "g b a^(b-1), 0 where b = 0; g r log a, 0 where a = 0 ≤ b",
     "f32 f64 i64; an integer b < 0 is an error"},
    {Opcode::kMaximum, Binary<Maximum>, "a if a > b, else b; NaN wins",
     "g where a > b, g/2 where a = b; g where b > a, g/2 where a = b", kNumbers},
    {Opcode::kMinimum, Binary<Minimum>, "a if a < b, else b; NaN wins",
     "g where a < b, g/2 where a = b; g where b < a, g/2 where a = b", kNumbers},
    {Opcode::kNeg, Unary<Neg>, "-a", "-g", kNumbers},
    {Opcode::kExp, Unary<Exp>, "e^a", "g r", kFloats},
    {Opcode::kLog, Unary<Log>, "log a", "g / a", kFloats},
    {Opcode::kSqrt, Unary<Sqrt>, "√a", "g / (2 r)", kFloats},
    {Opcode::kSin, Unary<Sin>, "sin a", "g cos a", kFloats},
    {Opcode::kCos, Unary<Cos>, "cos a", "-(g sin a)", kFloats},
    {Opcode::kTanh, Unary<Tanh>, "tanh a", "g (1 - r²)", kFloats},
    {Opcode::kSigmoid, Unary<Sigmoid>, "1 / (1 + e^-a)", "g r (1 - r)", kFloats},
    {Opcode::kRelu, Unary<Relu>, "max(a, 0)", "g where r > 0, else 0", kNumbers},
    {Opcode::kAbs, Unary<Abs>, "abs(a)", "g sign(a), 0 at 0", kNumbers},
    {Opcode::kSgn, Unary<Sgn>, "-1, 0 or 1; 0 for NaN", "0", kNumbers},
    {Opcode::kClamp, RunClamp, "a within min and max", "g where min < a < max, else 0",
     "f32 f64; NaN stays"},
    {Opcode::kWhere, RunWhere, "c ? a : b", "g where c, else 0; 0 where c, else g",
     "f32 f64 i64; c is bool and has no gradient"},
    {Opcode::kSum, FoldOver<Sum>, "sum over dims", "g, repeated", kNumbers},
    {Opcode::kMean, FoldOver<Mean>, "sum over dims / n", "g / n, repeated",
     "f32 f64; NaN where n = 0, and g is then not divided"},
    {Opcode::kProd, FoldOver<Prod>, "product over dims", "g times the product of the others",
     "f32 f64 i64; 1 over nothing"},
    {Opcode::kAmax, FoldOver<Amax>, "greatest over dims; NaN wins",
     "g / n where a = r, n times in all", "f32 f64 i64; a reduced size of 0 is an error"},
    {Opcode::kAmin, FoldOver<Amin>, "least over dims; NaN wins",
     "g / n where a = r, n times in all", "f32 f64 i64; a reduced size of 0 is an error"},
    {Opcode::kLogsumexp, FoldOver<Logsumexp>, "log Σ e^a over dims", "g e^(a-r)",
     "f32 f64; -inf over nothing"},
    {Opcode::kMax, PickAlong<Max>, "the first greatest along dim; NaN wins",
     "g at its index, else 0", "f32 f64 i64; a size of 0 is an error"},
    {Opcode::kMin, PickAlong<Min>, "the first least along dim; NaN wins", "g at its index, else 0",
     "f32 f64 i64; a size of 0 is an error"},
    {Opcode::kArgmax, PickAlong<Argmax>, "the index of max", "none",
     "f32 f64 i64; a size of 0 is an error"},
    {Opcode::kArgmin, PickAlong<Argmin>, "the index of min", "none",
     "f32 f64 i64; a size of 0 is an error"},
    {Opcode::kMatmul, Binary<Matmul>, "a b", "g bᵀ; aᵀ g", "f32 f64 i64; ranks 1 to 4"},
    {Opcode::kAddmm, RunAddmm, "a + b c", "g summed to a's shape; g cᵀ; bᵀ g",
     "f32 f64 i64; b and c of rank 2"},
    {Opcode::kCat, JoinAll<Cat>, "operands one after the other along dim", "its part of g, each",
     kAll},
    {Opcode::kStack, JoinAll<Stack>, "operands one after the other along a new dim",
     "its part of g, each", kAll},
    {Opcode::kFlip, RunFlip, "a in reverse along dims", "g in reverse", kAll},
    {Opcode::kIndexSelect, RunIndexSelect, "entries i of dim", "zeros, g added at entries i",
     "all; an index out of range is an error"},
    {Opcode::kGather, RunGather, "a at i along dim", "zeros, g added at i",
     "all; an index out of range is an error"},
    {Opcode::kScatterAdd, RunScatterAdd, "a, c added at i along dim, in order", "g; g at i",
     "f32 f64 i64; an index out of range is an error"},
    {Opcode::kSort, OrderAlong<Sort>, "a in order along dim, stable, NaN last",
     "g where it came from", kNumbers},
    {Opcode::kArgsort, OrderAlong<Argsort>, "where sort took it from", "none", kNumbers},
    {Opcode::kCumsum, ScanAlong<Cumsum>, "sums up to each along dim", "sums from each on",
     kNumbers},
    {Opcode::kSoftmax, ScanAlong<Softmax>, "e^a / Σ e^a along dim", "(g - Σ g r) r", kFloats},
    {Opcode::kLogSoftmax, ScanAlong<LogSoftmax>, "a - log Σ e^a along dim", "g - e^r Σ g", kFloats},
    {Opcode::kMseLoss, RunLoss<MseLoss>, "mean, sum or each of (a - b)²",
     "g/n · 2 (a - b); g/n · 2 (b - a)", kFloats},
    {Opcode::kCrossEntropy, RunLoss<CrossEntropy>,
     "mean, sum or each of -log_softmax(a) at class b", "g/n (softmax(a) - 1 at b)",
     "f32 f64; a class out of range is an error"},
    {Opcode::kView, RunView, "a as shape", "g as a's shape", "all; a must be contiguous"},
    {Opcode::kReshape, RunReshape, "a as shape", "g as a's shape",
     "all; a copy where a is not contiguous"},
    {Opcode::kTranspose, RunTranspose, "two dims of a swapped", "swapped back", kAll},
    {Opcode::kPermute, RunPermute, "dims of a reordered", "ordered back", kAll},
    {Opcode::kExpand, RunExpand, "sizes of 1 repeated", "g summed to a's shape", kAll},
    {Opcode::kSelect, RunSelect, "one entry of a dim", "zeros with g at the entry",
     "all; an index out of range is an error"},
    {Opcode::kSlice, RunSlice, "every step-th entry of a dim", "zeros with g at the entries",
     "all; start and stop are clamped"},
    {Opcode::kSqueeze, RunSqueeze, "a without dims of size 1", "g as a's shape", kAll},
    {Opcode::kUnsqueeze, RunUnsqueeze, "a with a dim of size 1", "g as a's shape", kAll},
    {Opcode::kClone, Unary<Clone>, "a copy of a", "g", kAll},
    {Opcode::kDetach, Unary<Detach>, "a's storage without history", "none", kAll},
    {Opcode::kCast, RunCast, "a as another element type", "g as a's element type",
     "all; recorded between f32 and f64; float to i64 saturates, NaN gives 0"},
    {Opcode::kTo, RunTo, "a copy of a on device", "g on a's device", kAll},
    {Opcode::kAddInPlace, WriteWith<AddInPlace>, "a ← a + b", "as add", kNumbers},
    {Opcode::kSubInPlace, WriteWith<SubInPlace>, "a ← a - b", "as sub", kNumbers},
    {Opcode::kMulInPlace, WriteWith<MulInPlace>, "a ← a * b", "as mul", kNumbers},
    {Opcode::kDivInPlace, WriteWith<DivInPlace>, "a ← a / b", "as div", kFloats},
    {Opcode::kNegInPlace, Write<NegInPlace>, "a ← -a", "as neg", kNumbers},
    {Opcode::kExpInPlace, Write<ExpInPlace>, "a ← e^a", "as exp", kFloats},
    {Opcode::kSqrtInPlace, Write<SqrtInPlace>, "a ← √a", "as sqrt", kFloats},
    {Opcode::kSinInPlace, Write<SinInPlace>, "a ← sin a", "as sin", kFloats},
    {Opcode::kCosInPlace, Write<CosInPlace>, "a ← cos a", "as cos", kFloats},
    {Opcode::kTanhInPlace, Write<TanhInPlace>, "a ← tanh a", "as tanh", kFloats},
    {Opcode::kSigmoidInPlace, Write<SigmoidInPlace>, "a ← 1 / (1 + e^-a)", "as sigmoid", kFloats},
    {Opcode::kReluInPlace, Write<ReluInPlace>, "a ← max(a, 0)", "as relu", kNumbers},
    {Opcode::kAbsInPlace, Write<AbsInPlace>, "a ← abs(a)", "as abs", kNumbers},
    {Opcode::kCopyInPlace, WriteWith<CopyInPlace>, "a ← b", "none; g summed to b's shape", kAll},
    {Opcode::kZeroInPlace, Write<ZeroInPlace>, "a ← 0", "none", kAll},
};

constexpr std::array<RegisteredOp, program::kNumOpcodes> ByOpcode() {
  std::array<RegisteredOp, program::kNumOpcodes> table{};
  for (const RegisteredOp& row : kRows) table[static_cast<int>(row.opcode)] = row;
  return table;
}
constexpr std::array<RegisteredOp, program::kNumOpcodes> kByOpcode = ByOpcode();

}  // namespace

const RegisteredOp* Find(Opcode opcode) {
  const RegisteredOp& row = kByOpcode[static_cast<int>(opcode)];
  return row.run == nullptr ? nullptr : &row;
}

absl::Span<const RegisteredOp> RegisteredOps() { return kRows; }

Device DeviceOf(program::DeviceIndex index) {
  return index == program::kCpu ? Device::Cpu() : Device::Sim(static_cast<uint8_t>(index));
}

}  // namespace twingrad::ops
