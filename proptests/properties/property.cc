#include "proptests/properties/property.h"

#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "gtest/gtest.h"
#include "proptests/judge/expectation.h"
#include "proptests/shrink/arbitrary.h"

namespace twingrad::properties {

using twingrad::program::Program;

void ForAll(int programs, const generators::GeneratorOptions& options, const Law& law) {
  constexpr uint64_t kSeed = 20240229;
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
  metadata.description = metadata.id;
  rc::detail::TestParams params;
  params.seed = kSeed;
  params.maxSuccess = programs;
  if (std::getenv("RC_PARAMS") != nullptr) params = rc::detail::configuration().testParams;
  const auto generator = shrink::ArbitraryProgram(options);
  const auto result = rc::detail::checkTestable(
      [&] {
        const Program program = *generator;
        const std::string wrong = law(program);
        if (!wrong.empty()) RC_FAIL(wrong);
      },
      metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  FAIL() << message.str() << "\nreplay: RC_PARAMS='seed=" << params.seed
         << " max_success=" << params.maxSuccess
         << "' with this test and --gtest_filter=" << info->test_suite_name() << "." << info->name()
         << "\nor save the Program above as FILE and: tools/bazel run //tools/oracle -- run FILE";
}

void ForAllRuns(int programs, const generators::GeneratorOptions& options,
                std::initializer_list<int> threads, const Run& run,
                const std::function<std::string(const oracles::Evidence&)>& law) {
  ForAll(programs, options, [&](const Program& program) {
    judge::Expectation expected(program);
    if (expected.usual().skipped) return std::string();
    for (const int device_threads : threads) {
      if (device_threads != 0 && expected.usual().single_thread_only) continue;
      const program::Observation observed = run(program, device_threads);
      const reference::TwinResult& prediction = expected.Of(observed);
      if (prediction.skipped) continue;
      const std::string wrong = law({program, prediction, observed, device_threads});
      if (!wrong.empty()) return wrong;
    }
    return std::string();
  });
}

std::string TextOf(const oracles::Verdict& verdict) {
  return verdict.outcome == oracles::Outcome::kDisagree ? verdict.text : std::string();
}

generators::GeneratorOptions Features(const std::string& list) {
  generators::GeneratorOptions options;
  const absl::Status status = generators::SetFeatures(list, &options);
  EXPECT_TRUE(status.ok()) << status;
  return options;
}

}  // namespace twingrad::properties
