// Builds Programs statement by statement and knows the static type of each value; for generators
// and tests.
//
//   ProgramBuilder b;
//   ValueId x = b.Leaf({DType::kF64, {2}}, FloatBits({1, 2}), /*grad=*/true);
//   ValueId s = b.Op(Opcode::kSum, {b.Op(Opcode::kMul, {x, x})});
//   b.Add(Opcode::kBackward, {s});
//   absl::StatusOr<Program> program = b.Build();  // and b is empty again
//
// A statement that breaks a rule is not added: Op returns kNoValue, Add returns false, and status()
// keeps the first reason. So a generator may try a statement and continue if it is refused. Belongs
// to one thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "autograd/program/analyze.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Elements from numbers; a NaN gets its canonical pattern. For shorter floats the numbers must be
// some of theirs.
Bits FloatBits(absl::Span<const double> elements);
Bits IntBits(absl::Span<const int64_t> elements);

class ProgramBuilder {
 public:
  using Attributes = std::vector<Attribute>;

  // A leaf with these elements (zeros if there are none).
  ValueId Leaf(const TensorType& type, Bits data, bool grad = false, DeviceIndex device = kCpu);
  ValueId SeededLeaf(const TensorType& type, int64_t seed, bool grad = false,
                     DeviceIndex device = kCpu);

  // A statement with one result.
  ValueId Op(Opcode op, absl::Span<const ValueId> operands, Attributes attributes = {});

  // A statement without a result.
  bool Add(Opcode op, absl::Span<const ValueId> operands, Attributes attributes = {});

  // A statement with `count` results (grad, custom); their ids, or nothing when refused.
  std::vector<ValueId> Results(int count, Opcode op, absl::Span<const ValueId> operands,
                               Attributes attributes = {});

  // unbind, split or chunk (parts.h), with as many results as there are parts.
  std::vector<ValueId> Parts(Opcode op, ValueId x, Attributes attributes);

  // Adds any statement: its results get the next ids, its attributes are put into canonical order,
  // and defaults are dropped.
  bool AddStatement(Statement statement);

  // Gives the value a name other than v<id>. Returns false and changes nothing if the name is
  // malformed, taken, or v followed by a number.
  bool Rename(ValueId value, std::string_view name);

  const ValueInfo& Info(ValueId value) const { return analyzer_.values()[value]; }
  const TensorType& TypeOf(ValueId value) const { return Info(value).type; }
  int num_values() const { return static_cast<int>(analyzer_.values().size()); }
  int num_statements() const { return analyzer_.num_statements(); }
  int open_regions() const { return analyzer_.open_regions(); }
  int64_t total_elements() const { return analyzer_.total_elements(); }
  const Statement& statement(int index) const { return program_.statements[index]; }

  // The first refusal, as `[program] what is wrong; what is allowed`; ok when there was none.
  const absl::Status& status() const { return status_; }
  // The latest refusal.
  const Fault& last_fault() const { return analyzer_.fault(); }

  // The Program so far, with all open regions ended; ignores refusals.
  Program Take();
  // The same, or the first refusal as an error.
  absl::StatusOr<Program> Build();

 private:
  // Puts a statement last, with `count` results to come; CheckLast says whether it stays.
  void Append(size_t count, Opcode op, absl::Span<const ValueId> operands, Attributes attributes);
  bool CheckLast();

  Program program_;
  Analyzer analyzer_;
  absl::Status status_;
};

// Puts the attributes into the order of the signature and drops those that hold their default.
void Canonicalize(Statement& statement);

}  // namespace twingrad::program
