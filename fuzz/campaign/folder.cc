#include "fuzz/campaign/folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "proptests/workers/files.h"
#include "proptests/workers/flight_recorder.h"

namespace twingrad::campaign {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr char kPlanFile[] = "plan.json";

double Now() { return static_cast<double>(workers::MonotonicNanoseconds()) * 1e-9; }

std::string ShardsFolder(const std::string& folder) { return folder + "/shards"; }

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// When the process began, in ticks since the machine started; empty: there is no such process.
std::string StartOf(pid_t pid) {
  const std::string stat = TextOf(absl::StrCat("/proc/", pid, "/stat"));
  // Behind the name, which may hold blanks; the start is the 22nd field, the state the third.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  const std::vector<std::string> fields = absl::StrSplit(stat.substr(name_end + 2), ' ');
  constexpr size_t kStart = 22 - 3;
  if (fields.size() <= kStart || fields[0] == "Z" || fields[0] == "X") return "";
  return fields[kStart];
}

// Which processes this one can see: the machine since it started, and its namespace.
std::string Place() {
  std::error_code error;
  const std::string space = fs::read_symlink("/proc/self/ns/pid", error).string();
  std::string boot = TextOf("/proc/sys/kernel/random/boot_id");
  if (!boot.empty() && boot.back() == '\n') boot.pop_back();
  return boot.empty() || space.empty() ? "" : boot + " " + space;
}

std::string HostName() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return host;
}

json ThisOwner() {
  return {
      {"host", HostName()}, {"pid", getpid()}, {"start", StartOf(getpid())}, {"place", Place()}};
}

// Whether the owner is a process that this one could see, and cannot.
bool HasEnded(const json& owner) {
  if (!owner.is_object()) return false;
  const std::string place = owner.value("place", "");
  if (place.empty() || place != Place()) return false;
  return StartOf(owner.value("pid", 0)) != owner.value("start", "");
}

// 0: it says none.
uint64_t VersionOf(const json& record) {
  const auto version = record.find("version");
  return version != record.end() && version->is_number_unsigned() ? version->get<uint64_t>() : 0;
}

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("[campaign] cannot write ", path, " (",
                                             std::strerror(error),
                                             "); needed is a folder with room that this user may "
                                             "write; check it, and run the command again"));
}

}  // namespace

absl::Status MakeFolder(const std::string& folder, const Plan& plan) {
  std::error_code error;
  if (fs::exists(folder + "/" + kPlanFile)) {
    return Objection(absl::StrCat(folder, " holds a campaign"), "allowed is a new folder",
                     "choose another, or go on with `oracle campaign work` there");
  }
  for (const char* name : {"shards", "findings", "merged"}) {
    fs::create_directories(absl::StrCat(folder, "/", name), error);
    if (error) return CannotWrite(folder, error.value());
  }
  // Last: a folder with a plan is whole.
  return workers::WriteFile(folder + "/" + kPlanFile, PrintPlan(plan));
}

absl::StatusOr<Plan> ReadPlan(const std::string& folder) {
  const std::string path = folder + "/" + kPlanFile;
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Objection(absl::StrCat(folder, " holds no campaign"),
                     "allowed is a folder that `oracle campaign plan` has made",
                     "check the path, or plan first");
  }
  absl::StatusOr<std::string> text = workers::ReadInput(path);
  if (!text.ok()) return text.status();
  return ParsePlan(*text, path);
}

absl::Status Publish(const std::string& made, const std::string& path) {
  // A number of a process is unique on one machine only.
  const std::string partial = absl::StrCat(path, ".partial-", HostName(), "-", getpid());
  std::error_code error;
  fs::copy_file(made, partial, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(partial, path, error);
  if (!error) return absl::OkStatus();
  const int why = error.value();
  fs::remove(partial, error);
  return CannotWrite(path, why);
}

std::string EpochName(uint64_t shard, uint64_t epoch) {
  return absl::StrFormat("%06d.%04d", shard, epoch);
}

std::string EpochPath(const std::string& folder, uint64_t shard, uint64_t epoch) {
  return absl::StrCat(ShardsFolder(folder), "/", EpochName(shard, epoch));
}

absl::StatusOr<std::map<uint64_t, uint64_t>> NewestEpochs(const std::string& folder) {
  std::map<uint64_t, uint64_t> newest;
  std::error_code error;
  fs::directory_iterator entries(ShardsFolder(folder), error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    const std::vector<std::string_view> parts = absl::StrSplit(name, '.');
    uint64_t shard = 0;
    uint64_t epoch = 0;
    // Others are claims under way.
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &shard) ||
        !absl::SimpleAtoi(parts[1], &epoch)) {
      continue;
    }
    uint64_t& known = newest[shard];
    known = std::max(known, epoch);
  }
  if (error) {
    return Objection(absl::StrCat("cannot list ", ShardsFolder(folder), " (", error.message(), ")"),
                     "needed is the folder of a campaign", "check the path and its rights");
  }
  return newest;
}

absl::StatusOr<ShardView> ViewShard(const std::string& folder, uint64_t shard, uint64_t newest) {
  ShardView view;
  view.epoch = newest;
  for (uint64_t epoch = newest; epoch > 0; --epoch) {
    const std::string path = EpochPath(folder, shard, epoch);
    absl::StatusOr<Records> read = ReadRecords(path);
    if (epoch == newest && read.ok()) view.size = read->size;
    if (!read.ok() || read->records.empty()) {
      absl::StrAppend(&view.complaint, "[campaign] ", path,
                      " has no readable beginning; needed is a file as it was written; the shard "
                      "goes on from what the epoch before had come to\n");
      continue;
    }
    const json& first = read->records[0];
    const uint64_t version = VersionOf(first);
    if (version != kVersion) {
      return Objection(
          absl::StrCat(path, " was written by version ", version, " of the campaign's files"),
          absl::StrCat("allowed is version ", kVersion),
          "go on with the tool that wrote it, or plan anew in another folder");
    }
    if (read->bad_line > 0) {
      absl::StrAppend(&view.complaint, "[campaign] ", path, ":", read->bad_line,
                      " is damaged; needed are records whose checksums fit; what stands before "
                      "counts, the rest is run again\n");
    }
    if (epoch == newest) view.owner = first.value("owner", json());
    absl::StatusOr<ShardState> state = StateOf(read->records, path);
    if (!state.ok()) return state.status();
    view.state = *std::move(state);
    // A shard of which anything is unreadable is not done: the rest is run again.
    if (read->bad_line > 0) view.state.done = view.state.released = false;
    return view;
  }
  return view;
}

absl::StatusOr<RecordWriter> Claim(const std::string& folder, const Plan& plan, uint64_t shard,
                                   const ShardView& view) {
  const uint64_t epoch = view.epoch + 1;
  const std::string path = EpochPath(folder, shard, epoch);
  const json owner = ThisOwner();
  const std::string partial =
      absl::StrCat(ShardsFolder(folder), "/.claim-", HostName(), "-", getpid());
  unlink(partial.c_str());  // of an earlier process with this number
  const int fd = open(partial.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return CannotWrite(partial, errno);
  const std::string line = RecordLine({{"type", "begin"},
                                       {"version", kVersion},
                                       {"campaign", plan.name},
                                       {"shard", shard},
                                       {"epoch", epoch},
                                       {"owner", owner},
                                       {"state", view.state.ToJson()}});
  RecordWriter writer(fd, path, 0);
  // The file must be whole before others see it; nothing is lost with a shard that has nothing yet.
  absl::Status status = writer.Append(line, /*sync=*/view.state.programs > 0);
  if (status.ok() && link(partial.c_str(), path.c_str()) != 0) {
    status =
        errno == EEXIST
            ? absl::AlreadyExistsError(absl::StrCat("[campaign] shard ", shard,
                                                    " was taken by another worker; allowed is one; "
                                                    "leave it to that one"))
            : CannotWrite(path, errno);
  }
  unlink(partial.c_str());
  if (!status.ok()) return status;
  return writer;
}

bool IsStale(const std::string& folder, uint64_t shard, uint64_t epoch) {
  return access(EpochPath(folder, shard, epoch + 1).c_str(), F_OK) == 0;
}

absl::Status CheckHere(const std::string& folder, uint64_t shard, uint64_t epoch) {
  const std::string path = EpochPath(folder, shard, epoch);
  if (access(path.c_str(), F_OK) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "[campaign] ", path, ", which this process writes, is gone (", std::strerror(errno),
      "); needed is the folder in which the shard began; mount it again, and run the shard again"));
}

bool Watch::IsGone(uint64_t shard, const ShardView& view) {
  const double now = Now();
  const auto [it, fresh] = seen_.try_emplace(shard, Seen{view.epoch, view.size, now});
  Seen& seen = it->second;
  if (seen.epoch != view.epoch || seen.size != view.size) seen = {view.epoch, view.size, now};
  return now - seen.since >= lease_ || HasEnded(view.owner);
}

}  // namespace twingrad::campaign
