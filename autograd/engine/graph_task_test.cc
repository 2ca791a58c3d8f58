// Dependency counts, claims, needed nodes, ranks and ids of tasks.

#include "autograd/engine/graph_task.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/dependencies.h"
#include "autograd/engine/task_id.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

// root -> left, right -> left again -> leaf, twice from left.
struct Diamond {
  NodePtr leaf = MakePass({});
  NodePtr left = MakePass({Edge(leaf, 0), Edge(leaf, 0)});
  NodePtr right = MakePass({Edge(left, 0), Edge()});
  NodePtr root = MakePass({Edge(left, 0), Edge(right, 0)});
};

class Prepared {
 public:
  explicit Prepared(std::vector<Edge> roots, std::vector<Edge> outputs = {}, bool accumulate = true)
      : roots_(std::move(roots)),
        outputs_(std::move(outputs)),
        seeds_(roots_.size(), Tensor::Scalar(1)),
        task_({roots_, seeds_, false, false, accumulate, outputs_}, nullptr) {
    ComputeDependencies(task_);
    MarkNeeded(task_);
  }
  GraphTask& operator*() { return task_; }
  GraphTask* operator->() { return &task_; }
  uint32_t PendingOf(const NodePtr& node) {
    return task_.states()[task_.IndexOf(node.get())].pending;
  }
  uint32_t FlagsOf(const NodePtr& node) {
    return task_.states()[task_.IndexOf(node.get())].flags & NodeState::kExecutes;
  }

 private:
  std::vector<Edge> roots_;
  std::vector<Edge> outputs_;
  std::vector<Tensor> seeds_;
  GraphTask task_;
};

// Graphs of any shape, some of whose nodes are met before nodes that lead to them; outputs that
// accumulate and outputs that are captured. What is needed is what leads to an output.
TEST(DependenciesTest, WhatLeadsToAnOutputIsNeededInGraphsOfAnyShape) {
  std::minstd_rand draw(11);
  int needed = 0, spared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<NodePtr> nodes = {MakePass({})};
    while (nodes.size() < 3 + draw() % 12) {
      std::vector<Edge> edges;
      for (unsigned i = draw() % 4; i > 0; --i) {
        edges.push_back(draw() % 5 == 0 ? Edge() : Edge(nodes[draw() % nodes.size()], 0));
      }
      nodes.push_back(MakePass(edges));
    }
    std::vector<Edge> outputs;
    std::set<const Node*> wanted;
    for (unsigned i = 1 + draw() % 2; i > 0; --i) {
      outputs.emplace_back(nodes[draw() % nodes.size()], 0);
      wanted.insert(outputs.back().function.get());
    }
    const bool accumulate = draw() % 2 == 0;
    Prepared task({Edge(nodes.back(), 0)}, outputs, accumulate);
    // Children first: they were made first.
    std::set<const Node*> executes = wanted;
    for (const NodePtr& node : nodes) {
      const bool leads = std::ranges::any_of(node->next_edges(), [&](const Edge& edge) {
        return executes.count(edge.function.get()) > 0;
      });
      if (leads) executes.insert(node.get());
      if (task->IndexOf(node.get()) == GraphTask::kNotFound) continue;
      const bool applies = leads || (accumulate && wanted.count(node.get()) > 0);
      EXPECT_EQ((task.FlagsOf(node) & NodeState::kApply) != 0, applies) << trial;
      ++(applies ? needed : spared);
    }
  }
  EXPECT_GT(needed, 200);
  EXPECT_GT(spared, 200);
}

// The arrays of a large graph serve the next one of that size. A thread that has turned to small
// graphs holds them no longer.
TEST(TaskArraysTest, ArraysOfALargeGraphAreKeptForThoseThatUseThem) {
  constexpr size_t kLarge = 400'000;
  const auto use = [](size_t states) {
    std::unique_ptr<TaskArrays> arrays = TaskArrays::Take();
    EXPECT_TRUE(arrays->states.empty());
    const size_t room = arrays->states.capacity();
    arrays->states.resize(states);
    for (uint32_t i = 0; i < states; ++i) arrays->ready.Push(i, i);
    TaskArrays::GiveBack(std::move(arrays));
    return room;
  };
  use(kLarge);
  EXPECT_GE(use(kLarge / 3), kLarge);
  EXPECT_GE(use(10), kLarge);
  EXPECT_LT(use(10), kLarge);
}

// Rules: D2, D4.
TEST(DependenciesTest, EveryEdgeCounts) {
  Diamond d;
  Prepared task({Edge(d.root, 0)});
  EXPECT_EQ(task->states().size(), 4u);
  EXPECT_EQ(task->IndexOf(d.root.get()), 0u);
  EXPECT_EQ(task.PendingOf(d.root), 0u);
  EXPECT_EQ(task.PendingOf(d.left), 2u);
  EXPECT_EQ(task.PendingOf(d.right), 1u);
  EXPECT_EQ(task.PendingOf(d.leaf), 2u);
  const NodePtr other = MakePass({});
  EXPECT_EQ(task->IndexOf(other.get()), GraphTask::kNotFound);
}

// Rules: A9, D2.
TEST(DependenciesTest, SeveralRootsAreCountedLikeAnyEdge) {
  Diamond d;
  Prepared task({Edge(d.root, 0), Edge(d.left, 0), Edge(d.left, 0)});
  EXPECT_EQ(task->root()->name(), "GraphRoot");
  EXPECT_EQ(task.PendingOf(d.left), 4u);
  EXPECT_EQ(task.PendingOf(d.root), 1u);
}

// Rules: D5.
TEST(DependenciesTest, NodesBelowEveryOutputAreCountedButNotExpanded) {
  Diamond d;
  Prepared task({Edge(d.root, 0)}, {Edge(d.left, 0)}, false);
  EXPECT_EQ(task->states().size(), 4u);
  EXPECT_EQ(task.PendingOf(d.leaf), 2u);
  Prepared higher({Edge(d.root, 0)}, {Edge(d.right, 0)}, false);
  EXPECT_EQ(higher->states().size(), 3u);
  EXPECT_EQ(higher.PendingOf(d.left), 2u);
}

// Rules: A13, D7, D8.
TEST(DependenciesTest, OnlyWhatLeadsToAnOutputIsNeeded) {
  Diamond d;
  Prepared captured({Edge(d.root, 0)}, {Edge(d.right, 0)}, false);
  EXPECT_EQ(captured.FlagsOf(d.root), NodeState::kApply);
  EXPECT_EQ(captured.FlagsOf(d.right), NodeState::kCapture);
  EXPECT_EQ(captured.FlagsOf(d.left), 0u);
  EXPECT_TRUE(captured->ShouldExecute(d.right.get()));
  EXPECT_FALSE(captured->ShouldExecute(d.left.get()));
  Prepared accumulated({Edge(d.root, 0)}, {Edge(d.right, 0)}, true);
  EXPECT_EQ(accumulated.FlagsOf(d.right), NodeState::kApply);
  // Two outputs on one path: the upper one is applied as well.
  Prepared both({Edge(d.root, 0)}, {Edge(d.right, 0), Edge(d.left, 0)}, false);
  EXPECT_EQ(both.FlagsOf(d.right), NodeState::kApply | NodeState::kCapture);
  Prepared unreachable({Edge(d.leaf, 0)}, {Edge(d.root, 0)}, false);
  EXPECT_EQ(unreachable.FlagsOf(d.leaf), 0u);
}

// Rules: D8.
TEST(DependenciesTest, TheViewTellsCountsAndNeeds) {
  Diamond d;
  Prepared task({Edge(d.root, 0)}, {Edge(d.right, 0)}, false);
  const GraphView view = ViewOf(*task);
  ASSERT_EQ(view.nodes.size(), 4u);  // the leaf, too, which the task does not look at
  EXPECT_EQ(view.nodes[0], d.root.get());
  EXPECT_EQ(view.dependencies[0], -1);
  for (uint32_t i = 0; i < view.places.size(); ++i) {
    EXPECT_EQ(task->IndexOf(view.nodes[view.places[i]]), i);
  }
  ASSERT_EQ(view.roots.size(), 1u);
  EXPECT_EQ(view.roots[0].node, 0);
  ASSERT_EQ(view.outputs.size(), 1u);
  EXPECT_EQ(view.nodes[view.outputs[0].node], d.right.get());
  EXPECT_EQ(view.nodes[view.edges[0].node], d.root->next_edge(0).function.get());
  for (size_t i = 0; i < 4; ++i) {
    if (view.nodes[i] == d.left.get()) {
      EXPECT_EQ(view.dependencies[i], 2);
      EXPECT_FALSE(view.needed[i]);
    }
    if (view.nodes[i] == d.leaf.get()) {
      EXPECT_EQ(view.dependencies[i], -1);
    }
  }
}

TEST(GraphTaskTest, TasksOverOneGraphDoNotDisturbEachOther) {
  Diamond d;
  auto first = std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)});
  const uint32_t index = (*first)->IndexOf(d.leaf.get());
  {
    Prepared nested({Edge(d.left, 0)});
    EXPECT_EQ(nested->IndexOf(d.left.get()), 0u);
    EXPECT_EQ(nested.PendingOf(d.leaf), 2u);
    EXPECT_EQ((*first)->IndexOf(d.leaf.get()), index);
    first.reset();
    // The nested task keeps its own indices although the holder is gone and another comes.
    Prepared third({Edge(d.root, 0)});
    EXPECT_EQ(nested->IndexOf(d.left.get()), 0u);
    EXPECT_EQ(third.PendingOf(d.left), 2u);
  }
  Prepared last({Edge(d.root, 0)});
  EXPECT_EQ(last.PendingOf(d.left), 2u);
}

TEST(GraphTaskTest, ACallFromTheSameRootWritesNoWords) {
  Diamond d;
  Prepared first({Edge(d.root, 0)});
  const uint64_t word = d.leaf->claim().Load(sync::kRelaxed);
  Prepared second({Edge(d.root, 0)});
  EXPECT_EQ(d.leaf->claim().Load(sync::kRelaxed), word);
  EXPECT_EQ(second->states().size(), 4u);
  EXPECT_EQ(second.PendingOf(d.left), 2u);
  EXPECT_EQ(second->IndexOf(MakePass({}).get()), GraphTask::kNotFound);
}

TEST(GraphTaskTest, NorDoesOneAfterTheFirstHasEnded) {
  Diamond d;
  const NodePtr above = MakePass({Edge(d.root, 0)});
  std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)}).reset();
  const uint64_t word = d.leaf->claim().Load(sync::kRelaxed);
  Prepared second({Edge(d.root, 0)});
  EXPECT_EQ(d.leaf->claim().Load(sync::kRelaxed), word);
  EXPECT_EQ(second->states().size(), 4u);
  Prepared third({Edge(above, 0)});  // takes all over
  EXPECT_NE(d.leaf->claim().Load(sync::kRelaxed), word);
  EXPECT_EQ(third.PendingOf(d.left), 2u);
  EXPECT_EQ(second.PendingOf(d.left), 2u);
  EXPECT_EQ(second->IndexOf(d.root.get()), 0u);
  EXPECT_EQ(second->IndexOf(above.get()), GraphTask::kNotFound);
}

// Two roots in turn: what the one's call has met last is the other's next time.
TEST(GraphTaskTest, CallsFromTwoRootsClaimWhatTheyHaveInCommon) {
  Diamond d;
  const NodePtr other = MakePass({Edge(d.left, 0)});
  for (int i = 0; i < 3; ++i) {
    for (const NodePtr& root : {d.root, other}) {
      Prepared task({Edge(root, 0)});
      EXPECT_EQ(task->IndexOf(root.get()), 0u);
      EXPECT_EQ(task.PendingOf(d.left), root == other ? 1u : 2u);
      const auto holder = static_cast<uint32_t>(d.leaf->claim().Load(sync::kRelaxed) >> 32);
      EXPECT_EQ(holder, static_cast<uint32_t>(root->claim().Load(sync::kRelaxed) >> 32));
      // It holds all, the first one too, which it took for another's: nobody may take them over.
      Prepared nested({Edge(d.left, 0)});
      EXPECT_EQ(static_cast<uint32_t>(d.leaf->claim().Load(sync::kRelaxed) >> 32), holder);
      EXPECT_EQ(nested.PendingOf(d.leaf), 2u);
      EXPECT_EQ(task.PendingOf(d.leaf), 2u);
    }
  }
}

TEST(GraphTaskTest, ALenderThatHasEndedMayBeSucceededWhileNodesAreCounted) {
  Diamond d;
  const NodePtr above = MakePass({Edge(d.root, 0)});
  std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)}).reset();
  const std::vector<Edge> roots = {Edge(d.root, 0)};
  const std::vector<Tensor> seeds = {Tensor::Scalar(1)};
  GraphTask second({roots, seeds, false, false, true, {}}, nullptr);
  second.AddRoot();
  EXPECT_EQ(second.FindOrAdd(d.left.get()), 1u);
  Prepared third({Edge(above, 0)});  // takes both
  EXPECT_EQ(second.FindOrAdd(d.right.get()), 2u);
  EXPECT_EQ(second.FindOrAdd(d.left.get()), 1u);
  EXPECT_EQ(second.FindOrAdd(d.root.get()), 0u);
  EXPECT_EQ(second.FindOrAdd(d.leaf.get()), 3u);
  EXPECT_EQ(second.states().size(), 4u);
  EXPECT_EQ(third->IndexOf(d.left.get()), 2u);
}

TEST(GraphTaskTest, WordsThatServedTwoTasksMayBeWrittenOver) {
  Diamond d;
  const NodePtr above = MakePass({Edge(d.root, 0)});
  auto first = std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)});
  Prepared second({Edge(d.root, 0)});
  first.reset();
  Prepared third({Edge(above, 0)});  // takes all over, one further on
  EXPECT_EQ(third->IndexOf(d.root.get()), 1u);
  EXPECT_EQ(second->IndexOf(d.root.get()), 0u);
  EXPECT_EQ(second.PendingOf(d.left), 2u);
  EXPECT_EQ(second.PendingOf(d.leaf), 2u);
  EXPECT_EQ(second->IndexOf(above.get()), GraphTask::kNotFound);
}

TEST(GraphTaskTest, TheLenderMayEndWhileNodesAreCounted) {
  Diamond d;
  const NodePtr above = MakePass({Edge(d.root, 0)});
  auto first = std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)});
  const std::vector<Edge> roots = {Edge(d.root, 0)};
  const std::vector<Tensor> seeds = {Tensor::Scalar(1)};
  GraphTask second({roots, seeds, false, false, true, {}}, nullptr);
  EXPECT_EQ(second.FindOrAdd(d.root.get()), 0u);
  EXPECT_EQ(second.FindOrAdd(d.left.get()), 1u);
  first.reset();
  Prepared third({Edge(above, 0)});
  EXPECT_EQ(second.FindOrAdd(d.root.get()), 0u);
  EXPECT_EQ(second.FindOrAdd(d.right.get()), 2u);
  EXPECT_EQ(second.FindOrAdd(d.left.get()), 1u);
  EXPECT_EQ(second.FindOrAdd(d.right.get()), 2u);
  EXPECT_EQ(second.states().size(), 3u);
}

TEST(GraphTaskTest, MoreTasksThanPlacesStillFindTheirNodes) {
  Diamond d;
  std::vector<std::unique_ptr<Prepared>> tasks;
  for (int i = 0; i < 300; ++i) {
    tasks.push_back(std::make_unique<Prepared>(std::vector<Edge>{Edge(d.root, 0)}));
  }
  for (auto& task : tasks) EXPECT_EQ(task->PendingOf(d.left), 2u);
}

// Rules: A16.
TEST(GraphTaskTest, CapturesOfOneGradientDoNotShareMemory) {
  NodePtr node = MakePass({});
  Prepared task({Edge(node, 0)}, {Edge(node, 0), Edge(node, 0)}, false);
  VariableList gradients = {Tensor::Scalar(3)};
  const TensorImpl* impl = gradients[0].impl();
  {
    GradModeGuard no_grad(false);
    task->Capture(0, gradients, true);
  }
  VariableList results = task->TakeResults();
  EXPECT_EQ(results[0].item<double>(), 3);
  EXPECT_FALSE(results[0].HasSameStorage(results[1]));
  EXPECT_EQ(results[1].impl(), impl);
}

// Rules: G2, Q8.
TEST(GraphTaskTest, CallbacksRunInOrderAndMayAddOthers) {
  NodePtr node = MakePass({});
  Prepared task({Edge(node, 0)});
  std::string log;
  task->AddCallback([&] {
    log += "a";
    task->AddCallback([&] { log += "c"; });
  });
  task->AddCallback([&] { log += "b"; });
  task->RunCallbacks();
  EXPECT_EQ(log, "abc");
}

// Rules: T2.
TEST(RanksTest, ContributionsAreNumberedInTheOrderOfTheSingleThreadedRun) {
  Diamond d;
  Prepared task({Edge(d.root, 0)});
  const Ranks ranks = ComputeRanks(*task);
  const auto at = [&](const NodePtr& node) { return task->IndexOf(node.get()); };
  EXPECT_EQ(ranks.count, 4u);
  EXPECT_EQ(ranks.rank[at(d.root)], 0u);
  EXPECT_EQ(ranks.rank[at(d.right)], 1u);
  EXPECT_EQ(ranks.rank[at(d.left)], 2u);
  EXPECT_EQ(ranks.rank[at(d.leaf)], 3u);
  EXPECT_EQ(ranks.ordinal[ranks.edge_begin[at(d.root)]], 0u);   // into left
  EXPECT_EQ(ranks.ordinal[ranks.edge_begin[at(d.right)]], 1u);  // into left
  EXPECT_EQ(ranks.ordinal[ranks.edge_begin[at(d.left)] + 1], 1u);
  EXPECT_EQ(ranks.slot_size[ranks.slot_begin[at(d.leaf)]], 2u);
}

// Rules: D14.
TEST(TaskIdTest, AnIdIsAliveAsLongAsItsTask) {
  uint32_t id = 0;
  {
    TaskId task;
    id = task.claim_id();
    ASSERT_NE(id, 0u);
    EXPECT_TRUE(TaskId::IsAlive(id));
  }
  EXPECT_FALSE(TaskId::IsAlive(id));
  EXPECT_FALSE(TaskId::IsAlive(0));
}

TEST(TaskIdTest, ManyTasksHaveDistinctNumbersAndThoseWithoutAPlaceClaimNothing) {
  std::vector<std::unique_ptr<TaskId>> tasks;
  std::set<uint64_t> numbers;
  std::set<uint32_t> ids;
  int without = 0;
  for (int i = 0; i < 300; ++i) {
    tasks.push_back(std::make_unique<TaskId>());
    EXPECT_TRUE(numbers.insert(tasks.back()->number()).second);
    if (tasks.back()->claim_id() == 0) {
      ++without;
    } else {
      EXPECT_TRUE(ids.insert(tasks.back()->claim_id()).second);
    }
  }
  EXPECT_GT(without, 0);
  EXPECT_GE(ids.size(), 200u);
  tasks.clear();
  EXPECT_NE(TaskId().claim_id(), 0u);
}

}  // namespace
}  // namespace twingrad
