#include "proptests/workers/fake_cases.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace twingrad::workers {
namespace {

// `stained` is wrong once the process has run a `stain`, `flaky` once it has run three cases, and
// `once` if no process in the same folder has run one before.
constexpr std::string_view kFaults[] = {"wrong", "crash", "hang",  "memory",  "throw",
                                        "exit",  "flaky", "stain", "stained", "once"};

// Whether this is the first call with this working directory.
bool IsFirst() {
  const std::string path = ResolvePath("once");
  return !ReadInput(path).ok() && AppendFile(path, ".").ok();
}

bool Has(const auto& words, const auto& word) { return std::ranges::count(words, word) > 0; }

// Does what the fault says. Returns whether the Program's answer is wrong.
bool Act(std::string_view fault) {
  if (fault == "crash") {
    std::fputs("about to crash\n", stderr);
    std::fflush(stderr);
    std::abort();
  }
  while (fault == "hang") usleep(1000);
  if (fault == "memory") {
    // Touched and kept, 8 MiB at a time, so that the limit is met long before the machine's.
    std::vector<char*> kept;
    while (true) {
      kept.push_back(static_cast<char*>(std::malloc(size_t{8} << 20)));
      std::memset(kept.back(), 1, size_t{8} << 20);
      usleep(1000);
    }
  }
  if (fault == "throw") throw std::bad_alloc();
  if (fault == "exit") std::_Exit(42);
  return fault == "wrong";
}

void KeepLine(absl::Span<std::byte> scratch, const std::string& line) {
  if (scratch.size() > line.size()) std::memcpy(scratch.data(), line.c_str(), line.size() + 1);
}

}  // namespace

absl::Status FakeCases::Configure(std::vector<std::string> features, std::vector<std::string> ops) {
  for (const std::string& feature : features) {
    if (!Has(kFaults, feature)) {
      return absl::InvalidArgumentError(
          absl::StrCat("[oracle] unknown feature `", feature, "`; allowed are ",
                       absl::StrJoin(kFaults, ", "), "; choose among those"));
    }
  }
  features_ = std::move(features);
  ops_ = std::move(ops);
  return absl::OkStatus();
}

void FakeCases::Plant(Defect defect, uint64_t draw) {
  planted_ = defect;
  draw_ = draw;
}

absl::Status FakeCases::Start() {
  if (Has(ops_, "cannot_start")) {
    return absl::InternalError("[fake] no engine here; needed is one; look elsewhere");
  }
  if (Has(ops_, "die_starting")) std::abort();
  if (Has(ops_, "few_starts")) {
    const std::string path = ResolvePath("starts");
    if (absl::Status status = AppendFile(path, "."); !status.ok()) return status;
    if (ReadInput(path)->size() > 40) {
      return absl::InternalError("[fake] 41 starts; allowed are 40; delete the file `starts`");
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> FakeCases::LinesOf(uint64_t seed) const {
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < 3 + seed % 5; ++i) {
    lines.push_back(absl::StrCat("value ", (seed >> i) % 100));
  }
  if (!features_.empty() && seed % 16 == 3) {
    lines.insert(lines.begin() + 1, features_[(seed >> 8) % features_.size()]);
  }
  return lines;
}

void FakeCases::Make(uint64_t seed) { lines_ = LinesOf(seed); }

std::string FakeCases::Text() const { return absl::StrCat(absl::StrJoin(lines_, "\n"), "\n"); }

absl::Status FakeCases::Load(std::string_view text, std::string_view origin) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::erase_if(lines, [](const std::string& line) { return line[0] == '#'; });
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!absl::StartsWith(lines[i], "value ") && !Has(kFaults, lines[i])) {
      return absl::InvalidArgumentError(absl::StrCat("[fake] ", origin, ":", i + 1,
                                                     ":1: unknown word `", lines[i],
                                                     "`; allowed is value; mend the line"));
    }
  }
  lines_ = std::move(lines);
  return absl::OkStatus();
}

void FakeCases::Look(const std::vector<std::string>& lines, size_t begin, size_t end,
                     CaseResult* result) {
  for (size_t i = begin; i < end; ++i) {
    const std::string& line = lines[i];
    if (planted_ != Defect::kNone && line == absl::StrCat("value ", draw_ % 100)) {
      if (planted_ == Defect::kCrash) Act("crash");
      if (planted_ == Defect::kHang) Act("hang");
      result->failed = true;
      result->oracle = DefectName(planted_);
      result->text = "a planted line\n  expected: right\n  actual:   wrong\n";
    }
    if (absl::StartsWith(line, "value ")) continue;
    KeepLine(scratch_, line);
    const bool shows = (line == "flaky" && counters_[0] >= 3) || (line == "stained" && stained_) ||
                       (line == "once" && IsFirst());
    stained_ |= line == "stain";
    if (Act(line) || shows) {
      result->failed = true;
      result->oracle = line;
      result->text = absl::StrCat("line ", i, " is wrong\n  expected: right\n  actual:   wrong\n");
      result->expected = "right\n";
      result->actual = "wrong\n";
      result->marked = {static_cast<int>(i)};
    }
  }
  KeepLine(scratch_, "");
}

void FakeCases::Count(const std::vector<std::string>& lines) {
  counters_[0] += 1;
  counters_[1] += lines.size();
  notes_.insert(absl::StrCat(lines.size(), " lines"));
}

CaseResult FakeCases::Judge() {
  if (Has(ops_, "slow")) usleep(5000);
  CaseResult result;
  Look(lines_, 0, lines_.size(), &result);
  Count(lines_);
  return result;
}

CaseBatch* FakeCases::batch() { return Has(ops_, "batches") ? this : nullptr; }

void FakeCases::Take(int step, size_t place, uint64_t seed) {
  Place& at = places_[place];
  if (step == 0) {
    at = {LinesOf(seed), {}};
    return;
  }
  if (step == 1 && Has(ops_, "slow")) usleep(5000);
  const size_t last = at.lines.size() - 1;
  Look(at.lines, step == 1 ? 0 : last, step == 1 ? last : last + 1, &at.result);
}

CaseResult FakeCases::Finish(size_t place) {
  Count(places_[place].lines);
  return std::move(places_[place].result);
}

std::string FakeCases::Draw(absl::Span<const int> marked, bool /*run_engine*/) {
  std::string dot = "digraph {\n";
  for (size_t i = 0; i < lines_.size(); ++i) {
    const bool mark = Has(marked, static_cast<int>(i));
    absl::StrAppend(&dot, "  n", i, " [label=\"", lines_[i], "\"", mark ? " color=red" : "",
                    "];\n");
  }
  return dot + "}\n";
}

std::string FakeCases::Shrink(std::string_view text,
                              const std::function<bool(std::string_view)>& still_fails) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (size_t i = 0; i < lines.size();) {
    std::vector<std::string> fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fewer.empty() && still_fails(absl::StrCat(absl::StrJoin(fewer, "\n"), "\n"))) {
      lines = fewer;
    } else {
      ++i;
    }
  }
  return absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

std::vector<std::string> FakeCases::TakeNotes() {
  std::vector<std::string> notes;
  for (const std::string& note : std::exchange(notes_, {})) {
    if (told_.insert(note).second) notes.push_back(note);
  }
  return notes;
}

void FakeCases::ReadScratch(absl::Span<const std::byte> scratch, CaseResult* result) {
  const std::string line(reinterpret_cast<const char*>(scratch.data()));
  if (!line.empty()) absl::StrAppend(&result->text, "  at line:  ", line, "\n");
}

WorkerCommand FakeWorker(const TemporaryFolder& folder) {
  WorkerCommand command;
  command.executable = "proptests/workers/fake_worker";
  command.folder = folder.path();
  return command;
}

}  // namespace twingrad::workers
