#include "tools/adapters/libtorch/recording_engine.h"

#include <memory>
#include <utility>

namespace twingrad::libtorch {
namespace {

using torch::autograd::Engine;

std::function<void(const TaskView&)>& Observer() {
  static std::function<void(const TaskView&)> observer;
  return observer;
}

class RecordingEngine : public Engine {
 public:
  RecordingEngine() = default;
  ~RecordingEngine() override { stop(); }

  c10::intrusive_ptr<at::ivalue::Future> execute_with_graph_task(
      const std::shared_ptr<torch::autograd::GraphTask>& task, NodePtr root,
      torch::autograd::InputBuffer&& input) override {
    if (Observer() != nullptr) Observer()({root.get(), task->dependencies_, task->exec_info_});
    return Engine::execute_with_graph_task(task, std::move(root), std::move(input));
  }
};

Engine& TheEngine() {
  static RecordingEngine engine;
  return engine;
}

}  // namespace

void InstallRecordingEngine() { torch::autograd::set_default_engine_stub(&TheEngine); }

void SetObserver(std::function<void(const TaskView&)> observer) {
  Observer() = std::move(observer);
}

}  // namespace twingrad::libtorch
