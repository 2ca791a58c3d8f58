// Named tensors in files of the safetensors format.
//
//   SaveTensors("model.safetensors", {{"weight", w}, {"bias", b}});
//   NamedTensors model = LoadTensors("model.safetensors");
//
// Strided tensors are saved contiguous, with the values that they have now;
// where they lie, history and requires_grad are not saved. What is loaded is on
// the CPU, without history. A file appears under its name complete or not at
// all. Errors: kUndefined for an undefined tensor, kDType for types of the
// format that are none here, kInvalidArgument for bytes that are no such file,
// for names that JSON cannot hold, and for files that cannot be read or
// written.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "autograd/tensor/named_tensors.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// What a file says about itself, besides its tensors.
using TensorFileNotes = std::map<std::string, std::string>;

void SaveTensors(const std::string& path, const NamedTensors& tensors,
                 const TensorFileNotes& notes = {});
// `notes`, unless null, gets those of the file.
NamedTensors LoadTensors(const std::string& path, TensorFileNotes* notes = nullptr);

// The bytes of such a file. The same tensors and notes give the same bytes.
std::string SerializeTensors(const NamedTensors& tensors, const TensorFileNotes& notes = {});
NamedTensors ParseTensors(std::string_view bytes, TensorFileNotes* notes = nullptr);

}  // namespace twingrad
