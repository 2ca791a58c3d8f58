// Runs a fuzz target's function over files, so that a corpus is a test wherever libFuzzer is not
// linked.
//
//   ReplayCorpus({"corpus/a", "corpus/b"}, LLVMFuzzerTestOneInput, std::cerr)  ->  0 if both ran
//
// The name of a file is written before it runs, so that a crash tells which one it was. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace twingrad {

using FuzzFunction = int (*)(const uint8_t* data, size_t size);

// Files, and folders with all files below them. Always runs the empty input first. Returns an exit
// status: 0, or 2 when a path cannot be read or there is no input at all.
int ReplayCorpus(const std::vector<std::string>& paths, FuzzFunction run, std::ostream& log);

}  // namespace twingrad
