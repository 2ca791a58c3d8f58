#include "proptests/oracles/metamorphic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/float_format.h"
#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "proptests/oracles/compare.h"

namespace twingrad::oracles {

using program::Attribute;
using program::Bits;
using program::Category;
using program::kNoValue;
using program::ProgramBuilder;
using program::SignatureOf;
using program::TensorType;

namespace {

constexpr std::string_view kTwice = "metamorphic twice";
constexpr std::string_view kZero = "metamorphic zero";
constexpr std::string_view kSum = "metamorphic sum";

// The place of the only call, or -1.
int OnlyCall(const Program& program) {
  int at = -1;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (SignatureOf(program.statements[i].op).category != Category::kCall) continue;
    if (at >= 0) return -1;
    at = static_cast<int>(i);
  }
  return at;
}

// The elements of the seed of root number `i`; nothing where it is computed.
std::optional<Bits> SeedData(const Program& program, const ProgramBuilder& builder,
                             const Statement& call, size_t i) {
  const auto* attribute = call.Find(Key::kSeeds);
  const ValueId seed =
      attribute == nullptr ? kNoValue : std::get<std::vector<ValueId>>(*attribute)[i];
  const TensorType& type = builder.TypeOf(call.operands[i]);
  if (seed == kNoValue) {
    const auto elements = static_cast<size_t>(program::NumElements(type.shape));
    return Bits(elements, std::bit_cast<uint64_t>(1.0));
  }
  const Statement& leaf = program.statements[builder.Info(seed).statement];
  if (leaf.op != Opcode::kLeaf || !(builder.TypeOf(seed) == type)) return std::nullopt;
  return program::LeafData(leaf);
}

// What the law compares: .grad of each value, then the results of grad, with the twin's bounds
// where wanted.
void ForEachGradient(const SeededProgram& seeded, size_t values,
                     const std::function<bool(ValueId value, bool is_grad)>& visit) {
  for (size_t i = 0; i < values; ++i) {
    if (!visit(static_cast<ValueId>(i), true)) return;
  }
  for (const Statement& statement : seeded.program.statements) {
    if (statement.op != Opcode::kGrad) continue;
    for (ValueId result : statement.results) {
      if (!visit(result, false)) return;
    }
  }
}

const TensorData* Gradient(const Observation& observed, ValueId value, bool is_grad) {
  const auto& record = observed.values[static_cast<size_t>(value)];
  if (is_grad) return record.grad_defined ? &record.grad : nullptr;
  return record.defined ? &record.data : nullptr;
}

double ElementOf(const TensorData& data, size_t i) { return std::bit_cast<double>(data.bits[i]); }

// Whether no value is so large or small that multiplying gradients by it may take them out of their
// format's range and back. From the numbers of f16 to its ends it is never far.
bool AreModerate(const Observation& observed) {
  for (const auto& record : observed.values) {
    if (!record.defined || !IsFloating(record.data.dtype)) continue;
    const FloatFormat& format = FormatOf(record.data.dtype);
    if (format.min_exponent > kF32Format.min_exponent) return false;
    const double most = format.min_exponent == kF64Format.min_exponent ? 1e60 : 1e9;
    for (size_t i = 0; i < record.data.bits.size(); ++i) {
      const double magnitude = std::fabs(ElementOf(record.data, i));
      if (magnitude != 0 && !(magnitude > 1 / most && magnitude < most)) return false;
    }
  }
  return true;
}

// Whether the number is far from the ends of its format's range.
bool IsOrdinary(double x, DType dtype) {
  const FloatFormat& format = FormatOf(dtype);
  const double magnitude = std::fabs(x);
  return magnitude == 0 || (magnitude > 4 * format.smallest_normal / format.unit &&
                            magnitude < format.largest * format.unit / 4);
}

Verdict Differs(std::string_view oracle, const SeededProgram& seeded, ValueId value, bool is_grad,
                const std::string& law, double expected, double actual) {
  const int statement = StatementOf(seeded.program, value);
  return Disagree(oracle,
                  absl::StrCat(std::string(oracle), ": ", law, "\n  ", is_grad ? ".grad of " : "",
                               "", LineOf(seeded.program, statement), "\n  expected ", expected,
                               "\n  actual   ", actual, "\n"),
                  {statement});
}

bool Comparable(const Observation& a, const Observation& b) {
  return !a.error && !b.error && a.survived.empty() && b.survived.empty() &&
         a.values.size() == b.values.size();
}

}  // namespace

namespace {

// Whether gradients stay linear in the seeds with this statement: not with most hooks, nor where
// something else than the call at hand gets into them.
bool IsLinear(const Statement& statement) {
  if (SignatureOf(statement.op).category == Category::kHook) return false;
  if (statement.op == Opcode::kSetGrad) return false;
  return statement.Get<std::string>(Key::kDo) != "backward";
}

constexpr double kPattern[] = {1, -1, 2, 0};

double Edited(double old, size_t i, SeedEdit edit) {
  const double pattern = kPattern[i % std::size(kPattern)];
  return edit == SeedEdit::kTwice     ? 2 * old
         : edit == SeedEdit::kPattern ? pattern
         : edit == SeedEdit::kSum     ? old + pattern
                                      : 0;
}

// Whether all edits of the seed are numbers of its type.
bool AreRepresentable(const Bits& data, DType dtype) {
  for (size_t i = 0; i < data.size(); ++i) {
    const double x = std::bit_cast<double>(data[i]);
    for (const SeedEdit edit : {SeedEdit::kTwice, SeedEdit::kSum}) {
      if (!IsRepresentable(Edited(x, i, edit), FormatOf(dtype))) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<SeededProgram> MakeSeeded(const Program& program) {
  const int at = OnlyCall(program);
  if (at < 0) return std::nullopt;
  ProgramBuilder builder;
  for (int i = 0; i < at; ++i) {
    if (!IsLinear(program.statements[i])) return std::nullopt;
    if (!builder.AddStatement(program.statements[i])) return std::nullopt;
  }
  SeededProgram seeded;
  Statement call = program.statements[at];
  std::vector<ValueId> seeds;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const TensorType type = builder.TypeOf(call.operands[i]);
    if (!IsFloating(type.dtype)) return std::nullopt;
    std::optional<Bits> data = SeedData(program, builder, call, i);
    if (!data || !AreRepresentable(*data, type.dtype)) return std::nullopt;
    seeded.seeds.push_back(builder.num_statements());
    seeds.push_back(
        builder.Leaf(type, *std::move(data), false, builder.Info(call.operands[i]).device));
  }
  std::erase_if(call.attributes, [](const Attribute& a) { return a.key == Key::kSeeds; });
  call.attributes.push_back({Key::kSeeds, std::move(seeds)});
  for (size_t i = 0; i < call.results.size(); ++i) {
    call.results[i] = builder.num_values() + static_cast<ValueId>(i);
  }
  if (!builder.AddStatement(call)) return std::nullopt;
  seeded.program = builder.Take();
  return seeded;
}

Program EditSeeds(const SeededProgram& seeded, SeedEdit edit) {
  Program program = seeded.program;
  for (int at : seeded.seeds) {
    Statement& leaf = program.statements[at];
    Bits data = program::LeafData(leaf);
    for (size_t i = 0; i < data.size(); ++i) {
      data[i] = std::bit_cast<uint64_t>(Edited(std::bit_cast<double>(data[i]), i, edit));
    }
    std::erase_if(leaf.attributes, [](const Attribute& a) {
      return a.key == Key::kData || a.key == Key::kFill || a.key == Key::kSeed;
    });
    leaf.attributes.push_back({Key::kData, std::move(data)});
    program::Canonicalize(leaf);
  }
  return program;
}

Verdict JudgeTwice(const SeededProgram& seeded, const Observation& once, const Observation& twice) {
  if (!Comparable(once, twice)) return Skip(kTwice, "the Program ends in an error");
  if (!AreModerate(once)) return Skip(kTwice, "a value is near the ends of its range");
  Verdict verdict = Agree(kTwice);
  ForEachGradient(seeded, once.values.size(), [&](ValueId value, bool is_grad) {
    const TensorData* a = Gradient(once, value, is_grad);
    const TensorData* b = Gradient(twice, value, is_grad);
    if (a == nullptr || b == nullptr || a->bits.size() != b->bits.size()) {
      if (a == b) return true;
      verdict =
          Differs(kTwice, seeded, value, is_grad, "twice the seed changes what is defined", 0, 0);
      return false;
    }
    for (size_t i = 0; i < a->bits.size(); ++i) {
      const double x = ElementOf(*a, i);
      const double y = ElementOf(*b, i);
      if (y == 2 * x || !IsOrdinary(x, a->dtype) || !IsOrdinary(y, a->dtype)) continue;
      verdict = Differs(kTwice, seeded, value, is_grad, "twice the seed gives twice the gradient",
                        2 * x, y);
      return false;
    }
    return true;
  });
  return verdict;
}

Verdict JudgeZeroSeed(const SeededProgram& seeded, const Observation& zero) {
  if (zero.error || !zero.survived.empty()) return Skip(kZero, "the Program ends in an error");
  Verdict verdict = Agree(kZero);
  ForEachGradient(seeded, zero.values.size(), [&](ValueId value, bool is_grad) {
    const TensorData* data = Gradient(zero, value, is_grad);
    if (data == nullptr) return true;
    for (size_t i = 0; i < data->bits.size(); ++i) {
      const double x = ElementOf(*data, i);
      if (x == 0 || std::isnan(x)) continue;
      verdict = Differs(kZero, seeded, value, is_grad, "a zero seed gives zero", 0, x);
      return false;
    }
    return true;
  });
  return verdict;
}

Verdict JudgeSum(const SeededProgram& seeded, const SeededRun& u, const SeededRun& v,
                 const SeededRun& sum) {
  if (!Comparable(u.observed, v.observed) || !Comparable(u.observed, sum.observed)) {
    return Skip(kSum, "the Program ends in an error");
  }
  const auto exact = [](const SeededRun& run, ValueId value, bool is_grad) {
    if (run.expected.skipped) return false;
    const auto& bounds = is_grad ? run.expected.grad_bounds : run.expected.value_bounds;
    const auto at = static_cast<size_t>(value);
    if (at >= bounds.size()) return false;
    const auto& bound = bounds[at].bound;
    return std::all_of(bound.begin(), bound.end(), [](double b) { return b == 0; });
  };
  Verdict verdict = Agree(kSum);
  ForEachGradient(seeded, u.observed.values.size(), [&](ValueId value, bool is_grad) {
    const TensorData* a = Gradient(u.observed, value, is_grad);
    const TensorData* b = Gradient(v.observed, value, is_grad);
    const TensorData* c = Gradient(sum.observed, value, is_grad);
    if (a == nullptr || b == nullptr || c == nullptr) return true;
    if (!exact(u, value, is_grad) || !exact(v, value, is_grad) || !exact(sum, value, is_grad)) {
      return true;
    }
    for (size_t i = 0; i < c->bits.size() && i < a->bits.size() && i < b->bits.size(); ++i) {
      const double expected = ElementOf(*a, i) + ElementOf(*b, i);
      const double actual = ElementOf(*c, i);
      if (expected == actual || std::isnan(expected)) continue;
      verdict = Differs(kSum, seeded, value, is_grad, "the gradient of a sum of seeds is the sum",
                        expected, actual);
      return false;
    }
    return true;
  });
  return verdict;
}

}  // namespace twingrad::oracles
