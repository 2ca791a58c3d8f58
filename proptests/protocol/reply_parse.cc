// Reads replies: one pass over the lines, each checked against the Program; what refers to nodes of
// a call is checked when all of them are known.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/program/element_text.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"
#include "proptests/protocol/reply.h"

namespace twingrad::protocol {
namespace {

using twingrad::ErrorKind;
using twingrad::program::AccessorRecord;
using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::EdgeRecords;
using twingrad::program::ErrorRecord;
using twingrad::program::HookRecord;
using twingrad::program::NodeName;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::TensorData;
using twingrad::program::ValueRecord;
using Words = std::vector<std::string_view>;
using Halves = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kLineWords =
    "value, grad, accessor, call, node, hook, survived and error";
constexpr int32_t kMaxNumber = 1 << 30;
// Of one gradient.
constexpr size_t kMostAccessors = 64;
constexpr size_t kLongestAccessor = 32;
// Hooks make calls of their own.
constexpr size_t kMostCallsAStatement = 64;

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
  // A key that a line may have, and where its argument goes; nowhere: the line looks itself.
  struct Field {
    std::string_view key;
    std::variant<std::monostate, bool*, int32_t*, std::vector<int32_t>*, EdgeRecords*> out = {};
  };

  bool Wrong(std::string_view wrong, std::string_view allowed) {
    if (wrong_.empty()) wrong_ = absl::StrCat(wrong, "; ", allowed);
    return false;
  }
  // The same of a word of the reply, between the texts `before` and `after`.
  bool WrongWord(std::string_view before, std::string_view word, std::string_view after,
                 std::string_view allowed) {
    return Wrong(absl::StrCat(before, word.substr(0, 64), after), allowed);
  }

  bool Line(std::string_view line) {
    const auto [word, rest] = Halves(absl::StrSplit(line, absl::MaxSplits(' ', 1)));
    if (word == "error") {
      if (!observation_.error) return Error(rest, &observation_.error.emplace());
      return Wrong("a second `error`", "allowed is one, with `survived` before it");
    }
    if (word == "survived") {
      if (observation_.survived.size() < twingrad::program::kMaxStatements) {
        return Error(rest, &observation_.survived.emplace_back());
      }
      return Wrong("too many errors", "allowed is one a statement");
    }
    // Of an accessor that failed, the message comes last.
    const bool accessor = word == "accessor";
    const size_t fields = accessor ? rest.find(" error ") : std::string_view::npos;
    const Words words = absl::StrSplit(rest.substr(0, fields), ' ', absl::SkipEmpty());
    if (words.empty()) {
      return WrongWord("`", line, "` says nothing",
                       absl::StrCat("allowed are ", kLineWords, ", each with its subject"));
    }
    if (accessor) {
      return Accessor(words, fields == std::string_view::npos ? "" : rest.substr(fields + 7));
    }
    if (word == "value") return Value(words);
    if (word == "grad") return Gradient(words);
    if (word == "call") return Call(words);
    if (word == "node") return Node(words);
    if (word == "hook") return Hook(words);
    return WrongWord("unknown word `", word, "`", absl::StrCat("allowed are ", kLineWords));
  }

  // The argument of `key=` among the words, if it is there.
  std::optional<std::string_view> Find(const Words& words, std::string_view key) const {
    for (size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (absl::ConsumePrefix(&word, key) && absl::ConsumePrefix(&word, "=")) return word;
    }
    return std::nullopt;
  }

  // Reads the fields that stand among the words: each at most once, and no others.
  bool Fields(const Words& words, std::initializer_list<Field> fields) {
    for (size_t i = 1; i < words.size(); ++i) {
      const auto [key, text] = Halves(absl::StrSplit(words[i], absl::MaxSplits('=', 1)));
      const auto field = std::ranges::find(fields, key, &Field::key);
      bool twice = false;
      for (size_t j = 1; j < i; ++j) twice |= words[j].substr(0, words[j].find('=')) == key;
      if (words[i].size() == key.size() || field == fields.end() || twice) {
        const auto name = [](std::string* out, const Field& each) {
          absl::StrAppend(out, each.key);
        };
        return WrongWord(
            "the token `", words[i], "`",
            absl::StrCat("allowed are, once each, ", absl::StrJoin(fields, "= ", name), "="));
      }
      const auto read = [this, k = key, t = text](auto out) { return Read(k, t, out); };
      if (!std::visit(read, field->out)) return false;
    }
    return true;
  }

  bool Number(std::string_view text, int32_t most, int32_t* out) {
    if (!text.empty() && text[0] != '+' && text[0] != ' ' && absl::SimpleAtoi(text, out) &&
        *out >= 0 && *out <= most) {
      return true;
    }
    return WrongWord("`", text, "` where a number stands", absl::StrCat("allowed are 0 to ", most));
  }

  bool Read(std::string_view key, std::string_view text, bool* out) {
    *out = text == "1";
    if (*out || text == "0") return true;
    return WrongWord(absl::StrCat(key, "="), text, "", "allowed are 0 and 1");
  }

  // Whether there is such a node shows at the end of the call.
  bool NodeIndex(std::string_view text, int32_t* out) {
    if (!Number(text, kMaxReplyNodes, out)) return false;
    highest_ = std::max(highest_, *out);
    return true;
  }

  bool Read(std::string_view /*key*/, std::string_view text, std::vector<int32_t>* nodes) {
    for (std::string_view word : absl::StrSplit(text, ',')) {
      if (!NodeIndex(word, &nodes->emplace_back())) return false;
    }
    return true;
  }

  bool Read(std::string_view /*key*/, std::string_view text, EdgeRecords* edges) {
    for (std::string_view word : absl::StrSplit(text, ',')) {
      EdgeRecord& edge = edges->emplace_back();
      if (word == "_") continue;
      const auto [node, input] = Halves(absl::StrSplit(word, absl::MaxSplits(':', 1)));
      if (node.size() == word.size()) {
        return WrongWord("the edge `", word, "`", "allowed are NODE:INPUT and _");
      }
      if (!NodeIndex(node, &edge.node) || !Number(input, kMaxNumber, &edge.input_nr)) return false;
    }
    return true;
  }

  bool Statement(std::string_view text, int32_t* out) {
    return Number(text, static_cast<int32_t>(program_.statements.size()) - 1, out);
  }

  // Replies name values in the order of the Program, so the search begins where the last one ended.
  bool ValueId(std::string_view text, size_t* out) {
    const size_t count = program_.names.size();
    for (size_t i = 0; i < count && !text.empty() && text[0] == '%'; ++i) {
      const size_t id = (next_id_ + i) % count;
      if (program_.names[id] != text.substr(1)) continue;
      *out = next_id_ = id;
      return true;
    }
    return WrongWord("`", text, "` is no value of the Program",
                     "allowed are its values, with their %");
  }

  bool Shape(std::string_view text, TensorData* out, int64_t* count) {
    const size_t open = text.find('[');
    if (open == std::string_view::npos || text.back() != ']') {
      return WrongWord("type=", text, "", "allowed is such as f64[2,3]");
    }
    const auto dtype = twingrad::program::DTypeFromName(text.substr(0, open));
    if (!dtype) return WrongWord("type=", text, "", "allowed are f32 f64 i64 bool f16 bf16 i32");
    out->dtype = *dtype;
    const std::string_view sizes = text.substr(open + 1, text.size() - open - 2);
    *count = 1;
    if (sizes.empty()) return true;
    for (std::string_view word : absl::StrSplit(sizes, ',')) {
      int32_t size = 0;
      if (!Number(word, static_cast<int32_t>(twingrad::program::kMaxElements), &size)) return false;
      out->shape.push_back(size);
      *count *= size;
      if (*count > twingrad::program::kMaxElements || out->shape.size() > kMaxReplyRank) {
        return WrongWord("type=", text, " is too large",
                         absl::StrCat("allowed are ", twingrad::program::kMaxElements,
                                      " elements and rank ", kMaxReplyRank));
      }
    }
    return true;
  }

  bool Tensor(const Words& words, TensorData* out) {
    const std::string_view type = Find(words, "type").value_or("");
    if (type.empty()) return Wrong("type= is missing", "required is such as type=f64[2]");
    int64_t count = 0;
    if (!Shape(type, out, &count)) return false;
    const std::string_view data = Find(words, "data").value_or("");
    size_t begin = 0;
    while (begin < data.size() && static_cast<int64_t>(out->bits.size()) <= count) {
      const size_t end = std::min(data.find(',', begin), data.size());
      const std::string_view element = data.substr(begin, end - begin);
      const auto bits = twingrad::program::ParseElement(element, out->dtype);
      if (!bits) {
        return WrongWord("`", element, "` in data=",
                         absl::StrCat("allowed are elements of ", twingrad::DTypeName(out->dtype)));
      }
      out->bits.push_back(*bits);
      begin = end + 1;
    }
    if (static_cast<int64_t>(out->bits.size()) != count || (!data.empty() && data.back() == ',')) {
      return WrongWord("data= has another number of elements than type=", type, "",
                       absl::StrCat("required are ", count));
    }
    return true;
  }

  bool Value(const Words& words) {
    size_t id = 0;
    ValueRecord value;
    int32_t version = 0;
    if (!Fields(
            words,
            {{"type"}, {"data"}, {"version", &version}, {"requires_grad", &value.requires_grad}}) ||
        !ValueId(words[0], &id)) {
      return false;
    }
    if (observation_.values[id].defined) {
      return Wrong(absl::StrCat("a second value of ", words[0]), "allowed is one");
    }
    value.defined = true;
    value.version = static_cast<uint32_t>(version);
    if (!Tensor(words, &value.data)) return false;
    observation_.values[id] = std::move(value);
    return true;
  }

  bool Gradient(const Words& words) {
    size_t id = 0;
    if (!Fields(words, {{"type"}, {"data"}}) || !ValueId(words[0], &id)) return false;
    ValueRecord& value = observation_.values[id];
    if (!value.defined || value.grad_defined) {
      return Wrong(absl::StrCat("grad of ", words[0]), "allowed is one, after its value");
    }
    value.grad_defined = true;
    return Tensor(words, &value.grad);
  }

  // `error`: how it failed; empty: it did not.
  bool Accessor(const Words& words, std::string_view error) {
    size_t id = 0;
    if (!Fields(words, {{"of"}, {"by"}, {"type"}, {"data"}}) || !ValueId(words[0], &id)) {
      return false;
    }
    const std::string_view of = Find(words, "of").value_or(""), by = Find(words, "by").value_or("");
    if (of != "grad" && of != "value")
      return WrongWord("of=", of, "", "allowed are grad and value");
    if (by.empty() || by.size() > kLongestAccessor) {
      return WrongWord(
          "by=", by, "",
          absl::StrCat("required is a word of at most ", kLongestAccessor, " letters"));
    }
    const ValueRecord& value = observation_.values[id];
    if (of == "grad" ? !value.grad_defined : !value.defined) {
      return Wrong(absl::StrCat("an accessor of ", words[0]),
                   absl::StrCat("allowed is one after the ", of, " line that it belongs to"));
    }
    if (observation_.accessors.size() >= kMostAccessors * program_.names.size()) {
      return Wrong("too many accessors", absl::StrCat("allowed are ", kMostAccessors, " a value"));
    }
    AccessorRecord& record = observation_.accessors.emplace_back();
    record.accessor = std::string(by);
    record.value = static_cast<twingrad::program::ValueId>(id);
    record.is_grad = of == "grad";
    record.expected = record.is_grad ? value.grad : value.data;
    record.error = std::string(error);
    return !error.empty() || Tensor(words, &record.shown.emplace());
  }

  bool Call(const Words& words) {
    if (!FinishCall()) return false;
    const size_t most = kMostCallsAStatement * program_.statements.size();
    if (observation_.calls.size() >= most) {
      return Wrong("too many calls",
                   absl::StrCat("allowed are ", kMostCallsAStatement, " a statement"));
    }
    const auto number = static_cast<int32_t>(observation_.calls.size());
    CallRecord& call = observation_.calls.emplace_back();
    return Fields(words, {{"outer", &call.outer},
                          {"keep_graph", &call.keep_graph},
                          {"create_graph", &call.create_graph},
                          {"accumulate", &call.accumulate_grad},
                          {"roots", &call.roots},
                          {"inputs", &call.inputs},
                          {"executed", &call.executed}}) &&
           Statement(words[0], &call.statement) &&
           (call.outer < number || WrongWord("outer=`", absl::StrCat(call.outer), "`",
                                             "allowed are calls that stand before this one"));
  }

  bool Name(std::string_view text, NodeName* out) {
    using twingrad::program::kNodeRoleNames;
    const size_t at = text.find('@');
    const auto role = std::ranges::find(kNodeRoleNames, text.substr(0, at));
    if (at == std::string_view::npos || role == kNodeRoleNames.end()) {
      return WrongWord("the node `", text, "`",
                       absl::StrCat("allowed are ROLE@STATEMENT and ROLE@STATEMENT.INDEX with the "
                                    "roles ",
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

  bool Node(const Words& words) {
    if (observation_.calls.empty()) {
      return Wrong("a node before any call", "allowed are nodes after their `call`");
    }
    CallRecord& call = observation_.calls.back();
    if (call.nodes.size() >= kMaxReplyNodes) {
      return Wrong("too many nodes", absl::StrCat("allowed are ", kMaxReplyNodes));
    }
    NodeRecord node;
    int32_t dependencies = -1;
    bool needed = false;
    if (!Fields(words, {{"inputs", &node.num_inputs},
                        {"dependencies", &dependencies},
                        {"needed", &needed},
                        {"edges", &node.next_edges}}) ||
        !Name(words[0], &node.name)) {
      return false;
    }
    const bool has_needed = Find(words, "needed").has_value();
    if (!call.nodes.empty() && has_needed == call.needed.empty()) {
      return Wrong("needed= stands at some nodes of the call", "allowed is at all or at none");
    }
    if (has_needed) call.needed.push_back(needed);
    call.dependencies.push_back(dependencies);
    call.nodes.push_back(std::move(node));
    return true;
  }

  bool Hook(const Words& words) {
    if (observation_.calls.empty()) {
      return Wrong("a hook before any call", "allowed are hooks after their `call`");
    }
    if (++hooks_ > kMaxReplyNodes) {
      return Wrong("too many hooks", absl::StrCat("allowed are ", kMaxReplyNodes));
    }
    HookRecord& hook = observation_.calls.back().hooks.emplace_back();
    if (!Fields(words, {{"node"}, {"type"}, {"data"}}) || !Statement(words[0], &hook.statement)) {
      return false;
    }
    const auto node = Find(words, "node");
    if (node && !NodeIndex(*node, &hook.node)) return false;
    hook.gradient_defined = Find(words, "type").has_value();
    return !hook.gradient_defined || Tensor(words, &hook.gradient);
  }

  // CLASS AT MESSAGE.
  bool Error(std::string_view rest, ErrorRecord* error) {
    Words words = absl::StrSplit(rest, absl::MaxSplits(' ', 2));
    words.resize(3);
    for (int i = 0; i < twingrad::kNumErrorKinds; ++i) {
      error->error = static_cast<ErrorKind>(i);
      if (ErrorKindName(error->error) != words[0]) continue;
      error->message = std::string(words[2]);
      return Statement(words[1], &error->statement);
    }
    return WrongWord("unknown class of error `", words[0], "`",
                     "allowed are those of `expect error=` in autograd/program/README.md");
  }

  // What refers to nodes is checked once all nodes of the call are known.
  bool FinishCall() {
    if (observation_.calls.empty()) return true;
    const CallRecord& call = observation_.calls.back();
    const auto count = static_cast<int32_t>(call.nodes.size());
    const int32_t highest = std::exchange(highest_, -1);
    if (highest < count) return true;
    return Wrong(absl::StrCat("the call of statement ", call.statement, " names node ", highest),
                 absl::StrCat("allowed are its ", count, " nodes, counted from 0"));
  }

  bool Read(std::string_view, std::string_view, std::monostate) { return true; }
  bool Read(std::string_view, std::string_view text, int32_t* out) {
    return Number(text, kMaxNumber, out);
  }

  const Program& program_;
  std::string_view text_;
  Observation observation_;
  size_t next_id_ = 0;  // of the value that most likely comes next
  size_t line_ = 0;
  size_t hooks_ = 0;
  int32_t highest_ = -1;  // of the nodes that the current call refers to
  std::string wrong_;
};

}  // namespace

absl::StatusOr<Observation> ParseReply(const Program& program, std::string_view text) {
  return Reading(program, text).Run();
}

}  // namespace twingrad::protocol
