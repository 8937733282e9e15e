// SPDX-License-Identifier: Apache-2.0
#include "robots/lint.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/utf8.h"
#include "robots/agent.h"
#include "robots/agent_groups.h"
#include "robots/contents.h"
#include "robots/delay.h"
#include "robots/extensions.h"
#include "robots/matcher.h"
#include "robots/pattern.h"
#include "robots/preference.h"
#include "robots/usage.h"
#include "robots/wildcard.h"
#include "url/parse.h"

namespace spinneret::robots {
namespace {

// google/robotstxt reads no more of a line, and no server accepts so long a path.
constexpr std::size_t kLongLine = 2083 * 8;
// Names that a misspelt key may have meant.
constexpr std::string_view kKeyNames[] = {"user-agent",   "disallow",    "allow",
                                          "sitemap",      "crawl-delay", "host",
                                          "request-rate", "clean-param", "visit-time"};

// Returns the key that a word was probably meant to be, or an empty view.
std::string_view likely_key(std::string_view word) {
  for (const std::string_view name : kKeyNames) {
    if (edit_distance(word, name, 3) <= (name.size() > 5 ? 2U : 1U)) return name;
  }
  return {};
}

class Linter {
 public:
  std::vector<Finding> lint(std::string_view bytes, std::size_t size_limit) {
    std::string storage;
    RobotsTextFacts facts;
    const std::string_view text = robots_text(bytes, size_limit, storage, &facts);
    check_text(bytes, text, facts, size_limit);
    if (facts.looks_html) return std::move(out_);
    RobotsParser parser(text, RobotsMode::kRfc);
    RobotsLine line;
    while (parser.next(line)) check_line(line);
    const RobotsContents contents = read_contents(text, RobotsMode::kRfc);
    check_contents(contents);
    std::stable_sort(out_.begin(), out_.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
    return std::move(out_);
  }

 private:
  void add(std::uint32_t line, Severity severity, std::string_view code, std::string message,
           std::string_view bytes = {}) {
    out_.push_back({line, severity, code, std::move(message), std::string(bytes)});
  }
  void error(std::uint32_t line, std::string_view code, std::string message,
             std::string_view bytes = {}) {
    add(line, Severity::kError, code, std::move(message), bytes);
  }
  void warn(std::uint32_t line, std::string_view code, std::string message,
            std::string_view bytes = {}) {
    add(line, Severity::kWarning, code, std::move(message), bytes);
  }
  void note(std::uint32_t line, std::string_view code, std::string message,
            std::string_view bytes = {}) {
    add(line, Severity::kNote, code, std::move(message), bytes);
  }

  void check_text(std::string_view bytes, std::string_view text, const RobotsTextFacts& facts,
                  std::size_t size_limit) {
    if (facts.looks_html) {
      error(0, "html", "is HTML or XML, not robots.txt: it forbids nothing");
    }
    if (facts.was_utf16)
      error(0, "utf-16", "is UTF-16; robots.txt is UTF-8, and most crawlers read nothing here");
    if (facts.has_bom && !facts.was_utf16) {
      note(0, "byte-order-mark",
           "begins with a byte order mark, which hides the first line from some crawlers");
    }
    if (bytes.size() > size_limit) {
      error(0, "too-large",
            "has " + std::to_string(bytes.size()) + " bytes; what follows " +
                std::to_string(size_limit) + " was not read");
    } else if (bytes.size() > kRobotsSizeFloor) {
      warn(line_at(text, kRobotsSizeFloor), "large",
           "crawlers need not read beyond 500 KiB, which end here; the file has " +
               std::to_string(bytes.size()) + " bytes");
    }
  }

  // Returns the number of the line that contains the byte at `end`, counted as the parser counts.
  static std::uint32_t line_at(std::string_view text, std::size_t end) {
    std::uint32_t number = 1;
    for (std::size_t i = 0; i < std::min(end, text.size()); ++i) {
      const bool is_half = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      if ((text[i] == '\n' || text[i] == '\r') && !is_half) ++number;
    }
    return number;
  }

  void check_line(const RobotsLine& line) {
    check_bytes(line);
    switch (line.key) {
      case RobotsKey::kUserAgent: return check_agent(line);
      case RobotsKey::kAllow:
      case RobotsKey::kDisallow: return check_rule(line);
      case RobotsKey::kSitemap: return check_sitemap(line);
      case RobotsKey::kCrawlDelay: return check_delay(line, parse_crawl_delay(line.value).fault);
      case RobotsKey::kRequestRate: return check_delay(line, parse_request_rate(line.value).fault);
      case RobotsKey::kVisitTime: return check_hours(line);
      case RobotsKey::kNoindex:
        return warn(
            line.number, "noindex",
            "crawlers do not follow Noindex in robots.txt; use a meta element or X-Robots-Tag",
            line.value);
      case RobotsKey::kContentUsage:
      case RobotsKey::kContentSignal: return check_preferences(line);
      case RobotsKey::kDisallowAiTraining:
      case RobotsKey::kAllowAiTraining: return check_training(line);
      case RobotsKey::kLicense: return check_license(line);
      case RobotsKey::kNoKey: return check_no_key(line);
      case RobotsKey::kUnknown: return check_unknown(line);
      default: return;
    }
  }

  void check_bytes(const RobotsLine& line) {
    if (line.whole.find('\0') != std::string_view::npos) {
      error(line.number, "nul", "holds a NUL byte", line.whole);
    } else if (std::any_of(line.whole.begin(), line.whole.end(),
                           [](char c) { return is_control(c) && c != '\t'; })) {
      warn(line.number, "control", "holds a control byte", line.whole);
    }
    if (line.key != RobotsKey::kComment && !is_valid_utf8(line.whole)) {
      warn(line.number, "not-utf-8", "is not UTF-8: its bytes are matched as they are", line.whole);
    }
    if (line.whole.size() > kLongLine) {
      warn(line.number, "long-line",
           "has " + std::to_string(line.whole.size()) +
               " bytes, of which some crawlers read the first 16,663");
    }
  }

  void check_agent(const RobotsLine& line) {
    if (line.value.empty()) return error(line.number, "no-agent", "names no agent");
    if (line.value == "*") return;
    const std::string_view token = product_token(line.value, false);
    if (line.value.starts_with('*')) {
      return warn(line.number, "agent-tail", "is read as \"*\" by some crawlers only", line.value);
    }
    if (token.empty()) {
      return error(line.number, "bad-agent", "begins with what no product token can hold",
                   line.value);
    }
    if (line.value.find('*') != std::string_view::npos) {
      return error(line.number, "agent-wildcard",
                   "wildcards do not work in names: this means \"" + std::string(token) + "\"",
                   line.value);
    }
    if (token != line.value) {
      warn(line.number, "agent-tail",
           "only \"" + std::string(token) + "\" counts: no version or space belongs here",
           line.value);
    } else if (std::any_of(token.begin(), token.end(), is_digit)) {
      note(line.number, "agent-digit",
           "RFC 9309 knows no digits in names; some crawlers read \"" +
               std::string(product_token(token, true)) + "\"",
           line.value);
    }
  }

  void check_rule(const RobotsLine& line) {
    const std::string_view value = line.value;
    if (value.empty()) {
      if (line.key == RobotsKey::kAllow)
        note(line.number, "empty-allow", "allows nothing in particular");
      return;
    }
    if (starts_with_ignore_case(value, "http://") || starts_with_ignore_case(value, "https://")) {
      return error(line.number, "absolute-url",
                   "rules are paths, without scheme and host: this never matches", value);
    }
    if (value == "$")
      return error(line.number, "never-matches", "never matches: each path has a slash", value);
    if (value.substr(0, value.find('?')).find('\\') != std::string_view::npos) {
      warn(line.number, "backslash",
           "a backslash counts as a slash, as in URLs; some crawlers take it as it is", value);
    }
    if (value.find_first_of("/\\*") != 0 && !starts_with_ignore_case(value, "%2A")) {
      return error(line.number, "no-slash", "begins with no slash: this never matches", value);
    }
    const TrimmedPattern trimmed = trim_pattern(value);
    if (value.ends_with('*') && value.size() > 1) {
      note(line.number, "trailing-star", "the '*' at the end changes nothing but the rule's length",
           value);
    } else if (value.ends_with("*$")) {
      note(line.number, "trailing-star", "\"*$\" changes nothing but the rule's length", value);
    }
    if (trimmed.text.find('$') != std::string_view::npos) {
      warn(line.number, "inner-dollar", "a '$' that is not last is a plain character", value);
    }
    if (value.find_first_of(" \t") != std::string_view::npos) {
      warn(line.number, "space",
           "a space is part of the path (%20); some crawlers cut the rule there", value);
    }
  }

  void check_sitemap(const RobotsLine& line) {
    if (!starts_with_ignore_case(line.value, "http://") &&
        !starts_with_ignore_case(line.value, "https://")) {
      error(line.number, "sitemap-url", "a Sitemap is a whole URL, with scheme and host",
            line.value);
    }
  }

  void check_hours(const RobotsLine& line) {
    if (parse_hours(line.value)) return;
    error(line.number, "visit-time", "Visit-time " + std::string(kNoHours), line.value);
  }

  void check_delay(const RobotsLine& line, DelayFault fault) {
    if (fault == DelayFault::kNone) return;
    error(line.number, "delay",
          std::string(to_string(line.key)) + " " + std::string(to_string(fault)), line.value);
  }

  void check_preferences(const RobotsLine& line) {
    const bool usage = line.key == RobotsKey::kContentUsage;
    const std::string form = usage ? "label=y or label=n" : "label=yes or label=no";
    const std::string_view value = parse_scoped(line.value).value;
    const PreferenceList list = parse_preferences(value);
    if (!list.bad.empty()) {
      return error(line.number, "bad-preference", "has a part that is not " + form, list.bad);
    }
    if (list.items.empty())
      return error(line.number, "bad-preference", "states no preference, such as " + form,
                   line.whole);
    if (usage && !has_form_of_usage(value)) {
      warn(line.number, "preference-form", "is read by the letter as " + form + " only", value);
    }
    for (const Preference& preference : list.items) {
      if (names_use(preference.label)) continue;
      note(line.number, "unknown-label", "names a use that no reader known to us asks for",
           preference.label);
    }
  }

  // draft-canel-robots-ai-control: the value is a path, as in rules.
  void check_training(const RobotsLine& line) {
    if (line.value.empty()) return;
    if (line.value.find_first_of("/*") != 0) {
      error(line.number, "no-slash", "begins with no slash: this never matches", line.value);
    }
  }

  // RSL 1.0, section 4: the value is an absolute URL.
  void check_license(const RobotsLine& line) {
    Url url;
    UrlError why;
    if (!parse(line.value, url, &why) || !url.is_http()) {
      error(line.number, "bad-license", "is not an absolute http or https URL", line.value);
    }
  }

  void check_no_key(const RobotsLine& line) {
    const std::string_view word = line.key_text.substr(0, line.key_text.find_first_of(" \t"));
    if (line.key_text.empty())
      return error(line.number, "no-key", "has nothing before its colon", line.whole);
    if (!likely_key(word).empty()) {
      return error(line.number, "no-colon", "has no colon: most crawlers skip it", line.whole);
    }
    error(line.number, "not-a-record", "is neither a record \"key: value\" nor a comment",
          line.whole);
  }

  void check_unknown(const RobotsLine& line) {
    if (const std::string_view name = likely_key(line.key_text); !name.empty()) {
      return error(line.number, "misspelt-key",
                   "did you mean \"" + std::string(name) + "\"? Most crawlers skip this line",
                   line.key_text);
    }
    note(line.number, "unknown-key", "no crawler known to us reads this key", line.key_text);
  }

  void check_contents(const RobotsContents& contents) {
    for (const RobotsRecord& record : contents.ungrouped) {
      const bool stated =
          record.key == RobotsKey::kContentUsage || record.key == RobotsKey::kContentSignal;
      if (stated) {
        warn(record.line, "no-group", "stands before any User-agent: not every reader counts it",
             record.value);
      } else {
        error(record.line, "no-group", "stands before any User-agent: it has no effect",
              record.value);
      }
    }
    // Consecutive User-agent lines at the file's end make a group without rules.
    if (!contents.groups.empty() && contents.groups.back().records.empty()) {
      const RobotsAgent& agent = contents.groups.back().agents.front();
      warn(agent.line, "empty-group", "has no rules: everything is allowed", agent.name);
    }
    for (const AgentGroup& group : agent_groups(contents)) {
      check_repeated_agent(group, contents);
      check_rules(group);
    }
    for (const auto& [line, shadow] : shadows_) {
      if (shadow.better != nullptr) report_shadow(*shadow.rule, *shadow.better);
    }
  }

  void check_repeated_agent(const AgentGroup& group, const RobotsContents& contents) {
    if (group.agent_lines.size() < 2 || contents.groups.size() < 2) return;
    for (std::size_t i = 1; i < group.agent_lines.size(); ++i) {
      note(
          group.agent_lines[i], "repeated-agent",
          "was named in line " + std::to_string(group.agent_lines[0]) + ": the groups count as one",
          group.names.front());
    }
  }

  // In rank order, a rule decides nothing where a better one matches everything that it matches. A
  // pattern that matches another pattern's text matches everything that this one matches: its '*'
  // matches the other's '*'.
  void check_rules(const AgentGroup& group) {
    struct Ranked {
      const RobotsRecord* record;
      PatternSpan span;
    };
    std::string bytes;
    std::vector<Ranked> rules;
    for (const RobotsRecord* const record : group.records) {
      if (!is_rule(record->key) || record->value.empty()) continue;
      const auto at = static_cast<std::uint32_t>(bytes.size());
      append_comparable_pattern(bytes, record->value, RobotsMode::kRfc);
      rules.push_back({record, {at, static_cast<std::uint32_t>(bytes.size()) - at}});
    }
    std::stable_sort(rules.begin(), rules.end(), [](const Ranked& a, const Ranked& b) {
      if (a.span.size != b.span.size) return a.span.size > b.span.size;
      return a.record->key == RobotsKey::kAllow && b.record->key != RobotsKey::kAllow;
    });
    std::vector<PatternSpan> spans;
    spans.reserve(rules.size());
    for (const Ranked& rule : rules) spans.push_back(rule.span);
    Matcher matcher;
    matcher.build(bytes, spans, false);
    for (std::uint32_t rank = 0; rank < rules.size(); ++rank) {
      const TrimmedPattern own =
          trim_pattern(std::string_view(bytes).substr(spans[rank].at, spans[rank].size));
      const std::uint32_t best = matcher.find(bytes, own.text);
      bool is_shadowed = best < rank;
      if (is_shadowed && !own.anchored) {
        is_shadowed =
            !trim_pattern(std::string_view(bytes).substr(spans[best].at, spans[best].size))
                 .anchored;
      }
      take_shadow(*rules[rank].record, is_shadowed ? rules[best].record : nullptr);
    }
  }

  // A line never decides if it decides for none of its agents; each of these may have other rules,
  // too.
  void take_shadow(const RobotsRecord& rule, const RobotsRecord* better) {
    const auto [known, is_new] = shadows_.try_emplace(rule.line, Shadow{&rule, better});
    if (!is_new && better == nullptr) known->second.better = nullptr;
  }

  void report_shadow(const RobotsRecord& rule, const RobotsRecord& better) {
    const std::string at = " line " + std::to_string(better.line) + " (" +
                           std::string(to_string(better.key)) + ": " + std::string(better.value) +
                           ")";
    std::string own;
    std::string other;
    append_comparable_pattern(own, rule.value, RobotsMode::kRfc);
    append_comparable_pattern(other, better.value, RobotsMode::kRfc);
    if (own != other) {
      const Severity severity = rule.key == better.key ? Severity::kNote : Severity::kError;
      add(rule.line, severity, "shadowed-rule",
          "never decides: all that it matches is decided by" + at, rule.value);
    } else if (rule.key != better.key) {
      error(rule.line, "conflict", "is overruled by" + at, rule.value);
    } else {
      note(rule.line, "repeated-rule", "repeats" + at, rule.value);
    }
  }

  std::vector<Finding> out_;
  struct Shadow {
    const RobotsRecord* rule;
    const RobotsRecord* better;  // for the first agent; nullptr: the rule decides for some agent
  };
  std::map<std::uint32_t, Shadow> shadows_;  // by line
};

}  // namespace

std::string_view to_string(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::vector<Finding> lint_robots(std::string_view bytes, std::size_t size_limit) {
  return Linter().lint(bytes, size_limit);
}

}  // namespace spinneret::robots
