#include "autograd/program/walk.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/region.h"

namespace twingrad::program {
namespace {

class Walker {
 public:
  Walker(const Program& program, StatementRunner& runner) : program_(program), runner_(runner) {}

  void Run(Observation& observation) {
    RunStatements(observation);
    LeaveDownTo(0);
  }

 private:
  struct Region {
    RegionKind kind;
    int32_t begin;  // the statement
    bool grad_mode_before;
  };

  void RunStatements(Observation& observation) {
    const auto count = static_cast<int32_t>(program_.statements.size());
    for (int32_t s = 0; s < count; ++s) {
      if (!runner_.BeforeStatement(s)) return;
      std::optional<ErrorRecord> error = Step(s);
      if (!error.has_value()) continue;
      const bool survivable =
          error->error != ErrorKind::kUnsupported && runner_.IsSurvivable(error->error);
      if (!survivable || !LeaveTryRegion(s)) {
        observation.error = std::move(error);
        return;
      }
      observation.survived.push_back(*std::move(error));
    }
  }

  std::optional<ErrorRecord> Step(int32_t index) {
    switch (program_.statements[index].op) {
      case Opcode::kBegin:
        return Begin(index);
      case Opcode::kEnd:
        LeaveDownTo(regions_.size() - 1);
        return std::nullopt;
      case Opcode::kExpect:
        return std::nullopt;
      default:
        return runner_.RunStatement(index);
    }
  }

  std::optional<ErrorRecord> Begin(int32_t index) {
    const Region region = {RegionKindOf(program_.statements[index]), index, runner_.grad_mode()};
    if (IsRunners(region.kind)) {
      if (auto error = runner_.EnterRegion(index, region.kind); error.has_value()) return error;
    }
    if (region.kind == RegionKind::kNoGrad) runner_.set_grad_mode(false);
    regions_.push_back(region);
    return std::nullopt;
  }

  static bool IsRunners(RegionKind kind) {
    return kind != RegionKind::kNoGrad && kind != RegionKind::kTry;
  }

  // Leaves regions, the innermost first, until `depth` of them are open.
  void LeaveDownTo(size_t depth) {
    while (regions_.size() > depth) {
      const Region region = regions_.back();
      regions_.pop_back();
      if (IsRunners(region.kind)) runner_.LeaveRegion(region.begin, region.kind);
      runner_.set_grad_mode(region.grad_mode_before);
    }
  }

  // Moves to the end of the innermost try region; false where there is none.
  bool LeaveTryRegion(int32_t& index) {
    size_t depth = regions_.size();
    while (depth > 0 && regions_[depth - 1].kind != RegionKind::kTry) --depth;
    if (depth == 0) return false;
    index = EndOfRegion(program_, regions_[depth - 1].begin);
    LeaveDownTo(depth - 1);
    return true;
  }

  const Program& program_;
  StatementRunner& runner_;
  std::vector<Region> regions_;
};

}  // namespace

ErrorRecord RefuseRegion(int32_t begin, RegionKind kind) {
  return {ErrorKind::kUnsupported, begin,
          absl::StrCat("[program] a region of kind=", RegionKindName(kind),
                       " is not run by this engine; leave it out")};
}

std::optional<ErrorRecord> StatementRunner::EnterRegion(int32_t begin, RegionKind kind) {
  return RefuseRegion(begin, kind);
}

void StatementRunner::LeaveRegion(int32_t, RegionKind) {}

void Walk(const Program& program, StatementRunner& runner, Observation& observation) {
  Walker(program, runner).Run(observation);
}

}  // namespace twingrad::program
