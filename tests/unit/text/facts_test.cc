// SPDX-License-Identifier: Apache-2.0
// lib/text: what a page says of itself.
#include "text/facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/dates.h"
#include "text/page.h"
#include "text/plain.h"
#include "text/title.h"

namespace spinneret::text {
namespace {

Facts facts_of(std::string_view html) {
  PageReader reader;
  return find_facts(reader.read(html, "utf-8"), "http://h/2020/01/02/a");
}

TEST(Facts, Title) {
  EXPECT_EQ(facts_of("<title>On tea - Leaves</title><h1>On tea</h1>").title.value, "On tea");
  EXPECT_EQ(facts_of("<title>On tea - Leaves</title><h1>Leaves</h1><h1>On tea</h1>").title.value,
            "On tea");
  EXPECT_EQ(facts_of("<title>All about the green tea | Leaves</title>").title.value,
            "All about the green tea");
  EXPECT_EQ(facts_of("<title>On tea | Leaves</title><meta property=og:title content='On tea'>")
                .title.value,
            "On tea");
  EXPECT_EQ(facts_of("<h1>On <span>tea</span></h1>").title.value, "On tea");
  EXPECT_EQ(facts_of("<p>nothing").title.value, "");
}

TEST(Facts, BugSoftHyphensStayedInNames) {
  const Facts facts = facts_of(
      "<h1>Assis&shy;tance pro&#x200B;gram &nbsp;for&shy; all</h1><meta name=author "
      "content='An&shy;na Ash'>");
  EXPECT_EQ(facts.title.value, "Assistance program for all");
  EXPECT_EQ(facts.author.value, "Anna Ash");
}

TEST(Facts, Author) {
  const auto author = [](std::string_view html) { return facts_of(html).author.value; };
  EXPECT_EQ(
      author(
          "<script type=application/ld+json>{\"author\":{\"@type\":\"Person\",\"name\":\"A\\u0026B "
          "C\"}}</script>"),
      "A&B C");
  EXPECT_EQ(author("<script type=application/ld+json>{\"author\":[\"Ann "
                   "Ash\",{\"url\":\"x\",\"name\":\"Bo\"}]}</script>"),
            "Ann Ash, Bo");
  EXPECT_EQ(author("<meta name=author content='By Ann Ash'>"), "Ann Ash");
  EXPECT_EQ(author("<p class=byline>By <b>Ann Ash</b></p>"), "Ann Ash");
  EXPECT_EQ(author("<div class=author><div>Ann Ash</div><div>Chief of tea</div></div>"), "Ann Ash");
  EXPECT_EQ(author("<p>Written by: Ann Ash, March 4, 2020"), "Ann Ash");
  EXPECT_EQ(author("<p>By the way, all of this is text of the page and no name at all."), "");
  EXPECT_EQ(author("<script type=application/ld+json>{\"author\":[{\"name\":\"</script>"), "");
}

TEST(Facts, BugWhatFormsAndHeadingsSayWasAnAuthor) {
  const auto author = [](const std::string& html) { return facts_of(html).author.value; };
  for (const std::string_view words :
       {"Register for a Member Account", "MDN contributors", "Meta options¶", "Name", "Price",
        "Sign in", "From the Author", "Try it free", "Contact Form: Click Here"}) {
    EXPECT_EQ(author("<h1>On tea</h1><div class=author>" + std::string(words) + "</div><p>x"), "")
        << words;
  }
  EXPECT_EQ(author("<h1>Jobs</h1><p>By</p><p>INDUSTRY</p>"), "");
  EXPECT_EQ(author("<h1>On tea</h1><p class=author>Joy Trysson</p>"), "Joy Trysson");
}

TEST(Facts, BugTheDayThatAPaperWasReceivedWasThatOfItsPublication) {
  const auto day = [](const std::string& html) { return facts_of(html).published.value; };
  const std::string head = "<meta name=citation_date content=2019-06-25><h1>On tea</h1>";
  EXPECT_EQ(day(head + "<p>Submitted 4 Apr 2019</p>"), "2019-06-25");
  EXPECT_EQ(day(head + "<p>On 2 Dec 2018, I received this</p>"), "2019-06-25");
  EXPECT_EQ(day(head + "<p>Published 4 Apr 2019</p>"), "2019-04-04");
}

TEST(Facts, BugTheClockOfAForumWasTheDayOfItsThread) {
  EXPECT_EQ(facts_of("<p>March 05, 2026, 07:16:19 AM</p><h1>On tea</h1><p>Started by Ann Ash, June "
                     "04, 2024, 11:23:55 AM</p>")
                .published.value,
            "2024-06-04");
}

TEST(Facts, BugTheDayOfAPreprintWasThatOfThePaper) {
  EXPECT_EQ(facts_of("<meta name=citation_date content=2019-06-25><h1>On tea</h1>"
                     "<p>Preprints of this paper are at h.example, first published 04.04.19</p>")
                .published.value,
            "2019-06-25");
}

TEST(Facts, BugTheDayOfAGameWasThatOfTheTalkAboutIt) {
  const auto day = [](const std::string& json) {
    PageReader reader;
    const std::string html = "<script type=application/ld+json>" + json + "</script>";
    return find_facts(reader.read(html, "utf-8"), "http://h/a").published.value;
  };
  const std::string game = R"({"@type":"VideoGame","datePublished":"2017-03-03"})";
  EXPECT_EQ(day(R"({"about":)" + game + R"(,"datePublished":"2024-02-21"})"), "2024-02-21");
  EXPECT_EQ(day(R"({"datePublished":"2024-02-21","about":)" + game + "}"), "2024-02-21");
  EXPECT_EQ(day(R"({"comment":[{"@type":"Comment","datePublished":"2025-01-02"}],)"
                R"("@type":"Article","datePublished":"2024-02-21"})"),
            "2024-02-21");
  EXPECT_EQ(day(game), "2017-03-03") << "the only one that there is";
}

TEST(Facts, DaysOfChanges) {
  const auto published = [](const std::string& html) {
    PageReader reader;
    return find_facts(reader.read(html, "utf-8"), "http://h/a").published.value;
  };
  // A date beside the headline is this page's; one marked farther down may be another's.
  std::string far;
  for (int i = 0; i < 20; ++i) far += "<p>A leaf of tea is a leaf.</p>";
  far += "<time datetime=2024-03-04>long ago</time>";
  EXPECT_EQ(published("<h1>On tea</h1><p>Updated May 6, 2025</p>" + far), "2025-05-06");
  EXPECT_EQ(published("<h1>On tea</h1>" + far), "2024-03-04");
  // This is the only date.
  EXPECT_EQ(published("<meta property=article:modified_time content=2025-05-06T07:08:09Z><p>x"),
            "2025-05-06T07:08:09Z");
  // A page that is stored anew has the same time twice: a date marked in its text is older, unless
  // the text says otherwise.
  const auto stored = [](std::string_view changed) {
    return R"(<script type=application/ld+json>{"datePublished":"2025-05-06T07:08:09Z",)"
           R"("dateModified":")" +
           std::string(changed) + R"("}</script><h1>On tea</h1>)";
  };
  EXPECT_EQ(published(stored("2025-05-06T07:08:09Z") + far), "2024-03-04");
  EXPECT_EQ(published(stored("2025-05-07T07:08:09Z") + far), "2025-05-06T07:08:09Z");
  EXPECT_EQ(published(stored("2025-05-06T07:08:09Z") + "<p>May 6, 2025</p>" + far),
            "2025-05-06T07:08:09Z");
}

TEST(Facts, TheTimeOfAnElementThatShowsHowLongAgoItWas) {
  const auto published = [](const std::string& html) {
    PageReader reader;
    return find_facts(reader.read(html, "utf-8"), "http://h/a").published.value;
  };
  EXPECT_EQ(published("<p>x<time-ago ts='2026-03-03T04:05:06Z'></time-ago>"),
            "2026-03-03T04:05:06Z");
  EXPECT_EQ(published("<p>x<time-ago ts=1700000000>2 days ago</time-ago>"), "");
  EXPECT_EQ(published("<p>x<time-ago ts=2026-03>2 days ago</time-ago>"), "");
}

TEST(Facts, AuthorBesideTheSiteItself) {
  const auto author = [](const std::string& html) { return facts_of(html).author.value; };
  const std::string site = "<meta property=og:site_name content='The Leaf'>";
  const std::string by_site =
      site + "<script type=application/ld+json>{\"author\":{\"name\":\"The Leaf\"}}</script>";
  EXPECT_EQ(author(by_site + "<h1>On tea</h1><p class=byline>By Ann Ash</p>"), "Ann Ash");
  EXPECT_EQ(author(by_site + "<h1>On tea</h1><p class=byline>all of our posts</p>"), "The Leaf");
  EXPECT_EQ(author(site + "<meta name=author content='Ann Ash, The Leaf'>"), "Ann Ash");
  // A publisher that contains a member does not get the member's name.
  EXPECT_EQ(
      author("<script type=application/ld+json>{\"author\":{\"name\":\"Joe Root\"},\"publisher\":"
             "{\"@id\":\"x\",\"member\":{\"name\":\"Joe Root\"}}}</script>"
             "<p class=author>Ning Ning</p>"),
      "Joe Root");
  // In papers each author has a meta element.
  EXPECT_EQ(author("<meta name=citation_author content='Ash, Ann'><meta name=citation_author "
                   "content='Bo Birch'>"),
            "Ann Ash, Bo Birch");
}

TEST(Facts, AuthorInWords) {
  const auto author = [](const std::string& html) { return facts_of(html).author.value; };
  EXPECT_EQ(author("<p>By Ann Ash ⋅ Review Editor ⋅ Updated May 6, 2025"), "Ann Ash");
  EXPECT_EQ(author("<p class=author>Ann Ash Senior Tea Reporter"), "Ann Ash");
  EXPECT_EQ(author("<p class=author>Great Day Editorial Team"), "Great Day Editorial Team");
  EXPECT_EQ(author("<div class=author><i>NB</i><div>Nicole Birch</div></div>"), "Nicole Birch");
  EXPECT_EQ(author("<div class=author><div>May 6, 2025</div><div>Ann Ash</div></div>"), "Ann Ash");
  EXPECT_EQ(author("<p>Thread starter user3080392<p class=author>Somebody Else"), "user3080392");
  EXPECT_EQ(author("<h1>On tea</h1><p>Ann Ash</p><p>May 6, 2025</p>"), "Ann Ash");
  EXPECT_EQ(author("<h1>On tea</h1><p>Ann Ash</p><p>x<p>y<p>Ann Ash is a friend of tea"),
            "Ann Ash");
  EXPECT_EQ(author("<h1>On tea</h1><h2>Green Tea</h2><p>May 6, 2025</p>"), "");
}

TEST(Facts, TheDateThatIsShown) {
  const auto published = [](const std::string& html) {
    PageReader reader;
    return find_facts(reader.read(html, "utf-8"), "http://h/a").published.value;
  };
  const std::string moved =
      "<meta property=article:published_time content=2024-08-07T12:01:51Z><h1>On tea</h1>";
  EXPECT_EQ(published(moved + "<p>Dec 30, 2013</p>"), "2013-12-30");
  EXPECT_EQ(published(moved + "<p>Updated Dec 30, 2013</p>"), "2024-08-07T12:01:51Z");
  EXPECT_EQ(published(moved + "<p>Dec 30, 2025</p>"), "2024-08-07T12:01:51Z");
  EXPECT_EQ(
      published("<h1>On tea of 2 May 2011</h1><p>Last updated 3 May 2012</p><p>4 May 2013</p>"),
      "2013-05-04");
  EXPECT_EQ(published("<meta name=w-published-date content=2025-05-27T06:03:43Z>"),
            "2025-05-27T06:03:43Z");
  EXPECT_EQ(published("<time itemprop=dateCreated datetime='2011-02-11T23:49:17Z'></time>"
                      "<time itemprop=datePublished datetime='2012-02-11'></time>"),
            "2011-02-11T23:49:17Z");
  // The time is in UTC, and the day is in the URL.
  PageReader reader;
  EXPECT_EQ(find_facts(reader.read("<meta property=article:published_time "
                                   "content=2025-12-19T02:41:41+00:00>",
                                   "utf-8"),
                       "http://h/2025/12/18/a")
                .published.value,
            "2025-12-18");
}

TEST(Title, CandidatesAreSegmentsAndHeadlines) {
  const auto texts = [](std::string_view html) {
    PageReader reader;
    std::string out;
    for (const TitleCandidate& candidate :
         title_candidates(reader.read(html, "utf-8"), "http://h/x"))
      out += (out.empty() ? "" : ";") + candidate.text;
    return out;
  };
  EXPECT_EQ(texts("<title>On tea - Leaves</title><h1>On tea</h1>"),
            "On tea - Leaves;On tea;Leaves");
  EXPECT_EQ(texts("<title>A&nbsp;| B: c</title>"), "A | B: c;A;A | B;B;B: c;c");
  EXPECT_EQ(texts("<h1>Quickstart\xC2\xB6</h1><h1>Icon \xEF\x83\x81</h1>"), "Quickstart;Icon");
  EXPECT_EQ(texts("<title> </title><h1></h1><h2>Two</h2>"), "Two");
  EXPECT_EQ(texts(""), "");
  std::string many = "<title>";
  for (int i = 0; i < 100000; ++i) many += "a | ";
  EXPECT_EQ(texts(many), "");
}

TEST(Facts, Dates) {
  EXPECT_EQ(find_date("March 4, 2025"), "2025-03-04");
  EXPECT_EQ(find_date("on the 4th of March 2025"), "2025-03-04");
  EXPECT_EQ(find_date("4.3.2025"), "2025-03-04");
  EXPECT_EQ(find_date("3/4/2025"), "2025-03-04");
  EXPECT_EQ(find_date("13/4/2025"), "2025-04-13");
  EXPECT_EQ(find_date("3/4/2025", true), "2025-04-03");
  EXPECT_EQ(find_date("3/14/2025", true), "2025-03-14");
  EXPECT_EQ(find_date("le 4 ao\u00FBt 2025"), "2025-08-04");
  EXPECT_EQ(find_date("4. M\u00C4RZ 2025, 4. M\u00E4rz 2025"), "2025-03-04");
  EXPECT_EQ(find_date("4 de marzo de 2025"), "2025-03-04");
  EXPECT_EQ(find_date("2025\u5E743\u67084\u65E5"), "2025-03-04");
  EXPECT_EQ(find_date("2025\uB144 3\uC6D4 4\uC77C"), "2025-03-04");
  EXPECT_EQ(find_date("Published\u2002Apr 26, 2023"), "2023-04-26");
  EXPECT_EQ(find_date("9 out of 2024, 3 genders 2024"), "");
  EXPECT_EQ(find_date("\xC3"), "");
  EXPECT_EQ(find_date("/2025/03/04/x"), "2025-03-04");
  EXPECT_EQ(find_date("2025-03-04T05:06:07Z"), "2025-03-04");
  EXPECT_EQ(find_date("2025-13-04"), "");
  EXPECT_EQ(find_date("12 of 2025"), "");
  EXPECT_EQ(facts_of("<p>x").published.source, "url");
  EXPECT_EQ(facts_of("<meta property=article:published_time content=2021-02-03T04:05:06Z>")
                .published.value,
            "2021-02-03T04:05:06Z");
}

// --- main content ---

TEST(Facts, DaysAndMonthsInTheOrderOfThePage) {
  EXPECT_TRUE(writes_day_first("3/4/2025 and 13/4/2025", "en-US"));
  EXPECT_FALSE(writes_day_first("3/4/2025 and 4/13/2025", "fr"));
  EXPECT_FALSE(writes_day_first("3/4/2025", "en"));
  EXPECT_FALSE(writes_day_first("3/4/2025", ""));
  EXPECT_TRUE(writes_day_first("3/4/2025", "en-GB"));
  EXPECT_TRUE(writes_day_first("3/4/2025", "fr"));
  EXPECT_FALSE(writes_day_first("/ 1/ /2 13/ 13/4 2025/13/4 13/4/2", "en"));
  const auto published = [](const std::string& html) {
    PageReader reader;
    return find_facts(reader.read(html, "utf-8"), "http://h/2024/may/06/a").published.value;
  };
  EXPECT_EQ(published("<html lang=en-GB><h1>On tea</h1><p>Published 3/4/2025"), "2025-04-03");
  EXPECT_EQ(published("<h1>On tea</h1><p>3/4/2025"), "2024-05-06") << "a URL's is surer";
  EXPECT_EQ(published("<h1>Pods</h1><p>Pods Pro 2nd Gen 2022"), "2024-05-06") << "no January";
  EXPECT_EQ(published("<meta name=date content=2025-01-01><h1>On tea</h1><p>x<p>This article was "
                      "originally published on 2 May 2019."),
            "2019-05-02");
}

TEST(Facts, AuthorsOfReviewsAndAccounts) {
  const auto author = [](const std::string& html) { return facts_of(html).author.value; };
  const auto json = [](const std::string& text) {
    return "<script type=application/ld+json>" + text + "</script>";
  };
  const std::string review =
      R"("review":[{"author":{"@type":"Person","name":"Rex"},"@type":"Review"}])";
  EXPECT_EQ(author(json("{\"@type\":\"Product\"," + review + "}")), "");
  EXPECT_EQ(author(json("{" + review + R"(,"author":{"@type":"Person","name":"Ann Ash"}})")),
            "Ann Ash");
  EXPECT_EQ(author(json(R"({"author":"Ann Ash","x":")") + "<p>cut"), "Ann Ash");
  EXPECT_EQ(author("<meta name=author content=ann.ash><p class=author>Ann Ash"), "Ann Ash");
  EXPECT_EQ(author("<meta name=author content=Bo><h1>On tea</h1><p>By Ann Ash</p>"), "Ann Ash");
  EXPECT_EQ(author("<meta name=author content=ann@h.example>"), "ann@h.example");
  EXPECT_EQ(author("<h1>On tea</h1><p>Ann Ash | Writer | July 2, 2025"), "Ann Ash");
  EXPECT_EQ(author("<h1>On tea</h1><p>Dec. 19, 2025 by Ann Ash"), "Ann Ash");
  EXPECT_EQ(author("<p>Contributors: Ann Ash and Bo Birch, growers of tea and more"),
            "Ann Ash and Bo Birch");
  EXPECT_EQ(author("<p>Written by: Ann Ash , a grower of tea and more"), "Ann Ash");
  EXPECT_EQ(author("<div itemprop=author itemscope><meta itemprop=name content=ash></div>"), "ash");
  EXPECT_EQ(author("<h1>On tea</h1><p><a href=/authors/ash>Ann Ash</a> writes on"), "Ann Ash");
  const std::string member = "<p><a href='member.php?u=7'>ash7</a><p>I like tea.";
  EXPECT_EQ(author("<h1>On tea</h1>" + member + member + member), "ash7");
  EXPECT_EQ(author("<h1>On tea</h1>" + member), "");
}

TEST(Facts, LanguageIsDeclaredOrGuessed) {
  const auto language = [](std::string_view html, std::string_view header) {
    PageReader reader;
    const Fact found = find_language(reader.read(html, "utf-8"), header);
    return found.value + " " + std::string(found.source);
  };
  EXPECT_EQ(language("<html lang=de><meta property=og:locale content=fr_FR>", "it"), "de html");
  EXPECT_EQ(language("<meta property=og:locale content=fr_FR><p>a", "it"), "fr_FR meta");
  EXPECT_EQ(language("<p>a", "it"), "it header");
  EXPECT_EQ(language("<p>the cat and the dog are in the house of the man who was there with us all "
                     "of the day and the night",
                     "it, de"),
            "en guess");
}

TEST(PlainDocument, IsReadAsItStands) {
  std::string document;
  PageReader reader;
  const Page& page = reader.read(plain_document("a <b> &amp; c\n  d", document), "utf-8");
  EXPECT_EQ(page.text, "a <b> &amp; c\n  d");
  EXPECT_EQ(plain_document("", document), "<pre>");
}

}  // namespace
}  // namespace spinneret::text
