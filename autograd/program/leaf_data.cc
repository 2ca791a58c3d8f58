#include "autograd/program/leaf_data.h"

#include <bit>

namespace twingrad::program {

uint64_t SeededElement(int64_t seed, int64_t index, DType dtype) {
  uint64_t z =
      static_cast<uint64_t>(seed) + 0x9e3779b97f4a7c15 * (static_cast<uint64_t>(index) + 1);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  if (dtype == DType::kBool) return z & 1;
  static constexpr int64_t kValues[] = {-4, -3, -2, -1, 1, 2, 3, 4};
  const uint64_t r = z >> 59;
  const int64_t value = r < 8 ? 0 : kValues[r % 8];
  if (IsInteger(dtype)) return static_cast<uint64_t>(value);
  return std::bit_cast<uint64_t>(static_cast<double>(value));
}

int64_t NumElements(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

Bits LeafData(const Statement& leaf) {
  if (const AttributeValue* data = leaf.Find(Key::kData)) return std::get<Bits>(*data);
  const auto& type = std::get<TensorType>(*leaf.Find(Key::kType));
  const int64_t count = NumElements(type.shape);
  Bits bits;
  if (const AttributeValue* fill = leaf.Find(Key::kFill)) {
    bits.assign(count, std::get<Bits>(*fill)[0]);
  } else if (const AttributeValue* seed = leaf.Find(Key::kSeed)) {
    bits.reserve(count);
    for (int64_t i = 0; i < count; ++i) {
      bits.push_back(SeededElement(std::get<int64_t>(*seed), i, type.dtype));
    }
  } else {
    bits.assign(count, 0);
  }
  return bits;
}

}  // namespace twingrad::program
