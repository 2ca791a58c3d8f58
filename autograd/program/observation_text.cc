#include "autograd/program/observation_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/program/element_text.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

std::string ElementText(uint64_t bits, DType dtype) {
  std::string exact;
  AppendElement(bits, dtype, exact);
  if (!IsFloating(dtype) || exact.find('x') == std::string::npos) return exact;
  const double value = std::bit_cast<double>(bits);
  // As many decimal digits as tell numbers of the format apart.
  const int digits = 2 + static_cast<int>(0.30103 * FormatOf(dtype).precision);
  return absl::StrFormat("%.*g (%s)", digits, value, exact);
}

std::string StatementName(const Program& program, int statement) {
  if (statement < 0 || statement >= static_cast<int>(program.statements.size())) return "?";
  return std::string(SignatureOf(program.statements[statement].op).name);
}

std::string RoleName(const Program& program, const NodeName& name) {
  if (name.role == NodeRole::kStatement) return StatementName(program, name.statement);
  if (name.role == NodeRole::kRegeneratedView) {
    return absl::StrCat("regenerated_", StatementName(program, name.statement));
  }
  return std::string(NodeRoleName(name.role));
}

std::string EdgesText(const EdgeRecords& edges) {
  return absl::StrJoin(edges, " ", [](std::string* out, const EdgeRecord& edge) {
    if (edge.node < 0) {
      absl::StrAppend(out, "_");
    } else if (edge.input_nr == 0) {
      absl::StrAppend(out, "#", edge.node);
    } else {
      absl::StrAppend(out, "#", edge.node, ".", edge.input_nr);
    }
  });
}

void AppendValue(const Program& program, size_t id, const ValueRecord& value, std::string& out) {
  absl::StrAppend(&out, "  %", id < program.names.size() ? program.names[id] : "?");
  if (!value.defined) {
    absl::StrAppend(&out, " undefined\n");
    return;
  }
  absl::StrAppend(&out, " = ", TensorText(value.data), " version=", value.version,
                  value.requires_grad ? " requires_grad" : "", "\n");
  if (value.grad_defined) {
    absl::StrAppend(&out, "  %", program.names[id], ".grad = ", TensorText(value.grad), "\n");
  }
}

std::string ThreadText(int16_t thread) {
  if (thread >= 0) return absl::StrCat("worker_", thread);
  return thread == kCallingThread ? "caller" : "other";
}

std::string SharingText(const Program& program, const SharingRecord& sharing) {
  const auto name = [&program](ValueId value, bool is_grad) {
    return absl::StrCat("%", program.names[value], is_grad ? ".grad" : "");
  };
  return absl::StrCat(name(sharing.value, sharing.is_grad), " and ",
                      sharing.hook >= 0 ? absl::StrCat("what the hook @", sharing.hook, " keeps")
                                        : name(sharing.with, sharing.with_grad));
}

// What only this repository's engine shows, where there is something to say.
void AppendInside(const Program& program, const CallRecord& call, std::string& out) {
  const auto elsewhere = [](int16_t thread) { return thread != kCallingThread; };
  if (std::ranges::any_of(call.threads, elsewhere)) {
    absl::StrAppend(&out, "  on ",
                    absl::StrJoin(call.threads, " ",
                                  [](std::string* text, int16_t thread) {
                                    absl::StrAppend(text, ThreadText(thread));
                                  }),
                    "\n");
  }
  if (call.left_changed != 0) {
    absl::StrAppend(&out, "  left changed: ", ThreadPartsText(call.left_changed), "\n");
  }
  for (const SharingRecord& sharing : call.sharing) {
    absl::StrAppend(&out, "  shared memory: ", SharingText(program, sharing), "\n");
  }
  if (call.held_blocks != 0) {
    absl::StrAppend(&out, "  failed, and kept ", call.held_blocks, " blocks of memory\n");
  }
}

void AppendCall(const Program& program, size_t index, const CallRecord& call, std::string& out) {
  absl::StrAppend(&out, "call ", index, ": ", StatementName(program, call.statement), "@",
                  call.statement, " keep_graph=", call.keep_graph,
                  " create_graph=", call.create_graph, " accumulate_grad=", call.accumulate_grad,
                  call.outer < 0 ? "" : absl::StrCat(" in call ", call.outer), "\n");
  absl::StrAppend(&out, "  roots ", EdgesText(call.roots), "\n");
  if (!call.inputs.empty()) absl::StrAppend(&out, "  inputs ", EdgesText(call.inputs), "\n");
  for (size_t n = 0; n < call.nodes.size(); ++n) {
    absl::StrAppend(&out, "  #", n, " ", NodeText(program, call.nodes[n].name));
    if (n < call.dependencies.size() && call.dependencies[n] >= 0) {
      absl::StrAppend(&out, " dependencies=", call.dependencies[n]);
    }
    if (n < call.needed.size()) absl::StrAppend(&out, call.needed[n] ? " needed" : " not_needed");
    if (!call.nodes[n].next_edges.empty()) {
      absl::StrAppend(&out, " -> ", EdgesText(call.nodes[n].next_edges));
    }
    absl::StrAppend(&out, "\n");
  }
  absl::StrAppend(&out, "  executed", call.executed.empty() ? "" : " #",
                  absl::StrJoin(call.executed, " #"), "\n");
  for (const HookRecord& hook : call.hooks) {
    absl::StrAppend(&out, "  hook @", hook.statement, " at ",
                    hook.node < 0 ? "the end" : absl::StrCat("#", hook.node), ": ",
                    hook.gradient_defined ? TensorText(hook.gradient) : "undefined",
                    hook.overwritten ? ", later overwritten" : "", "\n");
  }
  AppendInside(program, call, out);
}

void AppendAccessor(const Program& program, const AccessorRecord& record, std::string& out) {
  absl::StrAppend(&out, "accessor ", record.accessor, " of %", program.names[record.value],
                  record.is_grad ? ".grad" : "", ": ",
                  record.shown ? TensorText(*record.shown) : absl::StrCat("error, ", record.error),
                  "\n");
}

void AppendWarning(const Program& program, const WarningRecord& warning, std::string& out) {
  absl::StrAppend(&out, "warning of ", StatementName(program, warning.call), "@", warning.call);
  if (warning.source == WarningSource::kHook) {
    absl::StrAppend(&out, " from ", StatementName(program, warning.statement), "@",
                    warning.statement, " at ", NodeText(program, warning.node));
  }
  absl::StrAppend(&out, ": ", warning.text, "\n");
}

}  // namespace

std::string TensorText(const TensorData& tensor) {
  std::string out = TypeText({tensor.dtype, tensor.shape});
  if (!tensor.bits.empty()) out += ' ';
  for (size_t i = 0; i < tensor.bits.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ",", ElementText(tensor.bits[i], tensor.dtype));
  }
  return out;
}

std::string ThreadPartsText(uint32_t parts) {
  std::string out;
  for (int i = 0; i < kNumThreadParts; ++i) {
    if ((parts >> i & 1) != 0) absl::StrAppend(&out, out.empty() ? "" : " ", kThreadPartNames[i]);
  }
  return out;
}

std::string NodeText(const Program& program, const NodeName& name) {
  const bool counted = name.index != 0 || name.role == NodeRole::kBackward;
  return absl::StrCat(RoleName(program, name), "@", name.statement,
                      counted ? absl::StrCat(".", name.index) : "");
}

std::string PrintObservation(const Program& program, const Observation& observation) {
  std::string out = "values\n";
  for (size_t id = 0; id < observation.values.size(); ++id) {
    AppendValue(program, id, observation.values[id], out);
  }
  for (size_t c = 0; c < observation.calls.size(); ++c) {
    AppendCall(program, c, observation.calls[c], out);
  }
  for (const auto& record : observation.accessors) AppendAccessor(program, record, out);
  for (const WarningRecord& warning : observation.warnings) AppendWarning(program, warning, out);
  if (const auto& late = observation.late_write) {
    absl::StrAppend(&out, "late write of %", program.names[late->value], ".grad after ",
                    StatementName(program, late->statement), "@", late->statement, "\n");
  }
  if (observation.leaked_blocks != 0 || observation.leaked_bytes != 0) {
    absl::StrAppend(&out, "leaked ", observation.leaked_blocks, " blocks, ",
                    observation.leaked_bytes, " bytes\n");
  }
  for (const StreamReport& report : observation.stream_reports) {
    absl::StrAppend(&out, "streams ", report.text, "\n");
  }
  if (observation.error.has_value()) {
    absl::StrAppend(&out, "error ", ErrorKindName(observation.error->error), " at ",
                    StatementName(program, observation.error->statement), "@",
                    observation.error->statement, ": ", observation.error->message, "\n");
  }
  return out;
}

}  // namespace twingrad::program
