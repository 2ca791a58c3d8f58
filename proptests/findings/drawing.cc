#include "proptests/findings/drawing.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"

namespace twingrad::findings {
namespace {

using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::Statement;
using twingrad::program::ValueId;

// Longer data would make boxes wider than the page.
constexpr size_t kMaxLine = 60;

std::string Quoted(std::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\"");
}

std::string Line(const Program& program, int statement) {
  std::string line = twingrad::program::PrintStatement(program, statement);
  if (line.size() > kMaxLine) line = line.substr(0, kMaxLine - 3) + "...";
  return line;
}

std::string_view Style(absl::Span<const int> marked, int statement) {
  return std::ranges::count(marked, statement) > 0 ? " color=red fontcolor=red penwidth=3" : "";
}

// By node: as which number it ran, counted from 1; 0 where it did not.
std::vector<size_t> NumbersOf(const CallRecord& call) {
  std::vector<size_t> numbers(call.nodes.size());
  for (size_t i = call.executed.size(); i-- > 0;) {
    const auto node = static_cast<size_t>(call.executed[i]);
    if (node < numbers.size()) numbers[node] = i + 1;
  }
  return numbers;
}

// What the node was made of, as a person would say it. `number`: as which it ran.
std::string NodeLabel(const Program& program, const CallRecord& call, size_t n, size_t number) {
  const auto& name = call.nodes[n].name;
  std::string label = twingrad::program::NodeText(program, name);
  const bool shown = name.role != NodeRole::kBackward && name.role != NodeRole::kGraphRoot &&
                     name.role != NodeRole::kIdentity && name.statement >= 0 &&
                     name.statement < static_cast<int>(program.statements.size());
  if (shown) absl::StrAppend(&label, "\n", Line(program, name.statement));
  if (n < call.dependencies.size()) {
    absl::StrAppend(&label, "\ndependencies ", std::max(call.dependencies[n], 0));
  }
  if (number > 0) {
    absl::StrAppend(&label, ", ran as number ", number);
  } else {
    absl::StrAppend(&label, ", did not run");
  }
  return label;
}

void DrawCall(const Program& program, const CallRecord& call, size_t c,
              absl::Span<const int> marked, std::string& out) {
  absl::StrAppend(&out, "  subgraph cluster_", c, " {\n    label=",
                  Quoted(absl::StrCat("call ", c, ": ", Line(program, call.statement))), "\n");
  const auto node = [c](int32_t n) { return absl::StrCat("c", c, "n", n); };
  const std::vector<size_t> numbers = NumbersOf(call);
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    absl::StrAppend(&out, "    ", node(static_cast<int32_t>(n)),
                    " [label=", Quoted(NodeLabel(program, call, n, numbers[n])),
                    numbers[n] > 0 ? "" : " style=dashed",
                    Style(marked, call.nodes[n].name.statement), "]\n");
  }
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    const auto& edges = call.nodes[n].next_edges;
    for (size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].node < 0) continue;
      absl::StrAppend(&out, "    ", node(static_cast<int32_t>(n)), " -> ", node(edges[e].node));
      if (edges.size() > 1) absl::StrAppend(&out, " [taillabel=", Quoted(absl::StrCat(e)), "]");
      absl::StrAppend(&out, "\n");
    }
  }
  for (size_t r = 0; r < call.roots.size(); ++r) {
    if (call.roots[r].node < 0) continue;
    absl::StrAppend(&out, "    c", c, "r", r, " [label=", Quoted(absl::StrCat("root ", r)),
                    " shape=plaintext]\n    c", c, "r", r, " -> ", node(call.roots[r].node),
                    " [style=dotted]\n");
  }
  absl::StrAppend(&out, "  }\n");
}

void DrawStatements(const Program& program, absl::Span<const int> marked, std::string& out) {
  std::vector<int> defined_by(program.names.size(), -1);
  for (size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& statement = program.statements[s];
    absl::StrAppend(&out, "  s", s, " [label=", Quoted(Line(program, static_cast<int>(s))),
                    Style(marked, static_cast<int>(s)), "]\n");
    for (const ValueId operand : statement.operands) {
      if (operand >= 0 && defined_by[static_cast<size_t>(operand)] >= 0) {
        absl::StrAppend(&out, "  s", defined_by[static_cast<size_t>(operand)], " -> s", s, "\n");
      }
    }
    for (const ValueId result : statement.results) {
      defined_by[static_cast<size_t>(result)] = static_cast<int>(s);
    }
  }
}

}  // namespace

std::string DrawGraphs(const Program& program, const Observation& observation,
                       absl::Span<const int> marked) {
  std::string out =
      "digraph program {\n  node [shape=box fontname=\"monospace\" fontsize=10]\n"
      "  edge [fontname=\"monospace\" fontsize=8]\n  fontname=\"monospace\"\n";
  bool any = false;
  for (size_t c = 0; c < observation.calls.size(); ++c) {
    if (observation.calls[c].nodes.empty()) continue;
    any = true;
    DrawCall(program, observation.calls[c], c, marked, out);
  }
  if (!any) DrawStatements(program, marked, out);
  return out + "}\n";
}

}  // namespace twingrad::findings
