#include "proptests/shrink/rebuild.h"

#include <string>
#include <utility>

#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"

namespace twingrad::shrink {
namespace {

using twingrad::program::Program;

Program Parsed(const std::string& text) {
  auto program = twingrad::program::Parse(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

// The Program without statement `dropped`, as text.
std::string Without(const std::string& text, size_t dropped) {
  const Program program = Parsed(text);
  Rebuilder rebuilder(program);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (i == dropped) {
      rebuilder.Skip(program.statements[i]);
    } else {
      rebuilder.Add(program.statements[i]);
    }
  }
  return twingrad::program::Print(rebuilder.Take());
}

TEST(Rebuild, WhatLostAnOperandGoes) {
  EXPECT_EQ(
      Without("twingrad 1\n%a = leaf type=f64[]\n%b = leaf type=f64[]\n%c = neg %a\n%d = neg %b\n",
              0),
      "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = neg %v0\n");
}

TEST(Rebuild, CallsKeepTheirOtherRootsSeedsAndInputs) {
  const std::string text =
      "twingrad 1\n"
      "%a = leaf type=f64[] grad=1\n"
      "%b = leaf type=f64[] grad=1\n"
      "%s = leaf type=f64[]\n"
      "%g,%h = grad %a %b seeds=_,%s inputs=%a,%b\n"
      "%n = neg %h\n";
  EXPECT_EQ(Without(text, 0),
            "twingrad 1\n"
            "%v0 = leaf type=f64[] grad=1\n"
            "%v1 = leaf type=f64[]\n"
            "%v2 = grad %v0 seeds=%v1 inputs=%v0\n"
            "%v3 = neg %v2\n");
}

// What used a part that is gone uses the first.
TEST(Rebuild, PartsAreAsManyAsTheyCanBe) {
  const Program program =
      Parsed("twingrad 1\n%a = leaf type=f64[3]\n%b,%c,%d = unbind %a dim=0\n%e = mul %c %d\n");
  Rebuilder rebuilder(program);
  program::Statement leaf = program.statements[0];
  leaf.attributes[0].value = TensorType{DType::kF64, {2}};
  rebuilder.AddAllBut(program, 0, leaf);
  EXPECT_EQ(twingrad::program::Print(rebuilder.Take()),
            "twingrad 1\n%v0 = leaf type=f64[2]\n%v1,%v2 = unbind %v0 dim=0\n%v3 = mul %v2 %v1\n");
}

TEST(Rebuild, RegionsGoWithTheirBegin) {
  EXPECT_EQ(Without("twingrad 1\n%a = leaf type=f64[]\nbegin kind=no_grad\n%b = neg %a\nend\n", 1),
            "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = neg %v0\n");
}

TEST(Rebuild, SubstitutedValuesStandForAnother) {
  const Program program = Parsed("twingrad 1\n%a = leaf type=f64[]\n%b = neg %a\n%c = neg %b\n");
  Rebuilder rebuilder(program);
  rebuilder.Add(program.statements[0]);
  rebuilder.Substitute(1, 0);
  rebuilder.Add(program.statements[2]);
  EXPECT_EQ(twingrad::program::Print(rebuilder.Take()),
            "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = neg %v0\n");
}

TEST(Rebuild, OpsThatNoLongerFitAreLeftOut) {
  Program program = Parsed("twingrad 1\n%a = leaf type=f64[2]\n%b = sum %a dims=0\n%c = neg %b\n");
  for (auto& attribute : program.statements[0].attributes) {
    if (attribute.key == twingrad::program::Key::kType) {
      attribute.value = twingrad::program::TensorType{};
    }
  }
  Rebuilder rebuilder(program);
  for (const auto& statement : program.statements) rebuilder.Add(statement);
  // sum without dims= still fits a scalar.
  EXPECT_EQ(twingrad::program::Print(rebuilder.Take()),
            "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = sum %v0\n%v2 = neg %v1\n");
}

}  // namespace
}  // namespace twingrad::shrink
