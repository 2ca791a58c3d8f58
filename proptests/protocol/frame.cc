#include "proptests/protocol/frame.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace twingrad::protocol {
namespace {

absl::Status Wrong(std::string_view wrong, std::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("[protocol] ", wrong, "; ", allowed, "; see proptests/protocol/README.md"));
}

// The beginning of what was read, fit to be shown.
std::string Shown(std::string_view bytes) {
  std::string text;
  for (char c : bytes.substr(0, 48)) text += c >= ' ' && c <= '~' ? c : '.';
  return text;
}

bool ReadNumber(std::string_view word, uint64_t* out) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9' && absl::SimpleAtoi(word, out);
}

std::string Line(std::string_view word, uint64_t id, std::string_view reason) {
  return absl::StrCat(word, " ", id, " ",
                      absl::StrReplaceAll(reason.substr(0, 2000), {{"\n", " "}, {"\r", " "}}),
                      "\n");
}

}  // namespace

absl::Status FrameReader::Header(std::string_view line) {
  // WORD ID REST, where REST may hold blanks.
  std::vector<std::string_view> words = absl::StrSplit(line, absl::MaxSplits(' ', 2));
  words.resize(3);
  const std::string_view word = words[0];
  frame_ = Frame();
  if (word == "hello") {
    frame_.text = std::string(line);
    return absl::OkStatus();
  }
  if (word == "ok") {
    frame_.kind = Frame::Kind::kOk;
  } else if (word == "skip") {
    frame_.kind = Frame::Kind::kSkip;
  } else if (word == "error") {
    frame_.kind = Frame::Kind::kError;
  } else {
    return Wrong(absl::StrCat("the line `", Shown(line), "` is no reply"),
                 "allowed are hello, ok, skip and error; print nothing else to standard output");
  }
  if (!ReadNumber(words[1], &frame_.id)) {
    return Wrong(absl::StrCat("the reply `", Shown(line), "` lacks the number of its case"),
                 "allowed is `ok ID BYTES`, `skip ID REASON` or `error ID REASON`");
  }
  if (frame_.kind != Frame::Kind::kOk) {
    frame_.text = std::string(words[2]);
    return absl::OkStatus();
  }
  uint64_t bytes = 0;
  if (!ReadNumber(words[2], &bytes) || bytes > kMaxBody) {
    return Wrong(absl::StrCat("the reply `", Shown(line), "` lacks the size of its body"),
                 absl::StrCat("allowed is `ok ID BYTES` with 0 to ", kMaxBody, " bytes"));
  }
  body_ = static_cast<size_t>(bytes);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Frame>> FrameReader::Next() {
  if (!status_.ok()) return status_;
  if (!body_) {
    const size_t end = buffer_.find('\n');
    if (std::min(end, buffer_.size()) > kMaxLine) {
      status_ = Wrong(absl::StrCat("a line of more than ", kMaxLine, " bytes, which begins `",
                                   Shown(buffer_), "`"),
                      "allowed are lines up to that size");
      return status_;
    }
    if (end == std::string::npos) return std::nullopt;
    status_ = Header(std::string_view(buffer_).substr(0, end));
    if (!status_.ok()) return status_;
    buffer_.erase(0, end + 1);
    if (!body_) return std::exchange(frame_, Frame());
  }
  if (buffer_.size() < *body_) return std::nullopt;
  frame_.text = buffer_.substr(0, *body_);
  buffer_.erase(0, *body_);
  body_.reset();
  return std::exchange(frame_, Frame());
}

std::string FrameReader::Partial() const {
  if (body_) return absl::StrCat(buffer_.size(), " of the ", *body_, " bytes of its body");
  if (buffer_.empty()) return "";
  return absl::StrCat("`", Shown(buffer_), "` without the end of its line");
}

std::string PrintCase(uint64_t id, std::string_view program) {
  return absl::StrCat("case ", id, " ", program.size(), "\n", program);
}

std::string PrintOk(uint64_t id, std::string_view body) {
  return absl::StrCat("ok ", id, " ", body.size(), "\n", body);
}

std::string PrintSkip(uint64_t id, std::string_view reason) { return Line("skip", id, reason); }

std::string PrintFault(uint64_t id, std::string_view reason) { return Line("error", id, reason); }

}  // namespace twingrad::protocol
