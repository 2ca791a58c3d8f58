// Hello: what an adapter says of its engine in the handshake, and so what it can be judged by.
//
// One line of `key=value` tokens after `hello 1`; README.md is its reference. What an engine does
// not claim is neither sent to it nor compared. Plain values; pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "autograd/base/dtype.h"
#include "autograd/program/observation.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::protocol {

// The only version so far.
inline constexpr int kProtocolVersion = 1;

// Facts that replies show beside values and gradients.
enum class Fact : uint8_t {
  kGraph,         // graph: nodes, edges, dependency counts and needed flags before each call
  kOrder,         // order: which nodes ran, in order
  kNames,         // names: nodes are named after the statements that made them
  kHooks,         // hooks: the log of hooks
  kVersions,      // versions: of storages
  kRequiresGrad,  // requires_grad: of values
  kErrors,        // errors: the class of an error, not only its statement
  kAccessors,     // accessors: gradients are read in every way that the engine has
};
inline constexpr int kNumFacts = static_cast<int>(Fact::kAccessors) + 1;

struct Hello {
  std::string name;                         // of the engine: letters, digits, `_`, `-` and `.`
  std::string version;                      // the same
  std::string dialect = "pytorch";          // whose rules it follows: pytorch, pytorch1, twingrad
  int devices = 0;                          // accelerators that Programs may name
  bool sections = false;                    // runs thread sections
  std::set<twingrad::program::Opcode> ops;  // statements that it runs
  // Those of them that make exactly one node where they record, with an edge for each operand.
  std::set<twingrad::program::Opcode> single;
  std::set<twingrad::DType> dtypes;
  std::set<Fact> facts;
  // Classes of the errors that it has; none: all. Where the rules say another, nothing is judged.
  std::optional<std::set<twingrad::ErrorKind>> raises;

  bool Has(Fact fact) const { return facts.count(fact) != 0; }
  bool Has(twingrad::program::Opcode op) const { return ops.count(op) != 0; }
  bool Raises(twingrad::ErrorKind error) const { return !raises || raises->count(error) != 0; }
  bool operator==(const Hello&) const = default;
};

// The Program as an adapter gets it: without the expectations at its end, which are no business of
// an engine's, where `expect` is not claimed.
twingrad::program::Program ToSend(const Hello& hello, twingrad::program::Program program);

// What a Program holds that the hello does not claim: an op, an element type, a device or a thread
// section, in words; empty for nothing.
std::string NotClaimed(const Hello& hello, const twingrad::program::Program& program);

// The line without its newline.
std::string PrintHello(const Hello& hello);

// An error reads `[protocol] what is wrong; what is allowed; what to do`. Unknown keys are passed
// over, so that a later version can add some.
absl::StatusOr<Hello> ParseHello(std::string_view line);

}  // namespace twingrad::protocol
