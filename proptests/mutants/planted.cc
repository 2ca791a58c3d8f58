#include "proptests/mutants/planted.h"

#include <cstdio>
#include <string>
#include <vector>

namespace twingrad::mutants {
namespace {

struct Planted {
  const char* defect;
  const char* source;
};

// Made by the first copy that asks, which is before main.
std::vector<Planted>& AllPlanted() {
  static std::vector<Planted> planted;
  return planted;
}

}  // namespace

void AddPlanted(const char* defect, const char* source) {
  AllPlanted().push_back({defect, source});
}

bool CheckPlanted(std::string_view defect) {
  std::string others;
  for (const Planted& planted : AllPlanted()) {
    if (planted.defect == defect) return true;
    others += std::string(" ") + planted.defect + " in " + planted.source + ";";
  }
  std::fprintf(stderr,
               "[mutants] no copy with the defect `%s` is linked, so the original is what would "
               "run; linked are:%s list the copies among the srcs of the program\n",
               std::string(defect).c_str(), others.empty() ? " none;" : others.c_str());
  return false;
}

}  // namespace twingrad::mutants
