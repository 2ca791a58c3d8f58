#include "autograd/program/builder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
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

namespace {

// Whether the attributes stand in the order of the signature, and none holds its default.
bool IsCanonical(const Statement& statement, const Signature& signature) {
  const AttributeSpec* spec = signature.attributes.begin();
  for (const Attribute& a : statement.attributes) {
    while (spec != signature.attributes.end() && spec->key != a.key) ++spec;
    if (spec == signature.attributes.end() || IsDefault(*spec, a.value)) return false;
    ++spec;
  }
  return true;
}

// v<id>
std::string NumberedName(ValueId value) {
  char text[16] = {'v'};
  return {text, std::to_chars(text + 1, std::end(text), value).ptr};
}

}  // namespace

void Canonicalize(Statement& statement) {
  const Signature& signature = SignatureOf(statement.op);
  if (IsCanonical(statement, signature)) return;  // as most are
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
  std::ranges::stable_sort(statement.attributes, is_before);
}

bool ProgramBuilder::AddStatement(Statement statement) {
  program_.statements.push_back(std::move(statement));
  return CheckLast();
}

void ProgramBuilder::Append(size_t count, Opcode op, absl::Span<const ValueId> operands,
                            Attributes attributes) {
  if (program_.statements.empty()) {
    program_.statements.reserve(32);  // as most Programs have: generators build them by the million
    program_.names.reserve(32);
  }
  program_.statements.emplace_back(op, decltype(Statement::results)(count, kNoValue),
                                   decltype(Statement::operands)(operands.begin(), operands.end()),
                                   std::move(attributes));
}

bool ProgramBuilder::CheckLast() {
  Statement& statement = program_.statements.back();
  Canonicalize(statement);
  std::iota(statement.results.begin(), statement.results.end(), num_values());
  if (analyzer_.Add(statement)) {
    for (const ValueId result : statement.results) program_.names.push_back(NumberedName(result));
    return true;
  }
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(absl::StrCat("[program] statement ", num_statements(), " ",
                                                      SignatureOf(statement.op).name, ": ",
                                                      analyzer_.fault().text));
  }
  program_.statements.pop_back();
  return false;
}

ValueId ProgramBuilder::Leaf(const TensorType& type, Bits data, bool grad, DeviceIndex device) {
  Attributes attributes;
  attributes.reserve(4);
  attributes.emplace_back(Key::kType, type);
  if (!data.empty()) attributes.emplace_back(Key::kData, std::move(data));
  if (grad) attributes.emplace_back(Key::kGrad, grad);
  if (device != kCpu) attributes.emplace_back(Key::kDevice, int64_t{device});
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
  Append(1, op, operands, std::move(attributes));
  return CheckLast() ? result : kNoValue;
}

bool ProgramBuilder::Add(Opcode op, absl::Span<const ValueId> operands, Attributes attributes) {
  Append(0, op, operands, std::move(attributes));
  return CheckLast();
}

std::vector<ValueId> ProgramBuilder::Results(int count, Opcode op,
                                             absl::Span<const ValueId> operands,
                                             Attributes attributes) {
  Append(static_cast<size_t>(count), op, operands, std::move(attributes));
  if (!CheckLast()) return {};
  const auto& results = program_.statements.back().results;
  return {results.begin(), results.end()};
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
