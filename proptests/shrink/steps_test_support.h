// What the steps' tests share.

#pragma once

#include <set>
#include <string>

#include "absl/types/span.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {

// All results of the named step on the Program, as text.
inline std::set<std::string> Edits(absl::Span<const Step> steps, const std::string& name,
                                   const std::string& text) {
  const auto program = twingrad::program::Parse(text);
  EXPECT_TRUE(program.ok()) << program.status();
  std::set<std::string> edits;
  for (const Step& step : steps) {
    if (step.name != name) continue;
    for (int i = 0; i < step.count(*program); ++i) {
      if (const auto edited = step.edit(*program, i)) {
        edits.insert(twingrad::program::Print(*edited));
      }
    }
  }
  return edits;
}

}  // namespace twingrad::shrink
