// Static analysis of a Program: the type and device of each value, which values may be undefined,
// and whether the Program is well-formed.
//
// Analyzer takes one statement at a time, so that a generator can query it in between; Analyze
// takes a whole Program, in a few microseconds for a dozen statements. An Analyzer belongs to one
// thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/program/fault.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::program {

// What is known of a sparse value (sparse.h) beyond its type.
struct SparseInfo {
  TensorType indices;
  bool is_coalesced = false;
};

struct ValueInfo {
  TensorType type;  // never changes: in-place statements keep it
  DeviceIndex device = kCpu;
  int32_t statement = -1;      // that defines the value
  ValueId storage = kNoValue;  // the value that owns the storage: itself, unless by view or detach
  bool may_be_undefined = false;  // a gradient that may be absent, or defined in a try region
  bool is_leaf = false;           // a leaf with grad=1
  std::optional<SparseInfo> sparse;
};

struct Analysis {
  std::vector<ValueInfo> values;  // by ValueId
  int64_t total_elements = 0;     // as kMaxTotalElements counts them
  // The outcome can depend on timing: see racy.h.
  bool racy = false;
};

class Analyzer {
 public:
  // Adds the next statement, whose results must be the next ids. Returns false and changes nothing
  // if it breaks a rule: see fault().
  bool Add(const Statement& statement);
  // Ends the Program; no region may be open.
  bool Finish();

  const Fault& fault() const { return fault_; }
  const std::vector<ValueInfo>& values() const { return values_; }
  std::vector<ValueInfo> TakeValues() { return std::move(values_); }
  int num_statements() const { return num_statements_; }
  int open_regions() const { return static_cast<int>(regions_.size()); }
  int64_t total_elements() const { return total_elements_; }
  // Whether a hook or thread section occurred; without one, nothing is racy.
  bool may_be_racy() const { return may_be_racy_; }

 private:
  struct Region {
    RegionKind kind;
    ValueId first_value;  // the region's values are those from here on
  };

  // analyze.cc: the form that the signature asks for, and the values named.
  bool CheckCounts(const Statement& statement, const Signature& signature);
  bool CheckAttributes(const Statement& statement, const Signature& signature);
  bool CheckArgument(const AttributeSpec& spec, const AttributeValue& value);
  bool CheckName(const std::string& name, Key key);
  bool CheckValues(const std::vector<ValueId>& values, Key key);
  bool CheckVisible(ValueId value, Fault::Place place, int index, Key key);
  // Whether operands are sparse where they must be, and nowhere else.
  bool CheckSparse(const Statement& statement, const Signature& signature);
  bool CheckComputed(const Statement& statement, const Signature& signature);
  bool CheckWritten(ValueId value);
  // Whether a thread section is open that the value is not defined in.
  bool IsOutside(ValueId value) const;
  bool IsInSection() const;
  bool Check(const Statement& statement, const Signature& signature);
  // Adds up the elements of the results, which are the values from `first` on, and the work beyond
  // them.
  bool Charge(size_t first);
  void Commit(const Statement& statement, Category category);

  // check_statement.cc: statements that are not computed from operands' types alone.
  bool CheckSpecial(const Statement& statement, const Signature& signature);
  bool CheckLeaf(const Statement& statement);
  bool CheckElements(const Bits& bits, DType dtype, Key key);
  // Whether data= has an element for each of a value of this type.
  bool CheckCount(const Bits& data, const TensorType& type, std::string_view allowed);
  bool CheckHandle(const std::string& handle, Key key);
  bool CheckHook(const Statement& statement);
  bool CheckAction(const Statement& statement);
  bool CheckTarget(const Statement& statement, const std::string& action);
  bool CheckGradient(const Statement& statement);
  bool CheckCall(const Statement& statement);
  bool CheckCustom(const Statement& statement);
  bool CheckCustomInPlace(const Statement& statement);
  bool CheckNonDifferentiable(const Statement& statement);
  bool CheckBegin(const Statement& statement);
  bool CheckEnd();
  bool CheckStream(const Statement& statement);
  bool CheckExpect(const Statement& statement);
  bool CheckExpectedData(const Statement& statement);
  ValueInfo& AddResult(const TensorType& type, DeviceIndex device);

  std::vector<ValueInfo> values_;  // those of the statement at hand among them
  std::vector<Region> regions_;
  // Adjacent thread sections run concurrently: within one of them, the values of the others are
  // hidden.
  ValueId hidden_begin_ = 0;
  ValueId hidden_end_ = 0;
  ValueId sections_begin_ = 0;
  // The same of handles, by the statements that define them.
  int32_t hidden_statements_begin_ = 0;
  int32_t hidden_statements_end_ = 0;
  int32_t sections_begin_statement_ = 0;
  bool after_section_ = false;  // the latest statement ended a thread section
  absl::flat_hash_map<std::string, int32_t> handles_;  // to the statements that define them
  absl::flat_hash_set<std::string> events_;
  absl::flat_hash_set<std::string> section_events_;  // of the thread section that is open
  std::vector<int32_t> calls_;                       // statements that are calls
  int num_statements_ = 0;
  int64_t looks_ = 0;  // as kMaxLooks counts them
  int64_t total_elements_ = 0;
  bool may_be_racy_ = false;
  int64_t work_ = 0;  // of the statement at hand
  Fault fault_;
};

// Checks form, names, limits, visibility, types and regions, then determines whether the Program is
// racy. Errors have the form of Parse's, with the position in the canonical text.
absl::StatusOr<Analysis> Analyze(const Program& program);

// Whether the Program is well-formed: Analyze without the analysis.
absl::Status Validate(const Program& program);

// Whether `name` can name a value or a handle: 1 to 64 of A-Z a-z 0-9 _ and `.`, other than `_`.
bool IsName(std::string_view name);

// How many devices the Program names, by the highest index; 0 where all is on the CPU.
int DevicesOf(const Program& program);

// The device of each value, as Analyze has it, of a valid Program; costs less than all of that.
std::vector<DeviceIndex> DevicesOfValues(const Program& program);

}  // namespace twingrad::program
