// A run of the dual witness: the meaning of statements and of calls in forward mode.
//
// Values alias by storage and index map; tangents belong to the owner of a family of views, so
// detach and no_grad separate the two. One thread; internal to dual.cc and its parts.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/choices.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/dual_plan.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/jets.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

// The witness cannot judge what the Program does here.
struct NotApplicable {
  std::string reason;
};

struct DualStorage {
  const Array* content = nullptr;
  uint32_t version = 0;
  bool copied = false;  // a reshape has copied of it, and no write reaches both
};

struct DualValue {
  bool defined = false;
  const Shape* shape = nullptr;
  int32_t storage = -1;
  IndexMap map;        // places in the storage
  IndexMap owner_map;  // places in the owner's tangents
  // A view made without grad mode has no tangents until its storage is written.
  bool constant_until_written = false;
  uint32_t version = 0;
  int32_t first_variable = -1;
  bool retains_grad = false;
  bool grad_known = true;
  Jets grad;
  // How far other legal numbers lie from a gradient's: of the contents, where a call made them, and
  // of .grad. Empty: there are none.
  std::vector<double> spread;
  std::vector<double> grad_spread;
};

class DualInterpreter {
 public:
  // `order`: of the derivatives.
  DualInterpreter(const program::Program& program, const DualPlan& plan, int order,
                  Choices& choices, DualResult& result)
      : program_(program),
        plan_(plan),
        order_(order),
        choices_(choices),
        result_(result),
        algebra_(order, choices),
        arena_(algebra_.arena()),
        tangents_(algebra_.tangents()),
        values_(program.names.size()),
        owned_(program.names.size()) {}

  void Run() {
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      choices_.Enter(static_cast<int32_t>(i));
      Execute(program_.statements[i]);
    }
    Finish();
  }

 private:
  void Execute(const program::Statement& statement);
  void Leaf(const program::Statement& statement);
  void Compute(const program::Statement& statement);
  void View(const program::Statement& statement);
  void Detach(const program::Statement& statement);
  void Custom(const program::Statement& statement);
  Jets CustomOf(const program::Statement& statement, const Jets& in);
  // Overwrites the value's elements and, if the write records, their tangents.
  void Write(program::ValueId self, const Jets& out, bool records);
  void InPlace(const program::Statement& statement);
  void Hook(const program::Statement& statement);
  void Gradient(const program::Statement& statement);
  void Call(const program::Statement& statement);

  struct Operands {
    Jets in[8];
    const Shape* shapes[8] = {};
  };
  Operands TakeOperands(const program::Statement& statement);
  // What the statement computes, or the op that it performs in place.
  Jets Lower(const program::Statement& statement, const Operands& operands);

  DualValue& Defined(program::ValueId value);
  Jets Read(program::ValueId value);
  void Define(program::ValueId value, const Jets& jets, const Shape* shape);
  void Seed(program::ValueId value);
  // What a call differentiates.
  struct Engagement {
    std::vector<Jets> roots;
    std::vector<Jets> seeds;
    bool create_graph = false;
    bool of_gradients = false;  // a root is made from gradients with history
  };
  Engagement TakeRoots(const program::Statement& statement);
  Jets GradientOf(program::ValueId input, const Engagement& call, std::vector<double>* spread);
  Number ElementOf(int32_t variable, const Engagement& call, double* spread) const;
  const Tangents* GradientTangents(const DualValue& input, const Engagement& call);
  void Accumulate(program::ValueId value, const Jets& gradient, bool create_graph, bool retained);
  // Whether hooks make the leaf's `.grad` undefined after each addition; that they do after this
  // one.
  bool IsEmptied(program::ValueId leaf) const;
  void Empty(program::ValueId leaf, const Array& gradient);
  DualTensor Known(const Array& array, const std::vector<double>& spread) const;
  void Finish();

  const program::Program& program_;
  const DualPlan& plan_;
  const int order_;
  Choices& choices_;
  DualResult& result_;
  JetAlgebra algebra_;
  Arena& arena_;
  TangentAlgebra& tangents_;
  std::vector<DualValue> values_;
  std::vector<const Tangents*> owned_;  // by owner
  std::vector<DualStorage> storages_;
  std::vector<std::pair<std::string, program::ValueId>> emptying_;  // hooks, by handle
  std::vector<bool> grad_modes_;                                    // before each open region
  bool grad_mode_ = true;
  int32_t variables_ = 0;
};

}  // namespace twingrad::reference
