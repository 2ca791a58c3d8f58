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

 private:
  struct Region {
    RegionKind kind;
    bool grad_mode_before;
    int32_t end;  // the statement that ends it
  };

  std::optional<ErrorRecord> Step(int32_t index) {
    switch (program_.statements[index].op) {
      case Opcode::kBegin:
        return Begin(index);
      case Opcode::kEnd:
        runner_.set_grad_mode(regions_.back().grad_mode_before);
        regions_.pop_back();
        return std::nullopt;
      case Opcode::kExpect:
        return std::nullopt;
      default:
        return runner_.RunStatement(index);
    }
  }

  std::optional<ErrorRecord> Begin(int32_t index) {
    const RegionKind kind = RegionKindOf(program_.statements[index]);
    switch (kind) {
      case RegionKind::kThread:
      case RegionKind::kAnomaly:
      case RegionKind::kSavedTensorHooks:
        return ErrorRecord{ErrorKind::kUnsupported, index,
                           absl::StrCat("[program] a region of kind=", RegionKindName(kind),
                                        " is not run by this engine; leave it out")};
      case RegionKind::kNoGrad:
      case RegionKind::kTry:
        break;
    }
    regions_.push_back({kind, runner_.grad_mode(), EndOfRegion(program_, index)});
    if (kind == RegionKind::kNoGrad) runner_.set_grad_mode(false);
    return std::nullopt;
  }

  // Moves to the end of the innermost try region; false where there is none.
  bool LeaveTryRegion(int32_t& index) {
    size_t depth = regions_.size();
    while (depth > 0 && regions_[depth - 1].kind != RegionKind::kTry) --depth;
    if (depth == 0) return false;
    const Region& region = regions_[depth - 1];
    index = region.end;
    runner_.set_grad_mode(region.grad_mode_before);
    regions_.resize(depth - 1);
    return true;
  }

  const Program& program_;
  StatementRunner& runner_;
  std::vector<Region> regions_;
};

}  // namespace

void Walk(const Program& program, StatementRunner& runner, Observation& observation) {
  Walker(program, runner).Run(observation);
}

}  // namespace twingrad::program
