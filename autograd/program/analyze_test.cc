#include "autograd/program/analyze.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/parse.h"
#include "autograd/program/random_program.h"

namespace twingrad::program {
namespace {

Program ParseOrDie(const std::string& body) {
  auto program = Parse(absl::StrCat("twingrad 1\n", body));
  EXPECT_TRUE(program.ok()) << program.status() << "\n" << body;
  return program.ok() ? *std::move(program) : Program();
}

Analysis AnalyzeOrDie(const std::string& body) {
  auto analysis = Analyze(ParseOrDie(body));
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? *std::move(analysis) : Analysis();
}

TEST(Analyze, KnowsTypeDeviceAndStorage) {
  const Analysis a = AnalyzeOrDie(
      "%x = leaf type=f64[2,3] grad=1 device=dev:2\n"
      "%v = select %x dim=1 index=0\n"
      "%w = transpose %v dims=0,0\n"
      "%c = clone %w\n"
      "%d = detach %w\n"
      "%t = to %d device=cpu\n"
      "%i = cast %t to=i64\n"
      "%r = reshape %x shape=6\n");
  ASSERT_EQ(a.values.size(), 8u);
  const TensorType two = {DType::kF64, {2}};
  for (const int v : {1, 2, 3, 4, 5}) EXPECT_EQ(a.values[v].type, two) << v;
  EXPECT_EQ(a.values[6].type, (TensorType{DType::kI64, {2}}));
  const std::vector<ValueId> storages = {0, 0, 0, 3, 0, 5, 6, 0};
  const std::vector<DeviceIndex> devices = {2, 2, 2, 2, 2, kCpu, kCpu, 2};
  for (int v = 0; v < 8; ++v) {
    EXPECT_EQ(a.values[v].storage, storages[v]) << v;
    EXPECT_EQ(a.values[v].device, devices[v]) << v;
    EXPECT_EQ(a.values[v].statement, v);
    EXPECT_FALSE(a.values[v].may_be_undefined);
  }
  EXPECT_EQ(a.total_elements, 6 + 6 * 2 + 6);
}

TEST(Analyze, KnowsTheIndicesOfSparseValues) {
  const Analysis a = AnalyzeOrDie(
      "%v = leaf type=f32[3,2]\n%i = leaf type=i64[1,3]\n%s = sparse_coo %v %i shape=4,2\n"
      "%c = coalesce %s count=2\n%d = to_dense %c\n%w = sparse_values %c\n%j = sparse_indices "
      "%c\n");
  EXPECT_EQ(TypeText(a.values[2].type), "f32[4,2]");
  EXPECT_EQ(TypeText(a.values[2].sparse->indices), "i64[1,3]");
  EXPECT_FALSE(a.values[2].sparse->is_coalesced);
  EXPECT_EQ(TypeText(a.values[3].sparse->indices), "i64[1,2]");
  EXPECT_TRUE(a.values[3].sparse->is_coalesced);
  EXPECT_FALSE(a.values[4].sparse.has_value());
  EXPECT_EQ(TypeText(a.values[5].type), "f32[2,2]");
  EXPECT_EQ(TypeText(a.values[6].type), "i64[1,2]");
}

TEST(Analyze, CountsDevicesByTheHighest) {
  EXPECT_EQ(DevicesOf(ParseOrDie("%x = leaf type=f64[]\n")), 0);
  EXPECT_EQ(DevicesOf(ParseOrDie("%x = leaf type=f64[] device=dev:2\n%y = to %x device=cpu\n")), 3);
}

TEST(Analyze, KnowsWhatMayBeUndefined) {
  const Analysis a = AnalyzeOrDie(
      "%x = leaf type=f64[2] grad=1\n"
      "%s = sum %x\n"
      "%g = grad %s inputs=%x retain_graph=1\n"
      "%h = grad %s inputs=%x retain_graph=1 allow_unused=1\n"
      "%m = grad %s inputs=%x retain_graph=1 allow_unused=1 materialize=1\n"
      "%v = expand %h shape=3,2\n"
      "%r = read_grad %x\n"
      "begin kind=try\n"
      "begin kind=no_grad\n"
      "%t = neg %x\n"
      "end\n"
      "end\n"
      "%u = neg %g\n");
  const std::vector<bool> undefined = {0, 0, 0, 1, 0, 0, 1, 1, 0};
  ASSERT_EQ(a.values.size(), undefined.size());
  for (size_t v = 0; v < undefined.size(); ++v) {
    EXPECT_EQ(a.values[v].may_be_undefined, undefined[v]) << v;
  }
}

TEST(Analyze, AdjacentThreadSectionsHideTheirValuesFromEachOther) {
  const Program program = ParseOrDie(
      "%x = leaf type=f64[]\n"
      "begin kind=thread\n"
      "%a = neg %x\n"
      "zero_ %a\n"
      "end\n"
      "begin kind=thread\n"
      "%b = neg %x\n"
      "end\n"
      "%c = add %a %b\n"
      "begin kind=thread\n"
      "%d = add %a %c\n"  // the sections before have ended
      "end\n");
  EXPECT_TRUE(Validate(program).ok());
}

TEST(Analyze, ARefusalChangesNothing) {
  Program program = ParseOrDie("%x = leaf type=f64[2]\n%y = leaf type=f64[3]\n");
  Analyzer analyzer;
  ASSERT_TRUE(analyzer.Add(program.statements[0]));
  ASSERT_TRUE(analyzer.Add(program.statements[1]));
  Statement misfit{Opcode::kMul, {2}, {0, 1}, {}};
  EXPECT_FALSE(analyzer.Add(misfit));
  EXPECT_EQ(analyzer.fault().place, Fault::Place::kOperand);
  EXPECT_EQ(analyzer.fault().index, 1);
  EXPECT_EQ(analyzer.num_statements(), 2);
  EXPECT_EQ(analyzer.values().size(), 2u);
  EXPECT_EQ(analyzer.total_elements(), 5);
  EXPECT_TRUE(analyzer.Add({Opcode::kMul, {2}, {0, 0}, {}}));
  EXPECT_TRUE(analyzer.Finish());
}

// What no text can say, but a Program made by hand can.
TEST(Analyze, RefusesMalformedPrograms) {
  const TensorType scalar;
  const Statement leaf{Opcode::kLeaf, {0}, {}, {{Key::kType, scalar}}};
  const auto error = [](std::vector<Statement> statements, std::vector<std::string> names) {
    return std::string(Validate({std::move(statements), std::move(names)}).message());
  };
  EXPECT_EQ(error({leaf}, {"x"}), "");
  EXPECT_EQ(error({leaf}, {}),
            "[program] 1:1 the Program has 0 names and 1 values; each value has a name");
  EXPECT_EQ(error({leaf}, {"a b"}),
            "[program] 2:1 name 'a b'; 1 to 64 of A-Z a-z 0-9 _ and . go, but for _ alone");
  Statement second = leaf;
  second.results = {1};
  EXPECT_EQ(error({leaf, second}, {"x", "x"}),
            "[program] 3:1 %x is defined twice; each value is defined once");
  EXPECT_EQ(error({second}, {"x"}), "[program] 2:1 result has id 1; the next id is 0");
  EXPECT_EQ(error({leaf, {Opcode::kNeg, {1}, {5}, {}}}, {"x", "y"}),
            "[program] 3:10 value id 5 is not defined; ids 0 to 0 are");
  EXPECT_EQ(error({leaf, {Opcode::kNeg, {1}, {kNoValue}, {}}}, {"x", "y"}),
            "[program] 3:10 value id -1 is not defined; ids 0 to 0 are");
  EXPECT_EQ(error({{Opcode::kLeaf, {0}, {}, {{Key::kType, int64_t{3}}}}}, {"x"}),
            "[program] 2:11 type= holds another kind of argument; see the table of statements");
  EXPECT_EQ(error({{Opcode::kLeaf, {0}, {}, {{Key::kType, scalar}, {Key::kGrad, false}}}}, {"x"}),
            "[program] 2:22 grad= holds its default; such attributes are left out");
  EXPECT_EQ(error({{Opcode::kLeaf, {0}, {}, {{Key::kGrad, true}, {Key::kType, scalar}}}}, {"x"}),
            "[program] 2:18 type= is given twice or out of order; attributes stand in the order of "
            "the table of statements");
  EXPECT_EQ(error({{Opcode::kLeaf, {0}, {}, {{Key::kType, scalar}, {Key::kType, scalar}}}}, {"x"}),
            "[program] 2:11 type= is given twice or out of order; attributes stand in the order of "
            "the table of statements");
  EXPECT_EQ(
      error({{Opcode::kLeaf, {0}, {}, {{Key::kType, scalar}, {Key::kAt, int64_t{1}}}}}, {"x"}),
      "[program] 2:6 leaf has no attribute at=; see the table of statements");
  EXPECT_EQ(
      error({{Opcode::kLeaf, {0}, {}, {{Key::kType, scalar}, {Key::kDevice, int64_t{8}}}}}, {"x"}),
      "[program] 2:22 device 8; cpu or dev:0 to dev:7");
  EXPECT_EQ(
      error({leaf, {Opcode::kHook, {}, {0}, {{Key::kDo, std::string("record scale")}}}}, {"x"}),
      "[program] 3:9 do='record scale'; it is one of: record scale undefined throw wrong_shape "
      "wrong_dtype register remove backward callback warn");
  EXPECT_EQ(error({{Opcode::kRemoveHook, {}, {}, {{Key::kId, std::string("a b")}}}}, {}),
            "[program] 2:13 handle 'a b'; 1 to 64 of A-Z a-z 0-9 _ and . go");
}

TEST(Analyze, RefusesMalformedElements) {
  const auto error = [](DType dtype, uint64_t bits) {
    const TensorType type = {dtype, {}};
    Statement leaf{Opcode::kLeaf, {0}, {}, {{Key::kType, type}, {Key::kData, Bits{bits}}}};
    return std::string(Validate({{leaf}, {"x"}}).message());
  };
  EXPECT_EQ(error(DType::kF64, 0x7ff8000000000001),
            "[program] 2:22 element 0 is nan, a NaN with another pattern than "
            "0x7ff8000000000000; that one goes");
  EXPECT_EQ(error(DType::kF32, std::bit_cast<uint64_t>(0.1)),
            "[program] 2:22 element 0 is 0x1.999999999999ap-4, no f32 number; round it, or take "
            "f64");
  EXPECT_EQ(error(DType::kF32, std::bit_cast<uint64_t>(1e300)),
            "[program] 2:22 element 0 is 0x1.7e43c8800759cp+996, no f32 number; round it, or take "
            "f64");
  EXPECT_EQ(error(DType::kF32, std::bit_cast<uint64_t>(HUGE_VAL)), "");
  EXPECT_EQ(error(DType::kF16, std::bit_cast<uint64_t>(65536.0)),
            "[program] 2:22 element 0 is 65536, no f16 number; round it, or take f64");
  EXPECT_EQ(error(DType::kBF16, std::bit_cast<uint64_t>(65536.0)), "");
  EXPECT_EQ(error(DType::kI32, uint64_t{1} << 31),
            "[program] 2:22 element 0 is 2147483648, no i32 number; take i64");
  EXPECT_EQ(error(DType::kI32, static_cast<uint64_t>(-1)), "");
  EXPECT_EQ(error(DType::kBool, 2), "[program] 2:23 element 0 is 2, no bool; 0 and 1 go");
}

TEST(Analyze, Names) {
  EXPECT_TRUE(IsName("x"));
  EXPECT_TRUE(IsName("0"));
  EXPECT_TRUE(IsName("_.A9"));
  EXPECT_TRUE(IsName(std::string(64, 'a')));
  EXPECT_FALSE(IsName(std::string(65, 'a')));
  for (const char* name : {"", "_", "%x", "a b", "a,b", "a=b", "\xc3\xa9"}) {
    EXPECT_FALSE(IsName(name)) << name;
  }
}

TEST(Analyze, DevicesOfValuesAreThoseOfTheAnalysis) {
  int elsewhere = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Program program = RandomProgram(seed, 40);
    const auto analysis = Analyze(program);
    ASSERT_TRUE(analysis.ok()) << analysis.status();
    const std::vector<DeviceIndex> devices = DevicesOfValues(program);
    ASSERT_EQ(devices.size(), analysis->values.size());
    for (size_t v = 0; v < devices.size(); ++v) {
      EXPECT_EQ(devices[v], analysis->values[v].device) << "seed " << seed << " value " << v;
      elsewhere += devices[v] != kCpu ? 1 : 0;
    }
  }
  EXPECT_GT(elsewhere, 100);
}

TEST(Analyze, MarksRacyPrograms) {
  const std::string start = "%x = leaf type=f64[] grad=1\n%a = neg %x\n%b = exp %x\n";
  EXPECT_FALSE(AnalyzeOrDie(start + "hook %a do=record\n").racy);
  EXPECT_TRUE(AnalyzeOrDie(start + "hook %a do=register target=%b\n").racy);
}

TEST(Validate, NamesThePlaceInTheCanonicalText) {
  Program program;
  program.names = {"x", "y"};
  program.statements.push_back({Opcode::kLeaf, {0}, {}, {{Key::kType, TensorType{}}}});
  EXPECT_FALSE(Validate(program).ok());  // a name too many
  program.statements.push_back({Opcode::kTanh, {1}, {0}, {}});
  EXPECT_TRUE(Validate(program).ok()) << Validate(program);
  program.statements.push_back({Opcode::kAddInPlace, {}, {1, 2}, {}});
  EXPECT_EQ(Validate(program).message(), "[program] 4:9 value id 2 is not defined; ids 0 to 1 are");
}

TEST(Validate, TheEmptyProgramIsValid) { EXPECT_TRUE(Validate(Program()).ok()); }

}  // namespace
}  // namespace twingrad::program
