// Which stream waits for which. See gradient_streams.h.

#include "autograd/engine/gradient_streams.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/device.h"
#include "autograd/device/order_after.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/warning.h"

namespace twingrad {
namespace {

bool IsOnDevice(const NodeState& state) {
  return state.Executes() && !state.node->device().IsCpu();
}

// Whether work of the task is queued on several streams of one device: on those of its nodes, and
// on the caller's current ones.
bool UsesSeveralStreams(const GraphTask& task) {
  return std::any_of(task.states().begin(), task.states().end(), [](const NodeState& state) {
    return IsOnDevice(state) && state.node->stream() != CurrentStream(state.node->device());
  });
}

// Whether there is nothing on any device that a stream could wait for.
bool IsNowhere(const Tensor& gradient) { return !gradient.defined() || gradient.device().IsCpu(); }

// Where a node takes, or gives, what lies on `device`: on its own stream if that is the device's.
// Else, for a node of the CPU that copies from or to the device, on the thread's current one.
Stream StreamAt(const Node& node, Device device) {
  return node.device() == device ? node.stream() : CurrentStream(device);
}

// Of the caller's work on the node's device, where nothing that the node is given lies there; null
// where that is on the node's stream.
std::unique_ptr<Event> EventOfCaller(const Node& node, const Tensor& gradient) {
  if (node.device().IsCpu()) return nullptr;
  if (gradient.defined() && gradient.device() == node.device()) return nullptr;
  const Stream current = CurrentStream(node.device());
  return current == node.stream() ? nullptr : RecordedEvent(current);
}

// Of the accumulator of a leaf, whose gradient comes from another stream.
void WarnIfLeaf(const Node& node, const Stream& from, const Tensor& gradient) {
  if (node.sequence_nr() != kAccumulateOrderKey) return;
  Warn(absl::StrCat("[engine] the gradient of a leaf of shape ", ShapeToString(gradient.sizes()),
                    " comes from ", from.ToString(), " and is added on ", node.stream().ToString(),
                    ", which was current when the leaf was first used; in each call the one waits "
                    "for the other; use the leaf first on the stream that its gradients come from, "
                    "or leave warn_of_leaf_streams off"));
}

}  // namespace

std::unique_ptr<GradientStreams> GradientStreams::Of(const GraphTask& task, bool warns_of_leaves) {
  if (!Node::DevicesAreUsed()) return nullptr;
  if (std::none_of(task.states().begin(), task.states().end(), IsOnDevice)) return nullptr;
  return std::unique_ptr<GradientStreams>(new GradientStreams(task, warns_of_leaves));
}

GradientStreams::GradientStreams(const GraphTask& task, bool warns_of_leaves)
    : caller_(CurrentStreams()),
      has_several_(UsesSeveralStreams(task)),
      warns_of_leaves_(warns_of_leaves) {
  uint32_t places = 0;
  first_place_.reserve(task.states().size());
  for (const NodeState& state : task.states()) {
    first_place_.push_back(places);
    places += state.node->num_inputs();
  }
  places_.resize(places);
}

void GradientStreams::AddSeed(const Node& root, uint32_t input_nr, const Tensor& seed) {
  Place& place = PlaceOf(0, input_nr);
  if (auto event = EventOfCaller(root, seed)) place.without_gradient.push_back(std::move(event));
  if (IsNowhere(seed)) return;
  place.sum = StreamAt(root, seed.device());
  place.ready = CurrentStream(seed.device());
  if (place.ready != place.sum) place.event = RecordedEvent(place.ready);
}

GradientStreams::Arrival GradientStreams::ArrivalOf(const Node& producer, const Node& consumer,
                                                    const Tensor& gradient) {
  Arrival arrival;
  if (producer.device() != consumer.device()) arrival.caller = EventOfCaller(consumer, gradient);
  if (IsNowhere(gradient)) {
    if (producer.device().IsCpu() || consumer.device().IsCpu()) return arrival;
    arrival.stream = producer.stream();
    if (arrival.stream != consumer.stream()) arrival.event = RecordedEvent(arrival.stream);
    return arrival;
  }
  // What a node gives on another device than its own is ready on that device's current stream,
  // which has waited for the copy (tensor/kernels/copy.cc).
  arrival.stream = StreamAt(producer, gradient.device());
  if (arrival.stream != StreamAt(consumer, gradient.device())) {
    arrival.event = RecordedEvent(arrival.stream);
  }
  return arrival;
}

GradientStreams::Arrivals GradientStreams::ArrivalsOf(const GraphTask& task, const Node& producer,
                                                      const VariableList& gradients) {
  const Span<const Edge> edges = producer.next_edges();
  Arrivals arrivals(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid()) continue;
    const NodeState& taker = task.states()[task.TargetOf(producer, edges[i])];
    if (taker.Executes()) arrivals[i] = ArrivalOf(producer, *taker.node, gradients[i]);
  }
  return arrivals;
}

GradientStreams::SumScope::SumScope(GradientStreams& streams, uint32_t index, const Node& consumer,
                                    uint32_t input_nr, const Tensor& sum, const Tensor& gradient,
                                    Arrival arrival)
    : label_("the sum of gradients", streams.statement_) {
  Place& place = streams.PlaceOf(index, input_nr);
  if (arrival.caller != nullptr) place.without_gradient.push_back(std::move(arrival.caller));
  if (IsNowhere(gradient)) {
    if (arrival.event != nullptr) place.without_gradient.push_back(std::move(arrival.event));
    return;
  }
  if (arrival.event != nullptr && !place.other) place.other = arrival.stream;
  if (!sum.defined()) {
    place.sum = StreamAt(consumer, gradient.device());
    place.ready = arrival.stream;
    place.event = std::move(arrival.event);
    return;
  }
  if (streams.has_several_) reuse_ = place.is_sum ? Reuse::kOfSum : Reuse::kNone;
  place.is_sum = true;
  if (arrival.event != nullptr) arrival.event->MakeWait(place.sum);
  if (place.event != nullptr) std::exchange(place.event, nullptr)->MakeWait(place.sum);
  place.ready = place.sum;
  stream_.emplace(place.sum);
}

GradientStreams::NodeScope::NodeScope(GradientStreams& streams, uint32_t index, const Node& node,
                                      const VariableList& gradients)
    : label_(node.name(), streams.statement_) {
  for (uint32_t i = 0; i < gradients.size(); ++i) {
    const Place& place = streams.PlaceOf(index, i);
    for (const auto& event : place.without_gradient) event->MakeWait(node.stream());
    if (!gradients[i].defined() || gradients[i].device().IsCpu()) continue;
    if (streams.has_several_ && !place.is_sum) shared_.push_back(gradients[i]);
    if (place.event != nullptr) place.event->MakeWait(StreamAt(node, gradients[i].device()));
    if (streams.warns_of_leaves_ && place.other) WarnIfLeaf(node, *place.other, gradients[i]);
  }
  if (!node.device().IsCpu()) stream_.emplace(node.stream());
}

void GradientStreams::Finish(const GraphTask& task) const {
  InlinedVector<Stream, 8> streams;
  for (const NodeState& state : task.states()) {
    if (IsOnDevice(state)) streams.push_back(state.node->stream());
  }
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
  for (const Stream& stream : streams) OrderAfter(CurrentStream(stream.device), stream);
}

}  // namespace twingrad
