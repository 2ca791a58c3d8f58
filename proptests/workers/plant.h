// Planted defects: what a number says of the defect that the judge of a case is to have.
//
// A campaign gives every worker such a number. Almost all mean nothing; the others mean a defect,
// which has to come out as a finding like any other. Whoever hands the number on does not look at
// what it means. Pure functions.

#pragma once

#include <cstdint>

namespace twingrad::workers {

enum class Defect : uint8_t {
  kNone,
  kWrongValue,
  kRace,  // a value that depends on the threads
  kLeak,
  kCrash,
  kHang,
};
inline constexpr uint64_t kNumDefects = 5;  // besides none

inline Defect DefectOf(uint64_t plant) {
  const uint64_t place = plant % 64;
  return place < kNumDefects ? static_cast<Defect>(1 + place) : Defect::kNone;
}

// What else the number decides: which Programs show the defect.
inline uint64_t DrawOf(uint64_t plant) { return plant / 64; }

// The word for it on a page.
constexpr const char* DefectName(Defect defect) {
  constexpr const char* kNames[] = {"none", "wrong value", "race", "leak", "crash", "hang"};
  return kNames[static_cast<int>(defect)];
}

}  // namespace twingrad::workers
