// SPDX-License-Identifier: Apache-2.0
#include "robots/parse.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/ascii.h"

namespace spinneret::robots {
namespace {

struct KeyName {
  std::string_view name;
  RobotsKey key;
};

// The first name of a key is its usual one.
constexpr KeyName kKeys[] = {
    {"Disallow", RobotsKey::kDisallow},
    {"Allow", RobotsKey::kAllow},
    {"User-agent", RobotsKey::kUserAgent},
    {"Sitemap", RobotsKey::kSitemap},
    {"Crawl-delay", RobotsKey::kCrawlDelay},
    {"Request-rate", RobotsKey::kRequestRate},
    {"Visit-time", RobotsKey::kVisitTime},
    {"Host", RobotsKey::kHost},
    {"Clean-param", RobotsKey::kCleanParam},
    {"Noindex", RobotsKey::kNoindex},
    {"Content-Usage", RobotsKey::kContentUsage},
    {"Content-Signal", RobotsKey::kContentSignal},
    {"DisallowAITraining", RobotsKey::kDisallowAiTraining},
    {"AllowAITraining", RobotsKey::kAllowAiTraining},
    {"License", RobotsKey::kLicense},
};

// google/robotstxt accepts each of these as the beginning of a key.
struct GoogleKey {
  std::string_view start;
  RobotsKey key;
  bool typo;
};
constexpr GoogleKey kGoogleKeys[] = {
    {"user-agent", RobotsKey::kUserAgent, false}, {"useragent", RobotsKey::kUserAgent, true},
    {"user agent", RobotsKey::kUserAgent, true},  {"allow", RobotsKey::kAllow, false},
    {"disallow", RobotsKey::kDisallow, false},    {"dissallow", RobotsKey::kDisallow, true},
    {"dissalow", RobotsKey::kDisallow, true},     {"disalow", RobotsKey::kDisallow, true},
    {"diasllow", RobotsKey::kDisallow, true},     {"disallaw", RobotsKey::kDisallow, true},
    {"sitemap", RobotsKey::kSitemap, false},      {"site-map", RobotsKey::kSitemap, true},
};

// google/robotstxt reads no more of a line than this.
constexpr std::size_t kGoogleLineLimit = 2083 * 8 - 1;

// Returns whether the byte is ASCII white space, or NUL, with which broken writers pad.
constexpr bool is_robots_space(char c) { return is_space(c) || c == '\v' || c == '\0'; }
constexpr bool is_google_space(char c) { return is_space(c) || c == '\v'; }

std::string_view trim_google(std::string_view text) {
  while (!text.empty() && is_google_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_google_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view trim_robots(std::string_view text) {
  while (!text.empty() && is_robots_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_robots_space(text.back())) text.remove_suffix(1);
  return text;
}

// Compares without case. Returns kUnknown for other names.
RobotsKey parse_robots_key(std::string_view name) {
  for (const KeyName& known : kKeys) {
    if (equals_ignore_case(name, known.name)) return known.key;
  }
  return RobotsKey::kUnknown;
}

}  // namespace

std::string_view to_string(RobotsKey key) {
  const auto* const known = std::find_if(std::begin(kKeys), std::end(kKeys),
                                         [key](const KeyName& name) { return name.key == key; });
  return known == std::end(kKeys) ? std::string_view() : known->name;
}

// google/robotstxt skips anything that may be the beginning of a byte order mark, cut or not.
RobotsParser::RobotsParser(std::string_view text, RobotsMode mode) : text_(text), mode_(mode) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (mode != RobotsMode::kGoogle || text.starts_with(kMark)) return;
  while (at_ < text.size() && text[at_] == kMark[at_]) ++at_;
}

bool RobotsParser::next(RobotsLine& line) {
  if (at_ == text_.size()) return false;
  // A lone CR ends a line, too. The LF found once serves for all the lines before it: searching for
  // it again at each CR would take quadratic time.
  if (line_feed_ < at_ || number_ == 0) line_feed_ = std::min(text_.find('\n', at_), text_.size());
  const std::size_t end = std::min(text_.substr(0, line_feed_).find('\r', at_), line_feed_);
  const bool crlf = end + 1 == line_feed_ && line_feed_ < text_.size();
  line = RobotsLine();
  line.number = ++number_;
  line.whole = text_.substr(at_, end - at_);
  at_ = std::min(end + (crlf ? 2 : 1), text_.size());
  if (mode_ == RobotsMode::kGoogle) {
    take_apart_as_google(line);
  } else {
    take_apart(line);
  }
  return true;
}

void RobotsParser::take_apart(RobotsLine& line) {
  const std::size_t comment = line.whole.find('#');
  const std::string_view text = trim_robots(line.whole.substr(0, comment));
  if (text.empty()) {
    line.key = comment == std::string_view::npos ? RobotsKey::kBlank : RobotsKey::kComment;
    return;
  }
  const std::size_t colon = text.find(':');
  line.key_text = trim_robots(text.substr(0, colon));
  if (colon == std::string_view::npos || line.key_text.empty()) {
    line.key = RobotsKey::kNoKey;
    return;
  }
  line.value = trim_robots(text.substr(colon + 1));
  line.key = parse_robots_key(line.key_text);
}

// google/robotstxt, robots.cc: GetKeyAndValueFrom and ParsedRobotsKey. There a NUL ends the line.
void RobotsParser::take_apart_as_google(RobotsLine& line) {
  std::string_view text = line.whole.substr(0, kGoogleLineLimit);
  text = text.substr(0, text.find('\0'));
  const std::size_t comment = text.find('#');
  text = trim_google(text.substr(0, comment));
  line.key = comment == std::string_view::npos ? RobotsKey::kBlank : RobotsKey::kComment;
  if (text.empty()) return;
  line.key = RobotsKey::kNoKey;
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    // White space replaces the colon where it separates exactly two words.
    colon = text.find_first_of(" \t");
    if (colon == std::string_view::npos) return;
    const std::size_t word = text.find_first_not_of(" \t", colon);
    if (text.find_first_of(" \t", word) != std::string_view::npos) return;
    line.no_colon = true;
  }
  line.key_text = trim_google(text.substr(0, colon));
  if (line.key_text.empty()) return;
  line.value = trim_google(text.substr(colon + 1));
  const auto* const known = std::find_if(
      std::begin(kGoogleKeys), std::end(kGoogleKeys),
      [&line](const GoogleKey& key) { return starts_with_ignore_case(line.key_text, key.start); });
  if (known == std::end(kGoogleKeys)) {
    const RobotsKey key = parse_robots_key(line.key_text);
    line.key = key;
    return;
  }
  line.key = known->key;
  line.typo = known->typo || line.key_text.size() != known->start.size();
}

}  // namespace spinneret::robots
