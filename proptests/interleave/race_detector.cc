// Vector clocks over threads, synchronisation objects and cells; see race_detector.h.
#include "proptests/interleave/race_detector.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

namespace {

std::string Place(const std::source_location& where) {
  return absl::StrCat(where.file_name(), ":", where.line());
}

}  // namespace

void RaceDetector::Reset() {
  threads_.clear();
  objects_.clear();
  cells_.clear();
}

uint32_t RaceDetector::At(const Clock& clock, ThreadId thread) {
  const size_t index = static_cast<size_t>(thread);
  return index < clock.size() ? clock[index] : 0;
}

void RaceDetector::JoinInto(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

RaceDetector::Clock& RaceDetector::ClockOf(ThreadId thread) {
  const size_t index = static_cast<size_t>(thread);
  if (index < threads_.size()) [[likely]]
    return threads_[index];
  while (threads_.size() <= index) {
    Clock clock(threads_.size() + 1, 0);
    clock.back() = 1;
    threads_.push_back(std::move(clock));
  }
  return threads_[index];
}

void RaceDetector::Spawn(ThreadId parent, ThreadId child) {
  ClockOf(child);
  JoinInto(ClockOf(child), ClockOf(parent));
  ++ClockOf(parent)[static_cast<size_t>(parent)];
}

void RaceDetector::Join(ThreadId thread, ThreadId ended) {
  ClockOf(std::max(thread, ended));
  JoinInto(ClockOf(thread), ClockOf(ended));
}

void RaceDetector::Acquire(ThreadId thread, const void* object) {
  const auto found = objects_.find(object);
  if (found != objects_.end()) JoinInto(ClockOf(thread), found->second);
}

void RaceDetector::Release(ThreadId thread, const void* object) {
  Clock& mine = ClockOf(thread);
  JoinInto(objects_[object], mine);
  ++mine[static_cast<size_t>(thread)];
}

uint32_t RaceDetector::TimeOf(ThreadId thread) const {
  const size_t index = static_cast<size_t>(thread);
  return index < threads_.size() ? threads_[index][index] : 1;
}

bool RaceDetector::Knows(ThreadId thread, ThreadId other, uint32_t time) const {
  const size_t index = static_cast<size_t>(thread);
  return index < threads_.size() && At(threads_[index], other) >= time;
}

bool RaceDetector::HappensBefore(ThreadId earlier, const Visit& visit, ThreadId now) {
  return earlier == now || visit.time <= At(ClockOf(now), earlier);
}

std::optional<Race> RaceDetector::Access(ThreadId thread,
                                         const autograd::sync::model::Operation& operation) {
  const bool is_write = operation.kind == autograd::sync::model::OperationKind::kCellWrite;
  CellHistory& cell = cells_[operation.object];
  const auto race = [&](std::string_view kind, ThreadId other, const Visit& visit) {
    return Race{absl::StrCat("[interleave] data race on a cell: ", is_write ? "write" : "read",
                             " by thread ", thread, " at ", Place(operation.where),
                             " is not ordered with the ", kind, " by thread ", other, " at ",
                             Place(visit.where)),
                {Place(operation.where), Place(visit.where)}};
  };
  if (cell.write.time != 0 && !HappensBefore(cell.writer, cell.write, thread)) {
    return race("write", cell.writer, cell.write);
  }
  const Visit now{At(ClockOf(thread), thread), operation.where};
  if (!is_write) {
    if (cell.reads.size() <= static_cast<size_t>(thread)) {
      cell.reads.resize(static_cast<size_t>(thread) + 1);
    }
    cell.reads[static_cast<size_t>(thread)] = now;
    return std::nullopt;
  }
  for (size_t reader = 0; reader < cell.reads.size(); ++reader) {
    const Visit& read = cell.reads[reader];
    const ThreadId other = static_cast<ThreadId>(reader);
    if (read.time != 0 && !HappensBefore(other, read, thread)) return race("read", other, read);
  }
  cell.reads.clear();
  cell.writer = thread;
  cell.write = now;
  return std::nullopt;
}

}  // namespace twingrad::interleave
