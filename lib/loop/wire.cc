// SPDX-License-Identifier: Apache-2.0
#include "loop/wire.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/ascii.h"
#include "base/number.h"
#include "frontier/recrawl.h"
#include "io/record.h"

namespace spinneret::loop {
namespace {

using frontier::Candidate;
using frontier::Dispatch;
using frontier::Purpose;
using frontier::Settled;

// Fields of links and results that are not kept with a URL. Sorted.
constexpr std::string_view kOurFields[] = {"body",
                                           "body-file",
                                           "body-offset",
                                           "by-lease",
                                           "changefreq",
                                           "charged",
                                           "charset",
                                           "content-language",
                                           "continued",
                                           "crawl-delay",
                                           "depth",
                                           "digest",
                                           "end-by",
                                           "error",
                                           "etag",
                                           "expires",
                                           "gap",
                                           "ip",
                                           "lane",
                                           "last-modified",
                                           "lastmod",
                                           "late",
                                           "link",
                                           "location",
                                           "needs",
                                           "outcome",
                                           "price",
                                           "priority",
                                           "purpose",
                                           "refresh",
                                           "rel",
                                           "retry-after",
                                           "robots",
                                           "robots-line",
                                           "robots-reason",
                                           "robots-rule",
                                           "send-by",
                                           "similarity",
                                           "size",
                                           "status",
                                           "tag",
                                           "text",
                                           "time-ms",
                                           "type",
                                           "unheard",
                                           "via",
                                           "wants",
                                           "warc-body-file",
                                           "warc-body-offset",
                                           "warc-file",
                                           "warc-offset",
                                           "x-robots-tag"};

// More fields of links, which a seed may use for its own purposes. Sorted.
constexpr std::string_view kLinkFields[] = {"anchor", "column", "ctx",    "hreflang", "line",
                                            "media",  "method", "offset", "raw"};

template <std::size_t kSize>
bool is_in(const std::string_view (&sorted)[kSize], std::string_view key) {
  return std::binary_search(std::begin(sorted), std::end(sorted), key);
}

struct Column {
  std::string_view key;  // empty if it is not key=value
  std::string_view value;
  std::string_view whole;
};

// Cuts the next column off `rest`, which begins after a tab. Returns false if there is none.
bool next_column(std::string_view& rest, bool& more, Column& out) {
  if (!more) return false;
  const std::size_t tab = rest.find('\t');
  out.whole = rest.substr(0, tab);
  more = tab != std::string_view::npos;
  if (more) rest.remove_prefix(tab + 1);
  const std::size_t equals = out.whole.find('=');
  if (equals == std::string_view::npos) {
    out.key = {};
    out.value = {};
  } else {
    out.key = out.whole.substr(0, equals);
    out.value = out.whole.substr(equals + 1);
  }
  return true;
}

// Calls each() for the columns after the URL. Returns the URL.
template <typename Each>
std::string_view for_columns(std::string_view line, Each each) {
  const std::size_t tab = line.find('\t');
  const std::string_view url = line.substr(0, tab);
  bool more = tab != std::string_view::npos;
  std::string_view rest = more ? line.substr(tab + 1) : std::string_view();
  Column column;
  while (next_column(rest, more, column)) each(column);
  return url;
}

// A larger number becomes the largest one: a depth of 2^32 is far down, and not a seed's.
std::optional<std::uint32_t> number32(std::string_view text) {
  if (!is_digits(text)) return std::nullopt;
  const std::uint64_t number = parse_unsigned(text).value_or(UINT32_MAX);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
}

// In records greater priorities go first, in the queue smaller ones.
constexpr std::uint32_t kLinkPriorityField = frontier::kLastPriority - frontier::kLinkPriority;
std::uint8_t inner_priority(std::uint32_t field) {
  return static_cast<std::uint8_t>(frontier::kLastPriority -
                                   std::min<std::uint32_t>(field, frontier::kLastPriority));
}
std::uint32_t priority_field(std::uint8_t inner) {
  return frontier::kLastPriority - std::uint32_t{std::min(inner, frontier::kLastPriority)};
}

// Parses seconds, as records have them, into milliseconds.
std::optional<std::int64_t> seconds(std::string_view text) {
  const std::optional<double> value = parse_decimal(text);
  if (!value || !(*value < 1e11)) return std::nullopt;
  return std::llround(*value * 1000);
}

Purpose purpose_of(std::string_view text) {
  if (text == "robots") return Purpose::kRobots;
  return text == "sitemap" ? Purpose::kSitemap : Purpose::kPage;
}

}  // namespace

std::string_view purpose_of_depth(std::uint32_t depth) {
  if (!frontier::is_checked(depth)) return {};
  return depth < frontier::kCheckDepth ? "ids" : "check";
}

namespace {

void append_field(std::string& out, std::string_view key, std::string_view value) {
  out += '\t';
  out += key;
  out += '=';
  append_escaped(out, value);
}

}  // namespace

std::string_view Wire::plain(std::string_view raw, std::size_t slot) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  unescaped_[slot].clear();
  append_unescaped(unescaped_[slot], raw);
  return unescaped_[slot];
}

Candidate Wire::candidate(std::string_view line) {
  Candidate out;
  std::uint32_t asked = 0;
  extra_.clear();
  out.url = for_columns(line, [&](const Column& column) {
    if (column.key == "depth") {
      out.depth = std::min(number32(column.value).value_or(0), frontier::kIdsDepth - 1);
    } else if (column.key == "via") {
      out.via = plain(column.value, 0);
    } else if (column.key == "priority") {
      const std::optional<std::uint32_t> field = number32(column.value);
      out.raises = field.has_value();
      out.priority = inner_priority(field.value_or(kLinkPriorityField));
    } else if (column.key == "purpose") {
      out.is_sitemap = column.value == "sitemap";
      if (column.value == "requisite") extra_ += "\tpurpose=requisite";
      if (column.value == "check") asked = frontier::kCheckDepth;
      if (column.value == "ids") asked = frontier::kIdsDepth;
    } else if (column.key == "lastmod") {
      out.modified_ms = frontier::parse_w3c_time(column.value).value_or(0);
    } else if (column.key == "changefreq") {
      out.interval_ms = frontier::change_frequency_ms(column.value).value_or(0);
    } else if (!is_in(kOurFields, column.key) &&
               (out.via.empty() || !is_in(kLinkFields, column.key))) {
      extra_ += '\t';
      extra_ += column.whole;
    }
  });
  out.depth += asked;
  out.extra = extra_;
  return out;
}

void Wire::take_field(std::string_view key, std::string_view value, Settled& out) {
  if (key.empty()) return;
  switch (key.front()) {
    case 'c':
      if (key == "crawl-delay") out.crawl_delay_ms = seconds(value);
      break;
    case 'd':
      if (key == "digest") out.digest = plain(value, 0);
      break;
    case 'e':
      if (key == "etag") out.etag = plain(value, 1);
      if (key == "error") out.error = plain(value, 2);
      if (key == "expires") out.expires_ms = seconds(value).value_or(0);
      break;
    case 'h':
      if (key == "hop") out.answered_at = plain(value.substr(value.find(' ') + 1), 6);
      break;
    case 'i':
      if (key == "ip") out.ip = value;
      break;
    case 'l':
      if (key == "last-modified") out.last_modified = plain(value, 3);
      if (key == "late") out.is_late = true;
      break;
    case 'n':
      if (key == "needs") out.needs = plain(value, 4);
      break;
    case 'p':
      if (key == "purpose") out.purpose = purpose_of(value);
      break;
    case 'r':
      if (key == "retry-after") out.retry_after_ms = seconds(value);
      if (key == "robots") out.has_rules = value == "allow";
      if (key == "robots-reason") out.robots_reason = plain(value, 5);
      break;
    case 's':
      if (key == "status") {
        // A larger number must not wrap around to a real status.
        out.status = static_cast<std::uint16_t>(
            std::min<std::uint32_t>(number32(value).value_or(0), UINT16_MAX));
      }
      if (key == "similarity") out.is_alike = parse_decimal(value).has_value();
      if (key == "size") out.size = parse_unsigned(value).value_or(0);
      break;
    case 't':
      if (key == "time-ms") {
        // Some programs write fractions.
        const std::optional<double> time = parse_decimal(value);
        if (time && *time < 1e12) out.time_ms = std::llround(*time);
      }
      break;
    default: break;
  }
}

bool Wire::settled(std::string_view line, Settled& out) {
  out = Settled();
  std::string_view outcome;
  out.url = for_columns(line, [&](const Column& column) {
    if (column.key == "outcome") {
      outcome = column.value;
    } else {
      take_field(column.key, column.value, out);
    }
  });
  const std::optional<Outcome> known = parse_outcome(outcome);
  if (!known) return false;
  out.outcome = *known;
  // A server that has sent the page refuses nothing, whatever its header says.
  if (out.status == 200) out.retry_after_ms.reset();
  return true;
}

void Wire::append(std::string& out, const Dispatch& dispatch) {
  out += dispatch.url;
  out += dispatch.extra;
  if (dispatch.gap_ms != 0) {
    out += "\tgap=";
    out += seconds_text(dispatch.gap_ms);
    if (dispatch.lane) {
      out += "\tlane=";
      append_unsigned(out, *dispatch.lane);
    }
  }
  if (dispatch.unheard) out += "\tunheard=yes";
  if (dispatch.send_by_ms != 0) {
    out += "\tsend-by=";
    out += seconds_text(dispatch.send_by_ms);
    out += "\tend-by=";
    out += seconds_text(dispatch.end_by_ms);
  }
  if (dispatch.by_lease != 0) {
    out += "\tby-lease=";
    append_unsigned(out, dispatch.by_lease);
  }
  if (dispatch.purpose == Purpose::kRobots) {
    out += "\tpurpose=robots";
    return;
  }
  out += "\tdepth=";
  append_unsigned(out, frontier::links_of(dispatch.depth));
  if (dispatch.priority != frontier::kLinkPriority) {
    out += "\tpriority=";
    append_unsigned(out, priority_field(dispatch.priority));
  }
  if (dispatch.purpose == Purpose::kSitemap) out += "\tpurpose=sitemap";
  if (const std::string_view asked = purpose_of_depth(dispatch.depth); !asked.empty()) {
    out += "\tpurpose=";
    out += asked;
  }
  if (!dispatch.etag.empty()) append_field(out, "etag", dispatch.etag);
  if (!dispatch.last_modified.empty()) append_field(out, "last-modified", dispatch.last_modified);
}

void Wire::append_unasked(std::string& out, std::string_view line) {
  out += record_url(line);
  for_columns(line, [&](const Column& column) {
    if (column.key == "gap" || column.key == "lane" || column.key == "unheard" ||
        column.key == "send-by" || column.key == "end-by" || column.key == "by-lease")
      return;
    out += '\t';
    out += column.whole;
  });
}

void Wire::append_found(std::string& out, std::string_view line, std::string_view via) {
  const std::string_view url = record_url(line);
  out += url;
  append_field(out, "via", via);
  out += line.substr(url.size());
}

}  // namespace spinneret::loop
