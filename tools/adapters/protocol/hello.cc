#include "tools/adapters/protocol/hello.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/base/dtype.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::adapters {
namespace {

using twingrad::DType;
using twingrad::ErrorKind;
using twingrad::program::Key;
using twingrad::program::Opcode;

constexpr std::array<std::string_view, kNumFacts> kFactWords = {
    "graph", "order", "names", "hooks", "versions", "requires_grad", "errors"};
constexpr std::array<DType, 4> kDTypes = {DType::kF32, DType::kF64, DType::kI64, DType::kBool};

absl::Status Wrong(std::string_view wrong, std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("[protocol] hello: ", wrong, "; ", allowed,
                                                 "; see tools/adapters/protocol/README.md"));
}

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '_' || c == '-' || c == '.';
         });
}

std::optional<Opcode> ReadOp(std::string_view word) {
  return twingrad::program::OpcodeFromName(word);
}

std::optional<DType> ReadDType(std::string_view word) {
  for (DType dtype : kDTypes) {
    if (twingrad::DTypeName(dtype) == word) return dtype;
  }
  return std::nullopt;
}

std::optional<Fact> ReadFact(std::string_view word) {
  for (size_t i = 0; i < kFactWords.size(); ++i) {
    if (kFactWords[i] == word) return static_cast<Fact>(i);
  }
  return std::nullopt;
}

std::optional<ErrorKind> ReadErrorKind(std::string_view word) {
  for (int i = 0; i < twingrad::kNumErrorKinds; ++i) {
    const auto error = static_cast<ErrorKind>(i);
    if (twingrad::ErrorKindName(error) == word) return error;
  }
  return std::nullopt;
}

// A list of words, each of which `read` must know; `known` names them all.
template <typename T>
absl::Status ReadList(std::string_view key, std::string_view list,
                      std::optional<T> (*read)(std::string_view), std::string (*known)(),
                      std::set<T>* out) {
  for (std::string_view word : absl::StrSplit(list, ',', absl::SkipEmpty())) {
    const std::optional<T> value = read(word);
    if (!value) {
      return Wrong(absl::StrCat(key, "= names the unknown `", word.substr(0, 64), "`"),
                   absl::StrCat("allowed are ", known()));
    }
    out->insert(*value);
  }
  return absl::OkStatus();
}

std::string OpNames(const std::set<Opcode>& ops) {
  return absl::StrJoin(ops, ",", [](std::string* out, Opcode op) {
    absl::StrAppend(out, twingrad::program::SignatureOf(op).name);
  });
}

std::string KnownOpWords() { return absl::StrJoin(KnownOps(), " "); }

std::string KnownFacts() { return absl::StrJoin(kFactWords, " "); }

std::string KnownDTypes() {
  return absl::StrJoin(kDTypes, " ", [](std::string* out, DType dtype) {
    absl::StrAppend(out, twingrad::DTypeName(dtype));
  });
}

std::string KnownErrorKinds() {
  std::string words;
  for (int i = 0; i < twingrad::kNumErrorKinds; ++i) {
    absl::StrAppend(&words, i == 0 ? "" : " ", twingrad::ErrorKindName(static_cast<ErrorKind>(i)));
  }
  return words;
}

absl::Status ReadPair(std::string_view key, std::string_view value, Hello* hello) {
  if (key == "name" || key == "version") {
    if (!IsWord(value)) {
      return Wrong(absl::StrCat(key, "= is `", value.substr(0, 64), "`"),
                   "allowed are 1 to 64 letters, digits, `_`, `-` and `.`");
    }
    (key == "name" ? hello->name : hello->version) = std::string(value);
  } else if (key == "dialect") {
    if (value != "pytorch" && value != "pytorch1" && value != "twingrad") {
      return Wrong(absl::StrCat("dialect= is `", value.substr(0, 64), "`"),
                   "allowed are pytorch, pytorch1 and twingrad");
    }
    hello->dialect = std::string(value);
  } else if (key == "devices") {
    if (!absl::SimpleAtoi(value, &hello->devices) || hello->devices < 0 ||
        hello->devices > twingrad::program::kMaxDevices) {
      return Wrong(absl::StrCat("devices= is `", value.substr(0, 64), "`"),
                   absl::StrCat("allowed are 0 to ", twingrad::program::kMaxDevices));
    }
  } else if (key == "ops") {
    return ReadList(key, value, ReadOp, KnownOpWords, &hello->ops);
  } else if (key == "single") {
    return ReadList(key, value, ReadOp, KnownOpWords, &hello->single);
  } else if (key == "dtypes") {
    return ReadList(key, value, ReadDType, KnownDTypes, &hello->dtypes);
  } else if (key == "facts") {
    return ReadList(key, value, ReadFact, KnownFacts, &hello->facts);
  } else if (key == "raises") {
    return ReadList(key, value, ReadErrorKind, KnownErrorKinds, &hello->raises.emplace());
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view FactWord(Fact fact) { return kFactWords[static_cast<size_t>(fact)]; }

std::vector<std::string_view> KnownOps() {
  std::vector<std::string_view> names;
  for (const auto& signature : twingrad::program::Signatures()) names.push_back(signature.name);
  return names;
}

std::string PrintHello(const Hello& hello) {
  std::string line = absl::StrCat("hello ", kProtocolVersion, " name=", hello.name,
                                  " version=", hello.version, " dialect=", hello.dialect,
                                  " devices=", hello.devices, " ops=", OpNames(hello.ops));
  absl::StrAppend(&line, " single=", OpNames(hello.single), " dtypes=",
                  absl::StrJoin(hello.dtypes, ",",
                                [](std::string* out, DType dtype) {
                                  absl::StrAppend(out, twingrad::DTypeName(dtype));
                                }),
                  " facts=", absl::StrJoin(hello.facts, ",", [](std::string* out, Fact fact) {
                    absl::StrAppend(out, FactWord(fact));
                  }));
  if (!hello.raises) return line;
  const auto words = absl::StrJoin(*hello.raises, ",", [](std::string* out, ErrorKind error) {
    absl::StrAppend(out, twingrad::ErrorKindName(error));
  });
  return absl::StrCat(line, " raises=", words);
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
    return Wrong(absl::StrCat("the first line is `", line.substr(0, 64), "`"),
                 "allowed is `hello 1 name=... version=... ops=... dtypes=...`");
  }
  if (words[1] != absl::StrCat(kProtocolVersion)) {
    return Wrong(absl::StrCat("it speaks version `", words[1].substr(0, 64), "`"),
                 absl::StrCat("allowed is ", kProtocolVersion));
  }
  Hello hello;
  std::set<std::string_view> seen;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string_view::npos) {
      return Wrong(absl::StrCat("the token `", words[i].substr(0, 64), "` has no `=`"),
                   "allowed are key=value");
    }
    const std::string_view key = words[i].substr(0, equals);
    if (!seen.insert(key).second) {
      return Wrong(absl::StrCat(key.substr(0, 64), "= stands twice"), "allowed is once");
    }
    if (absl::Status status = ReadPair(key, words[i].substr(equals + 1), &hello); !status.ok()) {
      return status;
    }
  }
  for (const std::string_view key : {"name", "version", "ops", "dtypes"}) {
    if (seen.count(key) == 0) {
      return Wrong(absl::StrCat(key, "= is missing"), "name= version= ops= dtypes= are required");
    }
  }
  return hello;
}

}  // namespace twingrad::adapters
