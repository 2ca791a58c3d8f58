#include "tools/adapters/libtorch/operations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using twingrad::DType;
using twingrad::ErrorKind;
using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Statement;
using Operands = std::vector<Tensor>;
using Integers = std::vector<int64_t>;
using Function = Tensor (*)(const Statement&, const Operands&);

Integers Dims(const Statement& s) { return s.Get<Integers>(Key::kDims); }
bool Keepdim(const Statement& s) { return s.Get<bool>(Key::kKeepdim); }

Tensor Pow(const Statement&, const Operands& o) {
  // libtorch gives some integer for negative exponents where Programs ask for an error.
  const bool integers = at::isIntegralType(o[1].scalar_type(), true);
  if (integers && at::any(at::lt(o[1], 0)).item<bool>()) {
    throw Refusal(ErrorKind::kDomain, "a negative exponent of an integer");
  }
  return at::pow(o[0], o[1]);
}

// dims=, or all.
Integers ReducedDims(const Statement& s, const Tensor& of) {
  Integers dims = Dims(s);
  if (s.Find(Key::kDims) != nullptr) return dims;
  for (int64_t i = 0; i < of.dim(); ++i) dims.push_back(i);
  return dims;
}

Tensor Sum(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr && !Keepdim(s)) return at::sum(o[0]);
  return at::sum(o[0], ReducedDims(s, o[0]), Keepdim(s));
}

Tensor Mean(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr && !Keepdim(s)) return at::mean(o[0]);
  return at::mean(o[0], ReducedDims(s, o[0]), Keepdim(s));
}

// libtorch reduces one dimension at a time here.
Tensor Prod(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr && !Keepdim(s)) return at::prod(o[0]);
  Integers dims = ReducedDims(s, o[0]);
  std::sort(dims.rbegin(), dims.rend());
  if (dims.empty()) return at::prod(o[0]);
  Tensor result = o[0];
  for (int64_t dim : dims) result = at::prod(result, dim, Keepdim(s));
  return result;
}

template <Tensor (*kFunction)(const Tensor&, at::IntArrayRef, bool)>
Tensor Reduced(const Statement& s, const Operands& o) {
  return kFunction(o[0], ReducedDims(s, o[0]), Keepdim(s));
}

int64_t Dim(const Statement& s) { return s.Get<int64_t>(Key::kDim); }

Tensor Max(const Statement& s, const Operands& o) {
  return std::get<0>(at::max(o[0], Dim(s), Keepdim(s)));
}
Tensor Min(const Statement& s, const Operands& o) {
  return std::get<0>(at::min(o[0], Dim(s), Keepdim(s)));
}
Tensor Argmax(const Statement& s, const Operands& o) {
  return std::get<1>(at::max(o[0].detach(), Dim(s), Keepdim(s)));
}
Tensor Argmin(const Statement& s, const Operands& o) {
  return std::get<1>(at::min(o[0].detach(), Dim(s), Keepdim(s)));
}

std::tuple<Tensor, Tensor> Sorted(const Statement& s, const Tensor& of) {
  return at::sort(of, /*stable=*/true, Dim(s), s.Get<bool>(Key::kDescending));
}

int64_t ReductionOf(const Statement& s) {
  const auto reduction = s.Get<std::string>(Key::kReduction);
  return reduction == "none"  ? at::Reduction::None
         : reduction == "sum" ? at::Reduction::Sum
                              : at::Reduction::Mean;
}

Tensor CrossEntropy(const Statement& s, const Operands& o) {
  // No class is to be ignored.
  const int64_t ignored = std::numeric_limits<int64_t>::min();
  return at::cross_entropy_loss(o[0], o[1], {}, ReductionOf(s), ignored);
}

Tensor Clamp(const Statement& s, const Operands& o) {
  Optional<at::Scalar> least, most;
  if (s.Find(Key::kMin) != nullptr) least = s.Get<double>(Key::kMin);
  if (s.Find(Key::kMax) != nullptr) most = s.Get<double>(Key::kMax);
  return at::clamp(o[0], least, most);
}

Tensor View(const Statement& s, const Operands& o) {
  if (!o[0].is_contiguous()) {
    throw Refusal(ErrorKind::kInvalidArgument, "view of a tensor that is not contiguous");
  }
  return o[0].view(s.Get<Integers>(Key::kShape));
}

Tensor Reshape(const Statement& s, const Operands& o) {
  const Integers shape = s.Get<Integers>(Key::kShape);
  if (o[0].is_contiguous()) return o[0].view(shape);
  return at::_unsafe_view(o[0].clone(at::MemoryFormat::Contiguous), shape);
}

Tensor Squeeze(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr) return at::squeeze(o[0]);
  Integers dims = Dims(s);
  if (dims.empty()) return at::alias(o[0]);
#if TORCH_VERSION_MAJOR >= 2
  return at::squeeze(o[0], dims);
#else
  std::sort(dims.rbegin(), dims.rend());
  Tensor result = o[0];
  for (int64_t dim : dims) result = at::squeeze(result, dim);
  return result;
#endif
}

Tensor Slice(const Statement& s, const Operands& o) {
  const int64_t dim = s.Get<int64_t>(Key::kDim);
  const int64_t stop = s.Get<int64_t>(Key::kStop, o[0].size(dim));
  return at::slice(o[0], dim, s.Get<int64_t>(Key::kStart), stop, s.Get<int64_t>(Key::kStep, 1));
}

int64_t Saturated(double x) {
  if (std::isnan(x)) return 0;
  if (x >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (x <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

Tensor Cast(const Statement& s, const Operands& o) {
  const auto type = TypeOf(std::get<DType>(*s.Find(Key::kTo)));
  if (type != at::kLong || !o[0].is_floating_point()) {
    return o[0].to(type, /*non_blocking=*/false, /*copy=*/true);
  }
  // What a float out of range becomes is the compiler's choice in libtorch.
  const Tensor from = o[0].detach().to(at::kDouble).contiguous();
  Tensor to = at::empty(from.sizes(), at::kLong);
  for (int64_t i = 0; i < from.numel(); ++i) {
    to.data_ptr<int64_t>()[i] = Saturated(from.data_ptr<double>()[i]);
  }
  return to;
}

// Those of one libtorch function each.
template <Tensor (*kFunction)(const Tensor&)>
Tensor Unary(const Statement&, const Operands& o) {
  return kFunction(o[0]);
}
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Tensor Binary(const Statement&, const Operands& o) {
  return kFunction(o[0], o[1]);
}
template <Tensor& (Tensor::*kMethod)() const>
Tensor InPlace(const Statement&, const Operands& o) {
  (o[0].*kMethod)();
  return Tensor();
}
template <Tensor& (Tensor::*kMethod)(const Tensor&) const>
Tensor InPlaceBinary(const Statement&, const Operands& o) {
  (o[0].*kMethod)(o[1]);
  return Tensor();
}

using Rows = std::map<Opcode, Function>;

Rows Elementwise() {
  return {
      {Opcode::kAdd, [](const Statement&, const Operands& o) { return at::add(o[0], o[1]); }},
      {Opcode::kSub, [](const Statement&, const Operands& o) { return at::sub(o[0], o[1]); }},
      {Opcode::kMul, Binary<at::mul>},
      {Opcode::kDiv, Binary<at::div>},
      {Opcode::kPow, Pow},
      {Opcode::kMaximum, Binary<at::maximum>},
      {Opcode::kMinimum, Binary<at::minimum>},
      {Opcode::kNeg, Unary<at::neg>},
      {Opcode::kExp, Unary<at::exp>},
      {Opcode::kLog, Unary<at::log>},
      {Opcode::kSqrt, Unary<at::sqrt>},
      {Opcode::kSin, Unary<at::sin>},
      {Opcode::kCos, Unary<at::cos>},
      {Opcode::kTanh, Unary<at::tanh>},
      {Opcode::kSigmoid, Unary<at::sigmoid>},
      {Opcode::kRelu, Unary<at::relu>},
      {Opcode::kAbs, Unary<at::abs>},
      {Opcode::kSgn, Unary<at::sgn>},
      {Opcode::kClamp, Clamp},
      {Opcode::kWhere,
       [](const Statement&, const Operands& o) { return at::where(o[0], o[1], o[2]); }},
  };
}

Rows ShapesAndCopies() {
  return {
      {Opcode::kSum, Sum},
      {Opcode::kMean, Mean},
      {Opcode::kProd, Prod},
      {Opcode::kAmax, Reduced<at::amax>},
      {Opcode::kAmin, Reduced<at::amin>},
      {Opcode::kLogsumexp, Reduced<at::logsumexp>},
      {Opcode::kMax, Max},
      {Opcode::kMin, Min},
      {Opcode::kArgmax, Argmax},
      {Opcode::kArgmin, Argmin},
      {Opcode::kMatmul, Binary<at::matmul>},
      {Opcode::kAddmm,
       [](const Statement&, const Operands& o) { return at::addmm(o[0], o[1], o[2]); }},
      {Opcode::kView, View},
      {Opcode::kReshape, Reshape},
      {Opcode::kTranspose,
       [](const Statement& s, const Operands& o) {
         return at::transpose(o[0], Dims(s).at(0), Dims(s).at(1));
       }},
      {Opcode::kPermute,
       [](const Statement& s, const Operands& o) { return at::permute(o[0], Dims(s)); }},
      {Opcode::kExpand,
       [](const Statement& s, const Operands& o) {
         return o[0].expand(s.Get<Integers>(Key::kShape));
       }},
      {Opcode::kSelect,
       [](const Statement& s, const Operands& o) {
         return at::select(o[0], s.Get<int64_t>(Key::kDim), s.Get<int64_t>(Key::kIndex));
       }},
      {Opcode::kSlice, Slice},
      {Opcode::kSqueeze, Squeeze},
      {Opcode::kUnsqueeze,
       [](const Statement& s, const Operands& o) {
         return at::unsqueeze(o[0], s.Get<int64_t>(Key::kDim));
       }},
      {Opcode::kClone, [](const Statement&,
                          const Operands& o) { return o[0].clone(at::MemoryFormat::Contiguous); }},
      {Opcode::kDetach, [](const Statement&, const Operands& o) { return o[0].detach(); }},
      {Opcode::kCast, Cast},
  };
}

Rows Rearranged() {
  return {
      {Opcode::kCat, [](const Statement& s, const Operands& o) { return at::cat(o, Dim(s)); }},
      {Opcode::kStack, [](const Statement& s, const Operands& o) { return at::stack(o, Dim(s)); }},
      {Opcode::kFlip,
       [](const Statement& s, const Operands& o) { return at::flip(o[0], Dims(s)); }},
      {Opcode::kIndexSelect,
       [](const Statement& s, const Operands& o) { return at::index_select(o[0], Dim(s), o[1]); }},
      {Opcode::kGather,
       [](const Statement& s, const Operands& o) { return at::gather(o[0], Dim(s), o[1]); }},
      {Opcode::kScatterAdd,
       [](const Statement& s, const Operands& o) {
         return at::scatter_add(o[0], Dim(s), o[1], o[2]);
       }},
      {Opcode::kSort,
       [](const Statement& s, const Operands& o) { return std::get<0>(Sorted(s, o[0])); }},
      {Opcode::kArgsort,
       [](const Statement& s, const Operands& o) { return std::get<1>(Sorted(s, o[0].detach())); }},
      {Opcode::kCumsum,
       [](const Statement& s, const Operands& o) { return at::cumsum(o[0], Dim(s)); }},
      {Opcode::kSoftmax,
       [](const Statement& s, const Operands& o) { return at::softmax(o[0], Dim(s)); }},
      {Opcode::kLogSoftmax,
       [](const Statement& s, const Operands& o) { return at::log_softmax(o[0], Dim(s)); }},
      {Opcode::kMseLoss,
       [](const Statement& s, const Operands& o) {
         return at::mse_loss(o[0], o[1], ReductionOf(s));
       }},
      {Opcode::kCrossEntropy, CrossEntropy},
  };
}

Rows Writes() {
  return {
      {Opcode::kAddInPlace,
       [](const Statement&, const Operands& o) {
         o[0].add_(o[1]);
         return Tensor();
       }},
      {Opcode::kSubInPlace,
       [](const Statement&, const Operands& o) {
         o[0].sub_(o[1]);
         return Tensor();
       }},
      {Opcode::kMulInPlace, InPlaceBinary<&Tensor::mul_>},
      {Opcode::kDivInPlace, InPlaceBinary<&Tensor::div_>},
      {Opcode::kNegInPlace, InPlace<&Tensor::neg_>},
      {Opcode::kExpInPlace, InPlace<&Tensor::exp_>},
      {Opcode::kSqrtInPlace, InPlace<&Tensor::sqrt_>},
      {Opcode::kSinInPlace, InPlace<&Tensor::sin_>},
      {Opcode::kCosInPlace, InPlace<&Tensor::cos_>},
      {Opcode::kTanhInPlace, InPlace<&Tensor::tanh_>},
      {Opcode::kSigmoidInPlace, InPlace<&Tensor::sigmoid_>},
      {Opcode::kReluInPlace, InPlace<&Tensor::relu_>},
      {Opcode::kAbsInPlace, InPlace<&Tensor::abs_>},
      {Opcode::kCopyInPlace,
       [](const Statement&, const Operands& o) {
         o[0].copy_(o[1]);
         return Tensor();
       }},
      {Opcode::kZeroInPlace, InPlace<&Tensor::zero_>},
  };
}

const Rows& Table() {
  static const Rows table = [] {
    Rows all = Elementwise();
    all.merge(ShapesAndCopies());
    all.merge(Rearranged());
    all.merge(Writes());
    return all;
  }();
  return table;
}

}  // namespace

Tensor Compute(const Statement& statement, const Operands& operands) {
  const auto it = Table().find(statement.op);
  if (it == Table().end()) throw Refusal(ErrorKind::kUnsupported, "a statement not in the table");
  return it->second(statement, operands);
}

const std::set<Opcode>& ComputedOps() {
  static const std::set<Opcode> ops = [] {
    std::set<Opcode> all;
    for (const auto& [op, function] : Table()) all.insert(op);
    return all;
  }();
  return ops;
}

std::set<Opcode> SingleNodeOps() {
  std::set<Opcode> ops = ComputedOps();
  // matmul folds and expands batches, reshape may copy first, prod (before 2.0 squeeze too) of
  // several dimensions is a chain, cross_entropy takes the logarithm of softmax first.
  for (Opcode op : {Opcode::kMatmul, Opcode::kReshape, Opcode::kProd, Opcode::kCrossEntropy}) {
    ops.erase(op);
  }
  if (TORCH_VERSION_MAJOR < 2) ops.erase(Opcode::kSqueeze);
  return ops;
}

at::ScalarType TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return at::kFloat;
    case DType::kF64:
      return at::kDouble;
    case DType::kI64:
      return at::kLong;
    case DType::kBool:
      return at::kBool;
  }
  return at::kDouble;
}

DType DTypeOf(at::ScalarType type) {
  if (type == at::kFloat) return DType::kF32;
  if (type == at::kLong) return DType::kI64;
  return type == at::kBool ? DType::kBool : DType::kF64;
}

}  // namespace twingrad::libtorch
