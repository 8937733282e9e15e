// SPDX-License-Identifier: Apache-2.0
// Rules apply to a URL in whatever way it is written.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "unit/policy/policy_fixture.h"
#include "url/percent.h"

namespace spinneret::policy {
namespace {

// Returns another way to write the same URL: RFC 3986, 6.2.2.1 and 6.2.2.2.
std::string with_needless_escapes(std::string_view url, std::mt19937& random) {
  std::string out;
  const std::size_t path = url.find('/', url.find("://") + 3);
  for (std::size_t at = 0; at < url.size(); ++at) {
    const char c = url[at];
    if (at > path && is_escape(url, at)) {  // its hex digits may be in either case
      out += '%';
      out += random() % 2 == 0 ? to_lower(url[at + 1]) : url[at + 1];
      out += random() % 2 == 0 ? to_lower(url[at + 2]) : url[at + 2];
      at += 2;
    } else if (at > path && is_unreserved(c) && random() % 3 == 0) {
      std::string escape;
      append_escape(escape, c);
      out += random() % 2 == 0 ? to_lower_copy(escape) : escape;
    } else {
      out += c;
    }
  }
  return out;
}

TEST(Escapes, LeadAroundNoRule) {
  const char* const rules[] = {
      "deny-path ^/private/",
      "deny-path ^/%70rivate/ /%c3%bc /~u$ %2e$",
      "deny-query (^|&)sid=",
      "deny-url /private/",
      "deny-prefix http://h/pri",
      "deny-prefix http://h/%70ri",
      "deny-extension gif",
      "scope under\nseed http://h/%70rivate/",
      "query-parameters /private/a id",
      "query-parameters strip /%70rivate/* id",
      "budget /private/ 1",
      "trap repeated-segments",
      "trap session-ids reject",
      "trap calendar",
      "max-segment-repeats 2",
      "order first-match\nallow-path ^/private/x\ndefault deny",
  };
  const char* const urls[] = {
      "http://h/private/",
      "http://h/private/x?sid=1",
      "http://h/a.gif",
      "http://h/%C3%BC/~u",
      "http://h/a/b/a/b/a/b",
      "http://h/private/a?id=1&b=2",
      "http://h/?PHPSESSID=47&a=%26",
      "http://h/calendar/2131/04",
      "http://h/%2Fprivate/",
      "http://h/a;jsessionid=1",
      "http://h/%25%32",
      "http://h/x%ZZ/private/%",
  };
  std::mt19937 random(7);
  for (const char* rule : rules) {
    for (const char* url : urls) {
      Court plain(rule);
      Court evaded(rule);
      for (int i = 0; i < 20; ++i) {
        const std::string other = with_needless_escapes(url, random);
        const Verdict as_is = plain.judge(url);
        const Verdict now = evaded.judge(other);
        ASSERT_EQ(now.accepted, as_is.accepted) << rule << ": " << other;
        ASSERT_EQ(now.line, as_is.line) << rule << ": " << other;
        ASSERT_EQ(now.rewritten, as_is.rewritten) << rule << ": " << other;
        ASSERT_EQ(evaded.state().rewritten().href(), plain.state().rewritten().href()) << rule;
      }
    }
  }
}

// A different URL stays a different one.
TEST(Escapes, AreNotUndoneWhereTheyMatter) {
  Court court("deny-path ^/private/ ^/a&b");
  court.expect_passed(
      {"http://h/private%2F", "http://h//private/", "http://h/a%26b", "http://h/%2570rivate/"});
  EXPECT_FALSE(court.passes("http://h/x/%2e%2E/private/"));
  EXPECT_FALSE(court.judge("http://h/b/%70rivate").rewritten);
}

TEST(Escapes, OfThePageALinkWasFoundOn) {
  Court court("deny-via ^http://h/%70rivate/");
  EXPECT_FALSE(court.passes("http://h/x", {.via = "http://h/private/", .tag = "a@href"}));
  EXPECT_FALSE(court.passes("http://h/x", {.via = "http://h/p%72ivate/", .tag = "a@href"}));
}

}  // namespace
}  // namespace spinneret::policy
