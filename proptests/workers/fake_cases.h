// Cases with planted faults, for tests of the processes around them.
//
// A case is lines of words: `value N`, and the faults `wrong`, `crash`, `hang`, `memory`, `throw`,
// `exit` and `flaky` (wrong unless it is among the first three of its process), which do what they
// say when judged. The features name the faults that every sixteenth generated case holds; the ops
// set it up: `batches` judges cases in batches, `slow` takes 5 ms a case, `cannot_start` and
// `die_starting` fail to start, `few_starts` does so after 40 starts, which a file in
// BUILD_WORKING_DIRECTORY counts. A judge keeps the case that it is at in its scratch memory.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "proptests/workers/case.h"
#include "proptests/workers/files.h"
#include "proptests/workers/plant.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::workers {

class FakeCases : public CaseSource, public CaseJudge, public CaseBatch, public CaseDrawer {
 public:
  absl::Status Configure(std::vector<std::string> features, std::vector<std::string> ops);
  // Cases with a line `value N` show this defect; `draw` says which N.
  void Plant(Defect defect, uint64_t draw);
  absl::Status Start();

  void Make(uint64_t seed) override;
  std::string Text() const override;
  absl::Status Load(std::string_view text, std::string_view origin) override;
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;

  CaseResult Judge() override;
  CaseBatch* batch() override;
  // Step 0 makes a case, step 1 looks at its lines but for the last, step 2 at that.
  size_t places() const override { return places_.size(); }
  int steps() const override { return 3; }
  void Take(int step, size_t place, uint64_t seed) override;
  CaseResult Finish(size_t place) override;
  absl::Span<const uint64_t> counters() const override { return counters_; }
  // How many lines the cases had, each number once.
  std::vector<std::string> TakeNotes() override;
  void KeepScratchIn(absl::Span<std::byte> scratch) override { scratch_ = scratch; }
  std::string Describe() override { return R"({"name": "fake"})"; }

  std::string Draw(absl::Span<const int> marked, bool run_engine) override;

  size_t num_lines() const { return lines_.size(); }
  // What the scratch memory of a dead worker says: the line that it was at.
  static void ReadScratch(absl::Span<const std::byte> scratch, CaseResult* result);

 private:
  struct Place {
    std::vector<std::string> lines;
    CaseResult result;
  };
  std::vector<std::string> LinesOf(uint64_t seed) const;
  // Does what the lines from `begin` to `end` say.
  void Look(const std::vector<std::string>& lines, size_t begin, size_t end, CaseResult* result);
  void Count(const std::vector<std::string>& lines);

  std::vector<std::string> features_;
  std::vector<std::string> ops_;
  std::vector<std::string> lines_;
  std::array<Place, 10> places_;
  std::array<uint64_t, 2> counters_ = {};  // cases, lines
  std::set<std::string> notes_;            // not told yet
  std::set<std::string> told_;
  absl::Span<std::byte> scratch_;
  bool stained_ = false;
  Defect planted_ = Defect::kNone;
  uint64_t draw_ = 0;
};

// The command of a worker that judges such cases, in this folder.
WorkerCommand FakeWorker(const TemporaryFolder& folder);

}  // namespace twingrad::workers
