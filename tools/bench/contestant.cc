#include "tools/bench/contestant.h"

#include <unistd.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

namespace twingrad::bench {

int Serve(std::string_view name, const CaseTable& cases) {
  std::cout << "ready " << name << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string wanted;
    int64_t size = 0;
    const auto found = words >> wanted >> size && size > 0 ? cases.find(wanted) : cases.end();
    if (found == cases.end()) {
      std::cout << "unknown" << std::endl;
      continue;
    }
    try {
      std::ostringstream answer;
      answer.precision(9);
      for (const auto& [figure, value] : found->second(size))
        answer << figure << " " << value << " ";
      std::cout << answer.str() << std::endl;
    } catch (const std::exception& error) {
      std::string what = error.what();
      std::cout << "error " << what.substr(0, what.find('\n')) << std::endl;
    }
  }
  return 0;
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace twingrad::bench
