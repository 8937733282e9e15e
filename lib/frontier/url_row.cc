// SPDX-License-Identifier: Apache-2.0
#include "frontier/url_row.h"

#include <algorithm>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

// First byte of a row: state in the low two bits, then what follows.
constexpr unsigned kStateBits = 0x03;
constexpr unsigned kHasVisit = 0x04;
constexpr unsigned kHasExtra = 0x08;
constexpr unsigned kIsSitemap = 0x10;
constexpr unsigned kViaIsLocal = 0x20;  // and, if it is then empty, its number follows
constexpr unsigned kIsStub = 0x40;
constexpr unsigned kHasVotes = 0x80;

// First byte of a queue entry.
constexpr unsigned kEntrySitemap = 0x01;
constexpr unsigned kEntryVisited = 0x02;
constexpr unsigned kEntryExtra = 0x04;
constexpr unsigned kEntryViaIsLocal = 0x08;
constexpr unsigned kEntryViaIsFar = 0x10;

// Whether it is a path of the same origin; "https://example.org" is a prefix of
// "https://example.organ/", too.
bool is_local(std::string_view via, std::string_view origin) {
  return via.size() > origin.size() && via[origin.size()] == '/' && via.starts_with(origin);
}

void encode_votes(std::string& out, const Votes& votes) {
  put_varint(out, std::uint64_t{votes.links} << 1 | (votes.spent ? 1 : 0));
  put_varint(out, votes.cash);
}

Votes decode_votes(Decoder& from) {
  Votes votes;
  const std::uint64_t links = from.varint();
  votes.links = static_cast<std::uint32_t>(links >> 1);
  votes.spent = (links & 1) != 0;
  votes.cash = from.varint();
  if (links >> 1 > UINT32_MAX) from.bad = true;
  return votes;
}

void encode_visit(std::string& out, const UrlRow& row) {
  put_varint(out, row.visits);
  put_varint(out, row.failures);
  out += static_cast<char>(row.outcome);
  put_varint(out, row.status);
  put_varint(out, static_cast<std::uint64_t>(row.last_ms));
  put_varint(out, static_cast<std::uint64_t>(row.due_ms));
  put_varint(out, static_cast<std::uint64_t>(row.interval_ms / 1000));
  put_varint(out, row.run);
  put_varint(out, row.gone);
  put_bytes(out, row.etag);
  put_bytes(out, row.last_modified);
  put_bytes(out, row.digest);
  put_bytes(out, row.error);
  const std::int64_t since_s =
      row.compared_ms == 0 ? 0 : std::max<std::int64_t>(row.last_ms - row.compared_ms, 0) / 1000;
  if (row.history.empty() && row.visit_class == 0 && since_s == 0 && !row.claimed) return;
  put_varint(out, row.history.changes);
  put_varint(out, row.history.changed_s);
  put_varint(out, row.history.same_s);
  put_varint(out, static_cast<std::uint64_t>(since_s));
  put_varint(out, row.visit_class);
  if (row.claimed) out += '\1';
}

// Rows of visits that taught nothing end before the history.
void decode_history(Decoder& from, UrlRow& row) {
  row.compared_ms = row.last_ms;
  if (from.rest.empty()) return;
  row.history.changes = static_cast<std::uint32_t>(from.varint());
  row.history.changed_s = static_cast<std::uint32_t>(from.varint());
  row.history.same_s = static_cast<std::uint32_t>(from.varint());
  const std::uint64_t since_s = from.varint();
  const std::uint64_t visit_class = from.varint();
  row.claimed = !from.rest.empty() && from.byte() == 1;
  if (visit_class > kVisitClasses || since_s > static_cast<std::uint64_t>(row.last_ms) / 1000)
    from.bad = true;
  if (from.bad) return;
  row.visit_class = static_cast<std::uint16_t>(visit_class);
  row.compared_ms -= static_cast<std::int64_t>(since_s) * 1000;
  row.ranked = visit_class != 0 && !row.history.empty();
}

// A damaged row may have any number: milliseconds must not overflow.
std::int64_t seconds_in_ms(Decoder& from) {
  constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 40;
  const std::uint64_t seconds = from.varint();
  if (seconds > kMostSeconds) from.bad = true;
  return from.bad ? 0 : static_cast<std::int64_t>(seconds) * 1000;
}

void decode_visit(Decoder& from, UrlRow& row) {
  row.visits = static_cast<std::uint32_t>(from.varint());
  row.failures = static_cast<std::uint32_t>(from.varint());
  row.outcome = static_cast<Outcome>(from.byte());
  row.status = static_cast<std::uint16_t>(from.varint());
  row.last_ms = from.milliseconds();
  row.due_ms = from.milliseconds();
  row.interval_ms = seconds_in_ms(from);
  row.run = static_cast<std::uint32_t>(from.varint());
  row.gone = static_cast<std::uint32_t>(from.varint());
  row.etag = from.bytes();
  row.last_modified = from.bytes();
  row.digest = from.bytes();
  row.error = from.bytes();
  if (static_cast<std::size_t>(row.outcome) >= all_outcomes().size()) from.bad = true;
  decode_history(from, row);
}

}  // namespace

std::string_view to_string(UrlState state) {
  switch (state) {
    case UrlState::kWaiting: return "waiting";
    case UrlState::kDone: return "done";
    case UrlState::kError: return "error";
    case UrlState::kBlocked: return "blocked";
  }
  return "";
}

void encode_stub(std::string& out, const UrlRow& row) {
  const bool voted = !row.votes.empty();
  out.assign(1, static_cast<char>(voted ? kIsStub | kHasVotes : kIsStub));
  out += static_cast<char>(row.priority);
  put_varint(out, row.depth);
  put_varint(out, row.arrival);
  if (voted) encode_votes(out, row.votes);
}

void encode_waiting_row(std::string& out, const UrlRow& row, std::string_view origin) {
  if (row.visits == 0) return encode_stub(out, row);
  encode_url_row(out, row, origin);
}

void encode_url_row(std::string& out, const UrlRow& row, std::string_view origin) {
  if (row.is_stub) return encode_stub(out, row);
  const bool far = row.via_number != 0;
  const bool local = far || is_local(row.via, origin);
  const bool visited = row.visits != 0;
  unsigned flags = static_cast<unsigned>(row.state);
  if (visited) flags |= kHasVisit;
  if (!row.extra.empty()) flags |= kHasExtra;
  if (row.is_sitemap) flags |= kIsSitemap;
  if (local) flags |= kViaIsLocal;
  if (!row.votes.empty()) flags |= kHasVotes;
  out.assign(1, static_cast<char>(flags));
  out += static_cast<char>(row.priority);
  put_varint(out, row.depth);
  put_varint(out, row.arrival);
  if (!row.votes.empty()) encode_votes(out, row.votes);
  put_bytes(out, row.rest);
  put_varint(out, static_cast<std::uint64_t>(row.added_ms / 1000));
  if (far) {
    put_bytes(out, {});
    put_varint(out, row.via_number);
  } else {
    put_bytes(out, local ? std::string_view(row.via).substr(origin.size()) : row.via);
  }
  if (!row.extra.empty()) put_bytes(out, row.extra);
  if (visited) encode_visit(out, row);
}

namespace {

// `rest` is given where the bytes do not have it.
bool decode(std::string_view bytes, std::string_view origin, const std::string_view* rest,
            UrlRow& row) {
  Decoder from{bytes};
  row = UrlRow();
  const unsigned flags = from.byte();
  row.state = static_cast<UrlState>(flags & kStateBits);
  row.is_sitemap = (flags & kIsSitemap) != 0;
  row.priority = from.byte();
  row.depth = static_cast<std::uint32_t>(from.varint());
  row.arrival = from.varint();
  if ((flags & kHasVotes) != 0) row.votes = decode_votes(from);
  row.is_stub = (flags & kIsStub) != 0;
  if (row.is_stub) return !from.bad && (flags & ~kHasVotes) == kIsStub;  // a stub waits
  row.rest = rest != nullptr ? *rest : from.bytes();
  row.added_ms = seconds_in_ms(from);
  row.via = from.bytes();
  if ((flags & kViaIsLocal) != 0) {
    if (row.via.empty()) {
      row.via_number = from.varint();
    } else {
      row.via.insert(0, origin);
    }
  }
  if ((flags & kHasExtra) != 0) row.extra = from.bytes();
  if ((flags & kHasVisit) != 0) decode_visit(from, row);
  return !from.bad;
}

}  // namespace

bool decode_url_row(std::string_view bytes, std::string_view origin, UrlRow& row) {
  return decode(bytes, origin, nullptr, row);
}

bool decode_old_url_row(std::string_view bytes, std::string_view origin, std::string_view rest,
                        UrlRow& row) {
  return decode(bytes, origin, &rest, row);
}

bool decode_depth(std::string_view bytes, std::uint32_t& depth) {
  Decoder from{bytes};
  from.byte();
  from.byte();
  depth = static_cast<std::uint32_t>(from.varint());
  return !from.bad;
}

void make_later_key(std::string& out, const UrlRow& row, HostId host, std::string_view rest) {
  if (row.state == UrlState::kWaiting) {
    make_later_key(out, {LaterKind::kRetry, row.due_ms, host, rest});
  } else if (row.visit_class == 0) {
    make_later_key(out, {LaterKind::kRecrawl, row.due_ms, host, rest});
  } else {
    const auto visit_class = static_cast<std::uint16_t>(row.visit_class - 1);
    make_later_key(out, {LaterKind::kWorth, row.due_ms, host, rest, visit_class});
  }
}

void encode_queue_entry(std::string& out, const QueueEntry& entry) {
  unsigned flags = 0;
  if (entry.is_sitemap) flags |= kEntrySitemap;
  if (entry.visited) flags |= kEntryVisited;
  if (!entry.extra.empty()) flags |= kEntryExtra;
  if (entry.via_is_local && !entry.visited) flags |= kEntryViaIsLocal;
  if (entry.via_is_far && !entry.visited) flags |= kEntryViaIsFar;
  out.assign(1, static_cast<char>(flags));
  put_varint(out, entry.depth);
  if (!entry.extra.empty()) put_bytes(out, entry.extra);
  if (!entry.visited) {
    put_varint(out, static_cast<std::uint64_t>(entry.added_ms / 1000));
    if (entry.via_is_far) {
      put_varint(out, entry.via_back);
    } else {
      put_bytes(out, entry.via);
    }
  }
  out += entry.rest;
}

bool decode_queue_entry(std::string_view bytes, QueueEntry& entry) {
  Decoder from{bytes};
  const unsigned flags = from.byte();
  entry.is_sitemap = (flags & kEntrySitemap) != 0;
  entry.visited = (flags & kEntryVisited) != 0;
  entry.depth = static_cast<std::uint32_t>(from.varint());
  entry.extra = (flags & kEntryExtra) != 0 ? from.bytes() : std::string_view();
  entry.via_is_local = (flags & kEntryViaIsLocal) != 0;
  entry.added_ms = entry.visited ? 0 : seconds_in_ms(from);
  entry.via_is_far = (flags & kEntryViaIsFar) != 0 && !entry.visited;
  entry.via_back = entry.via_is_far ? from.varint() : 0;
  entry.via = entry.visited || entry.via_is_far ? std::string_view() : from.bytes();
  entry.rest = from.rest;
  return !from.bad;
}

QueueEntry entry_of(const UrlRow& row, std::string_view origin, std::string_view rest) {
  QueueEntry entry{row.depth,    row.is_sitemap, row.visits != 0, rest, row.extra,
                   row.added_ms, false,          false,           0,    {}};
  const std::uint64_t number = number_in(row.arrival);
  // In a state whose numbers are lost the page's may be the greater one.
  entry.via_is_far = row.via_number != 0 && row.via_number <= number;
  if (entry.via_is_far) {
    entry.via_back = number - row.via_number;
    return entry;
  }
  entry.via = row.via;
  entry.via_is_local = is_local(entry.via, origin);
  if (entry.via_is_local) entry.via.remove_prefix(origin.size());
  return entry;
}

void fill_row(UrlRow& row, const QueueEntry& entry, Place place, std::string_view origin) {
  const Votes votes = row.votes;
  row = UrlRow();
  row.votes = votes;
  row.priority = place.priority();
  row.arrival = place.arrival();
  row.depth = entry.depth;
  row.is_sitemap = entry.is_sitemap;
  row.rest = entry.rest;
  row.added_ms = entry.added_ms;
  if (entry.via_is_far) {
    const std::uint64_t number = number_in(row.arrival);
    row.via_number = number - std::min(number, entry.via_back);
  } else {
    if (entry.via_is_local) row.via = origin;
    row.via += entry.via;
  }
  row.extra = entry.extra;
}

}  // namespace spinneret::frontier
