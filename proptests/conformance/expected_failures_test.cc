#include "proptests/conformance/expected_failures.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::ErrorKind;
using twingrad::program::ErrorRecord;

constexpr std::string_view kEntry = "entry torch-0001 errors 2027-12-31 let pass\n";

// The signature `rest` of a list with that entry.
FailureSignature Signature(std::string_view rest) {
  return ParseExpectedFailures(absl::StrCat(kEntry, "signature ", rest, "\n"))->signatures.at(0);
}

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

TEST(ExpectedFailuresTest, ReadsAndPrintsDefectsThatTheTwinFollows) {
  const std::string text =
      absl::StrCat(kEntry, "follow captures_miss_hooks torch-0001 2026-01-01 hooks are missed\n");
  const auto failures = ParseExpectedFailures(text);
  ASSERT_TRUE(failures.ok()) << failures.status();
  EXPECT_EQ(failures->DefectsToFollow(), twingrad::reference::Defects{.captures_miss_hooks = true});
  EXPECT_EQ(failures->Of({.captures_miss_hooks = true}).at(0).reason, "hooks are missed");
  EXPECT_TRUE(failures->Of({.empty_views_lose_history = true}).empty());
  EXPECT_EQ(failures->Expired("2026-11-21"),
            std::vector<std::string>{"follow captures_miss_hooks 2026-01-01"});
  EXPECT_EQ(PrintExpectedFailures("", *failures), text);
}

TEST(ExpectedFailuresTest, ASignatureMatchesAllThatItNames) {
  const auto signature = Signature("errors mul version/none * torch-0001 2027-01-01 why");
  const auto program = Square();
  const auto other = Parsed("%x = leaf type=f64[] grad=1\n");
  const ErrorRecord version = {ErrorKind::kVersion, 2, ""};
  EXPECT_TRUE(signature.Matches(program, "errors", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(other, "errors", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(program, "twin", version, std::nullopt, ""));
  EXPECT_FALSE(signature.Matches(program, "errors", std::nullopt, version, ""));
  EXPECT_FALSE(signature.Matches(program, "errors", std::nullopt, std::nullopt, ""));
}

// Where one of the two errors comes, the other, which comes later, is not there.
TEST(ExpectedFailuresTest, AnErrorThatComesLaterThanTheOtherIsNoneToo) {
  const auto program = Square();
  const auto matches = [&](std::string_view classes, int expected, int actual) {
    return Signature(absl::StrCat("errors mul ", classes, " * torch-0001 2027-01-01 why"))
        .Matches(program, "errors", ErrorRecord{ErrorKind::kFreed, expected, ""},
                 ErrorRecord{ErrorKind::kShape, actual, "said"}, "");
  };
  EXPECT_TRUE(matches("freed/none", 2, 3));
  EXPECT_TRUE(matches("freed/shape", 2, 3));
  EXPECT_FALSE(matches("none/shape", 2, 3));
  EXPECT_TRUE(matches("none/shape~said", 3, 2));
  EXPECT_FALSE(matches("freed/none", 3, 2));
  EXPECT_FALSE(matches("none/none", 2, 3));
  const ErrorRecord both = {ErrorKind::kFreed, 2, ""};
  const auto twin = Signature("twin mul none/none * torch-0001 2027-01-01 why");
  EXPECT_TRUE(twin.Matches(program, "twin", both, both, ""));
  EXPECT_FALSE(twin.Matches(program, "twin", both, std::nullopt, ""));
  EXPECT_FALSE(matches("none/shape", 2, 2));
  EXPECT_FALSE(matches("freed/none", 2, 2));
}

TEST(ExpectedFailuresTest, ASignatureMayNameOpsOfWhichOneMustBeThere) {
  const auto square = [](std::string_view ops) {
    return Signature(absl::StrCat("twin ", ops, " * * torch-0001 2027-01-01 why"))
        .Matches(Square(), "twin", std::nullopt, std::nullopt, "");
  };
  EXPECT_TRUE(square("exp|mul|log"));
  EXPECT_TRUE(square("mul|exp,leaf"));
  EXPECT_FALSE(square("exp|log"));
  EXPECT_FALSE(square("mul|exp,log"));
}

TEST(ExpectedFailuresTest, ASignatureMayNameSeveralRules) {
  const auto signature = Signature("twin|only_defined|errors * * * torch-0001 2027-01-01 why");
  const auto matches = [&](std::string_view rule) {
    return signature.Matches(Square(), rule, std::nullopt, std::nullopt, "");
  };
  EXPECT_TRUE(matches("twin") && matches("only defined") && matches("survived"));
  EXPECT_FALSE(matches("hooks") || matches("only") || matches("twin|errors"));
}

TEST(ExpectedFailuresTest, ASignatureMayAskForWhatTheEngineSays) {
  const auto signature = Signature("errors * */internal~has_no_memory * torch-0001 2027-01-01 why");
  const auto program = Parsed("%x = leaf type=f64[] grad=1\n");
  const auto matches = [&](ErrorKind error, std::string_view message) {
    return signature.Matches(program, "errors", std::nullopt,
                             ErrorRecord{error, 0, std::string(message)}, "");
  };
  EXPECT_TRUE(matches(ErrorKind::kInternal, "it has no memory, so there"));
  EXPECT_FALSE(matches(ErrorKind::kInternal, "it has lost its memory"));
  EXPECT_FALSE(matches(ErrorKind::kVersion, "it has no memory"));
  EXPECT_FALSE(signature.Matches(program, "errors", std::nullopt, std::nullopt, ""));
}

// An error that ends a try region or a thread section is one of the rule `errors`.
TEST(ExpectedFailuresTest, ASignatureNamesErrorsThatAreSurvivedToo) {
  const auto signature = Signature("errors mul version/none * torch-0001 2027-01-01 why");
  twingrad::program::Observation expected, actual;
  expected.survived = {{ErrorKind::kUser, 1, ""}, {ErrorKind::kVersion, 2, ""}};
  actual.survived = {{ErrorKind::kUser, 1, ""}};
  const BlamedErrors errors = BlamedErrorsOf(expected, actual);
  EXPECT_EQ(errors.expected->error, ErrorKind::kVersion);
  EXPECT_FALSE(errors.actual.has_value());
  EXPECT_TRUE(signature.Matches(Square(), "survived", errors.expected, errors.actual, ""));
  EXPECT_FALSE(signature.Matches(Square(), "survived", errors.actual, errors.expected, ""));
  actual.error = {ErrorKind::kFreed, 3, ""};
  EXPECT_EQ(BlamedErrorsOf(expected, actual).expected->error, ErrorKind::kVersion);
  actual.error->statement = 1;
  EXPECT_EQ(BlamedErrorsOf(expected, actual).actual->error, ErrorKind::kFreed);
  actual.error->statement = 3;
  expected.survived = actual.survived;
  EXPECT_EQ(BlamedErrorsOf(expected, actual).actual->error, ErrorKind::kFreed);
}

TEST(ExpectedFailuresTest, ASignatureMayAskForWhatTheVerdictSays) {
  const auto signature = Signature("twin * none/none~actual_nan * torch-0001 2027-01-01 why");
  const auto program = Parsed("%x = leaf type=f64[] grad=1\n");
  const auto matches = [&](std::string_view verdict) {
    return signature.Matches(program, "twin", std::nullopt, std::nullopt, verdict);
  };
  EXPECT_TRUE(matches("twin: .grad of %x\n  expected 0\n  actual   nan\n"));
  EXPECT_FALSE(matches("twin: .grad of %x\n  expected nan\n  actual   0\n"));
}

TEST(ExpectedFailuresTest, ASignatureMayAskForSeveralTexts) {
  const auto signature = Signature("twin * */*~actual_nan~of_silu * torch-0001 2027-01-01 why");
  const auto program = Parsed("%x = leaf type=f64[] grad=1\n");
  const auto matches = [&](std::string_view verdict) {
    return signature.Matches(program, "twin", std::nullopt, std::nullopt, verdict);
  };
  EXPECT_TRUE(matches("  actual   nan\n  circumstance: of silu\n"));
  EXPECT_FALSE(matches("  actual   nan\n"));
  EXPECT_FALSE(matches("  actual   1\n  circumstance: of silu\n"));
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
  const auto follow = [](std::string_view rest) {
    return MessageOf(absl::StrCat(kEntry, "follow ", rest, "\n"));
  };
  EXPECT_TRUE(absl::StrContains(follow("hooks torch-0001 2027-01-01 y"),
                                "unknown defect hooks; allowed are captures_miss_hooks, "));
  EXPECT_TRUE(absl::StrContains(follow("captures_miss_hooks torch-0002 2027-01-01 y"),
                                "the defect names torch-0002"));
}

TEST(ExpectedFailuresTest, AListThatIsNotThereIsEmpty) {
  const auto failures = ReadExpectedFailures("golden/expected/nobody-0.txt");
  ASSERT_TRUE(failures.ok()) << failures.status();
  EXPECT_TRUE(failures->entries.empty() && failures->signatures.empty());
}

TEST(ExpectedFailuresTest, TheHeadEndsAtTheFirstLineThatIsNoComment) {
  EXPECT_EQ(HeadOf("# one\n# two\nentry a b c d\n# three\n"), "# one\n# two\n");
  EXPECT_EQ(HeadOf("entry a b c d\n"), "");
  EXPECT_EQ(HeadOf(""), "");
}

}  // namespace
}  // namespace twingrad::conformance
