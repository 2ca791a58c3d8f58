#include "fuzz/campaign/legible.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

namespace twingrad::campaign {
namespace {

// U+2400 and on: a picture for each control character below the blank.
std::string PictureOf(char control) {
  return absl::StrCat("\xe2\x90", std::string(1, static_cast<char>(0x80 + control)));
}

// Two characters of Unicode that XML does not have.
constexpr std::string_view kNoCharacters[] = {"\xef\xbf\xbe", "\xef\xbf\xbf"};
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

}  // namespace

std::string Legible(std::string_view text) {
  using nlohmann::json;
  const std::string valid =
      json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
          .get<std::string>();
  std::string legible;
  for (const char c : valid) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
    if (control) {
      legible += PictureOf(c);
    } else if (c == '\x7f') {
      legible += "\xe2\x90\xa1";
    } else {
      legible += c;
    }
  }
  for (const std::string_view none : kNoCharacters) {
    absl::StrReplaceAll({{none, kReplacement}}, &legible);
  }
  return legible;
}

std::string XmlText(std::string_view text) {
  // A newline in an attribute would be read as a blank.
  return absl::StrReplaceAll(Legible(text), {{"&", "&amp;"},
                                             {"<", "&lt;"},
                                             {">", "&gt;"},
                                             {"\"", "&quot;"},
                                             {"\n", "&#10;"},
                                             {"\t", "&#9;"}});
}

std::string MarkdownWords(std::string_view text) {
  std::string words;
  for (const char c : Legible(text)) {
    if (absl::StrContains("\\`*_{}[]<>#&|~", c)) words += '\\';
    words += c == '\n' ? ' ' : c;
  }
  return words;
}

std::string MarkdownBlock(std::string_view text, size_t most) {
  const std::string legible = Legible(text);
  std::vector<std::string_view> lines = absl::StrSplit(legible, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::string rest;
  if (lines.size() > most) {
    rest = absl::StrCat("... ", lines.size() - most, " further lines\n");
    lines.resize(most);
  }
  // A fence ends at the first one that is as long.
  size_t ticks = 0;
  for (size_t i = 0, run = 0; i < legible.size(); ++i) {
    run = legible[i] == '`' ? run + 1 : 0;
    ticks = std::max(ticks, run);
  }
  const std::string fence(std::max<size_t>(3, ticks + 1), '`');
  return absl::StrCat(fence, "\n", absl::StrJoin(lines, "\n"), lines.empty() ? "" : "\n", rest,
                      fence, "\n");
}

std::string UriPath(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/-._~", c);
    uri += plain ? std::string(1, c) : absl::StrFormat("%%%02X", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace twingrad::campaign
