// A run of the dual witness: the meaning of statements and of calls in forward mode.
//
// Values alias by storage and index map; tangents belong to the owner of a family of views, so
// detach and no_grad separate the two. One thread; internal to dual.cc and its parts.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
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
  const Array* sparse_indices = nullptr;  // of a sparse value
  // How far other legal numbers lie from a gradient's: of the contents, where a call made them, and
  // of .grad. Empty: there are none.
  std::vector<double> spread;
  std::vector<double> grad_spread;
};

class DualInterpreter {
 public:
  // `order`: of the derivatives.
  DualInterpreter(const program::Program& program, const DualPlan& plan, int order,
                  Choices& choices, absl::Span<const Watch> watches, DualResult& result)
      : program_(program),
        plan_(plan),
        order_(order),
        choices_(choices),
        watches_(watches),
        result_(result),
        algebra_(order, choices),
        arena_(algebra_.arena()),
        tangents_(algebra_.tangents()),
        values_(program.names.size()),
        owned_(program.names.size()) {
    storages_.reserve(program.names.size());  // most values have their own
    result_.watched.resize(watches.size());
  }

  void Run() {
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      if (plan_.statements[i].fate == Fate::kIsSkipped) continue;
      statement_ = static_cast<int32_t>(i);
      choices_.Enter(statement_);
      algebra_.SetProductScale(plan_.statements[i].scale);
      tangents_.Ask(plan_.statements[i].order);
      const program::Statement& statement = program_.statements[i];
      plan_.statements[i].fate == Fate::kFails ? Fail(statement) : Execute(statement);
    }
    Finish();
  }

 private:
  void Execute(const program::Statement& statement);
  // What is left of a statement that ends in an error.
  void Fail(const program::Statement& statement);
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
    std::vector<const reference::Tangents*> Tangents() const {
      std::vector<const reference::Tangents*> all;
      for (const Jets& jets : in) all.push_back(jets.tangents);
      return all;
    }
  };
  Operands TakeOperands(const program::Statement& statement);
  // What the statement computes, or the op that it performs in place.
  Jets Lower(const program::Statement& statement, const Operands& operands);

  DualValue& Defined(program::ValueId value);
  const Array& ContentOf(const DualValue& value);
  Jets Read(program::ValueId value);
  void Define(program::ValueId value, const Jets& jets, const Shape* shape);
  void Seed(program::ValueId value);

  // What lies upstream of something, by variable.
  enum Dependence : uint8_t {
    kNone,
    kBent,  // with a first derivative of 0, and second ones that may not be
    kZero,  // with derivatives of 0, of which NaN makes NaN
    kSome,
  };
  using Reach = std::vector<uint8_t>;
  struct Variables {
    int32_t begin = 0;
    int32_t end = 0;
  };
  // A disturbance that is at work, and what lies upstream of it.
  struct Active {
    Disturbance kind = Disturbance::kNone;
    Disturbances bit = 0;
    std::string id;
    std::vector<program::ValueId> on;  // of hooks
    program::ValueId target = program::kNoValue;
    Reach reach;
  };
  // What a call cannot be followed in.
  struct Disturbed {
    Reach gradients;        // with respect to these
    Reach grads;            // .grad of these, to which other calls may have added
    bool adds = false;      // whether there may be such
    bool obscures = false;  // derivatives of all its gradients
  };
  const Tangents* History(program::ValueId value);
  void Extend(Reach& reach, const Tangents* tangents, bool zeros) const;
  void ExtendBySingular(Reach& reach) const;
  // By variable, how much rounding may have left of a derivative of 0 in the gradients of a call.
  using Residues = std::vector<double>;
  void Extend(Residues& residues, const Tangents* tangents, const Array* seed) const;
  bool Disturbs() const {
    return plan_.statements[static_cast<size_t>(statement_)].disturbance != Disturbance::kNone;
  }
  void NoteDisturbance(const program::Statement& statement,
                       const std::vector<const Tangents*>& through);
  Disturbed DisturbedBy(const program::Statement& statement);
  // Of a gradient with respect to `input`.
  Jets Excused(const DualValue& input, const Jets& gradient, const Reach& reach, bool has_history,
               Variables history);
  // The same of all elements.
  Jets Unknown(const Jets& like, bool has_history);
  // Makes .grad unknown where the reach says so.
  void AddUnknown(program::ValueId value, const Reach& reach, bool has_history);
  // Makes .grad uncertain by so much.
  void AddResidues(program::ValueId value, const Residues& residues);
  void AddOfOthers(const Disturbed& disturbed, bool create_graph);
  bool IsFinite(program::ValueId seed);
  void FailedCall(const program::Statement& statement);
  void FailedWrite(const program::Statement& statement);

  // What a call differentiates.
  struct Engagement {
    Disturbed disturbed;
    std::vector<Jets> roots;
    std::vector<Jets> seeds;
    bool create_graph = false;
    bool has_history = false;   // what it makes is differentiated
    Variables history;          // all that the roots and seeds depend on
    bool of_gradients = false;  // a root is made from gradients with history
  };
  Engagement TakeRoots(const program::Statement& statement);
  Jets GradientOf(program::ValueId input, const Engagement& call, std::vector<double>* spread);
  Number ElementOf(int32_t variable, const Engagement& call, double* spread) const;
  const Tangents* GradientTangents(const DualValue& input, const Engagement& call);
  void Accumulate(program::ValueId value, const Jets& gradient, bool create_graph, bool retained);
  // Whether hooks make the leaf's `.grad` undefined after each addition, for certain or perhaps;
  // that they do after this one.
  bool IsEmptied(program::ValueId leaf, bool for_certain) const;
  void Empty(program::ValueId leaf, const Array& gradient);
  // What is watched in this call.
  void NoteWatched(const Engagement& call);
  void NoteWatchedGrad(program::ValueId value, const Array& grad);
  void Show(const Array& array, const std::vector<double>& spread, DualTensor& tensor) const;
  void Finish();

  const program::Program& program_;
  const DualPlan& plan_;
  const int order_;
  Choices& choices_;
  const absl::Span<const Watch> watches_;
  DualResult& result_;
  JetAlgebra algebra_;
  Arena& arena_;
  TangentAlgebra& tangents_;
  std::vector<DualValue> values_;
  std::vector<const Tangents*> owned_;  // by owner
  std::vector<DualStorage> storages_;
  std::vector<std::pair<std::string, program::ValueId>> emptying_;  // hooks, by handle
  std::vector<std::string> removable_;  // handles of hooks that others may have removed
  std::vector<Active> active_;
  std::vector<bool> grad_modes_;  // before each open region
  bool grad_mode_ = true;
  int32_t statement_ = 0;
  int32_t variables_ = 0;
};

}  // namespace twingrad::reference
