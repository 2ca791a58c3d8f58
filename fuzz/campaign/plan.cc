#include "fuzz/campaign/plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/files.h"
#include "proptests/workers/plant.h"
#include "proptests/workers/worker.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;
using workers::ProgramSeed;

// Streams of drawn numbers that have nothing to do with each other.
constexpr uint64_t kShardStream = 0x5eed;
constexpr uint64_t kPlantStream = 0x914a;
constexpr uint64_t kPlaceStream = 0x91ace;

uint64_t Draw(const Plan& plan, uint64_t stream, uint64_t index) {
  return ProgramSeed(ProgramSeed(plan.seed, stream), index);
}

// Only `check` of the repository's engine has a place for a planted defect.
bool HasPlace(const Job& job) {
  return job.verb == "check" && job.flags.find("engine") == job.flags.end();
}

// Reads members of one JSON object; the first thing that is wrong stays.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) Wrong("is no object", "allowed is {...}");
  }

  const absl::Status& status() const { return status_; }

  void OnlyThese(std::initializer_list<std::string_view> names) {
    if (!object_.is_object()) return;
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(names, name) == names.end()) {
        Wrong(absl::StrCat("has an unknown member `", name, "`"),
              absl::StrCat("allowed are ", absl::StrJoin(names, ", ")));
      }
    }
  }

  void Count(const char* name, uint64_t most, uint64_t* value) {
    const json* member = Find(name);
    if (member == nullptr) return;
    if (!member->is_number_unsigned() || member->get<uint64_t>() > most) {
      return Wrong(absl::StrCat("has `", name, "`: ", Shown(*member)),
                   absl::StrCat("allowed is a whole number from 0 to ", most));
    }
    *value = member->get<uint64_t>();
  }

  void Text(const char* name, std::string* value) {
    const json* member = Find(name);
    if (member == nullptr) return;
    if (!member->is_string()) {
      return Wrong(absl::StrCat("has `", name, "`: ", Shown(*member)), "allowed is a text");
    }
    *value = member->get<std::string>();
  }

  // A text that says its unit, or a number of seconds, which stays as it is.
  void Time(const char* name, double* seconds) {
    const json* member = Find(name);
    if (member == nullptr) return;
    const std::string text = member->is_string() ? member->get<std::string>() : Shown(*member);
    const auto read = subjects::ReadDuration(text);
    if (!read) {
      return Wrong(absl::StrCat("has `", name, "`: ", Shown(*member)),
                   "allowed is a time such as 90, \"90s\", \"5m\" or \"2h\"");
    }
    *seconds =
        member->is_number() ? member->get<double>() : std::chrono::duration<double>(*read).count();
  }

  const json* Find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  void Wrong(std::string_view wrong, std::string_view allowed) {
    status_.Update(
        Objection(absl::StrCat(where_, " ", wrong), allowed, "correct it, and plan again"));
  }

  static std::string Shown(const json& member) {
    // Printing goes as deep as what is printed, which may be deeper than the stack.
    if (member.is_structured()) return member.is_array() ? "[...]" : "{...}";
    return member.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60);
  }

 private:
  const json& object_;
  std::string where_;
  absl::Status status_;
};

absl::StatusOr<Job> ReadJob(const json& object, const std::string& where) {
  Job job;
  Members members(object, where);
  members.OnlyThese({"verb", "weight", "programs", "time", "flags"});
  members.Text("verb", &job.verb);
  members.Count("weight", 1'000'000, &job.weight);
  members.Count("programs", UINT64_MAX / 2, &job.programs);
  members.Time("time", &job.seconds);
  if (job.weight == 0) members.Wrong("has `weight`: 0", "allowed is a whole number from 1 on");
  if (members.Find("programs") == nullptr && members.Find("time") == nullptr) {
    members.Wrong("has no end", "needed is `programs` or `time`, the budget of one shard");
  }
  if (const json* flags = members.Find("flags")) {
    if (!flags->is_object()) members.Wrong("has `flags` that are no object", "allowed is {...}");
    for (const auto& [name, value] : flags->items()) {
      if (!value.is_string()) {
        members.Wrong(absl::StrCat("has the flag `", name, "`: ", Members::Shown(value)),
                      "allowed is a text, as the command line takes it");
      } else {
        job.flags[name] = value.get<std::string>();
      }
    }
  }
  if (!members.status().ok()) return members.status();
  return job;
}

// "3:14" for the byte at this place.
std::string LineAndColumn(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const size_t line_start = before.rfind('\n');
  return absl::StrCat(
      1 + std::ranges::count(before, '\n'), ":",
      1 + before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1));
}

}  // namespace

absl::Status Objection(std::string_view wrong, std::string_view allowed, std::string_view action) {
  return absl::InvalidArgumentError(
      absl::StrCat("[campaign] ", wrong, "; ", allowed, "; ", action));
}

absl::StatusOr<Plan> ParsePlan(std::string_view text, std::string_view origin) {
  json object;
  try {
    object = json::parse(text);
  } catch (const json::parse_error& error) {
    return Objection(absl::StrCat(origin, ":", LineAndColumn(text, error.byte), ": no JSON"),
                     "allowed is a plan as fuzz/campaign/README.md shows it", "correct the file");
  } catch (const json::out_of_range&) {
    return Objection(absl::StrCat(origin, " has a number that is too large"),
                     "allowed are numbers below 1.8e308", "correct the file");
  }
  Plan plan;
  Members members(object, std::string(origin));
  members.OnlyThese({"campaign", "seed", "shards", "canaries", "lease", "checkpoint", "jobs"});
  members.Text("campaign", &plan.name);
  members.Count("seed", UINT64_MAX, &plan.seed);
  members.Count("shards", kMostShards, &plan.shards);
  members.Count("canaries", kMostShards, &plan.canaries);
  members.Time("lease", &plan.lease);
  members.Time("checkpoint", &plan.checkpoint);
  if (plan.checkpoint > kLongestCheckpoint) {
    members.Wrong(absl::StrCat("has a `checkpoint` of ", plan.checkpoint, " s"),
                  absl::StrCat("allowed are at most ", kLongestCheckpoint, " s"));
  }
  if (plan.shards == 0) members.Wrong("has no `shards`", "needed is how many there are, 1 or more");
  if (plan.canaries > plan.shards) {
    members.Wrong(absl::StrCat("has ", plan.canaries, " canaries in ", plan.shards, " shards"),
                  "allowed is at most one in each");
  }
  if (plan.name.empty() || !std::ranges::all_of(plan.name, [](unsigned char c) {
        return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
      })) {
    members.Wrong("has a `campaign` that is no name", "allowed are letters, digits and -_.");
  }
  const json* jobs = members.Find("jobs");
  if (jobs == nullptr || !jobs->is_array() || jobs->empty()) {
    members.Wrong("has no `jobs`", "needed is a list of one or more");
  }
  if (!members.status().ok()) return members.status();
  for (const json& job : *jobs) {
    absl::StatusOr<Job> read = ReadJob(job, absl::StrCat(origin, ": job ", plan.jobs.size() + 1));
    if (!read.ok()) return read.status();
    plan.jobs.push_back(*std::move(read));
  }
  return plan;
}

std::string FlagsText(const Job& job) {
  std::string text;
  for (const auto& [name, value] : job.flags) {
    absl::StrAppend(&text, " --", name, "=", workers::ShellWord(value));
  }
  return text;
}

std::string PrintPlan(const Plan& plan) {
  json jobs = json::array();
  for (const Job& job : plan.jobs) {
    json object = {{"verb", job.verb}, {"weight", job.weight}, {"flags", job.flags}};
    if (job.programs != Job().programs) object["programs"] = job.programs;
    if (job.seconds != Job().seconds) object["time"] = job.seconds;
    jobs.push_back(std::move(object));
  }
  const json object = {{"campaign", plan.name}, {"seed", plan.seed},
                       {"shards", plan.shards}, {"canaries", plan.canaries},
                       {"lease", plan.lease},   {"checkpoint", plan.checkpoint},
                       {"jobs", jobs}};
  return object.dump(2) + "\n";
}

std::vector<uint32_t> JobsOfShards(const Plan& plan) {
  // Each shard goes to the job that is furthest behind its share.
  uint64_t total = 0;
  for (const Job& job : plan.jobs) total += job.weight;
  std::vector<int64_t> credit(plan.jobs.size());
  std::vector<uint32_t> jobs(plan.shards);
  for (uint32_t& job : jobs) {
    for (size_t i = 0; i < credit.size(); ++i) {
      credit[i] += static_cast<int64_t>(plan.jobs[i].weight);
    }
    const auto most = std::ranges::max_element(credit);
    *most -= static_cast<int64_t>(total);
    job = static_cast<uint32_t>(most - credit.begin());
  }
  return jobs;
}

uint64_t SeedOfShard(const Plan& plan, uint64_t shard) { return Draw(plan, kShardStream, shard); }

uint64_t PlacesForCanaries(const Plan& plan, const std::vector<uint32_t>& jobs) {
  return static_cast<uint64_t>(
      std::ranges::count_if(jobs, [&](uint32_t job) { return HasPlace(plan.jobs[job]); }));
}

std::vector<uint64_t> PlantsOfShards(const Plan& plan) {
  const std::vector<uint32_t> jobs = JobsOfShards(plan);
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (uint64_t shard = 0; shard < plan.shards; ++shard) {
    if (HasPlace(plan.jobs[jobs[shard]])) {
      places.emplace_back(Draw(plan, kPlaceStream, shard), shard);
    }
  }
  std::ranges::sort(places);
  std::vector<workers::Defect> defects(plan.shards, workers::Defect::kNone);
  for (uint64_t i = 0; i < std::min<uint64_t>(plan.canaries, places.size()); ++i) {
    defects[places[i].second] = static_cast<workers::Defect>(1 + i % workers::kNumDefects);
  }
  // The first number of the shard's own stream that means what it shall mean.
  std::vector<uint64_t> plants(plan.shards);
  for (uint64_t shard = 0; shard < plan.shards; ++shard) {
    const uint64_t stream = Draw(plan, kPlantStream, shard);
    uint64_t index = 0;
    do {
      plants[shard] = ProgramSeed(stream, index++);
    } while (workers::DefectOf(plants[shard]) != defects[shard]);
  }
  return plants;
}

Plan DefaultPlan(uint64_t seed, int cores, double seconds) {
  Plan plan;
  plan.name = "local";
  plan.seed = seed;
  // Shards short enough that all cores end at about the same time.
  constexpr uint64_t kRounds = 6;
  plan.shards = std::max<uint64_t>(kRounds * static_cast<uint64_t>(cores), 8);
  plan.canaries = 2;
  const double each = seconds * cores / static_cast<double>(plan.shards);
  Job check;
  check.weight = 3;
  check.seconds = each;
  Job explore = check;
  explore.verb = "explore";
  explore.weight = 1;
  explore.flags = {{"schedules", "200"}};
  plan.jobs = {check, explore};
  return plan;
}

}  // namespace twingrad::campaign
