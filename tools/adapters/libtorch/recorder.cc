#include "tools/adapters/libtorch/recorder.h"

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
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

// Nobody reads where a node was made, and naming the frames took half of all time.
struct WithoutStack : torch::autograd::AnomalyMetadata {
  void store_stack() override {}
};

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

  std::unique_ptr<torch::autograd::AnomalyMetadata> make_anomaly_metadata() override {
    return std::make_unique<WithoutStack>();
  }

  SavedHooks get_default_saved_variable_hooks() override {
    return Current() == nullptr ? nullptr : Current()->MakeSavedHooks();
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

SavedHooks Recorder::MakeSavedHooks() const {
  return saved_hooks_ == nullptr ? nullptr : saved_hooks_();
}

Recorder::Call::Call(Recorder& recorder, CallRecord record) : recorder_(recorder) {
  record.outer = recorder.open_.empty() ? -1 : recorder.open_.back().call;
  recorder.open_.emplace_back().call = static_cast<int32_t>(recorder.calls_.size());
  recorder.calls_.push_back(std::move(record));
}

Recorder::Call::~Call() { recorder_.open_.pop_back(); }

void Recorder::Call::Expect(std::vector<at::Tensor> inputs, std::function<void()> before_graph) {
  recorder_.open_.back().inputs = std::move(inputs);
  recorder_.open_.back().before_graph = std::move(before_graph);
}

void Recorder::Open::Collect(Node* top) {
  std::vector<Node*> open = {top};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node == nullptr || !index.emplace(node, nodes.size()).second) continue;
    nodes.push_back(node);
    const auto& edges = node->next_edges();
    for (auto it = edges.rbegin(); it != edges.rend(); ++it) open.push_back(it->function.get());
  }
}

program::EdgeRecord Recorder::Open::EdgeOf(Node* node, uint32_t input_nr) const {
  const auto it = node == nullptr ? index.end() : index.find(node);
  if (it == index.end()) return {};
  return {it->second, static_cast<int32_t>(input_nr)};
}

// Where hooks run first, a node that is needed is heard before them; one that is not, when it runs
// all the same.
void Recorder::Listen(Open& open, Node* node, bool needed) {
  const void* leaf = LeafOf(node);
  const void* key = leaf == nullptr ? node : leaf;
  open.run[key] = {open.index.at(node), needed};
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
  if (open_.empty() || open_.back().before_graph == nullptr) return;  // nobody announced it
  std::exchange(open_.back().before_graph, nullptr)();
  Open& open = open_.back();
  CallRecord& call = calls_[open.call];
  open.Collect(root);
  std::vector<std::pair<Node*, uint32_t>> inputs;
  for (const at::Tensor& input : open.inputs) {
    // As they are: to ask for the edge could make a new accumulator.
    Node* node = torch::autograd::impl::grad_fn_unsafe(input);
    const auto leaf = torch::autograd::impl::try_get_grad_accumulator(input);
    if (node == nullptr) node = leaf.get();
    inputs.emplace_back(node, node == leaf.get() ? 0 : input.output_nr());
    if (node != nullptr) open.Collect(node);
  }
  for (Node* node : open.nodes) {
    program::NodeRecord record;
    record.name = names_.NameOf(node, call.statement);
    record.num_inputs = static_cast<int32_t>(node->num_inputs());
    for (const auto& edge : node->next_edges()) {
      record.next_edges.push_back(open.EdgeOf(edge.function.get(), edge.input_nr));
    }
    call.nodes.push_back(std::move(record));
    const auto count = task.dependencies_.find(node);
    call.dependencies.push_back(count == task.dependencies_.end() ? -1 : count->second);
    const auto info = task.exec_info_.find(node);
    const bool needed = info != task.exec_info_.end() && info->second.needed_;
    if (!task.exec_info_.empty()) call.needed.push_back(needed);
    Listen(open, node, task.exec_info_.empty() || needed);
  }
  if (call.nodes[0].name.role == program::NodeRole::kGraphRoot) {
    call.roots = call.nodes[0].next_edges;
  } else {
    call.roots = {{0, 0}};
  }
  for (const auto& [node, input_nr] : inputs) call.inputs.push_back(open.EdgeOf(node, input_nr));
}

void Recorder::NoteRun(const void* key, bool first) {
  if (open_.empty()) return;
  const Open& open = open_.back();
  const auto it = open.run.find(key);
  if (it == open.run.end()) return;
  if (kHasHooks && first != it->second.needed) return;
  calls_[open.call].executed.push_back(it->second.index);
}

void Recorder::NoteHook(int32_t statement, Node* node, const at::Tensor& gradient) {
  if (open_.empty()) return;
  const Open& open = open_.back();
  auto& record = calls_[open.call].hooks.emplace_back();
  const auto it = open.index.find(node);
  record.node = it == open.index.end() ? -1 : it->second;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (gradient.defined()) record.gradient = DataOf(gradient);
}

void Recorder::NoteCallback(int32_t statement) {
  if (!open_.empty()) calls_[open_.back().call].hooks.push_back({-1, statement, false, {}});
}

}  // namespace twingrad::libtorch
