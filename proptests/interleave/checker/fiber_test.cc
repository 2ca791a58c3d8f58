#include "proptests/interleave/checker/fiber.h"

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

TEST(FiberTest, RunsInTurnsAndEnds) {
  Fiber main;
  std::vector<int> order;
  Fiber fiber(
      [&] {
        order.push_back(1);
        main.SwitchFrom(fiber);
        order.push_back(3);
      },
      &main);
  fiber.SwitchFrom(main);
  order.push_back(2);
  EXPECT_FALSE(fiber.ended());
  fiber.SwitchFrom(main);
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

// Without the exception globals saved at each switch, the inner `throw;` of one fiber rethrows the
// exception of the other.
TEST(FiberTest, TwoFibersThatSwitchInsideCatchKeepTheirExceptions) {
  Fiber main;
  Fiber* fibers[2] = {nullptr, nullptr};
  std::string caught[2];
  const auto body = [&](int mine) {
    try {
      throw std::runtime_error(mine == 0 ? "first" : "second");
    } catch (const std::exception&) {
      main.SwitchFrom(*fibers[mine]);
      try {
        throw;
      } catch (const std::exception& error) {
        main.SwitchFrom(*fibers[mine]);
        caught[mine] = error.what();
      }
    }
  };
  Fiber first([&] { body(0); }, &main);
  Fiber second([&] { body(1); }, &main);
  fibers[0] = &first;
  fibers[1] = &second;
  while (!first.ended() || !second.ended()) {
    if (!first.ended()) first.SwitchFrom(main);
    if (!second.ended()) second.SwitchFrom(main);
  }
  EXPECT_EQ(caught[0], "first");
  EXPECT_EQ(caught[1], "second");
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(FiberTest, SwitchesBetweenManyAndReusesAddresses) {
  Fiber main;
  int total = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (int i = 0; i < 8; ++i) {
      fibers.push_back(std::make_unique<Fiber>(
          [&, i] {
            volatile char frame[512] = {};  // poisoned around by ASan
            frame[i] = 1;
            main.SwitchFrom(*fibers[i]);
            total += frame[i];
          },
          &main));
    }
    for (auto& fiber : fibers) fiber->SwitchFrom(main);
    for (auto& fiber : fibers) fiber->SwitchFrom(main);
  }
  EXPECT_EQ(total, 50 * 8);
}

TEST(FiberTest, AnAbandonedFiberKeepsWhatItHolds) {
  Fiber main;
  bool destroyed = false;
  Fiber fiber(
      [&] {
        const std::shared_ptr<int> held(new int(1), [&](int* object) {
          destroyed = true;
          delete object;
        });
        main.SwitchFrom(fiber);
      },
      &main);
  fiber.SwitchFrom(main);
  fiber.Abandon();
  EXPECT_FALSE(destroyed);
}

}  // namespace
}  // namespace twingrad::interleave
