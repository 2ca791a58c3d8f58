#include "proptests/workers/prober.h"

#include <utility>
#include <vector>

#include <poll.h>

#include "absl/strings/str_cat.h"
#include "proptests/workers/campaign.h"

namespace twingrad::workers {

Prober::Prober(WorkerCommand command, std::function<void()> idle, std::string name)
    : command_(std::move(command)), idle_(std::move(idle)), name_(std::move(name)) {
  command_.campaign.clear();
}

void Prober::SetTimeout(std::chrono::nanoseconds timeout) {
  if (timeout == command_.limits.timeout) return;
  command_.limits.timeout = timeout;
  worker_.reset();
}

absl::StatusOr<Prober::Answer> Prober::Ask(const nlohmann::json& request) {
  if (!worker_) {
    absl::StatusOr<std::unique_ptr<WorkerProcess>> worker = WorkerProcess::Spawn(command_, name_);
    if (!worker.ok()) return worker.status();
    worker_ = *std::move(worker);
  }
  worker_->channel().Send(request);
  std::string start_error;
  while (true) {
    pollfd fd = {worker_->channel().fd(), POLLIN, 0};
    const int events = worker_->channel().closed() ? 0 : poll(&fd, 1, 20);
    if (events == 0) idle_();
    while (std::optional<nlohmann::json> reply = worker_->channel().Receive(false)) {
      const std::string type = reply->value("type", "");
      if (type == "cannot_start") {
        start_error = reply->value("message", "");
      } else if (type != "ready") {
        return Answer{*std::move(reply), std::nullopt, ""};
      }
    }
    worker_->EnforceLimits();
    if (const std::optional<Death> death = worker_->Reap()) {
      const std::unique_ptr<WorkerProcess> dead = std::move(worker_);
      if (death->cause == Death::Cause::kCannotStart) {
        return absl::UnavailableError(start_error.empty() ? StartError(*death, *dead)
                                                          : start_error);
      }
      Answer answer;
      answer.death = ResultOfDeath(*death, *dead, "judging the program");
      answer.died_of = RecordedProgram(dead->record());
      return answer;
    }
  }
}

absl::StatusOr<CaseResult> Prober::Judge(std::string_view program) {
  return ResultOf(Ask({{"type", "judge"}, {"program", std::string(program)}}));
}

absl::StatusOr<CaseResult> Prober::JudgeAfter(absl::Span<const std::string> before,
                                              std::string_view program) {
  Renew();
  absl::StatusOr<Answer> answer =
      Ask({{"type", "judge"},
           {"program", std::string(program)},
           {"before", std::vector<std::string>(before.begin(), before.end())}});
  Renew();
  // One of those before brought the worker down: that says nothing of the Program.
  if (answer.ok() && answer->death && answer->died_of != program) return CaseResult();
  return ResultOf(std::move(answer));
}

absl::StatusOr<std::string> Prober::Generate(uint64_t seed) {
  absl::StatusOr<Answer> answer = Ask({{"type", "generate"}, {"seed", seed}});
  if (!answer.ok()) return answer.status();
  if (answer->death) return absl::UnavailableError(answer->death->text);
  return answer->reply.value("program", "");
}

absl::StatusOr<CaseResult> Prober::ResultOf(absl::StatusOr<Answer> answer) {
  if (!answer.ok()) return answer.status();
  if (answer->death) return *answer->death;
  if (answer->reply.value("type", "") == "result") {
    return answer->reply.value("result", CaseResult());
  }
  return absl::InvalidArgumentError(answer->reply.value("message", "[oracle] malformed Program"));
}

absl::StatusOr<nlohmann::json> Prober::Describe() {
  absl::StatusOr<Answer> answer = Ask({{"type", "describe"}});
  if (!answer.ok()) return answer.status();
  if (answer->death) return absl::UnavailableError(answer->death->text);
  return answer->reply.value("description", nlohmann::json::object());
}

absl::StatusOr<std::string> Prober::Draw(std::string_view program, absl::Span<const int> marked) {
  // What the engine shows, or, where it brings the worker down, what the twin predicts.
  for (const bool engine : {true, false}) {
    absl::StatusOr<Answer> answer = Ask({{"type", "draw"},
                                         {"program", std::string(program)},
                                         {"marked", std::vector<int>(marked.begin(), marked.end())},
                                         {"engine", engine}});
    if (!answer.ok()) return answer.status();
    if (answer->death) continue;
    if (answer->reply.value("type", "") == "drawing") return answer->reply.value("dot", "");
    return absl::InvalidArgumentError(answer->reply.value("message", "[oracle] malformed Program"));
  }
  return absl::InternalError(
      "[oracle] no picture: the Program brings engine and twin down; needed is one that survives; "
      "replay the finding");
}

}  // namespace twingrad::workers
