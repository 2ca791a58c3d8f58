// GradientStreams: on which streams the gradients of one call become ready, are added and are read.
//
// A node with a device runs on its own stream, that of its forward operation; so nodes of one
// device may run beside each other there, although one thread queues them. What orders them:
//
//   - a gradient is ready on the stream of the node that gave it; where the node that takes it is
//     on another, an event is recorded there at once;
//   - sums are made on the stream of the node that takes them, which waits for each contribution as
//     it is added, and no sooner: work that was queued there before may overlap the rest;
//   - a node waits for what it takes right before it runs, and for the streams of nodes that gave
//     it nothing that lies on a device; where nodes of other devices gave it nothing on its own,
//     and for a root, also for the caller's current stream there: all that a node does is work of
//     the call;
//   - at the end, failed or not, the caller's current streams wait for those of all nodes: to the
//     caller the call is work of its current streams.
//
// Without nodes on devices there is no such object. The rules are PyTorch's of 2.8 (rows I8 to I10
// and O1 to O3 of autograd/semantics), but that PyTorch ends by waiting for the streams of leaves
// and captures alone, and of calls that succeed. Memory that another stream uses than its own is
// recorded there by the tensor layer.
//
// Threads: made by the caller before the nodes run. The place of a sum is written by who adds to
// it, one after the other in the run's order, then read by who takes it; all else is constant.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/stream.h"
#include "autograd/engine/accumulate.h"
#include "autograd/graph/node.h"

namespace twingrad {

class GraphTask;

class GradientStreams {
 public:
  // Where a gradient is ready, once it has been computed.
  struct Arrival {
    Stream stream;
    std::unique_ptr<Event> event;  // null where the node that takes it is on that stream too
    // Of a node of another device, which gives nothing on the taker's: of what the caller did
    // there.
    std::unique_ptr<Event> caller;
  };

  // For a task whose nodes are known; null where none that executes is on a device. On the thread
  // of the caller, whose current streams are those of the call. `warns_of_leaves`: that gradients
  // come to them from other streams.
  static std::unique_ptr<GradientStreams> Of(const GraphTask& task, bool warns_of_leaves);

  const std::vector<Stream>& caller() const { return caller_; }
  // Whether work of the call is queued on several streams of one device.
  bool has_several() const { return has_several_; }

  // The seed of input `input_nr` of the root, node 0, made on the caller's streams.
  void AddSeed(const Node& root, uint32_t input_nr, const Tensor& seed);
  // Of the gradients that `producer` has just given, by output; on the thread that evaluated it,
  // before any of them is added, so that nothing waits for sums that are made on its stream.
  using Arrivals = InlinedVector<Arrival, 2>;
  static Arrivals ArrivalsOf(const GraphTask& task, const Node& producer,
                             const VariableList& gradients);
  // For adding a gradient to the sum for input `input_nr` of node `index`, or making it that. Waits
  // for both.
  class [[nodiscard]] SumScope {
   public:
    SumScope(GradientStreams& streams, uint32_t index, const Node& consumer, uint32_t input_nr,
             const Tensor& sum, const Tensor& gradient, Arrival arrival);

    // Not the memory of what nodes gave: one on another stream may have been given it too, and be
    // queued to read it still, although it no longer holds it.
    Reuse reuse() const { return reuse_; }

   private:
    Reuse reuse_ = Reuse::kOfBoth;
    WorkLabelGuard label_;
    std::optional<StreamGuard> stream_;
  };
  // The calling thread's streams and label for the evaluation of a node. Waits for its gradients,
  // and holds those that it must not write or keep, for the reason above.
  class [[nodiscard]] NodeScope {
   public:
    NodeScope(GradientStreams& streams, uint32_t index, const Node& node,
              const VariableList& gradients);

   private:
    WorkLabelGuard label_;
    std::optional<StreamGuard> stream_;
    std::vector<Tensor> shared_;
  };
  // Makes the caller's streams wait for all that the nodes did. On the caller's thread.
  void Finish(const GraphTask& task) const;

 private:
  // A sum that grows, or the one gradient there is.
  struct Place {
    Stream sum;                    // where contributions are added
    Stream ready;                  // where the value is ready so far
    std::unique_ptr<Event> event;  // when, where `ready` is not the consumer's
    bool is_sum = false;           // made here, and seen by nobody
    std::optional<Stream> other;   // whence the first gradient of another stream came
    // Of nodes on other streams that gave nothing on a device, and of the caller: what they did
    // comes before the consumer too.
    std::vector<std::unique_ptr<Event>> without_gradient;
  };

  GradientStreams(const GraphTask& task, bool warns_of_leaves);
  static Arrival ArrivalOf(const Node& producer, const Node& consumer, const Tensor& gradient);
  Place& PlaceOf(uint32_t index, uint32_t input_nr) {
    return places_[first_place_[index] + input_nr];
  }

  const std::vector<Stream> caller_;
  const int32_t statement_ = CurrentWorkStatement();  // whose work the call is
  const bool has_several_;                            // streams of one device
  const bool warns_of_leaves_;
  std::vector<uint32_t> first_place_;  // by node
  std::vector<Place> places_;
};

}  // namespace twingrad
