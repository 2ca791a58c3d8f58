#include "cuda/block_cache.h"

#include <algorithm>
#include <bit>

namespace twingrad::cuda {

size_t BlockCache::SizeFor(size_t bytes) {
  constexpr size_t kGranule = 512, kSizesADoubling = 8;
  constexpr size_t kMost = SIZE_MAX / 2;
  if (bytes > kMost) return bytes;  // nobody has as much
  const size_t step =
      std::max(kGranule, std::bit_floor(std::max<size_t>(bytes, 1)) / kSizesADoubling);
  return std::max<size_t>(1, (bytes + step - 1) / step) * step;
}

void* BlockCache::Take(uint32_t stream, size_t size) {
  const auto found = held_.find(std::pair(stream, size));
  if (found == held_.end() || found->second.empty()) return nullptr;
  void* const data = found->second.back();
  found->second.pop_back();
  bytes_ -= size;
  --count_;
  return data;
}

void BlockCache::Put(uint32_t stream, size_t size, void* data) {
  held_[std::pair(stream, size)].push_back(data);
  bytes_ += size;
  ++count_;
}

std::vector<BlockCache::Held> BlockCache::TakeAll() {
  std::vector<Held> all;
  for (const auto& [key, blocks] : held_) {
    for (void* const data : blocks) all.push_back({key.first, data});
  }
  held_.clear();
  bytes_ = 0;
  count_ = 0;
  return all;
}

}  // namespace twingrad::cuda
