#include "tools/oracle/arguments.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/files.h"

namespace twingrad::oracle {

namespace {

absl::Status Usage(std::string_view wrong, std::string_view allowed, std::string_view action) {
  return absl::InvalidArgumentError(absl::StrCat("[oracle] ", wrong, "; ", allowed, "; ", action));
}

// How values of each type are read, in the order of FlagType.
struct TypeRow {
  std::string_view allowed;
  bool (*is_well_formed)(std::string_view value);
};

constexpr TypeRow kTypes[] = {
    {"allowed is a whole number of at least 1",
     [](std::string_view value) { return ReadCount(value).has_value(); }},
    {"allowed is a number of 64 bits, decimal or 0x followed by hexadecimal digits",
     [](std::string_view value) { return ReadSeed(value).has_value(); }},
    {"allowed is a positive number with an optional unit s, m or h",
     [](std::string_view value) { return subjects::ReadDuration(value).has_value(); }},
    {"allowed is a positive number with an optional unit M or G",
     [](std::string_view value) { return ReadSize(value).has_value(); }},
    {"allowed are words apart by commas",
     [](std::string_view value) {
       return !absl::StrContains(absl::StrCat(",", value, ","), ",,");
     }},
    {"allowed is a path, and `-`, standard input, only as FILE",
     [](std::string_view value) { return !value.empty() && value != "-"; }},
    {"allowed is a word", [](std::string_view value) { return !value.empty(); }},
    {"allowed is no value", [](std::string_view value) { return value.empty(); }},
};

const TypeRow& RowOf(FlagType type) { return kTypes[static_cast<size_t>(type)]; }

// Where the reader finds what is allowed.
std::string SeeHelp(const VerbSpec& verb) {
  return absl::StrCat("see `oracle ", verb.name, " --help`");
}

const FlagSpec* FindFlag(const VerbSpec& verb, std::string_view name) {
  const auto it =
      std::ranges::find_if(verb.flags, [&](const FlagSpec& f) { return f.name == name; });
  return it == verb.flags.end() ? nullptr : &*it;
}

absl::Status UnknownFlag(const VerbSpec& verb, std::string_view word) {
  std::vector<std::string> names;
  for (const FlagSpec& flag : verb.flags) names.push_back(absl::StrCat("--", flag.name));
  names.push_back("--help");
  return Usage(absl::StrCat("`", verb.name, "` has no flag ", word),
               absl::StrCat("allowed are ", absl::StrJoin(names, " ")), SeeHelp(verb));
}

absl::Status UnknownVerb(absl::Span<const VerbSpec> verbs, std::string_view word) {
  std::vector<std::string_view> names;
  for (const VerbSpec& verb : verbs) {
    if (!verb.hidden) names.push_back(verb.name);
  }
  return Usage(absl::StrCat("unknown verb `", word, "`"),
               absl::StrCat("allowed are ", absl::StrJoin(names, ", ")), "see `oracle --help`");
}

// Reads one flag at words[i]; leaves i at the last word used.
absl::Status ParseFlag(absl::Span<const std::string> words, size_t* i, Arguments* arguments) {
  const VerbSpec& verb = *arguments->verb;
  std::string_view word = words[*i];
  std::string_view name = word.substr(2);
  std::optional<std::string> value;
  if (const size_t equals = name.find('='); equals != std::string_view::npos) {
    value = std::string(name.substr(equals + 1));
    name = name.substr(0, equals);
  }
  const FlagSpec* flag = FindFlag(verb, name);
  if (flag == nullptr) return UnknownFlag(verb, absl::StrCat("--", name));
  if (!value && flag->type == FlagType::kSwitch) value = "";
  if (!value && *i + 1 < words.size()) value = words[++*i];
  if (!value) {
    return Usage(absl::StrCat("--", name, " lacks its value"), RowOf(flag->type).allowed,
                 absl::StrCat("write --", name, "=", flag->placeholder));
  }
  if (arguments->Has(name)) {
    return Usage(absl::StrCat("--", name, " is given twice"), "allowed is once",
                 "leave one of the two out");
  }
  if (!RowOf(flag->type).is_well_formed(*value)) {
    return Usage(absl::StrCat("--", name, "=", *value, " cannot be read"),
                 RowOf(flag->type).allowed, SeeHelp(verb));
  }
  if (flag->type == FlagType::kCount && *ReadCount(*value) > flag->most) {
    return Usage(absl::StrCat("--", name, "=", *value, " is more than ", flag->most),
                 absl::StrCat("allowed is a whole number from 1 to ", flag->most), SeeHelp(verb));
  }
  arguments->Set(name, *value);
  return absl::OkStatus();
}

}  // namespace

std::optional<uint64_t> ReadCount(std::string_view text) {
  const std::string digits = absl::StrReplaceAll(text, {{"_", ""}});
  uint64_t number = 0;
  if (!std::ranges::all_of(digits, absl::ascii_isdigit) || !absl::SimpleAtoi(digits, &number) ||
      number == 0) {
    return std::nullopt;
  }
  return number;
}

std::optional<uint64_t> ReadSeed(std::string_view text) {
  uint64_t number = 0;
  const bool read =
      absl::ConsumePrefix(&text, "0x")
          ? text.size() <= 16 && std::ranges::all_of(text, absl::ascii_isxdigit) &&
                absl::SimpleHexAtoi(text, &number)
          : !text.empty() && absl::ascii_isdigit(text[0]) && absl::SimpleAtoi(text, &number);
  return read ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> ReadSize(std::string_view text) {
  uint64_t mebibytes = 1;
  if (absl::ConsumeSuffix(&text, "G")) {
    mebibytes = 1024;
  } else {
    absl::ConsumeSuffix(&text, "M");
  }
  const std::optional<uint64_t> number = ReadCount(text);
  // A worker is told its limit in MiB, and reads it here again.
  if (!number || *number > std::numeric_limits<uint32_t>::max() / mebibytes) return std::nullopt;
  return *number * mebibytes << 20;
}

std::optional<uint64_t> Arguments::Number(std::string_view flag) const {
  return Given(flag, [&](std::string_view text) {
    const FlagType type = FindFlag(*verb, flag)->type;
    return type == FlagType::kSize   ? ReadSize(text)
           : type == FlagType::kSeed ? ReadSeed(text)
                                     : ReadCount(text);
  });
}

std::optional<std::chrono::nanoseconds> Arguments::Duration(std::string_view flag) const {
  return Given(flag, subjects::ReadDuration);
}

std::vector<std::string> Arguments::List(std::string_view flag) const {
  return Given(flag, [](std::string_view text) -> std::vector<std::string> {
    return absl::StrSplit(text, ',');
  });
}

std::optional<std::string> Arguments::Path(std::string_view flag) const {
  return Given(flag, [](const std::string& text) { return std::optional(text); });
}

std::string Arguments::Text(absl::Span<const std::string_view> names) const {
  std::string text;
  for (const std::string_view name : names) {
    if (const auto value = Path(name))
      absl::StrAppend(&text, " --", name, "=", workers::ShellWord(*value));
  }
  return text;
}

absl::StatusOr<Arguments> ParseArguments(absl::Span<const VerbSpec> verbs,
                                         absl::Span<const std::string> words) {
  Arguments arguments;
  if (words.empty()) {
    return Usage("no verb is given", "allowed is one of those that `oracle --help` lists",
                 "start with `oracle check`");
  }
  std::string_view first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    arguments.help = true;
    if (words.size() == 1) return arguments;
    words = words.subspan(1);
    first = words[0];
  }
  const auto named = [&](const std::string& name) {
    return std::ranges::find_if(verbs, [&](const VerbSpec& verb) { return verb.name == name; });
  };
  size_t behind = 1;
  auto it = named(std::string(first));
  if (it == verbs.end() && words.size() > 1) {
    it = named(absl::StrCat(first, " ", words[1]));
    behind = 2;
  }
  if (it == verbs.end()) return UnknownVerb(verbs, first);
  arguments.verb = &*it;
  for (size_t i = behind; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      arguments.help = true;
      return arguments;
    }
    if (absl::StartsWith(word, "--")) {
      if (absl::Status status = ParseFlag(words, &i, &arguments); !status.ok()) return status;
    } else if (absl::StartsWith(word, "-") && word != "-") {
      return UnknownFlag(*it, word);
    } else if (it->operand.empty()) {
      return Usage(absl::StrCat("`", it->name, "` takes no operand but got `", word, "`"),
                   "allowed are flags", SeeHelp(*it));
    } else if (arguments.operand) {
      return Usage(absl::StrCat("`", it->name, "` got a second operand `", word, "`"),
                   absl::StrCat("allowed is one ", it->operand), "run it once for each");
    } else {
      arguments.operand = word;
    }
  }
  if (!it->operand.empty() && !arguments.operand && !arguments.help) {
    return Usage(absl::StrCat("`", it->name, "` lacks its ", it->operand),
                 absl::StrCat("allowed is `oracle ", it->name, " ", it->operand, "`"),
                 SeeHelp(*it));
  }
  return arguments;
}

std::string ToolHelp(absl::Span<const VerbSpec> verbs) {
  std::string text =
      "oracle: compares an autograd engine with its twin, Program by Program\n\n"
      "usage: oracle VERB [--flag=value ...] [OPERAND]\n\nverbs:\n";
  for (const VerbSpec& verb : verbs) {
    if (verb.hidden) continue;
    const std::string left =
        verb.operand.empty() ? std::string(verb.name) : absl::StrCat(verb.name, " ", verb.operand);
    absl::StrAppend(&text, "  ", left, std::string(left.size() < 22 ? 22 - left.size() : 1, ' '),
                    verb.summary, "\n");
  }
  absl::StrAppend(
      &text,
      "\n`oracle VERB --help` lists the verb's flags. A Program is text; its grammar is in\n"
      "autograd/program/README.md. Relative paths start from where the command was typed.\n\n"
      "exit status: 0 nothing found, 1 a finding, 2 wrong usage, 3 an engine could not be\n"
      "started, 4 nothing is known: a recorded schedule does not fit the engine, or a campaign\n"
      "has missed a planted defect.\n");
  return text;
}

std::string VerbHelp(const VerbSpec& verb) {
  std::string text =
      absl::StrCat("oracle ", verb.name, ": ", verb.summary, "\n\nusage: oracle ", verb.name,
                   verb.flags.empty() ? "" : " [--flag=value ...]", verb.operand.empty() ? "" : " ",
                   verb.operand, "\n", verb.description);
  if (!verb.flags.empty()) absl::StrAppend(&text, "\nflags:\n");
  for (const FlagSpec& flag : verb.flags) {
    const std::string left =
        absl::StrCat("--", flag.name, flag.type == FlagType::kSwitch ? "" : "=", flag.placeholder);
    absl::StrAppend(&text, "  ", left, std::string(left.size() < 20 ? 20 - left.size() : 1, ' '),
                    flag.words != nullptr ? flag.words() : std::string_view(), flag.help, " (");
    if (flag.most != UINT64_MAX) absl::StrAppend(&text, "at most ", flag.most, "; ");
    absl::StrAppend(&text, "default: ", flag.otherwise, ")\n");
  }
  absl::StrAppend(&text, "\nexamples:\n");
  for (const std::string_view line : absl::StrSplit(verb.examples, '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "  tools/bazel run //tools/oracle -- ", line, "\n");
  }
  return text;
}

}  // namespace twingrad::oracle
