#include "proptests/oracles/features.h"

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::oracles {

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

using Features = std::bitset<kNumFeatures>;

void Set(Features* features, Feature feature, bool value = true) {
  if (value) features->set(static_cast<size_t>(feature));
}

bool IsEmpty(const TensorType& type) {
  return std::find(type.shape.begin(), type.shape.end(), 0) != type.shape.end();
}

void AddLeaf(const Statement& leaf, Features* features) {
  const auto* attribute = leaf.Find(Key::kType);
  if (attribute == nullptr) return;
  const TensorType& type = std::get<TensorType>(*attribute);
  Set(features, Feature::kScalarLeaf, type.shape.empty());
  Set(features, Feature::kEmptyTensor, IsEmpty(type));
  Set(features, Feature::kF32, type.dtype == DType::kF32);
  Set(features, Feature::kInteger, !twingrad::IsFloating(type.dtype));
}

// Where no leaf is empty, only slice and expand make something that is.
void AddEmptyViews(const Program& program, Features* features) {
  const bool can =
      std::any_of(program.statements.begin(), program.statements.end(),
                  [](const auto& s) { return s.op == Opcode::kSlice || s.op == Opcode::kExpand; });
  if (!can || features->test(static_cast<size_t>(Feature::kEmptyTensor))) return;
  const auto analysis = twingrad::program::Analyze(program);
  if (!analysis.ok()) return;
  Set(features, Feature::kEmptyTensor,
      std::any_of(analysis->values.begin(), analysis->values.end(),
                  [](const auto& value) { return IsEmpty(value.type); }));
}

// Returns whether the call made a graph.
bool AddCall(const Statement& call, int calls, bool created, Features* features) {
  Set(features, Feature::kSeveralCalls, calls > 0);
  Set(features, Feature::kSeveralRoots, call.operands.size() > 1);
  Set(features, Feature::kGradOfGrad, created);
  Set(features, Feature::kInputs, call.Find(Key::kInputs) != nullptr);
  Set(features, Feature::kSeeds, call.Find(Key::kSeeds) != nullptr);
  Set(features, Feature::kRetainGraph, call.Get<bool>(Key::kRetainGraph));
  Set(features, Feature::kUnusedAllowed,
      call.Get<bool>(Key::kAllowUnused) || call.Get<bool>(Key::kMaterialize));
  const bool creates = call.Get<bool>(Key::kCreateGraph);
  Set(features, Feature::kCreateGraph, creates);
  return creates;
}

}  // namespace

Features FeaturesOf(const Program& program) {
  Features features;
  int calls = 0;
  bool created = false;
  for (const Statement& statement : program.statements) {
    switch (SignatureOf(statement.op).category) {
      case Category::kLeaf:
        AddLeaf(statement, &features);
        break;
      case Category::kView:
        Set(&features, Feature::kView);
        break;
      case Category::kInPlace:
        Set(&features, Feature::kInPlace);
        break;
      case Category::kHook:
        Set(&features, Feature::kHook);
        break;
      case Category::kCall:
        created |= AddCall(statement, calls++, created, &features);
        break;
      case Category::kRegion: {
        Set(&features, Feature::kNoGrad, Begins(statement, RegionKind::kNoGrad));
        Set(&features, Feature::kThreads, Begins(statement, RegionKind::kThread));
        break;
      }
      default:
        break;
    }
    Set(&features, Feature::kRetainGrad, statement.op == Opcode::kRetainGrad);
    Set(&features, Feature::kDetach, statement.op == Opcode::kDetach);
    const bool device = statement.op == Opcode::kTo || statement.Find(Key::kDevice) != nullptr;
    Set(&features, Feature::kSeveralDevices, device);
  }
  AddEmptyViews(program, &features);
  return features;
}

}  // namespace twingrad::oracles
