// The command-line tool over the Subject with planted faults.

#include <memory>

#include "proptests/subjects/fake_subject.h"
#include "tools/oracle/oracle.h"

int main(int argc, char** argv) {
  return twingrad::oracle::OracleMain(argc, argv, [](const twingrad::oracle::EngineOptions&) {
    return std::make_unique<twingrad::oracle::FakeSubject>();
  });
}
