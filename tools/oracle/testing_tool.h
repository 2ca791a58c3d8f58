// The command-line tool as a user meets it: what the tests that start it share. For tests alone.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"                   // IWYU pragma: export
#include "proptests/workers/files.h"       // IWYU pragma: export
#include "proptests/workers/subprocess.h"  // IWYU pragma: export

namespace twingrad::oracle {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using workers::ReadInput;
using workers::RunSubprocess;
using workers::SubprocessOptions;
using workers::SubprocessResult;
using workers::TemporaryFolder;
using workers::WriteFile;

// The flag that asks for the adapter with this planted fault (proptests/mutants/adapter); `top` is
// where the adapter lies, the working directory or a path that ends in `/`.
inline std::string FaultyEngine(std::string_view fault, std::string_view top = "") {
  return absl::StrCat("--engine=exec:", top, "proptests/mutants/adapter/faulty ", fault);
}

// Starts one build of the tool. Has a folder of its own, from which, as under `bazel run`, the
// commands are typed.
class ToolTest : public testing::Test {
 protected:
  explicit ToolTest(std::string program) : program_(std::move(program)) {}

  SubprocessResult Tool(std::vector<std::string> words,
                        const SubprocessOptions& options = {}) const {
    return Run(program_, std::move(words), options);
  }
  // The same with another build of it.
  SubprocessResult Run(std::string_view program, std::vector<std::string> words,
                       SubprocessOptions options = {}) const {
    words.emplace(words.begin(), program);
    options.environment.push_back("BUILD_WORKING_DIRECTORY=" + folder_.path());
    return RunSubprocess(std::move(words), options);
  }
  static SubprocessResult Shell(const std::string& command, const SubprocessOptions& options = {}) {
    return RunSubprocess({"/bin/sh", "-c", command}, options);
  }

  const std::string& folder() const { return folder_.path(); }
  std::string At(std::string_view name) const { return absl::StrCat(folder_.path(), "/", name); }
  // Makes a file in the folder; returns its path.
  std::string Written(std::string_view name, std::string_view text) const {
    EXPECT_TRUE(WriteFile(At(name), text).ok()) << name;
    return At(name);
  }
  // A file's text; the test fails where it cannot be read.
  static std::string Read(const std::string& path) {
    const absl::StatusOr<std::string> text = ReadInput(path);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  // The folders of the findings in `out`.
  std::vector<std::string> Findings(std::string_view out = "findings") const {
    std::vector<std::string> folders;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(At(out), none)) {
      folders.push_back(entry.path().string());
    }
    return folders;
  }

 private:
  std::string program_;
  TemporaryFolder folder_ = *TemporaryFolder::Make("tool-test");
};

}  // namespace twingrad::oracle
