#include "proptests/conformance/expected_failures.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::oracle {
namespace {

using twingrad::ErrorKind;
using twingrad::program::ErrorRecord;

constexpr std::string_view kEntry = "entry torch-0001 errors 2027-12-31 let pass\n";

std::string MessageOf(std::string_view text) {
  return std::string(ParseExpectedFailures(text).status().message());
}

TEST(ExpectedFailuresTest, ReadsEntriesAndSignatures) {
  const auto failures = ParseExpectedFailures(absl::StrCat(
      "# comment\n\n", kEntry,
      "signature errors mul,sum version/none in_place torch-0001 2026-01-01 the same thing\n"));
  ASSERT_TRUE(failures.ok()) << failures.status();
  ASSERT_EQ(failures->entries.size(), 1u);
  EXPECT_EQ(failures->entries[0].reason, "let pass");
  ASSERT_EQ(failures->signatures.size(), 1u);
  EXPECT_EQ(failures->signatures[0].ops.size(), 2u);
  EXPECT_EQ(failures->signatures[0].reason, "the same thing");
  EXPECT_EQ(failures->Expired("2026-11-21"),
            std::vector<std::string>{"signature of torch-0001 2026-01-01"});
}

TEST(ExpectedFailuresTest, ASignatureMatchesAllThatItNames) {
  const auto failures = ParseExpectedFailures(
      absl::StrCat(kEntry, "signature errors mul version/none * torch-0001 2027-01-01 why\n"));
  ASSERT_TRUE(failures.ok());
  const auto program = *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = mul %x %x\nbackward %y\n");
  const auto other = *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[] grad=1\n");
  const ErrorRecord version = {ErrorKind::kVersion, 2, ""};
  const Signature& signature = failures->signatures[0];
  EXPECT_TRUE(signature.Matches(program, "errors", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(other, "errors", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(program, "twin", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(program, "errors", std::nullopt, version, ""));
  EXPECT_FALSE(signature.Matches(program, "errors", std::nullopt, std::nullopt, ""));
}

TEST(ExpectedFailuresTest, ASignatureMayAskForWhatTheEngineSays) {
  const auto failures = ParseExpectedFailures(absl::StrCat(
      kEntry, "signature errors * */internal~has_no_memory * torch-0001 2027-01-01 why\n"));
  ASSERT_TRUE(failures.ok());
  const auto program = *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[] grad=1\n");
  const auto matches = [&](ErrorKind error, std::string_view message) {
    return failures->signatures[0].Matches(program, "errors", std::nullopt,
                                           ErrorRecord{error, 0, std::string(message)}, "");
  };
  EXPECT_TRUE(matches(ErrorKind::kInternal, "it has no memory, so there"));
  EXPECT_FALSE(matches(ErrorKind::kInternal, "it has lost its memory"));
  EXPECT_FALSE(matches(ErrorKind::kVersion, "it has no memory"));
  EXPECT_FALSE(failures->signatures[0].Matches(program, "errors", std::nullopt, std::nullopt, ""));
}

TEST(ExpectedFailuresTest, ASignatureMayAskForWhatTheVerdictSays) {
  const auto failures = ParseExpectedFailures(
      absl::StrCat(kEntry, "signature twin * none/none~actual_nan * torch-0001 2027-01-01 why\n"));
  ASSERT_TRUE(failures.ok());
  const auto program = *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[] grad=1\n");
  const auto matches = [&](std::string_view verdict) {
    return failures->signatures[0].Matches(program, "twin", std::nullopt, std::nullopt, verdict);
  };
  EXPECT_TRUE(matches("twin: .grad of %x\n  expected 0\n  actual   nan\n"));
  EXPECT_FALSE(matches("twin: .grad of %x\n  expected nan\n  actual   0\n"));
}

TEST(ExpectedFailuresTest, EachBrokenLineIsToldWithItsNumber) {
  EXPECT_TRUE(
      absl::StrContains(MessageOf("\nentry torch-0001 errors\n"), "line 2: the line cannot"));
  EXPECT_TRUE(absl::StrContains(MessageOf("entry a errors soon why\n"), "`soon` is no date"));
  const auto signature = [](std::string_view rest) {
    return MessageOf(absl::StrCat(kEntry, "signature errors ", rest, "\n"));
  };
  EXPECT_TRUE(absl::StrContains(signature("mull * * torch-0001 2027-01-01 y"), "unknown op mull"));
  EXPECT_TRUE(absl::StrContains(signature("* * odd torch-0001 2027-01-01 y"), "feature odd"));
  EXPECT_TRUE(absl::StrContains(signature("* * * torch-0002 2027-01-01 y"), "entries that stand"));
  EXPECT_TRUE(absl::StrContains(signature("* * * torch-0001 never y"), "`never` is no date"));
}

}  // namespace
}  // namespace twingrad::oracle
