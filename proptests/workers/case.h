// A case: what workers make, judge and draw, seen as text alone; and the roles of those who do it.
//
// The processes, recorders and limits of this folder know nothing of engines, schedules or the
// language of Programs. They drive a CaseSource, a CaseJudge and a CaseDrawer: those of real
// engines are in proptests/subjects and proptests/conformance, those of the tests, with planted
// crashes, hangs and disagreements, in fake_cases.h. Each is used by one thread of one process.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace twingrad::workers {

// A word for CaseResult::outcome: a recorded schedule did not fit, so nothing is known.
inline constexpr char kDiverged[] = "diverged";

// What was found out about one case. `oracle` is a short word, usable in a file name; the words
// crash, hang and memory are given by the parent to cases that brought a worker down.
struct CaseResult {
  bool failed = false;
  std::string oracle;
  std::string text;         // 3 to 6 lines, for a person to read first
  std::string expected;     // the whole expectation, as text
  std::string actual;       // the whole Observation, as text
  std::vector<int> marked;  // statements to mark in the picture
  // A text that repeats the failure exactly, where the case alone does not; else empty.
  std::string reproducer;
  // A word for how a foreign engine did (proptests/conformance), also where nothing failed;
  // `oracle` and `text` are then those of a difference that an expected failure explains. kDiverged
  // where a recorded schedule did not fit; `text` then says where.
  std::string outcome;
  // Further files of the finding's folder, by name.
  std::map<std::string, std::string> files;
};

// A case that failed, as it travels from where it was found to its folder.
struct Failure {
  uint64_t index = 0;
  uint64_t seed = 0;
  std::string program;
  CaseResult result;
  // What the same process ran before it, as seeds in that order; of long runs the latest ones.
  std::vector<uint64_t> before;
};

// What a summary is made from: sums over all judged cases. At most kMaxCounters numbers; adding
// those of two runs one by one gives those of both.
using Counters = std::vector<uint64_t>;
inline constexpr size_t kMaxCounters = 16384;

// Makes cases. The other roles act on the case that it has made or read last.
class CaseSource {
 public:
  virtual ~CaseSource() = default;

  // Makes the case of this seed the current one.
  virtual void Make(uint64_t seed) = 0;
  // That of the current one.
  virtual std::string Text() const = 0;
  std::string Generate(uint64_t seed) {
    Make(seed);
    return Text();
  }
  // Makes the case in `text` the current one; `origin` names the file in errors.
  virtual absl::Status Load(std::string_view text, std::string_view origin) = 0;
  // The smallest case found for which `still_fails` holds, starting from `text`; both are texts.
  virtual std::string Shrink(std::string_view text,
                             const std::function<bool(std::string_view)>& still_fails) = 0;
};

// Makes and judges several cases a step at a time: a worker takes a step for all of them before it
// takes the next for any, for a processor's caches and branch predictors hold the code of one step,
// and not that of all. The results are those of CaseSource::Make and CaseJudge::Judge; the current
// case is left alone.
class CaseBatch {
 public:
  virtual ~CaseBatch() = default;

  // How many cases there is room for: each has a place from 0.
  virtual size_t places() const = 0;
  virtual int steps() const = 0;
  // Takes a step for the case of this seed, which has this place until it is finished. The first
  // makes it, and ends what was there.
  virtual void Take(int step, size_t place, uint64_t seed) = 0;
  // After the last step. The counters have all of a case only then.
  virtual CaseResult Finish(size_t place) = 0;
};

// Judges the current case.
class CaseJudge {
 public:
  virtual ~CaseJudge() = default;

  // Adds to the counters.
  virtual CaseResult Judge() = 0;
  // Null: it judges cases one after the other.
  virtual CaseBatch* batch() { return nullptr; }
  virtual absl::Span<const uint64_t> counters() const = 0;
  // What a summary names rather than counts: notes that are new since the last call. The parent
  // keeps each once, whichever worker it came from.
  virtual std::vector<std::string> TakeNotes() { return {}; }
  // A judge that takes long asks `stop` between its steps; where that says so, it ends with what it
  // has done.
  virtual void StopWhen(std::function<bool()> /*stop*/) {}
  // Whether its threads hand work to each other, and hardly run at the same time: a worker keeps
  // them on one processor then, most of the time (placement.h).
  virtual bool HandsOver() const { return false; }
  // Memory that outlives the worker, kScratchBytes long and all zeros, in which a judge may keep
  // how far it has come within a case. Only WorkerCommand::read_scratch knows what the bytes mean.
  virtual void KeepScratchIn(absl::Span<std::byte> /*scratch*/) {}
  // What judges here, for machines: the text of a JSON object.
  virtual std::string Describe() { return "{}"; }
};
inline constexpr size_t kScratchBytes = (size_t{8} << 20) + 4096;

// Draws the current case.
class CaseDrawer {
 public:
  virtual ~CaseDrawer() = default;

  // In the language of graphviz. Without `run_engine` it is drawn from the case and its prediction
  // alone, which works for cases that bring the engine down.
  virtual std::string Draw(absl::Span<const int> marked, bool run_engine) = 0;
};

}  // namespace twingrad::workers
