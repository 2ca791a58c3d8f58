// The smallest worker: judges the cases of fake_cases.h. For tests.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proptests/workers/fake_cases.h"
#include "proptests/workers/worker.h"

int main(int argc, char** argv) {
  using namespace twingrad::workers;
  WorkerOptions options;
  std::vector<std::string> features;
  std::vector<std::string> ops;
  for (int i = 2; i < argc; ++i) {  // after `worker`
    std::string_view word = argv[i];
    if (absl::ConsumePrefix(&word, "--recorder=")) options.recorder = word;
    if (absl::ConsumePrefix(&word, "--campaign=")) options.campaign = word;
    if (absl::ConsumePrefix(&word, "--features=")) features = absl::StrSplit(word, ',');
    if (absl::ConsumePrefix(&word, "--ops=")) {
      for (const std::string_view op : absl::StrSplit(word, ',')) ops.emplace_back(op);
    }
    if (absl::ConsumePrefix(&word, "--memory=")) {
      options.memory = std::strtoull(word.data(), nullptr, 10) << 20;
    }
  }
  FakeCases cases;
  const auto start = [&] {
    absl::Status status = cases.Configure(features, ops);
    return status.ok() ? cases.Start() : status;
  };
  return RunWorker({start, cases, cases, cases}, options);
}
