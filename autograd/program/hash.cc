#include "autograd/program/hash.h"

#include "autograd/program/print.h"

namespace twingrad::program {

uint64_t Fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

uint64_t Hash(const Program& program) { return Fnv1a(Print(program)); }

}  // namespace twingrad::program
