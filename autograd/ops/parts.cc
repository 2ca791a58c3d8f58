#include "autograd/ops/parts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/graph/view.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {
namespace {

constexpr int64_t kMostOfNothing = 1 << 20;

// Puts the gradients of the parts together again.
class PartsNode final : public Node {
 public:
  // `stacks`: the parts lack `dim`. `name` must outlive the node.
  PartsNode(std::string_view name, int64_t dim, bool stacks)
      : name_(name), dim_(dim), stacks_(stacks) {}

  VariableList Apply(VariableList&& gradients) override {
    VariableList results(1);
    const bool arrived = std::ranges::any_of(gradients, &Tensor::defined);
    if (!arrived || !TaskShouldComputeOutput(0)) return results;
    InlinedVector<const Tensor*, 4> all;
    for (uint32_t k = 0; k < gradients.size(); ++k) {
      const InputMetadata& part = input_metadata(k);
      if (!gradients[k].defined()) {
        gradients[k] = Tensor::Zeros(part.sizes(), part.dtype(), part.device());
      }
      all.push_back(&gradients[k]);
    }
    const Span<const Tensor* const> in_order(all.data(), all.size());
    results[0] = stacks_ ? Stack(in_order, dim_) : Cat(in_order, dim_);
    return results;
  }
  std::string_view name() const override { return name_; }

 private:
  const std::string_view name_;
  const int64_t dim_;
  const bool stacks_;
};

VariableList PartsOf(std::string_view node_name, const Tensor& a, int64_t dim,
                     const std::vector<Part>& parts) {
  NodePtr node;
  if (ShouldRecord(a) && !parts.empty()) {
    Edge edge = GradientEdge(a);
    node = MakeNode<PartsNode>(node_name, dim, parts[0].drop);
    node->AddNextEdge(std::move(edge));
  }
  VariableList results;
  results.reserve(parts.size());
  for (const Part& part : parts) {
    const Geometry g = PartGeometry(a, part);
    results.push_back(MakeView(a, g.sizes, g.strides, g.offset, nullptr));
    const auto nr = static_cast<uint32_t>(results.size() - 1);
    if (node != nullptr) SetHistory(results.back(), node, nr);
  }
  if (node != nullptr) AnnounceNode(*node);
  return results;
}

void CheckCount(const char* op, int64_t count) {
  if (count >= 1) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", op, "] a count of ", count, "; 1 or more is allowed"));
}

// `length` entries each, `least` parts if there are none.
VariableList PartsOfLength(std::string_view node_name, const Tensor& a, int64_t dim, int64_t length,
                           int64_t least) {
  const int64_t size = a.sizes()[dim];
  std::vector<Part> parts;
  for (int64_t start = 0; start < size; start += length) {
    length = std::min(length, size - start);
    parts.push_back({SizesOf(a), dim, start, 1, length, false});
  }
  while (size == 0 && least-- > 0) parts.push_back({SizesOf(a), dim, 0, 1, 0, false});
  return PartsOf(node_name, a, dim, parts);
}

}  // namespace

VariableList Unbind(const Tensor& a, int64_t dim) {
  CheckDimOf("unbind", a, dim);
  std::vector<Part> parts;
  for (int64_t k = 0; k < a.sizes()[dim]; ++k) parts.push_back(SelectedPart(a, dim, k));
  return PartsOf("UnbindBackward", a, dim, parts);
}

VariableList Split(const Tensor& a, int64_t dim, int64_t count) {
  CheckDimOf("split", a, dim);
  CheckCount("split", count);
  return PartsOfLength("SplitBackward", a, dim, count, 1);
}

VariableList Chunk(const Tensor& a, int64_t dim, int64_t count) {
  CheckDimOf("chunk", a, dim);
  CheckCount("chunk", count);
  const int64_t size = a.sizes()[dim];
  if (size == 0 && count > kMostOfNothing) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[chunk] ", count, " parts of a dimension of size 0; at most ",
                             kMostOfNothing, " are allowed"));
  }
  const int64_t length = size == 0 ? 1 : (size - 1) / count + 1;
  return PartsOfLength("ChunkBackward", a, dim, length, count);
}

}  // namespace twingrad::ops
