// What most tests include; every ag_test reads it first (precompiled.bzl).

#include "gtest/gtest.h"
#include "tools/rules/library.h"
