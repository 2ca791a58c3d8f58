// Device: where a tensor's memory lies and whose worker runs its kernels. A value of two bytes.
//
//   Device d = Device::Sim(1);   d.ToString() == "sim:1"
//
// Depends on nothing, so that tensor and program code can name devices without knowing how one
// works.
#pragma once

#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace twingrad {

enum class DeviceType : uint8_t {
  kCpu,   // the caller's memory and thread
  kSim,   // the simulated accelerator: host memory, streams of its own, order of accesses checked
  kCuda,  // an NVIDIA GPU; its implementation registers itself from //cuda
  kLate,  // the simulated accelerator when its work runs later; whoever wants one registers it
};

inline constexpr int kDeviceTypeCount = 4;

// "cpu", "sim", "cuda" or "late".
constexpr std::string_view DeviceTypeName(DeviceType type) {
  constexpr std::string_view kNames[kDeviceTypeCount] = {"cpu", "sim", "cuda", "late"};
  return kNames[static_cast<int>(type)];
}

struct Device {
  DeviceType type = DeviceType::kCpu;
  uint8_t index = 0;  // 0 for the CPU

  static constexpr Device Cpu() { return {}; }
  static constexpr Device Sim(uint8_t index) { return {DeviceType::kSim, index}; }
  static constexpr Device Cuda(uint8_t index) { return {DeviceType::kCuda, index}; }
  static constexpr Device Late(uint8_t index) { return {DeviceType::kLate, index}; }

  constexpr bool IsCpu() const { return type == DeviceType::kCpu; }
  // Whether its work runs later, so that the host must not touch its memory.
  constexpr bool IsRemote() const { return type == DeviceType::kCuda || type == DeviceType::kLate; }

  // "cpu", "sim:0", "cuda:1".
  std::string ToString() const {
    std::string text(DeviceTypeName(type));
    if (!IsCpu()) text += ":" + std::to_string(index);
    return text;
  }
  // The inverse of ToString; nothing for any other text.
  static std::optional<Device> Parse(std::string_view text);

  friend constexpr auto operator<=>(const Device&, const Device&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Device& device) {
    return H::combine(std::move(state), static_cast<int>(device.type), device.index);
  }
};

static_assert(sizeof(Device) == 2);

inline std::optional<Device> Device::Parse(std::string_view text) {
  if (text == "cpu") return Device::Cpu();
  for (DeviceType type : {DeviceType::kSim, DeviceType::kCuda, DeviceType::kLate}) {
    Device device{type, 0};
    const size_t digits = DeviceTypeName(type).size() + 1;
    if (digits >= text.size()) continue;
    std::from_chars(text.data() + digits, text.data() + text.size(), device.index);
    if (device.ToString() == text) return device;  // one spelling for each index
  }
  return std::nullopt;
}

}  // namespace twingrad

template <>
struct std::hash<twingrad::Device> {
  std::size_t operator()(const twingrad::Device& device) const {
    return static_cast<std::size_t>(device.type) * 256 + device.index;
  }
};
