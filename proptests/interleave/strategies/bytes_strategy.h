// BytesStrategy: takes its decisions from bytes, so that a fuzzer can search for schedules.
//
// The bytes say where an execution departs from the default schedule, as few as find most defects:
//
//   byte 0        the memory: of 256 values, 64 ask for the buffered one
//   byte 1        the setting: 192 values ask for the plain one
//   then pairs    after that many questions (first byte), take another answer than the default
//                 (second byte): until then its upper four bits say who goes on where the running
//                 thread cannot
//
// When the bytes run out the default schedule goes on. Any bytes are a strategy, the same bytes
// always the same one, and bytes that an execution does not come to change nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class BytesStrategy final : public Strategy {
 public:
  // Of the bytes, the first two; each departure takes two more.
  static constexpr size_t kHeaderBytes = 2;
  static constexpr size_t kDepartureBytes = 2;

  explicit BytesStrategy(absl::Span<const uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {}

  void Begin(uint64_t seed) override;  // the seed is not used
  int Choose(const Question& question) override;
  std::string name() const override { return "bytes"; }
  Memory memory() const override;

 private:
  // Reads the next departure, if there is one.
  void ReadDeparture();
  int ChooseSetting(int alternatives) const;
  // What happens between departures.
  int Default(const Question& question) const;

  const std::vector<uint8_t> bytes_;
  size_t next_ = 0;
  bool departs_ = false;  // there is a departure ahead:
  int left_ = 0;          // after that many questions,
  int answer_ = 0;        // with that answer
};

}  // namespace twingrad::interleave
