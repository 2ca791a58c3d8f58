// Inference: the type of one statement's result, from the types of its operands. The inside of
// result_type.h, for no other file.
//
// Each member for a kind of statement sets the result's type and returns true, or blames what does
// not fit. Element types of operands have been checked before.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/fault.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"

namespace twingrad::program {

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

  bool Run();

 private:
  // result_type.cc: element types, broadcasting, products and losses.
  bool CheckDTypes();
  bool Dispatch();
  bool Elementwise();
  bool CheckClamp();
  bool InPlace();
  bool Matmul();
  bool Addmm();
  bool Loss();
  bool CrossEntropy(Shape* each);

  // result_type_view.cc: views.
  bool View();
  bool Reshaped();
  bool Permuted();
  bool Selected();
  bool Sliced();
  bool Squeezed();
  bool Unsqueezed();

  // result_type_along.cc: what names the dimensions to work along.
  bool Reduction();
  bool Extreme();
  bool Rearranged();
  bool Join();
  bool CheckFlip();
  bool Picked();
  bool Scan();

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
