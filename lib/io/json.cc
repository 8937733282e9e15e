// SPDX-License-Identifier: Apache-2.0
#include "io/json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/record.h"

namespace spinneret {
namespace {

// The fields that spinneret-record(7) defines as numbers, sorted.
constexpr std::string_view kNumeric[] = {"added",
                                         "admitted",
                                         "after",
                                         "ai-input-line",
                                         "archive-line",
                                         "backoff",
                                         "bad-links",
                                         "bits",
                                         "blocked",
                                         "blocks",
                                         "body-offset",
                                         "bytes",
                                         "calm",
                                         "cluster",
                                         "cluster-size",
                                         "column",
                                         "connect-ms",
                                         "content-signal-line",
                                         "content-usage-line",
                                         "continued",
                                         "count",
                                         "crawl-delay",
                                         "crawl-line",
                                         "decided",
                                         "delay",
                                         "delay-factor-percent",
                                         "depth",
                                         "dns-ms",
                                         "done",
                                         "due",
                                         "end-by",
                                         "entries",
                                         "epoch",
                                         "expires",
                                         "failures",
                                         "finished-hosts",
                                         "first-byte-ms",
                                         "follow-line",
                                         "gap",
                                         "held",
                                         "hosts",
                                         "in-flight",
                                         "index-line",
                                         "interval",
                                         "item",
                                         "items",
                                         "known",
                                         "line",
                                         "lost",
                                         "matched",
                                         "next",
                                         "offset",
                                         "other-hosts",
                                         "outbox",
                                         "pages",
                                         "paragraphs-dropped",
                                         "priority",
                                         "recrawled",
                                         "refused",
                                         "retries",
                                         "retry-after",
                                         "robots-disallow-ai-training-line",
                                         "robots-line",
                                         "robots-noindex-line",
                                         "robots-old-line",
                                         "search-line",
                                         "send-by",
                                         "sent",
                                         "sentences-dropped",
                                         "similarity",
                                         "size",
                                         "snippet-line",
                                         "status",
                                         "status-old",
                                         "tdm-reservation",
                                         "text-words",
                                         "throttled",
                                         "throttled-since",
                                         "time",
                                         "time-ms",
                                         "tls-ms",
                                         "torn",
                                         "train-ai-line",
                                         "undated",
                                         "visited",
                                         "visits",
                                         "waiting",
                                         "warc-body-offset",
                                         "warc-offset",
                                         "wire-size"};

constexpr std::string_view kColumns = "columns";
constexpr std::size_t kNone = SIZE_MAX;

// Fields of several agents end in a dot and the agent.
constexpr std::string_view kNumericOfAgents[] = {
    "robots-line",         "tdm-reservation",     "content-usage-line",
    "content-signal-line", "robots-noindex-line", "robots-disallow-ai-training-line"};

bool is_numeric_field(std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot != std::string_view::npos) {
    const std::string_view name = key.substr(0, dot);
    return std::find(std::begin(kNumericOfAgents), std::end(kNumericOfAgents), name) !=
           std::end(kNumericOfAgents);
  }
  return std::binary_search(std::begin(kNumeric), std::end(kNumeric), key);
}

// The grammar of RFC 8259, section 6, less the exponent, and short enough to be exact.
bool is_json_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty() || text.size() > 15) return false;
  const bool has_point = text.find('.') != std::string_view::npos;
  const std::string_view whole = cut(text, '.');
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  return has_point != text.empty() && std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(text.begin(), text.end(), is_digit);
}

// The member that a field goes to. What has no key, or one that the object itself needs, goes as a whole
// column to "columns".
std::string_view member_of(const Record::Field& field) {
  return field.key.empty() || field.key == "url" ? kColumns : field.key;
}

void append_value(std::string& out, const Record::Field& field, std::string& scratch) {
  if (is_json_number(field.raw) && is_numeric_field(field.key)) {
    out += field.raw;
    return;
  }
  if (field.raw.find('\\') == std::string_view::npos && member_of(field) != kColumns)
    return append_json_string(out, field.raw);
  scratch.clear();
  if (member_of(field) == kColumns && !field.key.empty()) scratch.append(field.key) += '=';
  append_unescaped(scratch, field.raw);
  append_json_string(out, scratch);
}

// Without repeated keys and columns: what most records are.
bool is_simple(const std::vector<Record::Field>& fields) {
  constexpr std::size_t kMost = 24;
  if (fields.size() > kMost) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (member_of(fields[i]) == kColumns) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (fields[k].key == fields[i].key) return false;
    }
  }
  return true;
}

// For each field the next one of its member, or kNone; and whether it is the first. Sorted rather than
// searched: a hostile line may hold millions of keys.
struct Group {
  bool first = true;
  std::size_t next = kNone;
};

std::vector<Group> group_by_member(const std::vector<Record::Field>& fields) {
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return member_of(fields[a]) < member_of(fields[b]);
  });
  std::vector<Group> groups(fields.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (member_of(fields[order[i - 1]]) != member_of(fields[order[i]])) continue;
    groups[order[i - 1]].next = order[i];
    groups[order[i]].first = false;
  }
  return groups;
}

}  // namespace

void append_json_value(std::string& out, std::string_view key, std::string_view raw) {
  std::string scratch;
  append_value(out, {key, raw}, scratch);
}

void append_json(std::string& out, const Record& record) {
  out += "{\"url\":";
  append_json_string(out, record.url());
  const auto& fields = record.fields();
  std::string scratch;
  if (is_simple(fields)) {
    for (const Record::Field& field : fields) {
      // A key needs no escape.
      out.append(",\"").append(field.key).append("\":");
      append_value(out, field, scratch);
    }
    out += '}';
    return;
  }
  const std::vector<Group> groups = group_by_member(fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!groups[i].first) continue;
    const std::string_view member = member_of(fields[i]);
    const bool many = groups[i].next != kNone || member == kColumns;
    out += ',';
    append_json_string(out, member);
    out += many ? ":[" : ":";
    for (std::size_t at = i; at != kNone; at = groups[at].next) {
      if (at != i) out += ',';
      append_value(out, fields[at], scratch);
    }
    if (many) out += ']';
  }
  out += '}';
}

}  // namespace spinneret
