#include "proptests/judge/traits.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::judge {

using twingrad::DType;
using twingrad::program::Category;
using twingrad::program::DeviceIndex;
using twingrad::program::kCpu;
using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::RegionKind;
using twingrad::program::SignatureOf;
using twingrad::program::Statement;
using twingrad::program::TensorType;

namespace {

constexpr std::array<std::string_view, kNumTraits> kTraitNames = {
    "view",         "in_place",     "hook",          "retain_grad",   "no_grad",
    "detach",       "devices",      "several_calls", "several_roots", "inputs",
    "seeds",        "retain_graph", "create_graph",  "grad_of_grad",  "unused_allowed",
    "empty_tensor", "scalar_leaf",  "f32",           "f16",           "bf16",
    "i32",          "integer",      "error",         "threads"};

using Traits = std::bitset<kNumTraits>;

void Set(Traits* traits, Trait trait, bool value = true) {
  if (value) traits->set(static_cast<size_t>(trait));
}

bool IsEmpty(const TensorType& type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

void AddLeaf(const Statement& leaf, Traits* traits) {
  const auto* attribute = leaf.Find(Key::kType);
  if (attribute == nullptr) return;
  const TensorType& type = std::get<TensorType>(*attribute);
  Set(traits, Trait::kScalarLeaf, type.shape.empty());
  Set(traits, Trait::kEmptyTensor, IsEmpty(type));
  Set(traits, Trait::kF32, type.dtype == DType::kF32);
  Set(traits, Trait::kF16, type.dtype == DType::kF16);
  Set(traits, Trait::kBF16, type.dtype == DType::kBF16);
  Set(traits, Trait::kI32, type.dtype == DType::kI32);
  Set(traits, Trait::kInteger, !twingrad::IsFloating(type.dtype));
}

// Whether a view of something that is not empty may be empty.
bool MayEmpty(const Statement& view) {
  if (view.op == Opcode::kSlice) {
    return view.Get<int64_t>(Key::kStart) > 0 || view.Get<int64_t>(Key::kStop, 1) == 0;
  }
  if (view.op != Opcode::kExpand) return false;
  const auto& shape = std::get<std::vector<int64_t>>(*view.Find(Key::kShape));
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

// Where no leaf is empty, only slice and expand make something that is.
void AddEmptyViews(const Program& program, Traits* traits) {
  const bool can = std::any_of(program.statements.begin(), program.statements.end(), MayEmpty);
  if (!can || traits->test(static_cast<size_t>(Trait::kEmptyTensor))) return;
  const auto analysis = twingrad::program::Analyze(program);
  if (!analysis.ok()) return;
  Set(traits, Trait::kEmptyTensor,
      std::any_of(analysis->values.begin(), analysis->values.end(),
                  [](const auto& value) { return IsEmpty(value.type); }));
}

// Returns whether the call made a graph.
bool AddCall(const Statement& call, int calls, bool created, Traits* traits) {
  Set(traits, Trait::kSeveralCalls, calls > 0);
  Set(traits, Trait::kSeveralRoots, call.operands.size() > 1);
  Set(traits, Trait::kGradOfGrad, created);
  Set(traits, Trait::kInputs, call.Find(Key::kInputs) != nullptr);
  Set(traits, Trait::kSeeds, call.Find(Key::kSeeds) != nullptr);
  Set(traits, Trait::kRetainGraph, call.Get<bool>(Key::kRetainGraph));
  Set(traits, Trait::kUnusedAllowed,
      call.Get<bool>(Key::kAllowUnused) || call.Get<bool>(Key::kMaterialize));
  const bool creates = call.Get<bool>(Key::kCreateGraph);
  Set(traits, Trait::kCreateGraph, creates);
  return creates;
}

}  // namespace

std::string_view TraitName(Trait trait) { return kTraitNames[static_cast<size_t>(trait)]; }

Traits TraitsOf(const Program& program) {
  Traits traits;
  int calls = 0;
  bool created = false;
  for (const Statement& statement : program.statements) {
    switch (SignatureOf(statement.op).category) {
      case Category::kLeaf:
        AddLeaf(statement, &traits);
        break;
      case Category::kView:
        Set(&traits, Trait::kView);
        break;
      case Category::kInPlace:
        Set(&traits, Trait::kInPlace);
        break;
      case Category::kCustom:
        Set(&traits, Trait::kInPlace, statement.op == Opcode::kCustomInPlace);
        break;
      case Category::kHook:
        Set(&traits, Trait::kHook);
        break;
      case Category::kCall:
        created |= AddCall(statement, calls++, created, &traits);
        break;
      case Category::kRegion: {
        Set(&traits, Trait::kNoGrad, Begins(statement, RegionKind::kNoGrad));
        Set(&traits, Trait::kThreads, Begins(statement, RegionKind::kThread));
        break;
      }
      default:
        break;
    }
    Set(&traits, Trait::kRetainGrad, statement.op == Opcode::kRetainGrad);
    Set(&traits, Trait::kDetach, statement.op == Opcode::kDetach);
    const bool device = statement.op == Opcode::kTo || statement.Find(Key::kDevice) != nullptr;
    Set(&traits, Trait::kSeveralDevices, device);
  }
  AddEmptyViews(program, &traits);
  return traits;
}

}  // namespace twingrad::judge
