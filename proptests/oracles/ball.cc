// Values and gradients of the engine, the twin and the dual numbers beside balls.

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "autograd/base/float_format.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

using reference::DualResult;
using reference::DualTensor;
using reference::Judged;
using reference::ball::BallResult;
using reference::ball::BallTensor;
using reference::ball::Enclosure;
using reference::ball::Refusal;

namespace {

constexpr std::string_view kOracle = "ball";
constexpr std::string_view kEngine = "actual";

// One tensor: what is said of it by whom.
struct Subject {
  ValueId value = program::kNoValue;
  std::string_view what;  // "value" or ".grad"
  const BallTensor& ball;
  const TensorData* engine;  // null: absent, which is zero
  const TensorData* twin;
  const Judged* bounds;    // the twin's; null: all 0
  const DualTensor* dual;  // null: says nothing
};

// A number that overflowed on the way is infinite or NaN although the exact one is not. Where the
// exact one is beyond the format no finite number is right, unless its bound reaches the end of the
// format too.
bool IsWithin(const Enclosure& ball, DType type, double x, double bound) {
  if (!std::isfinite(x) && std::isfinite(ball.nearest)) return true;
  if (std::isfinite(x) && std::isinf(ball.nearest)) {
    const double end = FormatOf(type).largest * (1 - 0x1p-20);
    return std::copysign(x, ball.nearest) == x && std::fabs(x) + bound >= end;
  }
  return std::isnan(x) || ball.Distance(x) <= bound;
}

double At(const TensorData* data, size_t i) {
  return data == nullptr ? 0 : std::bit_cast<double>(data->bits[i]);
}

// What somebody says of an element, and how far from the exact number that may be.
struct Claim {
  std::string_view who;
  double number = 0;
  double bound = 0;
};

// `outside`: the claims that are wrong, at least one.
Verdict Wrong(const Evidence& evidence, const Subject& subject, size_t i,
              absl::Span<const Claim> outside) {
  const Enclosure& ball = subject.ball.elements[i];
  const int statement = StatementOf(evidence.program, subject.value);
  std::string text =
      absl::StrCat("ball: ", subject.what, " of ", NameOf(evidence.program, subject.value), ", ",
                   LineOf(evidence.program, statement), "\n");
  absl::StrAppendFormat(&text, "  exact    %.17g%+.3g, to %.2g\n", ball.nearest, ball.rest,
                        ball.radius);
  bool engine = false;
  for (const Claim& claim : outside) {
    engine |= claim.who == kEngine;
    absl::StrAppendFormat(&text, "  %-8s %.17g (%a)\n", claim.who, claim.number, claim.number);
  }
  absl::StrAppendFormat(&text, "  at element %u: may differ by %.3g\n  %s\n", i,
                        outside.front().bound, EngineText(evidence));
  return Disagree(kOracle, std::move(text), {statement}, engine ? Detail::kNone : Detail::kWitness);
}

// Judges each element; the Verdict of the first that is wrong is in `wrong`.
bool Judge(const Evidence& evidence, const Subject& subject, Compared* compared, Verdict* wrong) {
  const auto& elements = subject.ball.elements;
  for (const TensorData* data : {subject.engine, subject.twin}) {
    // Another type or number of elements is the twin's to find.
    if (data != nullptr && (!IsFloating(data->dtype) || data->bits.size() != elements.size())) {
      return true;
    }
  }
  const bool dual = subject.dual != nullptr && subject.dual->known &&
                    subject.dual->data.size() == elements.size();
  const DType type = subject.engine != nullptr ? subject.engine->dtype
                     : subject.twin != nullptr ? subject.twin->dtype
                                               : DType::kF64;
  for (size_t i = 0; i < elements.size(); ++i) {
    const double bound = subject.bounds != nullptr ? subject.bounds->Of(i) : 0;
    if (!elements[i].IsKnown() || std::isinf(bound)) {
      ++compared->elements_without_ball;
      continue;
    }
    // Within a bound this wide sign and size alone are judged, as by the twin.
    const bool wide = bound > std::fmax(1, std::fabs(elements[i].nearest)) / 8;
    ++(wide ? compared->elements_without_ball : compared->elements_in_balls);
    std::vector<Claim> outside;
    const auto hear = [&](const Claim& claim) {
      if (!IsWithin(elements[i], type, claim.number, claim.bound)) outside.push_back(claim);
    };
    hear({"twin", At(subject.twin, i), bound});
    hear({kEngine, At(subject.engine, i), bound});
    if (dual && std::isfinite(subject.dual->BoundOf(i))) {
      hear({"dual", subject.dual->data[i], bound + subject.dual->BoundOf(i)});
    }
    if (outside.empty()) continue;
    *wrong = Wrong(evidence, subject, i, outside);
    return false;
  }
  return true;
}

const Judged* JudgedOf(const std::vector<Judged>& all, size_t i) {
  return i < all.size() ? &all[i] : nullptr;
}

}  // namespace

Verdict JudgeBall(const Evidence& evidence, const BallResult& ball, const DualResult* dual) {
  if (ball.refusal != Refusal::kNone) {
    return Skip(kOracle, std::string(RefusalText(ball.refusal)));
  }
  const bool has_dual = dual != nullptr && dual->not_applicable.empty();
  const auto& twin = evidence.expected.observation.values;
  const auto& engine = evidence.observed.values;
  Compared compared;
  Verdict wrong;
  for (size_t v = 0; v < engine.size() && v < ball.values.size() && v < twin.size(); ++v) {
    const auto value = static_cast<ValueId>(v);
    const auto of = [](bool defined, const TensorData& data) { return defined ? &data : nullptr; };
    if (ball.values[v].known) {
      const Subject subject = {value,
                               "value",
                               ball.values[v],
                               of(engine[v].defined, engine[v].data),
                               of(twin[v].defined, twin[v].data),
                               JudgedOf(evidence.expected.value_bounds, v),
                               has_dual ? &dual->values[v] : nullptr};
      if (!Judge(evidence, subject, &compared, &wrong)) return wrong;
    }
    if (ball.grads[v].known) {
      const Subject subject = {value,
                               ".grad",
                               ball.grads[v],
                               of(engine[v].grad_defined, engine[v].grad),
                               of(twin[v].grad_defined, twin[v].grad),
                               JudgedOf(evidence.expected.grad_bounds, v),
                               has_dual ? &dual->grads[v] : nullptr};
      if (!Judge(evidence, subject, &compared, &wrong)) return wrong;
    }
  }
  return Agree(kOracle, compared);
}

std::string BallOpinion(const program::Program& program, const reference::TwinResult& twin,
                        const BallResult& ball, bool* contradicts) {
  *contradicts = false;
  if (twin.observation.error || !twin.observation.survived.empty()) {
    return "  balls: no opinion, an error occurs\n";
  }
  if (ball.refusal != Refusal::kNone) {
    return absl::StrCat("  balls: no opinion, ", std::string(RefusalText(ball.refusal)), "\n");
  }
  const Verdict verdict = JudgeBall({program, twin, twin.observation}, ball, nullptr);
  *contradicts = verdict.outcome == Outcome::kDisagree;
  if (!*contradicts) return "  balls: the exact numbers are the twin's, within its bounds\n";
  return absl::StrCat("  balls: the exact numbers contradict the twin\n", verdict.text);
}

}  // namespace twingrad::oracles
