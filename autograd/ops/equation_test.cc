#include "autograd/ops/equation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/ops/test_gradients.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {
namespace {

using Strings = std::vector<std::string>;

Equation Parsed(const std::string& text, std::vector<Shape> shapes) {
  std::vector<Tensor> operands;
  for (const Shape& shape : shapes) operands.push_back(Tensor::Zeros(shape, DType::kF64));
  std::vector<const Tensor*> pointers;
  for (const Tensor& operand : operands) pointers.push_back(&operand);
  return ParseEquation(text, {pointers.data(), pointers.size()});
}

ErrorKind Refuses(const std::string& text, std::vector<Shape> shapes) {
  return KindOf([&] { Parsed(text, shapes); });
}

TEST(Equation, LettersHaveSizes) {
  const Equation equation = Parsed("bij, bjK -> bKi", {{2, 3, 4}, {2, 4, 5}});
  EXPECT_EQ(equation.inputs, (Strings{"bij", "bjK"}));
  EXPECT_EQ(equation.output, "bKi");
  EXPECT_EQ(equation.ShapeOf("Kjib"), (Shape{5, 4, 3, 2}));
}

TEST(Equation, WithoutAResultItIsWhatOccursOnce) {
  EXPECT_EQ(Parsed("cB,ac", {{2, 3}, {4, 2}}).output, "Ba");
  EXPECT_EQ(Parsed("ii", {{2, 2}}).output, "");
}

TEST(Equation, WhatIsLeftOverIsAlignedFromTheLast) {
  const Equation equation = Parsed("...i,j...", {{7, 1, 2}, {3, 5}});
  EXPECT_EQ(equation.inputs, (Strings{"\2\1i", "j\1"}));
  EXPECT_EQ(equation.output, "\2\1ij");
  EXPECT_EQ(equation.ShapeOf(equation.output), (Shape{7, 5, 2, 3}));
  EXPECT_EQ(Parsed("...,...", {{1}, {0}}).ShapeOf("\1"), (Shape{0}));
  EXPECT_EQ(Parsed("i...->...i", {{4}}).output, "i");
}

TEST(Equation, LabelsOnceAmongOthers) {
  EXPECT_EQ(Distinct("abca"), "abc");
  EXPECT_EQ(Among("abca", "ca"), "ac");
  EXPECT_EQ(Among("abca", "ca", /*among=*/false), "b");
}

TEST(Equation, RefusesWhatIsNone) {
  for (const char* const text : {"i2", "i-j", "ij->k", "ij->ii", "ij,jk->ik", "..j", "i. ..",
                                 "......", "ij,", "ij->i,j", "ij->i->j"}) {
    EXPECT_EQ(Refuses(text, {{2, 3}}), ErrorKind::kInvalidArgument) << text;
  }
  EXPECT_EQ(Refuses("ij,ij->i", {{2, 3}, {2, 3}, {2, 3}}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("", {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("i", {{2, 3}}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ijk...", {{2, 3}}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ii", {{2, 3}}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij,jk", {{2, 3}, {1, 2}}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("...,j...", {{2, 3}, {2, 2}}), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
