// What a run has found: findings of its own folder each, failures of the same kind once.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proptests/findings/finding.h"
#include "proptests/workers/prober.h"

namespace twingrad::oracle {

class Found {
 public:
  // `out` is the folder that the findings' folders are made in.
  explicit Found(std::string out) : out_(std::move(out)) {}

  // Writes the folder of a finding unless one of the same kind has been written. Returns lines for
  // standard error: what could not be written or drawn.
  std::string Add(findings::Finding finding, workers::Prober& prober);

  uint64_t size() const { return written_.size(); }
  const std::string& out() const { return out_; }

  // The last paragraphs of the summary. `failed` Programs failed, `minimized` of them were
  // minimized; `diverged`: a recorded schedule did not fit.
  void Print(uint64_t failed, uint64_t minimized, bool diverged) const;
  // A line of JSON for each.
  std::string Report() const;

 private:
  struct Written {
    findings::Finding finding;
    std::string folder;  // empty: it could not be written
    uint64_t more = 0;   // further failures with the same key
  };

  std::string out_;
  std::vector<Written> written_;
  std::map<std::string, size_t> by_key_;
};

}  // namespace twingrad::oracle
