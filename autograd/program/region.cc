#include "autograd/program/region.h"

#include <algorithm>
#include <array>
#include <string>

namespace twingrad::program {
namespace {

constexpr std::array<std::string_view, kNumRegionKinds> SplitNames() {
  std::array<std::string_view, kNumRegionKinds> names;
  std::string_view rest = kRegionKindWords;
  for (std::string_view& name : names) {
    name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return names;
}
constexpr std::array<std::string_view, kNumRegionKinds> kNames = SplitNames();
static_assert(std::count(kRegionKindWords.begin(), kRegionKindWords.end(), ' ') ==
              kNumRegionKinds - 1);

}  // namespace

std::string_view RegionKindName(RegionKind kind) { return kNames[static_cast<int>(kind)]; }

RegionKind RegionKindOf(const Statement& begin) {
  const auto& word = std::get<std::string>(*begin.Find(Key::kKind));
  return static_cast<RegionKind>(std::find(kNames.begin(), kNames.end(), word) - kNames.begin());
}

bool Begins(const Statement& statement, RegionKind kind) {
  return statement.op == Opcode::kBegin && RegionKindOf(statement) == kind;
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
