// SPDX-License-Identifier: Apache-2.0
// Markdown as a reader like GitHub's sees it: its links must be those of the page. The reader here
// is written from the specification alone (GFM 0.29), and knows only what pages of a paragraph or
// of a table need.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.h"
#include "text/page.h"
#include "text/render.h"

namespace spinneret::text {
namespace {

std::string markdown(std::string_view html) {
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  return render(page, std::vector<bool>(page.blocks.size(), true), {Format::kMarkdown, true, true});
}

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// 4.10: a row is cut at each bar without a backslash before it; of `\|` the bar stays, in code as
// well.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && is_punctuation(row[i + 1])) {
      if (row[i + 1] != '|') out.back() += '\\';
      out.back() += row[++i];
    } else if (row[i] == '|') {
      out.emplace_back();
    } else {
      out.back() += row[i];
    }
  }
  return out;
}

// 6.3: returns the end of the code that begins with the ticks at `at`, or `at` if no run of as many
// ticks follows.
std::size_t code_end(std::string_view text, std::size_t at) {
  const std::size_t size = std::min(text.find_first_not_of('`', at), text.size()) - at;
  for (std::size_t i = at + size; (i = text.find('`', i)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of('`', i), text.size());
    if (end - i == size) return end;
    i = end;
  }
  return at;
}

// 6.6: adds the links of a text, in the order of their ends; an image's address has a `!` before
// it. Brackets match from the inside outwards, and a link has no other link around it.
void add_links(std::string_view text, std::vector<std::string>& links) {
  struct Opener {
    bool image, active;
  };
  std::vector<Opener> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && is_punctuation(text[i + 1])) {
      ++i;
    } else if (c == '`') {
      const std::size_t end = code_end(text, i);
      i = (end != i ? end : std::min(text.find_first_not_of('`', i), text.size())) - 1;
    } else if (c == '!' && text.substr(i).starts_with("![")) {
      open.push_back({true, true});
      ++i;
    } else if (c == '[') {
      open.push_back({false, true});
    } else if (c == ']' && !open.empty()) {
      const Opener opener = open.back();
      open.pop_back();
      const std::size_t end = text.find_first_of("() <>", i + 2);
      if (!opener.active || !text.substr(i).starts_with("](") || end == std::string_view::npos ||
          text[end] != ')')
        continue;
      links.push_back((opener.image ? "!" : "") + std::string(text.substr(i + 2, end - i - 2)));
      if (!opener.image)
        for (Opener& outer : open) outer.active = outer.image && outer.active;
      i = end;
    }
  }
}

std::vector<std::string> links_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with('|')) {
      for (const std::string& cell : cells_of(line)) add_links(cell, out);
    } else {
      add_links(line, out);
    }
    at = end + 1;
  }
  return out;
}

TEST(MarkdownLinks, OfTheReaderOfThisTest) {
  using Links = std::vector<std::string>;
  EXPECT_EQ(links_of("[a](u) ![b](v)"), (Links{"u", "!v"}));
  EXPECT_EQ(links_of("\\[b](v) [a\\](u) [c`](w)`"), Links{});
  EXPECT_EQ(links_of("[![a](i)](u) [b [c](v)](w)"), (Links{"!i", "u", "v"}));
  EXPECT_EQ(links_of("| [a|b](u) | [c\\|d](v) |"), Links{"v"});
}

TEST(MarkdownLinks, BugABarInAnAddressEndedTheCell) {
  EXPECT_EQ(links_of(markdown("<table><tr><td><a href='/?a|b'>x</a><td>y<tr><td>z<td>"
                              "<img src=/i alt='p|q'></table>")),
            (std::vector<std::string>{"/?a%7Cb", "!/i"}));
}

TEST(MarkdownLinks, BugABackslashOrATickAtTheEndOfItsTextKeptALinkFromEnding) {
  EXPECT_EQ(markdown("<p><a href=/x>C:\\</a> d:\\"), "[C:\\\\](/x) d:\\");
  EXPECT_EQ(links_of(markdown("<p><a href=/x>a`</a> <a href=/y>b`</a> <img src=/i alt='c\\'>")),
            (std::vector<std::string>{"/x", "/y", "!/i"}));
}

TEST(MarkdownLinks, BugABackslashBeforeALinkMadeItText) {
  EXPECT_EQ(markdown("<p>a\\<a href=/x>y</a> b\\\\<a href=/x>y</a>"), "a\\\\[y](/x) b\\\\[y](/x)");
  EXPECT_EQ(markdown("<p>a\\!<a href=/x>y</a> <b>b\\</b>"), "a\\![y](/x) **b\\\\**");
}

TEST(MarkdownLinks, BugALinkBehindAnExclamationMarkWasAnImage) {
  EXPECT_EQ(markdown("<p>More!<a href=/x>y</a>!"), "More\\![y](/x)!");
}

// Paragraphs and tables have words, marks and links: each link must be one of the Markdown's, in
// the same order.
TEST(MarkdownLinks, AreThoseOfThePage) {
  constexpr std::array<std::string_view, 15> kWords = {"a", "b c", "[", "]", "](",   "|", "\\", "!",
                                                       "(", ")",   "*", "_", "&lt;", "#", "\\|"};
  constexpr std::array<std::string_view, 12> kPaths = {"a", "|", "(",  ")", "[", "]",
                                                       "!", "*", "\\", "&", "_", "%7C"};
  support::Random random;
  for (int round = 0; round < 4000; ++round) {
    const auto any = [&random](const auto& from) {
      return std::string(from[random.below(from.size())]);
    };
    const bool table = random.one_in(2);
    std::string html = table ? "<table><tr><td>h<td>h" : "<p>w";
    std::size_t links = 0;
    for (std::size_t part = 0, parts = 1 + random.below(5); part < parts; ++part) {
      if (table) html += part % 2 == 0 ? "<tr><td>" : "<td>";
      // Brackets in text outside a link are kept as they are, and may make a link of their own.
      const std::string word = any(kWords);
      html += word.find_first_of("[]") == std::string::npos ? word : "w";
      html += "<a href='/" + std::to_string(links++) + "/";
      for (std::size_t i = random.below(3); i > 0; --i) html += any(kPaths);
      html += "'>";
      for (std::size_t i = random.below(3); i > 0; --i) html += any(kWords);
      html += random.one_in(3) ? "t`</a>" : random.one_in(3) ? "<b>t</b></a>" : "t</a>";
      if (random.one_in(4)) html += "<code>|`" + any(kWords) + "</code>";
    }
    const std::string text = markdown(html);
    const std::vector<std::string> found = links_of(text);
    ASSERT_EQ(found.size(), links) << html << "\n" << text;
    for (std::size_t i = 0; i < links; ++i)
      ASSERT_TRUE(found[i].starts_with("/" + std::to_string(i) + "/")) << html << "\n" << text;
  }
}

}  // namespace
}  // namespace spinneret::text
