// SPDX-License-Identifier: Apache-2.0
// Policies from text, for tests of which URLs pass, and why others do not.
#ifndef SPINNERET_TESTS_UNIT_POLICY_POLICY_FIXTURE_H_
#define SPINNERET_TESTS_UNIT_POLICY_POLICY_FIXTURE_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.h"
#include "policy/builder.h"
#include "policy/calendar.h"
#include "policy/judge.h"
#include "policy/lint.h"

namespace spinneret::policy {

// Returns the limit or trap that refused the URL, or nothing.
inline std::string_view limit_of(const Verdict& verdict) {
  return verdict.reason == Reason::kLimit ? verdict.limit->name : std::string_view();
}

// A policy and its judge, on 2026-11-20.
class Court {
 public:
  explicit Court(std::string_view text, Moment moment = Moment::kFound) {
    PolicyBuilder builder;
    builder.add_text(text, "p");
    for (const Problem& problem : builder.problems()) {
      ADD_FAILURE() << problem.place.to_string() << ": " << problem.message;
    }
    policy_ = std::make_unique<Policy>(builder.build());
    judge_ = std::make_unique<Judge>(*policy_, parse_day_ms("2026-11-20").value(), moment);
  }

  const Verdict& judge(std::string_view text, const Facts& facts = {}) {
    EXPECT_TRUE(parse(text, url_)) << text;
    return judge_->judge(url_, facts);
  }
  bool passes(std::string_view text, const Facts& facts = {}) {
    return judge(text, facts).accepted;
  }
  // Judges these URLs in order, and expects all of them to pass, or to be refused.
  void expect_passed(std::initializer_list<std::string_view> urls) {
    for (const std::string_view url : urls) EXPECT_TRUE(passes(url)) << url;
  }
  void expect_refused(std::initializer_list<std::string_view> urls) {
    for (const std::string_view url : urls) EXPECT_FALSE(passes(url)) << url;
  }
  // Returns the URL as it would be passed on, or "" if it is refused.
  std::string passed(std::string_view text) {
    const Verdict& verdict = judge(text);
    if (!verdict.accepted) return "";
    return std::string(verdict.rewritten ? judge_->rewritten().href() : url_.href());
  }
  // Returns the number of the line that decided, or 0 if none did.
  std::uint32_t line(std::string_view text, const Facts& facts = {}) {
    const Verdict& verdict = judge(text, facts);
    return verdict.line == kNoLine ? 0 : policy_->lines.place(verdict.line).line;
  }
  Judge& state() { return *judge_; }
  const Policy& policy() const { return *policy_; }

 private:
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Judge> judge_;
  Url url_;
};

// Returns lint's remarks on a policy without mistakes, as "p:3: message".
inline std::vector<std::string> remarks(std::string_view text) {
  PolicyBuilder builder;
  builder.keep_words();
  builder.add_text(text, "p");
  const Policy policy = builder.build();
  EXPECT_TRUE(builder.problems().empty()) << builder.problems()[0].message;
  std::vector<std::string> out;
  for (const Problem& problem : lint(policy)) {
    out.push_back(problem.place.to_string() + ": " + problem.message);
  }
  return out;
}

}  // namespace spinneret::policy

#endif  // SPINNERET_TESTS_UNIT_POLICY_POLICY_FIXTURE_H_
