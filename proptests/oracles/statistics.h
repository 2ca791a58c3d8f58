// Statistics of judged Programs: what the summary of a run prints.
//
// Plain counters, mergeable over processes; ToText and FromText carry them between a worker and its
// parent as one line. No thread-safety of their own.

#ifndef PROPTESTS_ORACLES_STATISTICS_H_
#define PROPTESTS_ORACLES_STATISTICS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "autograd/program/opcode.h"

namespace twingrad::oracles {

// Things a Program can hold that are worth counting; FeatureName gives the printed word.
enum class Feature : uint8_t {
  kView,
  kInPlace,
  kHook,
  kRetainGrad,
  kNoGrad,
  kDetach,
  kSeveralDevices,
  kSeveralCalls,
  kSeveralRoots,
  kInputs,  // a call with inputs=
  kSeeds,   // a call with an explicit seed
  kRetainGraph,
  kCreateGraph,
  kGradOfGrad,     // a call after one with create_graph
  kUnusedAllowed,  // allow_unused or materialize
  kEmptyTensor,    // a leaf with a dimension of size 0
  kScalarLeaf,     // a leaf without dimensions
  kF32,
  kInteger,  // an i64 or bool leaf
  kError,    // the run ended in an error
  kThreads,  // a section run by several threads
};
inline constexpr int kNumFeatures = static_cast<int>(Feature::kThreads) + 1;
std::string_view FeatureName(Feature feature);

struct Statistics {
  uint64_t programs = 0;
  uint64_t statements = 0;
  uint64_t runs = 0;            // runs of an engine
  uint64_t nodes_executed = 0;  // over all of these
  uint64_t findings = 0;
  uint64_t skipped = 0;  // programs that the twin could not judge

  // Comparisons with the twin. Gradients: of .grad and of grad() results, by tensor.
  uint64_t values = 0;
  uint64_t gradients = 0;
  uint64_t gradients_exact = 0;         // proved exact: same bits demanded
  uint64_t gradients_bounded = 0;       // within a computed error bound
  uint64_t gradients_not_compared = 0;  // the bound was too wide to mean anything
  uint64_t counts_predicted = 0;  // nodes whose count the twin predicted from the Program alone
  uint64_t counts_recounted = 0;  // nodes whose count was recounted from the recorded graph

  // By witness, in programs.
  uint64_t twin_judged = 0;
  uint64_t dual_first = 0;   // judged by the dual numbers to first order at least
  uint64_t dual_second = 0;  // ... to second order
  uint64_t dual_kinks = 0;   // a kink was touched: only the twin judged the gradients there
  uint64_t errors_judged = 0;

  std::array<uint64_t, kNumFeatures> features = {};                   // in programs
  std::array<uint64_t, twingrad::program::kNumOpcodes> opcodes = {};  // in statements

  void Merge(const Statistics& other);
  std::string ToText() const;
  static std::optional<Statistics> FromText(std::string_view text);
};

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_STATISTICS_H_
