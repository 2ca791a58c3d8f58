#include "proptests/interleave/checker/lock_coverage.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace twingrad::interleave {
namespace {

// The same in every process, unlike absl::Hash.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

uint64_t Mixed(uint64_t a, uint64_t b) {
  uint64_t z = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 29)) * 0x94d049bb133111ebu;
  return z ^ (z >> 32);
}

}  // namespace

LockCoverage::Site LockCoverage::SiteOf(const std::source_location& where) {
  const uint64_t place = uint64_t{where.line()} << 32 | where.column();
  const auto [found, is_new] = site_by_location_.try_emplace({where.file_name(), place}, 0);
  if (!is_new) return found->second;
  // Another column of the line is the same site.
  const std::string name = absl::StrCat(where.file_name(), ":", where.line());
  const auto [named, has_new_name] = site_by_name_.try_emplace(name, names_.size());
  if (has_new_name) {
    names_.push_back(name);
    hashes_.push_back(HashOf(name));
  }
  return found->second = named->second;
}

void LockCoverage::OnLock(ThreadId thread, const Operation& operation, const RaceDetector& clocks) {
  const Site site = SiteOf(operation.where);
  const auto [found, is_first] = holders_.try_emplace(operation.object, Holder{thread, site});
  const Holder before =
      is_first ? Holder{thread, site} : std::exchange(found->second, Holder{thread, site});
  const uint64_t step = Mixed(hashes_[site], static_cast<uint64_t>(thread));
  found->second.history = Mixed(before.history, step);
  // A sum over the mutexes, in whichever order they come.
  fingerprint_ += found->second.history - before.history;
  if (before.thread == thread) return;
  hand_overs_.push_back(Mixed(hashes_[before.site], hashes_[site]));
  Pair& pair = pairs_[{before.site, site}];
  if (pair.mutex.empty()) pair.mutex = operation.name;
  pair.seen = true;
  if (before.released == 0 || clocks.Knows(thread, before.thread, before.released)) return;
  Pair& reversed = pairs_[{site, before.site}];
  if (reversed.mutex.empty()) reversed.mutex = operation.name;
}

void LockCoverage::OnUnlock(ThreadId thread, const void* mutex, const RaceDetector& clocks) {
  const auto found = holders_.find(mutex);
  if (found != holders_.end()) found->second.released = clocks.TimeOf(thread);
}

void LockCoverage::Visit(const Visitor& visit) const {
  for (const auto& [sites, pair] : pairs_) {
    visit(names_[sites.first], names_[sites.second], pair.seen);
  }
}

LockCoverage::Summary LockCoverage::Summarize(std::string_view part_of_path) const {
  Summary summary;
  absl::flat_hash_set<std::string_view> contended;
  for (const auto& [sites, pair] : pairs_) {
    const std::string& from = names_[sites.first];
    const std::string& to = names_[sites.second];
    contended.insert(from);
    contended.insert(to);
    if (!absl::StrContains(from, part_of_path) || !absl::StrContains(to, part_of_path)) continue;
    ++summary.possible;
    if (pair.seen) {
      ++summary.seen;
    } else {
      summary.missing.push_back(absl::StrCat(from, " before ", to, " (", pair.mutex, ")"));
    }
  }
  std::sort(summary.missing.begin(), summary.missing.end());
  for (const std::string& site : names_) {
    if (!absl::StrContains(site, part_of_path)) continue;
    ++summary.sites;
    if (!contended.contains(site)) summary.alone.push_back(site);
  }
  std::sort(summary.alone.begin(), summary.alone.end());
  return summary;
}

}  // namespace twingrad::interleave
