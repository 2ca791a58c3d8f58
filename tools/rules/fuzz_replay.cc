#include "tools/rules/fuzz_replay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace twingrad {
namespace {

namespace fs = std::filesystem;

// The file itself, or the files below a folder in the order of their names.
std::vector<fs::path> FilesAt(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int ReplayCorpus(const std::vector<std::string>& paths, FuzzFunction run, std::ostream& log) {
  size_t count = 0;
  log << "(the empty input)" << std::endl;
  run(nullptr, 0);
  for (const std::string& path : paths) {
    for (const fs::path& file : FilesAt(path)) {
      std::ifstream stream(file, std::ios::binary);
      if (!stream) {
        log << "[fuzz] cannot read " << file.string() << "; give files or folders that exist"
            << std::endl;
        return 2;
      }
      const std::string bytes{std::istreambuf_iterator<char>(stream),
                              std::istreambuf_iterator<char>()};
      log << file.string() << std::endl;
      run(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      ++count;
    }
  }
  if (count == 0) {
    log << "[fuzz] no input; give at least one file or folder with files" << std::endl;
    return 2;
  }
  log << count << " inputs replayed" << std::endl;
  return 0;
}

}  // namespace twingrad
