// The command line: tables of verbs and flags, from which parsing and every page of help are made.
//
// A verb is followed by flags (`--name=value` or `--name value`) and at most one operand, in any
// order; `-` is an operand (standard input). Errors read `[oracle] what is wrong; what is allowed;
// what to do`.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/subjects/subject.h"

namespace twingrad::oracle {

// How the text of a flag is read.
enum class FlagType : uint8_t {
  kCount,     // a whole number of at least 1; 10_000 and 10000 are the same
  kSeed,      // a 64-bit number, decimal or 0x...
  kDuration,  // 90, 1.5, 10s, 5m, 2h; a bare number is in seconds
  kSize,      // 512M, 2G; a bare number is in MiB
  kList,      // words apart by commas
  kPath,
  kWord,    // one of the words that the help names
  kSwitch,  // given or not; takes no value
};

struct FlagSpec {
  std::string_view name;
  std::string_view placeholder;  // of the value, in help
  FlagType type;
  std::string_view otherwise;  // the default, in words, for help
  std::string_view help;
  uint64_t most = UINT64_MAX;             // of a kCount
  std::string_view (*words)() = nullptr;  // what `help` begins with, where a table below has it
};

class Arguments;

// What a verb does with the Subject that its flags ask for. Returns the exit status. An error of
// the kind Unavailable means that an engine could not be started, any other wrong usage.
using RunVerb = absl::StatusOr<int>(const Arguments& arguments, subjects::Subject& subject);
// The same of a verb whose flags ask for none: it makes those that it needs.
using RunMaker = absl::StatusOr<int>(const Arguments& arguments,
                                     const subjects::SubjectFactory& make_subject);

struct VerbSpec {
  std::string_view name;              // one word, or two: `campaign plan`
  std::string_view operand = "";      // placeholder; empty: takes none
  std::string_view summary = "";      // one line
  std::string_view description = "";  // paragraphs, between a newline before and one behind
  absl::Span<const FlagSpec> flags = {};
  std::string_view examples = "";  // lines after `oracle `
  bool hidden = false;
  bool configures = true;  // its Subject is configured as the flags say
  RunVerb* run = nullptr;
  RunMaker* run_maker = nullptr;  // where `run` is null
};

// A parsed command line. Values have been checked against their types.
class Arguments {
 public:
  const VerbSpec* verb = nullptr;  // null: help on the tool
  bool help = false;
  std::optional<std::string> operand;

  bool Has(std::string_view flag) const { return values_.find(flag) != values_.end(); }
  std::optional<uint64_t> Number(std::string_view flag) const;  // kCount, kSeed, kSize (in bytes)
  std::optional<std::chrono::nanoseconds> Duration(std::string_view flag) const;
  std::vector<std::string> List(std::string_view flag) const;
  std::optional<std::string> Path(std::string_view flag) const;
  // The flags as given, for a command that repeats them: `--ops=add,mul --jobs=2`.
  std::string Text(absl::Span<const std::string_view> names) const;

  void Set(std::string_view flag, std::string value) { values_[std::string(flag)] = value; }

 private:
  // What `read` makes of the flag's text; nothing where it was not given.
  template <typename Read>
  auto Given(std::string_view flag, Read read) const -> decltype(read(std::string())) {
    const auto it = values_.find(flag);
    if (it == values_.end()) return {};
    return read(it->second);
  }

  std::map<std::string, std::string, std::less<>> values_;
};

absl::StatusOr<Arguments> ParseArguments(absl::Span<const VerbSpec> verbs,
                                         absl::Span<const std::string> words);

// The page of help of the tool, and of one verb.
std::string ToolHelp(absl::Span<const VerbSpec> verbs);
std::string VerbHelp(const VerbSpec& verb);

// The readings of single values, by type; nothing when malformed. Times: subjects::ReadDuration.
std::optional<uint64_t> ReadCount(std::string_view text);
std::optional<uint64_t> ReadSeed(std::string_view text);
std::optional<uint64_t> ReadSize(std::string_view text);

}  // namespace twingrad::oracle
