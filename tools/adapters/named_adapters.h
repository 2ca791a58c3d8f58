// The adapters of this repository that have a name, and the commands that --engine stands for.
//
// The names are rows of adapters.bzl, from which Bazel makes named_adapters.inc; texts of the
// command line that name them are made here, so that a new adapter needs no change there.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/workers/files.h"

namespace twingrad::adapters {

struct NamedAdapter {
  std::string_view name;     // libtorch, of --engine=libtorch
  std::string_view program;  // its path below the repository's top, or in the runfiles of the tool
  std::string_view package;  // the Debian package that it needs; empty: none
};

absl::Span<const NamedAdapter> NamedAdapters();

#define ADAPTER(name, program, package) name ", "
// What the help of --engine says.
inline constexpr char kEngineHelp[] =
#include "tools/adapters/named_adapters.inc"
    "or exec:CMD ARGS for a program that speaks the protocol; ARGS end at blanks, nothing is "
    "quoted";
#undef ADAPTER

#define ADAPTER(name, program, package) "--engine=" name " and "
// What a message says is allowed where an engine of others is needed.
inline constexpr char kForeignEngines[] =
#include "tools/adapters/named_adapters.inc"
    "--engine=exec:CMD ARGS";
#undef ADAPTER

// The words of the command that `engine` stands for. InvalidArgument: no adapter has this name.
// Unavailable: `locate` does not find the adapter, which was not built for want of its engine.
absl::StatusOr<std::vector<std::string>> AdapterCommand(
    std::string_view engine,
    const std::function<std::string(std::string_view)>& locate = workers::Locate);

}  // namespace twingrad::adapters
