// A file of records, each a line of JSON behind its checksum, FNV-1a of 64 bits; only appended to,
// by one writer.
//
//   4f0d2b8c61a3e957 {"type":"checkpoint","after":1200}
//
// What is read is a prefix: a last line without its end is what a killed writer leaves and no
// fault; a line whose checksum does not fit is one, and nothing behind it counts.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace twingrad::campaign {

// The line of a record.
std::string RecordLine(const nlohmann::json& record);
// The same for one that is a text already.
std::string ChecksummedLine(std::string_view record);

struct Records {
  std::vector<nlohmann::json> records;
  uint64_t size = 0;      // of the file, in bytes
  uint64_t bad_line = 0;  // the first whose checksum does not fit; 0: none
  bool torn = false;      // its last line has no end
};

// The records of a file with this text.
Records ParseRecords(std::string_view text);
// NotFound: there is no such file.
absl::StatusOr<Records> ReadRecords(const std::string& path);
// The first record, without reading the rest; an error if it is not whole.
absl::StatusOr<nlohmann::json> ReadFirstRecord(const std::string& path);
// The last record, if the file ends in a whole line; else null.
nlohmann::json ReadLastRecord(const std::string& path);

// The one writer.
class RecordWriter {
 public:
  RecordWriter() = default;
  // Takes the descriptor over, of a file that is `size` bytes long.
  RecordWriter(int fd, std::string path, uint64_t size)
      : fd_(fd), path_(std::move(path)), size_(size) {}
  RecordWriter(RecordWriter&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), size_(other.size_) {}
  RecordWriter& operator=(RecordWriter&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(path_, other.path_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~RecordWriter();

  // Writes whole lines and, with `sync`, waits until the disk has them. After an error the file
  // ends as it did before.
  absl::Status Append(std::string_view lines, bool sync);

  const std::string& path() const { return path_; }

 private:
  int fd_ = -1;
  std::string path_;
  uint64_t size_ = 0;
};

}  // namespace twingrad::campaign
