#include "fuzz/campaign/targets/try_input.h"

#include <filesystem>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/targets/fuzzer_output.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace fs = std::filesystem;
namespace {

constexpr useconds_t kPollOfATry = 10'000;
constexpr int kCannotExecute = 127;

}  // namespace

void AwaitEnd(Child& child) {
  while (!child.Ended()) usleep(kPollOfATry);
}

absl::StatusOr<std::optional<workers::CaseResult>> TryInput(const Target& target,
                                                            const std::string& input,
                                                            const std::string& folder,
                                                            const AwaitChild& await) {
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder + "/artifacts", error);
  const std::string path = folder + "/input";
  if (absl::Status status = workers::WriteFile(path, input); !status.ok()) return status;
  absl::StatusOr<Child> child = Child::Start(
      Command(target, {absl::StrCat("-artifact_prefix=", folder, "/artifacts/"), path}),
      folder + "/output");
  if (!child.ok()) return child.status();
  await(*child);
  if (child->status() == 0) return std::optional<workers::CaseResult>();
  if (WIFEXITED(child->status()) && WEXITSTATUS(child->status()) == kCannotExecute) {
    return absl::UnavailableError(absl::StrCat(
        "[campaign] cannot start ", target.program,
        "; needed is the fuzz target that found it; build it there, or correct finding.json"));
  }
  return DeathIn(child->Output(), ArtifactIn(folder + "/artifacts"));
}

std::string ArtifactIn(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("slow-unit-")) return name;
  }
  return "";
}

}  // namespace twingrad::campaign
