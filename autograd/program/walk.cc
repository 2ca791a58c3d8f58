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

  // Runs the statements from `first` to before `last`.
  SectionEnd Run(int32_t first, int32_t last) {
    RunStatements(first, last);
    LeaveDownTo(0);
    return std::move(end_);
  }

 private:
  struct Region {
    RegionKind kind;
    int32_t begin;  // the statement
    bool grad_mode_before;
  };

  void RunStatements(int32_t first, int32_t last) {
    for (int32_t s = first; s < last; ++s) {
      if (!runner_.BeforeStatement(s)) return;
      std::optional<ErrorRecord> error = Step(s);
      if (!error.has_value()) continue;
      if (!IsSurvivable(*error) || !LeaveTryRegion(s)) {
        end_.error = std::move(error);
        return;
      }
      end_.survived.push_back(*std::move(error));
    }
  }

  bool IsSurvivable(const ErrorRecord& error) const {
    return error.error != ErrorKind::kUnsupported && runner_.IsSurvivable(error.error);
  }

  // Moves past a group of sections, to the `end` of its last.
  std::optional<ErrorRecord> RunSections(int32_t& index) {
    const std::vector<Section> sections = SectionsFrom(program_, index);
    std::optional<std::vector<SectionEnd>> ends = runner_.RunSections(sections);
    if (!ends.has_value()) return RefuseRegion(index, RegionKind::kThread);
    index = sections.back().end;
    std::optional<ErrorRecord> error;
    for (SectionEnd& end : *ends) {
      for (ErrorRecord& survived : end.survived) end_.survived.push_back(std::move(survived));
      if (!end.error.has_value()) continue;
      if (IsSurvivable(*end.error)) {
        end_.survived.push_back(*std::move(end.error));
      } else if (!error.has_value()) {
        error = std::move(end.error);
      }
    }
    return error;
  }

  std::optional<ErrorRecord> Step(int32_t& index) {
    switch (program_.statements[index].op) {
      case Opcode::kBegin:
        if (Begins(program_.statements[index], RegionKind::kThread)) return RunSections(index);
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
  SectionEnd end_;
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
  const auto count = static_cast<int32_t>(program.statements.size());
  SectionEnd end = Walker(program, runner).Run(0, count);
  observation.error = std::move(end.error);
  observation.survived = std::move(end.survived);
}

SectionEnd WalkSection(const Program& program, const Section& section, StatementRunner& runner) {
  return Walker(program, runner).Run(section.begin + 1, section.end);
}

}  // namespace twingrad::program
