// How a statement calls a function: operands and attributes become its arguments.
//
//   Run<ops::Sum, Key::kDims, Key::kKeepdim>(operands, statement, results);
//
// Included only by registry.cc.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/base/check.h"
#include "autograd/ops/ops.h"
#include "autograd/ops/registry.h"

namespace twingrad::ops {

using program::Key;
using program::Statement;
using enum program::Key;

// The argument of type T that an attribute stands for, absent ones included.
template <typename T>
T Attribute(const Statement& s, Key key) {
  if constexpr (std::is_same_v<T, Ints>) {  // of the statement's own list
    const auto* list = s.Find(key);
    return list == nullptr ? Ints() : std::get<std::vector<int64_t>>(*list);
  } else if constexpr (std::is_same_v<T, Device>) {
    return DeviceOf(static_cast<program::DeviceIndex>(s.Get<int64_t>(key, program::kCpu)));
  } else if constexpr (std::is_same_v<T, Reduction>) {
    const auto word = s.Get<std::string>(key);
    if (word == "sum") return Reduction::kSum;
    return word == "none" ? Reduction::kNone : Reduction::kMean;
  } else if constexpr (std::is_same_v<T, ScatterReduction>) {
    const auto word = s.Get<std::string>(key);
    return word == "sum"    ? ScatterReduction::kSum
           : word == "prod" ? ScatterReduction::kProd
           : word == "mean" ? ScatterReduction::kMean
           : word == "amax" ? ScatterReduction::kAmax
                            : ScatterReduction::kAmin;
  } else if constexpr (std::is_same_v<T, bool>) {
    return s.Get<bool>(key, key == kIncludeSelf);
  } else if constexpr (std::is_same_v<T, double>) {
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    return s.Get<double>(key, key == kMin ? -kNoLimit : key == kMax ? kNoLimit : 0);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    return s.Get<int64_t>(key, key == kStop ? kEnd : key == kStep || key == kGroups ? 1 : 0);
  } else {
    return s.Get<T>(key);
  }
}

using Joined = Span<const Tensor* const>;

// The arguments of a function from left to right: a tensor is the next operand, anything else the
// attribute with the next key.
struct Arguments {
  const Statement& statement;
  Operands operands;
  const Key* key;

  template <typename T>
  T Next() {
    if constexpr (std::is_same_v<T, Joined>) {
      return {operands.data(), operands.size()};
    } else if constexpr (std::is_reference_v<T>) {
      Tensor& operand = *operands.front();
      operands.remove_prefix(1);
      return operand;
    } else {
      return Attribute<T>(statement, *key++);
    }
  }
};

template <typename Result, typename... Parameters>
void Call(Result (*function)(Parameters...), Arguments arguments, Span<Tensor> results) {
  // In braces, so from left to right.
  std::tuple<Parameters...> all{arguments.Next<Parameters>()...};
  if constexpr (std::is_void_v<Result>) {
    std::apply(function, all);
  } else if constexpr (std::is_same_v<Result, Tensor>) {
    results[0] = std::apply(function, all);
  } else if constexpr (std::is_same_v<Result, ValuesAndIndices>) {
    ValuesAndIndices both = std::apply(function, all);
    results[0] = std::move(both.values);
    if (results.size() > 1) results[1] = std::move(both.indices);
  } else {
    VariableList parts = std::apply(function, all);
    AG_CHECK(parts.size() == results.size(), "[ops] ", parts.size(), " results for ",
             results.size(), " of the statement");
    std::ranges::move(parts, results.begin());
  }
}

template <auto kFunction, Key... kKeys>
void Run(Operands operands, const Statement& statement, Span<Tensor> results) {
  constexpr Key kList[] = {kKeys..., Key()};
  Call(kFunction, {statement, operands, kList}, results);
}

}  // namespace twingrad::ops
