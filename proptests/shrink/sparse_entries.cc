#include "proptests/shrink/sparse_entries.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <variant>

#include "autograd/program/leaf_data.h"
#include "proptests/shrink/rebuild.h"

namespace twingrad::shrink {
namespace {

const Statement* LeafOf(const Program& program, ValueId value) {
  const auto made = std::ranges::find_if(program.statements, [value](const Statement& s) {
    return s.op == Opcode::kLeaf && s.results[0] == value;
  });
  return made == program.statements.end() ? nullptr : &*made;
}

// Values and indices, of as many entries.
struct EntryLeaves {
  const Statement* values = nullptr;
  const Statement* indices = nullptr;
  int64_t count = 0;
};

std::optional<EntryLeaves> LeavesOf(const Program& program, int at) {
  if (at < 0 || at >= Count(program)) return std::nullopt;
  const Statement& sparse = program.statements[static_cast<size_t>(at)];
  if (sparse.op != Opcode::kSparseCoo) return std::nullopt;
  EntryLeaves leaves = {LeafOf(program, sparse.operands[0]), LeafOf(program, sparse.operands[1])};
  if (leaves.values == nullptr || leaves.indices == nullptr) return std::nullopt;
  leaves.count = leaves.values->Get<TensorType>(Key::kType).shape[0];
  return leaves;
}

// The leaf with these entries of the dimension that is the first or, of two, the last.
Statement OfEntries(const Statement& leaf, bool last, const std::vector<int64_t>& entries) {
  auto type = leaf.Get<TensorType>(Key::kType);
  const Bits data = program::LeafData(leaf);
  const auto dim = last ? type.shape.size() - 1 : 0;
  const auto before = static_cast<size_t>(type.shape[dim]);
  const size_t outer = last ? static_cast<size_t>(type.shape[0]) : 1;
  const size_t inner = before == 0 ? 0 : data.size() / (outer * before);
  Bits taken;
  for (size_t o = 0; o < outer; ++o) {
    for (const int64_t entry : entries) {
      const auto from = static_cast<ptrdiff_t>((o * before + static_cast<size_t>(entry)) * inner);
      taken.insert(taken.end(), data.begin() + from,
                   data.begin() + from + static_cast<ptrdiff_t>(inner));
    }
  }
  type.shape[dim] = static_cast<int64_t>(entries.size());
  Statement edited = leaf;
  std::erase_if(edited.attributes, [](const Attribute& a) {
    return a.key == Key::kData || a.key == Key::kSeed || a.key == Key::kFill;
  });
  for (Attribute& attribute : edited.attributes) {
    if (attribute.key == Key::kType) attribute.value = type;
  }
  edited.attributes.push_back({Key::kData, std::move(taken)});
  return edited;
}

int64_t DifferentColumns(const Statement& indices) {
  const auto shape = indices.Get<TensorType>(Key::kType).shape;
  const Bits data = program::LeafData(indices);
  const auto columns = static_cast<size_t>(shape[1]);
  std::set<Bits> different;
  for (size_t k = 0; k < columns; ++k) {
    Bits column;
    for (size_t d = 0; d < static_cast<size_t>(shape[0]); ++d) {
      column.push_back(data[d * columns + k]);
    }
    different.insert(column);
  }
  return static_cast<int64_t>(different.size());
}

}  // namespace

std::optional<int64_t> EntriesOf(const Program& program, int at) {
  const std::optional<EntryLeaves> leaves = LeavesOf(program, at);
  return leaves ? std::optional(leaves->count) : std::nullopt;
}

std::optional<Program> TakeEntries(const Program& program, int at,
                                   const std::vector<int64_t>& entries) {
  const std::optional<EntryLeaves> leaves = LeavesOf(program, at);
  if (!leaves || leaves->values == leaves->indices) return std::nullopt;
  const Statement values = OfEntries(*leaves->values, false, entries);
  const Statement indices = OfEntries(*leaves->indices, true, entries);
  const int64_t different = DifferentColumns(indices);
  std::set<ValueId> sparse = {program.statements[static_cast<size_t>(at)].results[0]};
  Rebuilder rebuilder(program);
  for (const Statement& statement : program.statements) {
    Statement edited = &statement == leaves->values    ? values
                       : &statement == leaves->indices ? indices
                                                       : statement;
    if (statement.op == Opcode::kCoalesce && sparse.count(statement.operands[0]) > 0) {
      sparse.insert(statement.results[0]);
      for (Attribute& attribute : edited.attributes) {
        if (attribute.key == Key::kCount) attribute.value = different;
      }
    }
    rebuilder.Add(edited);
  }
  return rebuilder.Take();
}

}  // namespace twingrad::shrink
