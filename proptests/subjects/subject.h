// A Subject: what the tool checks, in the roles that it plays.
//
// Every Subject makes, judges and draws cases (proptests/workers/case.h) and reports what a run has
// counted. Those that run one Program at a time are Runners; a foreign engine behind an adapter is
// a ForeignEngine. Whoever uses a Subject takes the one role that it needs; the tool's verbs alone
// take the whole. Used by one thread of one process.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/workers/case.h"
#include "proptests/workers/plant.h"

namespace twingrad::subjects {

// How a Program is explored; for Subjects that run it under many schedules.
struct ExploreOptions {
  std::string strategy = "mixed";  // a word of proptests/interleave/strategies, or replay
  uint64_t schedules = 1000;       // for each Program; a large one has fewer
  int threads = 0;                 // device workers; 0: one for each device
  std::string program;             // path: explore this one instead of random ones
  std::string schedule;            // path: what `replay` follows
};

// Which cases are made.
// Those for this processor; an element at a time; the first, with small products and convolutions
// made as large ones are.
inline constexpr std::string_view kKernelNames[] = {"best", "plain", "library"};

struct CaseOptions {
  std::vector<std::string> features;  // empty: all
  std::vector<std::string> ops;       // empty: all
  ExploreOptions explore;
  int elements = 24;  // of a leaf, at most
  int rank = 4;
  std::string device;  // where almost everything lies, as of generators::SetDevice; empty: drawn
  int streams = 3;     // of each device
  bool long_graphs = true;      // now and then a Program with 100,000 nodes, for this engine
  bool every_ball = false;      // the ball witness judges every case, and no sample
  bool expect_failures = true;  // of a foreign engine what is listed is no finding
  // A defect that the engine is to have, and what decides in which Programs it shows.
  workers::Defect planted = workers::Defect::kNone;
  uint64_t plant_draw = 0;
  std::string weights = "swarm";  // of the generator's parts: swarm or fixed
  std::string kernels = "best";   // of the repository's engine: one of kKernelNames
};

// Says what a run has counted, in words. The counters are sums over all workers, the notes theirs
// together; both may come from other processes than this one.
class Reporter {
 public:
  virtual ~Reporter() = default;

  // Lines of the summary, each ending in a newline.
  virtual std::string Summarise(absl::Span<const uint64_t> counters,
                                const std::set<std::string>& notes) const = 0;
  // The counters for machines: the text of a JSON object.
  virtual std::string Report(absl::Span<const uint64_t> /*counters*/) const { return "{}"; }
  // Why a run with these counters and notes fails even without a finding; empty: it does not.
  virtual std::string Objection(absl::Span<const uint64_t> /*counters*/,
                                const std::set<std::string>& /*notes*/) const {
    return "";
  }
  // How many cases had a result of outcome kDiverged.
  virtual uint64_t Diverged(absl::Span<const uint64_t> /*counters*/) const { return 0; }
};

// Runs the current case on the engine alone.
class Runner {
 public:
  virtual ~Runner() = default;

  struct Seen {
    std::string text;     // the Observation
    bool all_met = true;  // all that the Program's `expect` statements demand
  };
  virtual Seen Run() = 0;
};

// A started engine that is not the repository's own.
class ForeignEngine {
 public:
  virtual ~ForeignEngine() = default;

  struct Examination {
    std::string text;
    bool healthy = true;  // nothing is wrong
  };
  // For the author of its adapter.
  virtual Examination Examine() = 0;
  // The list of goldens that it is known to get wrong, as a path below the repository's top.
  virtual std::string KnownFailures() const = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;

  // Checks that the options name things that exist; the message says what is allowed. Starts
  // nothing.
  virtual absl::Status Configure(const CaseOptions& options) = 0;
  // Starts the engine. Making and reading cases does not need it.
  virtual absl::Status Start() = 0;

  virtual workers::CaseSource& source() = 0;
  virtual workers::CaseJudge& judge() = 0;
  virtual workers::CaseDrawer& drawer() = 0;
  virtual const Reporter& reporter() const = 0;
  virtual Runner* runner() { return nullptr; }
  virtual ForeignEngine* foreign() { return nullptr; }

  // Adds what the judge of a dead worker left in its scratch memory to the result of that case.
  virtual void ReadScratch(absl::Span<const std::byte> /*scratch*/,
                           workers::CaseResult* /*result*/) const {}
};

// Which engine is checked, and what it may take.
struct EngineChoice {
  std::string engine;  // empty: the repository's; else see proptests/conformance/foreign_subject.h
  // Of one Program; what runs in the worker itself is limited by its parent.
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  uint64_t memory = uint64_t{2} << 30;
};

// An error is wrong usage.
using SubjectFactory = std::function<absl::StatusOr<std::unique_ptr<Subject>>(const EngineChoice&)>;

}  // namespace twingrad::subjects
