// A case of `explore`: a Program and, below it as comments, how it is to be run.
//
//   twingrad 1
//   ...
//   # seed 8431                  of the schedules that are to be tried
//   # on one thread              or that only the run before them, on one thread, is to be made
//   # twingrad-schedule 1        or the one schedule to run it under, a comment a line
//   # ...
//
// So a case is still a Program, which every other verb reads, and one text is all of a failure.

#ifndef PROPTESTS_FINDINGS_CASE_TEXT_H_
#define PROPTESTS_FINDINGS_CASE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twingrad::findings {

struct Case {
  std::string program;
  std::optional<uint64_t> seed;
  bool shrink = false;   // as it was found: to be made small
  std::string schedule;  // as in proptests/interleave/checker/schedule_file.h; empty: none
  bool single = false;   // on one thread alone, with no schedule

  friend bool operator==(const Case&, const Case&) = default;
};

// A text without such comments is a case of a Program alone.
Case SplitCase(std::string_view text);
std::string JoinCase(const Case& parts);

}  // namespace twingrad::findings

#endif  // PROPTESTS_FINDINGS_CASE_TEXT_H_
