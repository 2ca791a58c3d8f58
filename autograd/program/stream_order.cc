// Whether the streams of a Program follow each other. See stream_order.h.
#include "autograd/program/stream_order.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace twingrad::program {

bool StreamsFollowEachOther(const Program& program) {
  const auto& statements = program.statements;
  for (size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].op != Opcode::kStream || statements[i].Get<bool>(Key::kWaits)) continue;
    if (i == 0 || i + 1 == statements.size()) return false;
    const Statement& before = statements[i - 1];
    const Statement& after = statements[i + 1];
    if (before.op != Opcode::kRecordEvent || after.op != Opcode::kWaitEvent) return false;
    const auto device = statements[i].Get<int64_t>(Key::kDevice);
    const bool same = before.Get<int64_t>(Key::kDevice) == device &&
                      after.Get<int64_t>(Key::kDevice) == device &&
                      before.Get<std::string>(Key::kId) == after.Get<std::string>(Key::kId);
    if (!same) return false;
  }
  return true;
}

}  // namespace twingrad::program
