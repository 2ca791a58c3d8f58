#include "autograd/safetensors/header.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/element.h"
#include "nlohmann/json.hpp"

namespace twingrad::safetensors {
namespace {

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"F32", DType::kF32}, {"F64", DType::kF64},   {"I64", DType::kI64}, {"BOOL", DType::kBool},
    {"F16", DType::kF16}, {"BF16", DType::kBF16}, {"I32", DType::kI32}};
// Of the format, but not of this library.
constexpr std::string_view kOtherTypes[] = {"U8",  "I8",  "F8_E5M2", "F8_E4M3",
                                            "I16", "U16", "U32",     "U64"};
constexpr std::string_view kNotes = "__metadata__";

[[noreturn]] void Refuse(std::string_view what, std::string_view allowed) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[safetensors] ", what, "; ", allowed,
                           "; save the file again with a library that follows the format"));
}

std::string Quoted(std::string_view name) { return absl::StrCat("tensor '", Shown(name), "'"); }

// Takes JSON as it is read: { name: { dtype, shape: [..], data_offsets: [b, e]
// }, notes: { .. } }. Anything else is refused where it stands, so that nothing
// of unknown depth or size is built.
class HeaderReader {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  explicit HeaderReader(std::map<std::string, std::string>* notes) : notes_(notes) {}
  std::vector<TensorEntry> TakeEntries() && { return std::move(entries_); }

  // What nlohmann's reader calls.
  bool null() { Unexpected("null"); }
  bool boolean(bool) { Unexpected("a boolean"); }
  bool number_integer(number_integer_t) { Unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) { Unexpected("a number with a fraction"); }
  bool binary(binary_t&) { Unexpected("binary data"); }
  bool number_unsigned(number_unsigned_t value) {
    if (!in_array_) Unexpected("a number");
    if (field_ == "shape" && value > INT64_MAX) Unexpected("a size above 2^63 - 1");
    numbers_.push_back(value);
    return true;
  }
  bool string(string_t& text) {
    if (in_notes_) {
      if (notes_ != nullptr) (*notes_)[field_] = text;
    } else if (depth_ == 2 && field_ == "dtype" && !in_array_) {
      entry_.dtype = TypeOf(text);
    } else {
      Unexpected("a text");
    }
    return true;
  }
  bool key(string_t& text) {
    std::set<std::string>& seen = depth_ == 1 ? names_ : fields_;
    if (!seen.insert(text).second) {
      Refuse(absl::StrCat("key '", Shown(text), "' is given twice", Where()),
             "each key is given once");
    }
    (depth_ == 1 ? name_ : field_) = text;
    return true;
  }
  bool start_object(size_t) {
    if (depth_ > 1 || in_array_) Unexpected("an object");
    if (++depth_ == 2) {
      fields_.clear();
      in_notes_ = name_ == kNotes;
      entry_ = TensorEntry();
      entry_.name = name_;
    }
    return true;
  }
  bool end_object() {
    if (depth_-- == 2 && !std::exchange(in_notes_, false)) {
      if (fields_ != std::set<std::string>{"data_offsets", "dtype", "shape"}) {
        Refuse(absl::StrCat(Quoted(name_), " has other fields than dtype, shape, data_offsets"),
               "each of these once is allowed");
      }
      entries_.push_back(std::move(entry_));
    }
    return true;
  }
  bool start_array(size_t) {
    if (depth_ != 2 || in_notes_ || in_array_ || (field_ != "shape" && field_ != "data_offsets")) {
      Unexpected("a list");
    }
    in_array_ = true;
    numbers_.clear();
    return true;
  }
  bool end_array() {
    in_array_ = false;
    if (field_ == "shape") {
      entry_.shape.assign(numbers_.begin(), numbers_.end());
      return true;
    }
    if (numbers_.size() != 2) Unexpected(absl::StrCat(numbers_.size(), " offsets"));
    entry_.begin = numbers_[0];
    entry_.end = numbers_[1];
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) {
    Refuse(absl::StrCat("the header is no JSON at byte ", position), "an object is needed");
  }

 private:
  std::string Where() const {
    if (depth_ < 2) return "";
    return absl::StrCat(" in ", in_notes_ ? std::string(kNotes) : Quoted(name_),
                        field_.empty() ? "" : absl::StrCat(", field '", Shown(field_), "'"));
  }
  [[noreturn]] void Unexpected(std::string_view what) {
    Refuse(absl::StrCat("the header has ", what, Where(), " where the format has none"),
           "allowed are dtype, shape and data_offsets of each tensor, and "
           "texts in __metadata__");
  }
  DType TypeOf(const std::string& text) {
    for (const auto& [word, dtype] : kTypes) {
      if (word == text) return dtype;
    }
    if (std::find(std::begin(kOtherTypes), std::end(kOtherTypes), text) != std::end(kOtherTypes)) {
      throw Error(ErrorKind::kDType,
                  absl::StrCat("[safetensors] ", Quoted(name_), " has type ", text,
                               "; F16, BF16, F32, F64, I32, I64 and BOOL are allowed; convert "
                               "it before saving"));
    }
    Unexpected(absl::StrCat("the type '", Shown(text), "'"));
  }

  std::map<std::string, std::string>* const notes_;
  std::vector<TensorEntry> entries_;
  int depth_ = 0;
  bool in_notes_ = false;
  bool in_array_ = false;
  std::string name_;
  std::string field_;
  std::set<std::string> names_;
  std::set<std::string> fields_;
  std::vector<uint64_t> numbers_;
  TensorEntry entry_;
};

// Sizes of 0 count last: the others must not overflow in an empty tensor either.
std::optional<uint64_t> BytesOf(const TensorEntry& entry) {
  int64_t bytes = static_cast<int64_t>(ElementSize(entry.dtype));
  bool empty = false;
  for (int64_t size : entry.shape) {
    if (size == 0) empty = true;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

void CheckPlaces(std::vector<TensorEntry>& entries, uint64_t data_bytes) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const TensorEntry& entry : entries) {
    const std::string place =
        absl::StrCat(Quoted(entry.name), " lies at bytes ", entry.begin, " to ", entry.end);
    if (entry.shape.size() > 255) {
      Refuse(absl::StrCat(Quoted(entry.name), " has rank ", entry.shape.size()),
             "at most 255 dimensions are allowed");
    }
    if (entry.begin != end) {
      Refuse(absl::StrCat(place, ", with ", entry.begin > end ? "a hole before it" : "an overlap"),
             absl::StrCat("it must begin at ", end));
    }
    if (entry.end < entry.begin || entry.end > data_bytes) {
      Refuse(absl::StrCat(place, " of ", data_bytes), "it must lie within the data");
    }
    const std::optional<uint64_t> bytes = BytesOf(entry);
    if (bytes != entry.end - entry.begin) {
      Refuse(absl::StrCat(place, ", but its type and shape take ",
                          bytes ? absl::StrCat(*bytes) : "2^63 or more", " bytes"),
             "they must be equal");
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    Refuse(absl::StrCat("the last tensor ends at byte ", end, " of ", data_bytes),
           "tensors must fill the data");
  }
}

}  // namespace

std::vector<TensorEntry> ParseHeader(std::string_view json, uint64_t data_bytes,
                                     std::map<std::string, std::string>* notes) {
  if (json.empty() || json[0] != '{') {
    Refuse("the header does not begin with {", "a JSON object is needed");
  }
  HeaderReader reader(notes);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  std::vector<TensorEntry> entries = std::move(reader).TakeEntries();
  CheckPlaces(entries, data_bytes);
  return entries;
}

std::string PrintHeader(const std::vector<TensorEntry>& entries,
                        const std::map<std::string, std::string>& notes) {
  // An ordered object: entries stay in the order of their places.
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!notes.empty()) header[std::string(kNotes)] = notes;
  for (const TensorEntry& entry : entries) {
    if (entry.name == kNotes) Refuse("a tensor is called __metadata__", "any other name will do");
    const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& t) { return t.second == entry.dtype; });
    header[entry.name] = {{"dtype", type->first},
                          {"shape", std::vector<int64_t>(entry.shape.begin(), entry.shape.end())},
                          {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    Refuse("a name or a note is no UTF-8", "UTF-8 is allowed");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

std::string Shown(std::string_view name) {
  constexpr size_t kMost = 200;
  return absl::StrCat(absl::Utf8SafeCEscape(name.substr(0, kMost)),
                      name.size() > kMost ? "..." : "");
}

}  // namespace twingrad::safetensors
