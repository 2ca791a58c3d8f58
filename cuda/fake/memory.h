// DeviceMemory: pages that the host must not touch, as a device's memory is.
//
// A block's pages are readable or writable only while an Opened of it lives: during a kernel or a
// copy. Its end lies, rounded up to CUDA's alignment, before a page that is never open. So the
// host's reads, a kernel's accesses that it did not declare, and those far past a block's end stop
// the process, after a line that says which it was. What a kernel writes into the bytes between a
// block's end and the page's is found by IsIntact.
//
// Not thread-safe: its owner holds a lock.
#pragma once

#include <cstddef>

namespace twingrad::cuda::fake {

class DeviceMemory {
 public:
  static constexpr size_t kAlignment = 256;  // what CUDA promises

  // Addresses for all blocks there will ever be.
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // A block whose address no other has had; null when there are no more addresses.
  char* Take(size_t bytes);
  // Its pages are never open again.
  void GiveBack(char* data, size_t bytes);

  // Whether an address is one of a device.
  bool Contains(const void* data) const;

  // Opens a block for a scope, in which work of that name runs.
  class Opened {
   public:
    Opened(char* data, size_t bytes, bool is_write);
    ~Opened();
    Opened(Opened&& other) noexcept;
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    Opened& operator=(Opened&&) = delete;

   private:
    char* data_;
    size_t bytes_;
  };

  // Of an open block that is written: fills it with bytes that are no number.
  static void Spoil(char* data, size_t bytes);
  // Whether the bytes behind an open block are as Take left them.
  static bool IsIntact(const char* data, size_t bytes);

  // The name of the work that runs now, for the message of a stop; null: none.
  static void SetRunning(const char* name);

 private:
  char* begin_;
  char* next_;
};

}  // namespace twingrad::cuda::fake
