// SPDX-License-Identifier: Apache-2.0
// Verdicts: for each outcome, over redirects, by fragment, and for pages that come twice, late,
// torn or not at all.
#include "check/book.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/cpu_time.h"

namespace spinneret::check {
namespace {

SettledPage settled(std::string_view url, Outcome outcome = Outcome::kOk, unsigned status = 200) {
  SettledPage out;
  out.url = url;
  out.outcome = outcome;
  out.status = status;
  return out;
}

void settle_ids(LinkBook& book, std::string_view url, std::string_view ids) {
  SettledPage page = settled(url);
  page.has_ids = true;
  page.ids = ids;
  EXPECT_TRUE(book.settle(page));
}

void settle_redirect(LinkBook& book, std::string_view from, std::string_view to, Outcome outcome) {
  SettledPage page = settled(from, outcome, 301);
  page.location = to;
  EXPECT_TRUE(book.settle(page));
}

void link(LinkBook& book, std::string_view target, std::string_view page = "http://h/") {
  EXPECT_TRUE(book.add_link({.page = page, .target = target, .tag = "a@href"})) << target;
}

// Writes a finding as "VERDICT: REASON > LOCATION".
std::string told(const Finding& finding) {
  std::string out(to_string(finding.verdict));
  if (!finding.reason.empty()) out.append(": ").append(finding.reason);
  if (!finding.location.empty()) out.append(" > ").append(finding.location);
  return out;
}
std::vector<std::string> judged(const LinkBook& book) {
  std::vector<std::string> out;
  book.judge([&out](const Finding& finding) { out.push_back(told(finding)); });
  return out;
}
std::string only(const LinkBook& book) {
  const std::vector<std::string> out = judged(book);
  EXPECT_EQ(out.size(), 1U);
  return out.empty() ? "" : out.front();
}

TEST(LinkBook, AVerdictForEachOutcome) {
  const std::map<Outcome, std::string> expected = {
      {Outcome::kOk, "ok"},
      {Outcome::kNotModified, "ok"},
      {Outcome::kRedirect, "dead: a redirect to nowhere"},
      {Outcome::kMoved, "dead: a redirect to nowhere"},
      {Outcome::kNotFound, "dead: 200 not-found"},
      {Outcome::kGone, "dead: 200 gone"},
      {Outcome::kForbidden, "forbidden: 200 forbidden"},
      {Outcome::kClientError, "dead: 200 client-error"},
      {Outcome::kRateLimited, "rate-limited: 200 rate-limited"},
      {Outcome::kServerError, "dead: 200 server-error"},
      {Outcome::kDnsFailed, "dead: 200 dns-failed"},
      {Outcome::kConnectFailed, "dead: 200 connect-failed"},
      {Outcome::kTlsFailed, "dead: 200 tls-failed"},
      {Outcome::kTimeout, "timeout: 200 timeout"},
      {Outcome::kAborted, "not-checkable: 200 aborted"},
      {Outcome::kBadResponse, "dead: 200 bad-response"},
      {Outcome::kTooLarge, "ok"},
      {Outcome::kRefusedAddress, "not-checkable: 200 refused-address"},
      {Outcome::kUnsupportedType, "ok"},
      {Outcome::kBlockedByRobots, "blocked-by-robots: 200 blocked-by-robots"},
      {Outcome::kBlockedByPolicy, "not-checkable: 200 blocked-by-policy"},
      // Neither outcome says what became of the URL itself.
      {Outcome::kNeeds, "not-checkable: not asked for"},
      {Outcome::kItem, "not-checkable: not asked for"},
      {Outcome::kDuplicate, "ok"},
      {Outcome::kNoindex, "ok"},
      {Outcome::kNonCanonical, "ok"},
      {Outcome::kChallenged, "challenged: 200 challenged"},
      {Outcome::kPaymentRequired, "payment-required: 200 payment-required"},
  };
  ASSERT_EQ(expected.size(), all_outcomes().size());
  for (const auto& [outcome, verdict] : expected) {
    LinkBook book;
    link(book, "http://h/x");
    EXPECT_TRUE(book.settle(settled("http://h/x", outcome)));
    EXPECT_EQ(only(book), verdict);
  }
  LinkBook wall;
  link(wall, "http://h/x");
  wall.settle(settled("http://h/x", Outcome::kBadResponse, 999));
  EXPECT_EQ(only(wall), "forbidden: 999 bad-response");
  LinkBook none;
  link(none, "http://h/x");
  none.settle(settled("http://h/x", Outcome::kDnsFailed, 0));
  EXPECT_EQ(only(none), "dead: dns-failed");
}

TEST(LinkBook, RedirectsAreFollowedAsBrowsersDo) {
  const auto redirected = [](std::vector<std::pair<std::string, Outcome>> hops, Outcome last) {
    LinkBook book;
    link(book, "http://h/0#f");
    for (std::size_t i = 0; i != hops.size(); ++i)
      settle_redirect(book, "http://h/" + std::to_string(i), hops[i].first, hops[i].second);
    book.settle(settled("http://h/" + std::to_string(hops.size()), last, 0));
    return only(book);
  };
  constexpr Outcome kMoved = Outcome::kMoved;
  constexpr Outcome kRedirect = Outcome::kRedirect;
  constexpr Outcome kOk = Outcome::kOk;
  EXPECT_EQ(redirected({{"/1", kMoved}}, kOk), "moved > http://h/1");
  EXPECT_EQ(redirected({{"/1", kRedirect}}, kOk), "ok > http://h/1");
  EXPECT_EQ(redirected({{"/1#g", kMoved}}, kOk), "moved > http://h/1#g");
  // A URL has moved to where its permanent redirects lead: the target of a temporary redirect may
  // change.
  EXPECT_EQ(redirected({{"/1", kMoved}, {"/2", kMoved}}, kOk), "moved > http://h/2");
  EXPECT_EQ(redirected({{"/1", kMoved}, {"/2", kRedirect}}, kOk), "moved > http://h/1");
  EXPECT_EQ(redirected({{"/1", kMoved}, {"/2", kRedirect}, {"/3", kMoved}}, kOk),
            "moved > http://h/1");
  EXPECT_EQ(redirected({{"/1", kRedirect}, {"/2", kMoved}}, kOk), "ok > http://h/2");
  EXPECT_EQ(redirected({{"/1", kMoved}}, Outcome::kGone), "dead: gone > http://h/1");
  EXPECT_EQ(redirected({{"/0", kMoved}}, kOk), "dead: redirects without end > http://h/0");
  EXPECT_EQ(redirected({{"/9", kMoved}}, kOk),
            "not-checkable: leads to what was not asked for > http://h/9");
  std::vector<std::pair<std::string, Outcome>> hops;
  for (int i = 1; i <= 20; ++i) hops.emplace_back("/" + std::to_string(i), kMoved);
  EXPECT_EQ(redirected(hops, kOk), "moved > http://h/20");
  hops.emplace_back("/21", kMoved);
  EXPECT_EQ(redirected(hops, kOk), "dead: redirects without end > http://h/20");
}

TEST(LinkBook, AFragmentIsThatOfTheLinkUnlessTheRedirectHasOne) {
  LinkBook book;
  for (const char* const target : {"http://h/own#a", "http://h/own#b", "http://h/its#a"})
    link(book, target);
  settle_redirect(book, "http://h/own", "/p", Outcome::kMoved);
  settle_redirect(book, "http://h/its", "/p#b", Outcome::kMoved);
  settle_ids(book, "http://h/p", "a");
  EXPECT_EQ(judged(book),
            (std::vector<std::string>{"moved > http://h/p",
                                      "dead-fragment: the page has no such id > http://h/p",
                                      "dead-fragment: the page has no such id > http://h/p#b"}));
}

TEST(LinkBook, FragmentsWhereIdsAreKnownAndWhereNot) {
  LinkBook book;
  const std::vector<std::string> targets = {
      "http://h/p#a%20b",  "http://h/p#c", "http://h/p#!/x", "http://h/q#c",  "http://h/d#c",
      "http://h/d#page=3", "http://h/e#c", "http://h/p#top", "http://h/e#top"};
  for (const std::string& target : targets) link(book, target);
  settle_ids(book, "http://h/p", "a%20b d");
  book.settle(settled("http://h/q"));
  SettledPage pdf = settled("http://h/d");
  pdf.type = "Application/PDF; a=b";
  book.settle(pdf);
  settle_ids(book, "http://h/e", "");
  const std::string dead = "dead-fragment: the page has no such id";
  EXPECT_EQ(judged(book), (std::vector<std::string>{
                              "ok", dead, "not-checkable: a fragment for scripts", "ok",
                              "ok: fragment of a PDF: not checked", "ok", dead, "ok", "ok"}));
}

TEST(LinkBook, APageThatComesAgainReplacesItsLinks) {
  LinkBook book;
  link(book, "http://h/old");
  settle_ids(book, "http://h/", "a");
  link(book, "http://h/new");
  link(book, "http://h/#a");
  link(book, "http://h/#b");
  settle_ids(book, "http://h/", "b");
  std::string targets;
  book.judge([&targets](const Finding& finding) {
    targets.append(finding.target).append(" ").append(to_string(finding.verdict)).append("\n");
  });
  EXPECT_EQ(targets, "http://h/new not-checkable\nhttp://h/#a dead-fragment\nhttp://h/#b ok\n");
  EXPECT_EQ(book.link_count(), 4U);
  EXPECT_EQ(book.page_count(), 1U);
}

TEST(LinkBook, LinksWithoutTheirPageCountOnlyOfAPageThatNeverCame) {
  LinkBook book;
  link(book, "http://h/a", "http://h/1");
  EXPECT_EQ(judged(book).size(), 1U);
  settle_ids(book, "http://h/1", "");
  EXPECT_EQ(judged(book).size(), 1U);
  link(book, "http://h/b", "http://h/1");
  link(book, "http://h/c", "http://h/2");
  link(book, "http://h/d", "");  // on no page
  // Without b, whose page was torn.
  EXPECT_EQ(judged(book).size(), 3U);
}

TEST(LinkBook, WhatWasNotAskedForOnceMoreIsKnownAllTheSame) {
  LinkBook book;
  link(book, "http://h/a");
  link(book, "http://h/b");
  book.settle(settled("http://h/a"));
  SettledPage aborted = settled("http://h/a", Outcome::kAborted, 0);
  aborted.error = "no time";
  EXPECT_TRUE(book.settle(aborted));
  aborted.url = "http://h/b";
  EXPECT_TRUE(book.settle(aborted));
  EXPECT_EQ(judged(book), (std::vector<std::string>{"ok", "not-checkable: no time"}));
  book.settle(settled("http://h/b", Outcome::kGone, 410));
  EXPECT_EQ(judged(book), (std::vector<std::string>{"ok", "dead: 410 gone"}));
}

TEST(LinkBook, WhatIsNoUrlIsDeadForItsReason) {
  LinkBook book;
  book.add_broken({.page = "http://h/", .target = "http://[", .tag = "a@href", .line = 2},
                  "no URL");
  EXPECT_FALSE(book.add_link({.page = "http://h/", .target = "http://[", .tag = ""}));
  EXPECT_FALSE(book.settle(settled("http://[")));
  EXPECT_FALSE(book.settle(settled("ftp://h/")));
  EXPECT_EQ(only(book), "dead: no URL");
  book.each_unanswered(false, [](std::string_view url) { ADD_FAILURE() << url; });
}

TEST(LinkBook, WhereFilesAreTheSiteAQueryMakesNoDifferenceAndAnyByteMayBeEscaped) {
  LinkBook book;
  book.set_site("http://h/d%7e/");
  const std::vector<std::string> targets = {"http://h/d~/a.css?v=1", "http://h/d~/%61.css",
                                            "http://h/d~/q?x", "http://h/q?v=1",
                                            "http://h/d~/a%2Fb"};
  for (const std::string& target : targets) link(book, target);
  for (const char* const url :
       {"http://h/d~/a.css", "http://h/d~/q", "http://h/d~/q?x", "http://h/q", "http://h/d~/a/b"})
    book.settle(
        settled(url, url == std::string_view("http://h/d~/q?x") ? Outcome::kGone : Outcome::kOk));
  EXPECT_EQ(judged(book),
            (std::vector<std::string>{"ok", "ok", "dead: 200 gone", "not-checkable: not asked for",
                                      "dead: not found"}));
}

TEST(LinkBook, WhatIsOutOfTheFolderIsNotChecked) {
  LinkBook book;
  book.set_site("http://h/");
  for (const char* const target :
       {"http://h/out/a", "http://h/out/b/c?d", "http://h/out", "http://h/outer", "http://x/out/a"})
    link(book, target);
  book.set_outside("http://h/out/");
  EXPECT_EQ(judged(book),
            (std::vector<std::string>{"not-checkable: out of the folder",
                                      "not-checkable: out of the folder", "dead: not found",
                                      "dead: not found", "not-checkable: not asked for"}));
}

TEST(LinkBook, BugATargetOfManyFoldersTookQuadraticTime) {
  const auto milliseconds_of = [](int folders) {
    LinkBook book;
    book.set_site("http://h/");
    book.set_outside("http://h/out/");
    std::string target = "http://h/";
    for (int i = 0; i < folders; ++i) target += "a/";
    link(book, target);
    return least_milliseconds(
        [&] { EXPECT_EQ(judged(book), std::vector<std::string>{"dead: not found"}); });
  };
  const double small = milliseconds_of(10'000);
  const double large = milliseconds_of(80'000);
  EXPECT_LT(large, 24 * small + 5) << small << " ms, then " << large << " ms";
}

TEST(LinkBook, WhatNoServerShowsIsThereForSourcesAlone) {
  LinkBook book;
  book.set_site("http://h/");
  link(book, "http://h/.hidden", "http://h/a.md");
  SettledPage source = settled("http://h/a.md");
  source.is_source = source.has_ids = true;
  book.settle(source);
  link(book, "http://h/.hidden", "http://h/a.html");
  settle_ids(book, "http://h/a.html", "");
  SettledPage hidden = settled("http://h/.hidden");
  hidden.for_sources = true;
  book.settle(hidden);
  EXPECT_EQ(judged(book), (std::vector<std::string>{"ok", "dead: not found"}));
}

TEST(LinkBook, PagesReadAsideAreNotCounted) {
  LinkBook book;
  SettledPage page = settled("http://h/a");
  page.has_ids = page.is_aside = true;
  page.file = "a";
  book.settle(page);
  book.settle(page);
  EXPECT_EQ(book.page_count(), 0U);
  settle_ids(book, "http://h/b", "");
  EXPECT_EQ(book.page_count(), 1U);
}

TEST(LinkBook, GivesWhatNobodyHasAnsweredOnceAndWhatItLeadsTo) {
  LinkBook book;
  book.set_site("http://h/");
  for (const char* const target : {"http://h/a", "http://h/a#x", "http://x/b", "http://h/r",
                                   "http://h/done?q", "http://h/out/c"})
    link(book, target);
  settle_redirect(book, "http://h/r", "http://x/c", Outcome::kRedirect);
  book.settle(settled("http://h/done"));
  book.set_outside("http://h/out/");
  const auto unanswered = [&book](bool on_site) {
    std::string out;
    book.each_unanswered(on_site, [&out](std::string_view url) { out.append(url).append(" "); });
    return out;
  };
  EXPECT_EQ(unanswered(true), "http://h/a ");
  EXPECT_EQ(unanswered(false), "http://x/b http://x/c ");
  EXPECT_TRUE(book.recall("http://x/b#any"));
  EXPECT_FALSE(book.recall("http://x/b"));
  EXPECT_FALSE(book.recall("http://x/nobody"));
  EXPECT_FALSE(book.recall("mailto:a@b"));
  EXPECT_EQ(unanswered(false), "http://x/c ");
}

TEST(LinkBook, ThoseThatAreWantedAndTheCountsOfOthersAreAll) {
  LinkBook book;
  for (int i = 0; i != 30; ++i) {
    const std::string url = "http://h/" + std::to_string(i);
    link(book, url, "http://h/p" + std::to_string(i % 4));
    if (i % 3 != 0) book.settle(settled(url, i % 3 == 1 ? Outcome::kOk : Outcome::kGone));
  }
  settle_ids(book, "http://h/p1", "");
  // The page's links are replaced.
  settle_ids(book, "http://h/p1", "");
  LinkBook::Counts all{};
  std::vector<std::uint32_t> numbers;
  book.judge([&](const Finding& finding) {
    ++all[static_cast<std::size_t>(finding.verdict)];
    numbers.push_back(finding.number);
  });
  LinkBook::Verdicts dead{};
  dead[static_cast<std::size_t>(Verdict::kDead)] = true;
  LinkBook::Counts given{};
  const LinkBook::Counts others = book.judge(dead, [&](const Finding& finding) {
    ++given[static_cast<std::size_t>(finding.verdict)];
    std::string once;
    std::string again = told(finding) + std::string(finding.target) + finding.place();
    book.judge_one(finding.number, [&once](const Finding& same) {
      once = told(same) + std::string(same.target) + same.place();
    });
    EXPECT_EQ(once, again);
  });
  EXPECT_EQ(given[static_cast<std::size_t>(Verdict::kDead)],
            all[static_cast<std::size_t>(Verdict::kDead)]);
  for (std::size_t i = 0; i != kVerdictCount; ++i) EXPECT_EQ(given[i] + others[i], all[i]);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  for (std::uint32_t number = 0; number != book.link_count(); ++number) {
    bool told = false;
    book.judge_one(number, [&told](const Finding&) { told = true; });
    EXPECT_EQ(told, std::binary_search(numbers.begin(), numbers.end(), number)) << number;
  }
}

TEST(LinkBook, PlacesAreForPeople) {
  Finding finding;
  finding.page = "http://h/";
  EXPECT_EQ(finding.place(), "http://h/");
  finding.line = 3;
  EXPECT_EQ(finding.place(), "http://h/:3");
  finding.column = 7;
  EXPECT_EQ(finding.place(), "http://h/:3:7");
  finding.file = "a\x1B[2J\n.md";
  EXPECT_EQ(finding.place(), "a [2J .md:3:7");
}

TEST(LinkBook, BugAPageThatIsNoUrlBroughtItsControlsToTheTerminal) {
  LinkBook book;
  link(book, "http://h/x", "no url \x1B[2J");
  std::string place;
  book.judge([&place](const Finding& finding) { place = finding.place(); });
  EXPECT_EQ(place, "no url  [2J");
}

TEST(LinkBook, NumbersThatAreTooLargeAreTheLargest) {
  LinkBook book;
  book.add_link({.page = "http://h/",
                 .target = "http://h/x",
                 .tag = "",
                 .line = UINT64_MAX,
                 .column = UINT64_MAX});
  SettledPage page = settled("http://h/x", Outcome::kGone, 4'000'000'000u);
  book.settle(page);
  book.judge([](const Finding& finding) {
    EXPECT_EQ(finding.line, UINT32_MAX);
    EXPECT_EQ(finding.column, (1u << 23) - 1);
    EXPECT_EQ(finding.reason, "65535 gone");
  });
}

}  // namespace
}  // namespace spinneret::check
