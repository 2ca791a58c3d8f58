#include "proptests/fuzzing/program_input.h"

#include <string_view>
#include <utility>

#include "autograd/program/analyze.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"
#include "proptests/generators/generate.h"

namespace twingrad::fuzzing {
namespace {

constexpr int kShort = 6;
constexpr int kFewDevices = 2;

std::string_view TextOf(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool IsText(absl::Span<const uint8_t> bytes) {
  return TextOf(bytes).substr(0, program::kHeader.size()) == program::kHeader;
}

std::optional<program::Program> ProgramOf(absl::Span<const uint8_t> bytes,
                                          const generators::GeneratorOptions& options) {
  if (!IsText(bytes)) {
    generators::Source source = generators::Source::FromBytes(bytes);
    return generators::Generate(source, options);
  }
  auto parsed = program::Parse(TextOf(bytes));
  if (!parsed.ok() || parsed->statements.size() > kMostStatements) return std::nullopt;
  if (program::Analyze(*parsed)->total_elements > kMostElements) return std::nullopt;
  return *std::move(parsed);
}

std::optional<program::Program> ShortProgramOf(absl::Span<const uint8_t> bytes) {
  generators::GeneratorOptions options;
  options.statements = kShort;
  options.devices = kFewDevices;
  return ProgramOf(bytes, options);
}

}  // namespace twingrad::fuzzing
