// Fans over devices: of any numbers, and of numbers whose sum reveals the order of its terms.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/region.h"
#include "proptests/generators/alias.h"
#include "proptests/generators/calls.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Statement;

constexpr double kLane[] = {1e8, 1, -1e8, 1, -1e8, 1e8};

Bits Lanes(Source& source, int64_t elements) {
  Bits bits;
  for (int64_t i = 0; i < elements; ++i)
    bits.push_back(std::bit_cast<uint64_t>(source.Pick(kLane)));
  return bits;
}

// Keeps the gradient of a value that is written once a call has reached it: from then on that of
// what it has become is kept.
void AddWriteAfterCall(Draft& draft, ValueId value) {
  const GeneratorOptions& options = draft.options();
  const bool allowed = options.Has(Feature::kHook) && options.Has(Feature::kCalls) &&
                       options.Has(Feature::kInPlace) && options.backward;
  if (!allowed || !draft.IsFloating(value) || !draft.RequiresGrad(value)) return;
  if (!draft.Add(Opcode::kRetainGrad, {value})) return;
  draft.Mark(Feature::kHook);
  Draft::Call call = CallFrom(draft, value);
  call.retain_graph = 1;
  draft.AddCall(call);
  draft.Mark(Feature::kCalls);
  if (draft.MayWrite(value)) ApplyInPlace(draft, value);
}

// How many of a hundred Programs with streams lack an order.
constexpr int kPercentDropped = 20;

// Whether the statement orders streams and the Program is valid without that: an event that is
// waited for must have been recorded.
bool Orders(const Program& program, size_t at) {
  const Statement& statement = program.statements[at];
  if (statement.op == Opcode::kStream) return statement.Get<bool>(Key::kWaits);
  if (statement.op == Opcode::kWaitEvent) return true;
  if (statement.op != Opcode::kRecordEvent) return false;
  const auto records_it = [&](const Statement& other) {
    return other.op == Opcode::kRecordEvent &&
           other.Get<std::string>(Key::kId) == statement.Get<std::string>(Key::kId);
  };
  return std::any_of(program.statements.begin(),
                     program.statements.begin() + static_cast<ptrdiff_t>(at), records_it);
}

}  // namespace

void AddStreams(Draft& draft) {
  Source& source = draft.source();
  if (draft.options().devices < 1 || draft.options().streams < 1) return;
  const int64_t device = source.Between(0, draft.options().devices - 1);
  const auto named = [&](const char* id) {
    return Attributes{{Key::kId, std::string(id)}, {Key::kDevice, device}};
  };
  constexpr const char* kNames[kMostStreams] = {"a", "b", "c", "d", "f", "g", "h", "i"};
  Attributes stream = named(kNames[source.Below(static_cast<uint64_t>(draft.options().streams))]);
  if (source.Chance(33)) {
    stream.push_back({Key::kWaits, true});
    draft.Add(Opcode::kStream, {}, stream);
  } else if (draft.HasRoom(2) && draft.Add(Opcode::kRecordEvent, {}, named("e"))) {
    draft.Add(Opcode::kStream, {}, stream);
    draft.Add(Opcode::kWaitEvent, {}, named("e"));
  }
}

void MaybeDropOrder(Source& source, Program& program) {
  std::vector<size_t> orders;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (Orders(program, i)) orders.push_back(i);
  }
  if (orders.empty() || HasSections(program) || !source.Chance(kPercentDropped)) return;
  const size_t dropped = source.Pick(orders);
  Statement& statement = program.statements[dropped];
  if (statement.op != Opcode::kStream) {
    program.statements.erase(program.statements.begin() + static_cast<ptrdiff_t>(dropped));
    return;
  }
  std::erase_if(statement.attributes, [](const Attribute& a) { return a.key == Key::kWaits; });
}

void AddDevices(Draft& draft) {
  Source& source = draft.source();
  const bool streams = source.Chance(50);
  if (streams) AddStreams(draft);
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kTo)) return;
  if (draft.options().Has(Feature::kNumbers) && source.Chance(2)) {
    const DType dtype = source.Chance(33) ? DType::kBool : AnyInteger(draft);
    draft.Mark(Feature::kNumbers);
    draft.Op(Opcode::kTo, {MakeLeaf(draft, {.dtype = dtype})}, {{Key::kDevice, int64_t{0}}});
    return;
  }
  const DeviceIndex home = draft.DeviceOf(x);
  const int64_t width = source.Between(1, 3);
  ValueId joined = kNoValue;
  for (int64_t i = 0; i < width && draft.HasRoom(); ++i) {
    const int64_t device = source.Between(-1, draft.options().devices - 1);
    ValueId there = draft.Op(Opcode::kTo, {x}, {{Key::kDevice, device}});
    if (there == kNoValue) return;
    if (streams && source.Chance(40)) AddStreams(draft);
    if (source.Chance(70)) there = ApplyOp(draft, there);
    if (source.Chance(3)) AddWriteAfterCall(draft, there);
    if (width == 1) return;
    const ValueId back = draft.DeviceOf(there) == home
                             ? there
                             : draft.Op(Opcode::kTo, {there}, {{Key::kDevice, int64_t{home}}});
    if (back == kNoValue) return;
    const ValueId sum = joined == kNoValue ? back : Combine(draft, joined, back);
    if (sum != kNoValue) joined = sum;
  }
  if (streams && source.Chance(40)) AddStreams(draft);
}

void AddOrder(Draft& draft) {
  Source& source = draft.source();
  if (!draft.options().Has(Opcode::kMul) || !draft.options().Has(Opcode::kAdd)) return;
  const TensorType type = {DType::kF32, {source.Between(1, 3)}};
  const Range range = {27, 0};
  const bool devices = draft.options().Has(Feature::kDevices) && draft.options().Has(Opcode::kTo);
  const ValueId x = draft.Leaf(type, Bits(static_cast<size_t>(type.shape[0]), 0x3ff0000000000000),
                               true, twingrad::program::kCpu, {0, 0, true, true, true});
  ValueId sum = kNoValue;
  for (int64_t i = source.Between(3, 4); i > 0 && x != kNoValue; --i) {
    const int64_t device = devices ? source.Between(-1, draft.options().devices - 1) : -1;
    if (device >= 0) draft.Mark(Feature::kDevices);
    const ValueId there = device < 0 ? x : draft.Op(Opcode::kTo, {x}, {{Key::kDevice, device}});
    const ValueId lane = draft.Leaf(type, Lanes(source, type.shape[0]), source.Chance(30),
                                    static_cast<DeviceIndex>(device), range);
    if (there == kNoValue || lane == kNoValue) return;
    ValueId product = draft.Op(Opcode::kMul, {there, lane});
    if (product != kNoValue && device >= 0) {
      product = draft.Op(Opcode::kTo, {product}, {{Key::kDevice, int64_t{-1}}});
    }
    if (product == kNoValue) return;
    sum = sum == kNoValue ? product : draft.Op(Opcode::kAdd, {sum, product});
    if (sum == kNoValue) return;
  }
}

}  // namespace twingrad::generators
