// SPDX-License-Identifier: Apache-2.0
#include "frontier/admission.h"

#include <algorithm>
#include <numeric>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

std::uint32_t size32(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

// More than this is given back: one page of a million links must not stay for the whole run.
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

void Admission::look_up(HostTable& hosts, Store& store) {
  entries_.clear();
  key_arena_.clear();
  std::vector<std::size_t> ends;
  ends.reserve(sealed_);
  for (std::size_t i = 0; i < sealed_; ++i) {
    Entry entry = entry_of(spans_[i]);
    // The links of a page are mostly of one host.
    const bool same = i != 0 && entries_.back().origin == entry.origin;
    entry.host = same ? entries_.back().host : hosts.find(entry.origin);
    put_big_endian(key_arena_, hosts.host(entry.host).id, 4);
    key_arena_ += entry.rest;
    ends.push_back(key_arena_.size());
    entries_.push_back(entry);
  }
  std::vector<std::string_view> by_entry(sealed_);
  for (std::size_t i = 0, begin = 0; i < sealed_; begin = ends[i++]) {
    by_entry[i] = std::string_view(key_arena_).substr(begin, ends[i] - begin);
  }
  order_.resize(sealed_);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int order = by_entry[a].compare(by_entry[b]);
    return order != 0 ? order < 0 : a < b;
  });
  // Of repeats the first stays, with the least depth of all, the best priority that was said and all votes, and the fields of
  // the one that wants most of it.
  std::size_t kept = 0;
  for (const std::uint32_t each : order_) {
    if (kept != 0 && by_entry[order_[kept - 1]] == by_entry[each]) {
      Entry& first = entries_[order_[kept - 1]];
      const Entry& again = entries_[each];
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
    } else {
      order_[kept++] = each;
    }
  }
  order_.resize(kept);
  repeats_ = sealed_ - kept;
  keys_.clear();
  for (const std::uint32_t each : order_) keys_.push_back(by_entry[each]);
  store.multi_get(Table::kUrls, keys_, rows_, found_);
  for (std::size_t i = 0; i < kept; ++i) entries_[order_[i]].fresh = found_[i] == 0;
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
