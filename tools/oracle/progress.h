// Progress of a campaign, on standard error: a bar on a terminal, else a line now and then.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace twingrad::oracle {

struct ProgressState {
  std::chrono::duration<double> elapsed{0};
  uint64_t programs = 0;
  std::optional<uint64_t> total;                      // nothing: unlimited
  std::optional<std::chrono::duration<double>> time;  // the limit of --time
  uint64_t failed = 0;
  std::string activity;  // "shrinking", or empty
};

// 0:07, 12:34 or 1:02:03.
std::string ClockTime(std::chrono::duration<double> time);
// The bar, at most `columns` wide; and the line for logs. Neither has a newline.
std::string ProgressBar(const ProgressState& state, int columns);
std::string ProgressLine(const ProgressState& state);

// Writes to a descriptor. The first line of a log comes after ten seconds.
class Progress {
 public:
  explicit Progress(int fd);
  ~Progress() { Clear(); }

  void Update(const ProgressState& state);
  // Removes the bar, so that other lines can be written.
  void Clear();

 private:
  int fd_;
  bool terminal_;  // that can clear a line
  bool drawn_ = false;
  std::chrono::duration<double> next_{0};
};

}  // namespace twingrad::oracle
