#include "fuzz/campaign/targets/corpora.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/targets/child.h"
#include "proptests/workers/files.h"
#include "proptests/workers/process.h"

namespace twingrad::campaign {
namespace fs = std::filesystem;
namespace {

constexpr useconds_t kPollOfAMerge = 20'000;

absl::Status CannotMerge(const std::string& why) {
  return absl::UnavailableError(absl::StrCat("[campaign] the corpora cannot be merged: ", why,
                                             "; needed is what the shards had; see to it, and "
                                             "merge again: the shards are as they were\n"));
}

// Copies the files to a fresh folder beside `path` and puts that in its place.
absl::Status Replace(const std::string& made, const std::string& path) {
  std::error_code error;
  const std::string fresh = absl::StrCat(path, ".new-", getpid());
  const std::string old = absl::StrCat(path, ".old-", getpid());
  fs::create_directories(fresh, error);
  if (!error) {
    fs::copy(made, fresh, fs::copy_options::recursive | fs::copy_options::overwrite_existing,
             error);
  }
  if (!error) {
    std::error_code none;  // there is nothing the first time
    fs::rename(path, old, none);
    fs::rename(fresh, path, error);
  }
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  fs::remove_all(old, ignored);
  // Of two merges at once one puts its folder in place: they hold the same.
  if (error && !fs::exists(path, ignored)) return CannotMerge(error.message());
  return absl::OkStatus();
}

}  // namespace

std::string CorpusPath(const std::string& folder, uint64_t shard, uint64_t epoch) {
  return absl::StrCat(folder, "/corpora/", EpochName(shard, epoch));
}

std::vector<std::string> CorporaOf(const std::string& folder, uint64_t shard, uint64_t epoch) {
  std::vector<std::string> paths;
  for (uint64_t i = 1; i <= epoch; ++i) {
    std::string path = CorpusPath(folder, shard, i);
    std::error_code error;
    if (fs::is_directory(path, error)) paths.push_back(std::move(path));
  }
  return paths;
}

std::vector<std::string> MinimizeCommand(const Target& target, const std::string& into,
                                         const std::string& control,
                                         const std::vector<std::string>& from) {
  std::vector<std::string> rest = {"-merge=1", "-merge_control_file=" + control, into};
  rest.insert(rest.end(), from.begin(), from.end());
  return Command(target, rest);
}

absl::StatusOr<uint64_t> MergeCorpora(const Merged& merged, uint32_t job, const Target& target) {
  std::vector<std::string> from;
  for (const MergedShard& shard : merged.shards) {
    if (shard.job != job) continue;
    const std::vector<std::string> own = CorporaOf(merged.folder, shard.shard, shard.epoch);
    from.insert(from.end(), own.begin(), own.end());
  }
  if (from.empty()) return 0;
  if (!target.seeds.empty()) from.push_back(target.seeds);
  if (absl::Status status = CheckTarget(target); !status.ok()) return status;
  absl::StatusOr<workers::TemporaryFolder> local = workers::TemporaryFolder::Make("campaign-merge");
  if (!local.ok()) return local.status();
  const std::string made = local->path() + "/corpus";
  std::error_code error;
  fs::create_directory(made, error);
  absl::StatusOr<Child> child = Child::Start(
      MinimizeCommand(target, made, local->path() + "/control", from), local->path() + "/output");
  if (!child.ok()) return child.status();
  while (!child->Ended()) usleep(kPollOfAMerge);
  if (child->status() != 0) {
    const std::vector<std::string> lines = child->TakeLines();
    return CannotMerge(absl::StrCat(NameOf(target), " ended by ", workers::EndText(child->status()),
                                    lines.empty() ? "" : ", it said: " + lines.back()));
  }
  const std::string path = absl::StrCat(merged.folder, "/merged/corpora/", job + 1);
  fs::create_directories(merged.folder + "/merged/corpora", error);
  if (absl::Status status = Replace(made, path); !status.ok()) return status;
  return static_cast<uint64_t>(std::distance(fs::directory_iterator(made), {}));
}

}  // namespace twingrad::campaign
