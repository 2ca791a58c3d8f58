// DeviceInterface and Event: what an implementation of a device type offers to the rest of the
// engine.
//
// The three implementations are the CPU (cpu_device.h), the simulated accelerator (sim_device.h)
// and CUDA, which registers itself from //cuda (device_registry.h): nothing under autograd/ names
// it.
//
// All members may be called from any thread. What cannot be done is an twingrad::Error of kind
// kDevice (no such device, out of memory) or kInvalidArgument (a stream or an address of another
// device).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/device/stream.h"

namespace twingrad {

// A point in a stream that other streams, or the host, can wait for. Dies before its device does.
class Event {
 public:
  virtual ~Event() = default;

  // The point after all work queued on `stream` so far; replaces an earlier point.
  virtual void Record(Stream stream) = 0;
  // Work queued on `stream` from now on runs after the point. No point yet: nothing to wait for.
  virtual void MakeWait(Stream stream) = 0;
  // True when the point has been reached, or there is none.
  virtual bool IsReached() = 0;
  // Returns when the point has been reached.
  virtual void Synchronize() = 0;
};

class DeviceInterface {
 public:
  virtual ~DeviceInterface() = default;

  virtual DeviceType type() const = 0;
  // Devices of this type on this machine: indices 0 to count - 1. 0: none, and nothing else works.
  virtual int DeviceCount() const = 0;

  // Memory for work queued on `stream` from now on; 64-byte aligned, non-null even for 0 bytes.
  // The block belongs to the stream: once it is given back, it may be reused for work queued on
  // that stream later, without waiting.
  virtual void* Allocate(size_t bytes, Stream stream) = 0;
  // Gives a block back; work queued earlier on its stream may still use it.
  virtual void Deallocate(void* data) = 0;
  // Work on `stream`, not the block's own, uses it: it is not reused before that work has run.
  virtual void RecordStream(void* data, Stream stream) = 0;

  // A kernel that has run on the host, at once, read or wrote bytes of a block as work of `stream`.
  // Where another stream has the block, it is recorded as if by RecordStream: a block that work has
  // touched is never reused under it, whoever forgot to say so. Devices whose kernels run elsewhere
  // do nothing here.
  virtual void NoteAccess(const void* /*data*/, size_t /*bytes*/, bool /*is_write*/,
                          Stream /*stream*/) {}

  // Bytes that a piece of work reads, or writes (and then may read as well).
  struct Access {
    const void* data;
    size_t bytes;
    bool is_write;
  };
  // Queues `work`, which the host's code does when it is its turn and which touches exactly
  // `accesses`; `what` names it in reports. Only of devices whose memory is the host's.
  virtual void Launch(Stream stream, const std::vector<Access>& /*accesses*/, std::string what,
                      std::function<void()> /*work*/) {
    throw Error(ErrorKind::kUnsupported,
                "[" + what + "] unsupported on " + stream.device.ToString() +
                    ": work of the host's runs later on the simulated accelerator alone; queue "
                    "the device's own");
  }

  // Whether each access that nothing orders is reported, if the host tells of all.
  virtual bool ReportsEachAccess() const { return false; }
  // What a device that checks the order of accesses has found since the last call of one of these:
  // as texts, or with the statements whose work it is, where the device knows them.
  virtual std::vector<std::string> TakeReports() { return {}; }
  virtual std::vector<UnorderedAccess> TakeUnordered() {
    std::vector<UnorderedAccess> unordered;
    for (std::string& text : TakeReports()) unordered.push_back({std::move(text)});
    return unordered;
  }
  // Of such a device: what comes before the next work of each stream. A square table of counts of
  // work, row by row; row and column 0 are the host's, the others those of NumberOf. A last row
  // tells what was done already when the host looked.
  virtual std::vector<uint64_t> KnownOrder() { return {}; }
  // The row and column of each stream there. Returns how often that table has changed, but for its
  // first column.
  virtual uint64_t NumbersOf(Span<const Stream> streams, uint32_t* numbers) {
    std::fill_n(numbers, streams.size(), 0);
    return 0;
  }
  uint32_t NumberOf(Stream stream) {
    uint32_t number = 0;
    NumbersOf({&stream, 1}, &number);
    return number;
  }

  // A stream other than all before; it lives as long as the interface.
  virtual Stream CreateStream(uint8_t device_index) = 0;
  virtual std::unique_ptr<Event> CreateEvent(uint8_t device_index) = 0;
  // Return when all work queued so far on the stream, or on all streams of the device, has run.
  virtual void Synchronize(Stream stream) = 0;
  virtual void SynchronizeDevice(uint8_t device_index) = 0;

  // Reads the host's bytes before it returns; they arrive in stream order.
  virtual void CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) = 0;
  // Waits for the stream; the bytes are there when it returns.
  virtual void CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) = 0;
  // Reads what is there once all work of the device has run, for who only looks and is no work of a
  // stream. A device that checks the order of accesses learns nothing from it.
  virtual void Watch(void* to_host, const void* from, size_t bytes, Device device) {
    SynchronizeDevice(device.index);
    CopyToHost(to_host, from, bytes, Stream{device});
  }
  // Between blocks of devices of this type, in order of `stream`; the blocks do not overlap.
  virtual void CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) = 0;
};

}  // namespace twingrad
