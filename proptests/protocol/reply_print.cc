// Prints replies, in the one order that README.md gives.

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "autograd/program/element_text.h"
#include "proptests/protocol/reply.h"

namespace twingrad::protocol {
namespace {

using twingrad::program::AccessorRecord;
using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::EdgeRecords;
using twingrad::program::ErrorRecord;
using twingrad::program::HookRecord;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::TensorData;

void AppendTensor(const TensorData& tensor, std::string& out) {
  absl::StrAppend(&out, " type=", twingrad::DTypeName(tensor.dtype), "[",
                  absl::StrJoin(tensor.shape, ","), "]");
  for (size_t i = 0; i < tensor.bits.size(); ++i) {
    out += i == 0 ? " data=" : ",";
    twingrad::program::AppendElement(tensor.bits[i], tensor.dtype, out);
  }
}

void AppendEdges(std::string_view key, const EdgeRecords& edges, std::string& out) {
  if (edges.empty()) return;
  const auto print = [](std::string* text, const EdgeRecord& edge) {
    *text += edge.node < 0 ? "_" : absl::StrCat(edge.node, ":", edge.input_nr);
  };
  absl::StrAppend(&out, " ", key, "=", absl::StrJoin(edges, ",", print));
}

void AppendNode(const CallRecord& call, size_t i, std::string& out) {
  const NodeRecord& node = call.nodes[i];
  absl::StrAppend(&out, "node ", twingrad::program::NodeRoleName(node.name.role), "@",
                  node.name.statement);
  if (node.name.index != 0) absl::StrAppend(&out, ".", node.name.index);
  if (node.num_inputs != 1) absl::StrAppend(&out, " inputs=", node.num_inputs);
  if (i < call.dependencies.size() && call.dependencies[i] >= 0) {
    absl::StrAppend(&out, " dependencies=", call.dependencies[i]);
  }
  if (i < call.needed.size()) absl::StrAppend(&out, " needed=", call.needed[i] ? 1 : 0);
  AppendEdges("edges", node.next_edges, out);
  out += '\n';
}

void AppendHook(const HookRecord& hook, std::string& out) {
  absl::StrAppend(&out, "hook ", hook.statement);
  if (hook.node >= 0) absl::StrAppend(&out, " node=", hook.node);
  if (hook.gradient_defined) AppendTensor(hook.gradient, out);
  out += '\n';
}

void AppendCall(const CallRecord& call, std::string& out) {
  absl::StrAppend(&out, "call ", call.statement);
  if (call.outer >= 0) absl::StrAppend(&out, " outer=", call.outer);
  if (call.keep_graph) out += " keep_graph=1";
  if (call.create_graph) out += " create_graph=1";
  if (call.accumulate_grad) out += " accumulate=1";
  AppendEdges("roots", call.roots, out);
  AppendEdges("inputs", call.inputs, out);
  if (!call.executed.empty()) {
    absl::StrAppend(&out, " executed=", absl::StrJoin(call.executed, ","));
  }
  out += '\n';
  for (size_t i = 0; i < call.nodes.size(); ++i) AppendNode(call, i, out);
  for (const HookRecord& hook : call.hooks) AppendHook(hook, out);
}

std::string OneLine(std::string_view text) {
  return absl::StrReplaceAll(text.substr(0, 1000), {{"\n", " "}, {"\r", " "}});
}

void AppendAccessor(const Program& program, const AccessorRecord& record, std::string& out) {
  absl::StrAppend(&out, "accessor %", program.names[record.value],
                  " of=", record.is_grad ? "grad" : "value", " by=", record.accessor);
  if (record.shown) {
    AppendTensor(*record.shown, out);
  } else {
    absl::StrAppend(&out, " error ", OneLine(record.error));
  }
  out += '\n';
}

void AppendError(std::string_view word, const ErrorRecord& error, std::string& out) {
  absl::StrAppend(&out, word, " ", twingrad::ErrorKindName(error.error), " ", error.statement, " ",
                  OneLine(error.message), "\n");
}

}  // namespace

std::string PrintReply(const Program& program, const Observation& observation) {
  std::string out;
  for (size_t i = 0; i < observation.values.size() && i < program.names.size(); ++i) {
    const auto& value = observation.values[i];
    if (!value.defined) continue;
    absl::StrAppend(&out, "value %", program.names[i]);
    AppendTensor(value.data, out);
    if (value.version != 0) absl::StrAppend(&out, " version=", value.version);
    if (value.requires_grad) out += " requires_grad=1";
    out += '\n';
    if (!value.grad_defined) continue;
    absl::StrAppend(&out, "grad %", program.names[i]);
    AppendTensor(value.grad, out);
    out += '\n';
  }
  for (const auto& record : observation.accessors) AppendAccessor(program, record, out);
  for (const CallRecord& call : observation.calls) AppendCall(call, out);
  for (const ErrorRecord& error : observation.survived) AppendError("survived", error, out);
  if (observation.error) AppendError("error", *observation.error, out);
  return out;
}

}  // namespace twingrad::protocol
