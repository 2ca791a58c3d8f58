// WriteDatabase of results.h.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sqlite3.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/results.h"
#include "proptests/findings/finding.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace {

// Jobs are numbered from 1 on, as in the status and on the page.
constexpr char kTables[] = R"(
BEGIN;
CREATE TABLE campaign(key TEXT PRIMARY KEY, value);
CREATE TABLE jobs(job INTEGER PRIMARY KEY, verb, flags, shards, done, programs, failed, waiting,
                  seconds, seen, unseen);
CREATE TABLE shards(shard INTEGER PRIMARY KEY, job, epoch, done, programs, failed, waiting, seconds);
CREATE TABLE curve(job, programs, seconds, seen);
CREATE TABLE findings(signature, planted, rule, kind, text, program, folder, replay, seed, shard,
                      job, program_index, failures, shards, programs, in_group,
                      PRIMARY KEY(signature, planted));
CREATE TABLE finding_groups(number INTEGER PRIMARY KEY, signature, planted, rule, complaint,
                            statements, findings, failures, shards);
CREATE TABLE found_in(signature, planted, shard);
CREATE TABLE canaries(shard INTEGER PRIMARY KEY, defect, done, found);
CREATE TABLE complaints(text);
)";

// Writes rows; after the first error nothing more happens.
class Database {
 public:
  explicit Database(const std::string& path) { Check(sqlite3_open(path.c_str(), &database_)); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(database_); }

  void Execute(const char* sql) {
    if (code_ == SQLITE_OK) Check(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr));
  }

  // `sql` has a ? for each value.
  template <typename... Values>
  void Insert(const char* sql, const Values&... values) {
    if (code_ != SQLITE_OK) return;
    sqlite3_stmt* statement = nullptr;
    Check(sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr));
    if (code_ != SQLITE_OK) return;
    int place = 0;
    (Bind(statement, ++place, values), ...);
    const int step = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (step != SQLITE_DONE) Check(step);
  }

  // Empty: all is well.
  const std::string& error() const { return error_; }

 private:
  template <typename Value>
  static void Bind(sqlite3_stmt* statement, int place, const Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      // SQLite's integers have a sign: a seed keeps its 64 bits.
      sqlite3_bind_int64(statement, place, static_cast<sqlite3_int64>(value));
    } else if constexpr (std::is_floating_point_v<Value>) {
      sqlite3_bind_double(statement, place, value);
    } else {
      const std::string_view text = value;
      sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
    }
  }
  void Check(int code) {
    if (code == SQLITE_OK) return;
    code_ = code;
    error_ = sqlite3_errmsg(database_);
  }

  sqlite3* database_ = nullptr;
  int code_ = SQLITE_OK;
  std::string error_;
};

// Groups are numbered from 1 on, as the page shows them.
void WriteFindings(const Merged& merged, Database& database) {
  std::vector<size_t> group_of(merged.findings.size());
  for (size_t i = 0; i < merged.groups.size(); ++i) {
    const FindingGroup& group = merged.groups[i];
    for (const size_t place : group.findings) group_of[place] = i + 1;
    database.Insert("INSERT INTO finding_groups VALUES(?,?,?,?,?,?,?,?,?)", i + 1, group.signature,
                    group.planted, group.coarse.rule, group.coarse.complaint,
                    absl::StrJoin(group.coarse.statements, ", "), group.findings.size(),
                    group.failures, group.shards.size());
  }
  for (size_t i = 0; i < merged.findings.size(); ++i) {
    const MergedFinding& finding = merged.findings[i];
    const ShardFinding& best = finding.best;
    database.Insert("INSERT INTO findings VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", best.signature,
                    finding.planted, best.rule, best.kind, best.text, best.program, best.folder,
                    findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder)),
                    best.seed, finding.shard, finding.job + 1, best.index, finding.failures,
                    finding.shards.size(), finding.programs.size(), group_of[i]);
    for (const uint64_t shard : finding.shards) {
      database.Insert("INSERT INTO found_in VALUES(?,?,?)", best.signature, finding.planted, shard);
    }
  }
}

void WriteRows(const Merged& merged, Database& database) {
  database.Execute(kTables);
  const auto about = [&](const char* key, const auto& value) {
    database.Insert("INSERT INTO campaign VALUES(?,?)", key, value);
  };
  about("name", merged.plan.name);
  about("seed", merged.plan.seed);
  about("proof", merged.Proof());
  about("plan", PrintPlan(merged.plan));
  for (size_t i = 0; i < merged.jobs.size(); ++i) {
    const MergedJob& job = merged.jobs[i];
    const Job& planned = merged.plan.jobs[i];
    database.Insert("INSERT INTO jobs VALUES(?,?,?,?,?,?,?,?,?,?,?)", i + 1, planned.verb,
                    FlagsText(planned), job.shards, job.done, job.programs, job.failed, job.waiting,
                    job.seconds, job.seen, job.unseen);
    for (const Point& point : job.curve) {
      database.Insert("INSERT INTO curve VALUES(?,?,?,?)", i + 1, point.programs, point.seconds,
                      point.seen);
    }
  }
  for (const MergedShard& shard : merged.shards) {
    database.Insert("INSERT INTO shards VALUES(?,?,?,?,?,?,?,?)", shard.shard, shard.job + 1,
                    shard.epoch, shard.done, shard.programs, shard.failed, shard.waiting,
                    shard.seconds);
  }
  WriteFindings(merged, database);
  for (const Canary& canary : merged.canaries) {
    database.Insert("INSERT INTO canaries VALUES(?,?,?,?)", canary.shard,
                    workers::DefectName(canary.defect), canary.done, canary.found);
  }
  for (const std::string& text : merged.complaints) {
    database.Insert("INSERT INTO complaints VALUES(?)", text);
  }
  database.Execute("COMMIT");
}

}  // namespace

absl::Status WriteDatabase(const Merged& merged, const std::string& path) {
  absl::StatusOr<workers::TemporaryFolder> local = workers::TemporaryFolder::Make("campaign-merge");
  if (!local.ok()) return local.status();
  const std::string made = local->path() + "/results.sqlite";
  std::string why;
  {
    Database database(made);
    WriteRows(merged, database);
    why = database.error();
  }
  if (why.empty()) return Publish(made, path);
  return absl::UnavailableError(absl::StrCat(
      "[campaign] cannot write ", made, " (", why,
      "); needed is room where temporary files go; make room, or set TMPDIR, and merge "
      "again: the shards are as they were"));
}

}  // namespace twingrad::campaign
