#include "autograd/program/parts.h"

#include <algorithm>
#include <cstdint>

#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

struct Part {
  int64_t start, size;
};

int64_t DividedUp(int64_t a, int64_t b) { return a == 0 ? 0 : (a - 1) / b + 1; }

size_t DimOf(const Statement& statement) {
  return static_cast<size_t>(statement.Get<int64_t>(Key::kDim));
}

// 1 of a statement that lacks it.
int64_t CountOf(const Statement& statement) { return statement.Get<int64_t>(Key::kCount, 1); }

// How many entries each part but the last has.
int64_t Length(const Statement& statement, int64_t size) {
  if (statement.op == Opcode::kUnbind) return 1;
  const int64_t count = CountOf(statement);
  return statement.op == Opcode::kSplit ? count : DividedUp(size, count);
}

Part PartOf(const Statement& statement, int64_t size, size_t k) {
  const int64_t length = Length(statement, size);
  const int64_t start = static_cast<int64_t>(k) * length;
  return {start, std::min(length, size - start)};
}

}  // namespace

bool HasParts(Opcode op) {
  const Signature& signature = SignatureOf(op);
  return signature.category == Category::kView && signature.max_results > 1;
}

int64_t CountParts(const Statement& statement, const Shape& from) {
  const int64_t size = from[DimOf(statement)];
  if (size > 0 || statement.op == Opcode::kUnbind) {
    return DividedUp(size, Length(statement, size));
  }
  return statement.op == Opcode::kSplit ? 1 : CountOf(statement);
}

size_t FittingResults(const Statement& statement, const Shape& from) {
  const auto dim = statement.Get<int64_t>(Key::kDim);
  const bool valid = dim >= 0 && dim < static_cast<int64_t>(from.size()) && CountOf(statement) >= 1;
  const int64_t parts = valid ? CountParts(statement, from) : 1;
  return static_cast<size_t>(std::clamp<int64_t>(parts, 1, SignatureOf(statement.op).max_results));
}

Shape PartShape(const Statement& statement, const Shape& from, size_t k) {
  const size_t dim = DimOf(statement);
  Shape shape = from;
  if (statement.op == Opcode::kUnbind) {
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
  } else {
    shape[dim] = PartOf(statement, from[dim], k).size;
  }
  return shape;
}

Statement PartAlone(const Statement& statement, const Shape& from, size_t k) {
  const auto dim = statement.Get<int64_t>(Key::kDim);
  const Part part = PartOf(statement, from[DimOf(statement)], k);
  Statement alone;
  alone.results = {statement.results[k]};
  alone.operands = statement.operands;
  if (statement.op == Opcode::kUnbind) {
    alone.op = Opcode::kSelect;
    alone.attributes = {{Key::kDim, dim}, {Key::kIndex, part.start}};
    return alone;
  }
  alone.op = Opcode::kSlice;
  alone.attributes = {{Key::kDim, dim}};
  if (part.start != 0) alone.attributes.push_back({Key::kStart, part.start});
  alone.attributes.push_back({Key::kStop, part.start + part.size});
  return alone;
}

bool MayGiveIndices(Opcode op) { return SignatureOf(op).index_op != Opcode::kLeaf; }

bool GivesIndices(const Statement& statement) {
  return MayGiveIndices(statement.op) && statement.results.size() > 1;
}

Statement ResultAlone(const Statement& statement, size_t k) {
  Statement alone = statement;
  alone.results = {statement.results[k]};
  if (k > 0) alone.op = SignatureOf(statement.op).index_op;
  return alone;
}

}  // namespace twingrad::program
