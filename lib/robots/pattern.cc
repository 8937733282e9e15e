// SPDX-License-Identifier: Apache-2.0
#include "robots/pattern.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ascii.h"
#include "url/percent.h"

namespace spinneret::robots {
namespace {

// RFC 3986, section 2: unreserved bytes mean the same escaped and unescaped; reserved bytes differ
// from their escapes. The apostrophe counts as unreserved: the URL Standard escapes it in the query
// of an http URL and nowhere else, so it cannot be known how the link had it.
enum ByteClass : std::uint8_t { kIllegal, kUnreserved, kReserved, kPercent, kSpecial };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 128; ++c) {
    if (is_unreserved(static_cast<char>(c))) classes[c] = kUnreserved;
  }
  for (const char c : std::string_view(":/?#[]@!&()+,;=")) {
    classes[static_cast<unsigned char>(c)] = kReserved;
  }
  classes['\''] = kUnreserved;
  classes['%'] = kPercent;
  classes['*'] = classes['$'] = kSpecial;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

constexpr std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
constexpr bool stands(char c) { return class_of(c) == kUnreserved || class_of(c) == kReserved; }

// Returns whether a hexadecimal digit after `out` would complete an escape from a percent sign that
// began none: "%" or "%f".
bool ends_in_lone_percent(std::string_view out) {
  return out.ends_with('%') || (out.size() > 1 && out[out.size() - 2] == '%' && is_hex(out.back()));
}

// Appends one escape, undone or in upper case. The bytes of `out` before `begin` belong to another
// text.
void append_escape_normalized(std::string& out, std::size_t begin, std::string_view text,
                              std::size_t at) {
  const char c = escape_value(text, at);
  const std::string_view before = std::string_view(out).substr(begin);
  if (class_of(c) == kUnreserved && !(is_hex(c) && ends_in_lone_percent(before))) {
    out += c;
  } else {
    append_escape(out, c);
  }
}

void append_rfc(std::string& out, std::string_view text, bool is_pattern) {
  // The URL Standard turns each backslash of a path into a slash, but not those of a query.
  const std::size_t slashes_end = is_pattern ? text.find('?') : 0;
  const std::size_t begin = out.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t run = i;
    while (i < text.size() && stands(text[i])) ++i;
    out.append(text.substr(run, i - run));
    if (i == text.size()) return;
    const char c = text[i];
    if (is_escape(text, i)) {
      append_escape_normalized(out, begin, text, i);
      i += 2;
    } else if (c == '%' || (is_pattern && (c == '*' || (c == '$' && i + 1 == text.size())))) {
      out += c;
    } else if (c == '\\' && i < slashes_end) {
      out += '/';
    } else {
      append_escape(out, c);
    }
  }
}

// draft-koster-robots-00, section 3.2.2: every escape is undone, except that of the slash.
void append_1994(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_escape(text, i)) {
      out += text[i];
      continue;
    }
    const char c = escape_value(text, i);
    if (c == '/') {
      out += "%2F";
    } else {
      out += c;
    }
    i += 2;
  }
}

void append_google_pattern(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_escape(text, i)) {
      append_escape(out, escape_value(text, i));
      i += 2;
    } else if ((text[i] & 0x80) != 0) {
      append_escape(out, text[i]);
    } else {
      out += text[i];
    }
  }
}

}  // namespace

std::string_view comparable_path(std::string_view path, RobotsMode mode, std::string& storage) {
  const bool has_slash = path.starts_with('/');
  if (mode == RobotsMode::kGoogle) {
    if (has_slash) return path;
    return storage.assign("/").append(path);
  }
  const bool as_is = mode == RobotsMode::kRfc ? std::all_of(path.begin(), path.end(), stands)
                                              : path.find('%') == std::string_view::npos;
  if (as_is && has_slash) return path;
  storage.clear();
  if (!has_slash) storage += '/';
  if (mode == RobotsMode::kRfc) {
    append_rfc(storage, path, false);
  } else {
    append_1994(storage, path);
  }
  return storage;
}

void append_comparable_pattern(std::string& out, std::string_view value, RobotsMode mode) {
  switch (mode) {
    case RobotsMode::kRfc: return append_rfc(out, value, true);
    case RobotsMode::kGoogle: return append_google_pattern(out, value);
    case RobotsMode::k1994: return append_1994(out, value);
  }
}

// google/robotstxt, robots.cc: GetPathParamsQuery.
std::string_view google_path(std::string_view url, std::string& storage) {
  constexpr std::size_t npos = std::string_view::npos;
  const std::size_t begin = url.starts_with("//") ? 2 : 0;
  const std::size_t early = url.find_first_of("/?;", begin);
  std::size_t authority = url.find("://", begin);
  authority = authority == npos || early < authority ? begin : authority + 3;
  const std::size_t path = url.find_first_of("/?;", authority);
  const std::size_t hash = url.find('#', begin);
  if (path == npos || hash < path) return "/";
  const std::string_view found = url.substr(path, hash == npos ? npos : hash - path);
  if (found.front() == '/') return found;
  return storage.assign("/").append(found);
}

// Keeps the positions that the pattern so far can have reached, one pattern character after the
// other.
bool slow_pattern_match(std::string_view pattern, std::string_view path) {
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$' && i + 1 == pattern.size()) return reached[path.size()];
    std::vector<bool> next(path.size() + 1, false);
    bool any = false;
    for (std::size_t at = 0; at <= path.size(); ++at) {
      const bool stays = pattern[i] == '*' && (at > 0 && next[at - 1]);
      const bool steps = pattern[i] == '*'
                             ? bool{reached[at]}
                             : at > 0 && reached[at - 1] && path[at - 1] == pattern[i];
      next[at] = stays || steps;
      any = any || next[at];
    }
    if (!any) return false;
    reached.swap(next);
  }
  return true;
}

}  // namespace spinneret::robots
