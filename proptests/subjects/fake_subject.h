// A Subject with planted faults, for tests of the processes around it.
//
// Its Programs are lines of words: `value N`, and the faults `wrong`, `crash`, `hang`, `memory`,
// `throw`, `exit` and `flaky` (wrong unless it is among the first three of its process), which do
// what they say when judged. The features name the faults that every sixteenth generated Program
// holds; the ops set it up: `slow` takes 5 ms a Program, `cannot_start` and `die_starting` fail to
// start, `few_starts` does so after 40 starts, which a file in BUILD_WORKING_DIRECTORY counts.

#ifndef PROPTESTS_SUBJECTS_FAKE_SUBJECT_H_
#define PROPTESTS_SUBJECTS_FAKE_SUBJECT_H_

#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "proptests/subjects/subject.h"

namespace twingrad::oracle {

class FakeSubject : public Subject {
 public:
  absl::Status Configure(const ProgramOptions& options) override;
  absl::Status Start() override;
  std::string Generate(uint64_t seed) override;
  absl::Status Load(std::string_view text, std::string_view origin) override;
  Verdict Judge() override;
  absl::Span<const uint64_t> counters() const override { return counters_; }
  std::string Run() override;
  std::string Draw(absl::Span<const int> marked, bool run_engine) override;
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;
  // How many lines the Programs had, each number once.
  std::vector<std::string> TakeNotes() override;
  std::string Summarise(absl::Span<const uint64_t> counters) const override;

 private:
  ProgramOptions options_;
  std::vector<std::string> lines_;
  std::array<uint64_t, 2> counters_ = {};  // programs, lines
  std::set<std::string> told_;             // notes
};

}  // namespace twingrad::oracle

#endif  // PROPTESTS_SUBJECTS_FAKE_SUBJECT_H_
