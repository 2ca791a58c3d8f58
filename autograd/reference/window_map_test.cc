#include "autograd/reference/window_map.h"

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Places = std::vector<int32_t>;

program::Statement StatementOf(const std::string& text) {
  return ParseOrThrow("%x = leaf type=f64[1,2,3]\n%b = leaf type=f64[2,1,2]\n" + text)
      .statements.back();
}

Places ListOf(const IndexMap& map) {
  Places list;
  for (int32_t i = 0; i < map.size; ++i) list.push_back(map[i]);
  return list;
}

TEST(WindowMap, WindowsOfPools) {
  const program::Statement pool = StatementOf("%y = avg_pool1d %x kernel=2 stride=1 padding=1\n");
  const Windows windows = WindowsOf(pool, {1, 2, 3}, {2});
  EXPECT_EQ(windows.counts, (Shape{4}));
  EXPECT_EQ(windows.places, (std::vector<Places>{{-1, 0}, {0, 1}, {1, 2}, {2, -1}}));
  EXPECT_EQ(WindowedShape({1, 2, 3}, windows), (Shape{1, 2, 4}));
  EXPECT_EQ(RowsOf({1, 2, 3}, windows),
            (std::vector<Places>{{0}, {0, 1}, {1, 2}, {2}, {3}, {3, 4}, {4, 5}, {5}}));
  Arena arena;
  const EntryMaps entries = EntriesOf(arena, {1, 1, 3}, windows);
  EXPECT_EQ(ListOf(entries.from), (Places{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(ListOf(entries.to), (Places{0, 1, 1, 2, 2, 3}));
}

// Without a stride, windows of pools lie side by side.
TEST(WindowMap, PoolsMoveByTheirKernel) {
  const program::Statement pool = StatementOf("%y = max_pool2d %x kernel=2,2\n");
  const Windows windows = WindowsOf(pool, {1, 2, 4}, {2, 2});
  EXPECT_EQ(windows.places, (std::vector<Places>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(WindowMap, ProductsOfGroups) {
  const program::Statement convolution = StatementOf("%y = conv1d %x %b dilation=2 groups=2\n");
  Arena arena;
  const ConvolutionMaps maps = ConvolvedMaps(arena, convolution, {1, 2, 3}, {2, 1, 2});
  EXPECT_EQ(maps.inside.shape, (Shape{1, 2, 1}));
  EXPECT_EQ(ListOf(maps.inside.left), (Places{0, 2, 3, 5}));
  EXPECT_EQ(ListOf(maps.inside.right), (Places{0, 1, 2, 3}));
  EXPECT_EQ(ListOf(maps.inside.result), (Places{0, 0, 1, 1}));
  EXPECT_EQ(maps.padded.right.size, 0);
}

TEST(WindowMap, ProductsWithThePadding) {
  const program::Statement convolution = StatementOf("%y = conv1d %x %b padding=1 groups=2\n");
  Arena arena;
  const ConvolutionMaps maps = ConvolvedMaps(arena, convolution, {1, 2, 3}, {2, 1, 2});
  EXPECT_EQ(ListOf(maps.padded.right), (Places{0, 1, 2, 3}));
  EXPECT_EQ(ListOf(maps.padded.result), (Places{0, 3, 4, 7}));
}

TEST(WindowMap, PortionsShareThePlaneOut) {
  const Windows windows = PortionsOf({1, 5}, {3});
  EXPECT_EQ(windows.places, (std::vector<Places>{{0, 1}, {1, 2, 3}, {3, 4}}));
  EXPECT_EQ(PortionsOf({1, 2, 3}, {1, 3}).places, (std::vector<Places>{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(WindowMap, TransposedProducts) {
  const program::Statement transposed =
      StatementOf("%y = conv_transpose1d %x %b stride=2 padding=1 output_padding=1 groups=2\n");
  Arena arena;
  const ConvolutionMaps all = TransposedMaps(arena, transposed, {1, 2, 2}, {2, 1, 2});
  const MatmulMaps& maps = all.inside;
  EXPECT_EQ(maps.shape, (Shape{1, 2, 3}));
  EXPECT_EQ(ListOf(maps.left), (Places{0, 1, 1, 2, 3, 3}));
  EXPECT_EQ(ListOf(maps.right), (Places{1, 0, 1, 3, 2, 3}));
  EXPECT_EQ(ListOf(maps.result), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ListOf(all.padded.left), (Places{0, 2}));
  EXPECT_EQ(ListOf(all.padded.right), (Places{0, 2}));
}

}  // namespace
}  // namespace twingrad::reference
