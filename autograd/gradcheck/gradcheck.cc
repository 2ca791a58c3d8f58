#include "autograd/gradcheck/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/gradcheck/difference.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/random/random.h"

namespace twingrad {
namespace {

using Element = GradCheckReport::Element;
using Doubles = std::vector<double>;

constexpr double kErrors = 16;          // of a difference that are allowed
constexpr double kOfBoth = 0x1p-36;     // of the two numbers
constexpr double kOfLargest = 0x1p-40;  // of the largest element
constexpr double kUnsettled = 0x1p-10;  // of the two numbers: a bound as wide says nothing

void CheckType(const Tensor& tensor, std::string_view what, size_t i) {
  if (tensor.defined() && tensor.dtype() == DType::kF64) return;
  throw Error(tensor.defined() ? ErrorKind::kDType : ErrorKind::kUndefined,
              absl::StrCat("[gradcheck] ", what, " ", i, " is ",
                           tensor.defined() ? DTypeName(tensor.dtype()) : "undefined",
                           "; differences need f64; cast it"));
}

std::vector<int64_t> IndexOf(int64_t place, Ints sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = place % sizes[d];
    place /= sizes[d];
  }
  return index;
}

bool AreSameBits(const Doubles& a, const Doubles& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// Calls the function at points around the given one.
class Subject {
 public:
  Subject(const TensorListFunction& f, const std::vector<Tensor>& inputs) : f_(f), inputs_(inputs) {
    bool some = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!RequiresGrad(inputs[i])) continue;
      CheckType(inputs[i], "input", i);
      some = true;
    }
    if (some) return;
    throw Error(ErrorKind::kInvalidArgument,
                "[gradcheck] no input requires grad; one at least must; give Leaf(x)");
  }

  const std::vector<Tensor>& inputs() const { return inputs_; }
  bool IsVaried(size_t i) const { return RequiresGrad(inputs_[i]); }

  // Fresh leaves; element `place` of input `i` is `value`.
  std::vector<Tensor> Leaves(size_t i, int64_t place, double value) const {
    std::vector<Tensor> leaves = Leaves();
    leaves[i].mutable_data<double>()[place] = value;
    return leaves;
  }
  std::vector<Tensor> Leaves() const {
    std::vector<Tensor> leaves;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      leaves.push_back(IsVaried(i)
                           ? Leaf(Tensor::FromData<double>(inputs_[i].sizes(), Elements(inputs_[i]),
                                                           inputs_[i].device()))
                           : inputs_[i]);
    }
    return leaves;
  }

  std::vector<Tensor> Results(const std::vector<Tensor>& leaves) const {
    std::vector<Tensor> results = f_(leaves);
    for (size_t i = 0; i < results.size(); ++i) CheckType(results[i], "result", i);
    return results;
  }
  static Doubles Joined(const std::vector<Tensor>& tensors) {
    Doubles all;
    for (const Tensor& tensor : tensors) {
      const Doubles elements = Elements(tensor);
      all.insert(all.end(), elements.begin(), elements.end());
    }
    return all;
  }

 private:
  const TensorListFunction& f_;
  const std::vector<Tensor>& inputs_;
};

class Check {
 public:
  Check(const TensorListFunction& f, const std::vector<Tensor>& inputs, std::string call)
      : subject_(f, inputs) {
    report_.call = std::move(call);
  }

  GradCheckReport Run() {
    const std::vector<Tensor> results = subject_.Results(subject_.Leaves());
    for (const Tensor& result : results) {
      shapes_.emplace_back(result.sizes().begin(), result.sizes().end());
    }
    values_ = Subject::Joined(results);
    if (!AreSameBits(values_, Subject::Joined(subject_.Results(subject_.Leaves())))) {
      report_.problem = "the function gives other values when it is called again";
      return report_;
    }
    jacobian_ = Jacobians();
    const auto again = Jacobians();
    for (size_t i = 0; i < jacobian_.size(); ++i) {
      if (!AreSameBits(jacobian_[i], again[i])) {
        report_.problem =
            absl::StrCat("the gradient of input ", i, " is another when it is taken again");
        return report_;
      }
      for (double element : jacobian_[i]) {
        if (std::isfinite(element)) largest_ = std::max(largest_, std::abs(element));
      }
    }
    for (size_t i = 0; i < subject_.inputs().size(); ++i) {
      if (subject_.IsVaried(i)) CompareInput(i);
    }
    const auto off = [](const Element& e) {
      const double distance = std::abs(e.gradient - e.slope) / e.allowed;
      return std::isnan(distance) ? INFINITY : distance;
    };
    std::stable_sort(report_.wrong.begin(), report_.wrong.end(),
                     [&](const Element& a, const Element& b) { return off(a) > off(b); });
    return report_;
  }

 private:
  // By input: element (row, column) at row * numel + column; rows are those of
  // all results.
  std::vector<Doubles> Jacobians() const {
    std::vector<Tensor> varied;
    std::vector<Tensor> leaves = subject_.Leaves();
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (subject_.IsVaried(i)) varied.push_back(leaves[i]);
    }
    const std::vector<Tensor> results = subject_.Results(leaves);
    std::vector<Doubles> jacobian(leaves.size());
    for (const Tensor& result : results) {
      for (int64_t k = 0; k < result.numel(); ++k) {
        Tensor seed = Tensor::Zeros(result.sizes(), DType::kF64, result.device());
        seed.mutable_data<double>()[k] = 1;
        const std::vector<Tensor> row = GradOrZeros({result}, varied, {seed},
                                                    /*create_graph=*/false, /*retain_graph=*/true);
        for (size_t i = 0, next = 0; i < leaves.size(); ++i) {
          if (!subject_.IsVaried(i)) continue;
          const Doubles elements = Elements(row[next++]);
          jacobian[i].insert(jacobian[i].end(), elements.begin(), elements.end());
        }
      }
    }
    return jacobian;
  }

  void CompareInput(size_t i) {
    const Tensor& input = subject_.inputs()[i];
    const Doubles start = Elements(input);
    for (int64_t column = 0; column < input.numel(); ++column) {
      const auto differences = Differentiate(
          [&](double x, double* y) {
            const Doubles values = Subject::Joined(subject_.Results(subject_.Leaves(i, column, x)));
            // Another number of elements than before is no function of the
            // inputs' values.
            for (size_t k = 0; k < values_.size(); ++k) y[k] = k < values.size() ? values[k] : NAN;
          },
          start[column], values_.size());
      for (size_t row = 0; row < differences.size(); ++row) {
        CompareElement(i, column, row, differences[row]);
      }
    }
  }

  void CompareElement(size_t input, int64_t column, size_t row, const Difference& d) {
    Element e;
    e.input = input;
    e.column = IndexOf(column, subject_.inputs()[input].sizes());
    int64_t place = static_cast<int64_t>(row);
    while (place >= ElementCount(shapes_[e.output])) place -= ElementCount(shapes_[e.output++]);
    e.row = IndexOf(place, shapes_[e.output]);
    e.gradient = jacobian_[input][row * subject_.inputs()[input].numel() + column];
    e.slope = d.slope;
    e.left = d.left;
    e.right = d.right;
    const double both = std::max(std::abs(e.gradient), std::abs(e.slope));
    e.allowed = kErrors * d.error + kOfBoth * both + kOfLargest * largest_;
    if (d.state == Difference::State::kKink) {
      report_.kinks.push_back(e);
    } else if (d.state == Difference::State::kUnclear) {
      report_.unclear.push_back(e);
    } else if (!(std::abs(e.gradient - e.slope) <= e.allowed)) {
      report_.wrong.push_back(e);
      ++report_.compared;
    } else if (e.allowed > kUnsettled * std::max(both, 0x1p-10 * largest_) && both > 0) {
      report_.unclear.push_back(e);
    } else {
      ++report_.compared;
    }
  }

  const Subject subject_;
  GradCheckReport report_;
  std::vector<Shape> shapes_;  // of the results
  Doubles values_;
  std::vector<Doubles> jacobian_;
  double largest_ = 0;
};

std::string PlaceText(const Element& e) {
  return absl::StrCat("output ", e.output, " at ", ShapeToString(e.row), " by input ", e.input,
                      " at ", ShapeToString(e.column));
}

}  // namespace

std::string GradCheckReport::text() const {
  std::string text = absl::StrCat("[", call, "] ");
  if (!problem.empty()) {
    text += problem;
  } else if (!wrong.empty()) {
    const Element& e = wrong.front();
    absl::StrAppend(&text, wrong.size(), " of ", compared, " elements are wrong; the worst is ",
                    PlaceText(e), ": the gradient is ", e.gradient, ", differences give ", e.slope,
                    " within ", e.allowed);
  } else if (compared == 0) {
    text += "nothing was compared; choose another point";
  } else {
    absl::StrAppend(&text, compared, " elements agree");
  }
  if (!kinks.empty()) {
    const Element& e = kinks.front();
    absl::StrAppend(&text, "\n", kinks.size(), " not compared at kinks; the first is ",
                    PlaceText(e), ": slopes ", e.left, " and ", e.right, ", the gradient is ",
                    e.gradient);
  }
  if (!unclear.empty()) {
    absl::StrAppend(&text, "\n", unclear.size(),
                    " not compared where differences do not settle; the first is ",
                    PlaceText(unclear.front()), ": the gradient is ", unclear.front().gradient);
  }
  if (seed != 0) absl::StrAppend(&text, "\nseed ", seed);
  return text;
}

GradCheckReport GradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs) {
  EnableGradGuard grad;
  return Check(f, inputs, "gradcheck").Run();
}

GradCheckReport GradGradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                              uint64_t seed) {
  EnableGradGuard grad;
  const size_t count = inputs.size();
  std::vector<Tensor> all = inputs;
  Generator generator(seed);
  {
    const Subject subject(f, inputs);
    for (const Tensor& result : subject.Results(subject.Leaves())) {
      all.push_back(Leaf(Normal(result.sizes(), 0, 1, generator, DType::kF64, result.device())));
    }
  }
  const TensorListFunction gradients = [&](const std::vector<Tensor>& in) {
    const std::vector<Tensor> own(in.begin(), in.begin() + static_cast<ptrdiff_t>(count));
    const std::vector<Tensor> seeds(in.begin() + static_cast<ptrdiff_t>(count), in.end());
    std::vector<Tensor> varied;
    for (const Tensor& input : own) {
      if (RequiresGrad(input)) varied.push_back(input);
    }
    return GradOrZeros(f(own), varied, seeds, /*create_graph=*/true,
                       /*retain_graph=*/true);
  };
  GradCheckReport report = Check(gradients, all, "gradgradcheck").Run();
  report.seed = seed;
  return report;
}

}  // namespace twingrad
