#include "proptests/workers/flight_recorder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {

static_assert(std::atomic<uint64_t>::is_always_lock_free, "shared memory cannot hold a lock");
static_assert(std::atomic<uint32_t>::is_always_lock_free, "shared memory cannot hold a lock");

namespace {

absl::StatusOr<void*> MapBytes(const std::string& path, size_t size, bool create) {
  if (create) {
    // The file is sparse: a page that finds no room would end this process where it is touched.
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (absl::Status room = RoomFor(size, folder); !room.ok()) return room;
  }
  const int fd = open(path.c_str(), (create ? O_CREAT | O_TRUNC : 0) | O_RDWR | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (fd >= 0 && (!create || ftruncate(fd, static_cast<off_t>(size)) == 0)) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) {
    return absl::UnavailableError(
        absl::StrCat("[oracle] cannot map ", path, " (", std::strerror(error),
                     "); needed is a temporary folder with some MiB free; set TMPDIR to one"));
  }
  return memory;
}

void EnterPhase(FlightRecord& record, Phase phase) {
  const uint64_t now = MonotonicNanoseconds();
  const uint64_t took = now - record.phase_began.exchange(now, std::memory_order_relaxed);
  const auto left = static_cast<Phase>(record.phase.load(std::memory_order_relaxed));
  const bool counts = left == Phase::kGenerating || left == Phase::kJudging;
  if (counts && took > record.longest.load(std::memory_order_relaxed)) record.longest = took;
  record.phase.store(static_cast<uint32_t>(phase), std::memory_order_release);
}

}  // namespace

uint64_t MonotonicNanoseconds() {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(now.count());
}

template <typename T>
void MappedFile<T>::Unmap::operator()(T* record) const {
  munmap(record, sizeof(T));
}

template <typename T>
absl::StatusOr<MappedFile<T>> MappedFile<T>::Map(const std::string& path, bool create) {
  absl::StatusOr<void*> memory = MapBytes(path, sizeof(T), create);
  if (!memory.ok()) return memory.status();
  MappedFile file;
  file.record_.reset(static_cast<T*>(*memory));
  return file;
}

template class MappedFile<FlightRecord>;
template class MappedFile<CampaignRecord>;

void BeginChunk(FlightRecord& record, uint64_t begin, uint64_t end) {
  const uint64_t count = record.num_chunks.load(std::memory_order_relaxed);
  record.chunks[count % FlightRecord::kMaxChunks] = {begin, end};
  record.num_chunks.store(count + 1, std::memory_order_release);
}

std::vector<uint64_t> IndicesBefore(const FlightRecord& record, uint64_t index) {
  constexpr uint64_t kMax = FlightRecord::kMaxChunks;
  const uint64_t count = record.num_chunks.load(std::memory_order_acquire);
  std::vector<uint64_t> indices;
  for (uint64_t i = count > kMax ? count - kMax : 0; i < count; ++i) {
    const FlightRecord::Chunk& chunk = record.chunks[i % kMax];
    const bool last = i + 1 == count;
    const uint64_t begun = std::max<uint64_t>(index, record.batch_end.load());
    for (uint64_t at = chunk.begin; at < (last ? std::min(chunk.end, begun) : chunk.end); ++at) {
      if (at != index) indices.push_back(at);
    }
  }
  return indices;
}

void BeginBatch(FlightRecord& record, uint64_t begin, uint64_t end) {
  record.batch_begin.store(begin, std::memory_order_relaxed);
  record.batch_end.store(end, std::memory_order_relaxed);
}

void BeginGenerating(FlightRecord& record, uint64_t index, uint64_t seed) {
  record.program_size.store(0, std::memory_order_relaxed);
  record.index.store(index, std::memory_order_relaxed);
  record.seed.store(seed, std::memory_order_relaxed);
  EnterPhase(record, Phase::kGenerating);
}

void BeginJudging(FlightRecord& record, std::string_view program) {
  const size_t size = program.copy(record.program, FlightRecord::kMaxProgram);
  record.program_size.store(static_cast<uint32_t>(size), std::memory_order_relaxed);
  EnterPhase(record, Phase::kJudging);
}

void ResumeJudging(FlightRecord& record, uint64_t index, uint64_t seed) {
  record.index.store(index, std::memory_order_relaxed);
  record.seed.store(seed, std::memory_order_relaxed);
  EnterPhase(record, Phase::kJudging);
}

void CommitBatch(FlightRecord& record, uint64_t seeds, absl::Span<const uint64_t> counters) {
  const uint64_t begin = record.batch_begin.load(std::memory_order_relaxed);
  const uint64_t end = record.batch_end.load(std::memory_order_relaxed);
  const uint32_t whole = record.committed.load(std::memory_order_relaxed);
  FlightRecord::Progress& next = record.progress[1 - whole];
  // Before the first store to `next`, so that who copies it sees that it is no longer whole.
  record.commits.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  next.programs = record.progress[whole].programs + (end - begin);
  next.seeds = record.progress[whole].seeds + seeds;
  next.after = end;
  next.num_counters = std::min(counters.size(), kMaxCounters);
  std::copy_n(counters.begin(), next.num_counters, next.counters);
  record.committed.store(1 - whole, std::memory_order_release);
  EnterPhase(record, Phase::kIdle);
  record.index.store(end, std::memory_order_relaxed);
}

std::string RecordedProgram(const FlightRecord& record) {
  return std::string(record.program, record.program_size.load(std::memory_order_acquire));
}

void CopySettled(const FlightRecord& record, FlightRecord::Progress* copy) {
  while (true) {
    const uint64_t commits = record.commits.load(std::memory_order_acquire);
    const FlightRecord::Progress& whole = CommittedProgress(record);
    copy->programs = whole.programs;
    copy->seeds = whole.seeds;
    copy->after = whole.after;
    copy->num_counters = std::min<uint64_t>(whole.num_counters, kMaxCounters);
    std::copy_n(whole.counters, copy->num_counters, copy->counters);
    // A commit begun before this look writes the other copy; only one begun since can write this.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (record.commits.load(std::memory_order_relaxed) == commits) return;
  }
}

const FlightRecord::Progress& CommittedProgress(const FlightRecord& record) {
  return record.progress[record.committed.load(std::memory_order_acquire) & 1];
}

bool IsCommitted(const FlightRecord& record) {
  return CommittedProgress(record).after == record.index.load(std::memory_order_relaxed) + 1;
}

uint64_t FirstUncommitted(const FlightRecord& record) {
  const uint64_t index = record.index.load(std::memory_order_relaxed);
  if (IsCommitted(record)) return index + 1;
  const uint64_t begin = record.batch_begin.load(std::memory_order_relaxed);
  const uint64_t end = record.batch_end.load(std::memory_order_relaxed);
  return begin <= index && index < end ? begin : index;
}

}  // namespace twingrad::workers
