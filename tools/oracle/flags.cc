#include "tools/oracle/flags.h"

#include <string>

#include "proptests/workers/files.h"

namespace twingrad::oracle {

using subjects::CaseOptions;
using subjects::EngineChoice;
using workers::ResolvePath;

CaseOptions OptionsOf(const Arguments& arguments) {
  CaseOptions options{arguments.List("features"), arguments.List("ops"), {}};
  if (const auto n = arguments.Number("elements")) options.elements = static_cast<int>(*n);
  if (const auto n = arguments.Number("rank")) options.rank = static_cast<int>(*n);
  options.explore.strategy =
      arguments.Path("strategy").value_or(std::string(interleave::kDefaultStrategy));
  options.explore.schedules = arguments.Number("schedules").value_or(1000);
  options.explore.threads = static_cast<int>(arguments.Number("threads").value_or(0));
  if (const auto path = arguments.Path("program")) options.explore.program = ResolvePath(*path);
  if (const auto path = arguments.Path("schedule")) options.explore.schedule = ResolvePath(*path);
  return options;
}

EngineChoice EngineOf(const Arguments& arguments) {
  EngineChoice options;
  options.engine = arguments.Path("engine").value_or("");
  options.timeout = arguments.Duration("timeout").value_or(options.timeout);
  options.memory = arguments.Number("memory").value_or(options.memory);
  return options;
}

}  // namespace twingrad::oracle
