// Numbers, types and devices in program text: how they are written and read.
//
// A float that is an integer of magnitude below 2^53 is written as a decimal integer (-0 as `-0`),
// any other as a hexadecimal float as C's %a prints it, or as inf, -inf, nan. Integers are decimal,
// bool 0 or 1. Reading takes decimal fractions and exponents as well, rounded to nearest. Pure
// functions.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"
#include "autograd/program/program.h"

namespace twingrad::program {

inline constexpr uint64_t kNanBits = 0x7ff8000000000000;

// Whether it is a number of i32.
constexpr bool FitsInt32(int64_t value) { return value == static_cast<int32_t>(value); }

void AppendInteger(int64_t value, std::string& out);
void AppendFloat(double value, std::string& out);
// An element of a Bits.
void AppendElement(uint64_t bits, DType dtype, std::string& out);

std::string ShapeText(absl::Span<const int64_t> sizes);  // `[2,3]`
std::string TypeText(const TensorType& type);            // `f64[2,3]`
std::string DeviceText(int64_t device);                  // `cpu` or `dev:0`

// Decimal digits with an optional minus, in the range of int64_t.
std::optional<int64_t> ParseInteger(std::string_view text);
// One or more of them, separated by commas.
std::optional<std::vector<int64_t>> ParseIntegers(std::string_view text);
// The inverse of DeviceText, for the devices within the limits.
std::optional<int64_t> ParseDevice(std::string_view text);
// Rounded to double; no value if the text is malformed, too large, or nonzero but rounds to 0.
std::optional<double> ParseFloat(std::string_view text);
// As ParseFloat, of a shorter format: rounded once to f32, by way of f64 to f16 and bf16.
std::optional<double> ParseFloat(std::string_view text, const FloatFormat& format);
// An element as Bits hold it; NaN canonical.
std::optional<uint64_t> ParseElement(std::string_view text, DType dtype);

}  // namespace twingrad::program
