// What ends a statement besides libtorch's own exceptions, and the class of each.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "autograd/program/observation.h"

namespace twingrad::libtorch {

// Thrown by the adapter where the Program's rules name an error that libtorch's C++ interface
// leaves to its Python front end.
class Refusal : public std::runtime_error {
 public:
  Refusal(ErrorKind error, const std::string& what) : std::runtime_error(what), error_(error) {}
  ErrorKind error() const { return error_; }

 private:
  ErrorKind error_;
};

// The class of an error of libtorch, by its message.
ErrorKind ClassOf(std::string_view message);

}  // namespace twingrad::libtorch
