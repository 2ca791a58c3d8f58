#include "autograd/program/region.h"

#include <algorithm>
#include <string>

namespace twingrad::program {

RegionKind RegionKindOf(const Statement& begin) {
  const auto& word = std::get<std::string>(*begin.Find(Key::kKind));
  const auto* at = std::find(kRegionKindNames.begin(), kRegionKindNames.end(), word);
  return static_cast<RegionKind>(at - kRegionKindNames.begin());
}

bool Begins(const Statement& statement, RegionKind kind) {
  return statement.op == Opcode::kBegin && RegionKindOf(statement) == kind;
}

bool HasSections(const Program& program) {
  return std::ranges::any_of(program.statements,
                             [](const auto& s) { return Begins(s, RegionKind::kThread); });
}

std::vector<Section> SectionsFrom(const Program& program, int32_t begin) {
  std::vector<Section> sections;
  const auto count = static_cast<int32_t>(program.statements.size());
  for (int32_t s = begin; s < count && Begins(program.statements[s], RegionKind::kThread);) {
    sections.push_back({s, EndOfRegion(program, s)});
    s = sections.back().end + 1;
  }
  return sections;
}

int32_t EndOfRegion(const Program& program, int32_t begin) {
  const auto count = static_cast<int32_t>(program.statements.size());
  int depth = 0;
  for (int32_t s = begin; s < count; ++s) {
    if (program.statements[s].op == Opcode::kBegin) ++depth;
    if (program.statements[s].op == Opcode::kEnd && --depth == 0) return s;
  }
  return count;
}

}  // namespace twingrad::program
