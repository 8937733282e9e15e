// SPDX-License-Identifier: Apache-2.0
#include "policy/scope.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/cpu_time.h"

namespace spinneret::policy {
namespace {

Url url(std::string_view text) {
  Url out;
  EXPECT_TRUE(parse(text, out)) << text;
  return out;
}

Scope make(ScopeKind kind, const std::vector<std::string>& seeds) {
  Scope scope(kind);
  for (const std::string& seed : seeds) EXPECT_TRUE(scope.add_seed(url(seed))) << seed;
  return scope;
}

struct Row {
  const char* seed;
  const char* url;
  bool origin, host, domain, under;
};

constexpr Row kRows[] = {
    {"http://a.example/d/x", "http://a.example/d/x", true, true, true, true},
    {"http://a.example/d/x", "http://a.example/d/y?z", true, true, true, true},
    {"http://a.example/d/x", "http://a.example/d/", true, true, true, true},
    {"http://a.example/d/x", "http://a.example/d/e/f", true, true, true, true},
    {"http://a.example/d/x", "http://a.example/d", true, true, true, false},
    {"http://a.example/d/x", "http://a.example/", true, true, true, false},
    {"http://a.example/d/x", "http://a.example/dd/x", true, true, true, false},
    {"http://a.example/d/x", "https://a.example/d/x", false, true, true, true},
    {"http://a.example/d/x", "http://a.example:8080/d/x", false, true, true, false},
    {"http://a.example/d/x", "http://www.a.example/d/x", false, false, true, false},
    {"http://www.a.example/", "http://a.example/", false, false, true, false},
    {"http://a.co.uk/", "http://b.co.uk/", false, false, false, false},
    {"http://w.a.co.uk/", "http://v.a.co.uk/", false, false, true, false},
    {"http://a.example/", "http://b.example/", false, false, false, false},
    {"http://127.0.0.1/", "http://1.127.0.0.1.example/", false, false, false, false},
    {"http://127.0.0.1:81/", "http://127.0.0.1:81/x", true, true, true, true},
    {"http://localhost/", "http://localhost/x", true, true, true, true},
    {"http://a.example/", "mailto:x@a.example", false, false, false, false},
};

TEST(Scope, BySeedsAndByPageAgree) {
  for (const Row& row : kRows) {
    const std::pair<ScopeKind, bool> kinds[] = {{ScopeKind::kAny, true},
                                                {ScopeKind::kOrigin, row.origin},
                                                {ScopeKind::kHost, row.host},
                                                {ScopeKind::kDomain, row.domain},
                                                {ScopeKind::kUnder, row.under}};
    for (const auto& [kind, expected] : kinds) {
      const Scope scope = make(kind, {row.seed});
      EXPECT_EQ(scope.contains(url(row.url)), expected)
          << to_string(kind) << " " << row.seed << " " << row.url;
      EXPECT_EQ(Scope::related(kind, url(row.seed), url(row.url)), expected)
          << to_string(kind) << " " << row.seed << " " << row.url;
    }
  }
}

TEST(Scope, AnyOfManySeeds) {
  const Scope scope = make(ScopeKind::kUnder,
                           {"http://a.example/x/", "http://a.example/y/z/", "http://b.example/"});
  EXPECT_TRUE(scope.contains(url("http://a.example/x/1")));
  EXPECT_TRUE(scope.contains(url("http://a.example/y/z/1/2/3")));
  EXPECT_FALSE(scope.contains(url("http://a.example/y/1")));
  EXPECT_TRUE(scope.contains(url("http://b.example/anything")));
}

// A public suffix of the list's private part is a domain of its own.
TEST(Scope, ASuffixIsNoDomainOfTheNamesBelowIt) {
  const Scope scope = make(ScopeKind::kDomain, {"https://github.io/"});
  EXPECT_TRUE(scope.contains(url("https://github.io/x")));
  EXPECT_FALSE(scope.contains(url("https://somebody.github.io/")));
}

TEST(Scope, WithoutHostThereIsNoSeed) {
  Scope scope(ScopeKind::kHost);
  EXPECT_FALSE(scope.add_seed(url("mailto:a@b")));
  EXPECT_FALSE(scope.add_seed(url("file:///x")));
  EXPECT_FALSE(scope.has_seeds());
}

TEST(Scope, BugAUrlOfManyDirectoriesOrLabelsTookQuadraticTime) {
  const auto milliseconds_of = [](ScopeKind kind, std::string_view piece, int pieces) {
    const Scope scope = make(kind, {"http://a.example/b/c"});
    std::string text;
    for (int i = 0; i < pieces; ++i) text += piece;
    const bool of_host = kind == ScopeKind::kDomain;
    const Url long_url =
        url(of_host ? "http://" + text + "c.example/" : "http://a.example/" + text);
    return least_milliseconds([&] { EXPECT_FALSE(scope.contains(long_url)); });
  };
  for (const auto& [kind, piece] :
       {std::pair(ScopeKind::kUnder, "a/"), {ScopeKind::kDomain, "a."}}) {
    const double small = milliseconds_of(kind, piece, 20'000);
    const double large = milliseconds_of(kind, piece, 160'000);
    EXPECT_LT(large, 24 * small + 5) << piece << ": " << small << " ms, then " << large << " ms";
  }
}

TEST(Scope, Names) {
  for (const ScopeKind kind : {ScopeKind::kAny, ScopeKind::kOrigin, ScopeKind::kHost,
                               ScopeKind::kDomain, ScopeKind::kUnder}) {
    EXPECT_EQ(parse_scope(to_string(kind)), kind);
  }
  EXPECT_FALSE(parse_scope("galaxy").has_value());
}

}  // namespace
}  // namespace spinneret::policy
