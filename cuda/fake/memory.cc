#include "cuda/fake/memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "autograd/base/check.h"
#include "autograd/sync/atomic.h"

namespace twingrad::cuda::fake {
namespace {

constexpr size_t kAddresses = size_t{1} << 38;
constexpr size_t kPage = 4096;
constexpr unsigned char kSpoilt = 0xff;  // a NaN of f32 and f64, -1 of i64

size_t Aligned(size_t bytes) {
  return (std::max<size_t>(bytes, 1) + DeviceMemory::kAlignment - 1) &
         ~(DeviceMemory::kAlignment - 1);
}
size_t PagesOf(size_t bytes) { return (Aligned(bytes) + kPage - 1) & ~(kPage - 1); }

// The pages of a block end where its aligned bytes end.
char* FirstPage(char* data) {
  return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(data) & ~(kPage - 1));
}

void Protect(char* data, size_t bytes, int protection) {
  AG_CHECK(mprotect(FirstPage(data), PagesOf(bytes), protection) == 0,
           "[cuda/fake] the protection of ", bytes,
           " bytes cannot be changed; raise the limit of "
           "mappings of a process");
}

// For the handler, which may take no lock.
sync::Atomic<uintptr_t> first_address{0};
sync::Atomic<const char*> running{nullptr};
struct sigaction previous_action = {};

void Say(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void OnFault(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const uintptr_t first = first_address.Load(sync::kRelaxed);
  if (first != 0 && address - first < kAddresses) {
    if (const char* const name = running.Load(sync::kRelaxed)) {
      Say("[cuda/fake] ");
      Say(name);
      Say(" touched device memory that it had not declared so: outside its blocks, or a write of "
          "what it said it reads\n");
    } else {
      Say("[cuda/fake] the host touched device memory; only kernels and copies may\n");
    }
  }
  // The access is made again on return, and ends as it does without this handler.
  sigaction(SIGSEGV, &previous_action, nullptr);
}

[[maybe_unused]] const bool kHandlerIsSet = [] {
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &previous_action);
  return true;
}();

}  // namespace

DeviceMemory::DeviceMemory() {
  void* const addresses =
      mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  AG_CHECK(addresses != MAP_FAILED,
           "[cuda/fake] no addresses for device memory; raise the limit "
           "of a process's address space");
  begin_ = next_ = static_cast<char*>(addresses);
  first_address.Store(reinterpret_cast<uintptr_t>(begin_), sync::kRelaxed);
}

DeviceMemory::~DeviceMemory() {
  first_address.Store(0, sync::kRelaxed);
  munmap(begin_, kAddresses);
}

char* DeviceMemory::Take(size_t bytes) {
  if (bytes > kAddresses) return nullptr;
  const size_t needed = PagesOf(bytes) + kPage;  // one that is never open
  if (needed > static_cast<size_t>(begin_ + kAddresses - next_)) return nullptr;
  char* const data = next_ + PagesOf(bytes) - Aligned(bytes);
  next_ += needed;
  char* const end = data + Aligned(bytes);
  const Opened open(end - kAlignment, kAlignment, /*is_write=*/true);
  Spoil(data + bytes, static_cast<size_t>(end - (data + bytes)));
  return data;
}

void DeviceMemory::GiveBack(char* data, size_t bytes) {
  Protect(data, bytes, PROT_NONE);
  madvise(FirstPage(data), PagesOf(bytes), MADV_DONTNEED);
}

bool DeviceMemory::Contains(const void* data) const {
  const char* const address = static_cast<const char*>(data);
  return address >= begin_ && address < begin_ + kAddresses;
}

DeviceMemory::Opened::Opened(char* data, size_t bytes, bool is_write) : data_(data), bytes_(bytes) {
  Protect(data, bytes, is_write ? PROT_READ | PROT_WRITE : PROT_READ);
}

DeviceMemory::Opened::~Opened() {
  if (data_ != nullptr) Protect(data_, bytes_, PROT_NONE);
}

DeviceMemory::Opened::Opened(Opened&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

void DeviceMemory::Spoil(char* data, size_t bytes) { std::memset(data, kSpoilt, bytes); }

bool DeviceMemory::IsIntact(const char* data, size_t bytes) {
  return std::all_of(data + bytes, data + Aligned(bytes),
                     [](char byte) { return static_cast<unsigned char>(byte) == kSpoilt; });
}

void DeviceMemory::SetRunning(const char* name) { running.Store(name, sync::kRelaxed); }

}  // namespace twingrad::cuda::fake
