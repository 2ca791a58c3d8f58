#include "proptests/interleave/strategies/bytes_strategy.h"

namespace twingrad::interleave {

namespace {

constexpr uint8_t kBufferedFrom = 192;
constexpr uint8_t kOtherSettingFrom = 192;

}  // namespace

Memory BytesStrategy::memory() const {
  return !bytes_.empty() && bytes_[0] >= kBufferedFrom ? Memory::kBuffered : Memory::kSequential;
}

void BytesStrategy::Begin(uint64_t /*seed*/) {
  next_ = kHeaderBytes;
  ReadDeparture();
}

void BytesStrategy::ReadDeparture() {
  departs_ = next_ + kDepartureBytes <= bytes_.size();
  if (!departs_) return;
  left_ = bytes_[next_];
  answer_ = bytes_[next_ + 1];
  next_ += kDepartureBytes;
}

int BytesStrategy::ChooseSetting(int alternatives) const {
  if (bytes_.size() < kHeaderBytes || bytes_[1] < kOtherSettingFrom) return 0;
  return 1 + (bytes_[1] - kOtherSettingFrom) % (alternatives - 1);
}

int BytesStrategy::Default(const Question& question) const {
  if (!IsOfSet(question.kind)) return 0;
  // A loop that waits for another thread would else never end.
  if (question.yields) return (question.current + 1) % question.alternatives;
  if (question.current >= 0) return question.current;
  return departs_ ? (answer_ >> 4) % question.alternatives : 0;
}

int BytesStrategy::Choose(const Question& question) {
  if (question.kind == DecisionKind::kSetting) return ChooseSetting(question.alternatives);
  const int usual = Default(question);
  if (!departs_) return usual;
  if (left_ > 0) {
    --left_;
    return usual;
  }
  const int chosen = (usual + 1 + answer_ % (question.alternatives - 1)) % question.alternatives;
  ReadDeparture();
  return chosen;
}

}  // namespace twingrad::interleave
