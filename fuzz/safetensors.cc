// Fuzz target for files of tensors, arbitrary bytes: they must be refused with
// an error of the documented form, or survive writing and reading back.

#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/base/error.h"
#include "autograd/safetensors/safetensors.h"
#include "fuzz/require.h"

namespace twingrad {
namespace {

void CheckFile(std::string_view bytes) {
  TensorFileNotes notes;
  NamedTensors tensors;
  try {
    tensors = ParseTensors(bytes, &notes);
  } catch (const Error& error) {
    const std::string message = error.what();
    return Require(message.rfind("[safetensors] ", 0) == 0 && message.find("; ") != message.npos,
                   "an error without `[safetensors]` or `; what is allowed`", message);
  }
  const std::string written = SerializeTensors(tensors, notes);
  TensorFileNotes notes_again;
  const NamedTensors again = ParseTensors(written, &notes_again);
  Require(notes == notes_again && tensors.size() == again.size() &&
              SerializeTensors(again, notes_again) == written,
          "it reads as another", written);
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckFile(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
