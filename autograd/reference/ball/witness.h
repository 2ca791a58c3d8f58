// A run of the ball witness: the meaning of statements and of calls.
//
// A storage holds numbers, and a family holds the series of the values that share a history: a base
// and its views. detach shares the storage and not the family. One thread; internal to this folder.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/ball/evaluate.h"
#include "autograd/reference/ball/plan.h"

namespace twingrad::reference::ball {

struct CallSums;  // calls.cc: what a call makes of each variable

class Witness {
 public:
  Witness(const program::Program& program, const Plan& plan, size_t budget);

  void Run(BallResult* result);

 private:
  struct Storage {
    Refs numbers;
    uint32_t version = 0;
  };
  // The series of each place; null: none.
  struct Family {
    Refs slopes;
    program::ValueId owner = program::kNoValue;
  };
  static constexpr int kNoFamily = -1;  // constants

  struct Variable {
    bool defined = false;
    bool is_view = false;
    bool is_leaf = false;  // that requires grad
    DType type = DType::kF64;
    Layout layout;
    int storage = -1;
    int base_family = kNoFamily;
    // A view's may differ from its base's until the storage is written: that of a view made without
    // grad mode has no history, and one whose gradient is asked for has variables of its own.
    int family = kNoFamily;
    uint32_t version = 0;  // of the storage, for which `family` holds
    int32_t first_variable = -1;
    bool retains_grad = false;
    uint32_t retained_version = 0;  // of the storage, when it began to
    bool has_grad = false;
    bool grad_known = true;
    Refs grad;
  };

  // statements.cc
  void Execute(const program::Statement& statement);
  void Leaf(const program::Statement& statement);
  void Compute(const program::Statement& statement);
  void InPlace(const program::Statement& statement);
  void View(const program::Statement& statement);
  void Detach(const program::Statement& statement);
  void Region(const program::Statement& statement);
  void Gradient(const program::Statement& statement);
  void Custom(const program::Statement& statement);
  std::vector<Tensor> CustomOf(const program::Statement& statement, std::vector<Tensor> in);

  // variables.cc
  Variable& At(program::ValueId value);
  Tensor Read(program::ValueId value);
  void Define(program::ValueId value, const Tensor& tensor);
  void Write(program::ValueId value, const Tensor& tensor);
  void Renew(program::ValueId value);
  uint32_t VersionOf(const Variable& variable) const {
    return storages_[static_cast<size_t>(variable.storage)].version;
  }
  void Seed(program::ValueId value);
  void SeedView(program::ValueId value);
  int32_t NewVariables(size_t count);
  BallTensor Enclosures(const Refs& elements, DType type) const;
  void Finish(BallResult* result);

  // calls.cc
  void Call(const program::Statement& statement);
  std::vector<program::ValueId> Inputs(const program::Statement& statement);
  void Differentiate(const program::Statement& statement,
                     const std::vector<program::ValueId>& inputs, CallSums* all);
  void AddRoots(const program::Statement& statement, CallSums* sums);
  Refs GradientOf(program::ValueId input, const CallSums& sums, bool* known);
  void Accumulate(program::ValueId value, const Refs& gradient, bool create_graph);
  void ForgetStaleViews();

  const program::Program& program_;
  const Plan& plan_;
  Arithmetic math_;
  std::vector<Variable> variables_;
  std::vector<Storage> storages_;
  std::vector<Family> families_;
  std::map<program::ValueId, Tensor> sparse_indices_;  // of sparse values
  std::vector<bool> grad_modes_;                       // before each open region
  bool grad_mode_ = true;
  int32_t num_variables_ = 0;
};

}  // namespace twingrad::reference::ball
