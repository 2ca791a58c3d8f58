// The words of replies that reading and printing share.

#ifndef PROPTESTS_PROTOCOL_REPLY_WORDS_H_
#define PROPTESTS_PROTOCOL_REPLY_WORDS_H_

#include <array>
#include <string_view>

#include "autograd/program/observation.h"

namespace twingrad::protocol {

// By NodeRole.
inline constexpr std::array<std::string_view, 7> kRoleWords = {
    "statement",  "accumulate_grad", "copy_slices", "regenerated_view",
    "graph_root", "identity",        "backward"};
static_assert(static_cast<size_t>(twingrad::program::NodeRole::kBackward) + 1 == kRoleWords.size());

}  // namespace twingrad::protocol

#endif  // PROPTESTS_PROTOCOL_REPLY_WORDS_H_
