#include "fuzz/campaign/signature.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/print.h"

namespace twingrad::campaign {
namespace {

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

std::string WithoutNames(std::string_view text) {
  std::string kept;
  for (size_t i = 0; i < text.size();) {
    const bool in_word = i > 0 && IsNameCharacter(text[i - 1]);
    size_t end = i + 1;
    if (text[i] == '%' || (absl::ascii_isdigit(static_cast<unsigned char>(text[i])) && !in_word)) {
      while (end < text.size() && (IsNameCharacter(text[end]) || text[end] == '.')) ++end;
      kept += text[i] == '%' ? '%' : '#';
    } else {
      kept += text[i];
    }
    i = end;
  }
  return kept;
}

std::string KindOf(const workers::CaseResult& result) {
  const bool death =
      result.oracle == "crash" || result.oracle == "hang" || result.oracle == "memory";
  const std::string_view text = result.text;
  std::string kind = WithoutNames(death ? text : text.substr(0, text.find('\n')));
  while (!kind.empty() && kind.back() == '\n') kind.pop_back();
  return kind;
}

std::string SignatureOf(const findings::Finding& finding) {
  const std::string key = absl::StrCat(findings::KeyOf(finding), "\n", KindOf(finding.result));
  return absl::StrFormat("%016x", program::Fnv1a(key));
}

}  // namespace twingrad::campaign
