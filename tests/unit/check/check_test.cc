// SPDX-License-Identifier: Apache-2.0
// The targets of fragments, strings by number, patterns against their slow twin, and rare cases of
// the book.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check/book.h"
#include "check/files.h"
#include "check/fix.h"
#include "check/folder.h"
#include "check/fragment.h"
#include "check/ignore.h"
#include "check/ordered_work.h"
#include "check/source.h"
#include "check/strings.h"

namespace spinneret::check {
namespace {

Indicated part(std::string_view fragment, const std::set<std::string, std::less<>>& ids) {
  return indicated_part(fragment, [&ids](std::string_view id) { return ids.count(id) != 0; });
}

// HTML, 7.4.6.3, in its order.
TEST(Fragment, IndicatedPart) {
  const std::set<std::string, std::less<>> ids = {"a",  "a%20b", "c d", "user-content-gh",
                                                  "L5", "é"};
  EXPECT_EQ(part("", ids), Indicated::kTop);
  EXPECT_EQ(part("a", ids), Indicated::kElement);
  EXPECT_EQ(part("A", ids), Indicated::kNothing);
  EXPECT_EQ(part("a%20b", ids), Indicated::kElement);  // an exact match comes first
  EXPECT_EQ(part("c%20d", ids), Indicated::kElement);
  EXPECT_EQ(part("%C3%A9", ids), Indicated::kElement);
  EXPECT_EQ(part("top", ids), Indicated::kTop);
  EXPECT_EQ(part("t%6Fp", ids), Indicated::kTop);
  EXPECT_EQ(part("TOP", ids), Indicated::kTop);
  EXPECT_EQ(part("gh", ids), Indicated::kElement);
  EXPECT_EQ(part(":~:text=x", ids), Indicated::kTop);
  EXPECT_EQ(part("a:~:text=x", ids), Indicated::kElement);
  EXPECT_EQ(part("b:~:text=x", ids), Indicated::kNothing);
  EXPECT_EQ(part("top2", ids), Indicated::kNothing);
  EXPECT_EQ(part("svgView(viewBox(0,0,9,9))", ids), Indicated::kTop);
  EXPECT_EQ(part("xywh=0,0,9,9", ids), Indicated::kTop);
}

TEST(Fragment, ForScripts) {
  for (const char* const fragment :
       {"/", "/a/b", "!", "!a", "L1", "L10-L20", "L10-20", "L1C2-L3C4"})
    EXPECT_EQ(part(fragment, {}), Indicated::kUnknown) << fragment;
  for (const char* const fragment : {"L", "Lx", "L1x", "L1-", "L1-Lx", "l1", "1", "L1C", "a/b"})
    EXPECT_EQ(part(fragment, {}), Indicated::kNothing) << fragment;
  EXPECT_EQ(part("L5", {"L5"}), Indicated::kElement);
}

TEST(StringTable, KeepsEachOnce) {
  StringTable table;
  EXPECT_EQ(table.find("x"), StringTable::kNone);
  for (int round = 0; round != 2; ++round) {
    for (std::uint32_t i = 0; i != 5000; ++i)
      ASSERT_EQ(table.intern(std::string(i % 70, 'x') + std::to_string(i)), i);
  }
  const std::string large(200'000, 'y');
  EXPECT_EQ(table.view(table.intern(large)), large);
  EXPECT_EQ(table.view(table.intern("")), "");
  EXPECT_EQ(table.view(69), std::string(69, 'x') + "69");
}

bool slow_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return slow_glob(pattern.substr(1), text) ||
           (!text.empty() && slow_glob(pattern, text.substr(1)));
  return !text.empty() && pattern[0] == text[0] && slow_glob(pattern.substr(1), text.substr(1));
}

// Compares every pattern of up to 5 of "ab*" over every text of up to 5 of "ab".
TEST(Glob, AsItsSlowTwin) {
  std::vector<std::string> patterns = {""};
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < patterns.size(); ++i)
    for (const char c : {'a', 'b', '*'})
      if (patterns[i].size() < 5) patterns.push_back(patterns[i] + c);
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (const char c : {'a', 'b'})
      if (texts[i].size() < 5) texts.push_back(texts[i] + c);
  for (const std::string& pattern : patterns)
    for (const std::string& text : texts)
      ASSERT_EQ(matches_glob(pattern, text), slow_glob(pattern, text)) << pattern << " " << text;
}

// Writes "OFFSET:URL" of each link, and the names.
std::string links_of(SourceKind kind, const std::string& text) {
  SourceText source;
  read_source(kind, text, source);
  std::string out;
  for (const SourceLink& link : source.links())
    out += std::to_string(link.offset) + ":" + std::string(link.value) + " ";
  for (const char c : source.ids()) out += c == '\0' ? '|' : c;
  EXPECT_TRUE(source.html().empty() || source.html().size() == text.size());
  return out;
}
struct MarkdownCase {
  const char* text;
  const char* found;
};
void expect_markdown(std::initializer_list<MarkdownCase> cases) {
  for (const MarkdownCase& each : cases)
    EXPECT_EQ(links_of(SourceKind::kMarkdown, each.text), each.found) << each.text;
}

// CommonMark 0.31 in its order: blocks, then inlines.
TEST(Markdown, Blocks) {
  expect_markdown({
      {"---\nx: [a](b)\n---\n[a](b)", "22:b "},
      {"    [a](b)\n", ""},
      {"x\n    [a](b)\n", "10:b "},
      {"```\n[a](b)\n````\n[c](d)", "20:d "},
      {"~~~ x\n```\n[a](b)\n", ""},
      {"> ```\n> [a](b)\n[c](d)", "19:d "},
      {"- a\n\n  [c](d)\n\n      [e](f)\n", "11:d "},
      {"- a\n\n      [e](f)\n\n[c](d)\n", "23:d "},
      {"> [a](\n> b)\n", "9:b "},
      {"<div>\n[a](b)\n\n[c](d)", "18:d "},
      {"1. <div>\n[a](b)\n", "13:b "},
      {"x\n<b>\n[a](b)\n", "10:b "},
      {"[a]: b 'c'\n[d]:\n  <e f>\n[^n]: [g](h)\n", "5:b 19:e f 34:h "},
      {"x\n[a]: b\n", ""},
      {"[a]: b c\n", ""},
  });
}

TEST(Markdown, Inlines) {
  expect_markdown({
      {"`[a](b)` ``[`](c)`` `[d](e)", "25:e "},
      {"[![a](b)](c) [d [e](f)](g)", "6:b 10:c 20:f "},
      {"[a](<b c> \"d\") [a](b(c)d) [a](b c) [a]() [a](b 'c' d)", "5:b c 19:b(c)d 39: "},
      {"<https://a> <b@c> <https://a b> <a href=\"[x](y)\">", "1:https://a 19:https://a "},
      {"(https://a/b_(c)). xhttp://d [http://e](f) http://g/*",
       "1:https://a/b_(c) 40:f 43:http://g/ "},
      {"[a]({{ b }}) [a]({{b}}/c) [a]({%b%})", ""},
      {"[a](b", ""},
      {"\\[a](b) [c\\](d)](e) [f](g\\)h&amp;i)", "17:e 24:g)h&i "},
  });
}

// Names headings as github.com does; the table is from its own renderings.
TEST(Markdown, HeadingNames) {
  expect_markdown({
      {"# A b!\n## a-B\n### A B\n", "a-b|a-b-1|a-b-2|"},
      {"# `x_y` __init__ *em* a_b #\n", "x_y-init-em-a_b|"},
      {"# \xC3\x84\xC3\x96 \xE2\x80\x94 \xE6\x97\xA5\n", "\xC3\xA4\xC3\xB6--\xE6\x97\xA5|"},
      {"A\nb\n===\n", "ab|"},
      {"# A {#own}\n", "own|a|a-own|"},
      {"#a\n####### b\n", ""},
      {"# [t](u) ![i](v) <b>w</b> &amp; x\n", "6:u 14:v t--w--x|"},
  });
  EXPECT_EQ(heading_slug("A  b: c/d"), "a--b-cd");
}

TEST(Markup, Subsets) {
  EXPECT_EQ(
      links_of(SourceKind::kRst, "A b\n===\n`x <y>`_ ``http://a`` http://b.\n.. _c: d\n.. _e:\n"),
      "12:y 30:http://b 47:d a-b|e|e|");
  EXPECT_EQ(links_of(SourceKind::kRst, "x::\n\n  `a <b>`_\n\n.. image:: c\n"), "28:c ");
  EXPECT_EQ(links_of(SourceKind::kAsciidoc,
                     "== A b\nlink:c[d] <<e>> xref:f.adoc#g[] {h}/i\n----\nlink:j[]\n----\n"),
            "12:c 19:#e 28:f.adoc#g _a_b|");
  EXPECT_EQ(links_of(SourceKind::kText, "<http://a>, http://b; (http://c)"),
            "1:http://a 12:http://b 23:http://c ");
}

// Every document of up to 6 of these parts must be read to its end, and each offset must be where
// its URL is written.
TEST(Markdown, OffsetsOfSmallDocuments) {
  const std::vector<std::string> parts = {"[",  "](u)", "!",   "`",  "\n",
                                          "> ", "- ",   "<b>", "# ", "\\"};
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    SourceText source;
    read_markdown(texts[i], source);
    for (const SourceLink& link : source.links())
      ASSERT_EQ(texts[i].substr(link.offset, link.value.size()), link.value) << texts[i];
    if (texts.size() < 40'000)
      for (const std::string& part : parts) texts.push_back(texts[i] + part);
  }
}

TEST(InlineIgnore, LinesAndRanges) {
  const std::string text =
      "a <!-- link-check ignore: x --> b\nc\n<!-- link-check ignore: y -->\nd\ne\n"
      "<!-- link-check off: z -->\nf\n<!-- link-check on -->\ng <!-- link-check ignore -->";
  InlineIgnore rules;
  rules.begin(text);
  std::string covered;
  for (std::size_t i = 0; i != text.size(); ++i)
    if (text[i] != '\n' && (i == 0 || text[i - 1] == '\n') && rules.covers(i)) covered += text[i];
  EXPECT_EQ(covered, "a<d<f");
  ASSERT_EQ(rules.remarks().size(), 1u);
  EXPECT_EQ(rules.remarks()[0].offset, text.rfind("<!--"));
}

TEST(Fix, OnlyWhatIsExactlyTheUrl) {
  const auto fixed = [](std::string_view text, std::string_view tag, std::string_view to) {
    Finding finding;
    finding.verdict = Verdict::kMoved;
    finding.target = "https://h/a#f";
    finding.tag = tag;
    finding.line = 1;
    finding.column = 1;
    finding.location = to;
    const auto edit = fix_of(finding, text, line_begins(text));
    return edit ? std::string(text).replace(edit->offset, edit->size, edit->text) : "-";
  };
  EXPECT_EQ(fixed("<a x=y HREF = 'https://h/a#f' b>", "a@href", "https://n/?a&b"),
            "<a x=y HREF = 'https://n/?a&amp;b#f' b>");
  EXPECT_EQ(fixed("<a href=https://h/a#f>", "a@href", "https://n/"), "<a href=https://n/#f>");
  EXPECT_EQ(fixed("<a href=https://h/a#f>", "a@href", "https://n/?a=b"),
            "-");  // a value without quotes cannot hold it
  EXPECT_EQ(fixed("<a title=\"https://h/a#f\" href=a>", "a@href", "https://n/"), "-");
  EXPECT_EQ(fixed("<a href=\"https://h/a#fx\">", "a@href", "https://n/"), "-");
  // It would give up https.
  EXPECT_EQ(fixed("<a href=\"https://h/a#f\">", "a@href", "http://n/"), "-");
  EXPECT_EQ(fixed("<a href=\"https://h/a#f\">", "a@href", "javascript:x"), "-");
  EXPECT_EQ(fixed("https://h/a#f)", "md@link", "https://n/#g"), "https://n/#g)");
  EXPECT_EQ(fixed("https://h/a#fg)", "md@link", "https://n/"), "-");
  EXPECT_EQ(fixed("https://h/a#f)", "md@link", "https://n/(b)"), "-");
  EXPECT_EQ(fixed("<a href='https://h/a#f", "a@href", "https://n/"), "-");
}

std::string verdicts(const LinkBook& book) {
  std::string out;
  book.judge([&out](const Finding& finding) {
    out.append(finding.target).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  return out;
}

SettledPage page(std::string_view url, Outcome outcome, unsigned status) {
  SettledPage out;
  out.url = url;
  out.outcome = outcome;
  out.status = status;
  return out;
}

TEST(LinkBook, SpellingsOfOnePage) {
  LinkBook book;
  for (const char* const target :
       {"http://h/%7ea", "http://h/~a", "HTTP://H:80/%7Ea", "http://h/%c3%a9"})
    EXPECT_TRUE(book.add_link({.page = "http://h/", .target = target, .tag = "a@href"}));
  EXPECT_FALSE(book.add_link({.page = "http://h/", .target = "mailto:a@b", .tag = "a@href"}));
  EXPECT_TRUE(book.settle(page("http://h/~a", Outcome::kOk, 200)));
  EXPECT_TRUE(book.settle(page("http://h/%C3%A9", Outcome::kGone, 410)));
  EXPECT_EQ(verdicts(book),
            "http://h/~a ok\nhttp://h/~a ok\nhttp://h/~a ok\nhttp://h/%C3%A9 dead\n");
}

TEST(LinkBook, WhatNobodyAskedFor) {
  LinkBook book;
  book.add_link({.page = "http://h/d/", .target = "http://h/d/x", .tag = ""});
  book.add_link({.page = "http://h/d/", .target = "http://h/x", .tag = ""});
  EXPECT_EQ(verdicts(book), "http://h/d/x not-checkable\nhttp://h/x not-checkable\n");
  book.set_site("http://h/d/");
  EXPECT_EQ(verdicts(book), "http://h/d/x dead\nhttp://h/x not-checkable\n");
}

// Bug: a fragment of few letters was found by an id of a page that was read before.
TEST(LinkBook, IdsOfOtherPages) {
  LinkBook book;
  for (int i = 0; i != 600; ++i) {
    const std::string url = "http://h/" + std::to_string(i);
    for (const char* const id : {"#id", "#ab", "#z", "#abcd", "#abcdefghi"})
      book.add_link({.page = url, .target = url + id, .tag = ""});
    SettledPage settled = page(url, Outcome::kOk, 200);
    const std::string ids = "id" + std::to_string(i) + " ac ie ib bb y abce abcdefghj";
    settled.has_ids = true;
    settled.ids = ids;
    book.settle(settled);
  }
  int ok = 0;
  book.judge([&ok](const Finding& finding) { ok += finding.verdict == Verdict::kOk; });
  EXPECT_EQ(ok, 0);
}

TEST(LinkBook, MoreTagsThanANumberHolds) {
  LinkBook book;
  for (int i = 0; i != 300; ++i) {
    const std::string tag = "x" + std::to_string(i);
    book.add_link({.page = "http://h/", .target = "http://h/x", .tag = tag, .column = 1u << 30});
  }
  std::vector<std::string> tags;
  book.judge([&tags](const Finding& finding) { tags.emplace_back(finding.tag); });
  EXPECT_EQ(tags[0], "x0");
  EXPECT_EQ(tags[254], "x254");
  EXPECT_EQ(tags[255], "");
}

// Returns what is said of a folder, and of what is below it, by so many threads.
std::string told_by(std::size_t threads, const std::string& root) {
  std::string out;
  LinkBook book;
  PageFiles files({.base = "http://h/", .root = root, .threads = threads}, book,
                  [&out](const std::string& what, bool) { out.append(what).append("\n"); });
  EXPECT_TRUE(files.read_folder(root).ok());
  files.look_up();
  book.judge([&out](const Finding& finding) {
    out.append(finding.place()).append(" ").append(finding.target).append(" ");
    out.append(finding.tag).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  return out;
}

// The folder has small files and large ones, of every kind, with links to each other, comments that
// are reported, and one file that cannot be read.
TEST(PageFiles, AsItsSlowTwinOfOneThread) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("check_test." + std::to_string(::getpid()));
  std::mt19937 random(1);
  for (int i = 0; i != 400; ++i) {
    const std::filesystem::path folder = root / std::to_string(i % 7);
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / (std::to_string(i) + (i % 5 == 0 ? ".md" : ".html")));
    const std::uint64_t links = i % 50 == 49 ? 20'000 : random() % 100;
    for (std::uint64_t link = 0; link != links; ++link) {
      const std::string to = "../" + std::to_string(random() % 9) + "/" +
                             std::to_string(random() % 450) + ".html#i" + std::to_string(link % 9);
      file << (i % 5 == 0 ? "[x](" + to + ")\n\n"
                          : "<p id=i" + std::to_string(link) + "><a href=" + to + ">\n");
    }
    if (i % 40 == 0) file << "<!-- link-check ignore: nothing -->\n";
  }
  std::filesystem::create_symlink("nowhere", root / "3" / "gone");
  std::filesystem::create_symlink("/", root / "4" / "out");
  const std::string slow = told_by(1, root);
  EXPECT_EQ(told_by(2, root), slow);
  EXPECT_EQ(told_by(5, root), slow);
  EXPECT_NE(slow.find("there is no link that this ignores"), std::string::npos);
  EXPECT_GT(std::count(slow.begin(), slow.end(), '\n'), 150'000);
  std::filesystem::remove_all(root);
}

TEST(OrderedWork, InOrderWhateverTheThreads) {
  struct Task {
    int number = 0;
    int done_by = -1;
  };
  for (const std::size_t workers : {0u, 1u, 4u}) {
    int expected = 0;
    int late = 0;
    OrderedWork<Task> tasks(
        workers, [](std::size_t worker, Task& task) { task.done_by = static_cast<int>(worker); },
        [&](Task& task, bool is_done) {
          ASSERT_EQ(task.number, expected++);
          late += !is_done;
          ASSERT_EQ(task.done_by >= 0, is_done && task.number % 3 != 0) << task.number;
        });
    for (int i = 0; i != 20'000; ++i) {
      tasks.begin() = Task{i};
      tasks.commit(i % 3 != 0, i % 100 == 1 ? OrderedWork<Task>::kMaxSize + 1 : 5000);
    }
    tasks.finish();
    EXPECT_EQ(expected, 20'000);
    EXPECT_GE(late, 1);
  }
}

TEST(OrderedWork, ThrowsWhereTheTaskWouldBeTaken) {
  struct Task {
    int number = 0;
  };
  int taken = 0;
  OrderedWork<Task> tasks(
      2,
      [](std::size_t, Task& task) {
        if (task.number == 700) throw std::bad_alloc();
      },
      [&taken](Task&, bool) { ++taken; });
  const auto run = [&tasks] {
    for (int i = 0; i != 2000; ++i) {
      tasks.begin() = Task{i};
      tasks.commit(true, 1000);
    }
    tasks.finish();
  };
  EXPECT_THROW(run(), std::bad_alloc);
  EXPECT_EQ(taken, 700);
}

TEST(Folder, TypesByName) {
  EXPECT_EQ(type_of_name("a.HTML"), "text/html");
  EXPECT_EQ(type_of_name("a.tar.gz"), "application/gzip");
  EXPECT_EQ(type_of_name("Makefile"), "");
  EXPECT_EQ(type_of_name("a."), "");
}

}  // namespace
}  // namespace spinneret::check
