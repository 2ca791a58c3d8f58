#include "autograd/notation/print.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"
#include "autograd/tensor/element.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

std::string TextOf(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// Prints the elements of a contiguous tensor of any type, those that are shown, aligned.
class Elementwise {
 public:
  Elementwise(const Tensor& rows, const PrintOptions& options)
      : rows_(rows), options_(options), abridged_(rows.numel() > options.abridge_above) {
    Collect(0, 0);
    for (const std::string& text : texts_) width_ = std::max(width_, text.size());
  }

  std::string Print() {
    std::string out;
    if (rows_.dim() == 0) return texts_[0];
    PrintDim(0, out);
    return out;
  }

 private:
  int64_t Size(int64_t dim) const { return rows_.sizes()[dim]; }
  // How many entries at each end are shown; 0 where all are.
  int64_t Edge(int64_t dim) const {
    return abridged_ && Size(dim) > 2 * options_.edge ? options_.edge : 0;
  }

  std::string ElementText(int64_t place) const {
    return DispatchAll(rows_.dtype(), [&](auto zero) -> std::string {
      using T = decltype(zero);
      const T value = rows_.data<T>()[place];
      if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
      } else if constexpr (std::is_integral_v<T>) {
        return absl::StrCat(value);
      } else {
        return TextOf(CastNumber<double>(value), std::clamp(options_.digits, 1, 17));
      }
    });
  }

  // visit(i) for each entry shown, gap() between the two ends.
  template <class Visit, class Gap>
  void EachShown(int64_t dim, const Visit& visit, const Gap& gap) const {
    const int64_t edge = Edge(dim);
    for (int64_t i = 0; i < Size(dim); ++i) {
      if (edge > 0 && i == edge) {
        gap();
        i = Size(dim) - edge;
      }
      visit(i);
    }
  }

  void Collect(int64_t dim, int64_t place) {
    if (dim == rows_.dim()) {
      texts_.push_back(ElementText(place));
      return;
    }
    EachShown(
        dim, [&](int64_t i) { Collect(dim + 1, place + i * rows_.strides()[dim]); }, [] {});
  }

  // Takes the texts in the order in which they were collected.
  void PrintDim(int64_t dim, std::string& out) {
    const bool innermost = dim + 1 == rows_.dim();
    // Rows below each other, one line break for each dimension that ends.
    const std::string between =
        innermost ? ", "
                  : "," + std::string(static_cast<size_t>(rows_.dim() - dim - 1), '\n') +
                        std::string(static_cast<size_t>(dim + 1), ' ');
    out += '[';
    bool first = true;
    EachShown(
        dim,
        [&](int64_t) {
          if (!std::exchange(first, false)) out += between;
          if (!innermost) return PrintDim(dim + 1, out);
          const std::string& text = texts_[next_++];
          out.append(width_ - text.size(), ' ');
          out += text;
        },
        [&] { out += between + "..."; });
    out += ']';
  }

  const Tensor rows_;
  const PrintOptions options_;
  const bool abridged_;
  std::vector<std::string> texts_;
  size_t width_ = 0;
  size_t next_ = 0;
};

}  // namespace

std::string Describe(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string text = absl::StrCat(DTypeName(tensor.dtype()), ShapeToString(tensor.sizes()), " on ",
                                  tensor.device().ToString());
  if (RequiresGrad(tensor)) {
    if (IsLeaf(tensor)) {
      text += ", requires grad";
    } else {
      absl::StrAppend(&text, ", node ", GradientEdge(tensor).function->name());
    }
  }
  if (IsView(tensor)) text += ", view";
  return text;
}

std::string ToString(const Tensor& tensor, const PrintOptions& options) {
  if (!tensor.defined()) return "undefined";
  const Tensor rows = kernels::MovedTo(kernels::Clone(tensor), kernels::HostSide(tensor.device()));
  return absl::StrCat(Elementwise(rows, options).Print(), "\n", Describe(tensor));
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  return stream << ToString(tensor);
}

}  // namespace twingrad
