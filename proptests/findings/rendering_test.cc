#include "proptests/findings/rendering.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

TEST(PictureTest, DrawsOrSaysThatGraphvizIsMissing) {
  const absl::StatusOr<std::string> svg = RenderSvg("digraph { hello }\n");
  if (svg.ok()) {
    EXPECT_NE(svg->find("<svg"), std::string::npos);
    EXPECT_NE(svg->find("hello"), std::string::npos);
  } else {
    EXPECT_NE(svg.status().message().find("install the package graphviz"), std::string::npos);
  }
}

TEST(PictureTest, SaysThatGraphvizIsMissing) {
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(RenderSvg("digraph { hello }\n").status().message(),
            "[oracle] no picture: `dot` could not be run (No such file or directory); needed is "
            "graphviz; "
            "install the package graphviz, or draw the .dot file elsewhere");
  setenv("PATH", path.c_str(), 1);
}

std::string Chain(int nodes) {
  std::string source = "digraph {\n";
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "n" + std::to_string(i);
    source += "  " + name + " [label=\"x\"]\n";
    if (i > 0) source += "  n0 -> " + name + " [taillabel=\"0\"]\n";
  }
  return source + "}\n";
}

TEST(PictureTest, AGraphThatIsTooLargeIsLeftToACommand) {
  EXPECT_EQ(RenderSvg(Chain(kMaxDrawnNodes + 1)).status().message(),
            "[oracle] no picture: `dot` takes long for a graph of 501 nodes; drawn are up to 500; "
            "draw the .dot file by hand with `dot -Tsvg`");
  const absl::StatusOr<std::string> largest = RenderSvg(Chain(kMaxDrawnNodes));
  EXPECT_TRUE(largest.ok() || !absl::IsResourceExhausted(largest.status())) << largest.status();
}

TEST(PictureTest, AMalformedSourceIsAnError) { EXPECT_FALSE(RenderSvg("digraph {").ok()); }

TEST(SnippetTest, AProgramBecomesAScript) {
  EXPECT_EQ(RenderSnippet("twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n"
                          "backward %y\n"),
            "import torch\n"
            "x = torch.tensor([3.0], dtype=torch.float64).reshape([]).clone().requires_grad_()\n"
            "y = x * x\n"
            "torch.autograd.backward([y])\n"
            "print('x', x.grad)\n");
}

TEST(SnippetTest, WhatHasNoCounterpartGivesNone) {
  EXPECT_EQ(RenderSnippet("twingrad 1\n%x = leaf type=f64[] grad=1\nhook %x do=record\n"), "");
  EXPECT_EQ(RenderSnippet("no Program"), "");
}

}  // namespace
}  // namespace twingrad::findings
