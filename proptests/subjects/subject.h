// A Subject: what the tool checks, seen through text alone.
//
// The processes, recorders, limits, findings and pictures of this folder know nothing of engines;
// they drive a Subject. engine_subject.h joins the repository's engine, twin and oracles; the tests
// use a Subject with planted crashes, hangs and disagreements. A Subject is used by one thread of
// one process.

#ifndef PROPTESTS_SUBJECTS_SUBJECT_H_
#define PROPTESTS_SUBJECTS_SUBJECT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace twingrad::oracle {

// A word for Verdict::outcome.
inline constexpr char kParted[] = "parted";

// What the oracles say of one Program. `oracle` is a short word, usable in a file name; the words
// crash, hang and memory are given by the parent to Programs that brought a worker down.
struct Verdict {
  bool failed = false;
  std::string oracle;
  std::string text;         // 3 to 6 lines, for a person to read first
  std::string expected;     // the whole expectation, as text
  std::string actual;       // the whole Observation, as text
  std::vector<int> marked;  // statements to mark in the picture
  // Text that repeats the failure exactly, where the Program alone does not; else empty.
  std::string reproducer;
  // For a foreign engine the word of its outcome (see foreign_judge.h), also where nothing failed;
  // `oracle` and `text` are then those of a difference that an expected failure explains. kParted
  // where a recorded schedule did not fit: nothing is known then, and `text` says where.
  std::string outcome;
  // Further files of the finding's folder, by name.
  std::map<std::string, std::string> files;
};

// How a Program is explored; for Subjects that run it under many schedules.
struct ExploreOptions {
  std::string strategy = "mixed";  // of interleave/strategies/strategies.h, or replay
  uint64_t schedules = 1000;       // for each Program
  int threads = 0;                 // device workers; 0: one for each device
  std::string program;             // path: explore this one instead of random ones
  std::string schedule;            // path: what `replay` follows
};

// Which Programs are made.
struct ProgramOptions {
  std::vector<std::string> features;  // empty: all
  std::vector<std::string> ops;       // empty: all
  ExploreOptions explore;
  int elements = 24;  // of a leaf, at most
  int rank = 4;
};

// What the summary is made from: sums over all judged Programs. At most kMaxCounters numbers, and
// adding two runs' numbers one by one gives those of both.
using Counters = std::vector<uint64_t>;
inline constexpr size_t kMaxCounters = 16384;

class Subject {
 public:
  virtual ~Subject() = default;

  // Checks that the options name things that exist; the message says what is allowed. Starts
  // nothing.
  virtual absl::Status Configure(const ProgramOptions& options) = 0;

  // Starts the engine. An error ends the campaign with exit status 3.
  virtual absl::Status Start() = 0;

  // Makes the Program of this seed the current one; returns its text. Needs Configure, not Start.
  virtual std::string Generate(uint64_t seed) = 0;

  // Makes the Program in `text` the current one; `origin` names the file in errors. Needs no Start.
  virtual absl::Status Load(std::string_view text, std::string_view origin) = 0;

  // The following act on the current Program. Judge adds to the counters.
  virtual Verdict Judge() = 0;
  virtual absl::Span<const uint64_t> counters() const = 0;
  // A Judge that takes long asks `stop` between its steps; where that says so, it ends with what it
  // has done.
  virtual void StopWhen(std::function<bool()>) {}
  // Runs it on the engine alone; returns the Observation as text.
  virtual std::string Run() = 0;
  // Whether the last Run met all that the Program's `expect` statements demand.
  virtual bool AllMet() const { return true; }
  // Its graph in the language of graphviz, with dependency counts. With `marked`, drawn from the
  // Program and its prediction alone, so that it works for Programs that bring the engine down.
  virtual std::string Draw(absl::Span<const int> marked, bool run_engine) = 0;

  // The smallest Program found for which `still_fails` holds, starting from `text`; both are texts.
  virtual std::string Shrink(std::string_view text,
                             const std::function<bool(std::string_view)>& still_fails) = 0;

  // The lines of the summary that these counters give, each ending in a newline.
  virtual std::string Summarise(absl::Span<const uint64_t> counters) const = 0;
  // What a summary names rather than counts: notes that are new since the last call. The parent
  // keeps each once, whichever worker it came from.
  virtual std::vector<std::string> TakeNotes() { return {}; }
  // Further lines of the summary, made from all notes of a run.
  virtual std::string SummariseNotes(const std::set<std::string>&) const { return ""; }
  // These counters for machines: the members of a JSON object.
  virtual std::string Report(absl::Span<const uint64_t>) const { return "{}"; }
  // A started engine, examined for the author of its adapter. `*healthy`: nothing is wrong.
  virtual std::string Examine(bool* healthy) {
    *healthy = true;
    return "[oracle] nothing to examine: --engine names no adapter\n";
  }
  // The list of Programs that a started engine is known to get wrong, as a path below the
  // repository's top; empty: it has none.
  virtual std::string KnownFailures() const { return ""; }
  // What a started engine says that it is: `name` and `version`; empty: the repository's own.
  virtual std::map<std::string, std::string> Identity() const { return {}; }
  // What a started engine answers where derivatives do not exist: a JSON array of objects with
  // point, choice and twin.
  virtual std::string Conventions() { return "[]"; }
  // Why a run with these counters fails even without a finding; empty: it does not.
  virtual std::string Objection(absl::Span<const uint64_t>) const { return ""; }
  // How many of the judged Programs have a Verdict of outcome kParted.
  virtual uint64_t Parted(absl::Span<const uint64_t>) const { return 0; }
};

// Which engine is checked, and what it may take.
struct EngineOptions {
  std::string engine;  // empty: the repository's; else see foreign_subject.h
  // Of one Program; what runs in the worker itself is limited by its parent.
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  uint64_t memory = uint64_t{2} << 30;
};

// An error is wrong usage.
using SubjectFactory =
    std::function<absl::StatusOr<std::unique_ptr<Subject>>(const EngineOptions&)>;

}  // namespace twingrad::oracle

#endif  // PROPTESTS_SUBJECTS_SUBJECT_H_
