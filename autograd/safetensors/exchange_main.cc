// Reads one safetensors file and writes its tensors and notes to another: the
// library's half of exchange_test.py.
//
//   exchange IN OUT

#include <cstdio>

#include "autograd/base/error.h"
#include "autograd/safetensors/safetensors.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: exchange IN OUT\n");
    return 2;
  }
  try {
    twingrad::TensorFileNotes notes;
    const twingrad::NamedTensors tensors = twingrad::LoadTensors(argv[1], &notes);
    twingrad::SaveTensors(argv[2], tensors, notes);
  } catch (const twingrad::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
