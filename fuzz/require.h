// What a fuzz target demands of an input: else it prints why, and the process ends.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace twingrad {

// `text`: what the input or its rejection came to.
inline void Require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "[fuzz] %s; text:\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace twingrad
