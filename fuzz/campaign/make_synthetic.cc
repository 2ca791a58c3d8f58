// Makes the folder of a campaign that nobody ran: `make_synthetic DIR SHARDS FINDINGS KINDS`. For
// measurements (tools/bench/campaign.sh).

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "fuzz/campaign/synthetic.h"

int main(int argc, char** argv) {
  uint64_t numbers[3] = {};
  bool read = argc == 5;
  for (int i = 0; read && i < 3; ++i) read = absl::SimpleAtoi(argv[2 + i], &numbers[i]);
  if (!read || numbers[0] == 0 || numbers[2] == 0) {
    std::fputs("[campaign] wrong arguments; allowed are DIR SHARDS FINDINGS KINDS; write them so\n",
               stderr);
    return 2;
  }
  const absl::Status made =
      twingrad::campaign::MakeSynthetic(argv[1], numbers[0], numbers[1], numbers[2]);
  if (!made.ok()) std::fprintf(stderr, "%s\n", std::string(made.message()).c_str());
  return made.ok() ? 0 : 2;
}
