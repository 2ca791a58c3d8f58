#include "autograd/safetensors/safetensors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/safetensors/header.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

using safetensors::TensorEntry;

[[noreturn]] void RefuseFile(std::string_view what, const std::string& path) {
  const int error = errno;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[safetensors] cannot ", what, " ", path, ": ", std::strerror(error),
                           "; a path is needed that this process may use; check it"));
}

[[noreturn]] void RefuseBytes(std::string_view what, std::string_view allowed) {
  throw Error(ErrorKind::kInvalidArgument, absl::StrCat("[safetensors] ", what, "; ", allowed,
                                                        "; check that it was copied whole"));
}

// An open file, closed at the end.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : number_(open(path.c_str(), flags, 0666)) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool ok() const { return number_ >= 0; }
  // Any error counts, and so does one that the last step meets.
  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return fsync(number_) == 0;
  }
  bool ReadAll(std::string& bytes) {
    char buffer[1 << 16];
    while (true) {
      const ssize_t count = read(number_, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count == 0;
      bytes.append(buffer, static_cast<size_t>(count));
    }
  }

 private:
  const int number_;
};

// The name is free: made with O_EXCL, so that two writers never share it.
std::string WriteBeside(const std::string& path, std::string_view bytes) {
  for (int attempt = 0;; ++attempt) {
    const std::string beside = absl::StrCat(path, ".", getpid(), ".", attempt, ".tmp");
    OpenFile file(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
    if (!file.ok() && errno == EEXIST && attempt < 1000) continue;
    if (!file.ok()) RefuseFile("create", beside);
    if (file.Write(bytes)) return beside;
    const int error = errno;
    unlink(beside.c_str());
    errno = error;
    RefuseFile("write", beside);
  }
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

Tensor ReadTensor(const TensorEntry& entry, std::string_view data) {
  Tensor tensor = Tensor::Empty(entry.shape, entry.dtype);
  const std::string_view bytes = data.substr(entry.begin, entry.end - entry.begin);
  // Other bytes in a bool are no value of the type.
  if (entry.dtype == DType::kBool &&
      std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0 && c != 1; })) {
    RefuseBytes(absl::StrCat("tensor '", safetensors::Shown(entry.name),
                             "' of BOOL has a byte that is not 0 or 1"),
                "0 and 1 are allowed");
  }
  if (!bytes.empty()) std::memcpy(tensor.mutable_raw_data(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace

std::string SerializeTensors(const NamedTensors& tensors, const TensorFileNotes& notes) {
  std::vector<TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) {
      throw Error(ErrorKind::kUndefined,
                  absl::StrCat("[safetensors] tensor '", safetensors::Shown(name),
                               "' is undefined; tensors with data are allowed; leave it out"));
    }
    entries.push_back({name, tensor.dtype(), Shape(tensor.sizes().begin(), tensor.sizes().end())});
  }
  // Wide elements first: then all of them are aligned in a file that is mapped
  // to memory.
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return ElementSize(a.dtype) > ElementSize(b.dtype);
  });
  uint64_t end = 0;
  for (TensorEntry& entry : entries) {
    entry.begin = end;
    end += static_cast<uint64_t>(ElementCount(entry.shape)) * ElementSize(entry.dtype);
    entry.end = end;
  }
  const std::string header = safetensors::PrintHeader(entries, notes);
  if (header.size() > safetensors::kMaxHeaderBytes) {
    RefuseBytes(absl::StrCat("the header would have ", header.size(), " bytes"),
                absl::StrCat("at most ", safetensors::kMaxHeaderBytes, " are allowed"));
  }
  std::string bytes;
  bytes.reserve(8 + header.size() + end);
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  bytes += header;
  for (const TensorEntry& entry : entries) {
    const Tensor rows = kernels::CopyTo(tensors.at(entry.name), Device::Cpu());
    bytes.append(static_cast<const char*>(rows.raw_data()), entry.end - entry.begin);
  }
  return bytes;
}

NamedTensors ParseTensors(std::string_view bytes, TensorFileNotes* notes) {
  if (bytes.size() < 8) {
    RefuseBytes(absl::StrCat(bytes.size(), " bytes"), "the length of the header alone takes 8");
  }
  const uint64_t header_bytes = LittleEndian(bytes);
  const std::string_view rest = bytes.substr(8);
  if (header_bytes > safetensors::kMaxHeaderBytes || header_bytes > rest.size()) {
    RefuseBytes(absl::StrCat("a header of ", header_bytes, " bytes in a file of ", bytes.size()),
                absl::StrCat("it must fit the file, and at most ", safetensors::kMaxHeaderBytes,
                             " are allowed"));
  }
  TensorFileNotes found;
  const std::string_view data = rest.substr(header_bytes);
  NamedTensors tensors;
  for (const TensorEntry& entry :
       safetensors::ParseHeader(rest.substr(0, header_bytes), data.size(), &found)) {
    tensors.emplace(entry.name, ReadTensor(entry, data));
  }
  if (notes != nullptr) *notes = std::move(found);
  return tensors;
}

void SaveTensors(const std::string& path, const NamedTensors& tensors,
                 const TensorFileNotes& notes) {
  const std::string beside = WriteBeside(path, SerializeTensors(tensors, notes));
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(beside.c_str());
    errno = error;
    RefuseFile("replace", path);
  }
}

NamedTensors LoadTensors(const std::string& path, TensorFileNotes* notes) {
  std::string bytes;
  OpenFile file(path, O_RDONLY | O_CLOEXEC);
  if (!file.ok() || !file.ReadAll(bytes)) RefuseFile("read", path);
  return ParseTensors(bytes, notes);
}

}  // namespace twingrad
