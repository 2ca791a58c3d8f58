// The command-line tool over the repository's engine.

#include "tools/oracle/engine_subject.h"
#include "tools/oracle/oracle.h"

int main(int argc, char** argv) {
  return twingrad::oracle::OracleMain(argc, argv,
                                      [] { return twingrad::oracle::MakeEngineSubject(); });
}
