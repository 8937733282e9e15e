// SPDX-License-Identifier: Apache-2.0
// Compares the fast path over tags with its slow twin: tokenizer and tree for every tag.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "html/scan.h"
#include "html/tag_run.h"
#include "link_lines.h"

namespace spinneret::html {
namespace {

std::vector<ExtractOptions> all_options() {
  std::vector<ExtractOptions> out(6);
  EXPECT_TRUE(out[1].selection.add_only("all"));
  EXPECT_TRUE(out[2].selection.add_only("a@href"));
  EXPECT_TRUE(out[3].selection.add_only("img"));
  out[3].attributes = {{"div", "class"}, {"", "id"}};
  EXPECT_TRUE(out[4].selection.add_only("all"));
  out[4].text = false;
  out[4].comments = true;
  out[4].ids = true;
  EXPECT_TRUE(out[5].selection.add_only("a@href"));
  out[5].ids = true;
  return out;
}

void expect_same(std::string_view page) {
  static std::vector<Twins> twins = [] {
    std::vector<Twins> out;
    for (const ExtractOptions& options : all_options()) out.emplace_back(options);
    return out;
  }();
  // The page is copied to the heap with exactly its bytes, so that a sanitizer sees a read beyond
  // them.
  const std::vector<char> bytes(page.begin(), page.end());
  const std::string_view view(bytes.data(), bytes.size());
  for (auto& [fast, slow] : twins) {
    ASSERT_EQ(full_lines(fast.extract(view, "")), full_lines(slow.extract(view, ""))) << page;
    ASSERT_EQ(fast.ids(), slow.ids()) << page;
  }
}

constexpr std::string_view kPieces[] = {
    "<a href=\"x\">",
    "<a href='y' rel=nofollow>",
    "<a class=\"c\" href=\"z?a&amp;b\" title=\"t>u\">",
    "</a>",
    "<A HREF=u>",
    "<a>",
    "<a name=\"n\">",
    "<p id=\"p&amp;q\" class=\"c\">",
    "<a href>",
    "<a href=\"\">",
    "<a href = \"w\" >",
    "<a href=\"v\"/>",
    "<a href=\"1\" href=\"2\">",
    "<img src=\"i\" alt=\"a<b\">",
    "<img src=i>",
    "<img data-src=\"d\" style=\"background:url(b)\"/>",
    "<br>",
    "<br/>",
    "<hr>",
    "<div>",
    "<div class=\"c\">",
    "<div id='i'>",
    "<div class=\"a\" style=\"\" hidden>",
    "</div>",
    "</div >",
    "</DIV>",
    "<p>",
    "</p>",
    "<span>",
    "</span>",
    "<span class=\"s\" data-x=\"=\">",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<font color=\"red\">",
    "</font>",
    "<nobr>",
    "<ul>",
    "<li>",
    "</li>",
    "</ul>",
    "<h1>",
    "</h2>",
    "<table>",
    "<tr>",
    "<td>",
    "<td background=\"g\">",
    "</td>",
    "</tr>",
    "</table>",
    "<caption>",
    "<form action=\"f\">",
    "</form>",
    "<select>",
    "<hr><optgroup>",
    "<img alt=\"A\" title=\"T\">",
    "<a href=\"t\" title=\"T\" aria-label=\"\">",
    "<option value=\"o\">",
    "</select>",
    "<input type=\"hidden\" src=\"s\">",
    "<button formaction=\"fa\">",
    "</button>",
    "<script>a<b</script>",
    "<script src=\"j\">",
    "</script>",
    "<style>b{}</style>",
    "<!-- c -->",
    "<!--",
    "-->",
    "<!-->",
    "<!--->",
    "<!--!>",
    "--!>",
    "<!--?xml-stylesheet href=\"p.xsl\"?-->",
    "<script type=\"text/javascript\"><!-- ",
    "</script x>",
    "</STYLE>",
    "<style media='all'>",
    "<!doctype html>",
    "<svg>",
    "</svg>",
    "<use xlink:href=\"#u\">",
    "<math>",
    "<mi>",
    "</math>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<object data=\"o\">",
    "</object>",
    "<iframe src=\"f\">",
    "</iframe>",
    "<body>",
    "</body>",
    "</html>",
    "<html lang=\"l\">",
    "<title>t</title>",
    "<base href=\"b/\">",
    "<meta name=\"m\" content=\"c\">",
    "<link rel=\"next\" href=\"n\">",
    "<x-y>",
    "</x-y>",
    "<aaaaaaaaaaaaaaaaaaaa href=\"long\">",
    "<area href=\"r\">",
    "<image src=\"m\">",
    "text ",
    " \n ",
    "&amp;",
    "&am",
    "p;",
    "&lt",
    "<",
    "< ",
    "</",
    "</ >",
    "<>",
    "\"",
    "'",
    "=",
    ">",
    "/",
    "\xC3\xA4",
    "\r\n",
    "a long piece of text without any tag in it, which takes more than one vector ",
    "<div data-a=\"0123456789012345678901234567890123456789012345678901234567890123456789\" "
    "class=\"x\">",
    "<a title=\"0123456789012345678901234567890123456789012345678901234567890123\" "
    "href=\"beyond\">",
};

TEST(Skim, TheLookAtATextIsItsSlowTwin) {
  std::mt19937 random(7);
  constexpr char kBytes[] = {'a',  'a',    'a',    ' ',    '&',    '\t',
                             '\0', '\x80', '\xFF', '\x7F', '\x1F', '!'};
  for (int i = 0; i < 200'000; ++i) {
    std::vector<char> text(random() % 40, 'a');
    for (auto n = random() % 4; n-- > 0 && !text.empty();)
      text[random() % text.size()] = kBytes[random() % sizeof kBytes];
    const std::size_t size = text.size();
    text.resize(size + 15, kBytes[random() % sizeof kBytes]);
    for (const bool blank : {false, true}) {
      const TextLook fast = look_at_text(text.data(), text.data() + size, blank);
      const TextLook slow = look_at_text_slow(text.data(), text.data() + size, blank);
      ASSERT_EQ(fast.odd, slow.odd) << std::string(text.data(), size);
      ASSERT_EQ(fast.high, slow.high) << std::string(text.data(), size);
    }
  }
}

TEST(Skim, AllScansOverTagsEndAtOnePlace) {
  using Way = TagTable::Way;
  static TagTable table;
  table.add("div", Element::kDiv, Way::kSift, Way::kSift);
  table.add("span", Element::kSpan, Way::kPass, Way::kPass);
  table.add("a", Element::kA, Way::kTake, Way::kTake);
  table.add("p", Element::kP, Way::kSift, Way::kSift);
  table.add("object", Element::kObject, Way::kSift, Way::kSift);
  table.add("script", Element::kScript, Way::kStop, Way::kRaw);
  table.add("style", Element::kStyle, Way::kStop, Way::kRaw);
  table.passes_comments = true;
  table.sieve.add("style");
  table.set_unknown(Way::kPass);
  const auto scans = tag_scans();
  std::mt19937 random(5);
  for (int i = 0; i < 20'000 && scans.size() > 1; ++i) {
    std::string text;
    for (auto n = random() % 12; n-- > 0;) text += kPieces[random() % std::size(kPieces)];
    const std::vector<char> page(text.begin(), text.end());
    const char* const end = page.data() + page.size();
    const TagStops stops{i % 2 == 0, i % 3 == 0, i % 5 == 0};
    TagMarks expected_marks;
    const TagRun expected = scans[1].pass(table, page.data(), end, stops, expected_marks);
    for (const TagScan& scan : scans.subspan(1)) {
      TagMarks marks;
      const TagRun run = scan.pass(table, page.data(), end, stops, marks);
      ASSERT_EQ(marks.may_have_paragraph(), expected_marks.may_have_paragraph())
          << scan.name << text;
      ASSERT_EQ(run.at - page.data(), expected.at - page.data()) << scan.name << text;
      ASSERT_EQ(run.stop, expected.stop) << scan.name << text;
    }
  }
}

TEST(Skim, IsTheSlowWayOnEveryPairOfPieces) {
  for (const std::string_view first : kPieces) {
    for (const std::string_view second : kPieces) {
      std::string page = "<!doctype html><body>x<p>";
      page.append(first).append(second).append(
          "<a href=\"last\">end</a><img src=\"e\">................");
      ASSERT_NO_FATAL_FAILURE(expect_same(page));
    }
  }
}

TEST(Skim, IsTheSlowWayOnSoup) {
  std::mt19937 random(20261121);
  for (int i = 0; i < 4000; ++i) {
    std::string page = i % 2 == 0 ? "<!doctype html><body>x<p>" : "";
    for (auto n = random() % 40; n-- > 0;) page += kPieces[random() % std::size(kPieces)];
    ASSERT_NO_FATAL_FAILURE(expect_same(page));
    page.resize(random() % (page.size() + 1));
    ASSERT_NO_FATAL_FAILURE(expect_same(page));
  }
}

// Parts that pass without a token: scripts, style sheets and comments, well-formed or not.
TEST(Skim, IsTheSlowWayOnSoupOfScriptsAndComments) {
  constexpr std::string_view kUnits[] = {"<script>",
                                         "<script src=\"s\">",
                                         "<script type=\"module\">",
                                         "</script>",
                                         "</script >",
                                         "</SCRIPT>",
                                         "</scripty>",
                                         "<style>",
                                         "</style>",
                                         "</style/>",
                                         "</st",
                                         "<!--",
                                         "-->",
                                         "--",
                                         "->",
                                         "-",
                                         "!>",
                                         "--!>",
                                         "<!-->",
                                         "<!--->",
                                         "<!",
                                         "<!---",
                                         "<!-- a -->",
                                         "<!--?xml-stylesheet href='x'?-->",
                                         "<?xml-stylesheet href='y'?>",
                                         "<a href=\"in\">t</a>",
                                         "a < b",
                                         "<s",
                                         ">",
                                         "if (a<b) c();                                    ",
                                         "\"url(u)\"",
                                         " "};
  std::mt19937 random(11);
  for (int i = 0; i < 6000; ++i) {
    std::string page = i % 4 == 0 ? "<head>" : "<body>x<p>";
    for (auto n = random() % 16; n-- > 0;) page += kUnits[random() % std::size(kUnits)];
    if (i % 3 != 0)
      page += "<a href=\"last\">end</a>.................................................";
    ASSERT_NO_FATAL_FAILURE(expect_same(page));
  }
}

// Elements for which a flat body has rules of its own, within a body and what may be open there.
TEST(Skim, IsTheSlowWayOnSoupOfUnits) {
  constexpr std::string_view kUnits[] = {"<noscript>",
                                         "<noscript>",
                                         "</noscript>",
                                         "</noscript>",
                                         "<div>",
                                         "</div>",
                                         "<p>",
                                         "</p>",
                                         "<h2>",
                                         "</h2>",
                                         "<template>",
                                         "</template>",
                                         "<col>",
                                         "<col><a href=c>",
                                         "<tr><form action=g>",
                                         "<td style='a:url(b)'>",
                                         "<td style='color:red'>",
                                         "<body background=g>",
                                         "<html itemid=k>",
                                         "<span>",
                                         "<b>",
                                         "</b>",
                                         "<img src=i>",
                                         "<img>",
                                         "<a href=x>y</a>",
                                         "<a href=z>",
                                         "</a>",
                                         "<input src=n>",
                                         "<textarea></div></textarea>",
                                         "<iframe></div></iframe>",
                                         "<ul>",
                                         "<li>",
                                         "</ul>",
                                         "<button>",
                                         "</button>",
                                         "<object>",
                                         "</object>",
                                         "<table><td>",
                                         "</table>",
                                         "<style>a{b:url(c)}</style>",
                                         "<script src=s></script>",
                                         "<br>",
                                         "<form action=f>",
                                         "</form>",
                                         "<select>",
                                         "<option>",
                                         "</select>",
                                         "<svg>",
                                         "</svg>",
                                         "<title>",
                                         "</title>",
                                         "<pre>",
                                         "text"};
  std::mt19937 random(20261124);
  for (int i = 0; i < 6000; ++i) {
    std::string page = "<!doctype html><body>x";
    for (auto n = random() % 24; n-- > 0;) page += kUnits[random() % std::size(kUnits)];
    page += "<a href=end>end</a>................................";
    ASSERT_NO_FATAL_FAILURE(expect_same(page));
  }
}

}  // namespace
}  // namespace spinneret::html
