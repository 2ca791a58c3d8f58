#include "tools/adapters/named_adapters.h"

#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace twingrad::adapters {
namespace {

#define ADAPTER(name, program, package) NamedAdapter{name, program, package},
constexpr NamedAdapter kAdapters[] = {
#include "tools/adapters/named_adapters.inc"
};
#undef ADAPTER

#define ADAPTER(name, program, package) name " and "
constexpr char kNames[] =
#include "tools/adapters/named_adapters.inc"
    "exec:CMD ARGS";
#undef ADAPTER

}  // namespace

absl::Span<const NamedAdapter> NamedAdapters() { return kAdapters; }

absl::StatusOr<std::vector<std::string>> AdapterCommand(
    std::string_view engine, const std::function<std::string(std::string_view)>& locate) {
  std::string_view rest = engine;
  if (absl::ConsumePrefix(&rest, "exec:")) {
    std::vector<std::string> words = absl::StrSplit(rest, ' ', absl::SkipEmpty());
    if (!words.empty()) return words;
  }
  for (const NamedAdapter& adapter : kAdapters) {
    if (adapter.name != engine) continue;
    const std::string program = locate(adapter.program);
    if (access(program.c_str(), X_OK) == 0) return std::vector<std::string>{program};
    return absl::UnavailableError(absl::StrCat(
        "[oracle] --engine=", engine,
        ": its adapter is not beside this tool; it is built for "
        "`tools/bazel run //tools/oracle -- VERB --engine=",
        engine, "` where ", engine, " is installed; ",
        adapter.package.empty() ? "" : absl::StrCat("install ", adapter.package, " and "),
        "repeat; with another launcher than tools/bazel add --define=adapter=", engine));
  }
  return absl::InvalidArgumentError(absl::StrCat("[oracle] --engine=", engine,
                                                 " is unknown; allowed are ", kNames,
                                                 "; see `oracle check --help`"));
}

}  // namespace twingrad::adapters
