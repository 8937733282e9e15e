// SPDX-License-Identifier: Apache-2.0
// What each directive does, in the order of man 5 spinneret-policy.
#include "policy/judge.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/policy/policy_fixture.h"

namespace spinneret::policy {
namespace {

TEST(Judge, WithoutRulesEverythingPasses) {
  Court court("");
  court.expect_passed({"http://h/", "mailto:a@b", "data:,x"});
  EXPECT_EQ(court.judge("http://h/").reason, Reason::kNone);
}

// --- right before a fetch -----------------------------------------------------------------------

TEST(BeforeFetch, ASeedIsRefusedByDenyRulesAlone) {
  Court court(
      "scope host\nseed http://h/\nallow-path ^/docs/\ndeny-path ^/private/\n"
      "max-url-length 30\ntrap repeated-segments\nquery none\n",
      Moment::kFetch);
  EXPECT_TRUE(court.passes("http://other/"));
  EXPECT_TRUE(court.passes("http://h/a/a/a/a?a-rather-long-query-string", {.depth = "0"}));
  EXPECT_EQ(court.line("http://h/private/"), 4u);
  EXPECT_EQ(court.line("http://h/x", {.depth = "1"}), 3u);
  EXPECT_EQ(court.line("http://i/docs/", {.depth = "1"}), 1u);
}

TEST(BeforeFetch, NothingIsBookedAndNothingRewritten) {
  Court court("budget total 1\nquery strip\ndeny-query x\n", Moment::kFetch);
  for (const char* url : {"http://h/1", "http://h/2", "http://h/3"}) {
    EXPECT_TRUE(court.passes(url, {.depth = "1"}));
  }
  EXPECT_TRUE(court.passes("http://h/?x", {.depth = "1"}));
  EXPECT_FALSE(court.state().verdict().rewritten);
}

TEST(Classes, AnAcceptedUrlHasNone) {
  Court court("deny-path x\n");
  court.judge("http://h/");
  EXPECT_EQ(court.state().refusal_class(), "");
  court.judge("http://h/x");
  EXPECT_EQ(court.state().refusal_class(), "path");
}

// Which lines must go for a URL to pass: a judge that leaves lines out is compared with policies
// that are built without them.
TEST(LeaveOut, IsAsAPolicyWithoutTheLine) {
  const std::string lines[] = {"deny-path ^/a",
                               "deny-url b",
                               "deny-host h",
                               "max-url-length 5",
                               "query none",
                               "traps default",
                               "trap repeated-segments 2",
                               "budget /a 0",
                               "budget host 0",
                               "deny-extension gif",
                               "deny-rel nofollow",
                               "max-path-segments 1",
                               "deny-query q",
                               "[h]",
                               "max-path-segments 2",
                               "deny-path a",
                               "trap session-ids reject",
                               "allow-path ^/z",
                               "allow-path ^/y",
                               "order allow-deny",
                               "default deny",
                               "scope host",
                               "seed http://other/"};
  Url url;
  ASSERT_TRUE(parse("http://h/a/b/b/b/c.gif?q&PHPSESSID=1&w=2", url));
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (const std::string& line : lines) {
      if (random() % 2 == 0) text += line + '\n';
    }
    PolicyBuilder builder;
    builder.add_text(text, "p");
    const Policy policy = builder.build();
    if (!builder.remarks().empty()) continue;  // a setting given twice: see Judge::leave_out
    Judge judge(policy, 0);
    std::vector<Place> gone;
    for (int step = 0; step < 40; ++step) {
      PolicyBuilder without;
      without.leave_out(gone);
      without.add_text(text, "p");
      const Policy rest = without.build();
      Judge slow(rest, 0);
      const Verdict fast_verdict = judge.judge(url, {.rel = "nofollow"});
      const Verdict& slow_verdict = slow.judge(url, {.rel = "nofollow"});
      ASSERT_EQ(fast_verdict.accepted, slow_verdict.accepted) << text;
      ASSERT_EQ(fast_verdict.reason, slow_verdict.reason) << text;
      if (fast_verdict.accepted) break;
      const Place place = policy.lines.place(fast_verdict.line);
      ASSERT_EQ(place.line, rest.lines.place(slow_verdict.line).line) << text;
      for (std::uint32_t i = 0; i < policy.lines.size(); ++i) {
        const Line& line = policy.lines[i];
        const bool same_part = fast_verdict.reason == Reason::kNotAllowed &&
                               line.verb == Verb::kAllow &&
                               line.part == policy.lines[fast_verdict.line].part;
        if (i != fast_verdict.line && !same_part) continue;
        judge.leave_out(i);
        gone.push_back(policy.lines.place(i));
      }
    }
  }
}

// --- sections -----------------------------------------------------------------------------------

// Bug: 100,000 sections of one host took 1.1 s for each change of host.
TEST(Sections, OneThatNamesAHostTwiceStandsAtItsLastPlace) {
  for (const int more : {0, 30}) {
    std::string text =
        "[.example w.a.example]\nmax-url-length 50\n[.a.example]\nmax-url-length 30\n";
    for (int i = 0; i < more; ++i) text += "[.example .test]\nmax-path-segments 9\n";
    Court court(text);
    EXPECT_TRUE(court.passes("http://w.a.example/0123456789012345678901234"));
    EXPECT_FALSE(court.passes("http://v.a.example/0123456789012345678901234"));
    EXPECT_TRUE(court.passes("http://w.b.example/0123456789012345678901234"));
    EXPECT_FALSE(court.passes("http://w.a.example/01234567890123456789012345678901234567890"));
  }
}

TEST(Sections, RulesAddUpAndSettingsGiveWay) {
  Court court(
      "deny-path ^/all/\n"
      "max-query-length 5\n"
      "[a.example]\n"
      "deny-path ^/a/\n"
      "max-query-length 10\n"
      "[*]\n"
      "deny-path ^/both/\n");
  court.expect_refused({"http://a.example/all/", "http://a.example/a/", "http://a.example/both/"});
  court.expect_passed({"http://a.example/?1234567", "http://b.example/a/"});
  court.expect_refused({"http://b.example/both/", "http://b.example/?1234567"});
}

TEST(Sections, TheMoreSpecificOneHasTheLastWord) {
  Court court(
      "[www.a.example]\nmax-depth 3\n"
      "[.a.example]\nmax-depth 2\n"
      "[.example]\nmax-depth 1\n"
      "[off.a.example]\nmax-depth off\n");
  EXPECT_TRUE(court.passes("http://www.a.example/", {.depth = "3"}));
  EXPECT_FALSE(court.passes("http://a.example/", {.depth = "3"}));
  EXPECT_TRUE(court.passes("http://a.example/", {.depth = "2"}));
  EXPECT_FALSE(court.passes("http://b.example/", {.depth = "2"}));
  EXPECT_TRUE(court.passes("http://off.a.example/", {.depth = "99"}));
  EXPECT_TRUE(court.passes("http://other/", {.depth = "99"}));
}

TEST(Sections, AnAllowRuleBindsItsHostsOnly) {
  Court court("[a.example]\nallow-path ^/docs/\n");
  EXPECT_FALSE(court.passes("http://a.example/"));
  court.expect_passed({"http://a.example/docs/", "http://b.example/"});
}

TEST(Sections, ThousandsAreFoundByHost) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "[h" + std::to_string(i) + ".example]\ndeny-path ^/x" + std::to_string(i) + "$\n";
  }
  Court court(text);
  EXPECT_FALSE(court.passes("http://h4711.example/x4711"));
  court.expect_passed({"http://h4711.example/x4712", "http://h5000.example/x4711"});
}

// --- allow and deny -----------------------------------------------------------------------------

TEST(Parts, EachLooksAtItsOwn) {
  Court court(
      "deny-scheme FTP:\n"
      "deny-host h.example *.below.example\n"
      "deny-domain d.example ru\n"
      "deny-site www.s.co.uk\n"
      "deny-url ^https://u\\.example/$\n"
      "deny-path ^/p(/|$)\n"
      "deny-query (^|&)q=\n"
      "deny-prefix http://f.example/pre\n"
      "deny-extension gif|.JPG *.tar.gz\n");
  const std::pair<const char*, std::uint32_t> rows[] = {{"ftp://x.example/", 1},
                                                        {"http://h.example/", 2},
                                                        {"http://w.h.example/", 0},
                                                        {"http://below.example/", 0},
                                                        {"http://w.below.example/", 2},
                                                        {"http://d.example/", 3},
                                                        {"http://w.d.example/", 3},
                                                        {"http://a.b.ru/", 3},
                                                        {"http://peru/", 0},
                                                        {"http://x.s.co.uk/", 4},
                                                        {"http://s.co.uk/", 4},
                                                        {"http://t.co.uk/", 0},
                                                        {"https://u.example/", 5},
                                                        {"https://u.example/x", 0},
                                                        {"http://x/p", 6},
                                                        {"http://x/p/q", 6},
                                                        {"http://x/pq", 0},
                                                        {"http://x/?q=1", 7},
                                                        {"http://x/?a&q=", 7},
                                                        {"http://x/?aq=1", 0},
                                                        {"http://f.example/prefix?x", 8},
                                                        {"http://f.example/pr", 0},
                                                        {"http://x/a.gif", 9},
                                                        {"http://x/a.JPG?x=.html", 9},
                                                        {"http://x/a.tar.gz", 9},
                                                        {"http://x/a.gz", 0},
                                                        {"http://x/gif", 0},
                                                        {"http://x/.gif", 0},
                                                        {"http://x/a.gif/b", 0},
                                                        {"http://x/a.gif.", 0}};
  for (const auto& [url, line] : rows) EXPECT_EQ(court.line(url), line) << url;
}

TEST(Parts, AllowRulesOfDifferentPartsAreAllNeeded) {
  Court court(
      "allow-host a.example\n"
      "allow-domain b.example\n"
      "allow-path ^/docs/\n"
      "allow-path ^/$\n"
      "allow-extension html -\n");
  court.expect_passed({"http://a.example/docs/x.html", "http://w.b.example/"});
  court.expect_refused(
      {"http://c.example/docs/", "http://a.example/other/", "http://a.example/docs/x.pdf"});
  EXPECT_EQ(court.line("http://a.example/other/"), 3U);
}

TEST(Order, DenyAllowIsTheDefault) {
  Court court("allow-path ^/a\ndeny-path ^/a/b\n");
  EXPECT_TRUE(court.passes("http://h/a"));
  court.expect_refused({"http://h/a/b", "http://h/c"});
}

TEST(Order, AllowDenyMakesExceptions) {
  Court court("order allow-deny\ndeny-path ^/a\nallow-path ^/a/b\n");
  EXPECT_FALSE(court.passes("http://h/a"));
  court.expect_passed({"http://h/a/b", "http://h/c"});
  EXPECT_EQ(court.judge("http://h/a/b").reason, Reason::kAllowed);
}

TEST(Order, FirstAndLastMatch) {
  const std::string rules = "deny-path ^/a/b\nallow-path ^/a\ndeny-path ^/\n";
  Court first("order first-match\n" + rules);
  EXPECT_EQ(first.line("http://h/a/b"), 2U);
  EXPECT_TRUE(first.passes("http://h/a"));
  EXPECT_FALSE(first.passes("http://h/c"));
  Court last("order last-match\n" + rules);
  EXPECT_FALSE(last.passes("http://h/a"));
  EXPECT_EQ(last.line("http://h/a/b"), 4U);
}

TEST(Order, DefaultDeny) {
  for (const char* order : {"deny-allow", "allow-deny", "first-match", "last-match"}) {
    Court court(std::string("order ") + order + "\ndefault deny\nallow-path ^/a\n");
    EXPECT_TRUE(court.passes("http://h/a")) << order;
    EXPECT_FALSE(court.passes("http://h/b")) << order;
  }
  Court open("order first-match\nallow-path ^/a\n");
  EXPECT_TRUE(open.passes("http://h/b"));
}

TEST(Tags, TheFirstRuleThatSetsAFieldDoes) {
  Court court(
      "tag-path ^/news/ priority=10\n"
      "tag-host h.example priority=5 realm=h\n"
      "deny-path ^/no\n");
  ASSERT_TRUE(court.passes("http://h.example/news/"));
  EXPECT_EQ(court.state().tags(), (std::vector<std::uint32_t>{0, 1}));
  ASSERT_TRUE(court.passes("http://other/"));
  EXPECT_TRUE(court.state().tags().empty());
}

TEST(Types, AreForCandidatesThatHaveOneAndForResults) {
  Court court("allow-type text/html application/xhtml+xml text/*\ndeny-type text/x-bad\n");
  EXPECT_TRUE(court.passes("http://h/"));
  EXPECT_TRUE(court.passes("http://h/", {.type = "Text/HTML; charset=x"}));
  EXPECT_TRUE(court.passes("http://h/", {.type = "text/plain"}));
  EXPECT_FALSE(court.passes("http://h/", {.type = "text/x-bad"}));
  EXPECT_FALSE(court.passes("http://h/", {.type = "image/png"}));
  Url url;
  ASSERT_TRUE(parse("http://h/", url));
  EXPECT_FALSE(court.state().judge_result(url, {.type = "image/png"}).accepted);
  EXPECT_TRUE(court.state().judge_result(url, {.type = ""}).accepted);
}

// Reads a list of types as fetch does: the first pattern that matches decides; a type that none
// matches is refused if any pattern accepts.
bool list_takes(std::string_view list, std::string_view type) {
  bool takes_any = false;
  while (!list.empty()) {
    std::string_view pattern = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), pattern.size() + 1));
    const bool takes = !pattern.starts_with('!');
    takes_any |= takes;
    if (is_media_type(type, pattern.substr(takes ? 0 : 1))) return takes;
  }
  return !takes_any;
}

TEST(Types, AreListedForAFetchAsTheResultWouldBeJudged) {
  const char* const rules[] = {"allow-type text/html\n",
                               "deny-type image/* text/x-bad\n",
                               "allow-type text/* image/png\n",
                               "deny-type *\n",
                               "[a.example]\nallow-type application/pdf\n",
                               "[a.example]\ndeny-type text/html\n[*]\n"};
  for (const char* order : {"deny-allow", "allow-deny", "first-match", "last-match"}) {
    for (unsigned mask = 0; mask < 64; ++mask) {
      std::string text = std::string("order ") + order + "\n";
      for (unsigned i = 0; i < 6; ++i) {
        if ((mask >> i & 1) != 0) text += rules[i];
      }
      Court court(text, Moment::kFetch);
      for (const char* page : {"http://a.example/", "http://b.example/"}) {
        Url url;
        ASSERT_TRUE(parse(page, url));
        for (const char* type : {"text/html", "text/x-bad", "image/png", "image/gif",
                                 "application/pdf", "video/mp4"}) {
          const bool accepted = court.state().judge_result(url, {.type = type}).accepted;
          EXPECT_EQ(list_takes(court.state().types(), type), accepted)
              << text << page << ' ' << type << ": " << court.state().types();
        }
      }
    }
  }
}

TEST(Types, OfAResultAreJudgedAlone) {
  Court court("default deny\nallow-path ^/a\nmax-depth 0\nallow-type text/html\n");
  Url url;
  ASSERT_TRUE(parse("http://h/b", url));
  EXPECT_TRUE(court.state().judge_result(url, {.type = "text/html"}).accepted);
  EXPECT_FALSE(court.state().judge_result(url, {.type = "text/css"}).accepted);
}

// --- rules on the link and the address ----------------------------------------------------------

TEST(Links, EachRuleLooksAtItsField) {
  Court court(
      "deny-rel nofollow NoIndex\ndeny-tag iframe img@src @data-url\ndeny-via "
      "^https?://spam\\.example/\n"
      "deny-text \"(?i)^log ?out$\"\n");
  const auto link = [&](Facts facts) {
    if (!facts.tag) facts.tag = "a@href";
    return court.line("http://h/", facts);
  };
  EXPECT_EQ(link({.rel = "external nofollow"}), 1u);
  EXPECT_EQ(link({.rel = "NOINDEX"}), 1u);
  EXPECT_EQ(link({.rel = "nofollower"}), 0u);
  EXPECT_EQ(link({}), 0u);
  EXPECT_EQ(link({.tag = "iframe@src"}), 2u);
  EXPECT_EQ(link({.tag = "img@src"}), 2u);
  EXPECT_EQ(link({.tag = "img@srcset"}), 0u);
  EXPECT_EQ(link({.tag = "div@data-url"}), 2u);
  EXPECT_EQ(link({.via = "HTTP://SPAM.example:80/x"}), 3u);
  EXPECT_EQ(link({.via = "http://h/spam.example/"}), 0u);
  EXPECT_EQ(link({.text = "Log out"}), 4u);
  EXPECT_EQ(link({.text = "Log outs"}), 0u);
  EXPECT_EQ(court.judge("http://h/", {.rel = "nofollow"}).reason, Reason::kDenied);
  EXPECT_EQ(court.state().refusal_class(), "rel");
}

TEST(Links, ALinkWithoutRelHasAnEmptyOneAndAPageHasNone) {
  Court allows("allow-rel next -\n");
  EXPECT_TRUE(allows.passes("http://h/", {.tag = "a@href"}));
  EXPECT_TRUE(allows.passes("http://h/", {.rel = "prev next", .tag = "a@href"}));
  EXPECT_FALSE(allows.passes("http://h/", {.rel = "prev", .tag = "a@href"}));
  Court without("deny-rel -\ndeny-text ^$\n");
  EXPECT_EQ(without.line("http://h/", {.tag = "a@href"}), 1u);
  EXPECT_EQ(without.line("http://h/", {.rel = "x", .tag = "a@href"}), 2u);
  EXPECT_TRUE(without.passes("http://h/"));
  EXPECT_TRUE(without.passes("http://h/", {.depth = "2", .via = "http://i/"}));
}

// In any order of rules, a page is judged again without the link by which it was accepted.
TEST(Links, WhatIsNotKnownRefusesNothing) {
  for (const char* order : {"deny-allow", "allow-deny", "first-match", "last-match"}) {
    for (const char* rules :
         {"allow-text Download\ndeny-path ^/\n", "deny-path ^/\nallow-text Download\n",
          "allow-rel next\n", "allow-tag a\nallow-via ^http://hub/\n", "deny-rel nofollow\n"}) {
      for (const char* other : {"", "default deny\n"}) {
        const std::string text = std::string("order ") + order + "\n" + other + rules;
        Court found(text);
        Court queued(text, Moment::kFetch);
        const bool accepted = found.passes("http://h/x", {.depth = "1",
                                                          .via = "http://hub/",
                                                          .rel = "next",
                                                          .tag = "a@href",
                                                          .text = "Download"});
        EXPECT_TRUE(!accepted || queued.passes("http://h/x", {.depth = "1"})) << text;
      }
    }
  }
  Court denies("deny-via .\n");
  EXPECT_FALSE(denies.passes("http://h/", {.via = "http://i/"}));
  EXPECT_TRUE(denies.passes("http://h/"));
}

TEST(Links, BelongToTheirSection) {
  Court court("[.a.example]\ndeny-rel nofollow\n[b.example]\ntag-text News priority=9\n");
  const Facts link{.rel = "nofollow", .tag = "a@href", .text = "News"};
  EXPECT_FALSE(court.passes("http://www.a.example/", link));
  EXPECT_TRUE(court.passes("http://b.example/", link));
  EXPECT_EQ(court.state().tags().size(), 1u);
  EXPECT_TRUE(court.passes("http://c.example/", link));
  EXPECT_TRUE(court.state().tags().empty());
}

TEST(Addresses, AreThoseOfTheHostOrOfTheFieldIp) {
  Court court("deny-address 10.0.0.0/8 2001:db8::/32 192.0.2.7\n");
  court.expect_refused({"http://10.1.2.3/", "http://0xA.1/", "http://[2001:db8::1]/"});
  court.expect_passed({"http://11.1.2.3/", "http://h/"});
  EXPECT_FALSE(court.passes("http://h/", {.ip = "192.0.2.7"}));
  EXPECT_TRUE(court.passes("http://h/", {.ip = "192.0.2.8"}));
  EXPECT_TRUE(court.passes("http://h/", {.ip = "not an address"}));
  // A host that is written as a mapped address leads to the same place.
  court.expect_refused({"http://[::ffff:10.1.2.3]/", "http://[::ffff:c000:207]/"});
  EXPECT_FALSE(court.passes("http://h/", {.ip = "::ffff:10.1.2.3"}));
  EXPECT_TRUE(court.passes("http://[::fffe:10.1.2.3]/"));
  // So does an address behind NAT64.
  EXPECT_FALSE(court.passes("http://h/", {.ip = "64:ff9b::10.1.2.3"}));
  EXPECT_TRUE(court.passes("http://h/", {.ip = "64:ff9b::11.1.2.3"}));
  EXPECT_FALSE(Court("deny-address ::/1").passes("http://[64:ff9b::11.1.2.3]/"));
  Court mapped("deny-address ::ffff:10.0.0.0/104\n");
  mapped.expect_refused({"http://10.1.2.3/", "http://[::ffff:10.1.2.3]/"});
  EXPECT_TRUE(mapped.passes("http://11.1.2.3/"));
  // A range of IPv6 that contains the mapped addresses, too, contains no IPv4 address.
  for (const char* const range : {"::/0", "::/8", "::/80"}) {
    Court six(std::string("deny-address ") + range + "\n");
    EXPECT_TRUE(six.passes("http://10.1.2.3/")) << range;
    EXPECT_TRUE(six.passes("http://h/", {.ip = "192.0.2.7"})) << range;
    EXPECT_FALSE(six.passes("http://[::ffff:10.1.2.3]/")) << range;
    EXPECT_FALSE(Court(std::string("allow-address ") + range).passes("http://10.1.2.3/")) << range;
  }
  EXPECT_FALSE(Court("deny-address ::ffff:0:0/96").passes("http://10.1.2.3/"));
  Court allows("allow-address 192.0.2.0/24\n");
  EXPECT_TRUE(allows.passes("http://192.0.2.1/"));
  EXPECT_FALSE(allows.passes("http://192.0.3.1/"));
  EXPECT_TRUE(allows.passes("http://h/"));
  EXPECT_FALSE(allows.passes("http://h/", {.ip = "192.0.3.1"}));
}

TEST(Addresses, OfAResultAreJudgedWithItsTypeAndNoRuleBesides) {
  Court court(
      "order first-match\nallow-rel x\ndeny-address 10.0.0.0/8\ndeny-type image/*\ndefault deny\n");
  Url url;
  ASSERT_TRUE(parse("http://h/", url));
  EXPECT_FALSE(court.state().judge_result(url, {.type = "text/html", .ip = "10.0.0.1"}).accepted);
  EXPECT_EQ(court.state().refusal_class(), "address");
  EXPECT_FALSE(court.state().judge_result(url, {.type = "image/png", .ip = "11.0.0.1"}).accepted);
  EXPECT_EQ(court.state().refusal_class(), "type");
  EXPECT_TRUE(court.state().judge_result(url, {.type = "text/html", .ip = "11.0.0.1"}).accepted);
  EXPECT_TRUE(court.state().judge_result(url, {}).accepted);
}

// --- scope --------------------------------------------------------------------------------------

TEST(Scope, BySeeds) {
  Court court("scope host\nseed http://a.example/x http://b.example/\n");
  court.expect_passed({"http://a.example/y", "https://b.example/"});
  EXPECT_FALSE(court.passes("http://c.example/", {.via = "http://c.example/"}));
  EXPECT_EQ(court.judge("http://c.example/").reason, Reason::kOutOfScope);
}

TEST(Scope, ByThePageWithoutSeeds) {
  Court court("scope domain\n");
  EXPECT_TRUE(court.passes("http://a.example/"));
  EXPECT_TRUE(court.passes("http://w.a.example/", {.via = "http://a.example/x"}));
  EXPECT_FALSE(court.passes("http://b.example/", {.via = "http://a.example/x"}));
  EXPECT_FALSE(court.passes("http://b.example/", {.via = "nonsense"}));
}

TEST(Scope, OffsiteHopsAreCountedAlongTheWay) {
  Court court("scope host\nseed http://a.example/\nmax-offsite-hops 2\n");
  EXPECT_TRUE(court.passes("http://b.example/", {.via = "http://a.example/"}));
  EXPECT_TRUE(court.passes("http://c.example/", {.via = "http://b.example/"}));
  EXPECT_FALSE(court.passes("http://d.example/", {.via = "http://c.example/"}));
  EXPECT_TRUE(court.passes("http://a.example/2", {.via = "http://c.example/"}));
  EXPECT_TRUE(court.passes("http://d.example/", {.via = "http://a.example/2"}));  // a shorter way
  EXPECT_FALSE(court.passes("http://e.example/", {.via = "http://never-seen.example/"}));
  EXPECT_FALSE(court.passes("http://e.example/"));
}

TEST(Booked, IsWhatALaterJudgeHasToKnow) {
  const char* const kPolicy =
      "traps default\nbudget ^http://a.example/p 2\nscope host\nseed http://a.example/\n"
      "max-offsite-hops 3\n";
  const auto booked = [](Court& court, std::string_view url, std::string_view via = {}) {
    const Verdict verdict = court.judge(url, {.via = via});
    return verdict.accepted && verdict.booked;
  };
  Court court(kPolicy);
  EXPECT_TRUE(booked(court, "http://a.example/p1"));
  EXPECT_FALSE(booked(court, "http://a.example/p1")) << "before";
  EXPECT_FALSE(booked(court, "http://a.example/8")) << "counted by a trap alone";
  EXPECT_TRUE(booked(court, "http://b.example/", "http://a.example/"));
  EXPECT_TRUE(booked(court, "http://c.example/", "http://b.example/"));
  EXPECT_FALSE(booked(court, "http://d.example/", "http://c.example/")) << "no step further";
  EXPECT_TRUE(booked(court, "http://c.example/", "http://a.example/")) << "a shorter way";
  EXPECT_FALSE(booked(court, "http://c.example/", "http://b.example/"));

  Court later(kPolicy);
  EXPECT_TRUE(booked(later, "http://a.example/p1"));
  EXPECT_TRUE(booked(later, "http://c.example/", "http://a.example/"));
  EXPECT_TRUE(later.passes("http://d.example/", {.via = "http://c.example/"}));
  EXPECT_TRUE(later.passes("http://e.example/", {.via = "http://d.example/"}));
  EXPECT_TRUE(later.passes("http://a.example/p2"));
  EXPECT_FALSE(later.passes("http://a.example/p3"));
}

// --- limits -------------------------------------------------------------------------------------

TEST(Limits, AreInclusive) {
  Court court(
      "max-url-length 20\nmax-path-segments 2\nmax-parameters 2\nmax-query-length 6\nmax-depth "
      "2\n");
  EXPECT_TRUE(court.passes("http://h/01234567890"));
  EXPECT_EQ(limit_of(court.judge("http://h/012345678901")), "max-url-length");
  court.expect_passed({"http://h/01234567890#fragments-do-not-count", "http://h/a/b/"});
  EXPECT_EQ(limit_of(court.judge("http://h/a/b/c")), "max-path-segments");
  EXPECT_TRUE(court.passes("http://h/?a&b"));
  EXPECT_EQ(limit_of(court.judge("http://h/?a&b&c")), "max-parameters");
  EXPECT_TRUE(court.passes("http://h/?abcdef"));
  EXPECT_EQ(limit_of(court.judge("http://h/?abcdefg")), "max-query-length");
  EXPECT_EQ(limit_of(court.judge("http://h/", {.depth = "3"})), "max-depth");
  EXPECT_EQ(court.judge("http://h/", {.depth = "3"}).value, 3U);
  EXPECT_TRUE(court.passes("http://h/", {.depth = "not a number"}));
}

TEST(Limits, SegmentRepeatsWhereverTheyStand) {
  Court court("max-segment-repeats 2\n");
  EXPECT_TRUE(court.passes("http://h/a/x/a/y"));
  EXPECT_EQ(limit_of(court.judge("http://h/a/x/a/y/a")), "max-segment-repeats");
}

// --- queries ------------------------------------------------------------------------------------

TEST(Queries, NoneAndStrip) {
  Court none("query none\n");
  EXPECT_TRUE(none.passes("http://h/a"));
  none.expect_refused({"http://h/a?b", "http://h/a?"});
  Court strip("query strip\n");
  EXPECT_EQ(strip.passed("http://h/a?b#c"), "http://h/a#c");
  EXPECT_EQ(strip.passed("http://h/a"), "http://h/a");
}

TEST(Queries, ListedParametersGoBeforeTheRest) {
  Court court(
      "query none\n"
      "query-parameters /search q page\n"
      "query-parameters strip /shop/* id\n"
      "[a.example]\nquery any\nquery-parameters /search all\n");
  EXPECT_TRUE(court.passes("http://h/search?page=1&q=2"));
  EXPECT_EQ(court.line("http://h/search?page=1&x"), 2U);
  EXPECT_FALSE(court.passes("http://h/other?q=1"));
  EXPECT_EQ(court.passed("http://h/shop/x?id=1&sort=2"), "http://h/shop/x?id=1");
  EXPECT_EQ(court.passed("http://h/shop/x?sort=2"), "http://h/shop/x");
  court.expect_passed({"http://a.example/other?q=1", "http://a.example/search?all"});
  EXPECT_FALSE(court.passes("http://a.example/search?q"));
}

// --- traps and budgets --------------------------------------------------------------------------

TEST(Traps, DefaultCanBeOverruledOnEitherSide) {
  Court court(
      "max-url-length 5000\ntraps default\ntrap repeated-segments off\n[a.example]\ntrap calendar "
      "off\n");
  EXPECT_TRUE(court.passes("http://h/a/a/a/"));
  EXPECT_TRUE(court.passes("http://h/" + std::string(3000, 'x')));
  EXPECT_FALSE(court.passes("http://h/calendar/2040/01"));
  EXPECT_TRUE(court.passes("http://a.example/calendar/2040/01"));
}

TEST(Traps, EachByItself) {
  Court court(
      "trap repeated-segments\ntrap repeated-keys 3\ntrap calendar 1 1\ntrap session-ids reject\n"
      "trap growing 3\n");
  EXPECT_EQ(limit_of(court.judge("http://h/a/b/a/b/a/b")), "repeated-segments");
  EXPECT_EQ(limit_of(court.judge("http://h/?a=1&a=2&a=3")), "repeated-keys");
  EXPECT_EQ(limit_of(court.judge("http://h/2028/01/")), "calendar");
  EXPECT_EQ(limit_of(court.judge("http://h/?PHPSESSID=1")), "session-ids");
  EXPECT_EQ(limit_of(court.judge("http://h/a/b?c", {.depth = "3"})), "growing");
  EXPECT_TRUE(court.passes("http://h/a/b", {.depth = "3"}));
  EXPECT_TRUE(court.passes("http://h/a/b/c", {.depth = "2"}));
}

TEST(Traps, RedirectsInARow) {
  Court court("traps default\n");
  EXPECT_TRUE(court.passes("http://h/", {.depth = "30", .redirects = "20"}));
  EXPECT_EQ(limit_of(court.judge("http://h/", {.depth = "30", .redirects = "21"})), "redirects");
  EXPECT_EQ(limit_of(court.judge("http://h/", {.redirects = "99999999999999999999"})), "redirects");
  // The trap holds for URLs that are only checked, too: other sites' redirects must also end.
  EXPECT_EQ(limit_of(court.judge("http://h/", {.redirects = "21", .purpose = Purpose::kOther})),
            "redirects");
  EXPECT_TRUE(court.passes("http://h/", {.redirects = "x"}));
  Court one("trap redirects 1\n");
  EXPECT_FALSE(one.passes("http://h/", {.redirects = "2"}));
  Court none("traps default\ntrap redirects off\n");
  EXPECT_TRUE(none.passes("http://h/", {.redirects = "1000"}));
}

// Bug: a path without a host began with two slashes when its segment had been removed, and so the
// URL got a host.
TEST(Traps, ASessionIsTakenOutOfUrlsThatHaveAHostOnly) {
  Court court("traps default\nallow-scheme http x\n");
  const std::string session = "/(S(lit3py55t21z5v55vlm25s55))//evil/";
  EXPECT_EQ(court.passed("x:" + session), "x:" + session);
  EXPECT_EQ(court.passed("http://h" + session), "http://h//evil/");
}

TEST(Traps, RewritingComesFirstAndItsResultPassesAgain) {
  Court court("traps default\ndeny-query PHPSESSID\nmax-query-length 10\n");
  const std::string once = court.passed("http://h/a;jsessionid=1?PHPSESSID=0123456789&b=1");
  EXPECT_EQ(once, "http://h/a?b=1");
  EXPECT_EQ(court.passed(once), once);
}

TEST(Budgets, OfHostsDomainsPatternsAndAll) {
  Court court(
      "budget total 7\nbudget domain 4\nbudget host 2\nbudget /c/ 1\n[big.a.example]\nbudget host "
      "3\n");
  court.expect_passed({"http://a.example/1", "http://a.example/2", "http://a.example/1"});
  EXPECT_EQ(court.line("http://a.example/3"), 3U);
  EXPECT_TRUE(court.passes("http://b.example/c/1"));
  EXPECT_EQ(court.line("http://b.example/c/2"), 4U);
  court.expect_passed({"http://big.a.example/1", "http://big.a.example/2"});
  EXPECT_EQ(court.line("http://big.a.example/3"), 2U);
  court.expect_passed({"http://x.example/1", "http://y.example/1"});
  EXPECT_EQ(court.line("http://z.example/1"), 1U);
  EXPECT_TRUE(court.passes("http://b.example/c/1"));
}

TEST(Budgets, SitemapsCountForNone) {
  Court court("budget host 2\nbudget numbers 1\n");
  for (const char* map : {"http://h/map1.xml", "http://h/map2.xml", "http://h/map3.xml"}) {
    EXPECT_TRUE(court.passes(map, {.purpose = Purpose::kSitemap}));
  }
  EXPECT_TRUE(court.passes("http://h/a"));
  EXPECT_TRUE(court.passes("http://h/a.png", {.purpose = Purpose::kOther}));
  EXPECT_FALSE(court.passes("http://h/b.png", {.purpose = Purpose::kOther}));
}

TEST(Budgets, TheLearnedCapOfNumbers) {
  Court court("budget numbers 3\n");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(court.passes("http://h/p/" + std::to_string(i * 1000)));
  EXPECT_FALSE(court.passes("http://h/p/77"));
  court.expect_passed({"http://h/q/77", "http://i/p/77"});
  for (char c = 'a'; c < 'k'; ++c) EXPECT_TRUE(court.passes(std::string("http://h/p/") + c));
}

TEST(Budgets, WhatIsRefusedElsewhereCostsNothing) {
  Court court("budget host 1\ndeny-path ^/no\n");
  EXPECT_FALSE(court.passes("http://h/no"));
  EXPECT_TRUE(court.passes("http://h/yes"));
}

// --- explanations -------------------------------------------------------------------------------

TEST(Explain, NamesTheFigure) {
  Court court("max-depth 2\nmax-url-length 12\ndeny-path ^/x\n");
  court.judge("http://h/", {.depth = "5"});
  EXPECT_EQ(court.state().explain(), "depth 5 is too deep");
  court.judge("http://h/abcdefgh");
  EXPECT_EQ(court.state().explain(), "its 17 bytes are too many");
  court.judge("http://h/x");
  EXPECT_EQ(court.state().explain(), "denied by a rule");
  court.judge("http://h/");
  EXPECT_EQ(court.state().explain(), "no rule refuses it");
}

TEST(Explain, TellsWhatARewrittenUrlBecame) {
  Court court("query strip\n");
  court.judge("http://h/a?b");
  EXPECT_EQ(court.state().explain(), "no rule refuses it; passes as http://h/a");
}

}  // namespace
}  // namespace spinneret::policy
