#include "fuzz/campaign/targets/target.h"

#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/plan.h"

namespace twingrad::campaign {
namespace {

absl::Status Missing(std::string_view flag, const std::string& path, std::string_view needed) {
  return Objection(absl::StrCat("the ", flag, " `", path, "` of a fuzz job is not there"),
                   absl::StrCat("needed is the absolute path of ", needed),
                   "build or copy it to where all machines of the campaign find it");
}

}  // namespace

absl::Status CheckTarget(const Target& target) {
  if (!target.program.starts_with('/') || access(target.program.c_str(), X_OK) != 0) {
    return Missing("target", target.program, "a program built with --config=asan-libfuzzer");
  }
  if (!target.seeds.empty() &&
      (!target.seeds.starts_with('/') || !std::filesystem::is_directory(target.seeds))) {
    return Missing("corpus", target.seeds, "a folder of inputs");
  }
  if (!target.dictionary.empty() &&
      (!target.dictionary.starts_with('/') || access(target.dictionary.c_str(), R_OK) != 0)) {
    return Missing("dict", target.dictionary, "a dictionary of libFuzzer");
  }
  return absl::OkStatus();
}

std::vector<std::string> Command(const Target& target, const std::vector<std::string>& rest) {
  std::vector<std::string> words = {target.program, absl::StrCat("-timeout=", target.timeout),
                                    absl::StrCat("-rss_limit_mb=", target.memory)};
  if (!target.dictionary.empty()) words.push_back("-dict=" + target.dictionary);
  words.insert(words.end(), target.arguments.begin(), target.arguments.end());
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

std::string NameOf(const Target& target) {
  return std::filesystem::path(target.program).filename().string();
}

}  // namespace twingrad::campaign
