#include "autograd/inspect/dot.h"

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

size_t Bytes(const Tensor& tensor) {
  if (tensor.is_sparse()) {
    const SparseParts& parts = SparsePartsOf(tensor);
    return Bytes(parts.indices) + Bytes(parts.values);
  }
  return static_cast<size_t>(tensor.numel()) * ElementSize(tensor.dtype());
}

std::string TypeText(DType dtype, Ints sizes, Device device) {
  return absl::StrCat(DTypeName(dtype), ShapeToString(sizes),
                      device.IsCpu() ? "" : absl::StrCat(" on ", device.ToString()));
}

// A line of a node's label; nothing for what is not there.
std::string SavedText(const SavedVariable& saved) {
  const SavedVariable::Content content = saved.Look();
  const Tensor& data = content.data;
  switch (content.state) {
    case SavedVariable::State::kEmpty:
      return "";
    case SavedVariable::State::kPacked:
      return "\nsaves what a hook packed";
    case SavedVariable::State::kFreed:
      return "\nsaved, released";
    case SavedVariable::State::kSaved:
      break;
  }
  return absl::StrCat("\nsaves ", data.is_sparse() ? "sparse " : "",
                      TypeText(data.dtype(), data.sizes(), data.device()), ", ", Bytes(data),
                      " bytes");
}

// Numbers nodes in the order in which a walk along the edges meets them.
class Drawing {
 public:
  explicit Drawing(const DotOptions& options) : options_(options) {
    for (const auto& [name, tensor] : options.names) {
      const Edge edge = GradientEdge(tensor);
      if (!edge.is_valid()) continue;
      std::string& names = names_[edge.function.get()];
      absl::StrAppend(&names, names.empty() ? "" : ", ", name);
    }
  }

  std::string Draw(const std::vector<Tensor>& roots) {
    std::vector<Edge> starts;
    for (const Tensor& root : roots) {
      starts.push_back(GradientEdge(root));
      if (starts.back().is_valid()) NumberOf(starts.back().function.get());
    }
    // A list instead of recursion: graphs are deep. It grows while it is walked.
    for (size_t i = 0; i < nodes_.size(); ++i) DrawNode(i);
    std::string text = "digraph backward {\n  node [shape=box];\n" + lines_;
    for (size_t i = 0; i < starts.size(); ++i) {
      if (!starts[i].is_valid()) continue;
      absl::StrAppend(&text, "  root", i, " [label=\"root ", i, "\", shape=plaintext];\n");
      text += Arrow(absl::StrCat("root", i), starts[i]);
    }
    if (hidden_ > 0) {
      absl::StrAppend(&text, "  hidden [label=\"", hidden_,
                      " edges lead to nodes not shown\", shape=note];\n");
    }
    return text + "}\n";
  }

 private:
  // -1 for one too many.
  int64_t NumberOf(Node* node) {
    const auto found = numbers_.find(node);
    if (found != numbers_.end()) return found->second;
    if (nodes_.size() >= options_.max_nodes) return -1;
    numbers_.emplace(node, static_cast<int64_t>(nodes_.size()));
    nodes_.push_back(node);
    return static_cast<int64_t>(nodes_.size()) - 1;
  }

  void DrawNode(size_t i) {
    const Node& node = *nodes_[i];
    const bool is_leaf = dynamic_cast<const AccumulateGrad*>(&node) != nullptr;
    std::string label(is_leaf ? "leaf" : node.name());
    if (const auto name = names_.find(&node); name != names_.end()) {
      absl::StrAppend(&label, " ", name->second);
    }
    for (uint32_t k = 0; k < node.num_inputs(); ++k) {
      const InputMetadata& type = node.input_metadata(k);
      absl::StrAppend(&label, "\n", TypeText(type.dtype(), type.sizes(), type.device()));
    }
    for (const SavedVariable* saved : nodes_[i]->SavedVariables()) label += SavedText(*saved);
    absl::StrAppend(&lines_, "  n", i, " [label=", Quoted(label), is_leaf ? ", shape=ellipse" : "",
                    "];\n");
    for (const Edge& edge : node.next_edges()) {
      if (edge.is_valid()) lines_ += Arrow(absl::StrCat("n", i), edge);
    }
  }

  std::string Arrow(std::string_view from, const Edge& edge) {
    const int64_t to = NumberOf(edge.function.get());
    if (to < 0) {
      ++hidden_;
      return "";
    }
    return absl::StrCat(
        "  ", from, " -> n", to,
        edge.function->num_inputs() > 1 ? absl::StrCat(" [label=\"", edge.input_nr, "\"]") : "",
        ";\n");
  }

  const DotOptions& options_;
  absl::flat_hash_map<const Node*, std::string> names_;
  absl::flat_hash_map<const Node*, int64_t> numbers_;
  std::vector<Node*> nodes_;
  std::string lines_;
  size_t hidden_ = 0;
};

}  // namespace

std::string ToDot(const std::vector<Tensor>& roots, const DotOptions& options) {
  return Drawing(options).Draw(roots);
}

}  // namespace twingrad
