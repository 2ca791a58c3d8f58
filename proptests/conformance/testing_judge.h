// For the tests of the judge: the twin's own prediction, changed, as what an engine showed.
//
//   Judge(Parsed("..."), Everything(), Grad(0, 7.0)).outcome

#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "autograd/base/error.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// Of an engine that claims everything.
inline protocol::Hello Everything() {
  using protocol::Fact;
  protocol::Hello hello;
  for (const auto& signature : twingrad::program::Signatures()) hello.ops.insert(signature.op);
  hello.single = hello.ops;
  hello.facts = {Fact::kGraph,    Fact::kOrder,        Fact::kNames,  Fact::kHooks,
                 Fact::kVersions, Fact::kRequiresGrad, Fact::kErrors, Fact::kAccessors};
  return hello;
}

// Changes of the twin's own prediction: an element of a value or its .grad, or its error.
inline auto Grad(size_t value, double becomes) {
  return [=](twingrad::program::Observation& o) {
    o.values[value].grad.bits[0] = std::bit_cast<uint64_t>(becomes);
  };
}
inline auto Data(size_t value, double becomes) {
  return [=](twingrad::program::Observation& o) {
    o.values[value].data.bits[0] = std::bit_cast<uint64_t>(becomes);
  };
}
inline auto Fails(twingrad::ErrorKind error, int statement, std::string message) {
  return [=](twingrad::program::Observation& o) { o.error = {error, statement, message}; };
}
inline void AsItIs(twingrad::program::Observation&) {}

// Judges the twin's own prediction after `change`.
template <typename Change>
ForeignVerdict Judge(const twingrad::program::Program& program, const protocol::Hello& hello,
                     const Change& change) {
  Expectation expected = Expect(program, hello);
  twingrad::program::Observation observed = expected.twin.observation;
  change(observed);
  return JudgeForeign(program, hello, expected, observed, nullptr);
}

// Of the square, on an engine that claims everything.
template <typename Change>
ForeignVerdict Judge(const Change& change) {
  return Judge(Square(), Everything(), change);
}

}  // namespace twingrad::conformance
