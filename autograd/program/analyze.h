// What can be known of a Program without running it: the type and device of each value, what may be
// undefined or must not be written, and whether the Program is well-formed at all.
//
// Analyzer takes one statement after another, so that a generator can ask before it goes on;
// Analyze does a whole Program. A few microseconds for a dozen statements. An Analyzer belongs to
// one thread.

#ifndef AUTOGRAD_PROGRAM_ANALYZE_H_
#define AUTOGRAD_PROGRAM_ANALYZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "autograd/program/program.h"

namespace autograd::program {

struct ValueInfo {
  TensorType type;  // never changes: in-place statements keep it
  DeviceIndex device = kCpu;
  int32_t statement = -1;  // that defines the value
  ValueId storage =
      kNoValue;  // the value that owns the storage: itself, unless made by a view or detach
  bool may_be_undefined = false;  // a gradient that need not exist, or defined in a try region
  bool read_only = false;  // a result of grad, or a view of one: in-place statements refuse it
};

struct Analysis {
  std::vector<ValueInfo> values;  // by ValueId
  int64_t total_elements = 0;     // see kMaxTotalElements
  // The outcome can depend on timing: a hook acts on a node unordered with its own, or threads call
  // at once.
  bool racy = false;
};

// The rules that a statement broke, and where.
struct Fault {
  enum class Place : uint8_t { kName, kResult, kOperand, kAttribute };
  Place place = Place::kName;
  int index = 0;         // of the result or operand
  Key key = Key::kType;  // of the attribute
  std::string text;      // what is wrong; what is allowed
};

class Analyzer {
 public:
  // Takes the next statement; false, and no change, when it breaks a rule: see fault(). Results
  // must be the next ids.
  bool Add(const Statement& statement);
  // Takes the end of the Program: no region may be open.
  bool Finish();

  const Fault& fault() const { return fault_; }
  const std::vector<ValueInfo>& values() const { return values_; }
  int num_statements() const { return num_statements_; }
  int open_regions() const { return static_cast<int>(regions_.size()); }
  int64_t total_elements() const { return total_elements_; }

 private:
  friend absl::StatusOr<Analysis> Analyze(const Program& program);

  enum class RegionKind : uint8_t { kPlain, kThread, kTry };
  struct Region {
    RegionKind kind;
    ValueId first_value;  // values from here on belong to the region
  };

  bool Fail(Fault::Place place, int index, std::string text);
  bool FailAttribute(Key key, std::string text);
  bool CheckForm(const Statement& statement);
  bool CheckAttributes(const Statement& statement);
  bool CheckOperands(const Statement& statement);
  bool CheckVisible(ValueId value, Fault::Place place, int index, Key key);
  bool CheckInPlace(const Statement& statement);
  bool CheckLeaf(const Statement& statement);
  bool CheckHook(const Statement& statement);
  bool CheckCall(const Statement& statement);
  bool CheckRegion(const Statement& statement);
  bool CheckStream(const Statement& statement);
  bool CheckExpect(const Statement& statement);
  bool CheckSpecial(const Statement& statement);
  bool InferResults(const Statement& statement);
  void Commit(const Statement& statement);
  bool InTry() const;

  std::vector<ValueInfo> values_;
  std::vector<ValueInfo> results_;  // of the statement at hand
  std::vector<Region> regions_;
  // While a run of adjacent thread sections lasts: where it began and where the present section
  // did; values in between belong to sections that run at the same time.
  ValueId hidden_begin_ = 0;
  ValueId hidden_end_ = 0;
  absl::flat_hash_set<std::string> handles_;
  absl::flat_hash_set<std::string> events_;
  std::vector<int32_t> calls_;  // statements that are calls
  int num_statements_ = 0;
  int64_t total_elements_ = 0;
  int64_t work_ = 0;  // elements that the statement at hand adds
  Fault fault_;
};

// Rules checked: forms (counts, attributes), names, limits, visibility, types, regions; then
// `racy`. Error as Parse's, with the place in the canonical text.
absl::StatusOr<Analysis> Analyze(const Program& program);

// The 1-based column at which the token that `fault` blames begins in the statement's text.
int ColumnOf(const Fault& fault, std::string_view line);

}  // namespace autograd::program

#endif  // AUTOGRAD_PROGRAM_ANALYZE_H_
