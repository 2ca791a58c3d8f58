#include "proptests/fuzzing/schedule_input.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/interleave/strategies/bytes_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::fuzzing {
namespace {

using interleave::BytesStrategy;
using interleave::SplitMix;

constexpr size_t kLengthBytes = 2;
constexpr size_t kLongestProgram = 65535;
constexpr size_t kLongestSchedule = 256;  // more departures than any defect needs
constexpr int kDraws = 16;
constexpr int kProgramPercent = 4;  // of mutations, those that change the Program

uint8_t RandomByte(SplitMix& random) { return static_cast<uint8_t>(random.Below(256)); }

Bytes RandomBytes(SplitMix& random, size_t count) {
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = RandomByte(random);
  return bytes;
}

// Of small numbers more than of large ones: defects show early.
uint8_t RandomGap(SplitMix& random) {
  return static_cast<uint8_t>(random.Below(256) >> random.Below(5));
}

void AddDeparture(SplitMix& random, size_t place, Bytes* schedule) {
  const auto at = schedule->begin() + static_cast<std::ptrdiff_t>(place);
  schedule->insert(at, {RandomGap(random), RandomByte(random)});
}

Bytes RandomSchedule(SplitMix& random) {
  Bytes schedule = RandomBytes(random, BytesStrategy::kHeaderBytes);
  for (int departures = 1 + random.Below(6); departures > 0; --departures) {
    AddDeparture(random, schedule.size(), &schedule);
  }
  return schedule;
}

// Bytes of a Program that runs on several threads, if a few draws make one.
Bytes RandomProgram(SplitMix& random) {
  Bytes bytes;
  for (int i = 0; i < kDraws; ++i) {
    bytes = RandomBytes(random, static_cast<size_t>(64 + random.Below(448)));
    if (IsText(bytes)) continue;
    const std::optional<program::Program> made = ShortProgramOf(bytes);
    if (made && (program::DevicesOf(*made) > 0 || program::HasSections(*made))) break;
  }
  return bytes;
}

void MutatePlainly(const PlainMutation& plain, size_t longest, Bytes* bytes) {
  if (!plain) return;
  const size_t size = bytes->size();
  bytes->resize(std::max(longest, size));
  bytes->resize(plain(bytes->data(), size, longest));
}

// The place of a departure; the schedule has one.
size_t PickDeparture(SplitMix& random, const Bytes& schedule) {
  const size_t count =
      (schedule.size() - BytesStrategy::kHeaderBytes) / BytesStrategy::kDepartureBytes;
  return BytesStrategy::kHeaderBytes +
         BytesStrategy::kDepartureBytes *
             static_cast<size_t>(random.Below(static_cast<int>(count)));
}

void MutateSchedule(SplitMix& random, const PlainMutation& plain, Bytes* schedule) {
  constexpr size_t kOne = BytesStrategy::kHeaderBytes + BytesStrategy::kDepartureBytes;
  if (schedule->size() < kOne || random.Below(8) == 0) {
    *schedule = RandomSchedule(random);
    return;
  }
  const size_t at = PickDeparture(random, *schedule);
  switch (random.Below(8)) {
    case 0:
      (*schedule)[static_cast<size_t>(random.Below(2))] = RandomByte(random);
      break;
    case 1:
    case 2:
      AddDeparture(random, random.Below(2) == 0 ? at : schedule->size(), schedule);
      break;
    case 3:
      schedule->erase(schedule->begin() + static_cast<std::ptrdiff_t>(at),
                      schedule->begin() + static_cast<std::ptrdiff_t>(at + 2));
      break;
    case 4:
      (*schedule)[at] = static_cast<uint8_t>((*schedule)[at] + random.Below(9) - 4);
      break;
    case 5:
      (*schedule)[at] = RandomGap(random);
      break;
    case 6:
      (*schedule)[at + 1] = RandomByte(random);
      break;
    default:
      MutatePlainly(plain, kLongestSchedule, schedule);
  }
  if (schedule->size() > kLongestSchedule) schedule->resize(kLongestSchedule);
}

}  // namespace

ScheduleInput SplitInput(absl::Span<const uint8_t> input) {
  ScheduleInput parts;
  if (input.size() < kLengthBytes) return parts;
  const size_t wanted = input[0] + size_t{256} * input[1];
  input.remove_prefix(kLengthBytes);
  const absl::Span<const uint8_t> program = input.subspan(0, wanted);
  input.remove_prefix(program.size());
  parts.program.assign(program.begin(), program.end());
  parts.schedule.assign(input.begin(), input.end());
  return parts;
}

Bytes JoinInput(const ScheduleInput& parts, size_t max_size) {
  Bytes input;
  if (max_size < kLengthBytes) return input;
  const size_t length = std::min({parts.program.size(), kLongestProgram, max_size - kLengthBytes});
  input = {static_cast<uint8_t>(length % 256), static_cast<uint8_t>(length / 256)};
  input.insert(input.end(), parts.program.begin(),
               parts.program.begin() + static_cast<std::ptrdiff_t>(length));
  const size_t rest = std::min(parts.schedule.size(), max_size - input.size());
  input.insert(input.end(), parts.schedule.begin(),
               parts.schedule.begin() + static_cast<std::ptrdiff_t>(rest));
  return input;
}

Bytes MutateInput(absl::Span<const uint8_t> input, size_t max_size, uint64_t seed,
                  const PlainMutation& plain) {
  SplitMix random(seed);
  ScheduleInput parts = SplitInput(input);
  if (parts.program.empty()) {
    parts = {RandomProgram(random), RandomSchedule(random)};
  } else if (random.Below(100) >= kProgramPercent) {
    for (int times = 1 + random.Below(3); times > 0; --times) {
      MutateSchedule(random, plain, &parts.schedule);
    }
  } else if (random.Below(3) > 0) {
    parts.program = RandomProgram(random);
  } else {
    MutatePlainly(plain, std::min(kLongestProgram, std::max(max_size, kLengthBytes) - kLengthBytes),
                  &parts.program);
  }
  return JoinInput(parts, max_size);
}

Bytes CrossInputs(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, size_t max_size,
                  uint64_t seed) {
  SplitMix random(seed);
  ScheduleInput parts = SplitInput(a);
  const Bytes other = SplitInput(b).schedule;
  // The beginning of one schedule and the end of the other, both at the same place.
  const size_t most = std::min(parts.schedule.size(), other.size()) / 2;
  const size_t place = 2 * static_cast<size_t>(random.Below(static_cast<int>(most) + 1));
  parts.schedule.resize(place);
  parts.schedule.insert(parts.schedule.end(), other.begin() + static_cast<std::ptrdiff_t>(place),
                        other.end());
  if (parts.schedule.size() > kLongestSchedule) parts.schedule.resize(kLongestSchedule);
  return JoinInput(parts, max_size);
}

}  // namespace twingrad::fuzzing
