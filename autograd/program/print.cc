#include "autograd/program/print.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/element_text.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

void AppendValue(const Program& program, ValueId value, std::string& out) {
  if (value == kNoValue) {
    out += '_';
    return;
  }
  out += '%';
  out += value >= 0 && static_cast<size_t>(value) < program.names.size()
             ? std::string_view(program.names[value])
             : "?";
}

// Each item as `append` writes it, separated by commas.
template <typename Items, typename Append>
void AppendList(const Items& items, std::string& out, Append append) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    append(items[i]);
  }
}

void AppendValues(const Program& program, absl::Span<const ValueId> values, std::string& out) {
  if (values.empty()) out += "none";
  AppendList(values, out, [&](ValueId value) { AppendValue(program, value, out); });
}

// The element type in which a statement's data= and fill= are written.
DType ElementType(const Statement& statement) {
  const AttributeValue* value = statement.Find(Key::kType);
  const auto* type = value == nullptr ? nullptr : std::get_if<TensorType>(value);
  return type == nullptr ? DType::kF64 : type->dtype;
}

void AppendArgument(const Program& program, const Statement& statement, Format format,
                    const AttributeValue& value, std::string& out) {
  if (!HasFormat(format, value)) {
    out += '?';
    return;
  }
  switch (format) {
    case Format::kFlag:
      out += std::get<bool>(value) ? '1' : '0';
      return;
    case Format::kInteger:
      return AppendInteger(std::get<int64_t>(value), out);
    case Format::kNumber:
      return AppendFloat(std::get<double>(value), out);
    case Format::kWord:
    case Format::kEquation:
    case Format::kName:
      out += std::get<std::string>(value);
      return;
    case Format::kIntegers: {
      const auto& integers = std::get<std::vector<int64_t>>(value);
      if (integers.empty()) out += "scalar";
      return AppendList(integers, out, [&](int64_t integer) { AppendInteger(integer, out); });
    }
    case Format::kElements:
    case Format::kElement: {
      const DType dtype = ElementType(statement);
      return AppendList(std::get<Bits>(value), out,
                        [&](uint64_t bits) { AppendElement(bits, dtype, out); });
    }
    case Format::kValues:
      return AppendValues(program, std::get<std::vector<ValueId>>(value), out);
    case Format::kTarget:
      if (const auto* handle = std::get_if<std::string>(&value)) {
        out += *handle;
        return;
      }
      return AppendValues(program, std::get<std::vector<ValueId>>(value), out);
    case Format::kType:
      out += TypeText(std::get<TensorType>(value));
      return;
    case Format::kDType:
      out += DTypeName(std::get<DType>(value));
      return;
    case Format::kDevice:
      out += DeviceText(std::get<int64_t>(value));
      return;
  }
}

void AppendStatement(const Program& program, const Statement& statement, std::string& out) {
  const Signature& signature = SignatureOf(statement.op);
  if (!statement.results.empty()) {
    AppendValues(program, statement.results, out);
    out += " = ";
  }
  out += signature.name;
  for (const ValueId operand : statement.operands) {
    out += ' ';
    AppendValue(program, operand, out);
  }
  for (const Attribute& attribute : statement.attributes) {
    const AttributeSpec* spec = signature.Find(attribute.key);
    if (spec == nullptr) continue;
    out += ' ';
    out += KeyName(attribute.key);
    out += '=';
    AppendArgument(program, statement, spec->format, attribute.value, out);
  }
}

}  // namespace

std::string Print(const Program& program) {
  std::string out;
  out.reserve(16 + 32 * program.statements.size());
  out += kHeader;
  out += '\n';
  for (const Statement& statement : program.statements) {
    AppendStatement(program, statement, out);
    out += '\n';
  }
  return out;
}

std::string PrintStatement(const Program& program, int statement) {
  std::string out;
  AppendStatement(program, program.statements[statement], out);
  return out;
}

uint64_t Fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

uint64_t Hash(const Program& program) { return Fnv1a(Print(program)); }

}  // namespace twingrad::program
