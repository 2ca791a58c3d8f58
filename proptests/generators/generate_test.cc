// Laws of generated Programs: valid, reproducible, of the size asked for, and with everything in
// them.

#include "proptests/generators/generate.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Category;
using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::SignatureOf;
using twingrad::program::Statement;
using twingrad::program::TensorType;

constexpr int kPrograms = 5000;

// Whether a hook does something to other hooks or calls the engine.
bool HasActingHook(const Program& program) {
  return std::ranges::any_of(program.statements, [](const Statement& statement) {
    const auto action = statement.Get<std::string>(Key::kDo);
    return action == "register" || action == "remove" || action == "backward";
  });
}

bool HoldsType(const Program& program, DType dtype) {
  return std::ranges::any_of(program.statements, [dtype](const Statement& statement) {
    const auto* type = statement.Find(Key::kType);
    const auto* to = statement.Find(Key::kTo);
    return (type != nullptr && std::get<TensorType>(*type).dtype == dtype) ||
           (to != nullptr && std::get<DType>(*to) == dtype);
  });
}

// Law: element types occur where they may, and elsewhere not, whatever makes the Program.
TEST(Generate, TypesOfStorageAreOptions) {
  GeneratorOptions without;
  for (const DType dtype : kDTypes)
    without.dtypes.set(static_cast<size_t>(dtype), !IsNarrow(dtype));
  std::map<DType, int> found;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Program usual = Generate(seed), narrowed = Generate(seed, without);
    for (const DType dtype : kDTypes) {
      found[dtype] += HoldsType(usual, dtype) ? 1 : 0;
      ASSERT_FALSE(IsNarrow(dtype) && HoldsType(narrowed, dtype)) << "seed " << seed;
    }
  }
  EXPECT_GT(found[DType::kI32], kPrograms / 200);
  EXPECT_GT(found[DType::kF16], kPrograms / 40);
  EXPECT_GT(found[DType::kBF16], kPrograms / 40);
  // Most statements are of f64, whose gradients can mostly be told bit by bit.
  EXPECT_GT(found[DType::kF32], kPrograms / 12);
  EXPECT_GT(found[DType::kF64], kPrograms * 3 / 4);
}

// Law: every Program is valid, and its text reads back as itself.
TEST(Generate, ProgramsAreValid) {
  int acting = 0, racy = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    Features drawn;
    const Program program = Generate(seed, {}, &drawn);
    const auto analysis = twingrad::program::Analyze(program);
    ASSERT_TRUE(analysis.ok()) << "seed " << seed << ": " << analysis.status() << "\n"
                               << twingrad::program::Print(program);
    // Only sections, and hooks and custom functions that act on others, make a Program depend on
    // timing, and fewer than half of these: the twin judges such a Program on one thread alone.
    if (!drawn[static_cast<size_t>(Feature::kThreads)]) {
      acting += HasActingHook(program) ? 1 : 0;
      racy += analysis->racy ? 1 : 0;
      ASSERT_TRUE(HasActingHook(program) || !analysis->racy) << "seed " << seed;
    }
    const auto parsed = twingrad::program::Parse(twingrad::program::Print(program));
    ASSERT_TRUE(parsed.ok()) << "seed " << seed << ": " << parsed.status();
    ASSERT_TRUE(*parsed == program) << "seed " << seed;
  }
  EXPECT_LT(2 * racy, acting);
}

// Law: of the seeds one in kLongSample makes a long graph, where it is asked for.
TEST(Generate, FewSeedsMakeALongGraph) {
  GeneratorOptions options;
  options.long_graph = 3000;
  int seeds = 0, made = 0;
  for (uint64_t seed = 0; seed < 20 * kLongSample; ++seed) {
    if (!IsLongSample(seed)) continue;
    ++seeds;
    EXPECT_LT(Generate(seed).statements.size(), 1000u) << seed;
    const Program program = Generate(seed, options);
    EXPECT_TRUE(twingrad::program::Validate(program).ok()) << seed;
    made += program.statements.size() >= 1200 ? 1 : 0;
  }
  EXPECT_GE(seeds, 15);
  EXPECT_LE(seeds, 25);
  EXPECT_GE(10 * made, 9 * seeds);
  options.features.reset(static_cast<size_t>(Feature::kChain));
  for (uint64_t seed = 0; seed < 5 * kLongSample; ++seed) {
    if (!IsLongSample(seed)) continue;
    EXPECT_LT(Generate(seed, options).statements.size(), 1000u) << seed;
  }
}

TEST(Generate, SameSeedSameProgram) {
  EXPECT_TRUE(Generate(11) == Generate(11));
  EXPECT_FALSE(Generate(11) == Generate(12));
}

// Law: any bytes decode to a valid Program.
TEST(Generate, BytesDecodeToPrograms) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Source random = Source::FromSeed(seed);
    std::vector<uint8_t> bytes(random.Below(200));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Below(256));
    Source source = Source::FromBytes(bytes);
    const Program program = Generate(source);
    ASSERT_TRUE(twingrad::program::Analyze(program).ok()) << twingrad::program::Print(program);
  }
  Source empty = Source::FromBytes({});
  EXPECT_LE(Generate(empty).statements.size(), 8u);
}

TEST(Generate, TheAverageSizeIsTheOneAskedFor) {
  for (int wanted : {12, 30}) {
    GeneratorOptions options;
    options.statements = wanted;
    double total = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      total += static_cast<double>(Generate(seed, options).statements.size());
    }
    EXPECT_GT(total / 2000, wanted * 0.8) << wanted;
    EXPECT_LT(total / 2000, wanted * 1.25) << wanted;
  }
}

TEST(Generate, EveryOpOccurs) {
  std::array<int, twingrad::program::kNumOpcodes> seen = {};
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    for (const auto& statement : Generate(seed).statements) {
      ++seen[static_cast<size_t>(statement.op)];
    }
  }
  for (const auto& signature : twingrad::program::Signatures()) {
    if (signature.category == Category::kExpect) continue;
    EXPECT_GT(seen[static_cast<size_t>(signature.op)], 0) << signature.name;
  }
}

// Products of batches of different ranks, either way around: they broadcast.
TEST(Generate, ProductsOfRankFourAndThreeOccur) {
  std::array<std::array<int, 5>, 5> seen = {};
  for (uint64_t seed = 0; seed < 2 * kPrograms; ++seed) {
    const Program program = Generate(seed);
    const auto analysis = twingrad::program::Analyze(program);
    ASSERT_TRUE(analysis.ok()) << "seed " << seed;
    for (const auto& statement : program.statements) {
      if (statement.op != Opcode::kMatmul) continue;
      const auto rank = [&](size_t operand) {
        return analysis->values[static_cast<size_t>(statement.operands[operand])].type.shape.size();
      };
      ASSERT_LE(std::max(rank(0), rank(1)), 4u) << "seed " << seed;
      ++seen[rank(0)][rank(1)];
    }
  }
  EXPECT_GT(seen[4][3], 0);
  EXPECT_GT(seen[3][4], 0);
  EXPECT_GT(seen[4][4], 0);
  EXPECT_GT(seen[1][3], 0);
}

// Law: what is drawn is reported, each feature now and then, and never one that is switched off.
TEST(Generate, DrawnFeaturesAreReported) {
  constexpr int kFew = 1000;
  int drawn_by_default[kNumFeatures] = {};
  for (uint64_t seed = 0; seed < kFew; ++seed) {
    Features drawn;
    Generate(seed, {}, &drawn);
    for (size_t f = 0; f < kNumFeatures; ++f) drawn_by_default[f] += drawn[f] ? 1 : 0;
  }
  for (size_t f = 0; f < kNumFeatures; ++f) {
    const std::string_view word = FeatureWord(static_cast<Feature>(f));
    EXPECT_GT(drawn_by_default[f], 0) << word;
    EXPECT_LT(drawn_by_default[f], kFew) << word;
    GeneratorOptions without;
    without.features.reset(f);
    for (uint64_t seed = 0; seed < kFew; ++seed) {
      Features drawn;
      Generate(seed, without, &drawn);
      ASSERT_FALSE(drawn[f]) << word << ", seed " << seed;
    }
  }
}

// What is noted of a Program stands in its text.
TEST(Generate, DrawnFeaturesAreInTheText) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Features drawn;
    bool view = false;
    bool in_place = false;
    for (const auto& statement : Generate(seed, {}, &drawn).statements) {
      view |= SignatureOf(statement.op).category == Category::kView;
      in_place |= SignatureOf(statement.op).category == Category::kInPlace;
    }
    EXPECT_TRUE(view || !drawn[static_cast<size_t>(Feature::kView)]) << "seed " << seed;
    EXPECT_TRUE(in_place || !drawn[static_cast<size_t>(Feature::kInPlace)]) << "seed " << seed;
  }
}

// Whatever the features: engines are asked for what they claim alone.
TEST(Generate, OptionsAreKept) {
  for (const bool all_features : {false, true}) {
    GeneratorOptions options;
    ASSERT_TRUE(all_features || SetFeatures("chain,grad_of_grad", &options).ok());
    ASSERT_TRUE(SetOps("mul,sum,sin,view", &options).ok());
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      for (const auto& statement : Generate(seed, options).statements) {
        const Category category = SignatureOf(statement.op).category;
        if (category == Category::kLeaf || category == Category::kCall) continue;
        EXPECT_TRUE(options.Has(statement.op))
            << "seed " << seed << " " << all_features << " " << SignatureOf(statement.op).name;
      }
    }
  }
}

TEST(Generate, CallsThatAreNotThereAreNotMade) {
  for (const bool all_features : {false, true}) {
    for (const Opcode missing : {Opcode::kBackward, Opcode::kGrad}) {
      GeneratorOptions options;
      ASSERT_TRUE(all_features || SetFeatures("chain,in_place", &options).ok());
      options.backward = missing != Opcode::kBackward;
      options.grad = missing != Opcode::kGrad;
      int calls = 0;
      for (uint64_t seed = 0; seed < 1000; ++seed) {
        const Program program = Generate(seed, options);
        ASSERT_TRUE(twingrad::program::Analyze(program).ok()) << "seed " << seed;
        for (const auto& statement : program.statements) {
          EXPECT_NE(statement.op, missing) << "seed " << seed;
          calls += SignatureOf(statement.op).category == Category::kCall ? 1 : 0;
        }
      }
      EXPECT_GT(calls, 900) << all_features << " " << SignatureOf(missing).name;
    }
  }
}

// Errors among them: a seed on another device than its root.
TEST(Generate, WithoutDevicesThereAreNone) {
  GeneratorOptions options;
  ASSERT_TRUE(SetFeatures("-devices", &options).ok());
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    for (const auto& statement : Generate(seed, options).statements) {
      if (statement.op != Opcode::kLeaf) continue;
      EXPECT_EQ(statement.Find(twingrad::program::Key::kDevice), nullptr) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace twingrad::generators
