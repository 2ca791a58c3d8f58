// SimDevice: the simulated accelerator. Memory is host memory; streams are queues that run later.
//
//   SimDevice sim;
//   Stream a = sim.CreateStream(0), b = sim.CreateStream(0);
//   sim.Launch(a, {{.data = x, .bytes = 8, .is_write = true}}, "fill", [=] { *x = 1; });
//   sim.Launch(b, {{.data = x, .bytes = 8, .is_write = false}}, "use", [=] { Use(*x); });
//   sim.TakeReports();   // "... read by use ... is not ordered with the write by fill ..."
//
// It finds with no GPU what goes wrong on one: every read, write or reuse of memory that no event,
// no synchronisation and no stream orders is reported when it is queued, whether or not this run
// came out right (stream_order.h). And since nothing runs before it must, or before RunOne is
// called, the values do come out wrong in the orders that a real device would allow. Which work
// runs while the host waits, and what runs before it has to, the scheduler of an execution chooses
// (autograd/sync/activity.h), where there is one. It is asked whenever the host looks at what work
// does: when it waits or asks for an event, reads memory, or allocates what work may still use.
// Work shows nowhere else, so all orders are among its choices.
//
// Work runs on the thread that synchronises, with the device's lock held: it must not call the
// device. Kernels of tensors of `sim` run at once, on the thread that queues them, and only tell
// the device what they touched (NoteAccess); those of tensors of `late` are queued (Launch). A
// block that another stream than its own has touched at once is not reused before the host has
// waited for that stream.
//
// To a scheduler of threads a call of the device is part of the step around it: a driver's lock is
// nothing that a program may rely on for order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/device/device_interface.h"
#include "autograd/device/stream_order.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {

class SimDevice final : public DeviceInterface {
 public:
  static constexpr int kDeviceCount = 8;

  // Of type kSim, or kLate.
  explicit SimDevice(DeviceType type = DeviceType::kSim) : type_(type) {}
  // Runs what is still queued.
  ~SimDevice() override;

  DeviceType type() const override { return type_; }
  int DeviceCount() const override { return kDeviceCount; }
  void* Allocate(size_t bytes, Stream stream) override;
  void Deallocate(void* data) override;
  void RecordStream(void* data, Stream stream) override;
  Stream CreateStream(uint8_t device_index) override;
  std::unique_ptr<Event> CreateEvent(uint8_t device_index) override;
  void NoteAccess(const void* data, size_t bytes, bool is_write, Stream stream) override;
  void Synchronize(Stream stream) override;
  void SynchronizeDevice(uint8_t device_index) override;
  void CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) override;
  void CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) override;
  void CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override;
  // Looks as if all that is queued had run, in the usual order; it has not.
  void Watch(void* to_host, const void* from, size_t bytes, Device device) override;

  void Launch(Stream stream, const std::vector<Access>& accesses, std::string what,
              std::function<void()> work) override;
  // The host itself reads or writes device memory, now.
  void AccessFromHost(const Access& access, const std::string& what);

  // Streams whose next work could run now.
  std::vector<Stream> RunnableStreams();
  // Runs the next work of a stream; false if it has none, or must wait for an event.
  bool RunOne(Stream stream);

  bool ReportsEachAccess() const override { return true; }
  // At most kMostReports of them.
  std::vector<std::string> TakeReports() override;
  std::vector<UnorderedAccess> TakeUnordered() override;
  std::vector<uint64_t> KnownOrder() override;
  uint64_t NumbersOf(Span<const Stream> streams, uint32_t* numbers) override;
  static constexpr size_t kMostReports = 100;

 private:
  class SimEvent;
  // The state that an event shares with the work that waits for it.
  struct Point {
    StreamOrder::Clock moment;
    size_t queue = 0;     // where it was recorded
    uint64_t number = 0;  // of the work it follows: reached once that many have run there
  };
  struct Work {
    std::string what;
    std::function<void()> run;               // null: waits only
    sync::SharedPtr<const Point> waits_for;  // null: for nothing
    std::vector<std::pair<char*, size_t>> writes = {};
  };
  struct Use {
    size_t queue;
    uint64_t number;
    StreamOrder::Clock moment;
  };
  // Another stream that uses a block which is in use.
  struct Recorded {
    Stream stream;
    bool at_once = false;  // by a kernel that NoteAccess told of
  };
  struct Block {
    size_t bytes;
    Stream stream;
    bool is_free = false;
    bool waits_for_host = false;     // before it is reused the host must know what is pending
    std::vector<Recorded> recorded;  // while it is in use
    std::vector<Use> pending;        // what must have run before it is reused
    StreamOrder::History history;
  };

  using Blocks = std::map<char*, Block, std::less<>>;  // by address
  struct Queue {
    Stream stream;
    StreamOrder::Timeline timeline;
    std::deque<Work> waiting;
    uint64_t queued = 0;  // in all; run = queued - waiting.size()
    std::map<size_t, std::vector<Blocks::value_type*>> free = {};  // its free blocks, by bytes
  };

  // When a stream is first named: an execution under a scheduler makes the device anew, and most
  // leave it alone.
  void AddDefaultStreams() AG_REQUIRES(mutex_);
  size_t IndexOf(Stream stream) AG_REQUIRES(mutex_) {
    if (queues_.empty()) AddDefaultStreams();
    // Default streams come first; the others are numbered by their place.
    const size_t index = stream.id == 0 ? stream.device.index : stream.id;
    if (index >= queues_.size() || queues_[index].stream != stream) RefuseStream(stream);
    return index;
  }
  [[noreturn]] static void RefuseStream(Stream stream);
  void Enqueue(Stream stream, const std::vector<Access>& accesses, std::string what,
               std::function<void()> work) AG_REQUIRES(mutex_);
  // Returns the block of which it is part; null: of none.
  Block* Check(StreamOrder::Timeline timeline, const Access& access, std::string_view what)
      AG_REQUIRES(mutex_);
  Blocks::value_type& InUse(void* data, const char* action) AG_REQUIRES(mutex_);
  // The block of which `data` is part; null: of none.
  Blocks::value_type* Find(const char* data, size_t bytes) AG_REQUIRES(mutex_);
  void Record(Block& block, Stream stream, bool at_once) AG_REQUIRES(mutex_) {
    if (stream != block.stream) RecordElsewhere(block, stream, at_once);
  }
  void RecordElsewhere(Block& block, Stream stream, bool at_once) AG_REQUIRES(mutex_);
  // Of a block that is given back.
  void MakeReusable(Blocks::value_type& given_back) AG_REQUIRES(mutex_);
  bool CanReuse(const Block& block) AG_REQUIRES(mutex_);
  void Report(UnorderedAccess report) AG_REQUIRES(mutex_);
  // Work that has run for who watches, and is undone before any other does.
  struct Preview {
    std::vector<size_t> run;  // of what waits in each queue; empty: none
    std::vector<std::pair<char*, size_t>> writes;
    std::vector<char> before;  // what they wrote over, one after the other
  };

  Stream DefaultStream(uint8_t device_index) const { return {{type_, device_index}}; }
  bool HasRun(size_t queue, uint64_t number) const AG_REQUIRES(mutex_) {
    const Queue& of = queues_[queue];
    return of.waiting.empty() || of.queued - of.waiting.size() >= number;
  }
  bool CanRunNext(size_t queue) AG_REQUIRES(mutex_);
  void RunNext(size_t queue) AG_REQUIRES(mutex_);
  void RunUntil(size_t queue, uint64_t number) AG_REQUIRES(mutex_);
  void PreviewUntil(size_t queue, uint64_t number) AG_REQUIRES(mutex_);
  void EndPreview() AG_REQUIRES(mutex_);
  // The queue whose work must run next before that of this one can.
  size_t NextFor(size_t queue) AG_REQUIRES(mutex_);
  // The queues whose next work could run, as far as sync::ChooseActivity takes them.
  uint64_t Able() AG_REQUIRES(mutex_);
  // The host looks: some of what could run may have run.
  void LetWorkGoOn() AG_REQUIRES(mutex_);
  // Runs all that is queued there; the host knows that.
  void Finish(size_t queue) AG_REQUIRES(mutex_);

  const DeviceType type_;
  sync::Mutex mutex_{"simulated accelerator"};
  std::vector<Queue> queues_ AG_GUARDED_BY(mutex_);
  Blocks blocks_ AG_GUARDED_BY(mutex_);  // none is ever erased
  // Those found last for addresses that share some bits: most accesses are of what was used before.
  std::array<Blocks::value_type*, 256> found_ AG_GUARDED_BY(mutex_) = {};
  StreamOrder::History strays_ AG_GUARDED_BY(mutex_);  // of accesses outside every block
  StreamOrder order_ AG_GUARDED_BY(mutex_);
  std::vector<UnorderedAccess> reports_ AG_GUARDED_BY(mutex_);
  Preview preview_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad
