// The statistics of judged Programs as the lines of a summary.

#ifndef TOOLS_ORACLE_SUMMARY_H_
#define TOOLS_ORACLE_SUMMARY_H_

#include <string>

#include "proptests/oracles/statistics.h"

namespace twingrad::oracle {

// Each line ends in a newline; shares are of what the line says.
std::string SummaryText(const oracles::Statistics& statistics);

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_SUMMARY_H_
