// SPDX-License-Identifier: Apache-2.0
// Text from which pages are made. For any such text an offset is where the URL is written, either
// kind of line end gives the same, and reading takes linear time at most.
#include "check/source.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace spinneret::check {
namespace {

struct Found {
  std::vector<std::string> links;  // "TAG URL"
  std::string ids;
  std::string html;
};

Found found_in(SourceKind kind, const std::string& text) {
  SourceText source;
  read_source(kind, text, source);
  Found out;
  std::size_t before = 0;
  for (const SourceLink& link : source.links()) {
    EXPECT_LE(before, link.offset) << text;
    EXPECT_LE(link.offset, text.size()) << text;
    before = link.offset;
    out.links.push_back(std::string(link.tag) + " " + std::string(link.value));
  }
  out.ids = source.ids();
  out.html = source.html();
  EXPECT_TRUE(out.html.empty() || out.html.size() == text.size()) << text;
  return out;
}

constexpr SourceKind kKinds[] = {SourceKind::kMarkdown, SourceKind::kRst, SourceKind::kAsciidoc,
                                 SourceKind::kText};

std::string soup(std::mt19937& random, std::size_t most) {
  static constexpr std::string_view kParts[] = {"[",
                                                "]",
                                                "(",
                                                ")",
                                                "](u)",
                                                "](<u v>",
                                                ">",
                                                "![",
                                                "`",
                                                "``",
                                                "```\n",
                                                "~~~\n",
                                                "\n",
                                                "\n\n",
                                                "\n    ",
                                                "\n> ",
                                                "\n- ",
                                                "\n1. ",
                                                "\n===",
                                                "\n---",
                                                "# ",
                                                "<b>",
                                                "<!--",
                                                "-->",
                                                "<",
                                                "\\",
                                                "&amp;",
                                                "a",
                                                "b c",
                                                "_",
                                                "__",
                                                "http://x",
                                                "https://y/",
                                                ".",
                                                ",",
                                                "[r]: u\n",
                                                "[^n]: ",
                                                "{#i}",
                                                ".. _n: u",
                                                ".. _n:",
                                                "`t <u>`_",
                                                "::",
                                                ".. image:: i",
                                                ":target: u",
                                                "\n== T",
                                                "<<r>>",
                                                "link:l[t]",
                                                "xref:f#g[]",
                                                "[[n]]",
                                                "[#n]",
                                                "----\n",
                                                "////\n",
                                                "\t",
                                                "|",
                                                "+",
                                                "\xC3\xA9",
                                                "\xFF",
                                                "\xE2\x80",
                                                "{{",
                                                "include::i[]",
                                                "anchor:a[]"};
  std::string out;
  for (std::size_t parts = random() % most; parts != 0; --parts)
    out += kParts[random() % std::size(kParts)];
  return out;
}

TEST(Source, AnOffsetIsWhereTheUrlIsWritten) {
  std::mt19937 random(1);
  for (int round = 0; round != 10'000; ++round) {
    const std::string text = soup(random, 24);
    for (const SourceKind kind : kKinds) {
      SourceText source;
      read_source(kind, text, source);
      for (const SourceLink& link : source.links()) {
        const bool meant = text.find_first_of("\\&") != text.npos || link.value.starts_with('#') ||
                           link.value.find(".adoc") != link.value.npos;
        ASSERT_TRUE(meant || text.substr(link.offset, link.value.size()) == link.value) << text;
      }
    }
  }
}

TEST(Source, EndsOfLinesOfTwoBytesAreThoseOfOne) {
  std::mt19937 random(2);
  for (int round = 0; round != 20'000; ++round) {
    const std::string text = soup(random, 16);
    std::string two;
    for (const char c : text) two.append(c == '\n' ? "\r\n" : std::string(1, c));
    for (const SourceKind kind : kKinds) {
      const Found one = found_in(kind, text);
      const Found other = found_in(kind, two);
      ASSERT_EQ(other.links, one.links) << static_cast<int>(kind) << "\n" << text;
      ASSERT_EQ(other.ids, one.ids) << static_cast<int>(kind) << "\n" << text;
    }
  }
}

TEST(Source, AReaderThatWasUsedIsAsAFreshOne) {
  std::mt19937 random(3);
  SourceText used;
  for (int round = 0; round != 2000; ++round) {
    const std::string text = soup(random, 30);
    const SourceKind kind = kKinds[random() % 4];
    read_source(kind, text, used);
    SourceText fresh;
    read_source(kind, text, fresh);
    ASSERT_EQ(used.ids(), fresh.ids());
    ASSERT_EQ(used.html(), fresh.html());
    ASSERT_EQ(used.links().size(), fresh.links().size());
    for (std::size_t i = 0; i != fresh.links().size(); ++i) {
      ASSERT_EQ(used.links()[i].value, fresh.links()[i].value);
      ASSERT_EQ(used.links()[i].offset, fresh.links()[i].offset);
    }
  }
}

TEST(Source, EveryCutOfADocumentEndsWell) {
  const std::string text =
      "---\nt: x\n---\n# A {#b}\n[x](<u v> \"t\") `c` <http://a> ![i](j (k))\n\n[d]: <e> 'f'\n> - "
      "1. q\n"
      ".. _n: u\n.. image:: i\n`t <u>`_ x::\n\n  l\n== T\nlink:l[t] <<r,s>> xref:f#g[] +p+ "
      "[[n]]\n----\nz\n";
  for (const SourceKind kind : kKinds)
    for (std::size_t size = 0; size <= text.size(); ++size) found_in(kind, text.substr(0, size));
}

// Each pattern would take quadratic time where something is searched for in vain again and again.
TEST(Source, HostileTextIsLinear) {
  for (const std::string_view part :
       {"[",      "![",        "[a](",  "](",     "`",       "`a",      "<",         "<a ",
        "<!--",   "<![CDATA[", "<?",    "\\",     "> ",      "- ",      "1. ",       "_",
        "*",      "# ",        "[a]: ", "[^a]: ", "&",       "http://", "http://a(", "http://a)",
        "``",     "..",        ".. _",  ".. |",   "<<",      "link:",   "xref:a",    "+",
        "`+",     "[[",        "[#",    "id=",    "anchor:", "|",       "\t",        "{",
        "a\n=\n", "a\n",       "[](<",  "(\"",    "<a b='",  "<a b=\"", "\n>",       "::\n",
        "```",    "~~~\n",     "\n-\n"}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    for (const SourceKind kind : kKinds) {
      SourceText source;
      read_source(kind, text, source);
      EXPECT_LE(source.links().size(), text.size());
    }
  }
}

// --- names ---

TEST(Source, NamesOfHeadingsThatComeAgain) {
  const auto names = [](const std::string& text) {
    std::string out = found_in(SourceKind::kMarkdown, text).ids;
    std::replace(out.begin(), out.end(), '\0', ' ');
    return out;
  };
  EXPECT_EQ(names("# a\n# a\n# a\n"), "a a-1 a-2 ");
  EXPECT_EQ(names("# a b\n# A  b!\n"), "a-b a--b ");
  EXPECT_EQ(names("# \xF0\x9F\x98\x80\n# \n#\n"), "");
}

TEST(Source, BugANameThatWasTakenGotOneBehindItInsteadOfTheNext) {
  std::string ids = found_in(SourceKind::kMarkdown, "# a\n# a-1\n# a\n# a\n").ids;
  std::replace(ids.begin(), ids.end(), '\0', ' ');
  // GitHub names them a-1 and a-2; programs that count on until a name is new, a-2 and a-3.
  for (const std::string_view name : {"a ", "a-1 ", "a-2 ", "a-3 "})
    EXPECT_NE(ids.find(name), ids.npos) << ids;
  EXPECT_EQ(ids.find("a-1-1"), ids.npos) << ids;
}

TEST(Source, HeadingSlugsAreUtf8InUtf8Out) {
  std::mt19937 random(4);
  for (int round = 0; round != 20'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 6; count != 0; --count)
      append_utf8(text,
                  static_cast<char32_t>(random() % 0x3000 + (random() % 4 == 0 ? 0x1F000 : 0)));
    if (!is_valid_utf8(text)) continue;
    const std::string slug = heading_slug(text);
    ASSERT_TRUE(is_valid_utf8(slug));
    ASSERT_EQ(heading_slug(slug), slug) << text;  // the slug of a slug is the slug itself
  }
  EXPECT_EQ(heading_slug("a\xFF\xC3 b"), "a-b");
}

TEST(Source, BugLettersOfAnotherFormBecamePlainOnesInNamesOfHeadings) {
  EXPECT_EQ(heading_slug("\uFF21\uFF30\uFF29 \u8A2D\u8A08"), "\uFF41\uFF50\uFF49-\u8A2D\u8A08");
  EXPECT_EQ(heading_slug("\uFF76\uFF85 \u210C \u2140\u00AA"), "\uFF76\uFF85-\u210C-\u00AA");
  EXPECT_EQ(heading_slug("\u00C4\u0416\u03A9\u212A\u2126"), "\u00E4\u0436\u03C9k\u03C9");
}

// --- bare URLs ---

// [r1] is not defined, so its brackets are text (CommonMark 6.3, examples 568 to 571).
TEST(Source, BugALinkBehindBracketsWasTakenForTheirLabel) {
  using Links = std::vector<std::string>;
  const auto links = [](const std::string& text) {
    return found_in(SourceKind::kMarkdown, text).links;
  };
  EXPECT_EQ(links("a[^1][b](/u) [ ][c](v.html#w)\n"), (Links{"md@link /u", "md@link v.html#w"}));
  EXPECT_EQ(links("[x][r1][`d`](http://h/1 \"t\")\n"), (Links{"md@link http://h/1"}));
  EXPECT_EQ(links("![a][i][b](<./u v>)\n"), (Links{"md@link ./u v"}));
  EXPECT_EQ(links("the [guide][g](draft) [of][g](two words/x)\n\n[g]: /g\n"),
            (Links{"md@definition /g"}));
  EXPECT_EQ(links("[a][\\]](/u) [b][\\](/v)\n"), (Links{"md@link /u"}));
  EXPECT_EQ(links("[a][b](c/d\n"), Links{});
}

TEST(BareUrl, WhereItEnds) {
  const struct {
    const char* text;
    const char* url;
  } cases[] = {
      {"http://a", "http://a"},
      {"HTTPS://a/B?c#d", "HTTPS://a/B?c#d"},
      {"http://a.", "http://a"},
      {"http://a/(b)", "http://a/(b)"},
      {"http://a/b)", "http://a/b"},
      {"http://a/(b))).", "http://a/(b)"},
      {"http://a/b?!.,:;*_~'\"", "http://a/b"},
      {"http://a/b]c", "http://a/b"},
      {"http://[::1]/b]", "http://[::1]/b]"},
      {"http://a b", "http://a"},
      {"http://a<b", "http://a"},
      {"http://\xC3\xA9", "http://\xC3\xA9"},
      {"http://", ""},
      {"http:///a", ""},
      {"http://.", ""},
      {"https://-a", ""},
      {"ftp://a", ""},
      {"http:/a", ""},
  };
  for (const auto& each : cases) {
    const std::string_view text = each.text;
    EXPECT_EQ(text.substr(0, bare_url(text, 0)), each.url) << text;
  }
  EXPECT_EQ(bare_url("xhttp://a", 1), 0U);
  EXPECT_EQ(bare_url("(http://a", 1), 8U);
}

}  // namespace
}  // namespace spinneret::check
