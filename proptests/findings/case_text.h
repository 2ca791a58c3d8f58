// A case: a Program, followed by comments that say how to run it. Most are of `explore`; of `check`
// the seed alone has a meaning, on which it hangs which laws are judged.
//
//   twingrad 1
//   ...
//   # seed 8431                  the seed of the schedules to try
//   # on one thread              or: make only the single-threaded run that precedes them
//   # twingrad-schedule 1        or: the one schedule to run it under, each line as a comment
//   # ...
//
// So a case is still a Program, which every other verb can read, and one text holds a whole
// failure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twingrad::findings {

struct Case {
  std::string program;
  std::optional<uint64_t> seed;
  bool shrink = false;   // still as it was found: minimize it
  std::string schedule;  // as in proptests/interleave/checker/schedule_file.h; empty: none
  bool single = false;   // run on one thread only, without a schedule

  friend bool operator==(const Case&, const Case&) = default;
};

// A text without such comments is a case with a Program and nothing else.
Case SplitCase(std::string_view text);
std::string JoinCase(const Case& parts);

}  // namespace twingrad::findings
