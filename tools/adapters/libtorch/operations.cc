#include "tools/adapters/libtorch/operations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include "tools/adapters/libtorch/failures.h"

namespace twingrad::adapters::libtorch {
namespace {

using at::Tensor;
using autograd::DType;
using autograd::program::ErrorClass;
using autograd::program::Key;
using autograd::program::Opcode;
using autograd::program::Statement;
using Operands = std::vector<Tensor>;
using Integers = std::vector<int64_t>;
using Function = Tensor (*)(const Statement&, const Operands&);

Integers Dims(const Statement& s) { return s.Get<Integers>(Key::kDims); }
bool Keepdim(const Statement& s) { return s.Get<bool>(Key::kKeepdim); }

Tensor Pow(const Statement&, const Operands& o) {
  // libtorch gives some integer for negative exponents where Programs ask for an error.
  if (at::isIntegralType(o[0].scalar_type(), true)) {
    throw Refusal(ErrorClass::kUnsupported, "pow of integers");
  }
  return at::pow(o[0], o[1]);
}

Tensor Sum(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr && !Keepdim(s)) return at::sum(o[0]);
  Integers dims = Dims(s);
  if (s.Find(Key::kDims) == nullptr) {
    for (int64_t i = 0; i < o[0].dim(); ++i) dims.push_back(i);
  }
  return at::sum(o[0], dims, Keepdim(s));
}

Tensor Mean(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr && !Keepdim(s)) return at::mean(o[0]);
  Integers dims = Dims(s);
  if (s.Find(Key::kDims) == nullptr) {
    for (int64_t i = 0; i < o[0].dim(); ++i) dims.push_back(i);
  }
  return at::mean(o[0], dims, Keepdim(s));
}

Tensor View(const Statement& s, const Operands& o) {
  if (!o[0].is_contiguous()) {
    throw Refusal(ErrorClass::kInvalidArgument, "view of a tensor that is not contiguous");
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
  std::sort(dims.rbegin(), dims.rend());
  Tensor result = o[0];
  for (int64_t dim : dims) result = at::squeeze(result, dim);
  return dims.empty() ? at::alias(o[0]) : result;
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
      {Opcode::kWhere,
       [](const Statement&, const Operands& o) { return at::where(o[0], o[1], o[2]); }},
  };
}

Rows ShapesAndCopies() {
  return {
      {Opcode::kSum, Sum},
      {Opcode::kMean, Mean},
      {Opcode::kMatmul, Binary<at::matmul>},
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
    all.merge(Writes());
    return all;
  }();
  return table;
}

}  // namespace

Tensor Compute(const Statement& statement, const Operands& operands) {
  const auto it = Table().find(statement.op);
  if (it == Table().end()) throw Refusal(ErrorClass::kUnsupported, "a statement not in the table");
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
  // matmul folds and expands batches, reshape may copy first, squeeze of several dimensions is a
  // chain.
  for (Opcode op : {Opcode::kMatmul, Opcode::kReshape, Opcode::kSqueeze}) ops.erase(op);
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

}  // namespace twingrad::adapters::libtorch
