#include "tools/oracle/oracle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/case_text.h"
#include "proptests/findings/picture.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/workers/files.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/worker.h"
#include "tools/oracle/check.h"
#include "tools/oracle/conform.h"

namespace twingrad::oracle {
namespace {

constexpr FlagSpec kFeatures = {"features", "A,B", FlagType::kList, "all",
                                "features that Programs may hold; -A,-B: all but these"};
constexpr FlagSpec kOps = {"ops", "A,B", FlagType::kList, "all",
                           "ops that Programs may use; -A,-B: all but these"};
constexpr FlagSpec kTimeout = {"timeout", "TIME", FlagType::kDuration, "10s",
                               "a Program that runs longer is a hang"};
constexpr FlagSpec kMemory = {"memory", "SIZE", FlagType::kSize, "2G",
                              "a worker that grows beyond is a finding"};

constexpr FlagSpec kEngine = {"engine", "ENGINE", FlagType::kPath, "the repository's own",
                              "libtorch, or exec:CMD ARGS for a program that speaks the protocol; "
                              "ARGS end at blanks, nothing is quoted"};
constexpr FlagSpec kForeignEngine = {"engine", "ENGINE", FlagType::kPath, "none", kEngine.help};

constexpr FlagSpec kElements = {
    "elements", "N", FlagType::kCount, "24", "elements of a leaf at most; few make few shapes", 64};
constexpr FlagSpec kRank = {"rank", "N", FlagType::kCount, "4", "dimensions of a leaf at most", 6};
constexpr FlagSpec kJobs = {"jobs", "N", FlagType::kCount, "all cores", "worker processes", 4096};

constexpr FlagSpec kCheckFlags[] = {
    kEngine,
    {"programs", "N", FlagType::kCount, "2000, or no limit with --time", "Programs to judge"},
    {"seed", "N", FlagType::kSeed, "a fresh one, printed", "makes the run repeatable"},
    kFeatures,
    kOps,
    {"time", "TIME", FlagType::kDuration, "no limit", "ends the run after 90, 90s, 5m or 2h"},
    kJobs,
    {"findings", "N", FlagType::kCount, "no limit", "ends the run after so many findings"},
    kElements,
    kRank,
    kTimeout,
    kMemory,
    {"out", "DIR", FlagType::kPath, "findings", "where folders of findings are made"},
    {"report", "FILE", FlagType::kPath, "none",
     "JSON lines, appended; see proptests/findings/report.py"},
};

std::string_view StrategyHelp() {
  static const std::string help =
      absl::StrCat(interleave::StrategyNames(), ", or replay (of --schedule)");
  return help;
}

const FlagSpec kStrategy = {"strategy", "WORD", FlagType::kWord, interleave::kDefaultStrategy,
                            StrategyHelp()};
constexpr FlagSpec kSchedules = {"schedules", "N", FlagType::kCount, "1000", "for each Program"};
constexpr FlagSpec kThreads = {"threads",
                               "N",
                               FlagType::kCount,
                               "one for each device",
                               "device workers of the engine",
                               interleave::kMostDeviceThreads};
constexpr FlagSpec kProgram = {"program", "FILE", FlagType::kPath, "random ones",
                               "explores this Program"};
constexpr FlagSpec kSchedule = {"schedule", "FILE", FlagType::kPath, "none",
                                "what --strategy=replay follows, with --program"};

const FlagSpec kExploreFlags[] = {
    {"programs", "N", FlagType::kCount, "100, or no limit with --time, or 1 with --program",
     "Programs to explore"},
    kSchedules,
    kStrategy,
    {"seed", "N", FlagType::kSeed, "a fresh one, printed", "makes the run repeatable"},
    kThreads,
    kProgram,
    kSchedule,
    kFeatures,
    kOps,
    {"time", "TIME", FlagType::kDuration, "no limit", "ends the run after 90, 90s, 5m or 2h"},
    kJobs,
    {"timeout", "TIME", FlagType::kDuration, "10s and 2 ms a schedule",
     "a Program whose schedules run longer is a hang"},
    kMemory,
    {"out", "DIR", FlagType::kPath, "findings", "where folders of findings are made"},
};
constexpr FlagSpec kReplayFlags[] = {kTimeout, kMemory};
// The repository's own engine runs in this process, where Ctrl-C is at hand.
constexpr FlagSpec kRunFlags[] = {
    kEngine,
    {"timeout", "TIME", FlagType::kDuration, "10s",
     "with --engine: a Program that runs longer is a hang"},
    {"memory", "SIZE", FlagType::kSize, "2G", "with --engine: one that grows beyond is a finding"},
};
constexpr FlagSpec kDoctorFlags[] = {kForeignEngine, kTimeout, kMemory};
constexpr FlagSpec kConformFlags[] = {
    kForeignEngine,
    {"update", "", FlagType::kSwitch, "not given", "rewrites the engine's list in golden/expected"},
    kTimeout,
    kMemory,
};
constexpr FlagSpec kExplainFlags[] = {
    {"out", "FILE", FlagType::kPath, "standard output", "where the picture goes"}};
constexpr FlagSpec kGenerateFlags[] = {
    {"seed", "N", FlagType::kSeed, "a fresh one", "of the Program; findings name theirs"},
    kEngine,
    kFeatures,
    kOps,
    kElements,
    kRank,
};
const FlagSpec kWorkerFlags[] = {
    {"recorder", "FILE", FlagType::kPath, "none", "the flight recorder"},
    {"campaign", "FILE", FlagType::kPath, "none", "the programs not yet handed out"},
    kEngine,
    kTimeout,
    kMemory,
    kFeatures,
    kOps,
    kElements,
    kRank,
    kSchedules,
    kStrategy,
    kThreads,
    kProgram,
    kSchedule,
};

const VerbSpec kVerbs[] = {
    {"check", "", "compares the engine with its twin on random Programs",
     "Runs random Programs through the engine and through its witnesses, in worker processes, and\n"
     "compares all that they show. A Program on which they differ, or that crashes, hangs or takes "
     "too\n"
     "much memory, is a finding: it is made small, then written to a folder with a picture, and "
     "the run\n"
     "goes on. The summary at the end says what was compared. Ctrl-C ends the run with its "
     "summary.\n"
     "Of another engine what golden/expected lists is no finding, but from 2,000 Programs on it "
     "may\n"
     "explain 2 % of them at most.\n",
     kCheckFlags,
     "check\ncheck --programs=100000 --jobs=2\ncheck --time=2h --out=/tmp/findings\n"
     "check --engine=libtorch\ncheck --engine='exec:python3 my_adapter.py'\n"
     "check --seed=7 --ops=mul,sum --features=view\n"},
    {"explore", "", "runs the engine under schedules that decide every interleaving",
     "Runs each Program many times on the engine, compiled so that a scheduler decides which "
     "thread goes\n"
     "on at every lock, wait, notify and atomic access. A schedule that ends in a deadlock or a "
     "data race,\n"
     "or shows another bit than a single thread does, is a finding: Program and schedule are made "
     "small,\n"
     "then written to a folder with a picture, and the run goes on. The summary at the end says "
     "what was\n"
     "explored. Ctrl-C ends the run with its summary.\n",
     kExploreFlags,
     "explore --programs=100 --schedules=1000\nexplore --time=5m --jobs=2 --strategy=pct\n"
     "explore --program=program.txt --schedules=100000\n"
     "explore --program=program.txt --strategy=replay --schedule=schedule.txt\n"},
    {"run", "FILE", "executes one Program and prints its Observation",
     "FILE holds a Program, `-` is standard input. Prints every value, its .grad, and for each "
     "call of the\n"
     "engine the nodes, dependency counts and order of execution; on the repository's engine then "
     "the\n"
     "expect statements that are not met. Exit status 1: there are such.\n",
     kRunFlags, "run program.txt\nrun - < program.txt\n"},
    {"explain", "FILE", "draws the graph of one Program as SVG, with dependency counts",
     "FILE holds a Program, `-` is standard input. One drawing for each call of the engine. Where "
     "graphviz\n"
     "is not installed, and for graphs of more than 500 nodes, which take it long, its source is "
     "written\n"
     "instead, with --out=NAME.svg to NAME.dot, and a line names the command that draws it.\n",
     kExplainFlags, "explain program.txt --out=graph.svg\n"},
    {"generate", "", "prints a random Program",
     "Prints the Program that `check` makes of this seed with these flags. An --engine is started, "
     "for what\n"
     "it claims to run decides.\n",
     kGenerateFlags, "generate --seed=7\ngenerate --ops=mul,sum\n"},
    {"replay", "DIR", "repeats a finding",
     "DIR is the folder of a finding. Judges its Program again in a fresh worker. Exit status 1: "
     "it still\n"
     "fails; 0: it does not. A finding of `explore` is repeated decision by decision; exit status "
     "4: its\n"
     "schedule does not fit this engine, so that nothing is known of it.\n",
     kReplayFlags, "replay findings/twin-0000000000000007\n"},
    {"doctor", "", "examines the adapter of an engine",
     "For the author of an adapter: shakes hands, says what it understood, runs small Programs of "
     "each op\n"
     "that the hello claims, prints the engine's conventions, and names expected failures whose "
     "date has\n"
     "passed. Exit status 1: something is wrong, or an op that is claimed is refused each time. "
     "After two\n"
     "hangs it asks no further.\n",
     kDoctorFlags, "doctor --engine=libtorch\ndoctor --engine='exec:python3 my_adapter.py'\n"},
    {"conform", "", "runs all goldens on an engine, against the list of its known failures",
     "Judges every Program of golden/programs and golden/findings. "
     "golden/expected/NAME-VERSION.txt "
     "lists\n"
     "those that the engine is known to get wrong, and by which rule; the list is strict: a golden "
     "that\n"
     "fails without being listed, one that is listed and does not fail, and one that fails by "
     "another rule\n"
     "give exit status 1.\n",
     kConformFlags,
     "conform --engine=libtorch\nconform --engine='exec:python3 my_adapter.py' --update\n"},
    {"worker", "", "judges Programs for a parent process", "Started by the other verbs.\n",
     kWorkerFlags, "", /*hidden=*/true},
};

absl::Status Configure(const Arguments& arguments, Subject& subject) {
  return subject.Configure(OptionsOf(arguments));
}

// What is given must have a part in the run.
absl::Status CheckFlagsFit(const Arguments& arguments) {
  const bool replays = arguments.Path("strategy") == "replay";
  if (replays) {
    for (const std::string_view flag : {"schedules", "seed", "threads"}) {
      if (!arguments.Has(flag)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "[oracle]", arguments.Text({&flag, 1}),
          " has no part in --strategy=replay, which takes all from its schedule; allowed beside it "
          "are --program, --schedule and what limits or places the run; leave it out"));
    }
  }
  if (!arguments.Has("program")) return absl::OkStatus();
  for (const std::string_view flag : {"features", "ops"}) {
    if (!arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle]", arguments.Text({&flag, 1}), " has no part in a run of --program=",
        *arguments.Path("program"), "; it is of random Programs; leave one of the two out"));
  }
  return absl::OkStatus();
}

absl::Status LoadOperand(const Arguments& arguments, Subject& subject) {
  const std::string path = ResolvePath(*arguments.operand);
  absl::StatusOr<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  return subject.Load(*text, *arguments.operand == "-" ? "standard input" : *arguments.operand);
}

absl::StatusOr<int> RunOne(const Arguments& arguments, Subject& subject) {
  if (absl::Status status = LoadOperand(arguments, subject); !status.ok()) return status;
  if (absl::Status status = subject.Start(); !status.ok()) {
    return absl::UnavailableError(status.message());
  }
  absl::PrintF("%s", subject.Run());
  return subject.AllMet() ? kNothingFound : kFound;
}

absl::StatusOr<int> Doctor(const Arguments& arguments, Subject& subject) {
  if (!arguments.Has("engine")) {
    return absl::InvalidArgumentError(
        "[oracle] `doctor` is for the engines of others; allowed are --engine=libtorch and "
        "--engine=exec:CMD ARGS; see `oracle doctor --help`");
  }
  if (absl::Status status = subject.Start(); !status.ok()) {
    return absl::UnavailableError(status.message());
  }
  bool healthy = false;
  absl::PrintF("%s", subject.Examine(&healthy));
  return healthy ? kNothingFound : kFound;
}

absl::StatusOr<int> Explain(const Arguments& arguments, Subject& subject) {
  if (absl::Status status = LoadOperand(arguments, subject); !status.ok()) return status;
  if (absl::Status status = subject.Start(); !status.ok()) {
    return absl::UnavailableError(status.message());
  }
  std::string picture = subject.Draw({}, /*run_engine=*/true);
  std::optional<std::string> out = arguments.Path("out");
  if (out) out = ResolvePath(*out);
  if (absl::StatusOr<std::string> svg = RenderSvg(picture); svg.ok()) {
    picture = *std::move(svg);
  } else {
    absl::FPrintF(stderr, "%s\n", svg.status().message());
    if (out) {
      const std::string name(absl::StripSuffix(*out, ".svg"));
      out = name + ".dot";
      absl::FPrintF(stderr, "[oracle] its source is in %s; `dot -Tsvg %s -o %s` draws it\n", *out,
                    ShellWord(*out), ShellWord(name + ".svg"));
    } else {
      absl::FPrintF(stderr,
                    "[oracle] its source follows in place of the picture; `dot -Tsvg` draws it\n");
    }
  }
  if (!out) {
    absl::PrintF("%s", picture);
  } else if (absl::Status status = WriteFile(*out, picture); !status.ok()) {
    return status;
  }
  return kNothingFound;
}

absl::StatusOr<int> Generate(const Arguments& arguments, Subject& subject) {
  if (arguments.Has("engine")) {
    if (absl::Status status = subject.Start(); !status.ok()) {
      return absl::UnavailableError(status.message());
    }
  }
  std::optional<uint64_t> seed = arguments.Number("seed");
  if (!seed) {
    seed = FreshSeed();
    absl::FPrintF(stderr, "[oracle] seed %d\n", *seed);
  }
  absl::PrintF("%s", subject.Generate(*seed));
  return kNothingFound;
}

// What the finding in `folder` says of itself; an empty object if it says nothing.
nlohmann::json DescriptionIn(const std::string& folder) {
  const absl::StatusOr<std::string> text = ReadInput(folder + "/finding.json");
  nlohmann::json known =
      nlohmann::json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  return known.is_object() ? known : nlohmann::json::object();
}

std::string TextIn(const nlohmann::json& known, const char* key) {
  const auto found = known.find(key);
  return found != known.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<uint64_t> NumberIn(const nlohmann::json& known, const char* key) {
  const auto found = known.find(key);
  if (found == known.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

// The case that is to be judged again: a Program, of `explore` with its schedule or, where that was
// not kept, with the seed of all schedules, which `command` is told how to take.
absl::StatusOr<std::string> CaseIn(const std::string& folder, const nlohmann::json& known,
                                   WorkerCommand* command) {
  absl::StatusOr<std::string> program = ReadInput(folder + "/program.txt");
  if (!program.ok()) return program.status();
  if (absl::StatusOr<std::string> schedule = ReadInput(folder + "/schedule.txt"); schedule.ok()) {
    const absl::Status read =
        interleave::ParseSchedule(*schedule, folder + "/schedule.txt").status();
    if (!read.ok()) return read;
    return JoinCase({*program, std::nullopt, false, *schedule});
  }
  const std::optional<uint64_t> seed = NumberIn(known, "seed");
  if (TextIn(known, "verb") != "explore" || !seed) return program;
  if (const std::string strategy = TextIn(known, "strategy"); !strategy.empty()) {
    command->flags.push_back("--strategy=" + strategy);
  }
  for (const char* key : {"schedules", "threads"}) {
    const uint64_t number = NumberIn(known, key).value_or(0);
    if (number > 0) command->flags.push_back(absl::StrCat("--", key, "=", number));
  }
  return JoinCase({*program, *seed, false, ""});
}

int PrintVerdict(const Verdict& verdict, const std::string& folder, const std::string& found_as) {
  if (verdict.outcome == "explained") {
    absl::PrintF("the finding still shows, as an expected failure\n%s", verdict.text);
    return kFound;
  }
  if (verdict.outcome == kParted) {
    absl::PrintF(
        "nothing is known of the finding: its schedule is of an engine that asks other questions\n"
        "replay diverged: %s\n"
        "look for it anew: tools/bazel run //tools/oracle -- explore --program=%s\n",
        verdict.text, ShellWord(folder + "/program.txt"));
    return kUnknown;
  }
  if (!verdict.failed) {
    absl::PrintF("the finding no longer shows\n%s", verdict.text);
    return kNothingFound;
  }
  absl::PrintF("the finding still shows: %s\n%s\nexpected:\n%s\nactual:\n%s", verdict.oracle,
               verdict.text, verdict.expected, verdict.actual);
  if (!found_as.empty() && found_as != verdict.oracle) {
    absl::PrintF("\nit was found as: %s\n", found_as);
  }
  return kFound;
}

absl::StatusOr<int> Replay(const Arguments& arguments) {
  const std::string folder = ResolvePath(*arguments.operand);
  const nlohmann::json known = DescriptionIn(folder);
  absl::StatusOr<TemporaryFolder> temporary = TemporaryFolder::Make("oracle");
  if (!temporary.ok()) return temporary.status();
  WorkerCommand command = MakeWorkerCommand(arguments, temporary->path());
  SetEngine(TextIn(known, "engine"), &command);
  // The limits under which it was found, unless others are given.
  const uint64_t timeout = std::min<uint64_t>(NumberIn(known, "timeout_ms").value_or(0), 1u << 30);
  const uint64_t memory = std::min<uint64_t>(NumberIn(known, "memory_mib").value_or(0), 1u << 30);
  if (timeout > 0 && !arguments.Has("timeout")) {
    command.limits.timeout = std::chrono::milliseconds(timeout);
  }
  if (memory > 0 && !arguments.Has("memory")) command.limits.memory = memory << 20;
  absl::StatusOr<std::string> text = CaseIn(folder, known, &command);
  if (!text.ok()) return text.status();
  Prober prober(command);
  absl::StatusOr<Verdict> verdict = prober.Judge(*text);
  if (!verdict.ok()) return verdict.status();
  return PrintVerdict(*verdict, folder, TextIn(known, "oracle"));
}

absl::StatusOr<int> Work(const Arguments& arguments, Subject& subject) {
  WorkerOptions options;
  options.recorder = arguments.Path("recorder").value_or("");
  options.campaign = arguments.Path("campaign").value_or("");
  options.memory = arguments.Number("memory").value_or(0);
  options.programs = OptionsOf(arguments);
  if (options.recorder.empty()) {
    return absl::InvalidArgumentError(
        "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that");
  }
  return RunWorker(subject, options);
}

absl::StatusOr<int> Dispatch(const Arguments& arguments, const SubjectFactory& make_subject) {
  if (arguments.help) {
    absl::PrintF("%s", arguments.verb != nullptr ? VerbHelp(*arguments.verb) : ToolHelp(Verbs()));
    return kNothingFound;
  }
  const std::string_view verb = arguments.verb->name;
  if (verb == "replay") return Replay(arguments);
  absl::StatusOr<std::unique_ptr<Subject>> made = make_subject(EngineOf(arguments));
  if (!made.ok()) return made.status();
  const std::unique_ptr<Subject> subject = *std::move(made);
  if (verb == "worker") return Work(arguments, *subject);
  if (absl::Status status = CheckFlagsFit(arguments); !status.ok()) return status;
  if (absl::Status status = Configure(arguments, *subject); !status.ok()) return status;
  if (verb == "check" || verb == "explore") return RunCheck(arguments, *subject);
  if (verb == "conform") return RunConform(arguments, *subject);
  if (verb == "doctor") return Doctor(arguments, *subject);
  if (verb == "run") return RunOne(arguments, *subject);
  if (verb == "explain") return Explain(arguments, *subject);
  return Generate(arguments, *subject);
}

}  // namespace

absl::Span<const VerbSpec> Verbs() { return kVerbs; }

bool NeedsModel(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const absl::StatusOr<Arguments> arguments = ParseArguments(Verbs(), words);
  if (!arguments.ok() || arguments->help || arguments->verb == nullptr) return false;
  if (arguments->verb->name == "explore") return true;
  if (arguments->verb->name != "replay") return false;
  const std::string folder = ResolvePath(*arguments->operand);
  return ReadInput(folder + "/schedule.txt").ok() ||
         TextIn(DescriptionIn(folder), "verb") == "explore";
}

int OracleMain(int argc, char** argv, const SubjectFactory& make_subject) {
  HoldStandardStreams();
  const std::vector<std::string> words(argv + 1, argv + argc);
  absl::StatusOr<Arguments> arguments = ParseArguments(Verbs(), words);
  absl::StatusOr<int> code =
      arguments.ok() ? Dispatch(*arguments, make_subject) : arguments.status();
  if (absl::Status written = FlushOutput(); !written.ok()) {
    absl::FPrintF(stderr, "%s\n", written.message());
    if (code.ok() && *code == kNothingFound) return kWrongUsage;
  }
  if (code.ok()) return *code;
  absl::FPrintF(stderr, "%s\n", code.status().message());
  return absl::IsUnavailable(code.status()) ? kCannotStart : kWrongUsage;
}

}  // namespace twingrad::oracle
