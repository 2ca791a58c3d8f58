// The names of an enumeration's values as one text of blank-separated words, in their order.
//
//   inline constexpr std::string_view kColourWords = "red green";
//   inline constexpr auto kColourNames = SplitWords<2>(kColourWords);   // kColourNames[1] ==
//   "green"

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace twingrad {

// Does not compile unless there are `kCount` words.
template <size_t kCount>
consteval std::array<std::string_view, kCount> SplitWords(std::string_view words) {
  std::array<std::string_view, kCount> names;
  for (std::string_view& name : names) {
    name = words.substr(0, words.find(' '));
    if (name.empty()) throw "a word is missing";
    words.remove_prefix(name.size() < words.size() ? name.size() + 1 : name.size());
  }
  if (!words.empty()) throw "a word too many";
  return names;
}

}  // namespace twingrad
