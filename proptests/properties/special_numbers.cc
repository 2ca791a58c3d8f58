#include "proptests/properties/special_numbers.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace twingrad::properties {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of both signs.
constexpr double kMagnitudes[] = {0, 0.5, 1, 2, 3, 0.25, 1.5, 2.5, 100, 1e3, 1e-3, 1e-8, 1e8};
// Ends of exp and of what tanh and sigmoid tell from 1, halves of pi, infinities.
constexpr double kEndsOfDouble[] = {1e300,
                                    1e-300,
                                    1e150,
                                    1e-150,
                                    0x1p-1022,
                                    1e-310,
                                    0x1p-1074,
                                    709.78,
                                    745.1,
                                    20,
                                    37,
                                    1.5707963267948966,
                                    std::numeric_limits<double>::max(),
                                    kInfinity};
constexpr double kEndsOfSingle[] = {1e36,
                                    1e-36,
                                    1e18,
                                    1e-18,
                                    0x1p-126,
                                    1e-40,
                                    0x1p-149,
                                    88.7,
                                    103.9,
                                    9,
                                    17,
                                    1.5707963705062866,
                                    std::numeric_limits<float>::max(),
                                    kInfinity};

}  // namespace

SpecialNumbers::SpecialNumbers(DType type, uint64_t seed)
    : single_(type == DType::kF32), random_(seed) {
  for (const absl::Span<const double> some :
       {absl::MakeConstSpan(kMagnitudes),
        single_ ? absl::MakeConstSpan(kEndsOfSingle) : absl::MakeConstSpan(kEndsOfDouble)}) {
    for (const double x : some) {
      all_.push_back(Fitted(x));
      all_.push_back(Fitted(-x));
    }
  }
  all_.push_back(std::nan(""));
}

uint64_t SpecialNumbers::Random(uint64_t end) { return random_() % end; }

double SpecialNumbers::Fitted(double x) const {
  return single_ ? static_cast<double>(static_cast<float>(x)) : x;
}

double SpecialNumbers::Neighbour(double x, int steps) const {
  const double end = steps > 0 ? kInfinity : -kInfinity;
  for (int i = std::abs(steps); i > 0; --i) {
    x = single_
            ? static_cast<double>(std::nextafter(static_cast<float>(x), static_cast<float>(end)))
            : std::nextafter(x, end);
  }
  return x;
}

double SpecialNumbers::Next() {
  if (next_ < all_.size()) return all_[next_++];
  const auto either = [this](double x) { return Random(2) == 0 ? x : -x; };
  switch (Random(8)) {
    case 0:
    case 1:
      return all_[Random(all_.size())];
    case 2:
      return Neighbour(all_[Random(all_.size())], static_cast<int>(Random(7)) - 3);
    case 3:
      return either(static_cast<double>(Random(33)) / 4);
    case 4:
    case 5:  // of usual size
      return Fitted(either(std::ldexp(1 + static_cast<double>(Random(1 << 30)) * 0x1p-30,
                                      static_cast<int>(Random(20)) - 10)));
    case 6:  // a third of the format's exponents
      return Fitted(
          either(std::ldexp(1 + static_cast<double>(Random(1 << 22)) * 0x1p-22,
                            static_cast<int>(Random(single_ ? 80 : 640)) - (single_ ? 40 : 320))));
    default:  // any
      return Fitted(either(
          std::ldexp(1 + static_cast<double>(Random(1 << 22)) * 0x1p-22,
                     static_cast<int>(Random(single_ ? 276 : 2097)) - (single_ ? 149 : 1074))));
  }
}

double SpecialNumbers::Beside(double x) {
  switch (Random(10)) {
    case 0:
      return x;
    case 1:
      return -x;
    case 2:
      return Neighbour(x, static_cast<int>(Random(7)) - 3);
    default:
      return Next();
  }
}

}  // namespace twingrad::properties
