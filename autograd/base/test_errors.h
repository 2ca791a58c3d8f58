// What tests ask of errors.
//
//   EXPECT_EQ(KindOf([&] { tensor.item<float>(); }), ErrorKind::kDType);

#pragma once

#include <functional>
#include <string>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {

// The Error that `action` throws. The test fails if none is thrown, or one whose message does not
// begin with the part that it comes from.
inline Error ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.what()[0], '[') << error.what();
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorKind::kInternal, "[test] no error was thrown");
}

inline ErrorKind KindOf(const std::function<void()>& action) { return ErrorOf(action).kind(); }

// The message of the Error of this kind that `action` throws.
inline std::string MessageOf(ErrorKind kind, const std::function<void()>& action) {
  const Error error = ErrorOf(action);
  EXPECT_EQ(error.kind(), kind) << error.what();
  return error.what();
}

}  // namespace twingrad
