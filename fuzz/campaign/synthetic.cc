#include "fuzz/campaign/synthetic.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/record_file.h"
#include "fuzz/campaign/shard_state.h"
#include "fuzz/campaign/signature.h"
#include "proptests/findings/finding.h"
#include "proptests/workers/files.h"
#include "proptests/workers/worker.h"

namespace twingrad::campaign {
namespace {

constexpr uint64_t kPrograms = 10;

// What a process may say when it dies: what ends elements, fences and strings, colours, no UTF-8.
constexpr char kAwkward[] = "\"]]>\" </script> & ```` \x1b[31mred\x01 \xff\xfe \\";

// The finding `number`, as its kind shows under other names and numbers.
ShardFinding Found(uint64_t number, uint64_t kind) {
  findings::Finding finding;
  finding.result.oracle = kind % 2 == 0 ? "twin" : "dual";
  finding.result.text =
      absl::StrCat(finding.result.oracle, ": .grad of %v", number, ", statement ", number % 7,
                   ": wrong\n  expected ", number, "\n  said ", kAwkward, "\n");
  finding.program = absl::StrCat("%v", number, " = leaf type=f64[] data=", number, "\n");
  for (uint64_t i = 0; i <= kind / 2; ++i) {
    absl::StrAppend(&finding.program, "%x", number + i, " = exp %v", number, "\n");
  }
  ShardFinding found;
  found.signature = SignatureOf(finding);
  found.rule = finding.result.oracle;
  found.kind = KindOf(finding.result);
  found.text = finding.result.text;
  found.program = finding.program;
  found.seed = number;
  return found;
}

}  // namespace

absl::Status MakeSynthetic(const std::string& folder, uint64_t shards, uint64_t findings,
                           uint64_t kinds) {
  Plan plan;
  plan.seed = 1;
  plan.shards = shards;
  plan.jobs.resize(1);
  plan.jobs[0].programs = kPrograms;
  plan.jobs[0].flags = {{"ops", "exp,exp2,expm1,sigmoid,matmul,log_softmax,transpose"}};
  if (absl::Status status = MakeFolder(folder, plan); !status.ok()) return status;
  uint64_t number = 0;
  for (uint64_t shard = 0; shard < shards; ++shard) {
    absl::StatusOr<RecordWriter> writer = Claim(folder, plan, shard, {});
    if (!writer.ok()) return writer.status();
    ShardState state;
    state.after = state.programs = kPrograms;
    for (uint64_t i = 0; i < kPrograms; ++i) {
      state.seeds += workers::ProgramSeed(SeedOfShard(plan, shard), i);
    }
    state.counters.assign(1000, shard);
    state.seconds = 1;
    std::string lines = RecordLine(CheckpointRecord({}, state));
    for (; number < (shard + 1) * findings / shards; ++number) {
      const ShardFinding found = Found(number, number % kinds);
      ShardFinding placed = found;
      placed.folder = absl::StrCat("findings/", EpochName(shard, 1), "/", number);
      const absl::StatusOr<std::string> written =
          workers::WriteFolder(absl::StrCat(folder, "/", placed.folder),
                               {{"program.txt", found.program}, {"graph.svg", "<svg></svg>"}});
      if (!written.ok()) return written.status();
      lines += RecordLine(FindingRecord(number % kPrograms, placed));
    }
    lines += RecordLine(EndRecord(/*done=*/true));
    if (absl::Status status = writer->Append(lines, /*sync=*/false); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace twingrad::campaign
