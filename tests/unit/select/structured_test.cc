// SPDX-License-Identifier: Apache-2.0
// Bounds of what pages say of themselves. (tests/cli/extract-items.bats tests what is read.)
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "select/items.h"
#include "url/parse.h"

namespace spinneret::select {
namespace {

struct Taken : ItemTaker {
  void item(const Item& item) override {
    ++items;
    for (const auto& [name, value] : item.values) {
      ++values;
      bytes += name.size() + value.size();
      said += name + "=" + value + " ";
    }
  }
  void trouble(std::string_view reason, std::uint64_t) override { troubles += reason; }
  std::size_t items = 0, values = 0, bytes = 0;
  std::string said, troubles;
};

std::string times(std::size_t count, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

Taken read(std::string_view document) {
  ItemRules rules;
  rules.finish();
  ItemReader reader(
      rules, {.json_ld = true, .microdata = true, .rdfa = true, .opengraph = true, .tables = true});
  Url url;
  EXPECT_TRUE(parse("http://h/p", url));
  Taken taken;
  reader.read(url, document, "utf-8", taken);
  return taken;
}

TEST(Structured, BugNestedItemsOfSixteenNamesNeverEnded) {
  const std::string names = "a b c d e f g h i j k l m n o p";
  for (const std::string& open :
       {"<div itemscope itemprop='" + names + "'>", "<div typeof=t property='" + names + "'>"}) {
    const bool micro = open.find("itemscope") != std::string::npos;
    const std::string outer = micro ? "<div itemscope>" : "<div typeof=t>";
    const std::string value = micro ? "<p itemprop=x>y" : "<p property=x>y";
    const Taken two = read(outer + times(2, open) + value);
    EXPECT_EQ(two.troubles, "");
    EXPECT_NE(two.said.find("p.p.x=y"), std::string::npos);
    const Taken many = read(outer + times(12, open) + value);
    EXPECT_LE(many.bytes, std::size_t{1} << 20);
    EXPECT_NE(many.troubles.find("four times"), std::string::npos);
  }
}

TEST(Structured, BugALongNameWasRepeatedForEachPropertyWithin) {
  const std::string name(100000, 'n');
  for (const std::string& page :
       {"<div itemscope><b itemprop=q>r</b><div itemscope itemprop=" + name + ">" +
            times(30000, "<p itemprop=b>x"),
        "<div typeof=t><b property=q>r</b><div typeof=t property=" + name + ">" +
            times(30000, "<p property=b>x")}) {
    const Taken taken = read(page);
    EXPECT_NE(taken.said.find("q=r"), std::string::npos);
    EXPECT_LT(taken.bytes, 1000u);
  }
  EXPECT_EQ(
      read("<meta property='og:" + name + "' content=x><meta property=og:title content=t>").said,
      "type=website og.title=t ");
}

TEST(Structured, BugSpansOfCellsMadeHundredsOfMegabytes) {
  const std::string page = "<table>" + times(5000, "<tr><td rowspan=256 colspan=256>x");
  const Taken taken = read(page);
  EXPECT_EQ(taken.items, 5000u);
  EXPECT_LT(taken.values, 100000u);
  EXPECT_NE(taken.troubles.find("four times"), std::string::npos);
  EXPECT_EQ(read("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c</table>").said,
            "type=table table=1 row=1 column1=a column2=b column3=b "
            "type=table table=1 row=2 column1=a column2=c ");
}

TEST(Structured, BugMarksInStringsOfJsonWereItsWrapping) {
  const auto said = [](const std::string& text) {
    const Taken taken = read("<script type='application/ld+json'>" + text + "</script>");
    EXPECT_EQ(taken.troubles, "") << text;
    return taken.said;
  };
  EXPECT_EQ(said("{\"n\":\"<![CDATA[x\"}"), "n=<![CDATA[x ");
  EXPECT_EQ(said("{\"n\":\"a ]]> b\"}"), "n=a ]]> b ");
  for (const char* const wrapped :
       {"<![CDATA[{\"n\":1}]]>", "//<![CDATA[\n{\"n\":1}\n//]]>", "/*<![CDATA[*/{\"n\":1}/*]]>*/",
        "{\"n\":1}\n//]]>", " {\"n\":1} ;", "<!--{\"n\":1}-->"})
    EXPECT_EQ(said(wrapped), "n=1 ") << wrapped;
}

TEST(Structured, EveryCutOfAPageEndsWell) {
  const std::string page =
      "<meta property=og:title content=t><div itemscope itemtype=https://schema.org/Product "
      "itemid=i "
      "itemref=r><b itemprop='name x'>n</b><div itemprop=offer itemscope><meta itemprop=price "
      "content=1></div></div><p id=r itemprop=y>z<div vocab=v typeof=T><a property=u "
      "href=l>m</a></div>"
      "<script type=application/ld+json>{\"@type\":\"A\",\"b\":[{\"c\":\"d\"}]}</script>"
      "<table><tr><th>h<th>i<tr><td rowspan=2>1<td>2<tr><td>3</table>";
  std::size_t most = 0;
  for (std::size_t size = 0; size <= page.size(); ++size) {
    const Taken taken = read(std::string_view(page).substr(0, size));
    most = std::max(most, taken.values);
    EXPECT_LE(taken.bytes, 1U << 20);
  }
  EXPECT_GT(most, 10U);
}

}  // namespace
}  // namespace spinneret::select
