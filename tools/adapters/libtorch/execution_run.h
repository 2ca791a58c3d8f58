// One run of a Program on libtorch: its values, hooks, regions and calls, and what is seen of them.
//
// The inside of execution.h. Statements and calls are in execution.cc; hooks, custom functions, the
// calls that these make, and regions in execution_hooks.cc. One thread at a
// time: sections run on threads of their own, one after another.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"
#include "autograd/program/walk.h"
#include "tools/adapters/libtorch/custom.h"
#include "tools/adapters/libtorch/hooks.h"
#include "tools/adapters/libtorch/node_names.h"
#include "tools/adapters/libtorch/recorder.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

class Execution : private program::StatementRunner {
 public:
  explicit Execution(const program::Program& program)
      : program_(program),
        recorder_(names_, observation_.calls),
        values_(program.names.size()),
        defined_at_(program.names.size(), -1) {}

  program::Observation Run();

 private:
  bool BeforeStatement(int32_t index) override {
    statement_ = index;
    return true;
  }
  std::optional<program::ErrorRecord> RunStatement(int32_t index) override;
  // Errors that libtorch words in an unknown way are kInternal, and end a try region as others do.
  bool IsSurvivable(ErrorKind) const override { return true; }
  // One after another, each on a thread of its own.
  std::optional<std::vector<program::SectionEnd>> RunSections(
      const std::vector<program::Section>& sections) override;
  bool grad_mode() const override { return at::GradMode::is_enabled(); }
  void set_grad_mode(bool enabled) override { at::GradMode::set_enabled(enabled); }
  std::optional<program::ErrorRecord> EnterRegion(int32_t begin, program::RegionKind kind) override;
  void LeaveRegion(int32_t begin, program::RegionKind kind) override;

  void SetSavedHooks();

  void Dispatch(const program::Statement& statement);
  void Leaf(const program::Statement& statement);
  void MakeRowMajor(const program::Statement& statement, at::Tensor* result);
  void Gradient(const program::Statement& statement);
  void AddHook(const program::Statement& statement);
  void AddRecordingHook(program::ValueId target, int32_t at);
  void RemoveHook(const std::string& id);
  void Act(const program::Statement& statement, int32_t at);
  void RunNestedBackward(program::ValueId target, int32_t at);
  void Custom(const program::Statement& statement);
  void Call(const program::Statement& statement);
  std::vector<at::Tensor> ValuesOf(const program::Statement& statement, program::Key key) const;
  std::vector<at::Tensor> Seeds(const program::Statement& statement,
                                const std::vector<at::Tensor>& roots) const;
  void Define(program::ValueId id, at::Tensor value);
  void NoteValue(program::ValueId id);
  void NoteWrite(program::ValueId id);
  void NoteRegenerated(program::ValueId id);
  void NoteOldNode(const program::Statement& statement);
  void NoteAll();
  void NoteGradients(const program::Statement& statement);
  at::Tensor Defined(program::ValueId id) const;
  program::Observation Observe();

  const program::Program& program_;
  program::Observation observation_;
  NodeNames names_;
  Recorder recorder_;
  std::vector<at::Tensor> values_;
  std::vector<int32_t> defined_at_;
  std::map<std::string, std::shared_ptr<ProgramHook>> hooks_;  // by id=
  std::vector<NodePtr> hooked_;
  std::deque<CustomState> customs_;  // at fixed addresses
  std::vector<Node*> running_;       // custom functions, innermost last
  std::vector<int32_t> nested_;      // the statements whose hooks are making calls, innermost last
  int32_t statement_ = -1;
  std::vector<bool> anomaly_before_;  // of each region of kind=anomaly that is open
  std::vector<int32_t> saved_hooks_;  // the `begin` of each such region that is open
};

// The node that made the tensor, as it is; null for a leaf.
NodePtr GradFn(const at::Tensor& tensor);

}  // namespace twingrad::libtorch
