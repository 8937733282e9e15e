// SPDX-License-Identifier: Apache-2.0
#include "report/survey.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
#include "io/record.h"

namespace spinneret::report {
namespace {

constexpr std::size_t kMostListed = 300;
constexpr std::size_t kMostTypes = 100;
constexpr std::size_t kMostTypeBytes = 60;
constexpr std::size_t kMostHosts = 20'000;
constexpr std::size_t kMostFollowed = 500'000;
// Bytes of a text that are kept; nobody reads more.
constexpr std::size_t kMostText = 2048;

std::string kept(std::string_view text) { return std::string(text.substr(0, kMostText)); }
std::string unescaped(std::string_view field) {
  std::string out;
  append_unescaped(out, field.substr(0, kMostText));
  return out;
}

}  // namespace

Kind kind_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
    case Outcome::kNotModified:
    case Outcome::kDuplicate:
    case Outcome::kNoindex:
    case Outcome::kNonCanonical:
    case Outcome::kItem: return Kind::kFetched;
    case Outcome::kRedirect:
    case Outcome::kMoved: return Kind::kRedirected;
    case Outcome::kNotFound:
    case Outcome::kGone:
    case Outcome::kForbidden:
    case Outcome::kChallenged:
    case Outcome::kPaymentRequired:
    case Outcome::kClientError:
    case Outcome::kRateLimited: return Kind::kRefused;
    case Outcome::kBlockedByRobots:
    case Outcome::kBlockedByPolicy:
    case Outcome::kRefusedAddress:
    case Outcome::kNeeds: return Kind::kBlocked;
    default: return Kind::kFailed;
  }
}

bool is_dead(Outcome outcome) {
  return outcome == Outcome::kNotFound || outcome == Outcome::kGone ||
         outcome == Outcome::kDnsFailed || outcome == Outcome::kConnectFailed;
}

bool is_other_error(Outcome outcome) {
  const Kind kind = kind_of(outcome);
  return (kind == Kind::kRefused || kind == Kind::kFailed) && !is_dead(outcome);
}

std::string_view origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return url.substr(0, url.find('/'));
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

void Listing::note(const PageLine& page) {
  key_ = page.url;
  NotedPage noted{kept(page.url), unescaped(page.via), unescaped(page.error), page.outcome,
                  page.status};
  if (const auto at = places_.find(key_); at != places_.end()) {
    pages_[at->second] = std::move(noted);
    return;
  }
  if (pages_.size() >= kMostListed) return;
  places_.emplace(key_, pages_.size());
  pages_.push_back(std::move(noted));
}

void Listing::strike(std::string_view url) {
  if (places_.empty()) return;
  key_ = url;
  const auto at = places_.find(key_);
  if (at == places_.end()) return;
  pages_[at->second].url.clear();
  places_.erase(at);
}

std::vector<const NotedPage*> Listing::pages() const {
  std::vector<const NotedPage*> out;
  for (const NotedPage& page : pages_) {
    if (!page.url.empty()) out.push_back(&page);
  }
  return out;
}

void Survey::add(std::string_view line) {
  if (!parse_page_line(line, page_)) {
    if (!line.empty()) ++unreadable;
    return;
  }
  const Kind kind = kind_of(page_.outcome);
  ++records;
  ++outcomes[static_cast<std::size_t>(page_.outcome)];
  ++kinds[static_cast<std::size_t>(kind)];
  count_latest(page_, kind);
  timeline.add(page_.wall_ms, kind);
  ++depths[std::min(page_.depth, kMostDepth)];
  const bool is_error = kind == Kind::kRefused || kind == Kind::kFailed;
  Listing& listing = is_dead(page_.outcome) ? dead : failed;
  Listing& other = is_dead(page_.outcome) ? failed : dead;
  other.strike(page_.url);
  if (is_error) {
    listing.note(page_);
  } else {
    listing.strike(page_.url);
  }
  if (kind == Kind::kBlocked) return;
  ++asked;
  HostTally& host = host_of(page_.url);
  ++host.pages;
  host.errors += is_error ? 1 : 0;
  if (page_.status != 0) {
    count_answer(page_);
    host.bytes += page_.size;
  }
  if (page_.status != 0 && page_.time_ms >= 0) {
    ++host.answers;
    host.time_ms += static_cast<std::uint64_t>(page_.time_ms);
  }
}

void Survey::count_latest(const PageLine& page, Kind kind) {
  const bool counts = kind != Kind::kFetched && kind != Kind::kRedirected;
  if (!counts && followed_.empty()) return;
  const std::uint64_t key = hash64(page.url);
  const auto at = followed_.find(key);
  if (at != followed_.end()) --latest[static_cast<std::size_t>(at->second)];
  if (counts) {
    ++latest[static_cast<std::size_t>(page.outcome)];
    if (at != followed_.end())
      at->second = page.outcome;
    else if (followed_.size() < kMostFollowed)
      followed_.emplace(key, page.outcome);
  } else if (at != followed_.end()) {
    followed_.erase(at);
  }
}

void Survey::count_answer(const PageLine& page) {
  bytes += page.size;
  if (page.size != 0 && largest.would_take(page.size)) largest.add(page.size, kept(page.url));
  count_type(page.type);
  if (page.time_ms < 0) return;
  const auto took = static_cast<std::uint64_t>(page.time_ms);
  times.add(took);
  const auto bar = std::lower_bound(kTimeBars.begin(), kTimeBars.end(), page.time_ms);
  ++time_bars[static_cast<std::size_t>(bar - kTimeBars.begin())];
  if (slowest.would_take(took)) slowest.add(took, kept(page.url));
}

void Survey::count_type(std::string_view type) {
  type = type.substr(0, type.find_first_of("; "));
  if (type.empty() || type.size() > kMostTypeBytes) type = "none";
  key_ = unescaped(type);
  make_lower(key_);
  const auto at = types.find(key_);
  if (at != types.end()) {
    ++at->second;
  } else {
    ++types[types.size() < kMostTypes ? key_ : ""];
  }
}

HostTally& Survey::host_of(std::string_view url) {
  key_ = origin_of(url);
  const auto at = hosts.find(key_);
  if (at != hosts.end()) return at->second;
  return hosts[hosts.size() < kMostHosts ? key_ : ""];
}

}  // namespace spinneret::report
