// SPDX-License-Identifier: Apache-2.0
// What a TreeObserver gets: the elements of a page as the standard would make them.
#include "html/tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spinneret::html {
namespace {

// Writes "name(" where an element opens and ")" where it closes, and "name" for elements without
// content. * marks an implied element, = a copy, ^ a fostered one, ! one that the adoption agency
// or a form's end took from the middle.
class Scribe : public TreeObserver {
 public:
  explicit Scribe(const Tree& tree) : tree_(tree) {}
  std::uint32_t made(const MadeElement& element) override {
    separate();
    if (element.fostered) out += '^';
    if (element.original != 0) {
      out += '=';
    } else if (element.token == nullptr) {
      out += '*';
    }
    out += element.name < kElementCount ? element_name(static_cast<Element>(element.name)) : "?";
    if (element.open) out += '(';
    return ++number_;
  }
  void closed(std::size_t index) override { out += index + 1 < tree_.open().size() ? "!" : ")"; }
  void text(std::string_view words) {
    separate();
    if (tree_.fosters()) out += '^';
    out += words;
  }
  std::string out;

 private:
  void separate() {
    if (!out.empty() && out.back() != '(') out += ' ';
  }
  const Tree& tree_;
  std::uint32_t number_ = 0;
};

std::string told(std::string_view page) {
  Tree tree;
  Scribe scribe(tree);
  tree.set_observer(&scribe);
  Tokenizer tokenizer;
  Tokenizer::Wanted all;
  all.fill(true);
  tokenizer.set_wanted(all);
  tokenizer.set_input(page, true);
  for (Token token; tokenizer.next(token) != TokenType::kEnd;) {
    if (token.type == TokenType::kStartTag) {
      const Placement place = tree.start_tag(token);
      if (place.text != TextMode::kData)
        tokenizer.set_text_mode(place.text, element_name(place.element));
    } else if (token.type == TokenType::kEndTag) {
      tree.end_tag(token);
    } else if (token.type == TokenType::kText) {
      tree.text(token);
      if (!token.text.empty() && tree.in_body()) scribe.text(token.text);
    }
    tokenizer.set_foreign(tree.in_foreign());
  }
  tree.reset();
  std::string out = scribe.out;
  const std::string_view start = "*html(*head() *body(";
  return out.starts_with(start) ? out.substr(start.size(), out.size() - start.size() - 2) : out;
}

TEST(TreeObserver, ElementsOpenAndClose) {
  EXPECT_EQ(told("<html><head><title>t</title></head><body><p>x"), "html(head(title) body(p(x)))");
  EXPECT_EQ(told("<p>x<p>y<br><img></p>"), "p(x) p(y br img)");
  EXPECT_EQ(told("<ul><li>x<li>y</ul>z"), "ul(li(x) li(y)) z");
  EXPECT_EQ(told("<div><svg><path/><g>x</g></svg></div>"), "div(svg(? ?(x)))");
}

TEST(TreeObserver, FormattingIsCopied) {
  EXPECT_EQ(told("<p><b>x<p>y"), "p(b(x)) p(=b(y))");
  EXPECT_EQ(told("<b>1<div>2</b>3</div>4"), "b(1 div(2! 3) 4");
}

TEST(TreeObserver, TablesImplyAndFoster) {
  EXPECT_EQ(told("<table><td>x</table>"), "table(*tbody(*tr(td(x))))");
  EXPECT_EQ(told("<table>x<b>y</b><tr><td>z"), "table(^x ^b(y) *tbody(tr(td(z))))");
  EXPECT_EQ(told("<table><input type=hidden><input><form></table>"), "table(input ^input form)");
}

TEST(TreeObserver, SelectHoldsWhatItIsGiven) {
  EXPECT_EQ(told("<select><option>a<option><b>c</b></select>d"),
            "select(option(a) option(b(c))) d");
  EXPECT_EQ(told("<select><optgroup><option>a<optgroup>b<hr>c</select>"),
            "select(optgroup(option(a)) optgroup(b) hr c)");
  EXPECT_EQ(told("<select><div><select>x"), "select(div()) x");
  EXPECT_EQ(told("<select><p><input>x"), "select(p()) input x");
  EXPECT_EQ(told("<div><select></div><option>x"), "div(select(option(x)))");
  EXPECT_EQ(told("<option><p>1<option>2"), "option(p(1 option(2)))");
}

}  // namespace
}  // namespace spinneret::html
