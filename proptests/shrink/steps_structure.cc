// Edits of statements and values: what is dropped, bypassed, cut off or merged.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "autograd/program/analyze.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "proptests/shrink/rebuild.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {

using program::Analyzer;
using program::ValueInfo;

namespace {

// --- Cut the end off: half of it, a quarter, ... one statement ---
int CountCuts(const Program& program) {
  int cuts = 0;
  for (int size = Count(program) / 2; size >= 1; size /= 2) ++cuts;
  return cuts;
}
std::optional<Program> Cut(const Program& program, int position) {
  const int size = Count(program) / 2 >> position;
  return Filter(program, [&](int i) { return i < Count(program) - size; });
}

// --- Drop runs: halves, quarters, ... single statements, later ones first ---
std::pair<int, int> Run(const Program& program, int position) {
  const int total = Count(program);
  for (int size = std::max(total / 2, 1);; size /= 2) {
    const int runs = (total + size - 1) / size;
    if (position < runs) {
      const int end = total - position * size;
      return {std::max(end - size, 0), end};
    }
    position -= runs;
    if (size == 1) return {0, 0};
  }
}
int CountRuns(const Program& program) {
  const int total = Count(program);
  int runs = 0;
  for (int size = std::max(total / 2, 1);; size /= 2) {
    runs += (total + size - 1) / size;
    if (size == 1) return runs;
  }
}
std::optional<Program> DropRun(const Program& program, int position) {
  const auto [begin, end] = Run(program, position);
  return Filter(program, [&, b = begin, e = end](int i) { return i < b || i >= e; });
}

// --- Drop every statement whose results nothing uses ---
int One(const Program&) { return 1; }

// Marks the values that the statement uses.
void MarkUses(const Statement& statement, std::vector<bool>* used) {
  const auto mark = [used](absl::Span<const ValueId> values) {
    for (const ValueId value : values) {
      if (value != kNoValue) (*used)[value] = true;
    }
  };
  mark(statement.operands);
  for (const Attribute& attribute : statement.attributes) {
    if (const auto* list = std::get_if<std::vector<ValueId>>(&attribute.value)) mark(*list);
  }
}

// `used` is what is wanted for itself.
std::optional<Program> DropUnusedBut(const Program& program, std::vector<bool> used) {
  std::vector<bool> keep(program.statements.size(), true);
  for (int i = Count(program) - 1; i >= 0; --i) {
    const Statement& statement = program.statements[i];
    bool needed =
        statement.results.empty() || SignatureOf(statement.op).category == Category::kCall;
    for (ValueId result : statement.results) needed |= used[result];
    keep[i] = needed;
    if (needed) MarkUses(statement, &used);
  }
  return Filter(program, [&](int i) { return keep[i]; });
}

std::optional<Program> DropUnused(const Program& program, int) {
  return DropUnusedBut(program, std::vector<bool>(program.names.size(), false));
}

// Finishes an edit that leaves values unused. Values that were unused before the edit stay, because
// they may cause the failure.
std::optional<Program> DropNewlyUnused(const Program& before, Rebuilder* rebuilder) {
  std::vector<bool> used(before.names.size(), false);
  for (const Statement& statement : before.statements) MarkUses(statement, &used);
  std::vector<ValueId> wanted;
  for (size_t value = 0; value < used.size(); ++value) {
    const ValueId now = (*rebuilder)[static_cast<ValueId>(value)];
    if (!used[value] && now != kNoValue) wanted.push_back(now);
  }
  const Program edited = rebuilder->Take();
  std::vector<bool> keep(edited.names.size(), false);
  for (const ValueId value : wanted) keep[value] = true;
  return DropUnusedBut(edited, std::move(keep));
}

// --- Take one root, input or result out of a call ---
int CountCallParts(const Program& program) { return Count(program) * 8; }
std::optional<Program> DropCallPart(const Program& program, int position) {
  const int at = Count(program) - 1 - position / 8;
  const int part = position % 8;
  Statement edited = program.statements[at];
  if (SignatureOf(edited.op).category != Category::kCall) return std::nullopt;
  if (part < 3) {
    // A root, with its seed.
    if (static_cast<int>(edited.operands.size()) <= part || edited.operands.size() == 1) {
      return std::nullopt;
    }
    edited.operands.erase(edited.operands.begin() + part);
    for (Attribute& a : edited.attributes) {
      if (a.key != Key::kSeeds) continue;
      auto& seeds = std::get<std::vector<ValueId>>(a.value);
      if (static_cast<int>(seeds.size()) > part) seeds.erase(seeds.begin() + part);
    }
  } else if (part < 6) {
    // An input, with its result.
    const int index = part - 3;
    bool found = false;
    for (Attribute& a : edited.attributes) {
      if (a.key != Key::kInputs) continue;
      auto& inputs = std::get<std::vector<ValueId>>(a.value);
      if (static_cast<int>(inputs.size()) <= index || inputs.size() == 1) return std::nullopt;
      inputs.erase(inputs.begin() + index);
      found = true;
    }
    if (!found) return std::nullopt;
    if (!edited.results.empty()) edited.results.erase(edited.results.begin() + index);
  } else if (part == 6 && edited.op == Opcode::kGrad) {
    // A backward in place of the grad.
    edited.op = Opcode::kBackward;
    edited.results.clear();
    std::erase_if(edited.attributes, [](const Attribute& a) {
      return a.key == Key::kInputs || a.key == Key::kAllowUnused || a.key == Key::kMaterialize;
    });
  } else {
    return std::nullopt;
  }
  return Replace(program, at, edited);
}

// --- Take an operand and its result out of a custom function; another result is used instead ---
int CountCustomParts(const Program& program) {
  return Count(program) * program::kMaxCustomOperands;
}
std::optional<Program> DropCustomPart(const Program& program, int position) {
  const int at = Count(program) - 1 - position / program::kMaxCustomOperands;
  const int part = position % program::kMaxCustomOperands;
  Statement edited = program.statements[at];
  if (SignatureOf(edited.op).category != Category::kCustom) return std::nullopt;
  const auto operands = static_cast<int>(edited.operands.size());
  if (operands == 1 || part >= operands) return std::nullopt;
  const ValueId dropped = edited.results[static_cast<size_t>(part)];
  edited.operands.erase(edited.operands.begin() + part);
  edited.results.erase(edited.results.begin() + part);
  for (Attribute& a : edited.attributes) {
    if (a.key != Key::kNonDifferentiable) continue;
    auto& marked = std::get<std::vector<int64_t>>(a.value);
    std::erase(marked, part);
    for (int64_t& result : marked) result -= result > part ? 1 : 0;
  }
  std::erase_if(edited.attributes, [](const Attribute& a) {
    return a.key == Key::kNonDifferentiable && std::get<std::vector<int64_t>>(a.value).empty();
  });
  Rebuilder rebuilder(program);
  for (int i = 0; i < Count(program); ++i) {
    rebuilder.Add(i == at ? edited : program.statements[i]);
    if (i == at) rebuilder.Substitute(dropped, edited.results.front());
  }
  return rebuilder.Take();
}

// --- One part of a value alone, in place of the others too; values or indices alone ---
std::optional<Program> TakePart(const Program& program, int position) {
  const int at = Count(program) - 1 - position / program::kMaxCustomOperands;
  const auto part = static_cast<size_t>(position % program::kMaxCustomOperands);
  const Statement& parts = program.statements[at];
  if (program::GivesIndices(parts) && part < parts.results.size()) {
    return Replace(program, at, program::ResultAlone(parts, part));
  }
  if (!program::HasParts(parts.op) || part >= parts.results.size()) return std::nullopt;
  Rebuilder rebuilder(program);
  for (int i = 0; i < at; ++i) rebuilder.Add(program.statements[i]);
  const ValueId whole = rebuilder[parts.operands[0]];
  if (whole == kNoValue) return std::nullopt;
  rebuilder.Add(program::PartAlone(parts, rebuilder.builder().TypeOf(whole).shape, part));
  for (const ValueId other : parts.results) rebuilder.Substitute(other, parts.results[part]);
  for (int i = at + 1; i < Count(program); ++i) rebuilder.Add(program.statements[i]);
  return rebuilder.Take();
}

// --- Bypass: the result stands for one of the operands ---
int CountBypasses(const Program& program) { return Count(program) * 3; }
std::optional<Program> Bypass(const Program& program, int position) {
  const int at = position / 3;
  const auto operand = static_cast<size_t>(position % 3);
  const Statement& bypassed = program.statements[at];
  if (bypassed.results.size() != 1 || operand >= bypassed.operands.size()) return std::nullopt;
  Rebuilder rebuilder(program);
  for (int i = 0; i < Count(program); ++i) {
    if (i == at) {
      rebuilder.Substitute(bypassed.results[0], bypassed.operands[operand]);
    } else {
      rebuilder.Add(program.statements[i]);
    }
  }
  return rebuilder.Take();
}

// --- Turn a node into a leaf; what it was made of goes when nothing else uses it ---
int CountNodes(const Program& program) { return Count(program) * 2; }
std::optional<Program> TurnIntoLeaf(const Program& program, int position) {
  const int at = Count(program) - 1 - position / 2;
  const Statement& node = program.statements[at];
  if (node.results.size() != 1 || node.op == Opcode::kLeaf) return std::nullopt;
  Analyzer analyzer;
  for (int i = 0; i <= at; ++i) {
    if (!analyzer.Add(program.statements[i])) return std::nullopt;
  }
  const ValueInfo& info = analyzer.values()[node.results[0]];
  Statement leaf;
  leaf.op = Opcode::kLeaf;
  leaf.results = node.results;
  const bool grad = IsFloating(info.type.dtype) && position % 2 == 0;
  const uint64_t one = IsFloating(info.type.dtype) ? 0x3ff0000000000000 : 1;
  const auto elements = static_cast<size_t>(program::NumElements(info.type.shape));
  leaf.attributes = {{Key::kType, info.type}, {Key::kData, Bits(elements, one)}};
  if (grad) leaf.attributes.push_back({Key::kGrad, true});
  leaf.attributes.push_back({Key::kDevice, int64_t{info.device}});
  Rebuilder rebuilder(program);
  rebuilder.AddAllBut(program, at, leaf);
  return DropNewlyUnused(program, &rebuilder);
}

// --- Let one value stand for another of the same type; what made it goes when nothing else needs
// it ---
int CountPairs(const Program& program) {
  const int values = static_cast<int>(program.names.size());
  return values * (values - 1) / 2;
}
std::optional<Program> Merge(const Program& program, int position) {
  // Pair (value, by) with by < value.
  int value = 1;
  while (position >= value) position -= value++;
  const int by = position;
  Analyzer analyzer;
  for (const Statement& statement : program.statements) {
    if (!analyzer.Add(statement)) return std::nullopt;
  }
  const auto& values = analyzer.values();
  if (values[value].type != values[by].type || values[value].device != values[by].device) {
    return std::nullopt;
  }
  Rebuilder rebuilder(program);
  for (const Statement& statement : program.statements) {
    rebuilder.Add(statement);
    if (!statement.results.empty() && statement.results.back() >= value) {
      rebuilder.Substitute(value, by);
    }
  }
  return DropNewlyUnused(program, &rebuilder);
}

// --- Compute anew what a write computes: later uses of the written value are of the result ---
std::optional<Program> WriteElsewhere(const Program& program, int position) {
  const int at = Count(program) - 1 - position;
  Statement edited = program.statements[at];
  std::string_view name = SignatureOf(edited.op).name;
  if (!absl::ConsumeSuffix(&name, "_")) return std::nullopt;
  const std::optional<Opcode> op = program::OpcodeFromName(name);
  if (!op) return std::nullopt;
  edited.op = *op;
  edited.results = {edited.operands[0]};
  return Replace(program, at, edited);
}

// --- Let a stream wait by itself, without an event recorded before it and waited for behind ---
std::optional<Program> WaitInStream(const Program& program, int position) {
  const auto& statements = program.statements;
  Statement stream = statements[position];
  if (stream.op != Opcode::kStream || position == 0 || position + 1 == Count(program) ||
      stream.Get<bool>(Key::kWaits)) {
    return std::nullopt;
  }
  if (statements[position - 1].op != Opcode::kRecordEvent ||
      statements[position + 1].op != Opcode::kWaitEvent) {
    return std::nullopt;
  }
  stream.attributes.push_back({Key::kWaits, true});
  Rebuilder rebuilder(program);
  for (int i = 0; i < Count(program); ++i) {
    if (i < position - 1 || i > position + 1) rebuilder.Add(statements[i]);
    if (i == position) rebuilder.Add(stream);
  }
  return rebuilder.Take();
}

constexpr Step kSteps[] = {
    {"cut the end off", CountCuts, Cut},
    {"drop a run of statements", CountRuns, DropRun},
    {"drop what is unused", One, DropUnused},
    {"drop part of a call", CountCallParts, DropCallPart},
    {"drop part of a custom function", CountCustomParts, DropCustomPart},
    {"take a part alone", CountCustomParts, TakePart},
    {"bypass a node", CountBypasses, Bypass},
    {"turn a node into a leaf", CountNodes, TurnIntoLeaf},
    {"merge two values", CountPairs, Merge},
    {"compute what is written anew", Count, WriteElsewhere},
    {"let a stream wait by itself", Count, WaitInStream},
};

}  // namespace

absl::Span<const Step> StructureSteps() { return kSteps; }

}  // namespace twingrad::shrink
