// Files of this repository at run time: adapters, goldens, scripts that a program has beside it.
//
// A program started by `tools/bazel run` or by a test finds them below its working directory. One
// started from anywhere else finds them from its own location: in the runfiles that Bazel puts
// beside it, or in a folder above it that is laid out as the repository is.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twingrad::workers {

// The folder below which `path` ("golden/programs") exists; nothing: it is nowhere.
std::optional<std::string> FindTop(std::string_view path);

// `path` where it exists, as given where it does not.
std::string Locate(std::string_view path);

// The file that this process executes; empty: unknown.
std::string ThisExecutable();

// Where FindTop looks, first to last.
std::vector<std::string> Tops(std::string_view executable);

}  // namespace twingrad::workers
