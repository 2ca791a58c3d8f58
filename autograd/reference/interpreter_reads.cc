// What hooks read of a `.grad` that several thread sections add to: for each order in which the
// sections' calls may have added, the sum at each hook's turn. See sections.h.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::ValueId;

namespace {

using Addition = SectionGroup::Addition;
using LeafRead = SectionGroup::Read;

// Three sections of two calls each have 90.
constexpr size_t kMostOrders = 100;

// Lists the orders of the additions in which those of one section keep theirs.
class Orders {
 public:
  explicit Orders(const std::vector<Addition>& additions) : additions_(additions) {}

  std::vector<std::vector<size_t>> List() {
    Extend();
    return std::move(orders_);
  }

 private:
  // The first of each section that is not in the order yet comes next.
  void Extend() {
    if (order_.size() == additions_.size()) {
      if (orders_.size() == kMostOrders) {
        throw Skipped{"too many calls of thread sections add to a .grad that hooks read"};
      }
      return orders_.push_back(order_);
    }
    std::vector<int32_t> seen;
    for (size_t i = 0; i < additions_.size(); ++i) {
      if (std::find(order_.begin(), order_.end(), i) != order_.end()) continue;
      const int32_t section = additions_[i].section;
      if (std::find(seen.begin(), seen.end(), section) != seen.end()) continue;
      seen.push_back(section);
      order_.push_back(i);
      Extend();
      order_.pop_back();
    }
  }

  const std::vector<Addition>& additions_;
  std::vector<size_t> order_;
  std::vector<std::vector<size_t>> orders_;
};

// Whether the read comes after this addition and before the section's next one.
bool Follows(const LeafRead& read, const std::vector<Addition>& additions, size_t addition) {
  if (read.section != additions[addition].section) return false;
  const auto before = std::count_if(
      additions.begin(), additions.begin() + static_cast<std::ptrdiff_t>(addition) + 1,
      [&read](const Addition& a) { return a.section == read.section; });
  return before == read.additions;
}

}  // namespace

void Interpreter::NoteSharedReads(ValueId leaf, const std::vector<Addition>& additions,
                                  const std::vector<LeafRead>& reads) {
  const auto elsewhere = [&additions](const Addition& a) {
    return a.section != additions[0].section;
  };
  if (reads.empty() || std::none_of(additions.begin(), additions.end(), elsewhere)) return;
  if (std::any_of(additions.begin(), additions.end(), [](const auto& a) { return !a.certain; })) {
    throw Skipped{"a hook reads a .grad that a failed call of a thread section may have added to"};
  }
  // The calls that one hook makes in several sections have its statement, and so has the hook that
  // it registers: their records look alike in the log.
  const bool alike = std::any_of(reads.begin(), reads.end(), [this](const LeafRead& read) {
    return read.nested || std::any_of(hooks_.begin(), hooks_.end(), [&read](const auto& hook) {
             return hook->statement == read.hook && hook->action == HookAction::kRegister;
           });
  });
  if (alike) throw Skipped{"reads of a .grad that several thread sections add to look alike"};
  SharedReads shared;
  shared.leaf = leaf;
  for (const LeafRead& read : reads) shared.places.push_back({read.call, read.hook});
  const Variable before = grads_before_group_[leaf];
  for (const std::vector<size_t>& order : Orders(additions).List()) {
    std::vector<SharedReads::Seen>& seen = shared.orders.emplace_back(reads.size());
    const Array* sum = before.defined() ? before.data : nullptr;
    for (const size_t addition : order) {
      const Array* const terms[] = {sum, additions[addition].gradient.data};
      sum = sum == nullptr ? terms[1] : SumOf(arena_, terms);
      for (size_t i = 0; i < reads.size(); ++i) {
        if (!Follows(reads[i], additions, addition)) continue;
        seen[i] = {ContentsOf(*sum), Bounds(*sum)};
        seen[i].data.shape = *tensors_[leaf].shape;
      }
      if (additions[addition].emptied) sum = nullptr;
    }
  }
  result_.shared_reads.push_back(std::move(shared));
}

}  // namespace twingrad::reference
