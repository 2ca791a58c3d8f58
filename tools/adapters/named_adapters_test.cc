#include "tools/adapters/named_adapters.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"

namespace twingrad::adapters {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(NamedAdaptersTest, EachNameStandsForAProgramOfItsFolder) {
  for (const NamedAdapter& adapter : NamedAdapters()) {
    EXPECT_EQ(adapter.program, absl::StrCat("tools/adapters/", adapter.name, "/", adapter.name));
  }
}

TEST(NamedAdaptersTest, TheTextsNameEach) {
  for (const NamedAdapter& adapter : NamedAdapters()) {
    EXPECT_THAT(kEngineHelp, HasSubstr(absl::StrCat(adapter.name, ", ")));
    EXPECT_THAT(kForeignEngines, HasSubstr(absl::StrCat("--engine=", adapter.name, " ")));
  }
  EXPECT_THAT(kEngineHelp, HasSubstr("or exec:CMD ARGS"));
}

TEST(NamedAdaptersTest, ACommandIsCutAtBlanks) {
  EXPECT_EQ(*AdapterCommand("exec:python3  my_adapter.py -v"),
            (Words{"python3", "my_adapter.py", "-v"}));
}

TEST(NamedAdaptersTest, WhatHasNoRowIsRefusedAndTheNamesAreTold) {
  for (const std::string engine : {"mine", "exec:", "exec: "}) {
    const absl::Status status = AdapterCommand(engine).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), testing::StartsWith(absl::StrCat("[oracle] --engine=", engine,
                                                                   " is unknown; allowed are ")))
        << status;
    for (const NamedAdapter& adapter : NamedAdapters()) {
      EXPECT_THAT(status.message(), HasSubstr(absl::StrCat(adapter.name, " and "))) << status;
    }
  }
}

TEST(NamedAdaptersTest, AnAdapterThatWasNotBuiltIsUnavailable) {
  const auto nowhere = [](std::string_view path) { return absl::StrCat("nowhere/", path); };
  for (const NamedAdapter& adapter : NamedAdapters()) {
    const absl::Status status = AdapterCommand(adapter.name, nowhere).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("its adapter is not beside this tool")) << status;
    EXPECT_THAT(status.message(), HasSubstr(adapter.package)) << status;
  }
}

}  // namespace
}  // namespace twingrad::adapters
