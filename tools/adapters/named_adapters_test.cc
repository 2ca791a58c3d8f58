#include "tools/adapters/named_adapters.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace twingrad::adapters {
namespace {

using Words = std::vector<std::string>;

TEST(NamedAdaptersTest, EachNameStandsForAProgramOfItsFolder) {
  for (const NamedAdapter& adapter : NamedAdapters()) {
    EXPECT_EQ(adapter.program, absl::StrCat("tools/adapters/", adapter.name, "/", adapter.name));
  }
}

TEST(NamedAdaptersTest, TheTextsNameEach) {
  for (const NamedAdapter& adapter : NamedAdapters()) {
    EXPECT_TRUE(absl::StrContains(kEngineHelp, absl::StrCat(adapter.name, ", "))) << kEngineHelp;
    EXPECT_TRUE(absl::StrContains(kForeignEngines, absl::StrCat("--engine=", adapter.name, " ")))
        << kForeignEngines;
  }
  EXPECT_TRUE(absl::StrContains(kEngineHelp, "or exec:CMD ARGS")) << kEngineHelp;
}

TEST(NamedAdaptersTest, ACommandIsCutAtBlanks) {
  EXPECT_EQ(*AdapterCommand("exec:python3  my_adapter.py -v"),
            (Words{"python3", "my_adapter.py", "-v"}));
}

TEST(NamedAdaptersTest, WhatHasNoRowIsRefusedAndTheNamesAreTold) {
  for (const std::string engine : {"mine", "exec:", "exec: "}) {
    const absl::Status status = AdapterCommand(engine).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(absl::StartsWith(
        status.message(), absl::StrCat("[oracle] --engine=", engine, " is unknown; allowed are ")))
        << status;
    for (const NamedAdapter& adapter : NamedAdapters()) {
      EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat(adapter.name, " and ")))
          << status;
    }
  }
}

TEST(NamedAdaptersTest, AnAdapterThatWasNotBuiltIsUnavailable) {
  const auto nowhere = [](std::string_view path) { return absl::StrCat("nowhere/", path); };
  for (const NamedAdapter& adapter : NamedAdapters()) {
    const absl::Status status = AdapterCommand(adapter.name, nowhere).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "its adapter is not beside this tool"))
        << status;
    EXPECT_TRUE(absl::StrContains(status.message(), adapter.package)) << status;
  }
}

}  // namespace
}  // namespace twingrad::adapters
