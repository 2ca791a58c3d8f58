// Reads replies: one pass over the lines, each checked against the Program; what refers to nodes of
// a call is checked when all of them are known.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autograd/program/element_text.h"
#include "autograd/program/limits.h"
#include "proptests/protocol/reply.h"

namespace twingrad::protocol {
namespace {

using twingrad::DType;
using twingrad::ErrorKind;
using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::ErrorRecord;
using twingrad::program::HookRecord;
using twingrad::program::NodeName;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::TensorData;
using Words = std::vector<std::string_view>;

constexpr int32_t kMaxNumber = 1 << 30;

// One reading of one text. Methods answer false once something is wrong; `wrong_` says what.
class Reading {
 public:
  Reading(const Program& program, std::string_view text) : program_(program), text_(text) {
    observation_.values.resize(program.names.size());
  }

  absl::StatusOr<Observation> Run() {
    while (!text_.empty() && wrong_.empty()) {
      ++line_;
      const size_t end = text_.find('\n');
      if (end == std::string_view::npos) {
        Wrong("the last line does not end", "allowed are lines that end in a newline");
        break;
      }
      Line(text_.substr(0, end));
      text_.remove_prefix(end + 1);
    }
    if (wrong_.empty()) FinishCall();
    if (!wrong_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("[protocol] reply line ", line_, ": ", wrong_));
    }
    return std::move(observation_);
  }

 private:
  bool Wrong(std::string_view wrong, std::string_view allowed) {
    if (wrong_.empty()) wrong_ = absl::StrCat(wrong, "; ", allowed);
    return false;
  }

  void Line(std::string_view line);
  bool Value(const Words& words);
  bool Gradient(const Words& words);
  bool Call(const Words& words);
  bool Node(const Words& words);
  bool Hook(const Words& words);
  bool Error(std::string_view rest, ErrorRecord* error);
  bool FinishCall();

  // The argument of `key=` among the words, if it is there. Each key may stand once.
  std::optional<std::string_view> Find(const Words& words, std::string_view key) const;
  bool KnownKeys(const Words& words, std::initializer_list<std::string_view> keys);
  bool Number(std::string_view text, int32_t most, int32_t* out);
  bool Flag(const Words& words, std::string_view key, bool* out);
  bool Statement(std::string_view text, int32_t* out);
  bool Tensor(const Words& words, TensorData* out);
  bool Shape(std::string_view text, TensorData* out, int64_t* count);
  bool Edges(const Words& words, std::string_view key, std::vector<EdgeRecord>* out);
  bool Name(std::string_view text, NodeName* out);
  bool ValueId(std::string_view text, size_t* out);

  const Program& program_;
  std::string_view text_;
  Observation observation_;
  size_t next_id_ = 0;  // of the value that most likely comes next
  size_t line_ = 0;
  size_t hooks_ = 0;
  std::string wrong_;
};

void Reading::Line(std::string_view line) {
  const size_t blank = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, blank);
  const std::string_view rest = line.substr(std::min(blank + 1, line.size()));
  if (word == "error") {
    ErrorRecord error;
    if (observation_.error) {
      Wrong("a second `error`", "allowed is one, with `survived` before it");
    } else if (Error(rest, &error)) {
      observation_.error = std::move(error);
    }
    return;
  }
  if (word == "survived") {
    ErrorRecord error;
    if (observation_.survived.size() >= twingrad::program::kMaxStatements) {
      Wrong("too many errors", "allowed is one a statement");
    } else if (Error(rest, &error))
      observation_.survived.push_back(std::move(error));
    return;
  }
  const Words words = absl::StrSplit(rest, ' ', absl::SkipEmpty());
  if (words.empty()) {
    Wrong(absl::StrCat("`", line.substr(0, 64), "` says nothing"),
          "allowed are value, grad, call, node, hook, survived and error, each with its subject");
  } else if (word == "value") {
    Value(words);
  } else if (word == "grad") {
    Gradient(words);
  } else if (word == "call") {
    Call(words);
  } else if (word == "node") {
    Node(words);
  } else if (word == "hook") {
    Hook(words);
  } else {
    Wrong(absl::StrCat("unknown word `", word.substr(0, 64), "`"),
          "allowed are value, grad, call, node, hook, survived and error");
  }
}

std::optional<std::string_view> Reading::Find(const Words& words, std::string_view key) const {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].size() > key.size() && words[i][key.size()] == '=' &&
        words[i].substr(0, key.size()) == key) {
      return words[i].substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

bool Reading::KnownKeys(const Words& words, std::initializer_list<std::string_view> keys) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view key = words[i].substr(0, words[i].find('='));
    const bool known =
        words[i].size() > key.size() && std::find(keys.begin(), keys.end(), key) != keys.end();
    bool twice = false;
    for (size_t j = 1; j < i; ++j) twice |= words[j].substr(0, words[j].find('=')) == key;
    if (known && !twice) continue;
    return Wrong(absl::StrCat("the token `", words[i].substr(0, 64), "`"),
                 absl::StrCat("allowed are, once each, ", absl::StrJoin(keys, "= "), "="));
  }
  return true;
}

bool Reading::Number(std::string_view text, int32_t most, int32_t* out) {
  if (!text.empty() && text[0] != '+' && text[0] != ' ' && absl::SimpleAtoi(text, out) &&
      *out >= 0 && *out <= most) {
    return true;
  }
  return Wrong(absl::StrCat("`", text.substr(0, 64), "` where a number stands"),
               absl::StrCat("allowed are 0 to ", most));
}

bool Reading::Flag(const Words& words, std::string_view key, bool* out) {
  const auto text = Find(words, key);
  if (!text) return true;
  if (*text != "0" && *text != "1") {
    return Wrong(absl::StrCat(key, "=", text->substr(0, 64)), "allowed are 0 and 1");
  }
  *out = *text == "1";
  return true;
}

bool Reading::Statement(std::string_view text, int32_t* out) {
  return Number(text, static_cast<int32_t>(program_.statements.size()) - 1, out);
}

// Replies name values in the order of the Program, so the search begins where the last one ended.
bool Reading::ValueId(std::string_view text, size_t* out) {
  const size_t count = program_.names.size();
  for (size_t i = 0; i < count && !text.empty() && text[0] == '%'; ++i) {
    const size_t id = (next_id_ + i) % count;
    if (program_.names[id] != text.substr(1)) continue;
    *out = next_id_ = id;
    return true;
  }
  return Wrong(absl::StrCat("`", text.substr(0, 64), "` is no value of the Program"),
               "allowed are its values, with their %");
}

bool Reading::Shape(std::string_view text, TensorData* out, int64_t* count) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') {
    return Wrong(absl::StrCat("type=", text.substr(0, 64)), "allowed is such as f64[2,3]");
  }
  bool known = false;
  for (DType dtype : {DType::kF32, DType::kF64, DType::kI64, DType::kBool}) {
    if (twingrad::DTypeName(dtype) != text.substr(0, open)) continue;
    out->dtype = dtype;
    known = true;
  }
  if (!known) {
    return Wrong(absl::StrCat("type=", text.substr(0, 64)), "allowed are f32 f64 i64 bool");
  }
  const std::string_view sizes = text.substr(open + 1, text.size() - open - 2);
  *count = 1;
  if (sizes.empty()) return true;
  for (std::string_view word : absl::StrSplit(sizes, ',')) {
    int32_t size = 0;
    if (!Number(word, static_cast<int32_t>(twingrad::program::kMaxElements), &size)) return false;
    out->shape.push_back(size);
    *count *= size;
    if (*count > twingrad::program::kMaxElements || out->shape.size() > kMaxReplyRank) {
      return Wrong(absl::StrCat("type=", text.substr(0, 64), " is too large"),
                   absl::StrCat("allowed are ", twingrad::program::kMaxElements,
                                " elements and rank ", kMaxReplyRank));
    }
  }
  return true;
}

bool Reading::Tensor(const Words& words, TensorData* out) {
  const auto type = Find(words, "type");
  if (!type || type->empty()) return Wrong("type= is missing", "required is such as type=f64[2]");
  int64_t count = 0;
  if (!Shape(*type, out, &count)) return false;
  const std::string_view data = Find(words, "data").value_or("");
  size_t begin = 0;
  while (begin < data.size() && static_cast<int64_t>(out->bits.size()) <= count) {
    const size_t end = std::min(data.find(',', begin), data.size());
    const std::string_view element = data.substr(begin, end - begin);
    const auto bits = twingrad::program::ParseElement(element, out->dtype);
    if (!bits) {
      return Wrong(absl::StrCat("`", element.substr(0, 64), "` in data="),
                   absl::StrCat("allowed are elements of ", twingrad::DTypeName(out->dtype)));
    }
    out->bits.push_back(*bits);
    begin = end + 1;
  }
  if (static_cast<int64_t>(out->bits.size()) != count || (!data.empty() && data.back() == ',')) {
    return Wrong(
        absl::StrCat("data= has another number of elements than type=", type->substr(0, 64)),
        absl::StrCat("required are ", count));
  }
  return true;
}

bool Reading::Value(const Words& words) {
  size_t id = 0;
  if (!KnownKeys(words, {"type", "data", "version", "requires_grad"}) || !ValueId(words[0], &id)) {
    return false;
  }
  auto& value = observation_.values[id];
  if (value.defined) {
    return Wrong(absl::StrCat("a second value of ", words[0]), "allowed is one");
  }
  value.defined = true;
  int32_t version = 0;
  if (const auto text = Find(words, "version"); text && !Number(*text, kMaxNumber, &version)) {
    return false;
  }
  value.version = static_cast<uint32_t>(version);
  return Flag(words, "requires_grad", &value.requires_grad) && Tensor(words, &value.data);
}

bool Reading::Gradient(const Words& words) {
  size_t id = 0;
  if (!KnownKeys(words, {"type", "data"}) || !ValueId(words[0], &id)) return false;
  auto& value = observation_.values[id];
  if (!value.defined || value.grad_defined) {
    return Wrong(absl::StrCat("grad of ", words[0]), "allowed is one, after its value");
  }
  value.grad_defined = true;
  return Tensor(words, &value.grad);
}

bool Reading::Edges(const Words& words, std::string_view key, std::vector<EdgeRecord>* out) {
  const auto text = Find(words, key);
  if (!text) return true;
  for (std::string_view word : absl::StrSplit(*text, ',')) {
    EdgeRecord edge;
    if (word != "_") {
      const size_t colon = word.find(':');
      if (colon == std::string_view::npos) {
        return Wrong(absl::StrCat("the edge `", word.substr(0, 64), "`"),
                     "allowed are NODE:INPUT and _");
      }
      if (!Number(word.substr(0, colon), kMaxReplyNodes, &edge.node) ||
          !Number(word.substr(colon + 1), kMaxNumber, &edge.input_nr)) {
        return false;
      }
    }
    out->push_back(edge);
  }
  return true;
}

bool Reading::Call(const Words& words) {
  if (!FinishCall()) return false;
  if (observation_.calls.size() >= program_.statements.size()) {
    return Wrong("too many calls", "allowed is one a statement");
  }
  CallRecord call;
  if (!KnownKeys(words,
                 {"keep_graph", "create_graph", "accumulate", "roots", "inputs", "executed"}) ||
      !Statement(words[0], &call.statement) || !Flag(words, "keep_graph", &call.keep_graph) ||
      !Flag(words, "create_graph", &call.create_graph) ||
      !Flag(words, "accumulate", &call.accumulate_grad) || !Edges(words, "roots", &call.roots) ||
      !Edges(words, "inputs", &call.inputs)) {
    return false;
  }
  if (const auto text = Find(words, "executed")) {
    for (std::string_view word : absl::StrSplit(*text, ',')) {
      int32_t node = 0;
      if (!Number(word, kMaxReplyNodes, &node)) return false;
      call.executed.push_back(node);
    }
  }
  observation_.calls.push_back(std::move(call));
  return true;
}

bool Reading::Name(std::string_view text, NodeName* out) {
  using twingrad::program::kNodeRoleNames;
  const size_t at = text.find('@');
  const auto role = std::find(kNodeRoleNames.begin(), kNodeRoleNames.end(), text.substr(0, at));
  if (at == std::string_view::npos || role == kNodeRoleNames.end()) {
    return Wrong(absl::StrCat("the node `", text.substr(0, 64), "`"),
                 absl::StrCat("allowed are ROLE@STATEMENT and ROLE@STATEMENT.INDEX with the roles ",
                              absl::StrJoin(kNodeRoleNames, " ")));
  }
  out->role = static_cast<twingrad::program::NodeRole>(role - kNodeRoleNames.begin());
  const std::string_view rest = text.substr(at + 1);
  const size_t dot = rest.find('.');
  if (dot != std::string_view::npos && !Number(rest.substr(dot + 1), kMaxNumber, &out->index)) {
    return false;
  }
  return rest == "-1" || Statement(rest.substr(0, dot), &out->statement);
}

bool Reading::Node(const Words& words) {
  if (observation_.calls.empty()) {
    return Wrong("a node before any call", "allowed are nodes after their `call`");
  }
  CallRecord& call = observation_.calls.back();
  NodeRecord node;
  int32_t dependencies = -1;
  const auto count = Find(words, "dependencies");
  const auto inputs = Find(words, "inputs");
  if (call.nodes.size() >= kMaxReplyNodes) {
    return Wrong("too many nodes", absl::StrCat("allowed are ", kMaxReplyNodes));
  }
  if (!KnownKeys(words, {"inputs", "dependencies", "needed", "edges"}) ||
      !Name(words[0], &node.name) || (count && !Number(*count, kMaxNumber, &dependencies)) ||
      (inputs && !Number(*inputs, kMaxNumber, &node.num_inputs)) ||
      !Edges(words, "edges", &node.next_edges)) {
    return false;
  }
  bool needed = false;
  if (!Flag(words, "needed", &needed)) return false;
  const bool has_needed = Find(words, "needed").has_value();
  if (!call.nodes.empty() && has_needed == call.needed.empty()) {
    return Wrong("needed= stands at some nodes of the call", "allowed is at all or at none");
  }
  if (has_needed) call.needed.push_back(needed);
  call.dependencies.push_back(dependencies);
  call.nodes.push_back(std::move(node));
  return true;
}

bool Reading::Hook(const Words& words) {
  if (observation_.calls.empty()) {
    return Wrong("a hook before any call", "allowed are hooks after their `call`");
  }
  if (++hooks_ > kMaxReplyNodes) {
    return Wrong("too many hooks", absl::StrCat("allowed are ", kMaxReplyNodes));
  }
  HookRecord hook;
  if (!KnownKeys(words, {"node", "type", "data"}) || !Statement(words[0], &hook.statement)) {
    return false;
  }
  if (const auto node = Find(words, "node"); node && !Number(*node, kMaxReplyNodes, &hook.node)) {
    return false;
  }
  hook.gradient_defined = Find(words, "type").has_value();
  if (hook.gradient_defined && !Tensor(words, &hook.gradient)) return false;
  observation_.calls.back().hooks.push_back(std::move(hook));
  return true;
}

bool Reading::Error(std::string_view rest, ErrorRecord* error) {
  const size_t first = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, first);
  rest.remove_prefix(std::min(first + 1, rest.size()));
  const size_t second = std::min(rest.find(' '), rest.size());
  bool known = false;
  for (int i = 0; i < twingrad::kNumErrorKinds; ++i) {
    if (ErrorKindName(static_cast<ErrorKind>(i)) != word) continue;
    error->error = static_cast<ErrorKind>(i);
    known = true;
  }
  if (!known) {
    return Wrong(absl::StrCat("unknown class of error `", word.substr(0, 64), "`"),
                 "allowed are those of `expect error=` in autograd/program/README.md");
  }
  error->message = std::string(rest.substr(std::min(second + 1, rest.size())));
  return Statement(rest.substr(0, second), &error->statement);
}

// What refers to nodes is checked once all nodes of the call are known.
bool Reading::FinishCall() {
  if (observation_.calls.empty()) return true;
  const CallRecord& call = observation_.calls.back();
  const auto count = static_cast<int32_t>(call.nodes.size());
  int32_t highest = -1;
  for (const NodeRecord& node : call.nodes) {
    for (const EdgeRecord& edge : node.next_edges) highest = std::max(highest, edge.node);
  }
  for (const EdgeRecord& edge : call.roots) highest = std::max(highest, edge.node);
  for (const EdgeRecord& edge : call.inputs) highest = std::max(highest, edge.node);
  for (int32_t node : call.executed) highest = std::max(highest, node);
  for (const HookRecord& hook : call.hooks) highest = std::max(highest, hook.node);
  if (highest < count) return true;
  return Wrong(absl::StrCat("the call of statement ", call.statement, " names node ", highest),
               absl::StrCat("allowed are its ", count, " nodes, counted from 0"));
}

}  // namespace

absl::StatusOr<Observation> ParseReply(const Program& program, std::string_view text) {
  return Reading(program, text).Run();
}

}  // namespace twingrad::protocol
