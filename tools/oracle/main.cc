// The command-line tool over the repository's engine, and over those that an adapter joins to it.
//
// What runs under a scheduler is a second program beside this one: the same tool, its engine
// compiled against the model (explore_main.cc).

#include <unistd.h>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "proptests/conformance/foreign_subject.h"
#include "proptests/subjects/engine_subject.h"
#include "proptests/workers/files.h"
#include "tools/adapters/named_adapters.h"
#include "tools/oracle/oracle.h"

namespace {

using namespace twingrad;

// Becomes the other program; returns only if it cannot.
int BecomeExplorer(char** argv) {
  std::string path = workers::ThisExecutable();
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
  if (oracle::NeedsModel(argc, argv)) return BecomeExplorer(argv);
  return oracle::OracleMain(argc, argv,
                            [](const subjects::EngineChoice& choice)
                                -> absl::StatusOr<std::unique_ptr<subjects::Subject>> {
                              if (choice.engine.empty()) return subjects::MakeEngineSubject();
                              auto command = adapters::AdapterCommand(choice.engine);
                              if (!command.ok()) return command.status();
                              return conformance::MakeForeignSubject(*command, choice);
                            });
}
