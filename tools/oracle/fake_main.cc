// The command-line tool over cases with planted faults.

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/fake_cases.h"
#include "tools/oracle/oracle.h"

namespace {

using namespace twingrad;

class FakeSubject final : public subjects::Subject,
                          public subjects::Reporter,
                          public subjects::Runner {
 public:
  absl::Status Configure(const subjects::CaseOptions& options) override {
    cases_.Plant(options.planted, options.plant_draw);
    return cases_.Configure(options.features, options.ops);
  }
  absl::Status Start() override { return cases_.Start(); }
  workers::CaseSource& source() override { return cases_; }
  workers::CaseJudge& judge() override { return cases_; }
  workers::CaseDrawer& drawer() override { return cases_; }
  const subjects::Reporter& reporter() const override { return *this; }
  subjects::Runner* runner() override { return this; }

  std::string Summarise(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& /*notes*/) const override {
    return absl::StrCat("lines          ", counters.size() < 2 ? 0 : counters[1], "\n");
  }
  Seen Run() override { return {absl::StrCat("ran ", cases_.num_lines(), " lines\n")}; }

 private:
  workers::FakeCases cases_;
};

}  // namespace

int main(int argc, char** argv) {
  return oracle::OracleMain(
      argc, argv, [](const subjects::EngineChoice&) { return std::make_unique<FakeSubject>(); });
}
