// SPDX-License-Identifier: Apache-2.0
// What a request says, and where a redirect leads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/redirect.h"
#include "http/request_head.h"

namespace spinneret {
namespace {

Url url_of(std::string_view text) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  return url;
}

TEST(WireUrl, HasNoFragmentAndNoSecret) {
  EXPECT_EQ(wire_url(url_of("http://user:secret@example.com:8080/a?b#c")),
            "http://example.com:8080/a?b");
  EXPECT_EQ(wire_url(url_of("https://example.com:443")), "https://example.com/");
  EXPECT_EQ(wire_url(url_of("http://[2001:DB8::1]/?")), "http://[2001:db8::1]/?");
}

TEST(Validators, OnlyWhatIsAFieldValue) {
  FetchRequest request;
  std::vector<std::string> lines;
  EXPECT_FALSE(add_validators(request, lines));
  request.etag = "\"v1\"\r\nX: y";
  request.last_modified = std::string(4096, 'x');
  EXPECT_FALSE(add_validators(request, lines));
  EXPECT_TRUE(lines.empty());
  request.etag = "W/\"v1\"";
  EXPECT_TRUE(add_validators(request, lines));
  EXPECT_EQ(lines, std::vector<std::string>{"If-None-Match: W/\"v1\""});
}

TEST(Confidences, ToEachOriginItsOwn) {
  const AuthTable auth = AuthTable::parse("https://a.example bearer t\n").take();
  FetchRequest request;
  request.referer = "https://a.example/page#x";
  std::vector<std::string> lines;
  add_confidences(request, url_of("https://a.example/"), auth, lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"Referer: https://a.example/page",
                                             "Authorization: Bearer t"}));
  for (const char* other :
       {"http://a.example/", "https://a.example:8443/", "https://b.a.example/"}) {
    lines.clear();
    add_confidences({}, url_of(other), auth, lines);
    EXPECT_TRUE(lines.empty()) << other;
  }
}

FetchResult redirect_to(std::string_view location) {
  FetchResult result;
  result.outcome = Outcome::kRedirect;
  result.location = location;
  return result;
}

TEST(NextHop, ResolvesWhetherFollowedOrNot) {
  const Url at = url_of("http://example.com/a/b?c");
  Url target;
  FetchResult result = redirect_to("../d#e");
  EXPECT_FALSE(next_hop(at, 0, result, target));
  EXPECT_EQ(result.location, "http://example.com/d#e");
  EXPECT_TRUE(result.error.empty());
  EXPECT_TRUE(next_hop(at, 1, result, target));
  EXPECT_EQ(target.href(), "http://example.com/d#e");
}

TEST(NextHop, SaysWhyNot) {
  const Url at = url_of("http://example.com/");
  Url target;
  FetchResult result = redirect_to("");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.error, "redirect without Location");
  result = redirect_to("http://[");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.location, "http://[");
  EXPECT_TRUE(result.error.starts_with("redirect to what is no URL")) << result.error;
  result = redirect_to("file:///etc/passwd");
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_EQ(result.error, "redirect not followed: neither http nor https");
  result = redirect_to("/next");
  result.hops.resize(2);
  EXPECT_FALSE(next_hop(at, 2, result, target));
  EXPECT_EQ(result.error, "more than 2 redirects");
  result.outcome = Outcome::kOk;
  result.error.clear();
  EXPECT_FALSE(next_hop(at, 5, result, target));
  EXPECT_TRUE(result.error.empty());
}

TEST(AllowedOf, KeepsTheOrderAndNamesTheFirstThatIsNot) {
  const std::vector<IpAddress> all = {*parse_ip("10.0.0.1"), *parse_ip("93.184.216.34"),
                                      *parse_ip("::1"), *parse_ip("8.8.8.8")};
  std::string refused;
  const std::vector<IpAddress> allowed = AddressPolicy().allowed_of(all, refused);
  EXPECT_EQ(allowed, (std::vector<IpAddress>{all[1], all[3]}));
  EXPECT_EQ(refused, "10.0.0.1 is private");
}

}  // namespace
}  // namespace spinneret
