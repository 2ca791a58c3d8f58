// Thread sections: each on a thread of its own. See execution.h.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/graph/thread_state.h"
#include "autograd/runner/execution.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"

namespace twingrad::runner {

using program::Section;
using program::SectionEnd;

namespace {

// More nodes than a section can make.
constexpr uint64_t kKeysOfOneSection = uint64_t{1} << 32;

// The threads of sections that run at once: their own, or lent ones. Waits for all of them.
class SectionThreads {
 public:
  explicit SectionThreads(CallThreads* lent) : lent_(lent) {}
  ~SectionThreads() { Wait(); }
  SectionThreads(const SectionThreads&) = delete;
  SectionThreads& operator=(const SectionThreads&) = delete;

  void Start(std::string name, std::function<void()> section) AG_EXCLUDES(mutex_) {
    if (lent_ == nullptr) {
      own_.emplace_back(std::move(name), std::move(section));
      return;
    }
    {
      sync::MutexLock lock(mutex_);
      ++running_;
    }
    lent_->Post([this, section = std::move(section)] {
      section();
      sync::MutexLock lock(mutex_);
      if (--running_ == 0) ended_.NotifyOne();
    });
  }
  void Wait() AG_EXCLUDES(mutex_) {
    for (sync::Thread& thread : own_) {
      if (thread.IsJoinable()) thread.Join();
    }
    sync::MutexLock lock(mutex_);
    while (running_ > 0) ended_.Wait(mutex_);
  }

 private:
  CallThreads* const lent_;
  std::vector<sync::Thread> own_;
  sync::Mutex mutex_{"section_threads"};
  sync::CondVar ended_{"section_threads.ended"};
  int running_ AG_GUARDED_BY(mutex_) = 0;
};

}  // namespace

Execution::Execution(Execution& outer, uint64_t first_key)
    : program_(outer.program_),
      engine_(outer.engine_),
      options_({.record_calls = outer.options_.record_calls, .stop = outer.options_.stop}),
      outer_(&outer),
      names_(&outer.names_, first_key),
      shared_(outer.shared_),
      recorder_(shared_.recorder),
      values_(shared_.values),
      defined_at_(shared_.defined_at),
      actor_(shared_.actor),
      streams_(&outer.streams_),
      modes_before_(CurrentThread().modes) {}

// Keys in the order of the Program, so that the order of nodes does not depend on timing.
std::optional<std::vector<SectionEnd>> Execution::RunSections(
    const std::vector<Section>& sections) {
  SynchronizeDevices(recorder_.devices());
  const uint64_t first_key = ReserveOrderKeys(sections.size() * kKeysOfOneSection);
  const size_t first = sections_.size();
  const size_t first_call = observation_.calls.size();
  std::vector<SectionEnd> ends(sections.size());
  SectionThreads threads(options_.section_threads);
  for (size_t i = 0; i < sections.size(); ++i) {
    sections_.push_back(std::make_unique<Execution>(*this, first_key));
    threads.Start(absl::StrCat("section_", i), [&, i, section = sections_.back().get()] {
      ends[i] = section->RunSection(sections[i], first_key + i * kKeysOfOneSection);
    });
    if (options_.one_section_at_a_time) threads.Wait();
  }
  threads.Wait();
  SynchronizeDevices(recorder_.devices());
  for (size_t i = first; i < sections_.size(); ++i) names_.Adopt(sections_[i]->names_);
  recorder_.SortCalls(first_call);
  statement_ = sections.back().end;
  if (options_.check_frozen) NoteFrozenAfterSections();
  return ends;
}

SectionEnd Execution::RunSection(const Section& section, uint64_t first_key) {
  const OrderScope keys(first_key);
  const ModesScope modes(modes_before_);
  SectionEnd end = program::WalkSection(program_, section, *this);
  streams_.Leave();
  return end;
}

// Calls of the sections have ended in any order; from here on no .grad may change.
void Execution::NoteFrozenAfterSections() {
  if (observation_.calls.empty()) return;
  last_call_ = program::OutermostStatement(observation_.calls, observation_.calls.size() - 1);
  frozen_.Take(values_);
}

}  // namespace twingrad::runner
