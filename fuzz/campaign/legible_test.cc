#include "fuzz/campaign/legible.h"

#include <string>

#include "gtest/gtest.h"

namespace twingrad::campaign {
namespace {

TEST(LegibleTest, ControlCharactersAndBrokenBytesAreShown) {
  EXPECT_EQ(Legible("a\tb\n\x1b[31m\x7f"), "a\tb\n\u241b[31m\u2421");
  EXPECT_EQ(Legible(std::string_view("\0!", 2)), "\u2400!");
  EXPECT_EQ(Legible("\xff|\xc3("), "\ufffd|\ufffd(");
  EXPECT_EQ(Legible("\u00e9 \xef\xbf\xbf"), "\u00e9 \ufffd");
}

TEST(LegibleTest, XmlHoldsWhateverEndsAnElement) {
  EXPECT_EQ(XmlText("]]></a> \"&\"\n\x01"), "]]&gt;&lt;/a&gt; &quot;&amp;&quot;&#10;\u2401");
}

TEST(LegibleTest, ABlockOfMarkdownEndsWhereItShould) {
  EXPECT_EQ(MarkdownBlock("one\n", 5), "```\none\n```\n");
  EXPECT_EQ(MarkdownBlock("a ```` b", 5), "`````\na ```` b\n`````\n");
  EXPECT_EQ(MarkdownBlock("1\n2\n3\n", 2), "```\n1\n2\n... 1 further lines\n```\n");
  EXPECT_EQ(MarkdownBlock("", 2), "```\n```\n");
}

TEST(LegibleTest, WordsOfMarkdownMeanNothingElse) {
  EXPECT_EQ(MarkdownWords("a*b <i>\n#1 [x]"), "a\\*b \\<i\\> \\#1 \\[x\\]");
}

TEST(LegibleTest, PathsBecomePartsOfUris) {
  EXPECT_EQ(UriPath("/a b/\xc3\xa9%#.x"), "/a%20b/%C3%A9%25%23.x");
}

}  // namespace
}  // namespace twingrad::campaign
