// main() of the replay tests: hands the command line to ReplayCorpus. Linked with one fuzz target.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tools/rules/fuzz_replay.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  return twingrad::ReplayCorpus(std::vector<std::string>(argv + 1, argv + argc),
                                LLVMFuzzerTestOneInput, std::cerr);
}
