// SPDX-License-Identifier: Apache-2.0
#include "policy/trap.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/ascii.h"
#include "policy/query_policy.h"
#include "url/params.h"

namespace spinneret::policy {
namespace {

// Names that mean a session and nothing else, beside those that url-normalize knows (url/params.h).
constexpr std::string_view kSessionNames[] = {"session-id", "sess_id",    "xtcsid",
                                              "mscsid",     "viewstate",  "__viewstate",
                                              "aspsessid",  "sessionkey", "jservsessionidroot"};
// Names that may mean one: only with a value that looks like it.
constexpr std::string_view kMaybeNames[] = {"sid",    "s",     "session", "sess",       "ssid",
                                            "phpsid", "token", "sesskey", "auth_token", "visitid"};
constexpr std::size_t kIdLength = 16;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view own) { return equals_ignore_case(own, name); });
}

// 16 or more letters and digits, of both sorts: no word, no number.
bool looks_random(std::string_view value) {
  if (value.size() < kIdLength) return false;
  bool digit = false;
  bool alpha = false;
  for (const char c : value) {
    if (!is_alnum(c) && c != '-' && c != '_') return false;
    digit |= is_digit(c);
    alpha |= is_alpha(c);
  }
  return digit && alpha;
}

// The first letters of all the names above: few keys pass.
constexpr bool may_be_session(char first) {
  return std::string_view("pjscoxmvat_z").find(to_lower(first)) != std::string_view::npos;
}

bool is_session_parameter(std::string_view parameter, std::string_view name) {
  if (name.empty() || !may_be_session(name.front())) return false;
  // Of those only "aspsessionid*" is a pattern.
  if (is_one_of(session_params(), name) || starts_with_ignore_case(name, "aspsessionid"))
    return true;
  if (is_one_of(kSessionNames, name)) return true;
  if (!is_one_of(kMaybeNames, name) || parameter.size() <= name.size()) return false;
  return looks_random(parameter.substr(name.size() + 1));
}

// "/(S(abc...))/": a session without cookies, as ASP.NET writes it; several letters may follow each other.
bool is_cookieless_segment(std::string_view segment) {
  return segment.size() > 6 && segment.starts_with('(') && segment.ends_with("))") &&
         is_alpha(segment[1]) && segment[2] == '(';
}

// Path parameters: "/a;jsessionid=12;x=1" -> "/a;x=1".
void append_segment(std::string& out, std::string_view segment, bool& stripped) {
  std::size_t at = std::min(segment.find(';'), segment.size());
  out += segment.substr(0, at);
  while (at < segment.size()) {
    const std::size_t end = std::min(segment.find(';', at + 1), segment.size());
    const std::string_view parameter = segment.substr(at + 1, end - at - 1);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    if (name.size() < parameter.size() && is_session_parameter(parameter, name)) {
      stripped = true;
    } else {
      out += segment.substr(at, end - at);
    }
    at = end;
  }
}

bool strip_path(std::string_view path, std::string& out) {
  bool stripped = false;
  out.clear();
  std::string_view rest = path;
  while (!rest.empty()) {
    // `rest` begins with '/' but for an opaque path.
    const std::size_t end = rest.find('/', 1);
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(piece.size());
    const std::size_t before = out.size();
    append_segment(out, piece, stripped);
    // Judged by what is left of it, or the second time would strip more than the first.
    const std::string_view left = std::string_view(out).substr(before);
    if (left.starts_with('/') && is_cookieless_segment(left.substr(1))) {
      stripped = true;
      out.resize(before);
      if (rest.empty()) out += '/';
    }
  }
  return stripped;
}

bool has_session_parameter(std::string_view query) {
  bool found = false;
  for_each_parameter(query, [&](std::string_view parameter, std::string_view name) {
    return !(found = is_session_parameter(parameter, name));
  });
  return found;
}

bool strip_query(std::string_view query, std::string& out) {
  bool stripped = false;
  out.clear();
  for_each_parameter(query, [&](std::string_view parameter, std::string_view name) {
    if (is_session_parameter(parameter, name)) {
      stripped = true;
      return true;
    }
    if (!out.empty()) out += '&';
    out += parameter;
    return true;
  });
  return stripped;
}

}  // namespace

void split_segments(std::string_view path, std::vector<std::string_view>& out) {
  out.clear();
  if (path.starts_with('/')) path.remove_prefix(1);
  while (!path.empty()) out.push_back(cut(path, '/'));
}

std::size_t count_byte(std::string_view text, char byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kLow7 = 0x7F7F7F7F7F7F7F7FU;
  const std::uint64_t wanted = kOnes * static_cast<unsigned char>(byte);
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    word ^= wanted;  // the bytes looked for are zero now
    const std::uint64_t zeros = ~(((word & kLow7) + kLow7) | word | kLow7);
    count += static_cast<std::size_t>(((zeros >> 7) * kOnes) >> 56);  // adds the bytes up
  }
  for (; at < text.size(); ++at) count += text[at] == byte ? 1 : 0;
  return count;
}

std::size_t count_segments(std::string_view path) {
  const std::size_t slashes = count_byte(path, '/');
  const bool open_end = path.empty() || path.back() == '/';
  return slashes - (open_end && slashes > 0 ? 1 : 0);
}

bool has_repeated_segments(const std::vector<std::string_view>& segments, std::size_t repeats,
                           std::size_t max_period) {
  for (std::size_t period = 1; period <= max_period; ++period) {
    if (segments.size() < period * repeats) return false;
    // `run` segments in a row equal the one a period before them.
    std::size_t run = 0;
    std::size_t numbers = 0;  // at the end of that run
    for (std::size_t i = period; i < segments.size(); ++i) {
      const bool same = segments[i] == segments[i - period];
      run = same ? run + 1 : 0;
      numbers = same && is_digits(segments[i]) ? numbers + 1 : 0;
      const std::size_t wanted = numbers >= period ? 2 * repeats : repeats;
      if (run >= period * (wanted - 1)) return true;
    }
  }
  return false;
}

std::size_t commonest_segment(const std::vector<std::string_view>& segments) {
  std::vector<std::string_view> sorted(segments);
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    most = std::max(most, end - begin);
    begin = end;
  }
  return most;
}

std::size_t count_parameters(std::string_view query) {
  std::size_t count = 0;
  for_each_parameter(query, [&](std::string_view, std::string_view) { return ++count, true; });
  return count;
}

std::size_t commonest_key(std::string_view query, std::size_t enough) {
  // Too few '&' for any key to be there often enough: nearly all queries.
  if (count_byte(query, '&') + 1 < enough) return 0;
  std::vector<std::string_view> keys;
  for_each_parameter(query, [&](std::string_view, std::string_view name) {
    keys.push_back(name);
    return true;
  });
  return commonest_segment(keys);
}

bool strip_session_ids(std::string_view path, std::string_view query, std::string& path_out,
                       std::string& query_out) {
  // Either sign is in few paths, so that most URLs are done with two scans and nothing copied.
  const bool in_path =
      path.find(';') != std::string_view::npos || path.find("/(") != std::string_view::npos;
  const bool in_query = has_session_parameter(query);
  if (!in_path && !in_query) return false;
  const bool path_stripped = strip_path(path, path_out);
  const bool query_stripped = strip_query(query, query_out);
  return path_stripped || query_stripped;
}

}  // namespace spinneret::policy
