// Gathering and scattering the elements a view shows. See strided.h.

#include "autograd/graph/strided.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/base/error.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

// Calls visit(offset) for each element in row-major order.
template <class Visit>
void ForEachOffset(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides,
                   int64_t offset, const Visit& visit) {
  const int64_t count = ElementCount(sizes);
  Shape position(sizes.size());
  for (int64_t i = 0; i < count; ++i) {
    visit(offset);
    for (size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++position[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      position[d] = 0;
    }
  }
}

Tensor Contiguous(const Tensor& tensor) {
  return tensor.IsContiguous() ? tensor : kernels::Clone(tensor);
}

template <class T>
void GatherElements(const Tensor& whole, const ViewMap& map, const Tensor& part) {
  for (size_t i = 0; i < map.index().size(); ++i) {
    part.data<T>()[i] = whole.data<T>()[map.index()[i]];
  }
}

template <class T>
void ScatterElements(const Tensor& part, const ViewMap& map, const Tensor& whole) {
  for (size_t i = 0; i < map.index().size(); ++i) {
    whole.data<T>()[map.index()[i]] += part.data<T>()[i];
  }
}

template <class T>
void ReplaceElements(const Tensor* part, const ViewMap& map, const Tensor& whole) {
  for (size_t i = 0; i < map.index().size(); ++i) {
    whole.data<T>()[map.index()[i]] = part == nullptr ? T{0} : part->data<T>()[i];
  }
}

class GatherNode final : public Node {
 public:
  explicit GatherNode(ViewMapPtr map) : map_(std::move(map)) {}
  VariableList Apply(VariableList&& g) override {
    VariableList results(1);
    if (g[0].defined() && TaskShouldComputeOutput(0)) results[0] = Scatter(g[0], map_);
    return results;
  }
  std::string_view name() const override { return "Gather"; }

 private:
  ViewMapPtr map_;
};

class ScatterNode final : public Node {
 public:
  explicit ScatterNode(ViewMapPtr map) : map_(std::move(map)) {}
  VariableList Apply(VariableList&& g) override {
    VariableList results(1);
    if (g[0].defined() && TaskShouldComputeOutput(0)) results[0] = Gather(g[0], map_);
    return results;
  }
  std::string_view name() const override { return "Scatter"; }

 private:
  ViewMapPtr map_;
};

class ReplaceNodeFunction final : public Node {
 public:
  explicit ReplaceNodeFunction(ViewMapPtr map) : map_(std::move(map)) {}
  VariableList Apply(VariableList&& g) override {
    VariableList results(2);
    if (!g[0].defined()) return results;
    if (TaskShouldComputeOutput(0)) results[0] = Replace(g[0], Tensor(), map_);
    if (TaskShouldComputeOutput(1)) results[1] = Gather(g[0], map_);
    return results;
  }
  std::string_view name() const override { return "Replace"; }

 private:
  ViewMapPtr map_;
};

}  // namespace

ViewMap::ViewMap(const Tensor& base, const Tensor& view)
    : base_sizes_(base.sizes().begin(), base.sizes().end()),
      view_sizes_(view.sizes().begin(), view.sizes().end()) {
  index_.reserve(static_cast<size_t>(view.numel()));
  if (base.IsContiguous()) {
    ForEachOffset(view.sizes(), view.strides(), view.storage_offset() - base.storage_offset(),
                  [this](int64_t offset) { index_.push_back(offset); });
  } else {
    absl::flat_hash_map<int64_t, int64_t> index_at;  // storage offset -> row-major index
    int64_t next = 0;
    ForEachOffset(base.sizes(), base.strides(), base.storage_offset(),
                  [&](int64_t offset) { index_at.emplace(offset, next++); });
    ForEachOffset(view.sizes(), view.strides(), view.storage_offset(), [&](int64_t offset) {
      auto it = index_at.find(offset);
      index_.push_back(it == index_at.end() ? -1 : it->second);
    });
  }
  for (int64_t index : index_) {
    if (index >= 0 && index < base.numel()) continue;
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[view] a view ", ShapeToString(view.sizes()),
                             " shows elements that its base ", ShapeToString(base.sizes()),
                             " does not have; it may show elements of the base; make it from "
                             "a larger tensor"));
  }
}

Tensor Gather(const Tensor& whole, const ViewMapPtr& map) {
  const bool record = ShouldRecord(whole);
  const Tensor source = Contiguous(whole);
  Tensor part = Tensor::Empty(map->view_sizes(), whole.dtype(), whole.device());
  if (whole.dtype() == DType::kF32) {
    GatherElements<float>(source, *map, part);
  } else {
    GatherElements<double>(source, *map, part);
  }
  if (record) {
    auto node = MakeNode<GatherNode>(map);
    node->AddNextEdge(GradientEdge(whole));
    SetHistory(part, std::move(node));
  }
  return part;
}

Tensor Scatter(const Tensor& part, const ViewMapPtr& map) {
  const bool record = ShouldRecord(part);
  const Tensor source = Contiguous(part);
  Tensor whole = Tensor::Zeros(map->base_sizes(), part.dtype(), part.device());
  if (part.dtype() == DType::kF32) {
    ScatterElements<float>(source, *map, whole);
  } else {
    ScatterElements<double>(source, *map, whole);
  }
  if (record) {
    auto node = MakeNode<ScatterNode>(map);
    node->AddNextEdge(GradientEdge(part));
    SetHistory(whole, std::move(node));
  }
  return whole;
}

Tensor Replace(const Tensor& whole, const Tensor& part, const ViewMapPtr& map) {
  const bool record = ShouldRecord(whole, part);
  Tensor result = kernels::Clone(whole);
  const Tensor source = part.defined() ? Contiguous(part) : Tensor();
  if (whole.dtype() == DType::kF32) {
    ReplaceElements<float>(part.defined() ? &source : nullptr, *map, result);
  } else {
    ReplaceElements<double>(part.defined() ? &source : nullptr, *map, result);
  }
  if (record) {
    auto node = MakeNode<ReplaceNodeFunction>(map);
    node->AddNextEdge(GradientEdge(whole));
    node->AddNextEdge(GradientEdge(part));
    SetHistory(result, std::move(node));
  }
  return result;
}

}  // namespace twingrad
