// SPDX-License-Identifier: Apache-2.0
// Rules of items: what a line may be, for which pages they are, and to which item a value belongs.
#include "select/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "select/items.h"
#include "url/parse.h"

namespace spinneret::select {
namespace {

std::string joined(const std::vector<policy::Problem>& problems) {
  std::string out;
  for (const policy::Problem& each : problems)
    out += each.place.to_string() + ": " + each.message + "\n";
  return out;
}

std::string problems_of(std::string_view text) {
  ItemRules rules;
  rules.add_text(text, "f");
  rules.finish();
  return joined(rules.problems());
}

TEST(ItemRules, AMistakeIsNamedWithItsLine) {
  EXPECT_EQ(
      problems_of("# a\n\n  each li\r\nfield a b@c\nfield d @e\nfield g :scope\n[*]\npath *\n"),
      "");
  const struct {
    const char* text;
    const char* problem;
  } cases[] = {
      {"each", "f:1: \"each\" lacks what should follow it\n"},
      {"\n\ntype \t", "f:3: \"type\" lacks what should follow it\n"},
      {"each li\nfield",
       "f:2: name \"\" of a field is not of a-z, 0-9, '.' and '-', a letter first\n"},
      {"field a", "f:1: field a lacks a selector\n"},
      {"field a b@", "f:1: field a: \"@\" without the name of an attribute\n"},
      {"field A b", "f:1: name \"A\" of a field is not of a-z, 0-9, '.' and '-', a letter first\n"},
      {"field a=b c",
       "f:1: name \"a=b\" of a field is not of a-z, 0-9, '.' and '-', a letter first: write "
       "\"field a b\"\n"},
      {"field url a", "f:1: a field of an item cannot be named url: that is ours\n"},
      {"field outcome a", "f:1: a field of an item cannot be named outcome: that is ours\n"},
      {"name h1",
       "f:1: unknown directive \"name\": a line begins with each, type, field (field NAME "
       "SELECTOR), "
       "path, [ or #\n"},
  };
  for (const auto& each : cases) EXPECT_EQ(problems_of(each.text), each.problem) << each.text;
  // Other parsers report these in their own words.
  for (const char* const text : {"each p[", "field a b >", "path ^(", "[a", "[http://a/]"}) {
    const std::string problem = problems_of(text);
    EXPECT_TRUE(problem.starts_with("f:1: ")) << text << ": " << problem;
  }
  EXPECT_EQ(problems_of("each \x1B[2J").find('\x1B'), std::string::npos);
}

TEST(ItemRules, WhatIsOddIsRemarked) {
  ItemRules rules;
  rules.add_text("each li\neach p\nfield a b\nfield a b\nfield a b@c\n", "f");
  rules.finish();
  EXPECT_EQ(joined(rules.problems()), "");
  EXPECT_EQ(joined(rules.remarks()),
            "f:1: a rule without fields finds nothing\nf:4: the same field is in line 3\n");
}

TEST(ItemRules, OneOfACommandLine) {
  ItemRules rules;
  rules.add_field("a=b[c='@']@D", {"--field", 1});
  rules.add_field("no equals", {"--field", 2});
  ASSERT_EQ(rules.rules().size(), 1U);
  EXPECT_EQ(rules.rules()[0].fields[0].selector, "b[c='@']");
  EXPECT_EQ(rules.rules()[0].fields[0].attribute, "d");
  EXPECT_EQ(joined(rules.problems()), "--field:2: \"no equals\" is not NAME=SELECTOR[@ATTR]\n");
}

TEST(SplitAttribute, AtTheLastMarkOutsideOfStringsAndBrackets) {
  const struct {
    std::string_view value, selector, attribute;
  } cases[] = {{"a@b", "a", "b"},
               {"a", "a", ""},
               {"@b", "", "b"},
               {"a @ b", "a", "b"},
               {"a@b@c", "a@b", "c"},
               {"a[x='@']@b", "a[x='@']", "b"},
               {"a[x=@]", "a[x=@]", ""},
               {"a:has(b@c)", "a:has(b@c)", ""},
               {"a\\@b", "a\\@b", ""},
               {"a'@", "a'@", ""},
               {"a]@b", "a]", "b"},
               {"", "", ""},
               {"@", "", ""},
               {"a\"\\\"@\"@b", "a\"\\\"@\"", "b"},
               {"a\\", "a\\", ""}};
  for (const auto& each : cases) {
    std::string_view selector, attribute;
    split_attribute(each.value, selector, attribute);
    EXPECT_EQ(selector, each.selector) << each.value;
    EXPECT_EQ(attribute, each.attribute) << each.value;
  }
}

TEST(ItemRules, ForWhichPages) {
  ItemRules rules;
  rules.add_text(
      "field a b\n"
      "[shop.example .other.example]\nfield a b\n"
      "path ^/c/\nfield a b\n"
      "[*]\npath ^/c/\nfield a b\n"
      "path *\nfield a b\n",
      "f");
  rules.finish();
  ASSERT_EQ(joined(rules.problems()), "");
  const auto found = [&rules](std::string_view text) {
    Url url;
    EXPECT_TRUE(parse(text, url));
    std::vector<std::uint32_t> numbers;
    rules.find(url, numbers);
    std::string out;
    for (const std::uint32_t number : numbers) out += static_cast<char>('0' + number);
    return out;
  };
  EXPECT_EQ(found("http://x.example/"), "04");
  EXPECT_EQ(found("http://x.example/c/d"), "034");
  EXPECT_EQ(found("http://shop.example/"), "014");
  EXPECT_EQ(found("http://a.shop.example/"), "04");
  EXPECT_EQ(found("https://a.other.example:8443/c/?q"), "01234");
  EXPECT_EQ(found("http://shop.example/C/"), "014");
}

// --- items ---

struct Taken : ItemTaker {
  void item(const Item& item) override {
    for (const auto& [name, value] : item.values) said += name + "=" + value + " ";
    for (const std::string& match : item.matches) said += "(" + match + ") ";
    said += "| ";
  }
  void trouble(std::string_view reason, std::uint64_t) override { troubles += reason; }
  std::string said, troubles;
};

std::string items_of(std::string_view rule_text, std::string_view page, ItemOptions options = {}) {
  ItemRules rules;
  rules.add_text(rule_text, "f");
  rules.finish();
  EXPECT_EQ(joined(rules.problems()), "");
  ItemReader reader(rules, options);
  Url url;
  EXPECT_TRUE(parse("http://h/d/p?q", url));
  Taken taken;
  // Nothing of one page stays in the reader for the next.
  reader.read(url, "<base href=http://other/><li class=x>before<b>b", "utf-8", taken);
  taken = {};
  reader.read(url, page, "utf-8", taken);
  EXPECT_EQ(taken.troubles, "");
  return taken.said;
}

TEST(Items, AValueIsOfTheInnermostItem) {
  const std::string rules = "each li\ntype T\nfield id @id\nfield b > b\nfield i i\n";
  EXPECT_EQ(items_of(rules, "<ul><li id=1><b>x</b><ul><li id=2><b>y</b><i>k</i></ul><i>j</i>"),
            "type=T id=1 b=x i=j | type=T id=2 b=y i=k | ");
  // Without any field it is no item.
  EXPECT_EQ(items_of(rules, "<li>x<p>y"), "");
  EXPECT_EQ(items_of(rules, "<b>x</b><i>y</i>"), "");
}

TEST(Items, ThePageIsOneWithoutEach) {
  EXPECT_EQ(items_of("field t title\nfield h h1\nfield h h2\n",
                     "<title> a \n b </title><h2>2</h2><h1>1</h1><h2>3<br>4</h2>"),
            "t=a b h=1 h=2 h=3 4 | ");
}

TEST(Items, AnAttributeOfAUrlIsResolved) {
  EXPECT_EQ(items_of("field a a@href\nfield i img@SRC\nfield d p@data-x\n",
                     "<a href='../x y'>1</a><a>2</a><img src=//i/><p data-x=../y>"),
            "a=http://h/x%20y i=http://i/ d=../y | ");
  EXPECT_EQ(items_of("field a a@href\n", "<a href=x></a><base href=/b/><a href=http://[>"),
            "a=http://h/b/x a=http://[ | ");
}

TEST(Items, TextIsWhatIsSeenWithItsBlanksFolded) {
  EXPECT_EQ(items_of("field p p\n",
                     "<p> a<!--c-->b <b> c</b>d&amp;e<script>f</script><style>g</style>"
                     "<template>h</template>\xC2\xA0i"),
            "p=ab cd&e\xC2\xA0i | ");
  EXPECT_EQ(items_of("field d div\n", "<div>a<p>b</p>c<ul><li>d<li>e</ul>f</div>"),
            "d=a b c d e f | ");
  EXPECT_EQ(items_of("field s script\n", "<script>x = 1 </script>"), "s=x = 1 | ");
}

TEST(Items, SayWhichSelectorMatchedWhere) {
  EXPECT_EQ(items_of("each li\nfield b b, i\nfield own @id\n", "\n<li id=1>\n<i>x</i>",
                     {.matches = true}),
            "b=x own=1 (b line 3 offset 11 b, i) (own line 2 offset 1 li) | ");
}

}  // namespace
}  // namespace spinneret::select
