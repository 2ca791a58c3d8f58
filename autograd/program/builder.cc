#include "autograd/program/builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"

namespace twingrad::program {

Bits FloatBits(absl::Span<const double> elements) {
  Bits bits;
  bits.reserve(elements.size());
  for (const double e : elements)
    bits.push_back(std::isnan(e) ? kNanBits : std::bit_cast<uint64_t>(e));
  return bits;
}

Bits IntBits(absl::Span<const int64_t> elements) { return Bits(elements.begin(), elements.end()); }

void Canonicalize(Statement& statement) {
  if (statement.attributes.empty()) return;
  const Signature& signature = SignatureOf(statement.op);
  const auto rank = [&](Key key) {
    const AttributeSpec* spec = signature.Find(key);
    return spec == nullptr ? signature.attributes.size()
                           : static_cast<size_t>(spec - signature.attributes.data());
  };
  std::erase_if(statement.attributes, [&](const Attribute& a) {
    const AttributeSpec* spec = signature.Find(a.key);
    return spec != nullptr && IsDefault(*spec, a.value);
  });
  const auto is_before = [&](const Attribute& a, const Attribute& b) {
    return rank(a.key) < rank(b.key);
  };
  // Most are in order; what sorts takes memory first.
  if (!std::ranges::is_sorted(statement.attributes, is_before)) {
    std::ranges::stable_sort(statement.attributes, is_before);
  }
}

bool ProgramBuilder::AddStatement(Statement statement) {
  Canonicalize(statement);
  const int first = num_values();
  for (size_t i = 0; i < statement.results.size(); ++i) {
    statement.results[i] = first + static_cast<ValueId>(i);
  }
  if (!analyzer_.Add(statement)) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat("[program] statement ", num_statements(),
                                                        " ", SignatureOf(statement.op).name, ": ",
                                                        analyzer_.fault().text));
    }
    return false;
  }
  for (const ValueId result : statement.results) {
    program_.names.push_back(absl::StrCat("v", result));
  }
  program_.statements.push_back(std::move(statement));
  return true;
}

ValueId ProgramBuilder::Leaf(const TensorType& type, Bits data, bool grad, DeviceIndex device) {
  Attributes attributes;
  attributes.reserve(4);
  attributes.push_back({Key::kType, type});
  if (!data.empty()) attributes.push_back({Key::kData, std::move(data)});
  if (grad) attributes.push_back({Key::kGrad, grad});
  if (device != kCpu) attributes.push_back({Key::kDevice, int64_t{device}});
  return Op(Opcode::kLeaf, {}, std::move(attributes));
}

ValueId ProgramBuilder::SeededLeaf(const TensorType& type, int64_t seed, bool grad,
                                   DeviceIndex device) {
  return Op(Opcode::kLeaf, {},
            {{Key::kType, type},
             {Key::kSeed, seed},
             {Key::kGrad, grad},
             {Key::kDevice, int64_t{device}}});
}

ValueId ProgramBuilder::Op(Opcode op, absl::Span<const ValueId> operands, Attributes attributes) {
  const ValueId result = num_values();
  const bool added =
      AddStatement({op, {result}, {operands.begin(), operands.end()}, std::move(attributes)});
  return added ? result : kNoValue;
}

bool ProgramBuilder::Add(Opcode op, absl::Span<const ValueId> operands, Attributes attributes) {
  return AddStatement({op, {}, {operands.begin(), operands.end()}, std::move(attributes)});
}

std::vector<ValueId> ProgramBuilder::Results(int count, Opcode op,
                                             absl::Span<const ValueId> operands,
                                             Attributes attributes) {
  std::vector<ValueId> results(count);
  std::iota(results.begin(), results.end(), num_values());
  const bool added = AddStatement({op,
                                   {results.begin(), results.end()},
                                   {operands.begin(), operands.end()},
                                   std::move(attributes)});
  return added ? results : std::vector<ValueId>();
}

std::vector<ValueId> ProgramBuilder::Parts(Opcode op, ValueId x, Attributes attributes) {
  const size_t count = FittingResults({op, {}, {x}, attributes}, TypeOf(x).shape);
  return Results(static_cast<int>(count), op, {x}, std::move(attributes));
}

bool ProgramBuilder::Rename(ValueId value, std::string_view name) {
  if (value < 0 || value >= num_values() || !IsName(name)) return false;
  // v<digits> are the builder's own.
  if (name[0] == 'v' && ParseInteger(name.substr(1)).has_value()) return false;
  if (std::find(program_.names.begin(), program_.names.end(), name) != program_.names.end()) {
    return false;
  }
  program_.names[value] = std::string(name);
  return true;
}

Program ProgramBuilder::Take() {
  while (open_regions() > 0 && Add(Opcode::kEnd, {})) {
  }
  Program taken = std::move(program_);
  *this = ProgramBuilder();
  return taken;
}

absl::StatusOr<Program> ProgramBuilder::Build() {
  if (!status_.ok()) return status_;
  return Take();
}

}  // namespace twingrad::program
