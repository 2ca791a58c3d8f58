// Shares: how often each kind (kinds.h) stands in Programs, and how often the twin cannot judge
// those in which it does, by the reasons that it gives.
//
//   Shares shares;
//   for (...) shares.Count(program, reference::RunTwin(program).skipped);
//   shares.OfPrograms(kind);  // 0.021: in 2.1 % of Programs
//   std::cout << shares.ReasonsText(kind);
//
// For tests of generators and twin; the summary of a run prints such shares from its counters
// (statistics.h). Not thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "autograd/program/program.h"
#include "proptests/judge/kinds.h"

namespace twingrad::judge {

class Shares {
 public:
  // `skipped`: why the twin cannot judge the Program.
  void Count(const program::Program& program, const std::optional<std::string>& skipped);

  // Of all Programs, those in which the kind stands.
  double OfPrograms(int kind) const;
  // Of these, or of all Programs, those that were skipped.
  double SkippedOf(int kind) const;
  double Skipped() const;
  // A line for each reason, most frequent first.
  std::string ReasonsText(int kind) const;
  std::string ReasonsText() const;

 private:
  using Reasons = std::map<std::string, uint64_t>;
  struct Tally {
    uint64_t programs = 0;
    uint64_t skipped = 0;
    Reasons reasons;

    void Count(const std::optional<std::string>& skipped);
    double Share() const;
    std::string Text() const;
  };

  Tally all_;
  std::array<Tally, kNumKinds> of_kind_;
};

}  // namespace twingrad::judge
