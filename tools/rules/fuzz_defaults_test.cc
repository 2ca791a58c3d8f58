// What a target sets unless its user says otherwise, with two flags and an option of its own.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" const char* __asan_default_options();
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(FuzzDefaultsTest, FlagsStandBeforeThoseOfTheCommandLineSoThatTheseWin) {
  std::string name = "target";
  std::string given = "-entropic=1";
  std::vector<char*> arguments = {name.data(), given.data(), nullptr};
  int argc = 2;
  char** argv = arguments.data();
  EXPECT_EQ(LLVMFuzzerInitialize(&argc, &argv), 0);
  EXPECT_THAT(std::vector<std::string>(argv, argv + argc),
              ElementsAre("target", "-entropic=0", "-mutate_depth=3", "-entropic=1"));
  EXPECT_EQ(argv[argc], nullptr);
}

TEST(FuzzDefaultsTest, OptionsOfATargetComeLast) {
  EXPECT_THAT(__asan_default_options(), EndsWith(":max_uar_stack_size_log=16:atexit=1"));
}

}  // namespace
