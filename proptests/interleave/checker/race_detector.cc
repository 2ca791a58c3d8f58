#include "proptests/interleave/checker/race_detector.h"

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

namespace {

std::string Place(const std::source_location& where) {
  return absl::StrCat(where.file_name(), ":", where.line());
}

}  // namespace

void RaceDetector::Reset() {
  objects_.Clear();
  cells_.Clear();
  thread_count_ = 0;
  AddThread();
}

void RaceDetector::AddThread() {
  if (threads_.size() == thread_count_) threads_.emplace_back();
  Clock& clock = threads_[thread_count_];
  clock.Clear();
  clock.times[thread_count_++] = 1;
}

void RaceDetector::Spawn(ThreadId parent, ThreadId child) {
  while (thread_count_ <= static_cast<size_t>(child)) AddThread();
  ClockOf(child).Join(ClockOf(parent), thread_count_);
  Tick(parent);
}

void RaceDetector::Join(ThreadId thread, ThreadId ended) {
  ClockOf(thread).Join(ClockOf(ended), thread_count_);
}

void RaceDetector::Acquire(ThreadId thread, const Identity& object) {
  if (const Clock* released = objects_.Find(object)) {
    ClockOf(thread).Join(*released, thread_count_);
  }
}

void RaceDetector::Release(ThreadId thread, const Identity& object) {
  objects_.Get(object).Join(ClockOf(thread), thread_count_);
  Tick(thread);
}

Race RaceDetector::RaceOf(ThreadId thread, const Operation& operation,
                          const CellHistory& cell) const {
  const Clock& clock = ClockOf(thread);
  const bool is_write = operation.kind == OperationKind::kCellWrite;
  const bool after_write = cell.write.time > clock.At(cell.writer);
  const ThreadId other = after_write ? cell.writer : FirstUnordered(clock, cell);
  const Visit& visit = after_write ? cell.write : cell.reads[static_cast<size_t>(other)];
  return {absl::StrCat("[interleave] data race on a cell: ", is_write ? "write" : "read",
                       " by thread ", thread, " at ", Place(operation.where),
                       " is not ordered with the ", after_write ? "write" : "read", " by thread ",
                       other, " at ", Place(visit.where)),
          {Place(operation.where), Place(visit.where)}};
}

}  // namespace twingrad::interleave
