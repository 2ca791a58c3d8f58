// What each op computes of tensors of Elements: one function for each family of ops.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/ball/element.h"
#include "autograd/reference/ball/layout.h"

namespace twingrad::reference::ball {

// Halves of a last place by which the libraries' functions may err.
inline constexpr double kUnits = 8;

// The witness cannot judge what the Program does here.
struct NotApplicable {
  Refusal refusal;
};

// Elements in row-major order.
struct Tensor {
  DType type = DType::kF64;
  Shape shape;
  Refs elements;
};

// One statement and its operands, on the way to its result.
class Evaluation {
 public:
  // `op` is the statement's, or the one that it performs in place; `result` has the type and shape.
  Evaluation(Arithmetic& arithmetic, const program::Statement& statement, program::Opcode op,
             const std::vector<Tensor>& operands, Tensor result)
      : math_(arithmetic), statement_(statement), op_(op), in_(operands), out_(std::move(result)) {}

  Tensor Run();

  // What the rows of the table of ops name, a family of ops each.
  struct Row;
  void Elementwise();
  void Clamp();  // pieces.cc
  void Relu6();
  void Hardsigmoid();
  void Bent();
  void MaskedFill();
  void Reduce();  // along.cc
  void ReduceLanes();
  void Accumulate();
  void SortLanes();
  void TopLanes();
  void RunningExtremes();
  void SoftmaxLanes();
  void Copy();  // moving.cc
  void Join();
  void Flip();
  void Roll();
  void Triangle();
  void Pad();
  void Repeat();
  void PickLanes();
  void ScatterAdd();
  void Scatter();
  void ScatterView();
  // Where each element of in_[2] goes along dim=: a list of indices is one for all lanes.
  Tensor IndicesOfAdded() const;
  void Index();  // indexed.cc
  void IndexPut();
  void MaskedSelect();
  void ScatterReduce();
  void SparseCoo();
  void Coalesce();
  void SparseValues();
  void SparseIndices();
  void Products();  // products.cc
  void Outer();
  void Contract();  // contraction.cc
  void Loss();
  void Convolve();  // windows.cc
  void ConvolveTransposed();
  void Pool();
  void Upsample();  // upsampling.cc
  void Embed();
  void Dropout();  // networks.cc
  void Linear();
  void Attend();
  void Normalize();
  void OfSquares();  // matrices.cc

 private:
  Ref Within(Ref a, double low, double high);
  Ref Scaled(Ref a, bool above);
  // What the operands from `first` on take of the first one: its shape, and where each element is.
  struct NamedPlaces {
    Places shape;
    Places places;
  };
  NamedPlaces Named(size_t first) const;
  // Of the sparse one: for each of its indices, in_[1], the elements that it names of a tensor of
  // this shape.
  std::vector<Places> EntriesIn(const Shape& whole) const;
  Places CornersAt(size_t first, const Places& shape) const;
  Ref ReduceMet(const Refs& row);
  Tensor Taken(const Tensor& of, size_t dim, const std::vector<int64_t>& from, Ref filling);
  Ref Variance(const Refs& row);
  Ref Length(const Refs& row);
  Ref Deviation(const Refs& row);
  Ref SmoothDistance(Ref a, Ref b);
  Ref ReduceRow(const Refs& row);
  Tensor SummedAlone(size_t operand, const std::string& labels, const std::string& kept);
  std::vector<Places> WindowsIn(absl::Span<const int64_t> plane,
                                absl::Span<const int64_t> kernel) const;
  static std::vector<Places> PortionsIn(absl::Span<const int64_t> plane,
                                        absl::Span<const int64_t> counts);
  std::vector<std::vector<std::pair<int64_t, Ref>>> NeighboursAlong(int64_t size, int64_t count);
  Ref PoolRow(const Refs& row, const Places& places, int64_t entries);
  void NormalizeGroup(const std::vector<size_t>& places, const std::vector<size_t>& weights);
  Refs SoftmaxOf(const Refs& row);
  Ref LogSumExp(const Refs& row, bool rounded);
  // Puts what `of` makes of each row along dim=, of the row's length, in the row's place.
  void EachLane(absl::FunctionRef<Refs(const Refs&)> of);

  DType type() const { return in_[0].type; }
  int64_t Dim() const { return statement_.Get<int64_t>(program::Key::kDim); }
  Refs RowOf(const Tensor& tensor, const Lane& lane) const;
  std::vector<int64_t> Dims() const {
    return statement_.Get<std::vector<int64_t>>(program::Key::kDims);
  }
  void Put(Ref element) { out_.elements.push_back(element); }

  Arithmetic& math_;
  const program::Statement& statement_;
  const program::Opcode op_;
  const Row* row_ = nullptr;
  const std::vector<Tensor>& in_;
  Tensor out_;
};

}  // namespace twingrad::reference::ball
