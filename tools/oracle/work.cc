#include "tools/oracle/work.h"

#include <memory>

#include "proptests/workers/worker.h"

namespace twingrad::oracle {

absl::StatusOr<int> Work(const Arguments& arguments, const subjects::SubjectFactory& make_subject) {
  // Not configured here: what is wrong is told to the parent.
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> made = make_subject(EngineOf(arguments));
  if (!made.ok()) return made.status();
  subjects::Subject& subject = **made;
  workers::WorkerOptions options;
  options.recorder = arguments.Path("recorder").value_or("");
  options.campaign = arguments.Path("campaign").value_or("");
  options.memory = arguments.Number("memory").value_or(0);
  if (options.recorder.empty()) {
    return absl::InvalidArgumentError(
        "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that");
  }
  const auto start = [&] {
    absl::Status status = subject.Configure(OptionsOf(arguments));
    return status.ok() ? subject.Start() : status;
  };
  return RunWorker({start, subject.source(), subject.judge(), subject.drawer()}, options);
}

}  // namespace twingrad::oracle
