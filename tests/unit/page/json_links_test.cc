// SPDX-License-Identifier: Apache-2.0
// JSON feeds and manifests: whatever is nested in what, and in batches as at once.
#include "page/json_links.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::page {
namespace {

// Appends "TAG VALUE 'TEXT' LASTMOD" for each link.
void append_links(std::vector<std::string>& out, const feed::FeedPage& page) {
  for (const feed::FeedLink& link : page.links) {
    out.push_back(link.tag + " " + link.value);
    if (!link.text.empty()) out.back() += " '" + link.text + "'";
    if (!link.lastmod.empty()) out.back() += " " + link.lastmod;
  }
}

struct Batches : feed::FeedTaker {
  void take(const feed::FeedPage& page) override {
    append_links(links, page);
    most = std::max(most, page.links.size());
  }
  std::vector<std::string> links;
  std::size_t most = 0;
};

std::vector<std::string> links_of(std::string_view document, JsonShape shape = JsonShape::kFeed) {
  feed::FeedPage page;
  read_json(document, shape, page, nullptr);
  std::vector<std::string> out;
  append_links(out, page);
  Batches batches;
  read_json(document, shape, page, &batches);
  EXPECT_EQ(batches.links, out);
  EXPECT_LE(batches.most, 2 * feed::kFeedBatch);
  for (const feed::FeedLink& link : page.links) EXPECT_LT(link.offset, document.size());
  return out;
}

using Links = std::vector<std::string>;

TEST(JsonLinks, ShapeByTypeNameAndLooks) {
  EXPECT_EQ(json_shape("application/feed+json", "", ""), JsonShape::kFeed);
  EXPECT_EQ(json_shape("application/manifest+json", "", ""), JsonShape::kManifest);
  EXPECT_EQ(json_shape("", "/a.webmanifest", ""), JsonShape::kManifest);
  EXPECT_EQ(json_shape("application/json", "/manifest.json", ""), JsonShape::kManifest);
  EXPECT_EQ(json_shape("", "/a-manifest.json", ""), JsonShape::kOther);
  EXPECT_EQ(json_shape("", "/", "{\"version\":\"https://jsonfeed.org/version/1.1\"}"),
            JsonShape::kFeed);
  EXPECT_EQ(json_shape("", "/", "{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\"}"),
            JsonShape::kFeed);
  EXPECT_EQ(json_shape("", "/", std::string(1024, ' ') + "//jsonfeed.org/version/1"),
            JsonShape::kOther);
}

TEST(JsonLinks, AnItemsTitleAndDateAreThoseOfItsPageWhereverTheyStand) {
  EXPECT_EQ(links_of(R"({"title":"T","home_page_url":"h","items":[
      {"url":"a","title":"A","date_published":"1","image":"i"},
      {"title":"B","date_modified":"3","date_published":"2","url":"b","external_url":"c"},
      {"url":"d"},
      {"authors":[{"url":"e","title":"no","avatar":"f"}],"url":"g","attachments":[{"url":"k"}]}],
      "hubs":[{"url":"l"}],"next_url":"n"})"),
            (Links{"feed@home_page_url h", "item@url a 'A' 1", "item@image i", "item@url b 'B' 3",
                   "item@external_url c 'B' 3", "item@url d", "authors@url e", "authors@avatar f",
                   "item@url g", "attachments@url k", "hubs@url l", "feed@next_url n"}));
}

// Bug: the nested item's title and date became those of the outer one.
TEST(JsonLinks, ItemsWithinAnExtensionLeaveTheItemAsItIs) {
  EXPECT_EQ(links_of(R"({"items":[{"url":"a","title":"A","date_modified":"1",
      "_ext":{"items":[{"url":"b","title":"B","date_modified":"2"}]}},{"url":"c"}]})"),
            (Links{"item@url a 'A' 1", "item@url c"}));
}

TEST(JsonLinks, WhatIsNestedElsewhereIsNoLink) {
  for (const char* const document :
       {R"({"items":{"x":{"url":"a"}}})", R"(["items",[{"url":"a"}]])",
        R"({"items":"url","a":"b"})", R"({"home_page_url":["a"]})",
        R"({"home_page_url":{"url":"a"}})", R"({"home_page_url":1,"x":"a"})",
        R"({"home_page_url":null,"x":"a"})", R"("home_page_url")",
        R"({"items":[{"_ext":{"url":"a"}}]})", R"({"items":[{"_ext":{"items":[{"url":"a"}]}}]})",
        R"({"_ext":{"a":[[{"authors":[{"url":"a"}]}]]}})", R"({"home_page_url":""})"})
    EXPECT_EQ(links_of(document), Links()) << document;
}

TEST(JsonLinks, Manifests) {
  EXPECT_EQ(links_of(R"({"start_url":"s","scope":"no","id":"no","icons":[{"src":"i"},{"src":"j"}],
      "shortcuts":[{"url":"u","icons":[{"src":"k"}]}],"share_target":{"action":"t"},
      "protocol_handlers":[{"url":"no?%s"}],"related_applications":[{"url":"r"}]})",
                     JsonShape::kManifest),
            (Links{"manifest@start_url s", "icons@src i", "icons@src j", "shortcuts@url u",
                   "icons@src k", "share_target@action t", "related_applications@url r"}));
}

TEST(JsonLinks, TextThatIsBrokenOrDeepEndsWell) {
  const std::string document =
      R"({"title":"T\u00e9","items":[{"url":"a\/b","content_html":"<p>","title":"x"}],"next_url":"n"})";
  for (std::size_t size = 0; size <= document.size(); ++size) links_of(document.substr(0, size));
  std::string deep;
  for (int i = 0; i != 5000; ++i) deep += "[{\"items\":";
  links_of(deep);
  EXPECT_EQ(links_of("]}]}" + std::string(R"({"home_page_url":"h"})")),
            Links{"feed@home_page_url h"});
  // A part that is nested too deeply to be read leaves the rest as it is.
  std::string wrapped = "{\"x\":";
  for (int i = 0; i != 40; ++i) wrapped += "[";
  for (int i = 0; i != 40; ++i) wrapped += "]";
  EXPECT_EQ(links_of(wrapped + R"(,"home_page_url":"h"})"), Links{"feed@home_page_url h"});
}

TEST(JsonLinks, SoupOfMarksAndNames) {
  constexpr std::string_view kParts[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ":",
                                         ",",
                                         "\"items\":",
                                         "\"url\":",
                                         "\"title\":",
                                         "\"a\"",
                                         "\"attachments\":",
                                         "\"\\u00",
                                         "\"",
                                         "\\",
                                         " ",
                                         "1"};
  std::mt19937 random(1);
  for (int round = 0; round != 20'000; ++round) {
    std::string document;
    for (std::size_t parts = random() % 30; parts != 0; --parts)
      document += kParts[random() % std::size(kParts)];
    links_of(document);
  }
}

// There are more items than a batch holds: each keeps its own title, in batches as at once, and
// titles are bounded.
TEST(JsonLinks, BatchesCutNoItemFromItsTitle) {
  std::string document = "{\"items\":[";
  for (int i = 0; i != 10'000; ++i) {
    document += (i == 0 ? "{\"url\":\"" : ",{\"url\":\"") + std::to_string(i) +
                "\",\"external_url\":\"x" + std::to_string(i) + "\",\"title\":\"" +
                std::to_string(i) + "\"}";
  }
  const Links links = links_of(document + "]}");
  ASSERT_EQ(links.size(), 20'000U);
  for (std::size_t i = 0; i != links.size(); ++i) {
    const std::string number = std::to_string(i / 2);
    ASSERT_EQ(links[i],
              (i % 2 == 0 ? "item@url " : "item@external_url x") + number + " '" + number + "'");
  }
  const Links bounded =
      links_of("{\"items\":[{\"url\":\"a\",\"title\":\"" + std::string(100'000, 't') + "\"}]}");
  EXPECT_EQ(bounded[0].size(), std::string("item@url a ''").size() + 256);
  EXPECT_EQ(links_of("{\"next_url\":\"" + std::string((64 << 10) + 1, 'u') + "\"}"), Links());
}

}  // namespace
}  // namespace spinneret::page
