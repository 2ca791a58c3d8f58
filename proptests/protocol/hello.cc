#include "proptests/protocol/hello.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/base/dtype.h"
#include "autograd/program/limits.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::protocol {
namespace {

using twingrad::DType;
using twingrad::ErrorKind;
using twingrad::program::Key;
using twingrad::program::Opcode;

constexpr std::array<std::string_view, kNumFacts> kFactWords = {
    "graph", "order", "names", "hooks", "versions", "requires_grad", "errors", "accessors"};

absl::Status WrongHello(std::string_view wrong, std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("[protocol] hello: ", wrong, "; ", allowed,
                                                 "; see proptests/protocol/README.md"));
}

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
  });
}

// The words of hellos, and all that each list may name.
std::string_view WordOf(Opcode op) { return twingrad::program::SignatureOf(op).name; }
std::string_view WordOf(DType dtype) { return twingrad::DTypeName(dtype); }
std::string_view WordOf(Fact fact) { return kFactWords[static_cast<size_t>(fact)]; }
std::string_view WordOf(ErrorKind error) { return twingrad::ErrorKindName(error); }

template <typename T>
constexpr int kCount = 0;
template <>
constexpr int kCount<Opcode> = twingrad::program::kNumOpcodes;
template <>
constexpr int kCount<DType> = static_cast<int>(std::size(twingrad::kDTypes));
template <>
constexpr int kCount<Fact> = kNumFacts;
template <>
constexpr int kCount<ErrorKind> = twingrad::kNumErrorKinds;

template <typename T>
std::string Listed(const std::set<T>& values, std::string_view separator) {
  return absl::StrJoin(values, separator,
                       [](std::string* out, T value) { absl::StrAppend(out, WordOf(value)); });
}

template <typename T>
absl::Status ReadList(std::string_view key, std::string_view list, std::set<T>* out) {
  std::set<T> known;
  for (int i = 0; i < kCount<T>; ++i) known.insert(static_cast<T>(i));
  for (std::string_view word : absl::StrSplit(list, ',', absl::SkipEmpty())) {
    const auto value = std::ranges::find(known, word, [](T each) { return WordOf(each); });
    if (value == known.end()) {
      return WrongHello(absl::StrCat(key, "= names the unknown `", word.substr(0, 64), "`"),
                        absl::StrCat("allowed are ", Listed(known, " ")));
    }
    out->insert(*value);
  }
  return absl::OkStatus();
}

absl::Status ReadPair(std::string_view key, std::string_view value, Hello* hello) {
  if (key == "name" || key == "version") {
    if (!IsWord(value)) {
      return WrongHello(absl::StrCat(key, "= is `", value.substr(0, 64), "`"),
                        "allowed are 1 to 64 letters, digits, `_`, `-` and `.`");
    }
    (key == "name" ? hello->name : hello->version) = std::string(value);
  } else if (key == "dialect") {
    if (value != "pytorch" && value != "pytorch1" && value != "twingrad") {
      return WrongHello(absl::StrCat("dialect= is `", value.substr(0, 64), "`"),
                        "allowed are pytorch, pytorch1 and twingrad");
    }
    hello->dialect = std::string(value);
  } else if (key == "devices") {
    if (!absl::SimpleAtoi(value, &hello->devices) || hello->devices < 0 ||
        hello->devices > twingrad::program::kMaxDevices) {
      return WrongHello(absl::StrCat("devices= is `", value.substr(0, 64), "`"),
                        absl::StrCat("allowed are 0 to ", twingrad::program::kMaxDevices));
    }
  } else if (key == "sections") {
    if (value != "0" && value != "1") {
      return WrongHello(absl::StrCat("sections= is `", value.substr(0, 64), "`"),
                        "allowed are 0 and 1");
    }
    hello->sections = value == "1";
  } else if (key == "ops") {
    return ReadList(key, value, &hello->ops);
  } else if (key == "single") {
    return ReadList(key, value, &hello->single);
  } else if (key == "dtypes") {
    return ReadList(key, value, &hello->dtypes);
  } else if (key == "facts") {
    return ReadList(key, value, &hello->facts);
  } else if (key == "raises") {
    return ReadList(key, value, &hello->raises.emplace());
  }
  return absl::OkStatus();
}

}  // namespace

std::string PrintHello(const Hello& hello) {
  return absl::StrCat("hello ", kProtocolVersion, " name=", hello.name, " version=", hello.version,
                      " dialect=", hello.dialect, " devices=", hello.devices,
                      " ops=", Listed(hello.ops, ","), " single=", Listed(hello.single, ","),
                      " dtypes=", Listed(hello.dtypes, ","), " facts=", Listed(hello.facts, ","),
                      hello.sections ? " sections=1" : "",
                      hello.raises ? absl::StrCat(" raises=", Listed(*hello.raises, ",")) : "");
}

twingrad::program::Program ToSend(const Hello& hello, twingrad::program::Program program) {
  auto& statements = program.statements;
  while (!hello.Has(Opcode::kExpect) && !statements.empty() &&
         statements.back().op == Opcode::kExpect) {
    statements.pop_back();
  }
  return program;
}

std::string NotClaimed(const Hello& hello, const twingrad::program::Program& program) {
  for (const auto& statement : program.statements) {
    if (!hello.Has(statement.op)) {
      return absl::StrCat("the op ", twingrad::program::SignatureOf(statement.op).name);
    }
    if (!hello.sections && Begins(statement, twingrad::program::RegionKind::kThread)) {
      return "thread sections";
    }
    std::optional<DType> dtype;
    if (statement.op == Opcode::kLeaf) {
      dtype = statement.Get<twingrad::program::TensorType>(Key::kType).dtype;
    } else if (statement.op == Opcode::kCast) {
      dtype = statement.Get<DType>(Key::kTo);
    }
    if (dtype && hello.dtypes.count(*dtype) == 0) {
      return absl::StrCat("the type ", twingrad::DTypeName(*dtype));
    }
    const auto device = statement.Get<int64_t>(Key::kDevice, twingrad::program::kCpu);
    if (device >= hello.devices) return absl::StrCat("the device dev:", device);
  }
  return "";
}

absl::StatusOr<Hello> ParseHello(std::string_view line) {
  const std::vector<std::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.size() < 2 || words[0] != "hello") {
    return WrongHello(absl::StrCat("the first line is `", line.substr(0, 64), "`"),
                      "allowed is `hello 1 name=... version=... ops=... dtypes=...`");
  }
  if (words[1] != absl::StrCat(kProtocolVersion)) {
    return WrongHello(absl::StrCat("it speaks version `", words[1].substr(0, 64), "`"),
                      absl::StrCat("allowed is ", kProtocolVersion));
  }
  Hello hello;
  std::set<std::string_view> seen;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string_view::npos) {
      return WrongHello(absl::StrCat("the token `", words[i].substr(0, 64), "` has no `=`"),
                        "allowed are key=value");
    }
    const std::string_view key = words[i].substr(0, equals);
    if (!seen.insert(key).second) {
      return WrongHello(absl::StrCat(key.substr(0, 64), "= stands twice"), "allowed is once");
    }
    if (absl::Status status = ReadPair(key, words[i].substr(equals + 1), &hello); !status.ok()) {
      return status;
    }
  }
  for (const std::string_view key : {"name", "version", "ops", "dtypes"}) {
    if (seen.count(key) == 0) {
      return WrongHello(absl::StrCat(key, "= is missing"),
                        "name= version= ops= dtypes= are required");
    }
  }
  return hello;
}

}  // namespace twingrad::protocol
