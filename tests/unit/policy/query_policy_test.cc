// SPDX-License-Identifier: Apache-2.0
#include "policy/query_policy.h"

#include <gtest/gtest.h>

namespace spinneret::policy {
namespace {

using Answer = QueryPolicy::Answer;

struct Judged {
  Answer answer;
  std::uint32_t line = 99;
  std::string kept;
};
Judged judge(const QueryPolicy& policy, std::string_view path, std::string_view query) {
  Judged out{Answer::kNoRule, 99, {}};
  out.answer = policy.judge(path, query, out.line, out.kept);
  return out;
}

TEST(QueryPolicy, AnyCombinationOfTheListed) {
  QueryPolicy policy;
  policy.add("/search", {{"q", "page"}, false, 1});
  for (const char* query : {"q=1", "page=2&q=1", "q", "q=&q=2", "&q=1&", "q=a%26b"}) {
    EXPECT_EQ(judge(policy, "/search", query).answer, Answer::kAllowed) << query;
  }
  for (const char* query : {"x=1", "q=1&x", "Q=1", "qq=1", "=1"}) {
    EXPECT_EQ(judge(policy, "/search", query).answer, Answer::kBlocked) << query;
  }
  EXPECT_EQ(judge(policy, "/search/", "q=1").answer, Answer::kNoRule);
  EXPECT_EQ(judge(policy, "/", "q=1").answer, Answer::kNoRule);
}

TEST(QueryPolicy, SetsOfOnePathAreAlternatives) {
  QueryPolicy policy;
  policy.add("/s", {{"q", "page"}, false, 1});
  policy.add("/s", {{"id"}, false, 2});
  EXPECT_EQ(judge(policy, "/s", "id=1").line, 2U);
  EXPECT_EQ(judge(policy, "/s", "q=1").line, 1U);
  EXPECT_EQ(judge(policy, "/s", "q=1&id=1").answer, Answer::kBlocked);
  EXPECT_EQ(judge(policy, "/s", "q=1&id=1").line, 1U);
}

TEST(QueryPolicy, TheMostSpecificPathCounts) {
  QueryPolicy policy;
  policy.add("*", {{"a"}, false, 1});
  policy.add("/w/*", {{"b"}, false, 2});
  policy.add("/w/x/*", {{"c"}, false, 3});
  policy.add("/w/x/y", {{"d"}, false, 4});
  EXPECT_EQ(judge(policy, "/", "a=1").line, 1U);
  EXPECT_EQ(judge(policy, "/w/1", "b=1").line, 2U);
  EXPECT_EQ(judge(policy, "/w/1", "a=1").answer, Answer::kBlocked);
  EXPECT_EQ(judge(policy, "/w/x/1", "c=1").line, 3U);
  EXPECT_EQ(judge(policy, "/w/x/y", "d=1").line, 4U);
  EXPECT_EQ(judge(policy, "/w/x/y", "c=1").answer, Answer::kBlocked);
}

TEST(QueryPolicy, StripDropsTheOthers) {
  QueryPolicy policy;
  policy.add("/shop/*", {{"id", "v_*"}, true, 1});
  const Judged judged = judge(policy, "/shop/a", "sid=1&id=2&x&v_1=3&id=4");
  EXPECT_EQ(judged.answer, Answer::kStrip);
  EXPECT_EQ(judged.kept, "id=2&v_1=3&id=4");
  EXPECT_EQ(judge(policy, "/shop/a", "sid=1").kept, "");
  EXPECT_EQ(judge(policy, "/shop/a", "id=1").answer, Answer::kAllowed);
}

TEST(QueryPolicy, NamesAreComparedDecoded) {
  QueryPolicy policy;
  policy.add("/", {{"a b", "x[]"}, false, 1});
  for (const char* query : {"a+b=1", "a%20b=1", "x%5B%5D=1", "x[]=2", "%61%20b"}) {
    EXPECT_EQ(judge(policy, "/", query).answer, Answer::kAllowed) << query;
  }
}

TEST(QueryPolicy, NoNamesMeansNoParameters) {
  QueryPolicy policy;
  policy.add("/", {{}, false, 1});
  EXPECT_EQ(judge(policy, "/", "a").answer, Answer::kBlocked);
  EXPECT_EQ(judge(policy, "/", "&&").answer, Answer::kAllowed);
}

}  // namespace
}  // namespace spinneret::policy
