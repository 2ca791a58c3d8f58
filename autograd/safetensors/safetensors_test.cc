// Files of tensors: what is saved is loaded, whole or not at all, and broken
// files are errors.

#include "autograd/safetensors/safetensors.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

std::string FileOf(const std::string& header, size_t data_bytes) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + std::string(data_bytes, '\1');
}

std::string ErrorOf(const std::string& bytes) {
  try {
    ParseTensors(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.HasSameTypeAs(b));
  EXPECT_EQ(0, std::memcmp(a.raw_data(), b.raw_data(), a.numel() * ElementSize(a.dtype())));
}

NamedTensors Some() {
  return {{"w", Tensor::FromData<double>({2, 2}, {1, -0.0, 3, 4})},
          {"half a name", Tensor::FromData<float>({3}, {1, 2, 3})},
          {"ids", Tensor::FromData<int64_t>({2}, {-1, INT64_MAX})},
          {"mask \"ü\"", Tensor::FromData<bool>({3}, {true, false, true})},
          {"none", Tensor::Zeros({0, 3}, DType::kF64)},
          {"one", Tensor::Scalar(7)}};
}

std::filesystem::path Folder() {
  const char* const given = std::getenv("TEST_TMPDIR");
  const auto folder = std::filesystem::path(given != nullptr ? given : "/tmp") / "safetensors";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(Safetensors, SaveAndLoadGiveTheSame) {
  const std::filesystem::path path = Folder() / "model.safetensors";
  SaveTensors(path, Some(), {{"epoch", "7"}});
  TensorFileNotes notes;
  const NamedTensors loaded = LoadTensors(path, &notes);
  EXPECT_EQ(notes, (TensorFileNotes{{"epoch", "7"}}));
  ASSERT_EQ(loaded.size(), Some().size());
  for (const auto& [name, tensor] : Some()) ExpectSame(loaded.at(name), tensor);
  EXPECT_EQ(SerializeTensors(loaded, notes), SerializeTensors(Some(), notes));
}

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::string bytes = SerializeTensors({{"a", Tensor::FromData<float>({1}, {1})}});
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x38\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(8, 56), header + std::string(56 - header.size(), ' '));
  EXPECT_EQ(bytes.substr(64), std::string("\0\0\x80\x3f", 4));
  EXPECT_EQ(ParseTensors(FileOf("{}", 0)).size(), 0u);
}

TEST(Safetensors, StridedTensorsAreSavedContiguous) {
  const Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const NamedTensors loaded = ParseTensors(SerializeTensors(
      {{"t", a.AsStrided({3, 2}, {1, 3}, 0)}, {"e", a.AsStrided({2, 2}, {0, 1}, 1)}}));
  ExpectSame(loaded.at("t"), Tensor::FromData<double>({3, 2}, {1, 4, 2, 5, 3, 6}));
  ExpectSame(loaded.at("e"), Tensor::FromData<double>({2, 2}, {2, 3, 2, 3}));
}

TEST(Safetensors, FilesAreWholeOrAbsent) {
  const std::filesystem::path folder = Folder();
  const std::filesystem::path path = folder / "model";
  SaveTensors(path, {{"a", Tensor::Scalar(1)}});
  EXPECT_THROW(SaveTensors(path, {{"a", Tensor()}}), Error);
  EXPECT_THROW(SaveTensors(path, {{"a\xff", Tensor::Scalar(1)}}), Error);
  EXPECT_THROW(SaveTensors(path, {{"__metadata__", Tensor::Scalar(1)}}), Error);
  EXPECT_EQ(*LoadTensors(path).at("a").data<double>(), 1);
  SaveTensors(path, {{"a", Tensor::Scalar(2)}});
  EXPECT_EQ(*LoadTensors(path).at("a").data<double>(), 2);
  std::filesystem::create_directories(folder / "taken" / "by");
  EXPECT_THROW(SaveTensors(folder / "taken", {}), Error);
  EXPECT_THROW(SaveTensors(folder / "no" / "such", {}), Error);
  EXPECT_THROW(LoadTensors(folder / "absent"), Error);
  EXPECT_THROW(LoadTensors(folder), Error);
  int files = 0;  // nothing half-written stays
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(entry.path() == path || entry.path() == folder / "taken") << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 2);
}

TEST(Safetensors, EachCutOfAFileIsAnError) {
  const std::string bytes = SerializeTensors(Some(), {{"k", "v"}});
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(ErrorOf(bytes.substr(0, length)), "no error") << length;
  }
  EXPECT_NE(ErrorOf(bytes + "x"), "no error");
}

TEST(Safetensors, HeadersThatDoNotFitTheFileAreErrors) {
  EXPECT_EQ(ErrorOf("1234567"),
            "[safetensors] 7 bytes; the length of the "
            "header alone takes 8; check that it was "
            "copied whole");
  EXPECT_EQ(ErrorOf(std::string(8, '\xff')),
            "[safetensors] a header of 18446744073709551615 bytes in a file of "
            "8; it must fit the "
            "file, and at most 100000000 are allowed; check that it was copied "
            "whole");
  EXPECT_NE(ErrorOf(FileOf("", 0)), "no error");
  std::string bad = FileOf(R"({"m":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1);
  bad.back() = 2;
  EXPECT_EQ(ErrorOf(bad),
            "[safetensors] tensor 'm' of BOOL has a byte that is "
            "not 0 or 1; 0 and 1 are allowed; "
            "check that it was copied whole");
}

}  // namespace
}  // namespace twingrad
