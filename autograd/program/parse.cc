#include "autograd/program/parse.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autograd/program/analyze.h"
#include "autograd/program/element_text.h"
#include "autograd/program/equation.h"
#include "autograd/program/fault.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

constexpr size_t kMaxAttributes = 8;

std::string AllNames() {
  return absl::StrJoin(Signatures(), " ", [](std::string* out, const Signature& signature) {
    absl::StrAppend(out, signature.name);
  });
}

std::string KeyNames(const Signature& signature) {
  if (signature.attributes.empty()) return "none";
  return absl::StrJoin(signature.attributes, " ", [](std::string* out, const AttributeSpec& a) {
    absl::StrAppend(out, KeyName(a.key), "=");
  });
}

// The value that a text was parsed to, if any, becomes the argument.
template <typename T>
bool Take(std::optional<T> parsed, AttributeValue& argument) {
  if (!parsed.has_value()) return false;
  argument = *std::move(parsed);
  return true;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Program> Run() {
    if (static_cast<int64_t>(text_.size()) > kMaxTextBytes) {
      return ErrorAt(1, 1,
                     absl::StrCat("a text of ", text_.size(), " bytes; at most ", kMaxTextBytes));
    }
    size_t at = 0;
    while (at < text_.size()) {
      size_t end = text_.find('\n', at);
      if (end == std::string_view::npos) end = text_.size();
      line_ = text_.substr(at, end - at);
      ++line_number_;
      at = end + 1;
      if (line_.empty() || line_[0] == '#') continue;
      if (!(seen_header_ ? ParseStatement() : ParseHeader())) return error_;
    }
    ++line_number_;
    line_ = {};
    if (!seen_header_ && !ParseHeader()) return error_;
    if (!analyzer_.Finish()) return ErrorAt(line_number_, 1, analyzer_.fault().text);
    return std::move(program_);
  }

 private:
  // Blames the token, a part of the line at hand, for what the parts say.
  template <typename... Parts>
  bool Fail(std::string_view token, const Parts&... what) {
    const auto column = token.data() == nullptr ? 0 : token.data() - line_.data();
    error_ = ErrorAt(line_number_, static_cast<int>(column) + 1, absl::StrCat(what...));
    return false;
  }

  bool ParseHeader() {
    seen_header_ = true;
    if (line_ == kHeader) return true;
    return Fail(line_, "the text begins with ", Quoted(line_), "; it must begin with ",
                Quoted(kHeader));
  }

  // The next token of the line; false at the end of the line or if blanks are misplaced.
  bool TakeToken(std::string_view& token) {
    if (at_ > line_.size()) return false;
    size_t end = line_.find(' ', at_);
    if (end == std::string_view::npos) end = line_.size();
    token = line_.substr(at_, end - at_);
    at_ = end + 1;
    if (!token.empty()) return true;
    blanks_amiss_ = true;
    return Fail(token, "a blank too many; tokens are apart by single blanks, none at the ends");
  }

  bool ParseStatement() {
    at_ = 0;
    blanks_amiss_ = false;
    statement_ = {};
    result_names_.clear();
    std::string_view token;
    if (!TakeToken(token)) return false;
    if (token[0] == '%' && !ParseResults(token)) return false;
    if (token[0] == '%' && !TakeToken(token)) {
      return blanks_amiss_ ? false
                           : Fail(line_, "results without a statement; `%y = name ...` goes");
    }
    const std::optional<Opcode> op = OpcodeFromName(token);
    if (!op.has_value()) {
      return Fail(token, "unknown statement ", Quoted(token), "; these go: ", AllNames());
    }
    statement_.op = *op;
    const Signature& signature = SignatureOf(*op);
    if (!ParseOperandsAndKeys(signature) || !ParseArguments(signature)) return false;
    return Accept();
  }

  // `%a,%b` and the `=` after it.
  bool ParseResults(std::string_view token) {
    for (const std::string_view item : absl::StrSplit(token, ',')) {
      if (item.empty() || item[0] != '%' || !IsName(item.substr(1))) {
        return Fail(item, "result ", Quoted(item),
                    "; a result is % and 1 to 64 of A-Z a-z 0-9 _ and .");
      }
      result_names_.push_back(item.substr(1));
      statement_.results.push_back(next_value_ + static_cast<ValueId>(result_names_.size()) - 1);
    }
    std::string_view equals;
    if (!TakeToken(equals)) {
      return blanks_amiss_ ? false : Fail(line_, "a value alone; `%y = name ...` goes");
    }
    return equals == "=" || Fail(equals, Quoted(equals), " after results; it must be '='");
  }

  bool ParseOperandsAndKeys(const Signature& signature) {
    arguments_ = {};
    bool seen_key = false;
    std::string_view token;
    while (TakeToken(token)) {
      if (token[0] == '%') {
        if (seen_key) return Fail(token, "an operand after an attribute; operands come first");
        if (statement_.operands.size() >= static_cast<size_t>(kMaxOperands)) {
          return Fail(token, "too many operands; at most ", kMaxOperands);
        }
        ValueId value;
        if (!FindValue(token, value)) return false;
        statement_.operands.push_back(value);
        continue;
      }
      seen_key = true;
      if (!TakeKey(signature, token)) return false;
    }
    return !blanks_amiss_;
  }

  // `key=argument`: remembers the argument's text by the place of the key in the signature.
  bool TakeKey(const Signature& signature, std::string_view token) {
    const size_t equals = token.find('=');
    if (equals == std::string_view::npos) {
      return Fail(token, Quoted(token),
                  " is neither a value nor an attribute; `%x` or `key=argument` goes");
    }
    const std::string_view key = token.substr(0, equals);
    for (size_t i = 0; i < signature.attributes.size(); ++i) {
      if (KeyName(signature.attributes[i].key) != key) continue;
      if (arguments_[i].data() != nullptr) {
        return Fail(token, key, "= is given twice; each attribute goes once");
      }
      arguments_[i] = token.substr(equals + 1);
      return true;
    }
    return Fail(token, signature.name, " has no attribute ", Quoted(key),
                "; these go: ", KeyNames(signature));
  }

  bool FindValue(std::string_view token, ValueId& value) {
    if (!token.empty() && token[0] == '%') {
      const auto it = ids_.find(token.substr(1));
      if (it != ids_.end()) {
        value = it->second;
        return true;
      }
      if (IsName(token.substr(1))) {
        return Fail(token, token, " is not defined; a value must be defined on an earlier line");
      }
    }
    return Fail(token, Quoted(token), " is no value; `%name` goes");
  }

  bool ParseArguments(const Signature& signature) {
    DType element_type = DType::kF64;
    for (size_t i = 0; i < signature.attributes.size(); ++i) {
      if (arguments_[i].data() == nullptr) continue;
      const AttributeSpec& spec = signature.attributes[i];
      AttributeValue value;
      if (!ParseArgument(spec, arguments_[i], element_type, value)) return false;
      if (const auto* type = std::get_if<TensorType>(&value)) element_type = type->dtype;
      if (!IsDefault(spec, value)) statement_.attributes.push_back({spec.key, std::move(value)});
    }
    return true;
  }

  template <typename... Parts>
  bool FailArgument(const AttributeSpec& spec, std::string_view text, const Parts&... allowed) {
    return Fail(text, KeyName(spec.key), "=", Quoted(text), "; it takes ", allowed...);
  }

  bool ParseArgument(const AttributeSpec& spec, std::string_view text, DType element_type,
                     AttributeValue& value) {
    switch (spec.format) {
      case Format::kFlag:
        value = text == "1";
        return text == "1" || text == "0" || FailArgument(spec, text, "0 or 1");
      case Format::kInteger:
        return Take(ParseInteger(text), value) ||
               FailArgument(spec, text, "a decimal integer of 64 bits");
      case Format::kNumber:
        return Take(ParseFloat(text), value) ||
               FailArgument(spec, text, "a number, e.g. 2, -0x1.8p+1 or inf");
      case Format::kWord:
        value = std::string(text);
        return IsWord(spec.words, text) || FailArgument(spec, text, "one of: ", spec.words);
      case Format::kEquation:
        value = std::string(text);
        return ParseEquation(text).has_value() ||
               FailArgument(spec, text, "labels a to z of each operand and the result: ij,jk->ik");
      case Format::kName:
        value = std::string(text);
        return IsName(text) || FailArgument(spec, text, "a handle: 1 to 64 of A-Z a-z 0-9 _ and .");
      case Format::kIntegers:
        value = std::vector<int64_t>();
        return text == "scalar" || Take(ParseIntegers(text), value) ||
               FailArgument(spec, text, "decimal integers apart by commas, or `scalar` for none");
      case Format::kElements:
      case Format::kElement:
        return ParseElements(spec, text, element_type, value);
      case Format::kTarget:
        value = std::string(text);
        return IsName(text) || ParseValues(spec, text, value);
      case Format::kValues:
        return ParseValues(spec, text, value);
      case Format::kType:
        return ParseType(spec, text, value);
      case Format::kDType:
        return Take(DTypeFromName(text), value) ||
               FailArgument(spec, text, "f16, bf16, f32, f64, i32, i64 or bool");
      case Format::kDevice:
        return Take(ParseDevice(text), value) ||
               FailArgument(spec, text, "cpu, or dev:0 to dev:", kMaxDevices - 1);
    }
    return false;
  }

  bool ParseElements(const AttributeSpec& spec, std::string_view text, DType dtype,
                     AttributeValue& value) {
    Bits bits;
    for (const std::string_view item : absl::StrSplit(text, ',')) {
      const auto element = ParseElement(item, dtype);
      if (!element.has_value()) {
        return Fail(item, "element ", Quoted(item), " of type ", DTypeName(dtype), "; ",
                    IsFloating(dtype)
                        ? "a number in its range goes, e.g. 2, -0x1.8p+1, 0.5, inf, nan"
                    : dtype == DType::kBool ? "0 or 1 goes"
                                            : "a decimal integer in its range goes");
      }
      bits.push_back(*element);
    }
    if (spec.format == Format::kElement && bits.size() != 1) {
      return FailArgument(spec, text, "one element");
    }
    value = std::move(bits);
    return true;
  }

  bool ParseValues(const AttributeSpec& spec, std::string_view text, AttributeValue& value) {
    std::vector<ValueId> values;
    if (text != "none") {
      for (const std::string_view item : absl::StrSplit(text, ',')) {
        ValueId& id = values.emplace_back(kNoValue);
        const bool implicit = spec.key == Key::kSeeds && item == "_";
        if (!implicit && !FindValue(item, id)) return false;
      }
    }
    value = std::move(values);
    return true;
  }

  bool ParseType(const AttributeSpec& spec, std::string_view text, AttributeValue& value) {
    constexpr std::string_view kAllowed = "a type, e.g. f64[2,3], or f64[] for a scalar";
    const size_t bracket = text.find('[');
    if (bracket == std::string_view::npos || text.back() != ']') {
      return FailArgument(spec, text, kAllowed);
    }
    const auto dtype = DTypeFromName(text.substr(0, bracket));
    if (!dtype.has_value()) {
      return FailArgument(spec, text, "an element type of f16, bf16, f32, f64, i32, i64, bool");
    }
    TensorType type = {*dtype, {}};
    const std::string_view sizes = text.substr(bracket + 1, text.size() - bracket - 2);
    if (!sizes.empty()) {
      const auto integers = ParseIntegers(sizes);
      if (!integers.has_value()) return FailArgument(spec, text, kAllowed);
      type.shape.assign(integers->begin(), integers->end());
    }
    value = std::move(type);
    return true;
  }

  // Checks the statement's rules, then gives its results their names.
  bool Accept() {
    if (!analyzer_.Add(statement_)) {
      const Fault& fault = analyzer_.fault();
      return Fail(line_.substr(ColumnOf(fault, line_) - 1), fault.text);
    }
    for (const std::string_view name : result_names_) {
      if (!ids_.emplace(name, next_value_).second) {
        return Fail(line_.substr(name.data() - line_.data() - 1), "%", name,
                    " is defined twice; each value is defined once");
      }
      program_.names.emplace_back(name);
      ++next_value_;
    }
    program_.statements.push_back(std::move(statement_));
    return true;
  }

  std::string_view text_;
  Program program_;
  Analyzer analyzer_;
  absl::flat_hash_map<std::string_view, ValueId> ids_;
  ValueId next_value_ = 0;
  bool seen_header_ = false;
  absl::Status error_;
  // Of the line at hand.
  std::string_view line_;
  int line_number_ = 0;
  size_t at_ = 0;
  bool blanks_amiss_ = false;
  Statement statement_;
  absl::InlinedVector<std::string_view, 2> result_names_;
  std::array<std::string_view, kMaxAttributes> arguments_;
};

}  // namespace

absl::StatusOr<Program> Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace twingrad::program
