// Prints a gradient, the kind of an error and a weight after a step of Adam, each kept in a map of
// the distribution's Abseil.

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <iostream>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/inspect/dot.h"
#include "autograd/optim/adam.h"

using namespace twingrad;

// x², with a derivative written by hand.
struct Square : Function<Square> {
  static Tensor Forward(Context& context, const Tensor& x) {
    context.SaveForBackward({x});
    return x * x;
  }
  static VariableList Backward(Context& context, VariableList gradients) {
    return {gradients[0] * context.SavedTensors()[0] * 2.0};
  }
};

int main() {
  absl::flat_hash_map<std::string, std::string> results;
  const Tensor x = Leaf(Tensor::FromData<double>({2}, {3, 4}));
  const Tensor y = Sum(Square::Apply(x));
  Backward({y});
  const std::vector<double> gradient = Elements(GradOf(x));
  results["gradient"] = absl::StrCat(gradient[0], ", ", gradient[1]);
  try {
    Backward({y});
  } catch (const Error& error) {
    results["error"] = error.kind() == ErrorKind::kFreed ? "freed" : error.what();
  }
  Adam adam({x}, {.learning_rate = 0.5});
  adam.Step();
  results["step"] = absl::StrCat(Elements(x)[0]);
  for (const char* name : {"gradient", "error", "step"}) {
    std::cout << absl::StrCat(name, ": ", results[name], "\n");
  }
}
