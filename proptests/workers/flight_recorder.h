// What a worker leaves behind when it dies: pages of a file that it shares with its parent.
//
// A worker writes the seed before each run, or the program where it has no seed, and commits its
// counters after it, or after several that it judges together, all by plain stores into mapped
// memory: no system call, so well under a microsecond a program, and the kernel keeps the pages
// whatever becomes of the process. One worker writes; the parent reads, at any time
// while the worker lives for the atomics, after its death for the rest.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/workers/case.h"

namespace twingrad::workers {

// Nanoseconds of the monotonic clock, the same in all processes.
uint64_t MonotonicNanoseconds();

enum class Phase : uint32_t { kStarting, kIdle, kGenerating, kJudging };

// The state of a worker. Plain and atomic words only: it is shared memory.
struct FlightRecord {
  static constexpr size_t kMaxProgram = size_t{1} << 23;

  std::atomic<uint32_t> phase;
  std::atomic<uint64_t> phase_began;  // MonotonicNanoseconds()
  std::atomic<uint64_t> index;      // of the current program in the campaign, or (idle) of the next
  std::atomic<uint64_t> chunk_end;  // programs up to this one (exclusive) are this worker's
  // Programs of [batch_begin, batch_end) are judged together: none is committed before all are.
  std::atomic<uint64_t> batch_begin;
  std::atomic<uint64_t> batch_end;
  // Of the chunk that a dead worker has left, the program that it died of, plus 1; 0: of none.
  std::atomic<uint64_t> fatal;
  std::atomic<uint64_t> seed;
  std::atomic<uint64_t> longest;  // that a step of a program has taken, in nanoseconds

  // The chunks that this worker has begun, each later one in place of the oldest: what it ran.
  static constexpr size_t kMaxChunks = 32;
  struct Chunk {
    uint64_t begin;
    uint64_t end;
  };
  std::atomic<uint64_t> num_chunks;
  Chunk chunks[kMaxChunks];

  // Two copies; `committed` says which is whole.
  struct Progress {
    uint64_t programs;
    uint64_t seeds;  // their sum: tells programs lost and judged twice apart from all judged once
    uint64_t after;  // the last one's index, plus 1
    uint64_t num_counters;
    uint64_t counters[kMaxCounters];
  };
  std::atomic<uint32_t> committed;
  std::atomic<uint64_t> commits;  // begun
  Progress progress[2];

  // For the judge alone, see CaseJudge::KeepScratchIn.
  alignas(64) std::byte scratch[kScratchBytes];

  std::atomic<uint32_t> program_size;  // 0: not recorded
  char program[kMaxProgram];
};

// What all workers of a campaign share: the programs not yet handed out.
struct CampaignRecord {
  std::atomic<uint64_t> next;  // first index not handed out
  std::atomic<uint64_t> total;
  std::atomic<uint64_t> chunk;  // how many a worker takes at once
  std::atomic<uint64_t> seed;
  std::atomic<uint32_t> stop;  // 1: take no further program
};

// A file mapped as one object of type T, which must be all zeros when fresh. Shared by processes.
template <typename T>
class MappedFile {
 public:
  MappedFile() = default;

  // Makes (zeroed) or opens the file.
  static absl::StatusOr<MappedFile> Create(const std::string& path) { return Map(path, true); }
  static absl::StatusOr<MappedFile> Open(const std::string& path) { return Map(path, false); }

  T* operator->() const { return record_.get(); }
  T& operator*() const { return *record_; }

 private:
  struct Unmap {
    void operator()(T* record) const;
  };
  static absl::StatusOr<MappedFile> Map(const std::string& path, bool create);

  std::unique_ptr<T, Unmap> record_;
};

// The worker's side. Each call is a few stores.
void BeginChunk(FlightRecord& record, uint64_t begin, uint64_t end);
void BeginBatch(FlightRecord& record, uint64_t begin, uint64_t end);
void BeginGenerating(FlightRecord& record, uint64_t index, uint64_t seed);
// `program`: its text; empty where the seed says all.
void BeginJudging(FlightRecord& record, std::string_view program = {});
// A later step of one of the batch.
void ResumeJudging(FlightRecord& record, uint64_t index, uint64_t seed);
// All programs of the batch, whose seeds have this sum.
void CommitBatch(FlightRecord& record, uint64_t seeds, absl::Span<const uint64_t> counters);

// The indices of the programs that this worker ran before the current one, as far as its chunks are
// recorded, and of those that it judged together with it.
std::vector<uint64_t> IndicesBefore(const FlightRecord& record, uint64_t index);

// The parent's side.
std::string RecordedProgram(const FlightRecord& record);
const FlightRecord::Progress& CommittedProgress(const FlightRecord& record);
// Whether a dead worker has committed the current program: it ends a batch, or was one by itself.
bool IsCommitted(const FlightRecord& record);
// The first program of its chunk that it has not committed.
uint64_t FirstUncommitted(const FlightRecord& record);
// Copies it while the worker goes on: as one commit left it, never half of one and half of the
// next.
void CopySettled(const FlightRecord& record, FlightRecord::Progress* copy);

}  // namespace twingrad::workers
