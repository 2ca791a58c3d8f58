#include "autograd/program/signature.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "autograd/program/observation.h"

namespace twingrad::program {
namespace {

TEST(Signature, NamesAreFoundAndDifferent) {
  std::set<std::string_view> names;
  for (const Signature& s : Signatures()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_EQ(OpcodeFromName(s.name), s.op) << s.name;
    EXPECT_EQ(&SignatureOf(s.op), &s);
    EXPECT_FALSE(s.doc.empty()) << s.name;
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumOpcodes));
  EXPECT_EQ(OpcodeFromName(""), std::nullopt);
  EXPECT_EQ(OpcodeFromName("ad"), std::nullopt);
  EXPECT_EQ(OpcodeFromName("add__"), std::nullopt);
}

TEST(Signature, InPlaceNamesEndInAnUnderscoreAndHaveNoResult) {
  for (const Signature& s : Signatures()) {
    const bool underscore = s.name.back() == '_';
    EXPECT_EQ(underscore, s.category == Category::kInPlace || s.op == Opcode::kCustomInPlace)
        << s.name;
    if (underscore) {
      EXPECT_EQ(s.max_results, 0) << s.name;
    }
  }
}

TEST(Signature, RowsMakeSense) {
  for (const Signature& s : Signatures()) {
    EXPECT_LE(s.min_operands, s.max_operands) << s.name;
    EXPECT_LE(s.min_results, s.max_results) << s.name;
    if (s.max_operands < 32) {
      EXPECT_EQ(s.differentiable >> s.max_operands, 0u) << s.name;
    }
    EXPECT_LE(s.attributes.size(), 8u) << s.name;  // the parser's room
    std::set<Key> keys;
    for (const AttributeSpec& a : s.attributes) {
      EXPECT_TRUE(keys.insert(a.key).second) << s.name << " " << KeyName(a.key);
      EXPECT_EQ(a.format == Format::kWord, !a.words.empty()) << s.name << " " << KeyName(a.key);
    }
  }
  EXPECT_EQ(SignatureOf(Opcode::kWhere).differentiable, 0b110u);
  EXPECT_EQ(SignatureOf(Opcode::kCopyInPlace).differentiable, 0b10u);
  EXPECT_EQ(SignatureOf(Opcode::kDetach).differentiable, 0u);
}

TEST(Signature, IndicesAreWhatAnotherOpGivesAlone) {
  int pairs = 0;
  for (const Signature& s : Signatures()) {
    if (s.index_op == Opcode::kLeaf) continue;
    ++pairs;
    const Signature& alone = SignatureOf(s.index_op);
    EXPECT_EQ(s.min_results, 1) << s.name;
    EXPECT_EQ(s.max_results, 2) << s.name;
    EXPECT_EQ(alone.max_results, 1) << s.name;
    EXPECT_EQ(alone.facts.numbers, Numbers::kIndices) << s.name;
    EXPECT_EQ(alone.attributes.data(), s.attributes.data()) << s.name;
    EXPECT_EQ(alone.category, s.category) << s.name;
    EXPECT_NE(s.facts.saves & kSavesOwn, 0u) << s.name;
  }
  EXPECT_EQ(pairs, 12);
}

TEST(Signature, KeysHaveDifferentNames) {
  std::set<std::string_view> names;
  for (int i = 0; i < kNumKeys; ++i) names.insert(KeyName(static_cast<Key>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumKeys));
  EXPECT_EQ(KeyName(Key::kType), "type");
  EXPECT_EQ(KeyName(Key::kRetainGraph), "retain_graph");
  EXPECT_EQ(KeyName(Key::kAt), "at");
}

TEST(Signature, ExpectKnowsEveryErrorKind) {
  const AttributeSpec* spec = SignatureOf(Opcode::kExpect).Find(Key::kError);
  ASSERT_NE(spec, nullptr);
  std::string words;
  for (int i = 0; i < kNumErrorKinds; ++i) {
    words += i == 0 ? "" : " ";
    words += ErrorKindName(static_cast<ErrorKind>(i));
  }
  EXPECT_EQ(spec->words, words);
}

TEST(Signature, Words) {
  EXPECT_TRUE(IsWord("record scale undefined", "scale"));
  EXPECT_TRUE(IsWord("undefined_grad grad", "grad"));
  EXPECT_FALSE(IsWord("undefined_grad", "grad"));
  EXPECT_FALSE(IsWord("record scale", "rec"));
  EXPECT_FALSE(IsWord("record scale", "record scale"));
  EXPECT_FALSE(IsWord("record scale", ""));
}

TEST(Signature, Defaults) {
  const Signature& leaf = SignatureOf(Opcode::kLeaf);
  EXPECT_TRUE(IsDefault(*leaf.Find(Key::kGrad), false));
  EXPECT_FALSE(IsDefault(*leaf.Find(Key::kGrad), true));
  EXPECT_TRUE(IsDefault(*leaf.Find(Key::kFill), Bits{0}));
  EXPECT_FALSE(IsDefault(*leaf.Find(Key::kFill), Bits{uint64_t{1} << 63}));
  EXPECT_TRUE(IsDefault(*leaf.Find(Key::kDevice), int64_t{kCpu}));
  EXPECT_FALSE(IsDefault(*leaf.Find(Key::kDevice), int64_t{0}));
  EXPECT_TRUE(IsDefault(*SignatureOf(Opcode::kSlice).Find(Key::kStep), int64_t{1}));
  EXPECT_TRUE(IsDefault(*SignatureOf(Opcode::kSum).Find(Key::kDims), std::vector<int64_t>{}));
  // retain_graph=0 is not the same as nothing, which means as create_graph.
  EXPECT_FALSE(IsDefault(*SignatureOf(Opcode::kBackward).Find(Key::kRetainGraph), false));
  EXPECT_FALSE(
      IsDefault(*SignatureOf(Opcode::kBackward).Find(Key::kInputs), std::vector<ValueId>{}));
}

TEST(Signature, DTypeNames) {
  EXPECT_EQ(DTypeFromName("f32"), DType::kF32);
  EXPECT_EQ(DTypeFromName("bool"), DType::kBool);
  EXPECT_EQ(DTypeFromName("f16"), DType::kF16);
  EXPECT_EQ(DTypeFromName("bf16"), DType::kBF16);
  EXPECT_EQ(DTypeFromName("i32"), DType::kI32);
  EXPECT_EQ(DTypeFromName("f8"), std::nullopt);
}

}  // namespace
}  // namespace twingrad::program
