#include "proptests/shrink/size.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"

namespace twingrad::shrink {

using program::Attribute;
using program::Bits;
using program::Key;
using program::Opcode;
using program::Program;
using program::TensorType;

namespace {

int64_t OpWeight(Opcode op) {
  switch (op) {
    case Opcode::kLeaf:
      return 0;
    case Opcode::kNeg:
    case Opcode::kBackward:
      return 1;
    case Opcode::kAdd:
    case Opcode::kGrad:
    case Opcode::kNegInPlace:
      return 2;
    case Opcode::kMul:
    case Opcode::kClone:
    case Opcode::kSum:
      return 3;
    default:
      // A write also changes what shares its memory.
      return program::SignatureOf(op).name.back() == '_' ? 5 : 4;
  }
}

// Data and shapes of leaves are weighed separately.
int64_t AttributeWeight(const Attribute& attribute) {
  switch (attribute.key) {
    case Key::kType: {
      const auto* type = std::get_if<TensorType>(&attribute.value);
      if (type == nullptr) return 1;
      return type->dtype == DType::kF64 ? 0 : type->dtype == ComputedAs(type->dtype) ? 1 : 2;
    }
    case Key::kData:
      return 1;
    case Key::kSeed:
    case Key::kFill:
      return 2;
    default:
      break;
  }
  // Actions that do more than look, or pass on, weigh more.
  if (const auto* word = std::get_if<std::string>(&attribute.value);
      word != nullptr && attribute.key == Key::kDo) {
    return *word == "record" || *word == "pass" ? 2 : 3;
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute.value)) {
    int64_t weight = 2;
    for (int64_t number : *list) weight += 1 + (number > 1 ? 1 : 0);
    return weight;
  }
  if (const auto* number = std::get_if<int64_t>(&attribute.value)) return *number == 0 ? 2 : 3;
  if (const auto* number = std::get_if<double>(&attribute.value)) {
    return 2 + ElementWeight(std::bit_cast<uint64_t>(*number), DType::kF64);
  }
  return 2;
}

}  // namespace

int64_t ElementWeight(uint64_t bits, DType dtype) {
  if (!IsFloating(dtype)) {
    const auto value = static_cast<int64_t>(bits);
    return value == 0 ? 0 : value == 1 ? 1 : value == 2 ? 2 : 3;
  }
  const double value = std::bit_cast<double>(bits);
  if (value == 0) return std::signbit(value) ? 6 : 0;
  if (value == 1) return 1;
  if (value == 2) return 2;
  if (value == std::trunc(value) && std::fabs(value) < 1000) return value > 0 ? 3 : 4;
  return 5;
}

Size SizeOf(const Program& program) {
  Size size;
  size.statements = static_cast<int64_t>(program.statements.size());
  for (const program::Statement& statement : program.statements) {
    size.ops += OpWeight(statement.op);
    size.values += static_cast<int64_t>(statement.operands.size() + statement.results.size());
    for (const Attribute& attribute : statement.attributes) {
      size.attributes += AttributeWeight(attribute);
      if (const auto* list = std::get_if<std::vector<program::ValueId>>(&attribute.value)) {
        size.values += static_cast<int64_t>(list->size());
      }
    }
    if (statement.op != Opcode::kLeaf) continue;
    const auto type = statement.Get<TensorType>(Key::kType);
    size.elements += program::NumElements(type.shape) + static_cast<int64_t>(type.shape.size());
    if (const auto* data = statement.Find(Key::kData)) {
      for (uint64_t bits : std::get<Bits>(*data)) size.data += ElementWeight(bits, type.dtype);
    }
  }
  return size;
}

}  // namespace twingrad::shrink
