// Generator: random numbers from a seed; tensors and permutations of them.
//
//   Generator generator(7);
//   Tensor x = Uniform({2, 3}, -1, 1, generator);                 // f64 in [-1, 1)
//   Tensor w = Normal({3}, 0, 0.1, generator, DType::kF32);
//
// The same seed and calls give the same numbers on every machine; of Normal up to the last bits,
// which are the C library's logarithm and cosine. Results have no history. Each call starts at a
// fresh block of the generator, so it depends on the position alone and not on what was left over.
//
// Threads: a generator is one thread's at a time. Errors: kDType for i64 and bool,
// kInvalidArgument for limits that are not finite or not in order.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/random/philox.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {}

  uint64_t seed() const { return seed_; }
  // Blocks taken so far. Setting it makes the generator go on from there.
  uint64_t position() const { return position_; }
  void set_position(uint64_t position) { position_ = position; }

  PhiloxBlock NextBlock() {
    const uint64_t block = position_++;
    return Philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0},
                  {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
  }

 private:
  uint64_t seed_;
  uint64_t position_ = 0;
};

// In [low, high), with 53 random bits; f32 gets the f64 numbers, rounded toward zero. low < high.
Tensor Uniform(Ints shape, double low, double high, Generator& generator, DType dtype = DType::kF64,
               Device device = Device::Cpu());

// Of this mean and standard deviation, which is 0 or more.
Tensor Normal(Ints shape, double mean, double deviation, Generator& generator,
              DType dtype = DType::kF64, Device device = Device::Cpu());

// The numbers 0 to count - 1 in a random order; each order is equally likely.
std::vector<int64_t> Permutation(int64_t count, Generator& generator);

}  // namespace twingrad
