// A fuzz target as a shard runs it: a program that libFuzzer drives, its seeds and its limits.
//
//   Target target = {.program = "/shared/safetensors", .seeds = "/shared/seeds"};
//   Command(target, {"-runs=0", corpus});
//
// Plain data and pure functions.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace twingrad::campaign {

struct Target {
  std::string program;                 // built with --config=asan-libfuzzer
  std::string seeds;                   // a folder of inputs to begin with; empty: none
  std::string dictionary;              // a file; empty: none
  std::vector<std::string> arguments;  // further ones of libFuzzer, such as -max_len=512
  uint64_t timeout = 60;               // seconds that one input may take
  uint64_t memory = 2048;              // MiB that the process may hold
};

// An error unless its files are there, and the program can be executed.
absl::Status CheckTarget(const Target& target);

// The program with all that holds for each of its runs, and `rest`.
std::vector<std::string> Command(const Target& target, const std::vector<std::string>& rest);

// Its name, for people: the last part of its path.
std::string NameOf(const Target& target);

}  // namespace twingrad::campaign
