// Gathering and scattering the elements a view shows, and writes through views. See strided.h.

#include "autograd/graph/strided.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/remote.h"

namespace twingrad {
namespace {

// Calls visit(offset) for each element in row-major order.
template <class Visit>
void ForEachOffset(Span<const int64_t> sizes, Span<const int64_t> strides, int64_t offset,
                   const Visit& visit) {
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
  if (tensor.is_sparse()) RefuseSparse("view");
  return kernels::Contiguous(tensor);
}

// What the maps are made of on a remote device: row-major tensors as lists, and where the elements
// of a list go.
Tensor Listed(const Tensor& contiguous) {
  return contiguous.AsStrided(Shape({contiguous.numel()}), Shape({1}), contiguous.storage_offset());
}
Tensor Shaped(const Tensor& list, Ints sizes) {
  return list.AsStrided(sizes, ContiguousStrides(sizes), 0);
}
Tensor Places(const ViewMap& map, Device device) {
  return Tensor::FromData<int64_t>({static_cast<int64_t>(map.index().size())}, map.index(), device);
}

// The node of a linear function of one tensor: applies its adjoint.
class MapNode final : public Node {
 public:
  using Adjoint = Tensor (*)(const Tensor& gradient, const ViewMapPtr& map);
  MapNode(const char* name, Adjoint adjoint, ViewMapPtr map)
      : name_(name), adjoint_(adjoint), map_(std::move(map)) {}
  VariableList Apply(VariableList&& g) override {
    VariableList results(1);
    if (g[0].defined() && TaskShouldComputeOutput(0)) results[0] = adjoint_(g[0], map_);
    return results;
  }
  std::string_view name() const override { return name_; }

 private:
  const char* name_;
  Adjoint adjoint_;
  ViewMapPtr map_;
};

// Whether the kernels do it: where the host does not reach the elements, or has no arithmetic for
// their type.
bool ByKernels(const Tensor& a) { return IsRemote(a) || IsNarrow(a.dtype()); }

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
  if (ByKernels(whole)) [[unlikely]] {
    const Tensor places = Places(*map, whole.device());
    part = Shaped(kernels::Gather(Listed(source), 0, places), map->view_sizes());
  } else {
    kernels::DispatchFloating("gather", whole.dtype(), [&]<class T>(T) {
      T* const to = part.mutable_data<T>();
      const T* const from = source.data<T>();
      for (size_t i = 0; i < map->index().size(); ++i) to[i] = from[map->index()[i]];
    });
  }
  if (record) RecordNode(MakeNode<MapNode>("Gather", Scatter, map), part, whole);
  return part;
}

Tensor Scatter(const Tensor& part, const ViewMapPtr& map) {
  const bool record = ShouldRecord(part);
  const Tensor source = Contiguous(part);
  Tensor whole = Tensor::Zeros(map->base_sizes(), part.dtype(), part.device());
  if (ByKernels(part)) [[unlikely]] {
    const Tensor places = Places(*map, part.device());
    whole =
        Shaped(kernels::ScatterAdd(Listed(whole), 0, places, Listed(source)), map->base_sizes());
  } else {
    kernels::DispatchFloating("scatter", part.dtype(), [&]<class T>(T) {
      T* const to = whole.mutable_data<T>();
      const T* const from = source.data<T>();
      for (size_t i = 0; i < map->index().size(); ++i) to[map->index()[i]] += from[i];
    });
  }
  if (record) RecordNode(MakeNode<MapNode>("Scatter", Gather, map), whole, part);
  return whole;
}

Tensor Replace(const Tensor& whole, const Tensor& part, const ViewMapPtr& map) {
  const bool record = ShouldRecord(whole, part);
  if (whole.is_sparse()) RefuseSparse("view");
  Tensor result = kernels::Clone(whole);
  const Tensor source = part.defined() ? Contiguous(part) : Tensor();
  if (ByKernels(whole)) [[unlikely]] {
    const Tensor places = Places(*map, whole.device());
    const Tensor list = source.defined()
                            ? Listed(source)
                            : Tensor::Zeros(places.sizes(), whole.dtype(), whole.device());
    result = Shaped(kernels::Scatter(Listed(result), 0, places, list), whole.sizes());
  } else {
    kernels::DispatchFloating("replace", whole.dtype(), [&]<class T>(T zero) {
      T* const to = result.mutable_data<T>();
      const T* const from = source.defined() ? source.data<T>() : nullptr;
      for (size_t i = 0; i < map->index().size(); ++i) {
        to[map->index()[i]] = from != nullptr ? from[i] : zero;
      }
    });
  }
  if (record) RecordNode(MakeNode<ReplaceNodeFunction>(map), result, whole, part);
  return result;
}

NodePtr MakeRegeneratedView(const Tensor& view, ViewMapPtr map) {
  NodePtr node = MakeNode<MapNode>("RegeneratedView", Scatter, std::move(map));
  node->AddInput(view);
  return node;
}

CopySlices::CopySlices(Edge base_edge, ViewMapPtr map, NodePtr function, size_t self_edge)
    : map_(std::move(map)), function_(std::move(function)), self_edge_(self_edge) {
  // The function asks about its own edges whether a gradient is wanted; they must be ours then.
  function_->SetNextEdge(self_edge, std::move(base_edge));
  if (function_->extras() != nullptr && function_->extras()->wants_release_notice) {
    MakeExtras().wants_release_notice = true;
  }
  SetNextEdges(function_->next_edges());
}

// The engine checks what leaves this node, but not what the operation's own node gives it.
void CopySlices::CheckInner(const VariableList& inner, const Tensor& gradient) const {
  if (!inner.empty() && inner.size() != num_outputs()) {
    throw Error(ErrorKind::kGradCount,
                absl::StrCat("[view] ", function_->name(), " gave ", inner.size(),
                             " gradients for ", num_outputs(),
                             " edges; there must be one for each; return as many as there are "
                             "operands"));
  }
  if (inner.empty() || !inner[self_edge_].defined()) return;
  const Tensor& part = inner[self_edge_];
  const Span<const int64_t> wanted = map_->view_sizes();
  if (part.sizes() == wanted && part.dtype() == gradient.dtype() &&
      part.device() == gradient.device()) {
    return;
  }
  throw Error(
      part.sizes() != wanted             ? ErrorKind::kShape
      : part.dtype() != gradient.dtype() ? ErrorKind::kDType
                                         : ErrorKind::kDevice,
      absl::StrCat("[view] gradient ", self_edge_, " that ", function_->name(), " gave is ",
                   DTypeName(part.dtype()), ShapeToString(part.sizes()), " on ",
                   part.device().ToString(), " for a written view of ", DTypeName(gradient.dtype()),
                   ShapeToString(wanted), " on ", gradient.device().ToString(),
                   "; it must have the view's type; convert it"));
}

VariableList CopySlices::Apply(VariableList&& gradients) {
  VariableList results(num_outputs());
  const Tensor& gradient = gradients[0];
  if (!gradient.defined()) return results;
  VariableList parts;
  parts.push_back(Gather(gradient, map_));
  VariableList inner = function_->Apply(std::move(parts));
  CheckInner(inner, gradient);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!TaskShouldComputeOutput(i)) continue;
    if (i != self_edge_) {
      results[i] = std::move(inner[i]);
    } else {
      results[i] = Replace(gradient, inner.empty() ? Tensor() : inner[i], map_);
    }
  }
  return results;
}

}  // namespace twingrad
