// ToDot: the graph behind tensors as text for Graphviz.
//
//   std::ofstream("graph.dot") << ToDot({loss}, {.names = {{"w", w}, {"b", b}}});
//   // dot -Tsvg graph.dot > graph.svg
//
// A box for each node that the tensors' gradients reach, with its name, the types of its results
// and what it saves: type and bytes of each tensor, memory that nodes share counted at each of
// them; an ellipse for each leaf; an arrow from each node to those that its results go to, with the
// number of the input there where that node has several. The same graph gives the same text. Reads
// only; undefined tensors and tensors that do not require grad have no graph.

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "autograd/tensor/tensor.h"

namespace twingrad {

struct DotOptions {
  // Shown at the node or leaf whose gradient is that of the tensor.
  std::vector<std::pair<std::string, Tensor>> names = {};
  // Of a larger graph the first ones are shown, and a note says how many wait behind them.
  size_t max_nodes = 2000;
};

std::string ToDot(const std::vector<Tensor>& roots, const DotOptions& options = {});

}  // namespace twingrad
