// BlockCache: blocks of one device's memory that were given back, for the next allocations of their
// streams.
//
//   const size_t size = BlockCache::SizeFor(1000);      // 1024: what to ask the device for
//   cache.Put(stream.id, size, data);
//   void* again = cache.Take(stream.id, size);          // data; null where there is none
//
// Later work of a stream comes after what used the block there, so a hit asks CUDA nothing. Takes
// no lock: its owner holds one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace twingrad::cuda {

class BlockCache {
 public:
  struct Held {
    uint32_t stream;
    void* data;
  };

  // At least `bytes`: a multiple of 512, and eight sizes from a power of two to the next, so that
  // a block fits many tensors and at most an eighth of it is idle.
  static size_t SizeFor(size_t bytes);

  void* Take(uint32_t stream, size_t size);
  void Put(uint32_t stream, size_t size, void* data);
  // All of them, which it then holds no more.
  std::vector<Held> TakeAll();

  uint64_t bytes() const { return bytes_; }
  size_t count() const { return count_; }

 private:
  absl::flat_hash_map<std::pair<uint32_t, size_t>, std::vector<void*>> held_;
  uint64_t bytes_ = 0;
  size_t count_ = 0;
};

}  // namespace twingrad::cuda
