#include "proptests/findings/timeline.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace twingrad::findings {
namespace {

using interleave::Event;
using interleave::ExecutionOutcome;

constexpr size_t kMaxEvents = 600;
constexpr int kLine = 14;
constexpr int kColumn = 440;
constexpr int kMargin = 10;
constexpr int kHeader = 40;
// Approximate width of a letter of the font in tenths of a pixel, estimated on the high side.
constexpr int kLetter = 68;

std::string Escape(std::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

std::string Place(const Event& event) {
  std::string_view file = event.operation.where.file_name();
  // The folder and the file name are enough to find it.
  if (const size_t at = file.rfind('/'); at != std::string_view::npos && at > 0) {
    const size_t folder = file.rfind('/', at - 1);
    if (folder != std::string_view::npos) file.remove_prefix(folder + 1);
  }
  return absl::StrCat(file, ":", event.operation.where.line());
}

std::string_view PhaseText(Event::Phase phase) {
  switch (phase) {
    case Event::Phase::kDone:
      return "";
    case Event::Phase::kParked:
      return " - parks";
    case Event::Phase::kWoken:
      return " - goes on";
    case Event::Phase::kTimedOut:
      return " - time is over";
  }
  return "";
}

std::string Label(const Event& event) {
  const std::string_view name = event.operation.name;
  return absl::StrCat(OperationName(event.operation.kind), name.empty() ? "" : " ", name,
                      PhaseText(event.phase), "  ", Place(event));
}

void Text(std::string* svg, int x, int y, std::string_view look, std::string_view text) {
  absl::StrAppendFormat(svg, "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, look, Escape(text));
}

int ColumnOf(int thread) { return kMargin + thread * kColumn; }

int WidthOf(std::string_view text) { return static_cast<int>(text.size()) * kLetter / 10; }

// Drawn behind the text, to separate the columns.
void Band(std::string* svg, int thread, int height) {
  absl::StrAppendFormat(svg, "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                        ColumnOf(thread) - 5, kColumn - 6, height,
                        thread % 2 == 0 ? "#f4f6fa" : "#faf8f2");
}

// From the reason, in the column of the thread that ran, to the column of the next thread.
void Switch(std::string* svg, int from, int to, int y, std::string_view reason) {
  const bool preempted = reason == "preempted";
  const int begin = to > from ? ColumnOf(from) + WidthOf(reason) + 6 : ColumnOf(from) - 2;
  const int end = to > from ? ColumnOf(to) - 2 : ColumnOf(to) + kColumn / 2;
  absl::StrAppendFormat(svg,
                        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#1a4fa0\" "
                        "marker-end=\"url(#arrow)\"/>\n",
                        begin, y - 4, end, y - 4);
  Text(svg, ColumnOf(from), y,
       preempted ? "fill=\"#b06000\" font-weight=\"bold\"" : "fill=\"#1a4fa0\"", reason);
}

// The failure below the columns; `width` becomes that of its longest line, where it is wider.
int DrawFailure(std::string_view detector, std::string_view failure, int y, std::string* svg,
                int* width) {
  y += 2 * kLine;
  Text(svg, kMargin, y, "fill=\"#b00020\" font-weight=\"bold\"", detector);
  for (const std::string_view line : absl::StrSplit(failure, '\n', absl::SkipEmpty())) {
    y += kLine;
    Text(svg, kMargin, y, "fill=\"#b00020\" xml:space=\"preserve\"", line);
    *width = std::max(*width, 2 * kMargin + WidthOf(line));
  }
  return y;
}

}  // namespace

std::string ReasonOfSwitch(const ExecutionOutcome& outcome, size_t last) {
  const Event& event = outcome.events[last];
  if (event.phase == Event::Phase::kParked) {
    const std::string_view name = event.operation.name;
    return absl::StrCat("waits for ", name.empty() ? OperationName(event.operation.kind) : name);
  }
  const auto later = outcome.events.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  if (event.operation.kind == interleave::OperationKind::kWork) return "has run";
  if (later != outcome.events.end() && later->operation.kind == interleave::OperationKind::kWork) {
    return "work beside it goes on";
  }
  const auto back = std::ranges::find(later, outcome.events.end(), event.thread, &Event::thread);
  return back == outcome.events.end() ? "ends" : "preempted";
}

std::string DrawTimeline(const ExecutionOutcome& outcome, std::string_view detector,
                         std::string_view failure) {
  const size_t count = outcome.events.size();
  const size_t first = count > kMaxEvents ? count - kMaxEvents : 0;
  std::string body;
  int threads = static_cast<int>(outcome.thread_names.size());
  int y = kHeader;
  for (size_t i = first; i < count; ++i) {
    const Event& event = outcome.events[i];
    threads = std::max(threads, event.thread + 1);
    if (i > first && outcome.events[i - 1].thread != event.thread) {
      const Event& before = outcome.events[i - 1];
      const std::string reason = ReasonOfSwitch(outcome, i - 1);
      y += kLine;
      Switch(&body, before.thread, event.thread, y, reason);
    }
    y += kLine;
    Text(&body, ColumnOf(event.thread), y, "xml:space=\"preserve\"", Label(event));
  }
  const int bands = y + kLine;
  int width = ColumnOf(std::max(threads, 2));
  y = DrawFailure(detector, failure, y + kLine, &body, &width);
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"monospace\" font-size=\"11\">\n"
      "<defs><marker id=\"arrow\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" "
      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\" fill=\"#1a4fa0\"/>"
      "</marker></defs>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      width, y + 2 * kLine);
  for (int thread = 0; thread < threads; ++thread) Band(&svg, thread, bands);
  for (int thread = 0; thread < threads; ++thread) {
    const bool named = thread < static_cast<int>(outcome.thread_names.size());
    Text(&svg, ColumnOf(thread), 20, "font-weight=\"bold\" font-size=\"13\"",
         named ? outcome.thread_names[static_cast<size_t>(thread)]
               : absl::StrCat("thread ", thread));
  }
  if (first > 0)
    Text(&svg, kMargin, 34, "", absl::StrCat("the first ", first, " events are left out"));
  return absl::StrCat(svg, body, "</svg>\n");
}

}  // namespace twingrad::findings
