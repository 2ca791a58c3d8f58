// Statistics of judged Programs: what the summary of a run prints.
//
// Plain counters, which add up over processes. Not thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "autograd/program/opcode.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/dual_reasons.h"
#include "autograd/reference/twin.h"
#include "proptests/judge/classes.h"
#include "proptests/judge/kinds.h"
#include "proptests/judge/traits.h"
#include "proptests/oracles/oracles.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::judge {

// Why the twin says nothing of an element of a gradient.
inline constexpr std::array<std::string_view, 3> kOpenReasons = {
    "rest on NaN or an infinity", "lie where rounding or no rule decides",
    "have a bound as wide as they are"};
inline constexpr size_t kNumOpenReasons = kOpenReasons.size();

struct Statistics {
  uint64_t programs = 0;
  uint64_t statements = 0;
  uint64_t runs = 0;            // runs of an engine
  uint64_t nodes_executed = 0;  // over all of these
  uint64_t findings = 0;
  uint64_t skipped = 0;  // programs that the twin could not judge

  oracles::Compared compared;  // summed over all Verdicts

  // By witness, in programs.
  uint64_t twin_judged = 0;
  uint64_t dual_first = 0;        // judged by the dual numbers to first order at least (README)
  uint64_t dual_second = 0;       // ... to second order
  uint64_t dual_values_only = 0;  // ... of which no gradient was asked for
  uint64_t dual_kinks = 0;        // a kink was met, where derivatives are this repository's choice
  // ... and why the others were not judged (dual_reasons.h).
  std::array<uint64_t, reference::kNumDualReasons> dual_refused = {};
  std::array<uint64_t, 2> dual_asked = {};  // elements of gradients, of first order and of second
  std::array<uint64_t, 2> dual_judged = {};
  uint64_t ball_asked = 0;  // those of the ball witness's sample
  // ... of which it judged the first number; the others by the reason why not.
  std::array<uint64_t, reference::ball::kNumRefusals> ball_refusals = {};
  uint64_t errors_judged = 0;
  uint64_t unordered = 0;         // programs whose streams do not follow each other
  uint64_t racing = 0;            // ... in which a statement races for certain
  uint64_t linearity_judged = 0;  // by all laws of linearity, with runs of their own

  std::array<uint64_t, kNumTraits> traits = {};                       // in programs
  std::array<uint64_t, twingrad::program::kNumOpcodes> opcodes = {};  // in statements
  // By class (classes.h), in statements of Programs that the twin judged.
  std::array<uint64_t, kNumOpClasses> classes = {};
  // By kind (kinds.h), in programs that hold it: all, and those that were skipped.
  std::array<uint64_t, kNumKinds> kinds = {};
  std::array<uint64_t, kNumKinds> kinds_skipped = {};

  // Elements of gradients (.grad and results of grad), and those of them of which the twin says
  // nothing, by the reason.
  uint64_t gradient_elements = 0;
  std::array<uint64_t, kNumOpenReasons> open = {};
  // By kind, of the Programs that hold it: all elements, and the open ones.
  std::array<uint64_t, kNumKinds> kinds_elements = {};
  std::array<uint64_t, kNumKinds> kinds_open = {};

  // A Program by what it holds; what became of it is counted by its judge.
  void AddProgram(const twingrad::program::Program& program);
  // What the dual numbers judged of it, or why they did not.
  void AddDual(const reference::DualResult& dual, const oracles::GradientCount& count);
  // What its statements are like, by the values that the twin has at the end.
  void AddClasses(const twingrad::program::Program& program, const reference::TwinResult& twin);
  // Which elements of its gradients the twin leaves open.
  void AddOpen(const twingrad::program::Program& program, const reference::TwinResult& twin);
  // ... that the twin could not judge.
  void AddSkipped(const twingrad::program::Program& program);
};

}  // namespace twingrad::judge
