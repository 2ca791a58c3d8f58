// The simulated accelerator: queues, memory and the orders it reports; see sim_device.h.
#include "autograd/device/sim_device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <ranges>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/sync/activity.h"
#include "autograd/sync/watch.h"

namespace twingrad {

namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

class SimDevice::SimEvent final : public Event {
 public:
  explicit SimEvent(SimDevice& device) : device_(device) {}

  void Record(Stream stream) override {
    const sync::WatchScope watching;
    sync::MutexLock lock(device_.mutex_);
    const size_t index = device_.IndexOf(stream);
    const Queue& queue = device_.queues_[index];
    point_ = sync::MakeShared<const Point>(
        Point{device_.order_.Now(queue.timeline), index, queue.queued});
  }
  void MakeWait(Stream stream) override {
    const sync::WatchScope watching;
    sync::MutexLock lock(device_.mutex_);
    Queue& queue = device_.queues_[device_.IndexOf(stream)];
    if (point_ == nullptr) return;
    device_.order_.Join(queue.timeline, point_->moment);
    if (device_.HasRun(point_->queue, point_->number)) return;
    queue.waiting.push_back({"wait", nullptr, point_});
    ++queue.queued;
  }
  bool IsReached() override {
    const sync::WatchScope watching;
    sync::MutexLock lock(device_.mutex_);
    if (point_ == nullptr) return true;
    device_.LetWorkGoOn();
    if (!device_.HasRun(point_->queue, point_->number)) return false;
    device_.order_.See(point_->moment);
    return true;
  }
  void Synchronize() override {
    const sync::WatchScope watching;
    sync::MutexLock lock(device_.mutex_);
    if (point_ == nullptr) return;
    device_.RunUntil(point_->queue, point_->number);
    device_.order_.Join(StreamOrder::kHost, point_->moment);
  }

 private:
  SimDevice& device_;
  sync::SharedPtr<const Point> point_;  // guarded by the device's mutex
};

SimDevice::~SimDevice() {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  for (size_t index = 0; index < queues_.size(); ++index) Finish(index);
  for (const auto& [data, block] : blocks_) ::operator delete(data, kAlignment);
}

// Memory.

bool SimDevice::CanReuse(const Block& block) {
  return std::all_of(
      block.pending.begin(), block.pending.end(),
      [&](const Use& use) AG_NO_THREAD_SAFETY_ANALYSIS {  // held by the caller
        return HasRun(use.queue, use.number) &&
               (!block.waits_for_host || order_.Knows(StreamOrder::kHost, use.moment));
      });
}

void* SimDevice::Allocate(size_t bytes, Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const size_t size = std::max<size_t>(bytes, 1);
  std::vector<Blocks::value_type*>& candidates = queues_[IndexOf(stream)].free[size];
  if (!candidates.empty()) LetWorkGoOn();
  // The one given back last first, which caches still hold.
  for (auto*& candidate : std::views::reverse(candidates)) {
    auto& [data, block] = *candidate;
    if (!CanReuse(block)) continue;
    for (const Use& use : block.pending) order_.See(use.moment);
    block.pending.clear();
    block.is_free = false;
    char* const reused = data;
    std::swap(candidate, candidates.back());
    candidates.pop_back();
    return reused;
  }
  char* const data = static_cast<char*>(::operator new(size, kAlignment, std::nothrow));
  if (data == nullptr) {
    throw Error(ErrorKind::kDevice,
                absl::StrCat("[device] no memory for ", bytes, " bytes on ",
                             stream.device.ToString(), "; free tensors or use smaller ones"));
  }
  try {
    blocks_.emplace(data, Block{size, stream, false, false, {}, {}, {}});
  } catch (...) {
    ::operator delete(data, kAlignment);
    throw;
  }
  return data;
}

SimDevice::Blocks::value_type& SimDevice::InUse(void* data, const char* action) {
  Blocks::value_type* const found = Find(static_cast<char*>(data), 1);
  const bool is_block = found != nullptr && found->first == data;
  if (!is_block || found->second.is_free) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[device] ", action, " of an address that is ",
                             is_block ? "a block given back already"
                                      : "no block of the simulated accelerator",
                             "; pass what Allocate returned, once"));
  }
  return *found;
}

void SimDevice::Deallocate(void* data) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Blocks::value_type& in_use = InUse(data, "Deallocate");
  Block& block = in_use.second;
  block.is_free = true;
  block.waits_for_host = false;
  try {
    MakeReusable(in_use);
  } catch (const std::bad_alloc&) {
    // Whoever gives memory back cannot be told that there is none: the block is not used again.
  }
}

void SimDevice::MakeReusable(Blocks::value_type& given_back) {
  Block& block = given_back.second;
  std::vector<StreamOrder::Timeline> recorded;
  for (const Recorded& other : block.recorded) {
    const size_t index = IndexOf(other.stream);
    const Queue& queue = queues_[index];
    block.pending.push_back({index, queue.queued, order_.Now(queue.timeline)});
    block.waits_for_host |= other.at_once;
    recorded.push_back(queue.timeline);
  }
  block.recorded.clear();
  Queue& owner = queues_[IndexOf(block.stream)];
  if (auto report = order_.GiveBack(block.history, owner.timeline, recorded)) {
    Report(*std::move(report));
  }
  owner.free[block.bytes].push_back(&given_back);
}

void SimDevice::RecordElsewhere(Block& block, Stream stream, bool at_once) {
  for (Recorded& other : block.recorded) {
    if (other.stream != stream) continue;
    other.at_once |= at_once;
    return;
  }
  block.recorded.push_back({stream, at_once});
}

void SimDevice::RecordStream(void* data, Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  IndexOf(stream);
  Record(InUse(data, "RecordStream").second, stream, /*at_once=*/false);
}

// Streams.

void SimDevice::AddDefaultStreams() {
  for (int index = 0; index < kDeviceCount; ++index) {
    const Stream stream = DefaultStream(static_cast<uint8_t>(index));
    queues_.push_back({stream, order_.AddTimeline(stream.ToString()), {}, 0, {}});
  }
}

void SimDevice::RefuseStream(Stream stream) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[device] ", stream.ToString(),
                           " is no stream of the simulated accelerator, which has ", kDeviceCount,
                           " devices; use a device's stream 0 or one from CreateStream"));
}

Stream SimDevice::CreateStream(uint8_t device_index) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  IndexOf(DefaultStream(device_index));
  const Stream stream{{type_, device_index}, static_cast<uint32_t>(queues_.size())};
  queues_.push_back({stream, order_.AddTimeline(stream.ToString()), {}, 0, {}});
  return stream;
}

std::unique_ptr<Event> SimDevice::CreateEvent(uint8_t device_index) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  IndexOf(DefaultStream(device_index));
  return std::make_unique<SimEvent>(*this);
}

void SimDevice::Synchronize(Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Finish(IndexOf(stream));
}

void SimDevice::SynchronizeDevice(uint8_t device_index) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  IndexOf(DefaultStream(device_index));
  for (size_t index = 0; index < queues_.size(); ++index) {
    if (queues_[index].stream.device == Device{type_, device_index}) Finish(index);
  }
}

// Work.

SimDevice::Blocks::value_type* SimDevice::Find(const char* data, size_t bytes) {
  const auto end = [](const Blocks::value_type& block) { return block.first + block.second.bytes; };
  Blocks::value_type*& found =
      found_[reinterpret_cast<uintptr_t>(data) / static_cast<size_t>(kAlignment) % found_.size()];
  // Where one block ends the next may begin, which is then that of an access to no bytes.
  if (found == nullptr || data < found->first || data >= end(*found)) {
    const auto after = blocks_.upper_bound(data);
    if (after == blocks_.begin()) return nullptr;
    found = &*std::prev(after);
  }
  return data + bytes <= end(*found) ? found : nullptr;
}

void SimDevice::Report(UnorderedAccess report) {
  if (reports_.size() < kMostReports) reports_.push_back(std::move(report));
}

SimDevice::Block* SimDevice::Check(StreamOrder::Timeline timeline, const Access& access,
                                   std::string_view what) {
  const char* const data = static_cast<const char*>(access.data);
  Blocks::value_type* const found = Find(data, access.bytes);
  Block* const block = found != nullptr ? &found->second : nullptr;
  if (access.bytes == 0) return block;
  if (block == nullptr || block->is_free) {
    Report({absl::StrCat(
                "[device] ", access.is_write ? "write" : "read", " by ", what, " of ", access.bytes,
                block != nullptr
                    ? " bytes of a block that was given back; keep it until its last use is queued"
                    : " bytes outside every block of the simulated accelerator; use its Allocate"),
            CurrentWorkStatement(), kNoStatement});
  }
  StreamOrder::History& history = block != nullptr ? block->history : strays_;
  if (auto report = order_.Access(history, timeline, data, access.bytes, access.is_write, what,
                                  CurrentWorkStatement())) {
    Report(*std::move(report));
  }
  return block;
}

void SimDevice::NoteAccess(const void* data, size_t bytes, bool is_write, Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const size_t index = IndexOf(stream);
  Queue& queue = queues_[index];
  EndPreview();
  // After what was queued there before, and done.
  if (!queue.waiting.empty()) RunUntil(index, queue.queued);
  ++queue.queued;
  order_.Queue(queue.timeline);
  Block* const block = Check(queue.timeline, {data, bytes, is_write}, CurrentWorkLabel());
  if (block != nullptr) Record(*block, stream, /*at_once=*/true);
}

void SimDevice::Enqueue(Stream stream, const std::vector<Access>& accesses, std::string what,
                        std::function<void()> work) {
  Queue& queue = queues_[IndexOf(stream)];
  order_.Queue(queue.timeline);
  for (const Access& access : accesses) Check(queue.timeline, access, what);
  Work& queued = queue.waiting.emplace_back(Work{std::move(what), std::move(work), nullptr});
  for (const Access& access : accesses) {
    if (!access.is_write) continue;
    queued.writes.emplace_back(static_cast<char*>(const_cast<void*>(access.data)), access.bytes);
  }
  ++queue.queued;
}

void SimDevice::Launch(Stream stream, const std::vector<Access>& accesses, std::string what,
                       std::function<void()> work) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Enqueue(stream, accesses, std::move(what), std::move(work));
}

void SimDevice::AccessFromHost(const Access& access, const std::string& what) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  EndPreview();
  Check(StreamOrder::kHost, access, what);
}

void SimDevice::CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) {
  const char* const from = static_cast<const char*>(from_host);
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{to, bytes, true}}, "copy from host",
          [to, data = std::vector<char>(from, from + bytes)] {
            std::copy(data.begin(), data.end(), static_cast<char*>(to));
          });
}

void SimDevice::CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{from, bytes, false}}, "copy to host", [=] {
    if (bytes > 0) std::memcpy(to_host, from, bytes);
  });
  Finish(IndexOf(stream));
}

void SimDevice::CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{from, bytes, false}, {to, bytes, true}}, "copy on device", [=] {
    if (bytes > 0) std::memcpy(to, from, bytes);
  });
}

// Running.

bool SimDevice::CanRunNext(size_t queue) {
  if (queues_[queue].waiting.empty()) return false;
  const auto& point = queues_[queue].waiting.front().waits_for;
  return point == nullptr || HasRun(point->queue, point->number);
}

void SimDevice::RunNext(size_t queue) {
  EndPreview();
  const Work work = std::move(queues_[queue].waiting.front());
  queues_[queue].waiting.pop_front();
  sync::NoteActivity(static_cast<int>(queue), [&]() AG_NO_THREAD_SAFETY_ANALYSIS {
    return sync::ActivityStep{queues_[queue].stream.ToString(), work.what};
  });
  if (work.run) work.run();
}

// What is waited for was queued before the wait was, so this ends.
size_t SimDevice::NextFor(size_t queue) {
  while (!CanRunNext(queue)) queue = queues_[queue].waiting.front().waits_for->queue;
  return queue;
}

uint64_t SimDevice::Able() {
  const size_t most = std::min<size_t>(queues_.size(), sync::kMostActivities);
  uint64_t able = 0;
  for (size_t queue = 0; queue < most; ++queue) {
    if (CanRunNext(queue)) able |= uint64_t{1} << queue;
  }
  return able;
}

void SimDevice::LetWorkGoOn() {
  for (uint64_t able = Able(); able != 0; able = Able()) {
    const int next = sync::ChooseActivity(able, sync::kNoActivity);
    if (next == sync::kNoActivity) return;
    RunNext(static_cast<size_t>(next));
  }
}

void SimDevice::RunUntil(size_t queue, uint64_t number) {
  while (!HasRun(queue, number)) {
    const int next = static_cast<int>(NextFor(queue));
    RunNext(static_cast<size_t>(sync::ChooseActivity(Able(), next)));
  }
}

void SimDevice::PreviewUntil(size_t queue, uint64_t number) {
  const Queue& of = queues_[queue];
  size_t& run = preview_.run[queue];
  while (of.queued - of.waiting.size() + run < number) {
    const Work& work = of.waiting[run];
    if (const auto& point = work.waits_for) PreviewUntil(point->queue, point->number);
    for (const auto& [data, bytes] : work.writes) {
      preview_.writes.emplace_back(data, bytes);
      preview_.before.insert(preview_.before.end(), data, data + bytes);
    }
    if (work.run) work.run();
    ++run;
  }
}

void SimDevice::EndPreview() {
  if (preview_.run.empty()) return;
  for (; !preview_.writes.empty(); preview_.writes.pop_back()) {
    const auto& [data, bytes] = preview_.writes.back();
    const auto saved = preview_.before.end() - static_cast<std::ptrdiff_t>(bytes);
    std::copy(saved, preview_.before.end(), data);
    preview_.before.erase(saved, preview_.before.end());
  }
  preview_.run.clear();
}

void SimDevice::Watch(void* to_host, const void* from, size_t bytes, Device device) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  IndexOf(DefaultStream(device.index));
  if (preview_.run.empty()) LetWorkGoOn();
  preview_.run.resize(queues_.size());
  for (size_t index = 0; index < queues_.size(); ++index) {
    if (queues_[index].stream.device == device) PreviewUntil(index, queues_[index].queued);
  }
  if (bytes > 0) std::memcpy(to_host, from, bytes);
}

void SimDevice::Finish(size_t queue) {
  RunUntil(queue, queues_[queue].queued);
  order_.Join(StreamOrder::kHost, order_.Now(queues_[queue].timeline));
}

std::vector<Stream> SimDevice::RunnableStreams() {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  std::vector<Stream> streams;
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (CanRunNext(i)) streams.push_back(queues_[i].stream);
  }
  return streams;
}

bool SimDevice::RunOne(Stream stream) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const size_t index = IndexOf(stream);
  if (!CanRunNext(index)) return false;
  RunNext(index);
  return true;
}

std::vector<uint64_t> SimDevice::KnownOrder() {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  return order_.Table();
}

uint64_t SimDevice::NumbersOf(Span<const Stream> streams, uint32_t* numbers) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  for (const Stream stream : streams) {
    *numbers++ = static_cast<uint32_t>(queues_[IndexOf(stream)].timeline);
  }
  return order_.changes();
}

std::vector<std::string> SimDevice::TakeReports() {
  std::vector<std::string> texts;
  for (UnorderedAccess& report : TakeUnordered()) texts.push_back(std::move(report.text));
  return texts;
}

std::vector<UnorderedAccess> SimDevice::TakeUnordered() {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  return std::exchange(reports_, {});
}

}  // namespace twingrad
