// For runners: reads gradients in every way that an engine has, and notes what differs.
//
//   AccessorNotes notes{value, /*is_grad=*/true, observation.accessors};
//   notes.Read("clone", first_read, [&] { return DataOf(Clone(grad)); });

#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/program/observation.h"

namespace twingrad::program {

// Whether the value is a gradient by the statement that made it.
inline bool IsGradient(const Statement& maker) {
  return maker.op == Opcode::kGrad || maker.op == Opcode::kReadGrad;
}

// Of one gradient: the .grad of `value`, or the value.
struct AccessorNotes {
  // Notes what `read` shows, or throws, if it is not `expected`.
  template <typename F>
  void Read(std::string_view word, const TensorData& expected, const F& read) const {
    try {
      TensorData shown = read();
      if (shown != expected) Note(word, expected, std::move(shown), "");
    } catch (const std::exception& thrown) {
      Note(word, expected, std::nullopt, thrown.what());
    }
  }
  void Note(std::string_view word, const TensorData& expected, std::optional<TensorData> shown,
            std::string error) const {
    records.push_back(
        {std::string(word), value, is_grad, expected, std::move(shown), std::move(error)});
  }

  ValueId value = kNoValue;
  bool is_grad = false;
  std::vector<AccessorRecord>& records;
};

}  // namespace twingrad::program
