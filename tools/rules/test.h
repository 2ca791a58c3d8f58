// What most tests include; every ag_test reads it first (precompiled.bzl).

#ifndef TOOLS_RULES_TEST_H_
#define TOOLS_RULES_TEST_H_

#include "gtest/gtest.h"
#include "tools/rules/library.h"

#endif  // TOOLS_RULES_TEST_H_
