// Custom functions: a forward and a backward of the user's, as one node.
//
//   struct Cube : Function<Cube> {
//     static Tensor Forward(Context& context, const Tensor& x, double factor) {
//       context.SaveForBackward({x});
//       context.saved_data["factor"] = factor;
//       return ...;
//     }
//     static VariableList Backward(Context& context, VariableList gradients) {
//       const Tensor x = context.SavedTensors()[0];
//       return {..., Tensor()};                       // one gradient an argument
//     }
//   };
//   Tensor y = Cube::Apply(x, 3.0);
//
// Forward runs without grad mode and returns a Tensor, or a VariableList or vector of them. If grad
// mode is on and a tensor among the arguments requires grad, the floating results get a node, and
// Backward turns their gradients into one for each argument, undefined for those that are no
// tensors. Arguments are tensors, lists of tensors (each tensor of a list counts as an argument)
// and anything else. Backward runs with the grad mode of the call: with create_graph what it
// computes can be differentiated again.
//
// A class may declare, each `static constexpr`:
//   const char* kName = "Cube";           its name in messages; otherwise the class's
//   bool kOnceDifferentiable = true;      differentiating its gradients is an error
//   bool kClearSavedOnAccess = true;      SavedTensors() gives them once and empties the context
//
// `gradients` belongs to Backward alone: a gradient that is reset there is freed at once. The
// tensors in it may be others' as well; writing such a one in place is Error(kVersion), afterwards.
//
// A result that is an argument as it was given becomes a view of it. An argument that was written
// must be marked dirty and returned; it stays the variable that it was, with a new history, and
// loses its `.grad`. Errors (ErrorKind): kInvalidArgument where a dirty tensor is no argument or is
// not returned, or is a view beside other results; kLeafInPlace where it is a leaf that requires
// grad; in backward kGradCount, and those of the engine about what each gradient must look like.
//
// Threads: Apply like any operation. One Backward of a node runs at a time (custom_node.h).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/graph/custom_node.h"
#include "autograd/graph/function_context.h"
#include "autograd/graph/node.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// One use of a custom function: what comes before and after its Forward.
class ForwardCall {
 public:
  explicit ForwardCall(const FunctionTraits& traits) : context_(traits) {}

  // The arguments, in order.
  void Take(const Tensor& tensor);
  void Take(Span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors) Take(tensor);
  }
  void TakeOther() { context_.edges_.push_back(FunctionContext::kNoEdge); }
  void Begin();
  FunctionContext& context() { return context_; }
  // Gives the results their histories.
  void End(Span<Tensor> results);

 private:
  bool IsArgument(const Tensor& tensor) const;
  bool IsDirty(const Tensor& result) const;
  bool IsDifferentiable(const Tensor& result) const;
  // Whether it has a place in a graph, which it keeps: what is returned is then a view of it.
  bool HasPlace(const Tensor& result) const;
  void CheckDirty(Span<const Tensor> results) const;
  // What SetGradDTypes was told.
  void CheckGradDTypes(Span<const Tensor> results) const;
  // Makes a result that has no gradient independent of other histories.
  void Detach(Tensor& result, bool is_dirty) const;
  void Rebase(const Tensor& dirty, size_t results);
  void SetResult(Tensor& result, bool is_dirty, size_t results);
  // Whether what is saved is packed before the results get their histories.
  bool PacksFirst() const;
  std::vector<SavedVariable> Pack(Span<const Tensor> results) const;
  void Keep(std::vector<SavedVariable> saved);

  FunctionContext context_;
  VariableList tensors_;  // among the arguments
  InlinedVector<Edge, 4> edges_;
  std::vector<uint32_t> versions_;  // before Forward
  sync::IntrusivePtr<CustomNode> node_;
  bool records_ = false;
  bool wrote_view_ = false;
};

namespace custom_internal {

// The name of T as the compiler spells it, without its namespaces.
template <class T>
constexpr std::string_view ClassName() {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]<"));
  const size_t scope = name.rfind(':');
  return scope == std::string_view::npos ? name : name.substr(scope + 1);
}

template <class T>
constexpr std::string_view NameOf() {
  if constexpr (requires { T::kName; }) {
    return T::kName;
  } else {
    return ClassName<T>();
  }
}

template <class T>
struct NodeName {
  static constexpr std::string_view kSuffix = "Backward";
  static constexpr auto kText = [] {
    std::array<char, NameOf<T>().size() + kSuffix.size()> text{};
    size_t at = 0;
    for (const char c : NameOf<T>()) text[at++] = c;
    for (const char c : kSuffix) text[at++] = c;
    return text;
  }();
};

template <class T>
constexpr bool IsOnceDifferentiable() {
  if constexpr (requires { T::kOnceDifferentiable; }) return T::kOnceDifferentiable;
  return false;
}

template <class T>
constexpr bool ClearsSaved() {
  if constexpr (requires { T::kClearSavedOnAccess; }) return T::kClearSavedOnAccess;
  return false;
}

template <class T>
inline constexpr FunctionTraits kTraits{
    NameOf<T>(), std::string_view(NodeName<T>::kText.data(), NodeName<T>::kText.size()),
    [](FunctionContext& context, VariableList gradients) {
      return T::Backward(context, std::move(gradients));
    },
    IsOnceDifferentiable<T>(), ClearsSaved<T>()};

}  // namespace custom_internal

template <class T>
class Function {
 public:
  using Context = FunctionContext;

  template <class... Arguments>
  static auto Apply(Arguments&&... arguments) {
    ForwardCall call(custom_internal::kTraits<T>);
    const auto take = [&call](const auto& argument) {
      using A = std::remove_cvref_t<decltype(argument)>;
      if constexpr (std::is_same_v<A, Tensor> ||
                    std::is_convertible_v<const A&, Span<const Tensor>>) {
        call.Take(argument);
      } else {
        call.TakeOther();
      }
    };
    (take(arguments), ...);
    call.Begin();
    auto results = [&] {
      const GradModeGuard no_grad(false);
      return T::Forward(call.context(), arguments...);
    }();
    if constexpr (std::is_same_v<decltype(results), Tensor>) {
      call.End(Span<Tensor>(&results, 1));
    } else {
      call.End(results);
    }
    return results;
  }
};

}  // namespace twingrad
