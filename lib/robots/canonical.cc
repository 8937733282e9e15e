// SPDX-License-Identifier: Apache-2.0
#include "robots/canonical.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "robots/agent_groups.h"
#include "robots/contents.h"
#include "robots/pattern.h"
#include "url/percent.h"

namespace spinneret::robots {
namespace {

void append_record(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += value.empty() ? ":" : ": ";
  out += value;
  out += '\n';
}

// Escapes bytes that are not printable ASCII, so that nothing in a stranger's file acts on a
// terminal. No known name or value has such bytes except tab and form feed, which all readers treat
// as spaces; a URL means the same with them escaped.
std::string printable(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (is_space(c)) {
      out += ' ';
    } else if (is_control(c) || (c & 0x80) != 0) {
      append_escape(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

// The records of one group, in a form that is equal where the meaning is.
struct Body {
  std::vector<std::string> agents;
  std::string text;
};

struct CanonicalRule {
  std::string pattern;
  bool allow;
  friend bool operator<(const CanonicalRule& a, const CanonicalRule& b) {
    if (a.pattern.size() != b.pattern.size()) return a.pattern.size() > b.pattern.size();
    return std::pair(a.pattern, !a.allow) < std::pair(b.pattern, !b.allow);
  }
};

// Of an Allow and a Disallow with the same pattern only the Allow is kept, since it wins.
std::vector<CanonicalRule> rules_of(const AgentGroup& group) {
  std::set<CanonicalRule> sorted;
  for (const RobotsRecord* const record : group.records) {
    if (!is_rule(record->key)) continue;
    CanonicalRule rule{{}, record->key == RobotsKey::kAllow};
    append_comparable_pattern(rule.pattern, record->value, RobotsMode::kRfc);
    if (!rule.pattern.empty()) sorted.insert(std::move(rule));
  }
  std::vector<CanonicalRule> out;
  for (const CanonicalRule& rule : sorted) {
    if (out.empty() || out.back().pattern != rule.pattern) out.push_back(rule);
  }
  return out;
}

std::string body_of(const AgentGroup& group) {
  std::string out;
  const std::vector<CanonicalRule> rules = rules_of(group);
  for (const CanonicalRule& rule : rules) {
    append_record(out, to_string(rule.allow ? RobotsKey::kAllow : RobotsKey::kDisallow),
                  rule.pattern);
  }
  if (rules.empty()) append_record(out, "Disallow", "");
  std::set<std::pair<RobotsKey, std::string>> said;
  for (const RobotsRecord* const record : group.records) {
    if (is_rule(record->key)) continue;
    const auto [value, is_new] = said.emplace(record->key, printable(record->value));
    if (is_new) append_record(out, to_string(record->key), value->second);
  }
  return out;
}

// `escaped` is set where a name was not printable ASCII, and became another name.
std::deque<Body> bodies_of(const RobotsContents& contents, bool& escaped) {
  std::deque<Body> out;  // a deque, so that bodies do not move while it grows
  std::map<std::string_view, Body*> index;
  for (AgentGroup& group : agent_groups(contents)) {
    std::erase(group.names, "");  // it addresses nobody
    if (group.names.empty()) continue;
    std::string text = body_of(group);
    auto same = index.find(text);
    if (same == index.end()) {
      Body& added = out.emplace_back();
      added.text = std::move(text);
      same = index.emplace(added.text, &added).first;
    }
    Body& body = *same->second;
    for (const std::string_view name : group.names) {
      const std::string shown = printable(name);
      escaped = escaped || shown != name;
      body.agents.push_back(to_lower_copy(shown));
    }
  }
  std::stable_partition(out.begin(), out.end(), [](const Body& body) {
    return std::find(body.agents.begin(), body.agents.end(), "*") == body.agents.end();
  });
  return out;
}

// Returns the text in front of all groups: group records that were there, since some people mean
// them, and unknown keys, since a rewriter must not drop a licence. Misspelt rules are left out,
// since google/robotstxt takes them for rules.
std::string head_of(const RobotsContents& contents) {
  std::string out;
  std::set<std::string> said;
  const auto add = [&](const RobotsRecord& record) {
    std::string text;
    append_record(text, printable(record.key_text), printable(record.value));
    RobotsLine line;
    RobotsParser(text, RobotsMode::kGoogle).next(line);
    if (!line.typo && said.insert(text).second) out += text;
  };
  for (const RobotsRecord& record : contents.ungrouped) {
    if (!is_rule(record.key)) add(record);
  }
  for (const RobotsRecord& record : contents.others) {
    if (record.key == RobotsKey::kUnknown) add(record);
  }
  return out;
}

// Returns the records about the whole host: Sitemap and the like.
std::string others_of(const RobotsContents& contents) {
  std::string out;
  std::set<std::pair<RobotsKey, std::string>> said;
  for (const RobotsRecord& record : contents.others) {
    if (record.key == RobotsKey::kUnknown) continue;
    const auto [value, is_new] = said.emplace(record.key, printable(record.value));
    if (is_new) append_record(out, to_string(record.key), value->second);
  }
  return out;
}

}  // namespace

std::string canonical_robots(std::string_view bytes, std::size_t size_limit) {
  std::string storage;
  const RobotsContents contents =
      read_contents(robots_text(bytes, size_limit, storage), RobotsMode::kRfc);
  std::string out = head_of(contents);
  bool escaped = false;
  for (Body& body : bodies_of(contents, escaped)) {
    if (!out.empty()) out += '\n';
    std::sort(body.agents.begin(), body.agents.end());
    for (const std::string& agent : body.agents) append_record(out, "User-agent", agent);
    out += body.text;
  }
  const std::string tail = others_of(contents);
  if (!out.empty() && !tail.empty()) out += '\n';
  out += tail;
  // An escaped name may now be that of another group: a second reading merges the two.
  return escaped ? canonical_robots(out, out.size()) : out;
}

}  // namespace spinneret::robots
