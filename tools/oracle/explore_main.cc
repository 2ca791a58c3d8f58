// The command-line tool over the engine compiled against the model: what `oracle explore` becomes.

#include "proptests/subjects/explore_subject.h"
#include "tools/oracle/oracle.h"

int main(int argc, char** argv) {
  return twingrad::oracle::OracleMain(argc, argv, [](const twingrad::subjects::EngineChoice&) {
    return twingrad::subjects::MakeExploreSubject();
  });
}
