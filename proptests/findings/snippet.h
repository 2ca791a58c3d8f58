// A Program as a script for PyTorch, which the authors of a foreign engine can run.

#pragma once

#include <string>
#include <string_view>

namespace twingrad::findings {

// The script; empty if a statement has no counterpart in PyTorch, if there is no python3, or if
// tools/adapters/python is not beside this tool.
std::string RenderSnippet(std::string_view program);

}  // namespace twingrad::findings
