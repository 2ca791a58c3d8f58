// Texts that any program may have said, in the forms that readers can take.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace twingrad::campaign {

// Valid UTF-8, in which control characters but tab and newline are shown by their pictures.
std::string Legible(std::string_view text);

// As the value of an XML attribute or as character data.
std::string XmlText(std::string_view text);

// As plain words within a line of Markdown.
std::string MarkdownWords(std::string_view text);
// As a block of code, whatever fences the text itself holds. `most`: further lines are left out,
// which the block says.
std::string MarkdownBlock(std::string_view text, size_t most);

// A path as a part of a URI.
std::string UriPath(std::string_view path);

}  // namespace twingrad::campaign
