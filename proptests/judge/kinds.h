// Kinds: what a Program can hold, one by one: each statement, each kind of region, and each action
// of hooks, of custom functions and of saved-tensor hooks.
//
//   for (const int kind : KindsOf(program)) std::cout << KindName(kind);   // "mul", "hook do=warn"
//
// The summary of a run says in how many Programs each stands, and how many of these the twin could
// not judge. Pure functions; any thread.

#pragma once

#include <string_view>
#include <vector>

#include "autograd/program/opcode.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"

namespace twingrad::judge {

// kinds.cc checks that the table of statements has as many words of do=; of hooks, those of `hook`
// and then what accumulate_hook alone has.
inline constexpr int kNumHookActions = 12;
inline constexpr int kNumCustomActions = 12;
inline constexpr int kNumSavedActions = 3;
inline constexpr int kNumKinds = program::kNumOpcodes + program::kNumRegionKinds + kNumHookActions +
                                 kNumCustomActions + kNumSavedActions;

// The statement's word, "begin kind=WORD", "hook do=WORD" of any of the four statements that add a
// hook, "custom do=WORD" of either form, "saved_tensor_hooks do=WORD".
std::string_view KindName(int kind);

// Whether the generators make it: all but expectations.
bool IsGenerated(int kind);

// Those that the Program holds, each once, in their order.
std::vector<int> KindsOf(const program::Program& program);

}  // namespace twingrad::judge
