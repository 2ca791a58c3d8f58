// What tests ask of errors.
//
//   EXPECT_EQ(KindOf([&] { tensor.item<float>(); }), ErrorKind::kDType);

#pragma once

#include <functional>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {

// The kind of the Error that `action` throws. It fails the test if none is thrown, or one whose
// message does not begin with the part that it comes from.
inline ErrorKind KindOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.what()[0], '[') << error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error was thrown";
  return ErrorKind::kInternal;
}

}  // namespace twingrad
