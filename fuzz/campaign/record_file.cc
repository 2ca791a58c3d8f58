#include "fuzz/campaign/record_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/print.h"
#include "fuzz/campaign/plan.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;

constexpr size_t kChecksumDigits = 16;
constexpr size_t kPiece = size_t{1} << 16;

absl::Status CannotRead(const std::string& path, int error) {
  const std::string message =
      absl::StrCat("[campaign] cannot read ", path, " (", std::strerror(error),
                   "); needed is a file that this user may read; check the "
                   "folder of the campaign");
  return error == ENOENT ? absl::NotFoundError(message) : absl::InvalidArgumentError(message);
}

// Nothing: the line is no record.
std::optional<json> ReadLine(std::string_view line) {
  if (line.size() <= kChecksumDigits || line[kChecksumDigits] != ' ') return std::nullopt;
  const std::string_view text = line.substr(kChecksumDigits + 1);
  if (line.substr(0, kChecksumDigits) != absl::StrFormat("%016x", program::Fnv1a(text))) {
    return std::nullopt;
  }
  json record = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("type")) return std::nullopt;
  return record;
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  // Appends the next piece; false at the end, or where reading fails.
  bool Read(std::string* text) const {
    const size_t before = text->size();
    text->resize(before + kPiece);
    const ssize_t got = read(fd_, text->data() + before, kPiece);
    text->resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
  }

 private:
  int fd_;
};

}  // namespace

std::string RecordLine(const json& record) {
  return ChecksummedLine(record.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string ChecksummedLine(std::string_view record) {
  return absl::StrFormat("%016x %s\n", program::Fnv1a(record), record);
}

Records ParseRecords(std::string_view text) {
  Records read;
  read.size = text.size();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      read.torn = true;
      break;
    }
    std::optional<json> record = ReadLine(text.substr(begin, end - begin));
    if (!record) {
      read.bad_line = read.records.size() + 1;
      break;
    }
    read.records.push_back(*std::move(record));
    begin = end + 1;
  }
  return read;
}

absl::StatusOr<Records> ReadRecords(const std::string& path) {
  const OpenFile file(path);
  if (file.fd() < 0) return CannotRead(path, errno);
  std::string text;
  while (file.Read(&text)) {
  }
  return ParseRecords(text);
}

absl::StatusOr<json> ReadFirstRecord(const std::string& path) {
  const OpenFile file(path);
  if (file.fd() < 0) return CannotRead(path, errno);
  std::string text;
  size_t end = std::string::npos;
  while (end == std::string::npos && file.Read(&text)) end = text.find('\n');
  std::optional<json> record;
  if (end != std::string::npos) record = ReadLine(std::string_view(text).substr(0, end));
  if (record) return *std::move(record);
  return Objection(absl::StrCat(path, " does not begin with a whole record"),
                   "allowed are files as `oracle campaign` writes them",
                   "nothing of it counts; the shard goes on from the epoch before");
}

json ReadLastRecord(const std::string& path) {
  // The records that end a shard are short.
  constexpr off_t kTail = 256;
  const OpenFile file(path);
  struct stat info = {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return nullptr;
  std::string text(kTail, '\0');
  const off_t at = std::max<off_t>(info.st_size - kTail, 0);
  const ssize_t got = pread(file.fd(), text.data(), kTail, at);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (text.empty() || text.back() != '\n') return nullptr;
  text.pop_back();
  const size_t newline = text.rfind('\n');
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return ReadLine(std::string_view(text).substr(begin)).value_or(nullptr);
}

RecordWriter::~RecordWriter() {
  if (fd_ >= 0) close(fd_);
}

absl::Status RecordWriter::Append(std::string_view lines, bool sync) {
  std::string_view left = lines;
  int error = 0;
  while (!left.empty() && error == 0) {
    const ssize_t wrote = write(fd_, left.data(), left.size());
    if (wrote >= 0) {
      left.remove_prefix(static_cast<size_t>(wrote));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && sync && fdatasync(fd_) != 0) error = errno;
  if (error == 0) {
    size_ += lines.size();
    return absl::OkStatus();
  }
  // Half a line would spoil what is appended later. Where this fails too, the reader stops there.
  if (ftruncate(fd_, static_cast<off_t>(size_)) == 0)
    lseek(fd_, static_cast<off_t>(size_), SEEK_SET);
  return absl::UnavailableError(absl::StrCat(
      "[campaign] cannot write ", path_, " (", std::strerror(error),
      "); needed is room in the campaign's folder; make room, and run the shard again: "
      "what it had written counts"));
}

}  // namespace twingrad::campaign
