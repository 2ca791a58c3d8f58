// Values that share memory, and what happens to them one after the other.

#include <cstdint>
#include <iterator>
#include <vector>

#include "autograd/program/region.h"
#include "proptests/generators/alias.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

// One memory and the values that show it.
class Aliases {
 public:
  Aliases(Draft& draft, ValueId base) : draft_(draft), members_{base} {
    for (size_t i = 0; i < std::size(kActions); ++i) {
      if (draft_.source().Chance(kActions[i].percent)) weights_[i] = draft_.source().Pick({1, 3});
      total_ += weights_[i];
    }
  }

  void Act() {
    int draw = static_cast<int>(draft_.source().Below(static_cast<uint64_t>(total_)));
    for (size_t i = 0; i < std::size(kActions); ++i) {
      draw -= weights_[i];
      if (draw < 0) return (this->*kActions[i].act)(Member());
    }
  }

  // What a call may start from: an op on one of them, or a sum of several.
  void Join() {
    ValueId joined = ApplyOp(draft_, Member());
    for (int64_t more = draft_.source().Between(0, 2); more > 0; --more) {
      const ValueId x = Member();
      if (!draft_.IsFloating(joined) || !draft_.RequiresGrad(x)) continue;
      const ValueId sum = SumAll(draft_, joined);
      const ValueId term = SumAll(draft_, x);
      if (sum == kNoValue || term == kNoValue) return;
      joined = OrSelf(draft_.Op(Opcode::kAdd, {sum, term}), joined);
    }
  }

 private:
  ValueId Member() {
    Source& source = draft_.source();
    if (source.Chance(40)) return members_.back();
    return source.Chance(30) ? members_.front() : members_[source.Below(members_.size())];
  }

  void AddViewOf(ValueId x) {
    // Of a part, most times: a view of all that x shows has nothing to get wrong.
    const ValueId view = draft_.source().Chance(50) ? ApplyPart(draft_, x) : ApplyView(draft_, x);
    if (view != x) members_.push_back(view);
  }

  void Write(ValueId x) {
    if (draft_.options().Has(Feature::kInPlace) && draft_.MayWrite(x)) ApplyInPlace(draft_, x);
  }

  bool MayHook(ValueId x) {
    return draft_.options().Has(Feature::kHook) && draft_[x].usable && draft_.RequiresGrad(x);
  }
  void Hook(ValueId x) {
    if (!MayHook(x)) return;
    draft_.Mark(Feature::kHook);
    AddHookOn(draft_, x);
  }
  void Retain(ValueId x) {
    if (draft_.source().Chance(35)) x = members_.front();
    if (!MayHook(x)) return;
    draft_.Mark(Feature::kHook);
    draft_.Add(Opcode::kRetainGrad, {x});
  }

  void Detach(ValueId x) {
    if (!draft_.options().Has(Feature::kNoGrad)) return;
    // Of a part, most times, and with views of its own.
    if (draft_.source().Chance(50)) x = ApplyPart(draft_, x);
    const ValueId detached = draft_.Op(Opcode::kDetach, {x});
    if (detached == kNoValue) return;
    draft_.Mark(Feature::kNoGrad);
    members_.push_back(detached);
    if (draft_.source().Chance(50)) AddViewOf(detached);
  }

  void ActWithoutGrad(ValueId x) {
    if (!draft_.options().Has(Feature::kNoGrad)) return;
    draft_.Mark(Feature::kNoGrad);
    draft_.BeginNoGrad();
    draft_.source().Chance(30) ? Write(x) : AddViewOf(x);
    draft_.EndNoGrad();
  }

  // Of a view that was made without grad mode, or of a view of one: an error.
  void WriteForbidden(ValueId x) {
    const bool errors = draft_.options().Has(Feature::kError) &&
                        draft_.options().Has(Feature::kInPlace) && draft_[x].made_in_no_grad;
    if (!errors || !draft_.Begin(twingrad::program::RegionKind::kTry)) return;
    draft_.Mark(Feature::kError);
    if (draft_.Write(Opcode::kNegInPlace, {x})) draft_.Mark(Feature::kInPlace);
    draft_.Add(Opcode::kEnd, {});
  }

  void Use(ValueId x) { ApplyOp(draft_, x); }

  // What happens, and how many percent of the runs have it: so that most are made of a few things.
  struct Action {
    int percent;
    void (Aliases::*act)(ValueId x);
  };
  static constexpr Action kActions[] = {
      {100, &Aliases::AddViewOf},     {85, &Aliases::Write},  {30, &Aliases::Hook},
      {50, &Aliases::Retain},         {35, &Aliases::Detach}, {35, &Aliases::ActWithoutGrad},
      {20, &Aliases::WriteForbidden}, {30, &Aliases::Use},
  };

  Draft& draft_;
  std::vector<ValueId> members_;
  int weights_[std::size(kActions)] = {};
  int total_ = 0;
};

}  // namespace

void AddAliases(Draft& draft) {
  Source& source = draft.source();
  if (!draft.options().Has(Feature::kView)) return;
  ValueId x = draft.PickDifferentiable();
  // One element has few views.
  if (x == kNoValue || draft.NumElements(x) < 2 || source.Chance(20)) {
    Shape shape = MakeShape(draft);
    shape.push_back(source.Between(2, 3));
    x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = shape, .grad = true});
  }
  if (x == kNoValue) return;
  const bool copies = draft.options().Has(Opcode::kClone) && (draft[x].leaf || source.Chance(60));
  const ValueId base = copies ? draft.Op(Opcode::kClone, {x}) : ApplyOp(draft, x);
  if (base == kNoValue) return;
  Aliases aliases(draft, base);
  for (int64_t i = source.Between(3, 9); i > 0 && draft.HasRoom(2); --i) aliases.Act();
  aliases.Join();
}

}  // namespace twingrad::generators
