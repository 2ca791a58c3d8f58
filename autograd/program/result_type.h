// Types of results from types of operands: broadcasting, reductions, matrix products, views, casts.
//
// This is the static half of shapes; whether a view shares storage or needs a copy is known only at
// run time. Pure functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/fault.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"

namespace twingrad::program {

// Computes the shape to which two shapes broadcast; false if they do not.
bool Broadcast(absl::Span<const int64_t> a, absl::Span<const int64_t> b, Shape* result);

// Whether `from` broadcasts to exactly `to`.
bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

// Whether rank, sizes and elements are within the limits; else `why` says what is allowed.
bool WithinLimits(absl::Span<const int64_t> shape, std::string* why);

// The type of the result (of several the first) of an elementwise statement, reduction, product,
// copy, view, scan, loss or in-place statement (for which it is operand 0's), from the types of its
// operands. `work` becomes what the statement adds to the Program's total beyond its result. Keeps
// references to all of them.
class Inference {
 public:
  Inference(const Statement& statement, absl::Span<const TensorType* const> operands,
            TensorType* result, int64_t* work, Fault* fault)
      : statement_(statement),
        signature_(SignatureOf(statement.op)),
        operands_(operands),
        result_(*result),
        work_(*work),
        fault_(*fault) {}

  // Sets the result's type; false, with the fault, if the operands do not fit.
  bool Run();

 private:
  // Each sets the shape of the result of a kind of statement, or blames what does not fit.
  // result_type.cc: element types, broadcasting, products and losses.
  bool CheckDTypes();
  bool Dispatch();
  bool Elementwise();
  bool CheckClamp();
  bool CheckFactor();
  bool CheckShare();
  bool InPlace();
  bool Matmul();
  bool AddedProduct();
  bool FactorsOf(Shape* product, int64_t* inner);
  bool ProductOfRank(size_t rank);
  bool Linear();
  bool Attention();
  bool Loss();
  bool LossByClasses(Shape* each);

  // result_type_view.cc: views.
  bool View();
  bool Reshaped();
  bool Permuted();
  bool Selected();
  bool Sliced();
  bool Squeezed();
  bool Unsqueezed();
  bool Diagonal();
  bool Unfolded();
  bool Parted();
  bool Strided();
  bool ViewScattered();
  bool CheckApart(const Shape& part);

  // result_type_window.cc: convolutions, pools and upsampling.
  bool Pooled();
  bool Convolved();
  bool Transposed();
  bool Replaned();
  bool CheckPlane(size_t* dims);
  bool TakeSteps(Key key, int64_t least, const std::vector<int64_t>& otherwise,
                 std::vector<int64_t>* steps);
  bool Windowed(const std::vector<int64_t>& kernel, const std::vector<int64_t>& stride);
  bool CheckSizes(size_t operand, size_t first);

  // result_type_along.cc: what names the dimensions to work along.
  bool Reduction();
  bool Extreme();
  bool Rearranged();
  bool Join();
  bool CheckFlip();
  bool CheckMatrices();
  bool Padded();
  bool CheckExtended(const std::vector<int64_t>& pads);
  bool CheckPadding();
  bool Repeated();
  bool Picked();
  bool Embedded();
  bool Greatest();
  bool Scan();

  // result_type_index.cc: indices in several dimensions, and masks.
  bool CheckIndex(size_t operand);
  bool Indexed();
  bool IndexPut();
  bool PickedBy(size_t first, Shape* picked);
  bool CheckMaskCount(int64_t most);
  bool MaskedSelect();
  bool MadeSparse();
  bool OfSparse();

  // result_type_square.cc: inverses and the like.
  bool OfSquares();

  // result_type_einsum.cc: einsum.
  bool Contracted();

  // result_type_norm.cc: norms.
  bool Norm();
  bool Channels(Shape* of_weights);

  // dims=, each within the rank and named once.
  bool TakeDims(std::vector<int64_t>* dims);
  // dim= of the first operand, or of a new dimension before or after those that it has.
  bool TakeDim(size_t* dim, bool is_new = false);
  bool CheckResult();

  const Shape& shape(size_t operand = 0) const { return operands_[operand]->shape; }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  Opcode op() const { return statement_.op; }

  const Statement& statement_;
  const Signature& signature_;
  const absl::Span<const TensorType* const> operands_;
  TensorType& result_;
  int64_t& work_;
  Fault& fault_;
};

}  // namespace twingrad::program
