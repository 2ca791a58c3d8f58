#include "fuzz/campaign/shard_state.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/plan.h"
#include "proptests/workers/channel.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;
using workers::Failure;

json PointJson(const Point& point) { return {point.seconds, point.programs, point.seen}; }

void AddPoint(const Point& point, std::vector<Point>* curve) {
  curve->push_back(point);
  if (curve->size() <= kMostPoints) return;
  for (size_t i = 0; 2 * i < curve->size(); ++i) (*curve)[i] = (*curve)[2 * i];
  curve->resize((curve->size() + 1) / 2);
}

// Each as its distance from the one before.
json EdgesJson(const std::set<uint32_t>& edges) {
  json distances = json::array();
  uint32_t before = 0;
  for (const uint32_t edge : edges) {
    distances.push_back(edge - before);
    before = edge;
  }
  return distances;
}

// False: a number is too high.
bool ReadEdges(const json& distances, std::set<uint32_t>* edges) {
  edges->clear();
  uint64_t edge = 0;
  for (const uint64_t distance : distances.get<std::vector<uint64_t>>()) {
    if (distance >= kMostEdges || (edge += distance) >= kMostEdges) return false;
    edges->insert(static_cast<uint32_t>(edge));
  }
  return true;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ShardFinding, signature, rule, kind, text, program,
                                                folder, seed, index, seconds, more)

namespace {

absl::Status NotUnderstood(std::string_view what, std::string_view why) {
  return Objection(absl::StrCat(what, " that is not understood (", why, ")"),
                   absl::StrCat("allowed are those of version ", kVersion),
                   "go on with the tool that wrote it");
}

constexpr double kMostSeconds = 1u << 31;

// Whether all numbers are such that they can be taken for one of any type, as the library does
// without a question: none is negative, and no fraction too large. Not recursive: a file may be as
// deep as it likes.
bool HasSoundNumbers(const json& record) {
  std::vector<const json*> left = {&record};
  while (!left.empty()) {
    const json& value = *left.back();
    left.pop_back();
    if (value.is_number_float()) {
      const double number = value.get<double>();
      if (!(number >= 0 && number < kMostSeconds)) return false;
    } else if (value.is_number_integer() && !value.is_number_unsigned()) {
      return false;
    } else if (value.is_structured()) {
      for (const json& child : value) left.push_back(&child);
    }
  }
  return true;
}

// A whole number of seconds may be of any size until here.
bool HasSoundSeconds(const ShardState& state) {
  const auto sound = [](const auto& at) { return at.seconds < kMostSeconds; };
  return sound(state) && std::ranges::all_of(state.curve, sound) &&
         std::ranges::all_of(state.findings, sound);
}

constexpr char kOutOfRange[] = "a number is out of range";
constexpr char kTooMany[] = "it has more counters than there are";
constexpr char kTooHigh[] = "an edge has a number that no target has";

// Throws where a member is missing or of another type.
ShardState FromJson(const json& object) {
  ShardState state;
  state.after = object.at("after");
  state.programs = object.at("programs");
  state.seeds = object.at("seeds");
  state.failed = object.at("failed");
  state.seconds = object.at("seconds");
  state.counters = object.at("counters").get<workers::Counters>();
  state.notes = object.at("notes").get<std::set<std::string>>();
  state.covered = object.value("covered", uint64_t{0});
  for (const auto& point : object.at("curve")) {
    state.curve.push_back({point.at(0), point.at(1), point.at(2)});
  }
  state.findings = object.at("findings").get<std::vector<ShardFinding>>();
  for (const auto& failure : object.at("pending")) {
    Failure read = failure.get<Failure>();
    state.pending.insert_or_assign(read.index, std::move(read));
  }
  return state;
}

}  // namespace

uint64_t ShardState::Seen() const {
  return static_cast<uint64_t>(counters.size()) -
         static_cast<uint64_t>(std::ranges::count(counters, uint64_t{0})) + notes.size() +
         std::max<uint64_t>(covered, edges.size());
}

absl::Status ShardState::Add(const json& record) {
  // The checksum fits, so that a member of another type means another version.
  try {
    const std::string type = record.at("type").get<std::string>();
    if (type == "checkpoint") {
      after = record.at("after");
      programs = record.at("programs");
      seeds = record.at("seeds");
      failed = record.at("failed");
      seconds = record.at("seconds");
      const uint64_t size = record.at("size");
      if (size > workers::kMaxCounters) return NotUnderstood("a record", kTooMany);
      counters.resize(std::max<size_t>(counters.size(), size));
      const auto deltas = record.at("counters").get<std::vector<uint64_t>>();
      for (size_t i = 0; i + 1 < deltas.size(); i += 2) {
        if (deltas[i] < counters.size()) counters[deltas[i]] += deltas[i + 1];
      }
      notes.merge(record.at("notes").get<std::set<std::string>>());
      covered = record.value("covered", covered);
      AddPoint({seconds, programs, Seen()}, &curve);
    } else if (type == "failure") {
      Failure failure = record.at("failure").get<Failure>();
      pending.insert_or_assign(failure.index, std::move(failure));
    } else if (type == "finding") {
      pending.erase(record.at("at").get<uint64_t>());
      findings.push_back(record.at("finding").get<ShardFinding>());
    } else if (type == "settled") {
      pending.erase(record.at("at").get<uint64_t>());
      const std::string signature = record.at("signature");
      for (ShardFinding& finding : findings) {
        if (finding.signature == signature) ++finding.more;
      }
    } else if (type == "edges") {
      if (!ReadEdges(record.at("edges"), &edges)) return NotUnderstood("a record", kTooHigh);
    } else if (type == "end") {
      done = record.at("done");
      released = !done;
    } else if (type != "alive") {
      return Objection(absl::StrCat("a record of type `", type, "`"),
                       absl::StrCat("allowed are those of version ", kVersion),
                       "merge with the tool that wrote it");
    }
  } catch (const json::exception& error) {
    return NotUnderstood("a record", error.what());
  }
  return absl::OkStatus();
}

json ShardState::ToJson() const {
  json points = json::array();
  for (const Point& point : curve) points.push_back(PointJson(point));
  json failures = json::array();
  for (const auto& [index, failure] : pending) failures.push_back(failure);
  json object = {{"after", after},     {"programs", programs}, {"seeds", seeds},
                 {"failed", failed},   {"seconds", seconds},   {"counters", counters},
                 {"notes", notes},     {"curve", points},      {"findings", findings},
                 {"pending", failures}};
  if (covered > 0) object["covered"] = covered;
  if (!edges.empty()) object["edges"] = EdgesJson(edges);
  return object;
}

absl::StatusOr<ShardState> StateOf(const std::vector<json>& records, std::string_view origin) {
  ShardState state;
  if (!std::ranges::all_of(records, HasSoundNumbers)) {
    return NotUnderstood(absl::StrCat(origin, " holds a record"), kOutOfRange);
  }
  const std::string what = absl::StrCat(origin, " begins with a state");
  try {
    if (!records.empty()) {
      const json& begin = records[0].at("state");
      state = FromJson(begin);
      if (begin.contains("edges") && !ReadEdges(begin.at("edges"), &state.edges)) {
        return NotUnderstood(what, kTooHigh);
      }
    }
  } catch (const json::exception& error) {
    return NotUnderstood(what, error.what());
  }
  if (state.counters.size() > workers::kMaxCounters) return NotUnderstood(what, kTooMany);
  for (size_t i = 1; i < records.size(); ++i) {
    if (absl::Status status = state.Add(records[i]); !status.ok()) return status;
  }
  if (!HasSoundSeconds(state)) return NotUnderstood(what, kOutOfRange);
  // Between its failures and the checkpoint behind them the writer was killed.
  state.pending.erase(state.pending.lower_bound(state.after), state.pending.end());
  return state;
}

json CheckpointRecord(const ShardState& before, const ShardState& now) {
  std::vector<uint64_t> deltas;
  for (size_t i = 0; i < now.counters.size(); ++i) {
    const uint64_t old = i < before.counters.size() ? before.counters[i] : 0;
    if (now.counters[i] != old) {
      deltas.push_back(i);
      deltas.push_back(now.counters[i] - old);
    }
  }
  std::vector<std::string> fresh;
  std::ranges::set_difference(now.notes, before.notes, std::back_inserter(fresh));
  json record = {{"type", "checkpoint"}, {"after", now.after},   {"programs", now.programs},
                 {"seeds", now.seeds},   {"failed", now.failed}, {"seconds", now.seconds},
                 {"counters", deltas},   {"notes", fresh},       {"size", now.counters.size()}};
  if (now.covered > 0) record["covered"] = now.covered;
  return record;
}

json FailureRecord(const Failure& failure) { return {{"type", "failure"}, {"failure", failure}}; }

json FindingRecord(uint64_t index, const ShardFinding& finding) {
  return {{"type", "finding"}, {"at", index}, {"finding", finding}};
}

json SettledRecord(uint64_t index, const std::string& signature) {
  return {{"type", "settled"}, {"at", index}, {"signature", signature}};
}

json EdgesRecord(const std::set<uint32_t>& edges) {
  return {{"type", "edges"}, {"edges", EdgesJson(edges)}};
}

json EndRecord(bool done) { return {{"type", "end"}, {"done", done}}; }

}  // namespace twingrad::campaign
