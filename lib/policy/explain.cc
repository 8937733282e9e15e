// SPDX-License-Identifier: Apache-2.0
// The wording of verdicts, and the rule that would nearly have given another verdict.
#include <algorithm>
#include <iterator>
#include <string>

#include "base/ascii.h"
#include "base/number.h"
#include "policy/judge.h"
#include "policy/lint.h"
#include "policy/pattern_set.h"
#include "url/public_suffix.h"

namespace spinneret::policy {
namespace {

struct Wording {
  const char* before;  // text in front of the verdict's number; nullptr: no number
  const char* after;
  std::string_view name;  // refusal_class(); empty: the rule's part, or none
};

Wording wording_of(const Verdict& verdict) {
  switch (verdict.reason) {
    case Reason::kNone: return {nullptr, "no rule refuses it", ""};
    case Reason::kAllowed: return {nullptr, "allowed by a rule", ""};
    case Reason::kDenied: return {nullptr, "denied by a rule", ""};
    case Reason::kNotAllowed: return {nullptr, "matches no allow rule of this kind", ""};
    case Reason::kDefault: return {nullptr, "no rule allows it", "default"};
    case Reason::kOutOfScope: return {nullptr, "out of scope", "scope"};
    case Reason::kTooFarOffsite: return {nullptr, "too many hops off the site", "scope"};
    case Reason::kSitemapElsewhere:
      return {nullptr,
              "a sitemap elsewhere: named by no site in scope, or beside those of 20 other hosts",
              "scope"};
    case Reason::kHasQuery: return {nullptr, "has a query", "query"};
    case Reason::kParameter:
      return {nullptr, "has a query parameter that is not listed for its path", "query"};
    case Reason::kBudget: return {nullptr, "the budget is spent", "budget"};
    case Reason::kLimit: break;
  }
  const Limit& limit = *verdict.limit;
  return {limit.before, limit.after, limit.refusal_class};
}

// The names of the parts, indexed by Part.
constexpr std::string_view kPartNames[] = {"scheme", "host", "url", "path", "query", "extension",
                                           "type",   "rel",  "tag", "via",  "text",  "address"};
static_assert(std::size(kPartNames) == kPartCount);

std::size_t common_begin(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<std::size_t>(end.first - a.begin());
}

std::size_t common_end(std::string_view a, std::string_view b) {
  std::size_t size = 0;
  while (size < a.size() && size < b.size() && a[a.size() - 1 - size] == b[b.size() - 1 - size])
    ++size;
  return size;
}

// Returns the plain text that a pattern begins with.
std::string text_ahead(std::string_view pattern) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size() && !is_alnum(pattern[at + 1])) {
      out += pattern[++at];
    } else if (std::string_view("*?{").find(c) != std::string_view::npos) {
      if (!out.empty()) out.pop_back();  // the character is optional
      return out;
    } else if (std::string_view("\\^$.|+()[]}").find(c) != std::string_view::npos) {
      return out;
    } else {
      out += c;
    }
  }
  return out;
}

// Returns how many bytes of the pattern's leading text certainly occur in `text`.
std::size_t agreement(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kMostText = 1024;
  text = text.substr(0, kMostText);
  if (pattern.starts_with("(?i)")) pattern.remove_prefix(4);
  const bool at_begin = pattern.starts_with('^');
  if (at_begin) pattern.remove_prefix(1);
  constexpr std::string_view kWeb = "https?://";
  if (const std::size_t scheme = text.find("://");
      pattern.starts_with(kWeb) && scheme != std::string_view::npos) {
    pattern.remove_prefix(kWeb.size());
    text.remove_prefix(scheme + 3);
  }
  const std::string wanted = text_ahead(pattern);
  std::size_t most = common_begin(wanted, text);
  for (std::size_t at = 1; !at_begin && most < wanted.size() && at < text.size(); ++at)
    most = std::max(most, common_begin(wanted, text.substr(at)));
  return most;
}

std::size_t agreement(RuleKind kind, const std::string& word, const Url& url) {
  switch (kind) {
    case RuleKind::kScheme: return common_begin(word, url.scheme());
    case RuleKind::kPath: return agreement(word, url.path());
    case RuleKind::kQuery: return agreement(word, url.query());
    case RuleKind::kUrl: return agreement(word, url.href_without_fragment());
    case RuleKind::kPrefix: return common_begin(word, url.href_without_fragment());
    default: return 0;
  }
}

}  // namespace

std::uint32_t nearest_allow(const Policy& policy, std::uint32_t wanted, const Url& url) {
  std::vector<std::uint32_t> sections{0};
  policy.sections_by_host.find(url.host(), sections);
  std::uint32_t nearest = wanted;
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < policy.words.size(); ++i) {
    const Line& line = policy.lines[i];
    const bool rivals = line.verb == Verb::kAllow && line.part == policy.lines[wanted].part &&
                        std::find(sections.begin(), sections.end(), line.section) != sections.end();
    if (!rivals) continue;
    const LineWords& words = policy.words[i];
    const auto try_one = [&](std::size_t agrees) {
      if (agrees <= most) return;
      most = agrees;
      nearest = i;
    };
    for (const HostPattern& host : words.hosts) try_one(common_end(host.name, url.host()));
    for (const std::string& word : words.arguments) try_one(agreement(words.rule->kind, word, url));
  }
  return nearest;
}

std::string Judge::explain() const {
  const Wording wording = wording_of(verdict_);
  std::string out;
  if (wording.before != nullptr) {
    out += wording.before;
    append_unsigned(out, verdict_.value);
  }
  out += wording.after;
  if (verdict_.accepted && verdict_.rewritten) {
    out += "; passes as ";
    out += rewritten_.href();
  }
  return out;
}

std::string_view Judge::refusal_class() const {
  if (verdict_.accepted) return {};
  const Wording wording = wording_of(verdict_);
  if (!wording.name.empty()) return wording.name;
  return kPartNames[static_cast<std::size_t>(policy_.lines[verdict_.line].part)];
}

}  // namespace spinneret::policy
