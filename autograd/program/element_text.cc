#include "autograd/program/element_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/program/limits.h"

namespace twingrad::program {
namespace {

constexpr double kTwo53 = 9007199254740992.0;

// Whether the text is digits with optional sign, point and exponent, or the same in hexadecimal
// (0x1.8p+1). std::from_chars accepts a different set: inf and nan in upper or lower case, but no
// 0x.
bool StartsLikeNumber(std::string_view text) {
  if (text.empty()) return false;
  const char c = text[0];
  return (c >= '0' && c <= '9') || c == '.';
}

template <typename T>
std::optional<double> ParseFloatAs(std::string_view text) {
  bool negative = false;
  if (!text.empty() && text[0] == '-') {
    negative = true;
    text.remove_prefix(1);
  }
  T value;
  if (text == "inf") {
    value = std::numeric_limits<T>::infinity();
  } else if (text == "nan" && !negative) {
    return std::bit_cast<double>(kNanBits);
  } else {
    const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
    if (hex) text.remove_prefix(2);
    if (hex ? (text[0] == '-' || text[0] == 'i' || text[0] == 'n') : !StartsLikeNumber(text)) {
      return std::nullopt;
    }
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value,
                        hex ? std::chars_format::hex : std::chars_format::general);
    if (error != std::errc() || end != text.data() + text.size()) {
      return std::nullopt;
    }
  }
  return negative ? -static_cast<double>(value) : static_cast<double>(value);
}

}  // namespace

void AppendInteger(int64_t value, std::string& out) {
  char buffer[24];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, result.ptr);
}

void AppendFloat(double value, std::string& out) {
  if (std::abs(value) < kTwo53 && value == std::trunc(value)) {
    if (value == 0 && std::signbit(value)) out += '-';
    AppendInteger(static_cast<int64_t>(value), out);
    return;
  }
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::signbit(value)) out += '-';
  if (std::isinf(value)) {
    out += "inf";
    return;
  }
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & 0xfffffffffffff;
  out += exponent == 0 ? "0x0" : "0x1";
  exponent = exponent == 0 ? -1022 : exponent - 1023;
  if (mantissa != 0) {
    out += '.';
    for (; mantissa != 0; mantissa = mantissa << 4 & 0xfffffffffffff) {
      out += "0123456789abcdef"[mantissa >> 48];
    }
  }
  out += exponent < 0 ? "p" : "p+";
  AppendInteger(exponent, out);
}

void AppendElement(uint64_t bits, DType dtype, std::string& out) {
  if (IsFloating(dtype)) {
    AppendFloat(std::bit_cast<double>(bits), out);
  } else {
    AppendInteger(static_cast<int64_t>(bits), out);
  }
}

std::string ShapeText(absl::Span<const int64_t> sizes) {
  return absl::StrCat("[", absl::StrJoin(sizes, ","), "]");
}

std::string TypeText(const TensorType& type) {
  return absl::StrCat(DTypeName(type.dtype), ShapeText(type.shape));
}

std::string DeviceText(int64_t device) {
  return device == kCpu ? "cpu" : absl::StrCat("dev:", device);
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<int64_t>> ParseIntegers(std::string_view text) {
  std::vector<int64_t> integers;
  for (const std::string_view item : absl::StrSplit(text, ',')) {
    const auto integer = ParseInteger(item);
    if (!integer.has_value()) return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

std::optional<int64_t> ParseDevice(std::string_view text) {
  if (text == "cpu") return kCpu;
  if (!absl::ConsumePrefix(&text, "dev:")) return std::nullopt;
  const auto index = ParseInteger(text);
  return index.has_value() && *index >= 0 && *index < kMaxDevices ? index : std::nullopt;
}

std::optional<double> ParseFloat(std::string_view text) {
  // Most numbers are small integers.
  const bool negative = text.size() > 1 && text[0] == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (!digits.empty() && digits.size() <= 15 && digits[0] != '-') {
    if (const auto value = ParseInteger(digits)) {
      return negative ? -static_cast<double>(*value) : static_cast<double>(*value);
    }
  }
  return ParseFloatAs<double>(text);
}

std::optional<double> ParseFloat(std::string_view text, const FloatFormat& format) {
  if (format.precision == kF64Format.precision) return ParseFloat(text);
  if (format.precision == kF32Format.precision) return ParseFloatAs<float>(text);
  const auto number = ParseFloatAs<double>(text);
  if (!number.has_value() || !std::isfinite(*number)) return number;
  const double rounded = Rounded(*number, format);
  const bool is_lost = std::isinf(rounded) || (rounded == 0 && *number != 0);
  return is_lost ? std::nullopt : std::optional(rounded);
}

std::optional<uint64_t> ParseElement(std::string_view text, DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kBF16:
    case DType::kF32:
    case DType::kF64:
      if (const auto value = ParseFloat(text, FormatOf(dtype))) {
        return std::bit_cast<uint64_t>(*value);
      }
      return std::nullopt;
    case DType::kI32:
    case DType::kI64:
      if (const auto value = ParseInteger(text)) {
        if (dtype == DType::kI64 || FitsInt32(*value)) return static_cast<uint64_t>(*value);
      }
      return std::nullopt;
    case DType::kBool:
      if (text == "0" || text == "1") return text[0] - '0';
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace twingrad::program
