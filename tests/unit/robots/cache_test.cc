// SPDX-License-Identifier: Apache-2.0
#include "robots/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace spinneret::robots {
namespace {

constexpr std::int64_t kNow = 1'000'000;

RobotsEntry sample() {
  RobotsEntry entry;
  entry.authority = "https://example.org:443";
  entry.source = "https://example.org/robots.txt";
  entry.state = RobotsState::kRules;
  entry.reason = "200";
  entry.fetched = 1'763'640'000;
  entry.expires = 1'763'726'400;
  entry.copied = 1'763'640'000;
  entry.body = std::string("User-agent: *\r\nDisallow: /\0\n", 28);
  return entry;
}

Url url_of(std::string_view text) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  return url;
}

TEST(RobotsCache, AuthorityHasItsPort) {
  EXPECT_EQ(robots_authority(url_of("https://u:p@Example.org/a?b")), "https://example.org:443");
  EXPECT_EQ(robots_authority(url_of("http://example.org:8080/")), "http://example.org:8080");
  EXPECT_EQ(robots_authority(url_of("http://[::1]/")), "http://[::1]:80");
  EXPECT_EQ(robots_authority(url_of("mailto:a@b")), "");
  EXPECT_EQ(robots_authority(url_of("file:///a")), "");
}

TEST(RobotsCache, RobotsUrlIsTheHosts) {
  EXPECT_EQ(robots_url(url_of("https://u:p@example.org/a?b#c")), "https://example.org/robots.txt");
  EXPECT_EQ(robots_url(url_of("http://example.org:8080")), "http://example.org:8080/robots.txt");
}

TEST(RobotsCache, EntriesGoThereAndBack) {
  for (const RobotsState state :
       {RobotsState::kRules, RobotsState::kAllowAll, RobotsState::kDisallowAll}) {
    RobotsEntry entry = sample();
    entry.state = state;
    const auto back = decode_entry(encode_entry(entry));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->authority, entry.authority);
    EXPECT_EQ(back->source, entry.source);
    EXPECT_EQ(back->state, state);
    EXPECT_EQ(back->reason, entry.reason);
    EXPECT_EQ(back->fetched, entry.fetched);
    EXPECT_EQ(back->expires, entry.expires);
    EXPECT_EQ(back->copied, entry.copied);
    EXPECT_EQ(back->body, entry.body);
  }
}

TEST(RobotsCache, FileIsReadableText) {
  const std::string text = encode_entry(sample());
  EXPECT_NE(text.find("\nstate: rules\nreason: 200\nfetched: 1763640000 2025-11-20T12:00:00Z\n"
                      "expires: 1763726400 2025-11-21T12:00:00Z\n"),
            std::string::npos)
      << text;
}

TEST(RobotsCache, AnyChangedByteIsDamage) {
  const std::string text = encode_entry(sample());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_entry(damaged)) << i;
    EXPECT_FALSE(decode_entry(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(decode_entry(text + "x"));
  EXPECT_FALSE(decode_entry(""));
}

TEST(RobotsCache, HostileReasonsStayOnTheirLine) {
  RobotsEntry entry = sample();
  entry.reason = "200\nstate: allow-all";
  const auto back = decode_entry(encode_entry(entry));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->state, RobotsState::kRules);
}

TEST(RobotsCache, NamesAreSafeAndDiffer) {
  EXPECT_EQ(cache_file_name("https://example.org:443"), "https_example.org_443");
  EXPECT_EQ(cache_file_name("http://[::1]:80"), "http_[::1]_80");
  EXPECT_NE(cache_file_name("http://a_b:80"), cache_file_name("http://a:80"));
  const std::string host(1000, 'a');
  EXPECT_LT(cache_file_name("http://" + host + ":80").size(), 256U);
  EXPECT_NE(cache_file_name("http://" + host + "a:80"), cache_file_name("http://" + host + "b:80"));
  EXPECT_EQ(cache_file_name("http://../../x:80").find('/'), std::string::npos);
}

TEST(RobotsCache, StoresAndLoads) {
  const TemporaryFolder temporary;
  const std::string& folder = temporary.path();
  RobotsEntry entry = sample();
  EXPECT_FALSE(load_entry(folder, entry.authority));
  ASSERT_TRUE(store_entry(folder, entry).ok());
  const auto back = load_entry(folder, entry.authority);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->body, entry.body);
  EXPECT_FALSE(load_entry(folder, "https://example.org:444"));
  // A file under another authority's name is not used.
  ASSERT_EQ(rename((folder + "/" + cache_file_name(entry.authority)).c_str(),
                   (folder + "/" + cache_file_name("http://x:80")).c_str()),
            0);
  EXPECT_FALSE(load_entry(folder, "http://x:80"));
  EXPECT_FALSE(store_entry(folder + "/missing", entry).ok());
}

// --- what a reply means --------------------------------------------------------------------------

RobotsEntry judge(int status, std::optional<Outcome> outcome,
                  std::optional<std::string_view> body = "", const RobotsEntry* last = nullptr,
                  RobotsPolicy policy = {}) {
  RobotsReply reply;
  reply.status = status;
  reply.outcome = outcome;
  reply.body = body;
  return judge_reply(reply, policy, kNow, last);
}

TEST(RobotsReply, GoodOnesAreParsed) {
  const RobotsEntry entry = judge(200, Outcome::kOk, "x");
  EXPECT_EQ(entry.state, RobotsState::kRules);
  EXPECT_EQ(entry.body, "x");
  EXPECT_EQ(entry.copied, kNow);
  EXPECT_EQ(entry.expires, kNow + 86'400);
  EXPECT_EQ(judge(204, Outcome::kOk).state, RobotsState::kRules);
  EXPECT_EQ(judge(200, Outcome::kTooLarge, "x").state, RobotsState::kRules);
}

TEST(RobotsReply, ClientErrorsAllow) {
  EXPECT_EQ(judge(404, Outcome::kNotFound).state, RobotsState::kAllowAll);
  EXPECT_EQ(judge(410, Outcome::kGone).state, RobotsState::kAllowAll);
  EXPECT_EQ(judge(401, Outcome::kForbidden).state, RobotsState::kAllowAll);
  EXPECT_EQ(judge(301, Outcome::kMoved).state, RobotsState::kAllowAll);
  EXPECT_EQ(judge(404, Outcome::kNotFound).reason, "404");
}

TEST(RobotsReply, PolicyCanDeny) {
  RobotsPolicy policy;
  policy.deny_status = {401, 429};
  EXPECT_EQ(judge(401, Outcome::kForbidden, "", nullptr, policy).state, RobotsState::kDisallowAll);
  EXPECT_EQ(judge(429, Outcome::kRateLimited, "", nullptr, policy).state,
            RobotsState::kDisallowAll);
  EXPECT_EQ(judge(403, Outcome::kForbidden, "", nullptr, policy).state, RobotsState::kAllowAll);
}

TEST(RobotsReply, FailuresForbidForAShortTimeAndKeepTheCopy) {
  const RobotsEntry good = judge(200, Outcome::kOk, "rules");
  for (const auto& [status, outcome, reason] :
       {std::tuple{503, Outcome::kServerError, "503"},
        std::tuple{429, Outcome::kRateLimited, "429"},  // the server's status, not the file's
        std::tuple{408, Outcome::kServerError, "408"},
        std::tuple{0, Outcome::kDnsFailed, "dns-failed"},
        std::tuple{0, Outcome::kTimeout, "timeout"}, std::tuple{200, Outcome::kAborted, "aborted"},
        std::tuple{200, Outcome::kBadResponse, "bad-response"},
        std::tuple{200, Outcome::kChallenged, "challenged"},  // a wall's page is no robots.txt
        std::tuple{202, Outcome::kChallenged, "challenged"},
        std::tuple{403, Outcome::kChallenged, "challenged"}}) {
    const RobotsEntry entry = judge(status, outcome, "half", &good);
    EXPECT_EQ(entry.state, RobotsState::kDisallowAll) << reason;
    EXPECT_EQ(entry.reason, reason);
    EXPECT_EQ(entry.body, "rules") << reason;
    EXPECT_EQ(entry.copied, kNow);
    EXPECT_EQ(entry.expires, kNow + 300);
  }
  EXPECT_EQ(judge(429, std::nullopt).state, RobotsState::kDisallowAll);
  EXPECT_EQ(judge(503, Outcome::kServerError).copied, 0);
  EXPECT_EQ(judge(200, Outcome::kOk, std::nullopt).reason, "no body");
  EXPECT_EQ(judge(200, Outcome::kOk, std::nullopt).state, RobotsState::kDisallowAll);
}

TEST(RobotsReply, BugARedirectThatBrokeOffAllowedAllThatItsTargetForbids) {
  const RobotsEntry good = judge(200, Outcome::kOk, "rules");
  for (const int status : {301, 302, 308}) {
    for (const Outcome outcome : {Outcome::kBadResponse, Outcome::kTimeout, Outcome::kTooLarge}) {
      const RobotsEntry entry = judge(status, outcome, std::nullopt, &good);
      EXPECT_EQ(entry.state, RobotsState::kDisallowAll) << status;
      EXPECT_EQ(entry.reason, to_string(outcome)) << status;
      EXPECT_EQ(entry.body, "rules") << status;
      EXPECT_EQ(entry.expires, kNow + 300) << status;
    }
    // After more than five redirects.
    EXPECT_EQ(judge(status, Outcome::kMoved).state, RobotsState::kAllowAll);
  }
  EXPECT_EQ(judge(404, Outcome::kBadResponse).state, RobotsState::kAllowAll);
}

TEST(RobotsReply, AFileThatWasOutOfReachForLongEnoughIsNoneAnyMore) {
  RobotsPolicy policy;
  policy.give_up = 1000;
  const auto at = [&](std::int64_t now, int status, Outcome outcome, const RobotsEntry* last) {
    RobotsReply reply;
    reply.status = status;
    reply.outcome = outcome;
    reply.body = "rules";
    return judge_reply(reply, policy, now, last);
  };
  const RobotsEntry first = at(kNow, 0, Outcome::kTimeout, nullptr);
  EXPECT_EQ(first.unreachable, kNow);
  const RobotsEntry later = at(kNow + 999, 503, Outcome::kServerError, &first);
  EXPECT_EQ(later.state, RobotsState::kDisallowAll);
  EXPECT_EQ(later.unreachable, kNow);
  EXPECT_EQ(at(kNow + 1000, 0, Outcome::kTimeout, &later).state, RobotsState::kAllowAll);
  // An answer in between restarts the time, and an address that we refuse says nothing about the
  // host.
  const RobotsEntry reached = at(kNow + 500, 200, Outcome::kOk, &first);
  EXPECT_EQ(reached.unreachable, 0);
  EXPECT_EQ(at(kNow + 2000, 0, Outcome::kTimeout, &reached).state, RobotsState::kDisallowAll);
  EXPECT_EQ(at(kNow + 2000, 0, Outcome::kRefusedAddress, &first).state, RobotsState::kDisallowAll);
  // A status that counts as a refusal stays one, and without a limit no failure ever counts as no
  // file.
  policy.deny_status = {403};
  EXPECT_EQ(at(kNow + 2000, 403, Outcome::kForbidden, &first).state, RobotsState::kDisallowAll);
  policy.give_up = 0;
  EXPECT_EQ(at(kNow + 90 * 86'400, 0, Outcome::kTimeout, &first).state, RobotsState::kDisallowAll);
}

TEST(RobotsReply, RetryAfterCountsUpToTheLimit) {
  RobotsReply reply;
  reply.status = 503;
  reply.retry_after = 3600;
  EXPECT_EQ(judge_reply(reply, {}, kNow, nullptr).expires, kNow + 3600);
  reply.retry_after = 1;
  EXPECT_EQ(judge_reply(reply, {}, kNow, nullptr).expires, kNow + 300);
  reply.retry_after = 999'999'999;
  EXPECT_EQ(judge_reply(reply, {}, kNow, nullptr).expires, kNow + 86'400);
}

TEST(RobotsReply, ExpiryIsTheServersWithinBounds) {
  RobotsReply reply;
  reply.status = 200;
  reply.body = "";
  for (const auto& [asked, given] : {std::pair<std::int64_t, std::int64_t>{3600, 3600},
                                     {0, 600},
                                     {-5, 600},
                                     {9'999'999, 86'400}}) {
    reply.expires = kNow + asked;
    EXPECT_EQ(judge_reply(reply, {}, kNow, nullptr).expires, kNow + given) << asked;
  }
  RobotsPolicy brief;
  brief.ttl = 60;
  EXPECT_EQ(judge_reply(reply, brief, kNow, nullptr).expires, kNow + 60);
}

TEST(RobotsReply, BugExpiryWrappedAtTheEndOfAllNumbers) {
  RobotsReply reply;
  for (reply.status = 200; reply.status < 600; reply.status += 100) {
    EXPECT_GT(judge_reply(reply, {}, INT64_MAX, nullptr).expires, INT64_MAX - 90'000);
  }
}

TEST(RobotsReply, NotModifiedRenewsTheCopy) {
  RobotsEntry good = judge(200, Outcome::kOk, "rules");
  good.copied = 1;
  const RobotsEntry entry = judge(304, Outcome::kNotModified, std::nullopt, &good);
  EXPECT_EQ(entry.state, RobotsState::kRules);
  EXPECT_EQ(entry.body, "rules");
  EXPECT_EQ(entry.copied, kNow);
  EXPECT_EQ(judge(304, Outcome::kNotModified, std::nullopt).state, RobotsState::kDisallowAll);
}

// The same holds if a redirect leads to one: the host itself can be reached, and may forbid
// everything.
TEST(RobotsReply, BugARefusedAddressAllowedAllAndWasKept) {
  TemporaryFolder folder;
  for (const int status : {0, 302}) {
    RobotsEntry entry = judge(status, Outcome::kRefusedAddress, std::nullopt);
    EXPECT_EQ(entry.state, RobotsState::kDisallowAll);
    EXPECT_EQ(entry.reason, "refused-address");
    EXPECT_TRUE(entry.refused);
    entry.authority = "http://h.test:80";
    EXPECT_TRUE(store_entry(folder.path(), entry).ok());
    EXPECT_FALSE(load_entry(folder.path(), entry.authority));
  }
  EXPECT_FALSE(judge(0, Outcome::kDnsFailed, std::nullopt).refused);
}

}  // namespace
}  // namespace spinneret::robots
