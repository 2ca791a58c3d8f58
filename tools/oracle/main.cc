// The command-line tool over the repository's engine, and over those that an adapter joins to it.
//
// What runs under a scheduler is a second program beside this one: the same tool, its engine
// compiled against the model (explore_main.cc).

#include <unistd.h>
#include <cstdio>
#include <string>

#include "proptests/conformance/foreign_subject.h"
#include "proptests/subjects/engine_subject.h"
#include "tools/oracle/oracle.h"

namespace {

// Becomes the other program; returns only if it cannot.
int BecomeExplorer(char** argv) {
  char self[4096];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self));
  std::string path(self, size > 0 ? static_cast<size_t>(size) : 0);
  path = path.substr(0, path.rfind('/') + 1) + "explorer";
  execv(path.c_str(), argv);
  std::fprintf(stderr,
               "[oracle] %s cannot be started; it is built for `tools/bazel run //tools/oracle -- "
               "explore`; with another launcher than tools/bazel add --define=explorer=yes\n",
               path.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace twingrad::oracle;
  if (NeedsModel(argc, argv)) return BecomeExplorer(argv);
  return OracleMain(argc, argv,
                    [](const EngineOptions& options) -> absl::StatusOr<std::unique_ptr<Subject>> {
                      if (options.engine.empty()) return MakeEngineSubject();
                      return MakeForeignSubject(options);
                    });
}
