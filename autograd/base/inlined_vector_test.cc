// Method: random sequences of operations, on elements that count themselves, against std::vector;
// every element that is made is destroyed. Then what only some operations have: arguments that lie
// in the vector, constructors that throw.

#include "autograd/base/inlined_vector.h"

#include <cstddef>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

// A number on the heap, so that a sanitizer sees what is used after its end.
class Counted {
 public:
  static inline int alive = 0;
  static inline int copies_until_throw = -1;  // negative: never

  Counted() : Counted(0) {}
  Counted(int value) : value_(std::make_unique<int>(value)) { ++alive; }  // NOLINT: implicit
  Counted(const Counted& other) {
    if (copies_until_throw == 0) throw std::runtime_error("copy");
    if (copies_until_throw > 0) --copies_until_throw;
    value_ = std::make_unique<int>(other.value());
    ++alive;
  }
  Counted(Counted&& other) noexcept : value_(std::move(other.value_)) { ++alive; }
  Counted& operator=(const Counted& other) {
    value_ = std::make_unique<int>(other.value());
    return *this;
  }
  Counted& operator=(Counted&& other) noexcept = default;
  ~Counted() { --alive; }
  int value() const { return *value_; }
  bool operator==(const Counted& other) const { return value() == other.value(); }

 private:
  std::unique_ptr<int> value_;
};

using Inlined = InlinedVector<Counted, 3>;
using Plain = std::vector<Counted>;

bool Same(const Inlined& a, const Plain& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// One random operation on both.
void Operate(std::mt19937& random, Inlined& a, Plain& b) {
  const int value = static_cast<int>(random() % 100);
  const size_t at = b.empty() ? 0 : random() % b.size();
  const auto offset = static_cast<ptrdiff_t>(at);
  switch (random() % 14) {
    case 0:
      a.push_back(value), b.push_back(value);
      break;
    case 1:
      a.emplace_back(value), b.emplace_back(value);
      break;
    case 2:
      if (!b.empty()) a.pop_back(), b.pop_back();
      break;
    case 3:
      a.resize(at), b.resize(at);
      break;
    case 4:
      a.resize(at + 2, value), b.resize(at + 2, value);
      break;
    case 5:
      a.assign(at, value), b.assign(at, value);
      break;
    case 6:
      a.insert(a.begin() + at, value), b.insert(b.begin() + offset, value);
      break;
    case 7:
      if (!b.empty()) a.erase(a.begin() + at), b.erase(b.begin() + offset);
      break;
    case 8:
      a.erase(a.begin(), a.begin() + at), b.erase(b.begin(), b.begin() + offset);
      break;
    case 9:
      a = {value, value}, b = {value, value};
      break;
    case 10: {
      Inlined copy = a;
      a = std::move(copy);
      break;
    }
    case 11: {
      Inlined moved = std::move(a);
      a = moved;
      break;
    }
    case 12:
      if (!b.empty()) a.push_back(a[at]), b.push_back(Counted(b[at]));
      break;
    default: {
      const Plain more = {1, 2};
      a.insert(a.begin() + at, more.begin(), more.end());
      b.insert(b.begin() + offset, more.begin(), more.end());
    }
  }
}

TEST(InlinedVector, IsAVector) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Inlined a;
    Plain b;
    for (int step = 0; step < 30; ++step) {
      Operate(random, a, b);
      ASSERT_TRUE(Same(a, b)) << round << " " << step;
      ASSERT_EQ(Counted::alive, static_cast<int>(a.size() + b.size())) << round << " " << step;
      ASSERT_GE(a.capacity(), 3u);
    }
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(InlinedVector, KeepsFewElementsInItself) {
  const auto is_inside = [](const InlinedVector<int64_t, 4>& list) {
    const auto* place = reinterpret_cast<const char*>(list.data());
    const auto* self = reinterpret_cast<const char*>(&list);
    return place >= self && place < self + sizeof(list);
  };
  InlinedVector<int64_t, 4> list(4, 7);
  EXPECT_TRUE(is_inside(list));
  list.push_back(8);
  EXPECT_FALSE(is_inside(list));
  const int64_t* data = list.data();
  const InlinedVector<int64_t, 4> moved = std::move(list);
  EXPECT_EQ(moved.data(), data);  // on the heap: the memory moves
  EXPECT_TRUE(list.empty());      // NOLINT(bugprone-use-after-move): what a move leaves
  EXPECT_TRUE(is_inside(list));
  EXPECT_EQ((sizeof(InlinedVector<void*, 2>)), 3 * sizeof(void*));
}

TEST(InlinedVector, AConstructorThatThrowsLeavesIt) {
  {
    Inlined list = {1, 2, 3};
    Counted::copies_until_throw = 0;
    const Counted four = 4;
    EXPECT_THROW(list.push_back(four), std::runtime_error);  // while it grows
    Counted::copies_until_throw = 1;
    EXPECT_THROW(Inlined copy(list), std::runtime_error);
    Counted::copies_until_throw = -1;
    const std::vector<Counted> many = {1, 2, 3, 4, 5};
    Counted::copies_until_throw = 4;
    EXPECT_THROW(Inlined(many.begin(), many.end()), std::runtime_error);
    Counted::copies_until_throw = -1;
    EXPECT_EQ(list.size(), 3u);
    EXPECT_EQ(list.back().value(), 3);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(InlinedVector, ComparesAndHashesByElements) {
  using List = InlinedVector<int, 2>;
  EXPECT_TRUE((List{1, 2} == List{1, 2}));
  EXPECT_TRUE((List{1, 2} != List{1, 2, 3}));
  EXPECT_TRUE((List{1, 2} < List{1, 3}));
  EXPECT_TRUE((List{1} < List{1, 0}));
  EXPECT_EQ(absl::HashOf(List{1, 2}), absl::HashOf(List{1, 2}));
  EXPECT_NE(absl::HashOf(List{1, 2}), absl::HashOf(List{2, 1}));
  EXPECT_EQ((List{4, 5}).at(1), 5);
  EXPECT_THROW(List{}.at(0), std::out_of_range);
  EXPECT_EQ((List(3, 1)), (List{1, 1, 1}));
  EXPECT_EQ(List(2), (List{0, 0}));
  std::istringstream text("3 4 5");
  EXPECT_EQ(List(std::istream_iterator<int>(text), {}), (List{3, 4, 5}));
  List reversed = {1, 2, 3};
  EXPECT_EQ(List(reversed.rbegin(), reversed.rend()), (List{3, 2, 1}));
  List other;
  other.swap(reversed);
  EXPECT_EQ(other.size(), 3u);
  EXPECT_TRUE(reversed.empty());
}

}  // namespace
}  // namespace twingrad
