#include "proptests/judge/kinds.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/base/check.h"
#include "autograd/program/signature.h"

namespace twingrad::judge {

using program::Category;
using program::Key;
using program::Opcode;
using program::RegionKind;
using program::SignatureOf;
using program::Statement;

namespace {

constexpr int kRegions = program::kNumOpcodes;
constexpr int kHooks = kRegions + program::kNumRegionKinds;
constexpr int kCustoms = kHooks + kNumHookActions;
constexpr int kSavedHooks = kCustoms + kNumCustomActions;

using Names = std::array<std::string, kNumKinds>;

std::vector<std::string> ActionsOf(Opcode op) {
  return absl::StrSplit(SignatureOf(op).Find(Key::kDo)->words, ' ', absl::SkipEmpty());
}

std::vector<std::string> ActionsOfHooks() {
  std::vector<std::string> words = ActionsOf(Opcode::kHook);
  for (std::string& word : ActionsOf(Opcode::kAccumulateHook)) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

void AddActions(const std::vector<std::string>& words, std::string_view prefix, int first,
                int count, Names* names) {
  AG_CHECK(static_cast<int>(words.size()) == count, "[judge] ", prefix, " has ", words.size(),
           " actions, and kinds.h says ", count, "; change the number there");
  for (int i = 0; i < count; ++i) (*names)[first + i] = absl::StrCat(prefix, " do=", words[i]);
}

const Names& AllNames() {
  static const Names* const names = [] {
    auto* all = new Names();
    for (const auto& signature : program::Signatures()) {
      (*all)[static_cast<size_t>(signature.op)] = signature.name;
    }
    for (int kind = 0; kind < program::kNumRegionKinds; ++kind) {
      (*all)[kRegions + kind] =
          absl::StrCat("begin kind=", program::RegionKindName(static_cast<RegionKind>(kind)));
    }
    AddActions(ActionsOfHooks(), "hook", kHooks, kNumHookActions, all);
    AddActions(ActionsOf(Opcode::kCustom), "custom", kCustoms, kNumCustomActions, all);
    AddActions(ActionsOf(Opcode::kBegin), "saved_tensor_hooks", kSavedHooks, kNumSavedActions, all);
    return all;
  }();
  return *names;
}

// The action of a statement as a kind, or -1.
int ActionOf(const Statement& statement) {
  const Category category = SignatureOf(statement.op).category;
  std::string_view prefix;
  int first = 0;
  if (category == Category::kHook && statement.op != Opcode::kRemoveHook) {
    prefix = "hook do=";
    first = kHooks;
  } else if (category == Category::kCustom) {
    prefix = "custom do=";
    first = kCustoms;
  } else if (Begins(statement, RegionKind::kSavedTensorHooks)) {
    prefix = "saved_tensor_hooks do=";
    first = kSavedHooks;
  } else {
    return -1;
  }
  const auto* const given = statement.Find(Key::kDo);
  std::string_view word;
  if (given != nullptr) word = std::get<std::string>(*given);
  const auto begin = AllNames().begin();
  const auto has_word = [&](std::string_view name) {
    return absl::ConsumePrefix(&name, prefix) && name == word;
  };
  return static_cast<int>(std::find_if(begin + first, AllNames().end(), has_word) - begin);
}

}  // namespace

std::string_view KindName(int kind) { return AllNames()[static_cast<size_t>(kind)]; }

bool IsGenerated(int kind) { return kind != static_cast<int>(Opcode::kExpect); }

std::vector<int> KindsOf(const program::Program& program) {
  std::bitset<kNumKinds> seen;
  std::vector<int> kinds;
  kinds.reserve(program.statements.size() + 8);
  const auto add = [&](int kind) {
    if (seen[static_cast<size_t>(kind)]) return;
    seen.set(static_cast<size_t>(kind));
    kinds.push_back(kind);
  };
  for (const Statement& statement : program.statements) {
    add(static_cast<int>(statement.op));
    const Category category = SignatureOf(statement.op).category;
    if (category != Category::kHook && category != Category::kCustom &&
        category != Category::kRegion) {
      continue;
    }
    if (statement.op == Opcode::kBegin) {
      add(kRegions + static_cast<int>(RegionKindOf(statement)));
    }
    if (const int action = ActionOf(statement); action >= 0) add(action);
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

}  // namespace twingrad::judge
