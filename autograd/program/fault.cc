#include "autograd/program/fault.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

// Offset of the statement's name: after `%a,%b = ` if the line begins with results.
size_t NameOffset(std::string_view line) {
  if (line.empty() || line[0] != '%') return 0;
  const size_t at = line.find(" = ");
  return at == std::string_view::npos ? 0 : at + 3;
}

// Offset of the token `count` tokens after the one at `offset`; `offset` if there are not that
// many.
size_t SkipTokens(std::string_view line, size_t offset, int count) {
  size_t at = offset;
  for (int i = 0; i < count; ++i) {
    at = line.find(' ', at);
    if (at == std::string_view::npos) return offset;
    ++at;
  }
  return at;
}

}  // namespace

int ColumnOf(const Fault& fault, std::string_view line) {
  const size_t name = NameOffset(line);
  size_t at = name;
  switch (fault.place) {
    case Fault::Place::kName:
      break;
    case Fault::Place::kResult:
      at = 0;
      if (name == 0) break;
      for (int i = 0; i < fault.index; ++i) {
        const size_t comma = line.find(',', at);
        if (comma == std::string_view::npos || comma > name) break;
        at = comma + 1;
      }
      break;
    case Fault::Place::kOperand:
      at = SkipTokens(line, name, fault.index + 1);
      break;
    case Fault::Place::kAttribute: {
      const size_t token = line.find(absl::StrCat(" ", KeyName(fault.key), "="), name);
      if (token != std::string_view::npos) at = token + 1;
      break;
    }
  }
  return static_cast<int>(at) + 1;
}

absl::Status ErrorAt(int line, int column, std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("[program] ", line, ":", column, " ", text));
}

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  return absl::StrCat("'", absl::CHexEscape(text.substr(0, kLongest)),
                      text.size() > kLongest ? "...'" : "'");
}

}  // namespace twingrad::program
