#include "proptests/findings/snippet.h"

#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

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
