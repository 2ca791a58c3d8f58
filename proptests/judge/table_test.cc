// Each oracle of the table finds a planted defect that no other finds; and whatever
// proptests/oracles holds has a row, a test, a line of its README and such a defect.

#include "proptests/judge/table.h"

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/ball.h"
#include "proptests/judge/canary.h"
#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::judge {
namespace {

using oracles::kProduct;
using oracles::Number;
using twingrad::ErrorKind;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::StreamStep;
using twingrad::reference::RunDual;
using twingrad::reference::RunTwin;
using twingrad::reference::ball::RunBall;

constexpr Needs kAll = need::kTwin | need::kErrorClasses | need::kSurvived | need::kCalls |
                       need::kGraph | need::kPrediction | need::kOrder | need::kHooks |
                       need::kWarnings | need::kInside;

constexpr char kNoGraph[] = "%x = leaf type=f64[] data=3\nbackward %x\n";
constexpr char kTried[] =
    "%x = leaf type=f64[] data=3\nbegin kind=try\nbackward %x\nend\n%y = neg %x\n";
constexpr char kHooked[] =
    "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nhook %x do=record\nbackward %y\n";
constexpr char kCallback[] =
    "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nhook %x do=callback\nbackward %y\n";
constexpr char kSections[] =
    "%x = leaf type=f64[] data=3 grad=1\naccumulate_hook %x do=record\n"
    "begin kind=thread\nbackward %x\nend\nbegin kind=thread\nbackward %x\nend\n";
constexpr char kOnDevice[] =
    "%x = leaf type=f64[] data=3 grad=1 device=dev:0\n%y = neg %x\nbackward %y\n";
constexpr char kDifference[] =
    "%a = leaf type=f64[] data=3 grad=1\n%b = leaf type=f64[] data=2 grad=1\n%y = sub %a %b\n"
    "backward %y\n";

// What the twin shows, with all that a judge can lay before the oracles.
struct Scene {
  explicit Scene(const std::string& text)
      : trial(text),
        dual(RunDual(trial.program)),
        ball(RunBall(trial.program)),
        other(trial.observed),
        canary(RunTwin(CanaryProgram()).observation),
        seeded(MakeSeededRuns(trial.program,
                              [](const Program& p) { return RunTwin(p).observation; })) {}

  bool Judge(std::vector<oracles::Verdict>& verdicts, std::string_view but = "") const {
    const oracles::Evidence evidence = {trial.program, trial.expected, trial.observed};
    Exhibits exhibits = {.evidence = evidence, .shown = shown, .dual = &dual, .ball = &ball};
    exhibits.other = OtherRun{other_differs ? &other : &trial.observed, false, "two runs"};
    exhibits.seeded = [this] { return seeded ? &*seeded : nullptr; };
    exhibits.canary = [this] { return canary; };
    return JudgeByTable(exhibits, verdicts, but);
  }

  oracles::Trial trial;
  Needs shown = kAll;
  twingrad::reference::DualResult dual;
  twingrad::reference::ball::BallResult ball;
  Observation other;  // the other run, if it is to differ
  bool other_differs = false;
  Observation canary;
  std::optional<SeededRuns> seeded;
};

// A wrong gradient that engine and twin have in common: with the dual numbers too, or where the
// balls say nothing.
void GiveAWrongGradient(Scene& s, bool to_dual) {
  s.trial.observed.values[0].grad.bits[0] = Number(-1);
  s.trial.expected.observation.values[0].grad.bits[0] = Number(-1);
  if (to_dual) s.dual.grads[0].data[0] = -1;
  if (!to_dual) s.ball.refusal = twingrad::reference::ball::Refusal::kTooLarge;
}

struct Planted {
  const char* program;
  std::function<void(Scene&)> plant;
};

using AllOfThem = std::map<std::string_view, Planted>;

// In what only the repository's engine shows.
AllOfThem PlantedInside() {
  return {
      {"thread state", {kProduct, [](Scene& s) { s.trial.observed.calls[0].left_changed = 1; }}},
      {"threads",
       {kProduct,
        [](Scene& s) {
          auto& call = s.trial.observed.calls[0];
          call.threads.assign(call.executed.size(), 1);
        }}},
      {"callbacks",  // where the twin cannot say how often it runs
       {kCallback,
        [](Scene& s) {
          s.shown &= ~need::kTwin;
          s.other_differs = true;
          auto& hooks = s.trial.observed.calls[0].hooks;
          hooks.push_back(hooks.back());
          s.other = s.trial.observed;
        }}},
      {"sharing", {kProduct, [](Scene& s) { s.trial.observed.values[1].storage = 0; }}},
      {"writes",  // of the product, which nothing reads afterwards
       {kProduct, [](Scene& s) { s.trial.observed.calls[0].writes = {{.value = 1}}; }}},
      {"accessors",
       {kProduct,
        [](Scene& s) {
          const auto& grad = s.trial.observed.values[0].grad;
          s.trial.observed.accessors = {{"clone", 0, true, grad, std::nullopt, "no memory"}};
        }}},
      {"streams",
       {kProduct, [](Scene& s) { s.trial.observed.stream_reports = {{"[device] no order"}}; }}},
      {"stream waits",
       {kOnDevice,
        [](Scene& s) {
          auto& call = s.trial.observed.calls[0];
          const auto node = static_cast<int32_t>(call.roots[0].node);
          call.node_streams.assign(call.nodes.size(), {1, 0});
          call.stream_orders = {{}, {0, 0, 0, 1, 0, 1, 0, 0, 0}};
          call.stream_steps = {{.number = 0, .current = {1}, .known = 0},
                               {.kind = StreamStep::Kind::kBegin,
                                .number = 1,
                                .node = node,
                                .current = {1},
                                .known = 1}};
        }}},
      {"leaks", {kProduct, [](Scene& s) { s.trial.observed.leaked_blocks = 1; }}},
  };
}

// In what every engine may show.
AllOfThem PlantedOutside() {
  return {
      {"frozen",
       {kProduct, [](Scene& s) { s.trial.observed.late_write = {.value = 0, .statement = 5}; }}},
      {"internal",  // where the twin cannot say that it is none of the legal errors
       {kProduct,
        [](Scene& s) {
          s.shown &= ~need::kTwin;
          s.trial.observed.error = {ErrorKind::kInternal, 5, "dependency not found"};
        }}},
      {"determinism",
       {kProduct,
        [](Scene& s) {
          s.other_differs = true;
          s.other.values[0].grad.bits[0] ^= 1;
        }}},
      {"survived",
       {kTried, [](Scene& s) { s.trial.observed.survived[0].error = ErrorKind::kFreed; }}},
      {"errors", {kNoGraph, [](Scene& s) { s.trial.observed.error->error = ErrorKind::kFreed; }}},
      {"gradient type",  // where the twin cannot say what the gradient is
       {kProduct,
        [](Scene& s) {
          s.shown &= ~need::kTwin;
          s.trial.observed.values[0].grad.shape.push_back(1);
        }}},
      {"recount",  // of a graph that the twin does not predict
       {kProduct,
        [](Scene& s) {
          s.shown &= ~(need::kPrediction | need::kOrder);
          s.trial.observed.calls[0].dependencies.back() += 1;
        }}},
      {"twin", {kProduct, [](Scene& s) { s.trial.observed.values[0].version = 9; }}},
      {"dual", {kProduct, [](Scene& s) { GiveAWrongGradient(s, /*to_dual=*/false); }}},
      {"ball", {kProduct, [](Scene& s) { GiveAWrongGradient(s, /*to_dual=*/true); }}},
      {"predicted",  // both edges, but at each other's place
       {kDifference,
        [](Scene& s) {
          for (auto& node : s.trial.observed.calls[0].nodes) {
            if (node.next_edges.size() == 2) std::swap(node.next_edges[0], node.next_edges[1]);
          }
        }}},
      {"order",  // of two nodes that do not wait for one another
       {kDifference,
        [](Scene& s) {
          auto& executed = s.trial.observed.calls[0].executed;
          std::swap(executed[executed.size() - 1], executed[executed.size() - 2]);
        }}},
      {"hooks", {kHooked, [](Scene& s) { s.trial.observed.calls[0].hooks.clear(); }}},
      {"shared reads",  // the later call misses what the earlier has added
       {kSections,
        [](Scene& s) {
          s.trial.observed.calls[1].hooks.at(0).gradient.bits[0] = Number(1);
          s.trial.observed.calls[0].hooks.at(0).gradient.bits[0] = Number(1);
        }}},
      {"warnings", {kHooked, [](Scene& s) { s.trial.observed.warnings.emplace_back(); }}},
      {"metamorphic twice",
       {kProduct, [](Scene& s) { s.seeded->twice = s.seeded->once.observed; }}},
      {"metamorphic zero", {kProduct, [](Scene& s) { s.seeded->zero = s.seeded->once.observed; }}},
      {"metamorphic sum", {kProduct, [](Scene& s) { s.seeded->sum = s.seeded->once; }}},
      {"canary", {kNoGraph, [](Scene& s) { s.canary.values[0].grad.bits[0] ^= 1; }}},
  };
}

// By the word of the row that alone finds it.
const AllOfThem& AllPlanted() {
  static const auto* const planted = [] {
    auto* const all = new AllOfThem(PlantedInside());
    all->merge(PlantedOutside());
    return all;
  }();
  return *planted;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Table, WordsAreUnique) {
  std::set<std::string_view> words;
  for (const OracleRow& row : Oracles()) EXPECT_TRUE(words.insert(row.word).second) << row.word;
}

TEST(Table, WhatTheTwinShowsIsRight) {
  for (const auto& [word, planted] : AllPlanted()) {
    std::vector<oracles::Verdict> verdicts;
    EXPECT_TRUE(Scene(planted.program).Judge(verdicts)) << word << "\n" << verdicts.back().text;
    EXPECT_GE(verdicts.size(), 8u) << word;
  }
}

TEST(Table, EachOracleFindsADefectThatNoOtherFinds) {
  for (const auto& [word, planted] : AllPlanted()) {
    Scene scene(planted.program);
    planted.plant(scene);
    std::vector<oracles::Verdict> verdicts;
    EXPECT_FALSE(scene.Judge(verdicts)) << word << " does not find its planted defect";
    EXPECT_EQ(verdicts.back().oracle, word);
    verdicts.clear();
    EXPECT_TRUE(scene.Judge(verdicts, /*but=*/word))
        << verdicts.back().oracle << " finds the planted defect of " << word << " too";
  }
}

TEST(Table, ARowWhoseNeedsAreNotMetIsPassedOver) {
  const oracles::Trial trial(kProduct);
  const oracles::Evidence evidence = {trial.program, trial.expected, trial.observed};
  std::vector<oracles::Verdict> verdicts;
  EXPECT_TRUE(JudgeByTable({.evidence = evidence}, verdicts));
  for (const oracles::Verdict& verdict : verdicts) {
    const auto rows = Oracles();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const OracleRow& r) { return r.word == verdict.oracle; });
    ASSERT_NE(row, rows.end()) << verdict.oracle;
    EXPECT_EQ(row->needs, 0u) << verdict.oracle;
  }
}

// What an oracle that is half added lacks, in words.
TEST(Table, EachOracleIsComplete) {
  const std::string table = Read("proptests/judge/table.cc");
  const std::string readme = Read("proptests/oracles/README.md");
  std::set<std::string> files;
  DIR* folder = opendir("proptests/oracles");
  ASSERT_NE(folder, nullptr);
  while (const dirent* entry = readdir(folder)) files.insert(entry->d_name);
  closedir(folder);
  const std::string declared =
      Read("proptests/oracles/oracles.h") + Read("proptests/oracles/metamorphic.h");
  const std::regex definition(R"((?:^|\n)Verdict (Judge\w+)\()");
  int oracles = 0;
  for (const std::string& file : files) {
    if (!absl::EndsWith(file, ".cc") || absl::EndsWith(file, "_test.cc")) continue;
    const std::string name = file.substr(0, file.size() - 3);
    const std::string text = Read("proptests/oracles/" + file);
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it) {
      const std::string oracle = (*it)[1].str();
      if (!absl::StrContains(declared, absl::StrCat("\nVerdict ", oracle, "("))) continue;
      ++oracles;
      EXPECT_TRUE(absl::StrContains(table, absl::StrCat("oracles::", oracle)))
          << oracle << " of proptests/oracles/" << file
          << " has no row in proptests/judge/table.cc; no judge asks it";
      EXPECT_TRUE(files.count(name + "_test.cc"))
          << "proptests/oracles/" << name << "_test.cc is missing";
      EXPECT_TRUE(absl::StrContains(readme, absl::StrCat("(", file, ")")))
          << "proptests/oracles/README.md has no line for " << file;
    }
  }
  EXPECT_GE(oracles, 13);
  for (const OracleRow& row : Oracles()) {
    EXPECT_TRUE(AllPlanted().count(row.word))
        << "the oracle `" << row.word
        << "` has no planted defect that it alone finds; add one to AllPlanted in "
           "proptests/judge/table_test.cc";
  }
  EXPECT_EQ(AllPlanted().size(), Oracles().size());
}

}  // namespace
}  // namespace twingrad::judge
