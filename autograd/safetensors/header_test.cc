// Headers: each way of breaking the format is an error that names the tensor.

#include "autograd/safetensors/header.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad::safetensors {
namespace {

std::string ErrorOf(const std::string& json, uint64_t data_bytes) {
  try {
    std::map<std::string, std::string> notes;
    ParseHeader(json, data_bytes, &notes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string Entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F64","shape":[)" + shape + R"(],"data_offsets":[)" + offsets +
         "]}";
}

TEST(Header, ReadsWhatItPrints) {
  const std::vector<TensorEntry> entries = {{"a", DType::kF64, {2, 3}, 0, 48},
                                            {"b", DType::kBool, {}, 48, 49},
                                            {"empty", DType::kF32, {0, 1 << 30}, 49, 49}};
  std::map<std::string, std::string> notes;
  const std::string text = PrintHeader(entries, {{"key", "a \"text\""}});
  EXPECT_EQ(text.size() % 8, 0u);
  const std::vector<TensorEntry> read = ParseHeader(text, 49, &notes);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].shape, (Shape{2, 3}));
  EXPECT_EQ(read[1].name, "b");
  EXPECT_EQ(read[2].begin, 49u);
  EXPECT_EQ(notes.at("key"), "a \"text\"");
}

TEST(Header, PlacesMayStandInAnyOrder) {
  const std::string json = "{" + Entry("z", "1", "8,16") + "," + Entry("a", "1", "0,8") + "}  ";
  const std::vector<TensorEntry> read = ParseHeader(json, 16, nullptr);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, "a");
}

TEST(Header, NamesWhatIsWrong) {
  const std::pair<std::string, std::string> kWrong[] = {
      {"{" + Entry("a", "1", "0,8") + "," + Entry("a", "1", "8,16") + "}",
       "key 'a' is given twice"},
      {R"({"a":{"dtype":"F64","dtype":"F64","shape":[1],"data_offsets":[0,16]}})",
       "key 'dtype' is given twice in tensor 'a'"},
      {"{" + Entry("a", "1", "0,8") + "," + Entry("b", "1", "4,12") + "}",
       "tensor 'b' lies at bytes 4 to 12, with an overlap; it must begin at 8"},
      {"{" + Entry("a", "1", "8,16") + "}",
       "tensor 'a' lies at bytes 8 to 16, with a hole before it; it must begin "
       "at 0"},
      {"{" + Entry("a", "1", "0,8") + "}", "the last tensor ends at byte 8 of 16"},
      {"{" + Entry("a", "3", "0,24") + "}", "tensor 'a' lies at bytes 0 to 24 of 16"},
      {"{" + Entry("a", "3", "0,16") + "}", "but its type and shape take 24 bytes"},
      {"{" + Entry("a", "4294967296,4294967296", "0,16") + "}",
       "but its type and shape take 2^63 or more bytes"},
      {"{" + Entry("a", "0,9223372036854775807,3", "0,0") + "}", "2^63 or more bytes"},
      {"{" + Entry("a", "9223372036854775808", "0,16") + "}", "a size above 2^63 - 1"},
      {"{" + Entry("a", "18446744073709551616", "0,16") + "}", "a number with a fraction"},
      {"{" + Entry("a", "-1", "0,16") + "}", "a negative number"},
      {"{" + Entry("a", "1.5", "0,16") + "}", "a number with a fraction"},
      {"{" + Entry("a", "[1]", "0,16") + "}", "the header has a list in tensor 'a', field 'shape'"},
      {"{" + Entry("a", "2", "0") + "}", "1 offsets"},
      {"{" + Entry("a", "2", "16,0") + "}", "a hole before it"},
      {R"({"a":{"dtype":"F64","shape":[2]}})", "has other fields than"},
      {R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16],"x":[1]}})", "a list"},
      {R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16],"x":{}}})", "an object"},
      {R"({"a":{"dtype":7}})", "the header has a number"},
      {R"({"a":{"dtype":"F99"}})", "the type 'F99'"},
      {R"({"a":{"dtype":"U16"}})", "tensor 'a' has type U16"},
      {R"({"a":null})", "null"},
      {R"({"a\u0000\u001b[31m":{"dtype":7}})", "in tensor 'a\\000\\033[31m', field 'dtype' where"},
      {R"({"a":true})", "a boolean"},
      {R"({"a":[1]})", "a list"},
      {R"({"__metadata__":{"k":1}})", "a number in __metadata__"},
      {R"({"a":)", "no JSON at byte"},
      {"{} x", "no JSON at byte"},
      {" {}", "does not begin with {"},
      {"[]", "does not begin with {"},
  };
  for (const auto& [json, message] : kWrong) {
    EXPECT_NE(ErrorOf(json, 16).find(message), std::string::npos) << json << "\n"
                                                                  << ErrorOf(json, 16);
  }
  EXPECT_LT(ErrorOf("{\"" + std::string(100000, 'a') + "\":1}", 0).size(), 1000u);
  std::string deep(100000, '[');
  EXPECT_NE(ErrorOf("{\"a\":" + deep, 0), "no error");
  std::string rank = "1";
  for (int i = 0; i < 300; ++i) rank += ",1";
  EXPECT_NE(ErrorOf("{" + Entry("a", rank, "0,8") + "}", 8).find("rank 301"), std::string::npos);
}

}  // namespace
}  // namespace twingrad::safetensors
