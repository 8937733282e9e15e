// SPDX-License-Identifier: Apache-2.0
// lib/text: the log of a page, what it says of itself, which blocks are chosen, and their forms.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/cues.h"
#include "text/features.h"
#include "text/language.h"
#include "text/model.h"
#include "text/page.h"
#include "text/regions.h"
#include "text/render.h"
#include "text/said_words.h"
#include "text/topics.h"

namespace spinneret::text {
namespace {

std::string blocks_of(std::string_view html, bool hidden = true) {
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  std::string out;
  for (const Block& block : page.blocks) {
    if (block.hidden && !hidden) continue;
    out += std::string(page.text_of(block)) + "|";
  }
  return out;
}

std::string rendered(std::string_view html, const Rendering& how) {
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  return render(page, std::vector<bool>(page.blocks.size(), true), how);
}
std::string markdown(std::string_view html) {
  return rendered(html, {Format::kMarkdown, true, true});
}

// --- blocks ---

// Returns consecutive runs of plain bytes, as BlockWriter makes them: their bytes and the words in
// them.
std::string runs_of(std::string_view text, PlainRun (*next)(std::string_view, bool&)) {
  std::string out;
  std::uint32_t words = 0;
  bool within = false;
  while (!text.empty()) {
    if (text[0] == ' ' || text[0] == '\n' || text[0] == '\0') {
      within = within && text[0] == '\0';
      text.remove_prefix(1);
      out += '|';
      continue;
    }
    const PlainRun run = next(text, within);
    words += run.words;
    out += text.substr(0, run.size);
    text.remove_prefix(run.size);
  }
  return out + std::to_string(words);
}

// Every text of seven sorts of bytes, around the ends of blocks of sixteen.
TEST(Blocks, RunsAsTheSlowTwin) {
  constexpr std::string_view kSorts = std::string_view("a .\n\xC2\xE4\0", 7);
  for (const std::size_t before : {0u, 12u, 13u, 14u, 15u, 28u, 30u}) {
    for (std::size_t number = 0; number < 7 * 7 * 7 * 7; ++number) {
      std::string text(before, 'x');
      for (std::size_t i = 0, rest = number; i < 4; ++i, rest /= 7) text += kSorts[rest % 7];
      for (const std::string_view behind : {"", "b c", "bcdefghijklmnopq r"}) {
        const std::string all = text + std::string(behind);
        ASSERT_EQ(runs_of(all, plain_run), runs_of(all, plain_run_slow)) << before << " " << all;
      }
    }
  }
}

TEST(Blocks, WhiteSpaceIsFolded) {
  EXPECT_EQ(blocks_of("<p> a \n b\t<b>c </b> d</p>"), "a b c d|");
  EXPECT_EQ(blocks_of("a<div>b</div>c"), "a|b|c|");
  EXPECT_EQ(blocks_of("<p>a&nbsp;b&amp;c&lt;"), "a b&c<|");
  EXPECT_EQ(blocks_of("<p>a<br>b<br><br>c"), "a\nb\n\nc|");
  EXPECT_EQ(blocks_of("<pre>a\n  b</pre>"), "a\n  b|");
  EXPECT_EQ(blocks_of("<p>  </p><div> </div>"), "");
}

// Browsers show such a template without scripts. Bug: its text was lost.
TEST(Blocks, BugTemplateThatIsAShadowRootIsShown) {
  EXPECT_EQ(
      blocks_of("<x-y><template ShadowRootMode=Open><style>s</style><p>a<p>b</template>c</x-y>"),
      blocks_of("<x-y><p>a<p>b</p>c</x-y>"));
  EXPECT_EQ(blocks_of("<div><template shadowrootmode=closed>a<template>b</template></template>c"),
            "ac|");
  EXPECT_EQ(blocks_of("<template><template shadowrootmode=open>a</template></template>"
                      "<template shadowrootmode=none>b</template><p shadowrootmode=open>c"),
            blocks_of("<p>c"));
}

TEST(Blocks, WhatIsNoText) {
  EXPECT_EQ(blocks_of("<title>t</title><script>s</script><style>s</style><template>t</template>a"),
            "a|");
  EXPECT_EQ(blocks_of("<select><option>o</select><textarea>t</textarea><svg><text>v</text></svg>b"),
            "b|");
  EXPECT_EQ(blocks_of("<body><noscript>n</noscript>c"), "n|c|");
  // The text of a diagram is that of the HTML in it. Bug: all of it was hidden.
  EXPECT_EQ(
      blocks_of("<p>a<svg><text>v</text><foreignObject>b<b>c</b></foreignObject><foreignObject>"
                "<script>s</script><div>d</div></foreignObject>v</svg>e"),
      "a|bc|d|e|");
  EXPECT_EQ(blocks_of("<template><svg><foreignObject>b</foreignObject></svg></template>c"), "c|");
  // Bug: a formula was read twice, once in TeX.
  EXPECT_EQ(blocks_of("<math><mi>x</mi><annotation>\\frac</annotation><annotation-xml "
                      "encoding=MathML-Content><ci>p</ci></annotation-xml></math>y"),
            "xy|");
  EXPECT_EQ(blocks_of("<!--c--><p>a<!--b-->d"), "ad|");
}

TEST(Blocks, Hidden) {
  EXPECT_EQ(blocks_of("<p hidden>a<p>b", false), "b|");
  EXPECT_EQ(blocks_of("<div style='color:red; DISPLAY : none'><p>a</div><p>b", false), "b|");
  EXPECT_EQ(blocks_of("<p hidden>a<p>b", true), "a|b|");
}

TEST(Blocks, Misnested) {
  EXPECT_EQ(blocks_of("<b>a<p>b</b>c</p>d"), "a|bc|d|");
  EXPECT_EQ(blocks_of("<p>a<div>b</p>c</div>d"), "a|b|c|d|");
  EXPECT_EQ(blocks_of("<a>a<div>b<a>c</div>d"), "a|bc|d|");
}

TEST(Blocks, WordsOfLinksAndEmphasis) {
  PageReader reader;
  const Page& page = reader.read("<p>one <a href=x>two three</a> <b>four</b> five", "utf-8");
  ASSERT_EQ(page.blocks.size(), 1u);
  EXPECT_EQ(page.blocks[0].words, 5u);
  EXPECT_EQ(page.blocks[0].link_words, 2u);
  EXPECT_EQ(page.blocks[0].emphasis_words, 1u);
}

// --- the log ---

void expect_sound(const Page& page) {
  std::uint32_t end = 0;
  for (const Block& block : page.blocks) {
    EXPECT_GE(block.begin, end);
    EXPECT_GT(block.end, block.begin);
    EXPECT_LT(block.node, page.nodes.size());
    end = block.end;
  }
  EXPECT_LE(end, page.text.size());
  for (std::size_t i = 1; i < page.nodes.size(); ++i) {
    EXPECT_LT(page.nodes[i].parent, i);
    EXPECT_LE(page.nodes[i].first_block, page.blocks.size());
    EXPECT_LE(page.nodes[i].end_block, page.blocks.size());
  }
  for (const Span& span : page.spans) EXPECT_LE(span.end, page.text.size());
}

TEST(Log, IsSoundForAnyCut) {
  const std::string html =
      "<html lang=en><body><nav class=menu><a href=/>Home</a></nav><main><h1>T</h1><p>a "
      "<b>b<i>c</b>d</i>"
      "<table>x<tr><td>y<td>z</table><ul><li>1<li>2<ul><li>3</ul></ul><frameset><div "
      "hidden>h</div></main>";
  PageReader reader;
  for (std::size_t size = 0; size <= html.size(); ++size)
    expect_sound(reader.read(html.substr(0, size), "utf-8"));
}

TEST(Log, CuesAreThoseOfAllAround) {
  PageReader reader;
  const Page& page = reader.read("<nav><ul><li class='share-links'>a</ul></nav><p>b", "utf-8");
  ASSERT_EQ(page.blocks.size(), 2u);
  const Cues cues = page.cues_of(page.blocks[0]);
  EXPECT_TRUE(has(cues, Cue::kNav) && has(cues, Cue::kItem) && has(cues, Cue::kShareWord));
  EXPECT_FALSE(has(page.cues_of(page.blocks[1]), Cue::kNav));
}

// XHTML follows XML's rules, as in the extraction of links: <title/> swallows nothing, case counts,
// a CDATA section is text.
TEST(Xhtml, AsXmlWhereItIsWellFormed) {
  PageReader reader;
  const std::string_view xhtml =
      "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'><head><title/>"
      "<script type='application/ld+json'>{\"a\":\"&lt;\"}</script><style>s</style></head><body>"
      "<p>a &amp; <![CDATA[<b> &amp;]]><script/>c</p><P HIDDEN=''>d</P><p "
      "hidden=''>e</p></body></html>";
  const auto seen = [&](std::string_view document, html::Syntax syntax) {
    const Page& page = reader.read(document, "", syntax);
    std::string out = page.title + "/" + page.lang + "/" + (page.json.empty() ? "" : page.json[0]);
    for (const Block& block : page.blocks)
      out += "|" + std::string(page.text_of(block)) + (block.hidden ? " hidden" : "");
    return out;
  };
  EXPECT_EQ(seen(xhtml, html::Syntax::kXml), "/de/{\"a\":\"<\"}|a & <b> &amp;c|d|e hidden");
  EXPECT_EQ(seen("<title/><p>a", html::Syntax::kXml), "<p>a//");
  EXPECT_EQ(
      seen("\xEF\xBB\xBF<html xmlns='http://www.w3.org/1999/xhtml'><title>t&lt;<![CDATA[&lt;]]>"
           "</title><title>u</title><body>x</body></html>",
           html::Syntax::kXml),
      "t<&lt;//|x");
  // Nothing of the page before is left.
  EXPECT_EQ(seen("<p>a", html::Syntax::kHtml), "//|a");
}

// A <b> that is closed around an open block emphasizes nothing more.
TEST(Blocks, WhatIsMisnestedEndsWhereItIsClosed) {
  PageReader reader;
  const Page& page = reader.read("<b><p>one</b> two three<a href=1><div>four</a> five", "");
  ASSERT_EQ(page.blocks.size(), 2u);
  EXPECT_EQ(page.blocks[0].emphasis_words, 1u);
  EXPECT_EQ(page.blocks[1].link_words, 1u);
}

TEST(Log, DepthCostsNothing) {
  std::string html;
  for (int i = 0; i < 200000; ++i) html += "<div>";
  html += "x";
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  ASSERT_EQ(page.blocks.size(), 1u);
  expect_sound(page);
  EXPECT_EQ(choose_main(page, likelihoods(page, "")).size(), 1u);
}

TEST(Charset, DeclaredOnTheWay) {
  PageReader reader;
  const Page& page = reader.read("<p>caf\xE9<meta charset=iso-8859-2><p>\xB1", "");
  EXPECT_EQ(page.text_of(page.blocks.back()), "\xC4\x85");
}

TEST(Cues, WordsByCapitalsAndMarks) {
  EXPECT_TRUE(has(cues_of_words("siteNav"), Cue::kMenuWord));
  EXPECT_TRUE(has(cues_of_words("post__comments-list"), Cue::kCommentWord));
  EXPECT_TRUE(has(cues_of_words("SIDEBAR"), Cue::kSidebarWord));
  EXPECT_EQ(cues_of_words("xnavx"), 0u);
  CueCache cache;
  std::vector<std::string> values;
  for (int i = 0; i < 3000; ++i)
    values.push_back("nav-" + std::to_string(i) + (i % 7 == 0 ? " post__comments" : ""));
  for (int round = 0; round < 4; ++round) {
    if (round == 2) cache.clear();
    for (const std::string& value : values)
      ASSERT_EQ(cache.of_words(value), cues_of_words(value)) << value;
  }
  EXPECT_EQ(cache.of_words(""), 0u);
  CueSets sets;
  for (Cues cues = 0; cues < 5000; ++cues)
    ASSERT_EQ(sets.number_of(cues << (cues % 40)), sets.number_of(cues << (cues % 40)));
  for (Cues cues = 0; cues < 5000; ++cues)
    ASSERT_EQ(sets[sets.number_of(cues << (cues % 40))], cues << (cues % 40));
  sets.clear();
  EXPECT_EQ(sets.number_of(7), 1u);
}

// --- the model ---

TEST(Model, TakesTheArticle) {
  std::string html = "<title>On tea</title><nav><ul>";
  for (int i = 0; i < 12; ++i)
    html += "<li><a href=/" + std::to_string(i) + ">Page " + std::to_string(i) + "</a>";
  html += "</ul></nav><article><h1>On tea</h1>";
  for (int i = 0; i < 5; ++i)
    html +=
        "<p>Tea is drunk at every hour of the day, from small cups or from large ones, with milk, "
        "with sugar, or with "
        "nothing at all in it, which is number " +
        std::to_string(i) + " of the ways that are known.</p>";
  html +=
      "</article><footer class=footer><p>Copyright 2024, all rights reserved. <a "
      "href=/p>Privacy</a></footer>";
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  const std::vector<float> likely = likelihoods(page, "http://h/blog/on-tea");
  ASSERT_EQ(likely.size(), page.blocks.size());
  const std::vector<bool> chosen = choose_main(page, likely);
  EXPECT_FALSE(chosen.front());
  EXPECT_FALSE(chosen.back());
  EXPECT_EQ(count_words(page, chosen), 5u * 37 + 2);
}

TEST(Model, FeaturesAreFiniteAndFit) {
  PageReader reader;
  const Page& page = reader.read("<p>a<p>b c<nav>d</nav><table><tr><td>e</table>", "utf-8");
  const PageFeatures features(page, "http://h/");
  std::vector<float> row(kFeatureCount + 1, 12345.f);
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    features.row(i, row.data());
    for (std::size_t k = 0; k < kFeatureCount; ++k)
      EXPECT_TRUE(row[k] > -1e6f && row[k] < 1e6f && row[k] != 12345.f) << k;
    EXPECT_EQ(row[kFeatureCount], 12345.f);
  }
}

TEST(Model, SaidWordsAreSharedByPairs) {
  SaidWords said;
  const auto of = [&said](std::string_view text, SaidWords::Source source) {
    return said.shares_of(text)[source];
  };
  EXPECT_EQ(of("a light oil", SaidWords::kData), -1.f);
  said.add(SaidWords::kData, "A light oil, for the BEARD.");
  said.add(SaidWords::kTitle, "");
  EXPECT_EQ(of("the beard", SaidWords::kData), 1.f);
  EXPECT_EQ(of("The light oil", SaidWords::kData), 0.5f);
  EXPECT_EQ(of("beard the", SaidWords::kData), 0.f);
  EXPECT_EQ(of("oil", SaidWords::kData), 0.f);
  EXPECT_EQ(of("", SaidWords::kData), 0.f);
  EXPECT_EQ(of("the beard", SaidWords::kTitle), 0.f);
  EXPECT_EQ(of("the beard", SaidWords::kDescription), -1.f);
  said.add(SaidWords::kData, "for the hair");
  EXPECT_EQ(of("light oil for the hair", SaidWords::kData), 1.f);
}

// Two paragraphs of prose, beside them three cards with a heading above.
TEST(Model, RegionsOfPage) {
  PageReader reader;
  const Page& page = reader.read(
      "<main><p>one two</p><p>three</p></main><aside><h2>More</h2>"
      "<ul><li class=c><p>a</p><p>b</p></li><li class=c><p>c</p><p>d</p></li><li class=c><p>e</p>"
      "<p>f</p></li></ul></aside>",
      "utf-8");
  ASSERT_EQ(page.blocks.size(), 9u);
  std::vector<WordSums> sums(10);
  for (std::uint32_t i = 0; i < 9; ++i) {
    const std::uint32_t words = page.blocks[i].words;
    sums[i + 1] = {sums[i].words + words, 0, sums[i].prose + (i < 2 ? words : 0)};
  }
  std::vector<std::uint16_t> alike(page.nodes.size(), 1);
  for (std::uint32_t i = 0; i < page.nodes.size(); ++i) {
    if (page.nodes[i].element == html::Element::kLi) alike[i] = 3;
  }
  const Regions regions(page, sums, alike, {{2, 3}});
  EXPECT_EQ(page.nodes[regions.container()].element, html::Element::kMain);
  EXPECT_EQ(page.nodes[regions.branch_of(0)].parent, regions.container());
  EXPECT_EQ(page.nodes[regions.branch_of(5)].element, html::Element::kAside);
  EXPECT_EQ(regions.card_of(2), 0u);
  EXPECT_EQ(regions.card_of(3), regions.card_of(4));
  EXPECT_NE(regions.card_of(4), regions.card_of(5));
  EXPECT_EQ(regions.within(regions.branch_of(5)).words, 7u);
  float row[32];
  EXPECT_EQ(regions.add(6, row) - row, 22);
  EXPECT_EQ(row[0], 2.f);       // the branch comes after the prose
  EXPECT_EQ(row[6], log1(3));   // the number of cards
  EXPECT_EQ(row[11], log1(1));  // the card's second block
  EXPECT_EQ(row[14], log1(4));  // blocks since the heading
  EXPECT_EQ(row[15], 3.f);      // the kind of the heading
  EXPECT_EQ(row[21], log1(3));  // blocks to the end
  EXPECT_EQ(regions.add(0, row) - row, 22);
  EXPECT_EQ(row[6], -1.f);  // no card, and no heading before
  EXPECT_EQ(row[14], -1.f);
}

TEST(Model, TopicsOfSections) {
  const auto topic = [](Topic of) { return 1u << static_cast<unsigned>(of); };
  EXPECT_EQ(topics_of("FAQs"), topic(Topic::kQuestions));
  EXPECT_EQ(topics_of("Product details"), topic(Topic::kDetails));
  EXPECT_EQ(topics_of("Delivery & returns"), topic(Topic::kSupport));
  EXPECT_EQ(topics_of("A beard"), 0u);
}

// Compares rows one by one with eight at once.
TEST(Model, RowsAtOnceAsOneByOne) {
  std::vector<float> rows(Model::kRows * Model::kRow);
  float likely[Model::kRows];
  std::uint32_t random = 1;
  for (int round = 0; round < 200; ++round) {
    for (float& value : rows) {
      random = random * 1664525u + 1013904223u;
      value = static_cast<float>(random >> 24) / static_cast<float>(1u << (random >> 8 & 7));
    }
    for (const Model* const model : {&kMainModel, &kTitleModel}) {
      model->likelihoods(rows.data(), likely);
      for (std::size_t row = 0; row < Model::kRows; ++row)
        ASSERT_EQ(likely[row], model->likelihood(&rows[row * Model::kRow]));
    }
  }
}

TEST(Model, SignsAsTheSlowTwin) {
  const std::string text =
      "A b,C;9 Dd  E\tF 77; Gg,\xC3\x84 Z 1A ZZ a;b,c 0 " + std::string(40, 'Q') + " R";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t size = 0; begin + size <= text.size(); ++size) {
      const auto part = std::string_view(text).substr(begin, size);
      ASSERT_EQ(signs_of(part), signs_of_slow(part)) << part;
    }
  }
}

TEST(Model, NothingOfNothing) {
  PageReader reader;
  const Page& page = reader.read("", "");
  EXPECT_TRUE(choose_main(page, likelihoods(page, "")).empty());
}

// On a page with very many blocks not all of those that are alike are classified; a block that
// differs is.
TEST(Model, RowsOfVeryManyBlocks) {
  std::string html;
  for (int i = 0; i < 30000; ++i)
    html += i == 15003 ? "<p>one that is not as others are, you see" : "<p>x";
  PageReader reader;
  const Page& page = reader.read(html, "utf-8");
  const std::vector<float> all = likelihoods(page, "");
  ASSERT_EQ(all.size(), 30000u);
  const PageFeatures features(page, "");
  std::vector<float> row(kFeatureCount);
  for (const std::size_t i : {0u, 32u, 14976u, 15003u, 15004u, 15036u}) {
    features.row(i, row.data());
    EXPECT_NEAR(all[i], kMainModel.likelihood(row.data()), 1e-6) << i;
  }
  EXPECT_EQ(all[15005], all[15004]);
}

// --- forms ---

TEST(Markdown, Forms) {
  EXPECT_EQ(markdown("<h2>a</h2><p>b <b>c</b> <i>d</i> <code>e</code>"), "## a\n\nb **c** *d* `e`");
  EXPECT_EQ(markdown("<ul><li>a<li>b</ul><ol><li>c</ol>"), "- a\n- b\n\n1. c");
  EXPECT_EQ(markdown("<p><a href='/x'>y</a> z"), "[y](/x) z");
  EXPECT_EQ(markdown("<pre>a\n b</pre>"), "```\na\n b\n```");
  EXPECT_EQ(markdown("<blockquote>a</blockquote>"), "> a");
  EXPECT_EQ(markdown("<table><tr><th>a<th>b<tr><td>c<td>d</table>"),
            "| a | b |\n| --- | --- |\n| c | d |");
  EXPECT_EQ(markdown("<h2>a<br>b</h2>c<br>d<br><br>e"), "## a b\n\nc  \nd\n\ne");
  EXPECT_EQ(markdown("<p>a <img alt='b]' src='c d'> e"), "a ![b\\]](c%20d) e");
  EXPECT_EQ(markdown("<p>a<p><img alt='b c' src=d><p>e"), "a\n\n![b c](d)\n\ne");
}

TEST(Markdown, BugAListWithinAListStoodBesideIt) {
  EXPECT_EQ(markdown("<ol><li>a<li>b<ul><li>c<li>d</ul>e<li>f</ol>"),
            "1. a\n2. b\n   - c\n   - d\n\n   e\n3. f");
  EXPECT_EQ(markdown("<ul><li><p>a<p>b<li>c</ul>"), "- a\n\n  b\n- c");
  EXPECT_EQ(markdown("<blockquote>a<p>b<ul><li>c</ul></blockquote><blockquote>d</blockquote>"),
            "> a\n>\n> b\n>\n> - c\n\n> d");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<ul><li>x";
  EXPECT_LT(markdown(deep).size(), 300000u);
}

TEST(Markdown, BugCodeEndedAtItsOwnFenceAndLeftItsItem) {
  EXPECT_EQ(markdown("<pre>```\nx</pre>"), "````\n```\nx\n````");
  EXPECT_EQ(markdown("<ul><li>a<pre>b\nc</pre></ul>"), "- a\n\n  ```\n  b\n  c\n  ```");
  EXPECT_EQ(markdown("<p><code>a`b</code>"), "`` a`b ``");
}

TEST(Markdown, BugCellsMovedAndTablesForLayoutWereTables) {
  EXPECT_EQ(markdown("<table><tr><th>a<th><th>b<tr><td><td>1|2<br>3<tr><td>c</table>"),
            "| a | | b |\n| --- | --- | --- |\n| | 1\\|2 3 |\n| c |");
  EXPECT_EQ(markdown("<table><tr><td>a<tr><td>b<td>c</table>"),
            "| a | |\n| --- | --- |\n| b | c |");
  EXPECT_EQ(markdown("<table><tr><td>a<tr><td>b</table>"), "a\n\nb");
  EXPECT_EQ(markdown("<table><tr><td>a<td><h2>b</h2></table>"), "a\n\n## b");
  EXPECT_EQ(markdown("<table><tr><td>a<td><pre>b\nc</pre></table>"), "a\n\n```\nb\nc\n```");
  EXPECT_EQ(markdown("<ul><li><table><tr><td>a<td>b</table><li>c</ul>"),
            "- | a | b |\n  | --- | --- |\n- c");
}

TEST(Markdown, BugALinkOrEmphasisThatNamesAnAuthorWasNone) {
  EXPECT_EQ(markdown("<p>By <a class=author href=/a>Ann</a>, <a rel=author href=/b>Bo</a>"),
            "By [Ann](/a), [Bo](/b)");
  EXPECT_EQ(
      markdown("<p><strong class=byline>a</strong> <time datetime=2024-01-02><b>b</b></time>"),
      "**a** **b**");
  EXPECT_EQ(rendered("<p>By <a class=author href=/a>Ann</a>", {Format::kWeighted, false, false}),
            "anchor: Ann\nbody: By Ann");
}

TEST(Markdown, BugALinkEndedAtItsOwnText) {
  EXPECT_EQ(markdown("<p><a href='/a b)c(d'>t]x[</a> <a href=/q><b>r</b></a>"),
            "[t\\]x\\[](/a%20b%29c%28d) [**r**](/q)");
  PageReader reader;
  const Page& page =
      reader.read("<base href=/b/><base href=/c/><a href=d>e</a> <a href=f>g</a>", "");
  EXPECT_EQ(page.base, "/b/");
  Rendering how{Format::kMarkdown, true, true};
  how.address = [](std::string_view address) {
    return address == "f" ? std::string() : "http://h/" + std::string(address);
  };
  EXPECT_EQ(render(page, std::vector<bool>(page.blocks.size(), true), how), "[e](http://h/d) g");
}

TEST(Weighted, ClassesInOrder) {
  EXPECT_EQ(
      rendered("<title>t</title><h1>a</h1><h3>b</h3><p>c <em>d</em> <a href=x>e</a><img alt=f>",
               {Format::kWeighted, false, false}),
      "title: t\nh1: a\nh3: b\nemphasis: d\nanchor: e\nalt: f\nbody: c d e");
}

TEST(Weighted, BugALinkOverSeveralBlocksWasNoAnchor) {
  EXPECT_EQ(rendered("<a href=1><div>card <i>one</i><img alt=pic></div><div>more</div></a>"
                     "<b><p>two <em>three</em></p><p>four</p></b><p>tail <em>five</em>",
                     {Format::kWeighted, false, false}),
            "emphasis: one two three four five\nanchor: card one more\nalt: pic\n"
            "body: card one more two three four tail five");
}

TEST(Weighted, BugNestedEmphasisWasSaidOnceALevel) {
  for (const std::string_view part :
       {"<em>x<strong>y", "<b><p>x", "<b><i><div>x</b>", "<a href=1><div>x"}) {
    std::string page;
    for (int i = 0; i < 20000; ++i) page += part;
    EXPECT_LT(rendered(page, {Format::kWeighted, false, false}).size(), 400000u) << part;
  }
}

// --- language ---

TEST(Language, Guess) {
  EXPECT_EQ(guess_language("The tea that is drunk in the morning is not the tea of the evening, "
                           "and it was so for long"),
            "en");
  EXPECT_EQ(guess_language("Der Tee ist das zweite Getränk der Welt und wird von vielen Menschen "
                           "auch mit Milch getrunken"),
            "de");
  EXPECT_EQ(guess_language("Le thé est la boisson la plus consommée dans le monde après l'eau, et "
                           "il est bu par tous les gens"),
            "fr");
  EXPECT_EQ(guess_language("Чай это напиток, который пьют во всём мире, и он не так прост, как "
                           "кажется на первый взгляд"),
            "ru");
  EXPECT_EQ(guess_language("お茶は世界中で飲まれている飲み物で、水の次に多く飲まれています。"),
            "ja");
  EXPECT_EQ(guess_language(
                "茶是世界上第二大饮料，仅次于水，许多人每天都喝茶。茶是世界上第二大饮料，仅次于水"),
            "zh");
  EXPECT_EQ(guess_language("12345"), "");
}

}  // namespace
}  // namespace spinneret::text
