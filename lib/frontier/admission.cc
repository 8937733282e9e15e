// SPDX-License-Identifier: Apache-2.0
#include "frontier/admission.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/hash.h"
#include "frontier/keys.h"
#include "frontier/url_row.h"
#include "frontier/vias.h"

namespace spinneret::frontier {
namespace {

std::uint32_t size32(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

// A larger arena is given back: one page of a million links must not take memory for the whole run.
constexpr std::size_t kKeepAtMost = std::size_t{8} << 20;

}  // namespace

void Admission::stage(const Candidate& candidate, const UrlParts& parts) {
  spans_.push_back({arena_.size(),
                    size32(parts.origin),
                    size32(parts.rest),
                    size32(candidate.via),
                    size32(candidate.extra),
                    candidate.depth,
                    candidate.priority,
                    candidate.raises,
                    candidate.is_sitemap,
                    candidate.modified_ms,
                    candidate.interval_ms,
                    {}});
  arena_ += parts.origin;
  arena_ += parts.rest;
  arena_ += candidate.via;
  arena_ += candidate.extra;
}

// Origin and rest, one behind the other.
std::string_view Admission::text_of(const Span& span) const {
  return std::string_view(arena_).substr(span.begin, std::size_t{span.origin} + span.rest);
}

std::string_view Admission::origin_of(const Span& span) const {
  return std::string_view(arena_).substr(span.begin, span.origin);
}

bool Admission::vote(std::string_view via, const UrlParts& own, std::uint64_t cash) {
  voted_.clear();
  for (std::size_t i = page_; i < sealed_; ++i) {
    const Span& span = spans_[i];
    const std::string_view text = text_of(span);
    if (std::string_view(arena_).substr(span.begin + text.size(), span.via) != via) continue;
    if (text.substr(0, span.origin) == own.origin && text.substr(span.origin) == own.rest) continue;
    voted_.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(voted_.begin(), voted_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return text_of(spans_[a]) < text_of(spans_[b]);
  });
  const auto same = [this](std::uint32_t a, std::uint32_t b) {
    return text_of(spans_[a]) == text_of(spans_[b]);
  };
  voted_.erase(std::unique(voted_.begin(), voted_.end(), same), voted_.end());
  const std::uint64_t share = share_of(cash, voted_.size());
  for (const std::uint32_t each : voted_) spans_[each].votes = {.cash = share, .links = 1};
  return !voted_.empty();
}

void Admission::drop_tail() {
  if (tail() == 0) return;
  arena_.resize(spans_[sealed_].begin);
  spans_.resize(sealed_);
}

Admission::Entry Admission::entry_of(const Span& span) const {
  std::string_view text = std::string_view(arena_).substr(span.begin);
  const auto cut = [&text](std::uint32_t size) {
    const std::string_view part = text.substr(0, size);
    text.remove_prefix(size);
    return part;
  };
  Entry entry{span.depth,
              span.priority,
              span.raises,
              span.is_sitemap,
              false,
              0,
              span.modified_ms,
              span.interval_ms,
              0,
              span.votes,
              Told::kAlone,
              0,
              {},
              {},
              {},
              {}};
  entry.origin = cut(span.origin);
  entry.rest = cut(span.rest);
  entry.via = cut(span.via);
  entry.extra = cut(span.extra);
  return entry;
}

bool Admission::is_news(const Span& span, HostId host, std::uint64_t fingerprint) const {
  return span.raises || !span.votes.empty() || span.modified_ms != 0 || span.interval_ms != 0 ||
         !recent_.knows(host, fingerprint, span.depth);
}

// Finds the host and the fingerprint of all that is sealed. What the next links will look at is
// prefetched: of a million links to 100,000 hosts each costs 4.1 us of the calling thread, not 4.5,
// and links of pages that come again .31, not .36.
void Admission::name(HostTable& hosts) {
  using Soon = HostTable::Soon;
  constexpr std::size_t kFirst = 12;  // then its host and its name when it is 8 and 4 links away
  std::array<std::uint64_t, 16> hashes{};
  const auto expect = [&](std::size_t i, Soon what) {
    if (i >= sealed_) return;
    std::uint64_t& hash = hashes[i % hashes.size()];
    if (what == Soon::kPlace) hash = hash64(origin_of(spans_[i]));
    hosts.expect(hash, what);
  };
  for (std::size_t i = 0; i < kFirst; ++i) expect(i, Soon::kPlace);
  named_.clear();
  std::string_view origin;
  HostSlot slot = 0;
  for (std::size_t i = 0; i < sealed_; ++i) {
    expect(i + kFirst, Soon::kPlace);
    expect(i + 8, Soon::kHost);
    expect(i + 4, Soon::kName);
    const std::string_view text = text_of(spans_[i]);
    // Most links of a page lead to one host.
    if (i == 0 || text.substr(0, spans_[i].origin) != origin) {
      origin = text.substr(0, spans_[i].origin);
      slot = hosts.find(origin);
    }
    const Named each{slot, hosts.host(slot).id, fingerprint_of(text.substr(origin.size()))};
    recent_.expect(each.host, each.fingerprint);
    named_.push_back(each);
  }
}

// Collects what must be looked up, sorted by key; of one key the first that came is the first.
void Admission::gather(HostTable& hosts) {
  name(hosts);
  entries_.clear();
  wanted_.clear();
  for (std::size_t i = 0; i < sealed_; ++i) {
    const Named& each = named_[i];
    if (!is_news(spans_[i], each.host, each.fingerprint)) continue;
    wanted_.push_back({each.host, static_cast<std::uint32_t>(entries_.size()), each.fingerprint});
    entries_.push_back(entry_of(spans_[i]));
    entries_.back().host = each.slot;
  }
  std::sort(wanted_.begin(), wanted_.end(), [](const Wanted& a, const Wanted& b) {
    return std::tie(a.host, a.fingerprint, a.entry) < std::tie(b.host, b.fingerprint, b.entry);
  });
}

// Of repeats the first stays. It gets the least depth of all, the best priority that was given, all
// votes, and the fields of the one that wants most of the URL.
void Admission::join_repeats() {
  std::size_t kept = 0;
  for (const Wanted& each : wanted_) {
    const bool same = kept != 0 && wanted_[kept - 1].host == each.host &&
                      wanted_[kept - 1].fingerprint == each.fingerprint;
    if (!same) {
      wanted_[kept++] = each;
      continue;
    }
    Entry& first = entries_[wanted_[kept - 1].entry];
    const Entry& again = entries_[each.entry];
    if (wants_more(again.depth, first.depth)) {
      first.is_sitemap = again.is_sitemap;
      first.extra = again.extra;
    }
    first.depth = std::min(first.depth, again.depth);
    first.votes.add(again.votes);
    if (again.raises && again.priority < first.priority) {
      first.priority = again.priority;
      first.raises = true;
    }
  }
  wanted_.resize(kept);
  repeats_ = sealed_ - kept;
}

// Sets `told`. The links of one page follow each other.
void Admission::join_vias() {
  std::size_t first = 0;
  std::size_t links = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!entry.fresh || entry.via.empty()) continue;
    if (links == 0 || entries_[first].via != entry.via) {
      first = i;
      links = 0;
    }
    ++links;
    if (links < kLinksOfVia) continue;
    entry.told = Told::kAgain;
    if (links > kLinksOfVia) continue;
    for (std::size_t k = first; k < i; ++k) {
      if (entries_[k].via == entry.via) entries_[k].told = Told::kAgain;
    }
    entries_[first].told = Told::kFirst;
  }
}

void Admission::look_up(HostTable& hosts, Store& store) {
  gather(hosts);
  join_repeats();
  order_.clear();
  key_arena_.clear();
  for (const Wanted& each : wanted_) {
    order_.push_back(each.entry);
    append_url_key(key_arena_, each.host, each.fingerprint);
  }
  keys_.clear();
  const std::size_t size = wanted_.empty() ? 0 : key_arena_.size() / wanted_.size();
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    keys_.push_back(std::string_view(key_arena_).substr(i * size, size));
  store.multi_get(Table::kUrls, keys_, rows_, found_);
  known_.clear();
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const Wanted& each = wanted_[i];
    if (found_[i] != 0) known_.push_back(static_cast<std::uint32_t>(i));
    entries_[each.entry].fresh = found_[i] == 0;
    std::uint32_t depth = entries_[each.entry].depth;
    // The depth is the table's: the one that is given now may still be refused.
    if (found_[i] != 0 && !decode_depth(rows_[i], depth)) continue;
    recent_.add(each.host, each.fingerprint, depth);
  }
  join_vias();
  std::sort(known_.begin(), known_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return order_[a] < order_[b]; });
}

void Admission::forget_sealed() {
  const std::size_t begin = tail() == 0 ? arena_.size() : spans_[sealed_].begin;
  arena_.erase(0, begin);
  spans_.erase(spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(sealed_));
  for (Span& span : spans_) span.begin -= begin;
  sealed_ = 0;
  page_ = 0;
  if (arena_.empty() && arena_.capacity() > kKeepAtMost) arena_ = std::string();
}

}  // namespace spinneret::frontier
