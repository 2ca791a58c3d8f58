#include "tools/adapters/libtorch/recorder.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

#include "tools/adapters/libtorch/tensor_data.h"

namespace twingrad::libtorch {
namespace {

using program::CallRecord;
using torch::autograd::GraphTask;
using torch::autograd::variable_list;

// The recorder of the Program that runs; hooks may outlive it with their nodes.
Recorder*& Current() {
  static Recorder* current = nullptr;
  return current;
}

// libtorch's engine with an ear at the door: Engine::execute prepares a task and then calls this
// function, which shows the task to the recorder and goes on.
class RecordingEngine : public torch::autograd::Engine {
 public:
  RecordingEngine() = default;
  ~RecordingEngine() override { stop(); }

  c10::intrusive_ptr<at::ivalue::Future> execute_with_graph_task(
      const std::shared_ptr<GraphTask>& task, NodePtr root,
      torch::autograd::InputBuffer&& input) override {
    if (Current() != nullptr) Current()->OnTask(root.get(), *task);
    return Engine::execute_with_graph_task(task, std::move(root), std::move(input));
  }
};

torch::autograd::Engine& TheEngine() {
  static RecordingEngine engine;
  return engine;
}

// Tells that its node runs.
struct Listener : torch::autograd::FunctionPreHook {
  Listener(const void* listened, bool before_all) : key(listened), first(before_all) {}
  variable_list operator()(const variable_list& grads) override {
    if (Current() != nullptr) Current()->NoteRun(key, first);
    return grads;
  }
  const void* key;
  bool first;
};

// The hooks that run before all others of a node. Those of an accumulator are its leaf's.
auto& FirstHooks(Node& node) {
#if TORCH_VERSION_MAJOR >= 2
  return node.tensor_pre_hooks();
#else
  return node.pre_hooks();
#endif
}

// The leaf whose hooks an accumulator runs.
const void* LeafOf(Node* node) {
  const auto* accumulate =
      kHasHooks ? dynamic_cast<torch::autograd::AccumulateGrad*>(node) : nullptr;
  return accumulate == nullptr ? nullptr : accumulate->variable.unsafeGetTensorImpl();
}

}  // namespace

void InstallRecordingEngine() { torch::autograd::set_default_engine_stub(&TheEngine); }

Recorder::Recorder(const NodeNames& names, std::vector<CallRecord>& calls)
    : names_(names), calls_(calls) {
  Current() = this;
}

Recorder::~Recorder() { Current() = nullptr; }

void Recorder::BeginCall(CallRecord record) {
  calls_.push_back(std::move(record));
  recording_ = false;
  nodes_.clear();
  index_.clear();
  run_.clear();
}

void Recorder::SetInputs(std::vector<at::Tensor> inputs, std::function<void()> before_graph) {
  inputs_ = std::move(inputs);
  before_graph_ = std::move(before_graph);
  recording_ = true;
}

void Recorder::Collect(Node* top) {
  std::vector<Node*> open = {top};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node == nullptr || !index_.emplace(node, nodes_.size()).second) continue;
    nodes_.push_back(node);
    const auto& edges = node->next_edges();
    for (auto it = edges.rbegin(); it != edges.rend(); ++it) open.push_back(it->function.get());
  }
}

program::EdgeRecord Recorder::EdgeOf(Node* node, uint32_t input_nr) const {
  const auto it = node == nullptr ? index_.end() : index_.find(node);
  if (it == index_.end()) return {};
  return {it->second, static_cast<int32_t>(input_nr)};
}

// Where hooks run first, a node that is needed is heard before them; one that is not, when it runs
// all the same.
void Recorder::Listen(Node* node, bool needed) {
  const void* leaf = LeafOf(node);
  const void* key = leaf == nullptr ? node : leaf;
  run_[key] = {index_.at(node), needed};
  Hooked& hooked = hooked_[node];
  const bool fresh = hooked.node.expired();
  if (fresh) hooked.node = Weak(Hold(node));
  if (fresh && kHasHooks) {
    node->pre_hooks().insert(node->pre_hooks().begin(), std::make_unique<Listener>(key, false));
  }
  if (leaf == nullptr ? !fresh : !leaves_.insert(leaf).second) return;
  auto& hooks = FirstHooks(*node);
  hooks.insert(hooks.begin(), std::make_unique<Listener>(key, true));
}

void Recorder::OnTask(Node* root, const GraphTask& task) {
  if (!recording_ || !nodes_.empty()) return;  // a task inside the call's own
  before_graph_();
  CallRecord& call = calls_.back();
  Collect(root);
  std::vector<std::pair<Node*, uint32_t>> inputs;
  for (const at::Tensor& input : inputs_) {
    // As they are: to ask for the edge could make a new accumulator.
    Node* node = torch::autograd::impl::grad_fn_unsafe(input);
    const auto leaf = torch::autograd::impl::try_get_grad_accumulator(input);
    if (node == nullptr) node = leaf.get();
    inputs.emplace_back(node, node == leaf.get() ? 0 : input.output_nr());
    if (node != nullptr) Collect(node);
  }
  for (Node* node : nodes_) {
    program::NodeRecord record;
    record.name = names_.NameOf(node, call.statement);
    record.num_inputs = static_cast<int32_t>(node->num_inputs());
    for (const auto& edge : node->next_edges()) {
      record.next_edges.push_back(EdgeOf(edge.function.get(), edge.input_nr));
    }
    call.nodes.push_back(std::move(record));
    const auto count = task.dependencies_.find(node);
    call.dependencies.push_back(count == task.dependencies_.end() ? -1 : count->second);
    const auto info = task.exec_info_.find(node);
    const bool needed = info != task.exec_info_.end() && info->second.needed_;
    if (!task.exec_info_.empty()) call.needed.push_back(needed);
    Listen(node, task.exec_info_.empty() || needed);
  }
  if (call.nodes[0].name.role == program::NodeRole::kGraphRoot) {
    call.roots = call.nodes[0].next_edges;
  } else {
    call.roots = {{0, 0}};
  }
  for (const auto& [node, input_nr] : inputs) call.inputs.push_back(EdgeOf(node, input_nr));
}

void Recorder::NoteRun(const void* key, bool first) {
  const auto it = run_.find(key);
  if (!recording_ || it == run_.end()) return;
  if (kHasHooks && first != it->second.needed) return;
  calls_.back().executed.push_back(it->second.index);
}

void Recorder::NoteHook(int32_t statement, Node* node, const at::Tensor& gradient) {
  if (!recording_) return;
  auto& record = calls_.back().hooks.emplace_back();
  const auto it = index_.find(node);
  record.node = it == index_.end() ? -1 : it->second;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (gradient.defined()) record.gradient = DataOf(gradient);
}

}  // namespace twingrad::libtorch
