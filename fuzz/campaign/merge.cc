#include "fuzz/campaign/merge.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/print.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/shard_run.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace {

using workers::Defect;

// Whether this finding is how that defect shows.
bool Shows(Defect defect, std::string_view rule) {
  const bool death = rule == "crash" || rule == "hang" || rule == "memory";
  switch (defect) {
    case Defect::kNone:
      return false;
    case Defect::kCrash:
      return rule == "crash";
    case Defect::kHang:
      return rule == "hang";
    case Defect::kWrongValue:
    case Defect::kRace:
    case Defect::kLeak:
      return !death;
  }
  return false;
}

// Unites what shards have seen.
class Coverage {
 public:
  void Add(const ShardState& state) {
    const uint64_t before = sightings_;
    const size_t size = state.counters.size();
    if (shards_.size() < size) shards_.resize(size);
    for (size_t i = 0; i < size; ++i) Count(state.counters[i] > 0, &shards_[i]);
    for (const std::string& note : state.notes) Count(true, &notes_[note]);
    for (const uint32_t edge : state.edges) Count(true, &edges_[edge]);
    samples_ += sightings_ > before ? 1 : 0;
  }
  uint64_t seen() const { return seen_; }
  // Chao's estimator for incidences, corrected for bias (Chao 1987; Gotelli and Colwell 2011): a
  // shard that has seen anything is a sample.
  double Unseen() const {
    if (samples_ < 2) return std::numeric_limits<double>::quiet_NaN();
    uint64_t once = 0;
    uint64_t twice = 0;
    const auto add = [&](uint64_t shards) {
      once += shards == 1 ? 1 : 0;
      twice += shards == 2 ? 1 : 0;
    };
    for (const uint64_t shards : shards_) add(shards);
    for (const auto& [note, shards] : notes_) add(shards);
    for (const auto& [edge, shards] : edges_) add(shards);
    if (once < 2) return 0;
    const double f1 = static_cast<double>(once);
    const double samples = static_cast<double>(samples_);
    return (samples - 1) / samples * f1 * (f1 - 1) / (2 * (static_cast<double>(twice) + 1));
  }

 private:
  void Count(bool has, uint64_t* shards) {
    if (!has) return;
    ++sightings_;
    if (++*shards == 1) ++seen_;
  }
  std::vector<uint64_t> shards_;  // that have seen it, by counter
  std::map<std::string, uint64_t> notes_;
  std::map<uint32_t, uint64_t> edges_;
  uint64_t seen_ = 0;
  uint64_t sightings_ = 0;
  uint64_t samples_ = 0;
};

void AddToJob(const ShardState& state, Coverage& coverage, MergedJob& job) {
  job.done += state.done ? 1 : 0;
  job.programs += state.programs;
  job.failed += state.failed;
  job.waiting += state.pending.size();
  job.seconds += state.seconds;
  if (job.counters.size() < state.counters.size()) job.counters.resize(state.counters.size());
  for (size_t i = 0; i < state.counters.size(); ++i) job.counters[i] += state.counters[i];
  job.notes.insert(state.notes.begin(), state.notes.end());
  if (state.programs == 0) return;
  coverage.Add(state);
  // Until its edges are known, a shard of a fuzz target says how many they are.
  job.seen = std::max({job.seen, coverage.seen(), state.covered});
  job.curve.push_back({job.seconds, job.programs, job.seen});
}

using BySignature = std::map<std::string, MergedFinding>;

void AddFinding(const ShardFinding& finding, const MergedShard& shard, bool planted,
                BySignature& findings) {
  // A defect that was planted says nothing of one that was not.
  const std::string key = absl::StrCat(planted ? "planted " : "", finding.signature);
  const auto [it, fresh] = findings.try_emplace(key);
  MergedFinding& merged = it->second;
  if (fresh || finding.program.size() < merged.best.program.size()) {
    merged.best = finding;
    merged.shard = shard.shard;
    merged.job = shard.job;
  }
  merged.planted = planted;
  merged.failures += 1 + finding.more;
  merged.shards.insert(shard.shard);
  merged.programs.insert(program::Fnv1a(finding.program));
}

}  // namespace

uint64_t Merged::programs() const {
  uint64_t sum = 0;
  for (const MergedJob& job : jobs) sum += job.programs;
  return sum;
}

uint64_t Merged::done() const {
  uint64_t sum = 0;
  for (const MergedJob& job : jobs) sum += job.done;
  return sum;
}

uint64_t Merged::found() const {
  return static_cast<uint64_t>(std::ranges::count(findings, false, &MergedFinding::planted));
}

uint64_t Merged::found_groups() const {
  return static_cast<uint64_t>(std::ranges::count(groups, false, &FindingGroup::planted));
}

bool Merged::objects() const {
  return std::ranges::any_of(jobs, [](const MergedJob& job) { return !job.objection.empty(); });
}

bool Merged::missed() const {
  return std::ranges::any_of(canaries, [](const Canary& c) { return c.done && !c.found; });
}

std::string Merged::Proof() const {
  if (canaries.empty()) {
    return "no defects were planted: nothing shows that one would have been found";
  }
  const auto found = std::ranges::count(canaries, true, &Canary::found);
  const std::string counts =
      absl::StrCat("found ", found, " of ", canaries.size(), " planted defects");
  if (missed()) return counts + ": it missed one whose shard is done, so it proves nothing";
  return counts + (static_cast<size_t>(found) < canaries.size() ? " so far" : "");
}

absl::StatusOr<Merged> MergeShards(const std::string& folder) {
  Merged merged;
  absl::StatusOr<Plan> plan = ReadPlan(folder);
  if (!plan.ok()) return plan.status();
  merged.plan = *std::move(plan);
  merged.folder = folder;
  absl::StatusOr<std::map<uint64_t, uint64_t>> newest = NewestEpochs(folder);
  if (!newest.ok()) return newest.status();
  const std::vector<uint32_t> jobs = JobsOfShards(merged.plan);
  const std::vector<uint64_t> plants = PlantsOfShards(merged.plan);
  merged.jobs.resize(merged.plan.jobs.size());
  std::vector<Coverage> coverage(merged.jobs.size());
  BySignature findings;
  for (uint64_t number = 0; number < merged.plan.shards; ++number) {
    MergedJob& job = merged.jobs[jobs[number]];
    ++job.shards;
    const auto epoch = newest->find(number);
    ShardView view;
    if (epoch != newest->end()) {
      absl::StatusOr<ShardView> read = ViewShard(folder, number, epoch->second);
      if (!read.ok()) return read.status();
      view = *std::move(read);
    }
    const ShardState& state = view.state;
    if (!view.complaint.empty()) merged.complaints.push_back(view.complaint);
    const bool is_drawn = merged.plan.jobs[jobs[number]].verb != kFuzz;
    if (is_drawn && !CountsOnce(state, SeedOfShard(merged.plan, number))) {
      merged.complaints.push_back(absl::StrCat(
          "[campaign] shard ", number,
          " has lost a Program or counted one twice; allowed is each once; do not trust its "
          "counts, and report this defect of the tool\n"));
    }
    MergedShard shard = {number,         jobs[number], view.epoch,           state.done,
                         state.programs, state.failed, state.pending.size(), state.seconds,
                         state.curve};
    AddToJob(state, coverage[jobs[number]], job);
    const Defect defect = workers::DefectOf(plants[number]);
    Canary canary = {number, defect, state.done, false};
    for (const ShardFinding& finding : state.findings) {
      const bool planted = Shows(defect, finding.rule);
      canary.found |= planted;
      AddFinding(finding, shard, planted, findings);
    }
    if (defect != Defect::kNone) merged.canaries.push_back(canary);
    merged.shards.push_back(std::move(shard));
  }
  for (size_t i = 0; i < merged.jobs.size(); ++i) {
    merged.jobs[i].unseen = coverage[i].Unseen();
  }
  for (auto& [key, finding] : findings) merged.findings.push_back(std::move(finding));
  std::ranges::sort(merged.findings, [](const MergedFinding& a, const MergedFinding& b) {
    return std::tuple(a.planted, a.shard, a.best.index) <
           std::tuple(b.planted, b.shard, b.best.index);
  });
  merged.groups = GroupFindings(merged.findings);
  return merged;
}

std::string FileOf(const Merged& merged, const ShardFinding& finding, std::string_view name) {
  if (finding.folder.empty()) return "";
  return workers::ReadInput(absl::StrCat(merged.folder, "/", finding.folder, "/", name))
      .value_or("");
}

}  // namespace twingrad::campaign
