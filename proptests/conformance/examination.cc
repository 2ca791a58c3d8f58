#include "proptests/conformance/examination.h"

#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "autograd/program/parse.h"
#include "nlohmann/json.hpp"
#include "proptests/conformance/conventions.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Program;

// Runs the Program of each convention on the engine.
void AskConventions(AdaptedEngine& engine,
                    const std::function<void(std::string_view, const Program&, const Expectation&,
                                             const Reply&)>& answer) {
  for (const Convention& convention : Conventions()) {
    absl::StatusOr<Program> program = twingrad::program::Parse(convention.program);
    if (!program.ok()) continue;
    Expectation expected;
    const Reply reply = engine.RunAgainst(*program, &expected);
    answer(convention.point, *program, expected, reply);
  }
}

std::string ConventionsText(AdaptedEngine& engine) {
  std::string text = "conventions\n";
  AskConventions(engine, [&](std::string_view point, const Program& program, const Expectation&,
                             const Reply& reply) {
    absl::StrAppend(
        &text, absl::StrFormat("  %-34s ", point),
        reply.kind == Reply::Kind::kObserved ? ChoiceText(program, reply.observation) : reply.text,
        "\n");
  });
  return text;
}

}  // namespace

subjects::ForeignEngine::Examination Examine(AdaptedEngine& engine,
                                             const generators::GeneratorOptions& options,
                                             const TryProgram& attempt) {
  const protocol::Hello& hello = engine.hello();
  std::string text = absl::StrCat("handshake: ", protocol::PrintHello(hello), "\n");
  if (hello.facts.empty()) {
    text +=
        "facts: none, so values and gradients alone are compared; see "
        "proptests/protocol/README.md\n";
  }
  const Round round = ExamineOps(hello, options, attempt);
  text += round.text;
  bool healthy = round.healthy;
  if (!round.stopped) text += ConventionsText(engine);
  const std::string today = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
  for (const std::string& line : engine.failures().Expired(today)) {
    healthy = false;
    absl::StrAppend(&text, "expired: ", line,
                    "; look whether it still fails, then move its date\n");
  }
  absl::StrAppend(&text, healthy ? "healthy\n" : "not healthy\n");
  return {std::move(text), healthy};
}

std::string Describe(AdaptedEngine& engine) {
  nlohmann::json rows = nlohmann::json::array();
  AskConventions(engine, [&](std::string_view point, const Program& program,
                             const Expectation& expected, const Reply& reply) {
    rows.push_back({{"point", point},
                    {"choice", reply.kind == Reply::Kind::kObserved
                                   ? ChoiceText(program, reply.observation)
                                   : std::string(OutcomeWord(OutcomeOf(reply.kind)))},
                    {"twin", ChoiceText(program, expected.twin.observation)}});
  });
  return nlohmann::json({{"name", engine.hello().name},
                         {"version", engine.hello().version},
                         {"conventions", std::move(rows)}})
      .dump();
}

}  // namespace twingrad::conformance
