#include "proptests/workers/worker.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/workers/channel.h"
#include "proptests/workers/flight_recorder.h"
#include "proptests/workers/placement.h"
#include "proptests/workers/process.h"

namespace twingrad::workers {
namespace {

// Shadow memory of sanitizers reserves terabytes; so does CUDA, as the engine starts.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr bool kShadowMemory = true;
#else
constexpr bool kShadowMemory = false;
#endif

// Bytes that the process has mapped, used or not.
rlim_t AddressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void BindToParent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : kRequests) std::signal(signal, SIG_IGN);
  const sigset_t requests = RequestSet();  // blocked by the parent until here
  sigprocmask(SIG_UNBLOCK, &requests, nullptr);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

// Of a process whose engine has started.
void LimitMemory(uint64_t memory) {
  // The parent watches the resident size; this stops what grows faster than it looks. Thread stacks
  // and the allocator's arenas reserve address space that they do not use, hence the allowance.
  const rlim_t limit = memory + (rlim_t{2} << 30);
  if (!kShadowMemory && memory > 0 && AddressSpace() < limit) {
    rlimit address_space = {};
    getrlimit(RLIMIT_AS, &address_space);
    // The hard limit stays: a child of this process has a limit of its own.
    address_space.rlim_cur = std::min(limit, address_space.rlim_max);
    setrlimit(RLIMIT_AS, &address_space);
  }
}

// What a worker does of a campaign.
class CampaignWork {
 public:
  CampaignWork(const Crew& crew, FlightRecord& record, CampaignRecord& campaign, Channel& channel)
      : crew_(crew), record_(record), campaign_(campaign), channel_(channel) {}

  void Run();

 private:
  uint64_t SeedOf(uint64_t index) const { return ProgramSeed(campaign_.seed, index); }
  void BeginChunk();
  bool NextChunk();
  // Each judges programs from `next_`, commits them, and returns the first one after them.
  uint64_t PassOver();
  uint64_t JudgeOne();
  uint64_t JudgeBatch(CaseBatch& batch);
  // Tell what there is to tell of a program that was judged, and of all since the last time.
  void Tell(uint64_t index, CaseResult result);
  void TellNotes();

  const Crew& crew_;
  FlightRecord& record_;
  CampaignRecord& campaign_;
  Channel& channel_;
  Placement placement_;
  uint64_t chunks_begun_ = 0;
  uint64_t next_ = 0;
  uint64_t end_ = 0;
};

void CampaignWork::BeginChunk() {
  workers::BeginChunk(record_, next_, end_);
  if (!crew_.judge.HandsOver()) return;
  IsTogether(chunks_begun_++) ? placement_.KeepTogether() : placement_.LetGo();
}

bool CampaignWork::NextChunk() {
  next_ = campaign_.next.fetch_add(campaign_.chunk, std::memory_order_relaxed);
  if (next_ >= campaign_.total) return false;
  end_ = std::min<uint64_t>(next_ + campaign_.chunk, campaign_.total);
  record_.index.store(next_, std::memory_order_relaxed);
  record_.chunk_end.store(end_, std::memory_order_relaxed);
  BeginChunk();
  return true;
}

void CampaignWork::Tell(uint64_t index, CaseResult result) {
  if (!result.failed) return;
  const uint64_t seed = SeedOf(index);
  std::string program = result.reproducer.empty() ? crew_.source.Generate(seed) : result.reproducer;
  const Failure failure{index, seed, std::move(program), std::move(result),
                        SeedsBefore(record_, index, campaign_.seed)};
  // Sent before the commit: a death in between repeats the program, it never loses the finding.
  record_.phase.store(static_cast<uint32_t>(Phase::kIdle), std::memory_order_release);
  nlohmann::json message = failure;
  message["type"] = "failure";
  channel_.Send(message);
}

void CampaignWork::TellNotes() {
  const std::vector<std::string> notes = crew_.judge.TakeNotes();
  if (!notes.empty()) channel_.Send({{"type", "notes"}, {"notes", notes}});
}

uint64_t CampaignWork::PassOver() {
  BeginBatch(record_, next_, next_ + 1);
  CommitBatch(record_, SeedOf(next_), crew_.judge.counters());
  return next_ + 1;
}

uint64_t CampaignWork::JudgeOne() {
  const uint64_t seed = SeedOf(next_);
  BeginBatch(record_, next_, next_ + 1);
  BeginGenerating(record_, next_, seed);
  crew_.source.Make(seed);
  BeginJudging(record_);
  Tell(next_, crew_.judge.Judge());
  TellNotes();
  CommitBatch(record_, seed, crew_.judge.counters());
  return next_ + 1;
}

uint64_t CampaignWork::JudgeBatch(CaseBatch& batch) {
  const uint64_t after = std::min<uint64_t>(end_, next_ + batch.places());
  BeginBatch(record_, next_, after);
  for (int step = 0; step < batch.steps(); ++step) {
    for (uint64_t i = next_; i < after; ++i) {
      const uint64_t seed = SeedOf(i);
      if (step == 0) {
        BeginGenerating(record_, i, seed);
      } else {
        ResumeJudging(record_, i, seed);
      }
      batch.Take(step, i - next_, seed);
    }
  }
  uint64_t seeds = 0;
  for (uint64_t i = next_; i < after; ++i) {
    ResumeJudging(record_, i, SeedOf(i));
    Tell(i, batch.Finish(i - next_));
    seeds += SeedOf(i);
  }
  TellNotes();
  CommitBatch(record_, seeds, crew_.judge.counters());
  return after;
}

void CampaignWork::Run() {
  next_ = record_.index;
  end_ = record_.chunk_end;
  // The first chunk may be what a dead worker has left. Its programs are judged one by one, so that
  // a further death is of one that nothing was judged together with.
  const uint64_t left = end_;
  if (next_ < end_) BeginChunk();
  crew_.judge.StopWhen([this] { return campaign_.stop.load(std::memory_order_relaxed) != 0; });
  while (campaign_.stop.load(std::memory_order_relaxed) == 0) {
    if (next_ >= end_ && !NextChunk()) break;
    CaseBatch* const batch = next_ < left ? nullptr : crew_.judge.batch();
    if (record_.fatal == next_ + 1) {
      next_ = PassOver();
    } else if (batch != nullptr) {
      next_ = JudgeBatch(*batch);
    } else {
      next_ = JudgeOne();
    }
  }
  record_.phase.store(static_cast<uint32_t>(Phase::kIdle), std::memory_order_release);
  channel_.Send({{"type", "done"}});
}

void RunProber(const Crew& crew, FlightRecord& record, Channel& channel) {
  const auto begin = [&record](std::string_view program) {
    BeginBatch(record, 0, 1);
    BeginGenerating(record, 0, 0);
    BeginJudging(record, program);
  };
  while (std::optional<nlohmann::json> request = channel.Receive(/*blocking=*/true)) {
    const std::string program = request->value("program", "");
    // What a process has to have run before.
    for (const std::string& earlier : request->value("before", std::vector<std::string>())) {
      begin(earlier);
      if (crew.source.Load(earlier, "program").ok()) crew.judge.Judge();
      CommitBatch(record, 0, crew.judge.counters());
    }
    begin(program);
    nlohmann::json reply;
    if (request->value("type", "") == "describe") {
      reply = {{"type", "description"},
               {"description", nlohmann::json::parse(crew.judge.Describe())}};
    } else if (request->value("type", "") == "generate") {
      const uint64_t seed = request->value("seed", uint64_t{0});
      reply = {{"type", "program"}, {"program", crew.source.Generate(seed)}};
    } else if (absl::Status status = crew.source.Load(program, "program"); !status.ok()) {
      reply = {{"type", "malformed"}, {"message", std::string(status.message())}};
    } else if (request->value("type", "") == "draw") {
      const std::vector<int> marked = request->value("marked", std::vector<int>());
      reply = {{"type", "drawing"},
               {"dot", crew.drawer.Draw(marked, request->value("engine", false))}};
    } else {
      reply = {{"type", "result"}, {"result", crew.judge.Judge()}};
    }
    CommitBatch(record, 0, crew.judge.counters());
    if (!channel.Send(reply)) return;
  }
}

}  // namespace

uint64_t ProgramSeed(uint64_t campaign_seed, uint64_t index) {
  // The finaliser of splitmix64: neighbouring indices give unrelated seeds.
  uint64_t z = campaign_seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<uint64_t> SeedsBefore(const FlightRecord& record, uint64_t index,
                                  uint64_t campaign_seed) {
  std::vector<uint64_t> seeds = IndicesBefore(record, index);
  for (uint64_t& seed : seeds) seed = ProgramSeed(campaign_seed, seed);
  return seeds;
}

int RunWorker(const Crew& crew, const WorkerOptions& options) {
  BindToParent();
  Channel channel(kWorkerChannel);
  char byte = 0;
  // The parent may have died before the death signal was set up: then the socket is at its end.
  if (recv(channel.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return kWorkerCannotStart;

  absl::StatusOr<MappedFile<FlightRecord>> record =
      MappedFile<FlightRecord>::Open(options.recorder);
  absl::Status status = record.status();
  if (status.ok()) {
    crew.judge.KeepScratchIn(absl::MakeSpan((*record)->scratch));
    status = crew.start();
  }
  // Otherwise the parent would blame the first Program.
  const uint64_t size = ResidentSize(getpid());
  if (status.ok() && options.memory > 0 && size > options.memory) {
    status = absl::ResourceExhaustedError(absl::StrCat(
        "[oracle] the engine starts with ", size >> 20, " MiB of memory, allowed are ",
        options.memory >> 20, " MiB; needed is more than it starts with; see --memory"));
  }
  LimitMemory(options.memory);
  const auto cannot_start = [&](const absl::Status& why) {
    channel.Send({{"type", "cannot_start"}, {"message", std::string(why.message())}});
    return kWorkerCannotStart;
  };
  if (!status.ok()) return cannot_start(status);
  (*record)->phase.store(static_cast<uint32_t>(Phase::kIdle), std::memory_order_release);
  channel.Send({{"type", "ready"}});
  try {
    if (options.campaign.empty()) {
      RunProber(crew, **record, channel);
      return 0;
    }
    absl::StatusOr<MappedFile<CampaignRecord>> campaign =
        MappedFile<CampaignRecord>::Open(options.campaign);
    if (!campaign.ok()) return cannot_start(campaign.status());
    CampaignWork(crew, **record, **campaign, channel).Run();
  } catch (const std::bad_alloc&) {
    // Unwinding engines that ran out of memory proves nothing more; the record tells what ran.
    _exit(kWorkerOutOfMemory);
  }
  return 0;
}

}  // namespace twingrad::workers
