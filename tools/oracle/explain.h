// `oracle explain`: draws the graph of one Program.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kExplainFlags[] = {
    {"out", "FILE", FlagType::kPath, "standard output", "where the picture goes"}};
inline constexpr VerbSpec kExplain = {
    "explain",
    "FILE",
    "draws the graph of one Program as SVG, with dependency counts",
    "FILE holds a Program; `-` is standard input. Makes one drawing for each call of the engine.\n"
    "Where graphviz is not installed, and for graphs of more than 500 nodes, which take it long, "
    "the\n"
    "source for graphviz is written instead (with --out=NAME.svg to NAME.dot), and a line names "
    "the\n"
    "command that draws it.\n",
    kExplainFlags,
    "explain program.txt --out=graph.svg\n"};
absl::StatusOr<int> Explain(const Arguments& arguments,
                            const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle
