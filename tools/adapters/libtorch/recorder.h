// Recorder: fills the call records of an Observation from what the recording engine shows.

#ifndef TOOLS_ADAPTERS_LIBTORCH_RECORDER_H_
#define TOOLS_ADAPTERS_LIBTORCH_RECORDER_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "autograd/program/observation.h"
#include "tools/adapters/libtorch/node_names.h"
#include "tools/adapters/libtorch/recording_engine.h"

namespace twingrad::adapters::libtorch {

class Recorder {
 public:
  Recorder(const NodeNames& names, std::vector<autograd::program::CallRecord>& calls);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A call begins, which may yet be refused.
  void BeginCall(autograd::program::CallRecord record);
  // It goes on with the tensors of inputs=. `before_graph` runs when the graph is complete, before
  // it is recorded.
  void SetInputs(std::vector<at::Tensor> inputs, std::function<void()> before_graph);
  // The call is over: tasks that come now are recorded nowhere.
  void EndCall() { recording_ = false; }
  // A node begins to run.
  void NoteRun(torch::autograd::Node* node);

 private:
  struct Hooked {
    std::weak_ptr<torch::autograd::Node> node;
  };

  void OnTask(const TaskView& task);
  void Collect(torch::autograd::Node* top);
  autograd::program::EdgeRecord EdgeOf(torch::autograd::Node* node, uint32_t input_nr) const;
  void Listen(torch::autograd::Node* node);

  const NodeNames& names_;
  std::vector<autograd::program::CallRecord>& calls_;
  std::vector<at::Tensor> inputs_;
  std::function<void()> before_graph_;
  bool recording_ = false;
  std::vector<torch::autograd::Node*> nodes_;
  std::unordered_map<torch::autograd::Node*, int32_t> index_;
  std::unordered_map<torch::autograd::Node*, Hooked> hooked_;
};

}  // namespace twingrad::adapters::libtorch

#endif  // TOOLS_ADAPTERS_LIBTORCH_RECORDER_H_
