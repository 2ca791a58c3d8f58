#include "proptests/fuzzing/splice.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "autograd/program/analyze.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::fuzzing {
namespace {

using interleave::SplitMix;
using program::Program;

constexpr std::string_view kHost =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%s = sum %x\nbackward %s\n";
constexpr std::string_view kDonor =
    "twingrad 1\n%a = leaf type=f64[2] data=1,2\n%b = leaf type=f64[3] data=5,6,7\n"
    "%c = mul %a %a\n%d = exp %b\n";

// The texts of what some seeds make.
std::set<std::string> Splices(std::string_view host, int at, std::string_view donor,
                              Window window) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix random(seed);
    const std::optional<Program> made =
        Splice(*program::Parse(host), at, *program::Parse(donor), window, random);
    if (made) texts.insert(program::Print(*made));
  }
  return texts;
}

TEST(SpliceTest, OperandsBecomeTheHostsValuesOrComeAlong) {
  const std::set<std::string> expected = {
      // The host's x; what is made is used, or not.
      "twingrad 1\n%v0 = leaf type=f64[2] data=3,4 grad=1\n%v1 = mul %v0 %v0\n%v2 = sum %v1\n"
      "backward %v2\n",
      "twingrad 1\n%v0 = leaf type=f64[2] data=3,4 grad=1\n%v1 = mul %v0 %v0\n%v2 = sum %v0\n"
      "backward %v2\n",
      // The donor's a, whose sum would need no gradient.
      "twingrad 1\n%v0 = leaf type=f64[2] data=3,4 grad=1\n%v1 = leaf type=f64[2] data=1,2\n"
      "%v2 = mul %v1 %v1\n%v3 = sum %v0\nbackward %v3\n",
  };
  const std::set<std::string> made = Splices(kHost, 1, kDonor, {2, 1});
  for (const std::string& text : expected) EXPECT_EQ(made.count(text), 1u) << text;
}

TEST(SpliceTest, AValueOfAnotherTypeComesAlong) {
  for (const std::string& text : Splices(kHost, 1, kDonor, {3, 1})) {
    EXPECT_NE(text.find("%v1 = leaf type=f64[3] data=5,6,7\n%v2 = exp %v1\n"), std::string::npos)
        << text;
  }
}

TEST(SpliceTest, HandlesOfBothAreKept) {
  constexpr std::string_view kHooked =
      "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\nhook %x id=h do=scale by=2\n"
      "%s = sum %x\nbackward %s\n";
  bool both = false;
  for (const std::string& text : Splices(kHooked, 2, kHooked, {1, 1})) {
    both = both ||
           (text.find("id=h ") != std::string::npos && text.find("id=hx4 ") != std::string::npos);
  }
  EXPECT_TRUE(both);
}

TEST(SpliceTest, ASpliceOfGeneratedProgramsIsValid) {
  int made = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Program host = generators::Generate(seed);
    const Program donor = generators::Generate(seed + 1000);
    const int count = static_cast<int>(donor.statements.size());
    SplitMix random(seed);
    const Window window = {random.Below(count), 1};
    const int at = random.Below(static_cast<int>(host.statements.size()) + 1);
    const std::optional<Program> spliced = Splice(host, at, donor, window, random);
    if (!spliced) continue;
    ++made;
    EXPECT_TRUE(program::Analyze(*spliced).ok()) << program::Print(*spliced);
  }
  EXPECT_GT(made, 300);
}

}  // namespace
}  // namespace twingrad::fuzzing
