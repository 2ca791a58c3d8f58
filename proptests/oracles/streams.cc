// Work on streams is in order.

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/program/stream_order.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

Verdict JudgeStreams(const Program& program, const Observation& observed) {
  constexpr std::string_view kOracle = "streams";
  if (observed.stream_reports.empty() || !program::StreamsFollowEachOther(program)) {
    return Agree(kOracle);
  }
  return Disagree(kOracle,
                  absl::StrCat("streams: memory of a device is accessed in no order\n  ",
                               observed.stream_reports.front(), "\n  the first of ",
                               observed.stream_reports.size(),
                               " such accesses; the Program's own statements are in order\n"),
                  {});
}

}  // namespace twingrad::oracles
