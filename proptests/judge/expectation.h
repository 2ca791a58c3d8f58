// Expectation: the twin's predictions of one Program.
//
//   Expectation expected(program);
//   const TwinResult& prediction = expected.Of(observed);
//
// There is one, but for Programs whose thread sections release a graph that they share: which of
// the calls still find it depends on timing. Each set of calls that do not has a prediction of its
// own, made when a run first shows it. References stay valid. Used by one thread.

#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/dialect.h"
#include "autograd/reference/twin.h"

namespace twingrad::judge {

class Expectation {
 public:
  // The Program must outlive this.
  // With `any_order` ready nodes may run in any order, whatever their devices.
  explicit Expectation(const twingrad::program::Program& program, bool any_order = false);
  // `usual` was predicted by these rules.
  Expectation(const twingrad::program::Program& program, twingrad::reference::TwinResult usual,
              const twingrad::reference::DialectRules& rules, bool any_order);

  // Of a run in which no call finds its graph released by another section.
  const twingrad::reference::TwinResult& usual() const { return usual_; }
  // The same, of one that is no longer needed.
  twingrad::reference::TwinResult TakeUsual() && { return std::move(usual_); }
  // Of this run: that in which the same calls fail, if they may; else the usual one, which the run
  // then contradicts.
  const twingrad::reference::TwinResult& Of(const twingrad::program::Observation& observed);

 private:
  const twingrad::reference::TwinResult& WithFreed(const std::vector<int32_t>& freed);

  const twingrad::program::Program& program_;
  const twingrad::reference::DialectRules rules_;
  const bool any_order_;
  twingrad::reference::TwinResult usual_;
  std::map<std::vector<int32_t>, twingrad::reference::TwinResult> with_freed_;
};

// The statements that ended in an error, in order.
std::vector<int32_t> FailedIn(const twingrad::program::Observation& observed);

}  // namespace twingrad::judge
