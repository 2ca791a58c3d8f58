// Judges single Programs in worker processes, for shrinking and replay: a Program that crashes,
// hangs or eats memory gives a CaseResult like any other, and the next one finds a fresh worker.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/workers/case.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::workers {

class Prober {
 public:
  // `idle` is called often while a Program runs; it must not block. `name` tells it apart from
  // other workers in the command's folder.
  explicit Prober(
      WorkerCommand command, std::function<void()> idle = [] {}, std::string name = "prober");

  // An error: the engine could not be started, or the Program is malformed.
  absl::StatusOr<CaseResult> Judge(std::string_view program);
  // In a fresh worker, which runs those before it first.
  absl::StatusOr<CaseResult> JudgeAfter(absl::Span<const std::string> before,
                                        std::string_view program);
  // The next Program finds a fresh worker, in which nothing has run.
  void Renew() { worker_.reset(); }

  // The Program that a worker makes of a seed.
  absl::StatusOr<std::string> Generate(uint64_t seed);

  // The graph of the Program in the language of graphviz.
  absl::StatusOr<std::string> Draw(std::string_view program, absl::Span<const int> marked);

  // CaseJudge::Describe of the judge, parsed.
  absl::StatusOr<nlohmann::json> Describe();

  // Starts the next Program in a fresh worker with this time limit.
  void SetTimeout(std::chrono::nanoseconds timeout);

 private:
  // The worker's answer, or how it died.
  struct Answer {
    nlohmann::json reply;
    std::optional<CaseResult> death;
    std::string died_of;  // the Program
  };
  absl::StatusOr<Answer> Ask(const nlohmann::json& request);
  absl::StatusOr<CaseResult> ResultOf(absl::StatusOr<Answer> answer);

  WorkerCommand command_;
  std::function<void()> idle_;
  std::string name_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace twingrad::workers
