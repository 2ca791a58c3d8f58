// Views as offsets and strides, lanes, and broadcasting.

#include "autograd/reference/ball/layout.h"

#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::reference::ball {
namespace {

Layout Viewed(const Layout& of, const std::string& view) {
  const auto program = program::Parse("twingrad 1\n%x = leaf type=f64[2,3,1]\n%y = " + view + "\n");
  EXPECT_TRUE(program.ok()) << program.status();
  return of.View(program->statements[1]);
}

TEST(LayoutTest, ViewsShowThePlacesOfTheirElements) {
  const Layout all = Layout::Of({2, 3, 1});
  const auto places = [&](const std::string& view) { return Viewed(all, view).AllPlaces(); };
  EXPECT_EQ(places("transpose %x dims=0,1"), (Places{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places("permute %x dims=2,1,0"), (Places{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places("expand %x shape=2,3,2"), (Places{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(places("select %x dim=1 index=2"), (Places{2, 5}));
  EXPECT_EQ(places("slice %x dim=1 start=1"), (Places{1, 2, 4, 5}));
  EXPECT_EQ(places("slice %x dim=1 step=2"), (Places{0, 2, 3, 5}));
  EXPECT_EQ(places("slice %x dim=1 start=9"), (Places{}));
  EXPECT_EQ(places("squeeze %x"), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places("unsqueeze %x dim=0"), (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(places("view %x shape=3,2"), (Places{0, 1, 2, 3, 4, 5}));
}

TEST(LayoutTest, WhatIsContiguous) {
  const Layout all = Layout::Of({2, 3, 1});
  EXPECT_TRUE(all.IsContiguous());
  EXPECT_FALSE(Viewed(all, "transpose %x dims=0,1").IsContiguous());
  EXPECT_TRUE(Viewed(all, "transpose %x dims=1,2").IsContiguous());
  EXPECT_FALSE(Viewed(all, "expand %x shape=2,3,2").IsContiguous());
  EXPECT_TRUE(Viewed(all, "select %x dim=0 index=1").IsContiguous());
  EXPECT_TRUE(Viewed(all, "slice %x dim=1 start=3").IsContiguous());
}

TEST(LayoutTest, LanesAndBroadcasting) {
  const auto lanes = LanesAlong(Shape{2, 3}, 0);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[1].At(0), 1);
  EXPECT_EQ(lanes[1].At(1), 4);
  EXPECT_EQ(Broadcasting(Shape{2, 1}, Shape{2, 2, 2}), (Places{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(Broadcasting(Shape{}, Shape{2}), (Places{0, 0}));
}

}  // namespace
}  // namespace twingrad::reference::ball
