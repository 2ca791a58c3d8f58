#include "proptests/fuzzing/program_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/fuzzing/splice.h"
#include "proptests/fuzzing/statement_edits.h"
#include "proptests/generators/generate.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/shrink/candidates.h"
#include "proptests/shrink/rebuild.h"
#include "proptests/shrink/sparse_entries.h"

namespace twingrad::fuzzing {
namespace {

using interleave::SplitMix;
using program::Program;
using shrink::Count;

constexpr int kTries = 8;
constexpr int kLongestWindow = 5;
// Of mutations, those that begin from a new Program: they reach what no change of a known one does.
constexpr int kNewPercent = 35;

Program NewProgram(SplitMix& random) {
  generators::GeneratorOptions options;
  options.statements = 6 + random.Below(16);
  return generators::Generate(random.Next(), options);
}

std::optional<Program> SpliceSome(const Program& host, const Program& donor, SplitMix& random) {
  if (donor.statements.empty()) return std::nullopt;
  Window window = {random.Below(Count(donor)), 1};
  if (random.Below(2) == 0) {
    window.count = 1 + random.Below(std::min(kLongestWindow, Count(donor) - window.first));
  }
  // Towards the end, where most of the host's values are there.
  const int at = std::max(random.Below(Count(host) + 1), random.Below(Count(host) + 1));
  return Splice(host, at, donor, window, random);
}

std::optional<Program> AddNew(const Program& program, SplitMix& random) {
  return SpliceSome(program, NewProgram(random), random);
}
std::optional<Program> Repeat(const Program& program, SplitMix& random) {
  return SpliceSome(program, program, random);
}

// Without some statements in a row, and what needs them.
std::optional<Program> Drop(const Program& program, SplitMix& random) {
  const int first = random.Below(Count(program));
  const int end = first + 1 + random.Below(kLongestWindow);
  return shrink::Filter(program, [&](int i) { return i < first || i >= end; });
}

// One of the shrinker's edits.
std::optional<Program> MakeSmaller(const Program& program, SplitMix& random) {
  constexpr int kSteps = 16;
  shrink::Candidates candidates(program, {random.Below(kSteps), random.Below(4 * Count(program))});
  return candidates.Next();
}

// Edits one statement and rebuilds the Program around it.
template <bool (*edit)(const Program&, int, program::Statement*, SplitMix&)>
std::optional<Program> EditStatement(const Program& program, SplitMix& random) {
  for (int i = 0; i < kTries; ++i) {
    const int at = random.Below(Count(program));
    program::Statement edited = program.statements[static_cast<size_t>(at)];
    if (edit(program, at, &edited, random)) return shrink::Replace(program, at, edited);
  }
  return std::nullopt;
}

// An entry of a sparse tensor less, one twice, or two in each other's place.
std::optional<Program> ChangeEntries(const Program& program, SplitMix& random) {
  std::vector<int> sparse;
  for (int at = 0; at < Count(program); ++at) {
    if (shrink::EntriesOf(program, at).value_or(0) > 0) sparse.push_back(at);
  }
  if (sparse.empty()) return std::nullopt;
  const int at = sparse[static_cast<size_t>(random.Below(static_cast<int>(sparse.size())))];
  const auto count = static_cast<int>(*shrink::EntriesOf(program, at));
  std::vector<int64_t> entries(static_cast<size_t>(count));
  std::iota(entries.begin(), entries.end(), int64_t{0});
  const auto any = [&] { return static_cast<size_t>(random.Below(count)); };
  const int edit = random.Below(3);
  if (edit == 0) {
    entries.erase(entries.begin() + static_cast<ptrdiff_t>(any()));
  } else if (edit == 1) {
    const auto repeated = static_cast<int64_t>(any());
    entries.insert(entries.begin() + random.Below(count + 1), repeated);
  } else {
    std::swap(entries[any()], entries[any()]);
  }
  return shrink::TakeEntries(program, at, entries);
}

struct Mutation {
  int weight;
  std::optional<Program> (*mutate)(const Program&, SplitMix&);
};

constexpr Mutation kMutations[] = {
    {40, AddNew},
    {8, Repeat},
    {8, EditStatement<ChangeOp>},
    {14, EditStatement<ChangeAttribute>},
    {8, EditStatement<ChangeData>},
    {5, EditStatement<ChangeShape>},
    {10, EditStatement<ChangeOperand>},
    {3, EditStatement<ChangeResults>},
    {3, ChangeEntries},
    {24, Drop},
    {5, MakeSmaller},
};

std::optional<Program> MutateOnce(const Program& program, SplitMix& random) {
  int total = 0;
  for (const Mutation& mutation : kMutations) total += mutation.weight;
  int draw = random.Below(total);
  for (const Mutation& mutation : kMutations) {
    draw -= mutation.weight;
    if (draw < 0) return mutation.mutate(program, random);
  }
  return std::nullopt;
}

Program MutateSome(Program program, SplitMix& random) {
  for (int steps = 1 + random.Below(3); steps > 0; --steps) {
    std::optional<Program> next = MutateOnce(program, random);
    if (next && !next->statements.empty()) program = *std::move(next);
  }
  return program;
}

// Small enough, and nothing in it depends on timing.
bool IsInput(const Program& program) {
  if (program.statements.empty() || program.statements.size() > kMostStatements) return false;
  const auto analysis = program::Analyze(program);
  return analysis.ok() && analysis->total_elements <= kMostElements && !analysis->racy;
}

Program WithoutExpectations(const Program& program) {
  return shrink::Filter(program, [&](int i) {
    const auto op = program.statements[static_cast<size_t>(i)].op;
    return program::SignatureOf(op).category != program::Category::kExpect;
  });
}

// The text, if there is room for it; else the input.
Bytes TextOr(const Program& program, absl::Span<const uint8_t> input, size_t max_size) {
  const std::string text = program::Print(program);
  if (text.size() <= max_size) return {text.begin(), text.end()};
  input = input.subspan(0, max_size);
  return {input.begin(), input.end()};
}

// What the input stands for; if that is nothing, a new Program.
Program ProgramOrNew(absl::Span<const uint8_t> input, SplitMix& random) {
  std::optional<Program> program = ProgramOf(input);
  return program && !program->statements.empty() ? *std::move(program) : NewProgram(random);
}

}  // namespace

Program MutateProgram(const Program& program, uint64_t seed) {
  SplitMix random(seed);
  const Program original = WithoutExpectations(program);
  const bool anew = original.statements.empty() || random.Below(100) < kNewPercent;
  for (int tries = 0; tries < kTries; ++tries) {
    const Program mutated = anew ? NewProgram(random) : MutateSome(original, random);
    if (IsInput(mutated) && mutated != original) return mutated;
  }
  return program;
}

Program CrossPrograms(const Program& program, const Program& other, uint64_t seed) {
  SplitMix random(seed);
  const Program host = WithoutExpectations(program);
  const Program donor = WithoutExpectations(other);
  if (host.statements.empty()) return program;
  for (int tries = 0; tries < kTries; ++tries) {
    std::optional<Program> crossed = SpliceSome(host, donor, random);
    if (crossed && IsInput(*crossed) && *crossed != host) return *std::move(crossed);
  }
  return program;
}

Bytes MutateProgramText(absl::Span<const uint8_t> input, size_t max_size, uint64_t seed) {
  SplitMix random(seed);
  const Program program = ProgramOrNew(input, random);
  return TextOr(MutateProgram(program, random.Next()), input, max_size);
}

Bytes CrossProgramTexts(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, size_t max_size,
                        uint64_t seed) {
  SplitMix random(seed);
  const Program one = ProgramOrNew(a, random);
  const Program other = ProgramOrNew(b, random);
  return TextOr(CrossPrograms(one, other, random.Next()), a, max_size);
}

}  // namespace twingrad::fuzzing
