// StreamClocks: what each stream of a Program knows of the others.
//
//   StreamClocks clocks;
//   clocks.Work(a);                       // the host queues work on stream a
//   clocks.Wait(b, clocks.Known(a));      // b's next comes after it
//
// A stream is a number, 0 the host; rows hold how much work of each stream comes before the next of
// one. One thread.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace twingrad::reference {

class StreamClocks {
 public:
  using Stream = size_t;
  using Row = std::vector<uint32_t>;
  static constexpr Stream kHost = 0;

  // How much work of `other` comes before the next of `stream`.
  uint32_t Known(Stream stream, Stream other) const {
    return stream < rows_.size() && other < rows_[stream].size() ? rows_[stream][other] : 0;
  }
  Row Known(Stream stream) const { return stream < rows_.size() ? rows_[stream] : Row(); }

  void Wait(Stream stream, const Row& moment) {
    Row& row = RowOf(stream);
    if (row.size() < moment.size()) row.resize(moment.size(), 0);
    for (size_t i = 0; i < moment.size(); ++i) row[i] = std::max(row[i], moment[i]);
  }
  // After what the host knows. Returns the number of the work on its stream, from 1.
  uint32_t Work(Stream stream) {
    Wait(stream, Known(kHost));
    Row& row = RowOf(stream);
    if (row.size() <= stream) row.resize(stream + 1, 0);
    return ++row[stream];
  }
  // All streams that have had work wait for all, and so does the host if it is said to.
  void WaitForAll(bool host_waits) {
    Row all;
    for (const Row& row : rows_) {
      if (all.size() < row.size()) all.resize(row.size(), 0);
      for (size_t i = 0; i < row.size(); ++i) all[i] = std::max(all[i], row[i]);
    }
    if (host_waits) Wait(kHost, all);
    for (Stream stream = 1; stream < rows_.size(); ++stream) {
      if (Known(stream, stream) > 0) Wait(stream, all);
    }
  }

 private:
  Row& RowOf(Stream stream) {
    if (rows_.size() <= stream) rows_.resize(stream + 1);
    return rows_[stream];
  }

  std::vector<Row> rows_;
};

}  // namespace twingrad::reference
