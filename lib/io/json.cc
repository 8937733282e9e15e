// SPDX-License-Identifier: Apache-2.0
#include "io/json.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "io/field.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr std::string_view kColumns = "columns";
constexpr std::size_t kNone = SIZE_MAX;

// Whether `text` is a number by RFC 8259, section 6, without exponent, and short enough to be
// exact.
bool is_json_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty() || text.size() > 15) return false;
  const bool has_point = text.find('.') != std::string_view::npos;
  const std::string_view whole = cut(text, '.');
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  return has_point != text.empty() && std::all_of(whole.begin(), whole.end(), is_digit) &&
         std::all_of(text.begin(), text.end(), is_digit);
}

// Returns the member that a field goes to. Columns without a key, and fields whose key the object
// itself needs, go to "columns" as a whole.
std::string_view member_of(const Record::Field& field) {
  return field.key.empty() || field.key == "url" ? kColumns : field.key;
}

void append_value(std::string& out, const Record::Field& field, std::string& scratch) {
  if (is_json_number(field.raw) && is_number_field(field.key)) {
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

// Whether there are neither repeated keys nor "columns", as in most records.
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

// For each field the next field of its member, or kNone, and whether it is the first one. Groups
// are found by sorting, since a hostile line may hold millions of keys.
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
