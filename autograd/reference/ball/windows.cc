// What works on windows of the last dimensions: convolutions and pools; and rows that indices name.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;

// The entries of each window in a plane of these sizes, -1 in the padding: windows along one
// dimension are crossed with those along the dimensions before it.
std::vector<Places> Evaluation::WindowsIn(absl::Span<const int64_t> plane,
                                          absl::Span<const int64_t> kernel) const {
  const auto list = [&](Key key) { return statement_.Get<std::vector<int64_t>>(key); };
  const auto stride = list(Key::kStride), padding = list(Key::kPadding);
  const auto dilation = list(Key::kDilation);
  const bool pools = statement_.Find(Key::kKernel) != nullptr;
  std::vector<Places> windows = {{0}};
  for (size_t d = 0; d < plane.size(); ++d) {
    const int64_t step = !stride.empty() ? stride[d] : pools ? kernel[d] : 1;
    const int64_t before = padding.empty() ? 0 : padding[d];
    const int64_t between = dilation.empty() ? 1 : dilation[d];
    const int64_t end = plane[d] + before;  // a window's last entry lies before it
    std::vector<Places> lines;
    for (int64_t first = -before; first + between * (kernel[d] - 1) < end; first += step) {
      Places& line = lines.emplace_back();
      for (int64_t k = 0; k < kernel[d]; ++k) line.push_back(first + between * k);
    }
    std::vector<Places> crossed;
    for (const Places& window : windows) {
      for (const Places& line : lines) {
        Places& places = crossed.emplace_back();
        for (const int64_t place : window) {
          for (const int64_t at : line) {
            const bool inside = place >= 0 && at >= 0 && at < plane[d];
            places.push_back(inside ? place * plane[d] + at : -1);
          }
        }
      }
    }
    windows = std::move(crossed);
  }
  return windows;
}

// Windows that share the plane out: of each dimension the entries that lie in part i of count.
std::vector<Places> Evaluation::PortionsIn(absl::Span<const int64_t> plane,
                                           absl::Span<const int64_t> counts) {
  std::vector<Places> windows = {{0}};
  for (size_t d = 0; d < plane.size(); ++d) {
    std::vector<Places> crossed;
    for (const Places& window : windows) {
      for (int64_t i = 0; i < counts[d]; ++i) {
        Places& places = crossed.emplace_back();
        for (const int64_t place : window) {
          for (int64_t at = 0; at < plane[d]; ++at) {
            // Whether [at, at + 1) meets [i, i + 1) size / count.
            const bool meets =
                (at + 1) * counts[d] > i * plane[d] && at * counts[d] < (i + 1) * plane[d];
            if (meets) places.push_back(place * plane[d] + at);
          }
        }
      }
    }
    windows = std::move(crossed);
  }
  return windows;
}

void Evaluation::Convolve() {
  const Tensor &a = in_[0], &b = in_[1];
  const size_t dims = b.shape.size() - 2, channel = a.shape.size() - dims - 1;
  const absl::Span<const int64_t> sizes(a.shape), kernel(b.shape);
  const std::vector<Places> windows = WindowsIn(sizes.subspan(channel + 1), kernel.subspan(2));
  const int64_t plane = CountOf(sizes.subspan(channel + 1)),
                samples = channel == 0 ? 1 : a.shape[0];
  const int64_t entries = CountOf(kernel.subspan(2)), depth = b.shape[1];
  const int64_t results = b.shape[0] / statement_.Get<int64_t>(Key::kGroups, 1);
  const Ref zero = math_.Zero(type());
  for (int64_t n = 0; n < samples; ++n) {
    for (int64_t o = 0; o < b.shape[0]; ++o) {
      for (const Places& window : windows) {
        std::vector<std::pair<Ref, Ref>> products;
        for (int64_t c = 0; c < depth; ++c) {
          const int64_t first = (n * a.shape[channel] + o / results * depth + c) * plane;
          for (int64_t k = 0; k < entries; ++k) {
            const int64_t at = window[static_cast<size_t>(k)];
            Ref weight = b.elements[static_cast<size_t>((o * depth + c) * entries + k)];
            products.emplace_back(at < 0 ? zero : a.elements[static_cast<size_t>(first + at)],
                                  weight);
          }
        }
        Put(math_.SumOfProducts(products, nullptr, type()));
      }
    }
  }
}

// Each entry of the result from those of the operand whose window, in a convolution, reads it.
void Evaluation::ConvolveTransposed() {
  const Tensor &a = in_[0], &b = in_[1];
  const size_t dims = b.shape.size() - 2, channel = a.shape.size() - dims - 1;
  const absl::Span<const int64_t> sizes(out_.shape), kernel(b.shape);
  const std::vector<Places> windows = WindowsIn(sizes.subspan(channel + 1), kernel.subspan(2));
  const int64_t plane = CountOf(sizes.subspan(channel + 1));
  const int64_t samples = channel == 0 ? 1 : a.shape[0], channels = b.shape[0];
  const int64_t entries = CountOf(kernel.subspan(2)), depth = b.shape[1];
  const int64_t of_group = channels / statement_.Get<int64_t>(Key::kGroups, 1);
  const auto count = static_cast<int64_t>(windows.size());
  std::vector<std::vector<std::pair<Ref, Ref>>> sums(static_cast<size_t>(CountOf(out_.shape)));
  for (int64_t n = 0; n < samples; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t w = 0; w < count; ++w) {
        Ref factor = a.elements[static_cast<size_t>((n * channels + c) * count + w)];
        for (int64_t o = 0; o < depth; ++o) {
          const int64_t result = n * out_.shape[channel] + c / of_group * depth + o;
          for (int64_t k = 0; k < entries; ++k) {
            const int64_t at = windows[static_cast<size_t>(w)][static_cast<size_t>(k)];
            if (at < 0) continue;
            sums[static_cast<size_t>(result * plane + at)].emplace_back(
                factor, b.elements[static_cast<size_t>((c * depth + o) * entries + k)]);
          }
        }
      }
    }
  }
  for (const auto& products : sums) Put(math_.SumOfProducts(products, nullptr, type()));
}

// Of a pool the mean, the greatest, or where in its plane that stands.
Ref Evaluation::PoolRow(const Refs& row, const Places& places, int64_t entries) {
  const program::OpFacts& facts = program::SignatureOf(op_).facts;
  if (facts.numbers == program::Numbers::kMeanOver) return math_.Sum(row, type(), entries);
  if (facts.numbers == program::Numbers::kSame) return math_.Extreme(row, true, type());
  Ref index = math_.IndexOfExtreme(row, true, type());
  return index->known ? math_.Integer(places[static_cast<size_t>(index->integer)]) : index;
}

void Evaluation::Pool() {
  const bool shares = statement_.Find(Key::kKernel) == nullptr;
  const auto kernel = statement_.Get<std::vector<int64_t>>(shares ? Key::kShape : Key::kKernel);
  const absl::Span<const int64_t> sizes(in_[0].shape);
  const auto plane = sizes.last(kernel.size());
  const std::vector<Places> windows = shares ? PortionsIn(plane, kernel) : WindowsIn(plane, kernel);
  const auto elements = static_cast<int64_t>(in_[0].elements.size());
  for (int64_t first = 0; first < elements; first += CountOf(plane)) {
    for (const Places& window : windows) {
      Refs row;
      Places places;
      for (const int64_t at : window) {
        if (at < 0) continue;
        row.push_back(in_[0].elements[static_cast<size_t>(first + at)]);
        places.push_back(at);
      }
      const auto entries = static_cast<int64_t>(row.size());
      Put(PoolRow(row, places, shares ? entries : CountOf(kernel)));
    }
  }
}

void Evaluation::Embed() {
  const int64_t rows = in_[0].shape[0], width = in_[0].shape[1];
  for (Ref index : in_[1].elements) {
    if (index->known && (index->integer < 0 || index->integer >= rows)) {
      throw NotApplicable{Refusal::kIndex};
    }
    for (int64_t k = 0; k < width; ++k) {
      Put(index->known ? in_[0].elements[static_cast<size_t>(index->integer * width + k)]
                       : math_.AnyOf(RowOf(in_[0], {k, width, rows})));
    }
  }
}

}  // namespace twingrad::reference::ball
