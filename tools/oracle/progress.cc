#include "tools/oracle/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::oracle {
namespace {

using subjects::WithSeparators;

constexpr std::chrono::duration<double> kBarInterval(0.1);
constexpr std::chrono::duration<double> kLineInterval(10);

double Rate(const ProgressState& state) {
  return state.elapsed.count() > 0 ? static_cast<double>(state.programs) / state.elapsed.count()
                                   : 0;
}

// Done so far, between 0 and 1; the nearer of the two limits counts.
double Fraction(const ProgressState& state) {
  double fraction = 0;
  if (state.total && *state.total > 0) {
    fraction = static_cast<double>(state.programs) / static_cast<double>(*state.total);
  }
  if (state.time && state.time->count() > 0) {
    fraction = std::max(fraction, state.elapsed.count() / state.time->count());
  }
  return std::min(fraction, 1.0);
}

std::string TimeLeft(const ProgressState& state) {
  const double rate = Rate(state);
  std::optional<double> left;
  if (state.total && rate > 0) {
    left = static_cast<double>(*state.total - std::min(*state.total, state.programs)) / rate;
  }
  if (state.time) {
    const double until = std::max(0.0, state.time->count() - state.elapsed.count());
    left = left ? std::min(*left, until) : until;
  }
  return left ? absl::StrCat(ClockTime(std::chrono::duration<double>(*left)), " left") : "";
}

std::string Numbers(const ProgressState& state) {
  std::string text = WithSeparators(state.programs);
  if (state.total) absl::StrAppend(&text, " of ", WithSeparators(*state.total));
  absl::StrAppend(&text, " programs, ", WithSeparators(static_cast<uint64_t>(Rate(state))), "/s");
  if (const std::string left = TimeLeft(state); !left.empty()) absl::StrAppend(&text, ", ", left);
  if (state.failed > 0) absl::StrAppend(&text, ", ", WithSeparators(state.failed), " failed");
  if (!state.activity.empty()) absl::StrAppend(&text, ", ", state.activity);
  return text;
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

std::string ClockTime(std::chrono::duration<double> time) {
  const int64_t seconds = static_cast<int64_t>(std::ceil(std::min(time.count(), 1e9)));
  if (seconds < 3600) return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
  return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string ProgressBar(const ProgressState& state, int columns) {
  const std::string numbers = Numbers(state);
  const int width = std::min(30, columns - static_cast<int>(numbers.size()) - 4);
  if (width < 5) return numbers.substr(0, static_cast<size_t>(std::max(columns - 1, 0)));
  const int full = static_cast<int>(Fraction(state) * width);
  return absl::StrCat("[", std::string(static_cast<size_t>(full), '#'),
                      std::string(static_cast<size_t>(width - full), '.'), "] ", numbers);
}

std::string ProgressLine(const ProgressState& state) {
  return absl::StrCat("[oracle] ", ClockTime(state.elapsed), " ", Numbers(state));
}

Progress::Progress(int fd) : fd_(fd), terminal_(isatty(fd) == 1) {
  // One that cannot clear a line.
  const char* kind = std::getenv("TERM");
  if (kind != nullptr && std::string_view(kind) == "dumb") terminal_ = false;
  if (!terminal_) next_ = kLineInterval;
}

void Progress::Update(const ProgressState& state) {
  if (state.elapsed < next_) return;
  next_ = state.elapsed + (terminal_ ? kBarInterval : kLineInterval);
  if (!terminal_) {
    WriteAll(fd_, ProgressLine(state) + "\n");
    return;
  }
  winsize size = {};
  const int columns = ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  WriteAll(fd_, absl::StrCat("\r\x1b[K", ProgressBar(state, columns)));
  drawn_ = true;
}

void Progress::Clear() {
  if (drawn_) WriteAll(fd_, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace twingrad::oracle
