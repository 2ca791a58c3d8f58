// The header of a safetensors file: which tensor lies where.
//
//   std::vector<TensorEntry> entries = ParseHeader(json, data_bytes, &notes);
//
// The entries cover the data from its start to its end without gaps or
// overlaps, in ascending order, and each has as many bytes as its type and
// shape need: whoever reads them need check nothing. Errors of safetensors.h.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/base/dtype.h"

namespace twingrad::safetensors {

inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct TensorEntry {
  std::string name;
  DType dtype = DType::kF64;
  Shape shape;
  uint64_t begin = 0;  // in bytes from the end of the header
  uint64_t end = 0;
};

std::vector<TensorEntry> ParseHeader(std::string_view json, uint64_t data_bytes,
                                     std::map<std::string, std::string>* notes);

// As JSON, with blanks at the end so that header and length fill whole groups
// of 8 bytes.
std::string PrintHeader(const std::vector<TensorEntry>& entries,
                        const std::map<std::string, std::string>& notes);

// A name as an error can show it, whatever a file holds: control characters
// escaped, the end of a long one left out.
std::string Shown(std::string_view name);

}  // namespace twingrad::safetensors
