// What differs between the versions of libtorch that the adapter is built with: 1.13 and 2.x.

#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/version.h>

#include <memory>
#include <optional>

namespace twingrad::libtorch {

using torch::autograd::Node;

#if TORCH_VERSION_MAJOR >= 2
template <typename T>
using Optional = std::optional<T>;
using NodePtr = c10::intrusive_ptr<Node>;
using WeakNode = c10::weak_intrusive_ptr<Node>;
inline NodePtr Hold(Node* node) { return node == nullptr ? NodePtr() : node->getptr(); }
inline WeakNode Weak(const NodePtr& node) { return WeakNode(node); }
inline WeakNode NoNode() { return WeakNode(NodePtr()); }
// Hooks act in the order that 2.0 fixed, and captured gradients pass them.
inline constexpr bool kHasHooks = true;
inline constexpr char kDialect[] = "pytorch";
#else
template <typename T>
using Optional = c10::optional<T>;
using NodePtr = std::shared_ptr<Node>;
using WeakNode = std::weak_ptr<Node>;
inline NodePtr Hold(Node* node) { return node == nullptr ? nullptr : node->shared_from_this(); }
inline WeakNode Weak(const NodePtr& node) { return node; }
inline WeakNode NoNode() { return {}; }
inline constexpr bool kHasHooks = false;
inline constexpr char kDialect[] = "pytorch1";
#endif

}  // namespace twingrad::libtorch
