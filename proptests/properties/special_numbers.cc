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
constexpr double kEndsOfHalf[] = {6e4,     1e-4,     250,  4e-3, 0x1p-14, 1e-5,
                                  0x1p-24, 11.1,     16.6, 4.5,  8,       1.5707963705062866,
                                  65504,   kInfinity};
constexpr double kEndsOfBrain[] = {1e36,       1e-36,    1e18, 1e-18, 0x1p-126, 1e-39,
                                   0x1p-133,   88.7,     92.2, 3.5,   6.2,      1.5707963705062866,
                                   0x1.fep127, kInfinity};

absl::Span<const double> EndsOf(DType type) {
  return type == DType::kF32    ? absl::MakeConstSpan(kEndsOfSingle)
         : type == DType::kF16  ? absl::MakeConstSpan(kEndsOfHalf)
         : type == DType::kBF16 ? absl::MakeConstSpan(kEndsOfBrain)
                                : absl::MakeConstSpan(kEndsOfDouble);
}

// What follows below x.
double Below(double x, const FloatFormat& format) {
  if (std::isnan(x) || x == -kInfinity) return x;
  return x == kInfinity ? format.largest : NextBelow(x, format);
}

}  // namespace

SpecialNumbers::SpecialNumbers(DType type, uint64_t seed) : format_(FormatOf(type)), random_(seed) {
  for (const absl::Span<const double> some : {absl::MakeConstSpan(kMagnitudes), EndsOf(type)}) {
    for (const double x : some) {
      all_.push_back(Fitted(x, format_));
      all_.push_back(Fitted(-x, format_));
    }
  }
  all_.push_back(std::nan(""));
}

uint64_t SpecialNumbers::Random(uint64_t end) { return random_() % end; }

double SpecialNumbers::Neighbour(double x, int steps) const {
  for (int i = std::abs(steps); i > 0; --i) {
    x = steps > 0 ? -Below(-x, format_) : Below(x, format_);
  }
  return x;
}

double SpecialNumbers::Next() {
  if (next_ < all_.size()) return all_[next_++];
  const auto either = [this](double x) { return Random(2) == 0 ? x : -x; };
  const auto fitted = [this](double x) { return Fitted(x, format_); };
  const auto of_exponents = [&](int first, int count) {
    const int exponent = static_cast<int>(Random(static_cast<uint64_t>(count))) + first;
    return fitted(either(std::ldexp(1 + static_cast<double>(Random(1 << 22)) * 0x1p-22, exponent)));
  };
  const int least = format_.min_exponent - (format_.precision - 1);
  const int all = 1 - format_.min_exponent - least, third = all / 26 * 8;
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
      return fitted(either(std::ldexp(1 + static_cast<double>(Random(1 << 30)) * 0x1p-30,
                                      static_cast<int>(Random(20)) - 10)));
    case 6:  // about a third of the format's exponents
      return of_exponents(-third / 2, third);
    default:  // any
      return of_exponents(least, all);
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
