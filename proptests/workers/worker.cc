#include "proptests/workers/worker.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>
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

// One program of a campaign.
void JudgeNext(const Crew& crew, FlightRecord& record, Channel& channel, uint64_t index,
               uint64_t campaign_seed) {
  const uint64_t seed = ProgramSeed(campaign_seed, index);
  BeginGenerating(record, index, seed);
  crew.source.Make(seed);
  BeginJudging(record);
  CaseResult result = crew.judge.Judge();
  if (result.failed) {
    std::string program = result.reproducer.empty() ? crew.source.Text() : result.reproducer;
    const Failure failure{index, seed, std::move(program), std::move(result),
                          SeedsBefore(record, index, campaign_seed)};
    // Sent before the commit: a death in between repeats the program, it never loses the finding.
    record.phase.store(static_cast<uint32_t>(Phase::kIdle), std::memory_order_release);
    nlohmann::json message = failure;
    message["type"] = "failure";
    channel.Send(message);
  }
  if (const std::vector<std::string> notes = crew.judge.TakeNotes(); !notes.empty()) {
    channel.Send({{"type", "notes"}, {"notes", notes}});
  }
  CommitProgram(record, crew.judge.counters());
}

void RunCampaign(const Crew& crew, FlightRecord& record, CampaignRecord& campaign,
                 Channel& channel) {
  const uint64_t total = campaign.total;
  const uint64_t seed = campaign.seed;
  const uint64_t chunk = campaign.chunk;
  // The first chunk may be what a dead predecessor had left.
  uint64_t next = record.index;
  uint64_t end = record.chunk_end;
  Placement placement;
  uint64_t begun = 0;
  const auto begin_chunk = [&] {
    BeginChunk(record, next, end);
    if (!crew.judge.HandsOver()) return;
    IsTogether(begun++) ? placement.KeepTogether() : placement.LetGo();
  };
  if (next < end) begin_chunk();
  crew.judge.StopWhen([&campaign] { return campaign.stop.load(std::memory_order_relaxed) != 0; });
  while (campaign.stop.load(std::memory_order_relaxed) == 0) {
    if (next >= end) {
      next = campaign.next.fetch_add(chunk, std::memory_order_relaxed);
      if (next >= total) break;
      end = std::min(next + chunk, total);
      record.index.store(next, std::memory_order_relaxed);
      record.chunk_end.store(end, std::memory_order_relaxed);
      begin_chunk();
    }
    JudgeNext(crew, record, channel, next, seed);
    ++next;
  }
  record.phase.store(static_cast<uint32_t>(Phase::kIdle), std::memory_order_release);
  channel.Send({{"type", "done"}});
}

void RunProber(const Crew& crew, FlightRecord& record, Channel& channel) {
  while (std::optional<nlohmann::json> request = channel.Receive(/*blocking=*/true)) {
    const std::string program = request->value("program", "");
    // What a process has to have run before.
    for (const std::string& earlier : request->value("before", std::vector<std::string>())) {
      BeginJudging(record, earlier);
      if (crew.source.Load(earlier, "program").ok()) crew.judge.Judge();
      CommitProgram(record, crew.judge.counters());
    }
    BeginGenerating(record, 0, 0);
    BeginJudging(record, program);
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
    CommitProgram(record, crew.judge.counters());
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
    RunCampaign(crew, **record, **campaign, channel);
  } catch (const std::bad_alloc&) {
    // Unwinding engines that ran out of memory proves nothing more; the record tells what ran.
    _exit(kWorkerOutOfMemory);
  }
  return 0;
}

}  // namespace twingrad::workers
