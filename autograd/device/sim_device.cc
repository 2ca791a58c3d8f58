// The simulated accelerator: queues, memory and the orders it reports; see sim_device.h.
#include "autograd/device/sim_device.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad {

namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

class SimDevice::SimEvent final : public Event {
 public:
  explicit SimEvent(SimDevice& device) : device_(device) {}

  void Record(Stream stream) override {
    sync::MutexLock lock(device_.mutex_);
    const size_t index = device_.IndexOf(stream);
    const Queue& queue = device_.queues_[index];
    point_ = sync::MakeShared<const Point>(
        Point{device_.order_.Now(queue.timeline), index, queue.queued});
  }
  void MakeWait(Stream stream) override {
    sync::MutexLock lock(device_.mutex_);
    Queue& queue = device_.queues_[device_.IndexOf(stream)];
    if (point_ == nullptr) return;
    device_.order_.Join(queue.timeline, point_->moment);
    queue.waiting.push_back({"wait", nullptr, point_});
    ++queue.queued;
  }
  bool IsReached() override {
    sync::MutexLock lock(device_.mutex_);
    if (point_ == nullptr) return true;
    if (!device_.HasRun(point_->queue, point_->number)) return false;
    device_.order_.Join(StreamOrder::kHost, point_->moment);
    return true;
  }
  void Synchronize() override {
    sync::MutexLock lock(device_.mutex_);
    if (point_ == nullptr) return;
    device_.RunUntil(point_->queue, point_->number);
    device_.order_.Join(StreamOrder::kHost, point_->moment);
  }

 private:
  SimDevice& device_;
  sync::SharedPtr<const Point> point_;  // guarded by the device's mutex
};

SimDevice::SimDevice() {
  sync::MutexLock lock(mutex_);
  for (int index = 0; index < kDeviceCount; ++index) {
    const Stream stream{Device::Sim(static_cast<uint8_t>(index))};
    queues_.push_back({stream, order_.AddTimeline(stream.ToString()), {}, 0});
  }
}

SimDevice::~SimDevice() {
  for (int index = 0; index < kDeviceCount; ++index) SynchronizeDevice(static_cast<uint8_t>(index));
  sync::MutexLock lock(mutex_);
  for (const auto& [data, block] : blocks_) ::operator delete(const_cast<char*>(data), kAlignment);
}

// Memory.

bool SimDevice::CanReuse(const Block& block, size_t bytes, Stream stream) {
  if (!block.is_free || block.bytes != bytes || block.stream != stream) return false;
  return std::all_of(block.pending.begin(), block.pending.end(),
                     [&](const Use& use) AG_NO_THREAD_SAFETY_ANALYSIS {  // held by the caller
                       return HasRun(use.queue, use.number);
                     });
}

void* SimDevice::Allocate(size_t bytes, Stream stream) {
  sync::MutexLock lock(mutex_);
  IndexOf(stream);
  const size_t size = std::max<size_t>(bytes, 1);
  for (auto& [data, block] : blocks_) {
    if (!CanReuse(block, size, stream)) continue;
    // The host has seen the pending work done: what it queues from now on comes after that work.
    for (const Use& use : block.pending) order_.Join(StreamOrder::kHost, use.moment);
    block.pending.clear();
    block.is_free = false;
    return const_cast<char*>(data);
  }
  char* const data = static_cast<char*>(::operator new(size, kAlignment, std::nothrow));
  if (data == nullptr) {
    throw Error(ErrorKind::kDevice,
                absl::StrCat("[device] no memory for ", bytes, " bytes on ",
                             stream.device.ToString(), "; free tensors or use smaller ones"));
  }
  blocks_.emplace(data, Block{size, stream, false, {}, {}});
  return data;
}

SimDevice::Block& SimDevice::InUse(const void* data, const char* action) {
  const auto found = blocks_.find(static_cast<const char*>(data));
  if (found == blocks_.end() || found->second.is_free) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[device] ", action, " of an address that is ",
                             found == blocks_.end() ? "no block of the simulated accelerator"
                                                    : "a block given back already",
                             "; pass what Allocate returned, once"));
  }
  return found->second;
}

void SimDevice::Deallocate(void* data) {
  sync::MutexLock lock(mutex_);
  Block& block = InUse(data, "Deallocate");
  block.is_free = true;
  for (const Stream& stream : block.recorded) {
    const size_t index = IndexOf(stream);
    const Queue& queue = queues_[index];
    block.pending.push_back({index, queue.queued, order_.Now(queue.timeline)});
  }
  block.recorded.clear();
}

void SimDevice::RecordStream(void* data, Stream stream) {
  sync::MutexLock lock(mutex_);
  IndexOf(stream);
  Block& block = InUse(data, "RecordStream");
  if (stream == block.stream) return;
  if (std::find(block.recorded.begin(), block.recorded.end(), stream) == block.recorded.end()) {
    block.recorded.push_back(stream);
  }
}

// Streams.

size_t SimDevice::IndexOf(Stream stream) {
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].stream == stream) return i;
  }
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[device] ", stream.ToString(),
                           " is no stream of the simulated accelerator, which has ", kDeviceCount,
                           " devices; use a device's stream 0 or one from CreateStream"));
}

Stream SimDevice::CreateStream(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  IndexOf(Stream{Device::Sim(device_index)});
  const Stream stream{Device::Sim(device_index), static_cast<uint32_t>(queues_.size())};
  queues_.push_back({stream, order_.AddTimeline(stream.ToString()), {}, 0});
  return stream;
}

std::unique_ptr<Event> SimDevice::CreateEvent(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  IndexOf(Stream{Device::Sim(device_index)});
  return std::make_unique<SimEvent>(*this);
}

void SimDevice::Synchronize(Stream stream) {
  sync::MutexLock lock(mutex_);
  Finish(IndexOf(stream));
}

void SimDevice::SynchronizeDevice(uint8_t device_index) {
  sync::MutexLock lock(mutex_);
  IndexOf(Stream{Device::Sim(device_index)});
  for (size_t index = 0; index < queues_.size(); ++index) {
    if (queues_[index].stream.device == Device::Sim(device_index)) Finish(index);
  }
}

// Work.

void SimDevice::Check(StreamOrder::Timeline timeline, const Access& access,
                      const std::string& what) {
  if (access.bytes == 0) return;
  const char* const data = static_cast<const char*>(access.data);
  auto block = blocks_.upper_bound(data);
  const bool inside = block != blocks_.begin() &&
                      (--block, data + access.bytes <= block->first + block->second.bytes);
  if (!inside || block->second.is_free) {
    reports_.push_back(absl::StrCat(
        "[device] ", access.is_write ? "write" : "read", " by ", what, " of ", access.bytes,
        inside ? " bytes of a block that was given back; keep it until its last use is queued"
               : " bytes outside every block of the simulated accelerator; use its Allocate"));
  }
  if (auto report = order_.Access(timeline, data, access.bytes, access.is_write, what)) {
    reports_.push_back(*std::move(report));
  }
}

void SimDevice::Enqueue(Stream stream, const std::vector<Access>& accesses, std::string what,
                        std::function<void()> work) {
  Queue& queue = queues_[IndexOf(stream)];
  order_.Queue(queue.timeline);
  for (const Access& access : accesses) Check(queue.timeline, access, what);
  queue.waiting.push_back({std::move(what), std::move(work), nullptr});
  ++queue.queued;
}

void SimDevice::Launch(Stream stream, const std::vector<Access>& accesses, std::string what,
                       std::function<void()> work) {
  sync::MutexLock lock(mutex_);
  Enqueue(stream, accesses, std::move(what), std::move(work));
}

void SimDevice::AccessFromHost(const Access& access, const std::string& what) {
  sync::MutexLock lock(mutex_);
  Check(StreamOrder::kHost, access, what);
}

void SimDevice::CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) {
  const char* const from = static_cast<const char*>(from_host);
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{to, bytes, true}}, "copy from host",
          [to, data = std::vector<char>(from, from + bytes)] {
            std::copy(data.begin(), data.end(), static_cast<char*>(to));
          });
}

void SimDevice::CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) {
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{from, bytes, false}}, "copy to host", [=] {
    if (bytes > 0) std::memcpy(to_host, from, bytes);
  });
  Finish(IndexOf(stream));
}

void SimDevice::CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) {
  sync::MutexLock lock(mutex_);
  Enqueue(stream, {{from, bytes, false}, {to, bytes, true}}, "copy on device", [=] {
    if (bytes > 0) std::memcpy(to, from, bytes);
  });
}

// Running.

bool SimDevice::HasRun(size_t queue, uint64_t number) {
  return queues_[queue].queued - queues_[queue].waiting.size() >= number;
}

bool SimDevice::CanRunNext(size_t queue) {
  if (queues_[queue].waiting.empty()) return false;
  const auto& point = queues_[queue].waiting.front().waits_for;
  return point == nullptr || HasRun(point->queue, point->number);
}

void SimDevice::RunNext(size_t queue) {
  const Work work = std::move(queues_[queue].waiting.front());
  queues_[queue].waiting.pop_front();
  if (work.run) work.run();
}

// What is waited for was queued before the wait was, so this ends.
void SimDevice::RunUntil(size_t queue, uint64_t number) {
  while (!HasRun(queue, number)) {
    if (const auto point = queues_[queue].waiting.front().waits_for) {
      RunUntil(point->queue, point->number);
    }
    RunNext(queue);
  }
}

void SimDevice::Finish(size_t queue) {
  RunUntil(queue, queues_[queue].queued);
  order_.Join(StreamOrder::kHost, order_.Now(queues_[queue].timeline));
}

std::vector<Stream> SimDevice::RunnableStreams() {
  sync::MutexLock lock(mutex_);
  std::vector<Stream> streams;
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (CanRunNext(i)) streams.push_back(queues_[i].stream);
  }
  return streams;
}

bool SimDevice::RunOne(Stream stream) {
  sync::MutexLock lock(mutex_);
  const size_t index = IndexOf(stream);
  if (!CanRunNext(index)) return false;
  RunNext(index);
  return true;
}

std::vector<std::string> SimDevice::TakeReports() {
  sync::MutexLock lock(mutex_);
  return std::exchange(reports_, {});
}

}  // namespace twingrad
