// SPDX-License-Identifier: Apache-2.0
// The key of CDX indexes; its steps are those of the Internet Archive's canonicalizer, in its
// order.
#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "url/host.h"
#include "url/percent.h"
#include "url/surt.h"

namespace spinneret {
namespace {

// Appends `text` with its escapes undone until none is left, in one pass: an undone escape may
// complete another one.
void append_unescaped_fully(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  for (const char c : text) {
    out += c;
    while (out.size() >= begin + 3 && is_escape(out, out.size() - 3)) {
      const char value = escape_value(out, out.size() - 3);
      out.resize(out.size() - 3);
      out += value;
    }
  }
}

// Escapes controls, blanks, '#', '%' and non-ASCII bytes.
void append_escaped_once(std::string& out, std::string_view text) {
  for (const char c : text) {
    const bool plain = c > ' ' && c < 0x7F && c != '#' && c != '%';
    if (plain) {
      out += c;
    } else {
      append_escape(out, c);
    }
  }
}

// Returns the path without empty segments and dot segments; a ".." above the root stays.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool last_is_empty = false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    last_is_empty = segment.empty();
    if (segment.empty() || segment == ".") continue;
    if (segment == ".." && !kept.empty()) {
      kept.pop_back();
    } else {
      kept.push_back(segment);
    }
  }
  std::string out;
  for (const std::string_view segment : kept) (out += '/') += segment;
  if (out.empty() || last_is_empty) out += '/';
  return out;
}

bool is_alnum_run(std::string_view text, std::size_t size) {
  return text.size() == size && std::all_of(text.begin(), text.end(), is_alnum);
}

// Returns whether the segment is "(4hqa0555fwsecu455xqckv45)" or
// "(S(4hqa0555fwsecu455xqckv45)F(...))".
bool is_session_segment(std::string_view segment) {
  constexpr std::size_t kId = 24;
  if (!segment.starts_with('(') || !segment.ends_with(')')) return false;
  segment = segment.substr(1, segment.size() - 2);
  if (is_alnum_run(segment, kId)) return true;
  if (segment.empty() || segment.size() % (kId + 3) != 0) return false;
  for (; !segment.empty(); segment.remove_prefix(kId + 3)) {
    if (!is_alpha(segment[0]) || segment[1] != '(' || segment[kId + 2] != ')' ||
        !is_alnum_run(segment.substr(2, kId), kId)) {
      return false;
    }
  }
  return true;
}

// Removes the last segment that is a session id, if an .aspx page follows it.
void strip_path_session(std::string& path) {
  const std::string_view pages = std::string_view(path).substr(0, path.find('?'));
  const std::size_t page = pages.rfind(".aspx");
  std::size_t end = page == std::string_view::npos ? 0 : pages.rfind('/', page);
  while (end != std::string_view::npos && end > 0) {
    const std::size_t begin = pages.rfind('/', end - 1);
    if (begin == std::string_view::npos) return;
    const bool names_page = end + 1 < page;
    if (names_page && is_session_segment(pages.substr(begin + 1, end - begin - 1))) {
      path.erase(begin + 1, end - begin);
      return;
    }
    end = begin;
  }
}

// Removes the last "NAMEvalue" in front of '&' or the end, with that '&'. The value is `size`
// letters and digits, or letters alone with `letters`. `wild` more letters and a '=' may follow
// `name`.
void strip_value(std::string& query, std::string_view name, std::size_t wild, std::size_t size,
                 bool letters) {
  const auto valid = [letters](char c) { return letters ? is_alpha(c) : is_alnum(c); };
  for (std::size_t at = query.rfind(name); at != std::string::npos;
       at = at == 0 ? std::string::npos : query.rfind(name, at - 1)) {
    std::string_view rest = std::string_view(query).substr(at + name.size());
    // After "aspsessionid" come eight more letters and the '='.
    const std::size_t head = wild == 0 ? 0 : wild + 1;
    if (rest.size() < head + size || (wild != 0 && rest[wild] != '=')) continue;
    const std::string_view value = rest.substr(head, size);
    if (!std::all_of(value.begin(), value.end(), valid)) continue;
    const std::string_view more = rest.substr(0, wild);
    if (!std::all_of(more.begin(), more.end(), [](char c) { return is_alpha(c); })) continue;
    rest.remove_prefix(head + size);
    if (!rest.empty() && rest.front() != '&') continue;
    query.erase(at, name.size() + head + size + (rest.empty() ? 0 : 1));
    return;
  }
}

// Removes the last "cfid=1&cftoken=2".
void strip_cold_fusion(std::string& query) {
  for (std::size_t at = query.rfind("&cftoken="); at != std::string::npos && at > 0;
       at = query.rfind("&cftoken=", at - 1)) {
    const std::size_t value = at + 9;
    const std::size_t end = std::min(query.find('&', value), query.size());
    const std::size_t param = query.rfind('&', at - 1);
    const std::size_t from = param == std::string::npos ? 0 : param + 1;
    const std::string_view first = std::string_view(query).substr(from, at - from);
    const std::size_t name =
        first.size() < 6 ? std::string_view::npos : first.rfind("cfid=", first.size() - 6);
    if (end == value || name == std::string_view::npos) continue;
    query.erase(from + name, std::min(end + 1, query.size()) - from - name);
    return;
  }
}

void append_sorted(std::string& out, std::string_view query) {
  struct Param {
    std::string_view name;
    std::string_view rest;  // with its '='
    bool operator<(const Param& other) const {
      return name != other.name ? name < other.name : rest < other.rest;
    }
  };
  std::vector<Param> params;
  for (bool more = true; more;) {
    more = query.find('&') != std::string_view::npos;
    const std::string_view param = cut(query, '&');
    const std::string_view name = param.substr(0, param.find('='));
    params.push_back({name, param.substr(name.size())});
  }
  std::sort(params.begin(), params.end());
  char separator = '?';
  for (const Param& param : params) {
    out += separator;
    out.append(param.name).append(param.rest);
    separator = '&';
  }
}

void append_query(std::string& out, std::string_view query) {
  std::string plain;
  append_unescaped_fully(plain, query);
  std::string text;
  append_escaped_once(text, plain);
  make_lower(text);
  strip_value(text, "jsessionid=", 0, 32, false);
  strip_value(text, "phpsessid=", 0, 32, false);
  strip_value(text, "sid=", 0, 32, false);
  strip_value(text, "aspsessionid", 8, 24, true);
  strip_cold_fusion(text);
  if (!text.empty()) append_sorted(out, text);
}

void append_path(std::string& out, std::string_view path) {
  std::string plain;
  append_unescaped_fully(plain, path);
  std::string text;
  append_escaped_once(text, without_dots(plain));
  make_lower(text);
  strip_path_session(text);
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  out += text;
}

// Returns the host without dots at its ends and without doubled dots.
std::string plain_host(std::string_view host, bool www) {
  std::string out(www ? host : without_www(host));
  out.erase(
      std::unique(out.begin(), out.end(), [](char a, char b) { return a == '.' && b == '.'; }),
      out.end());
  if (out.ends_with('.') && out.size() > 1) out.pop_back();
  if (out.starts_with('.') && out.size() > 1) out.erase(0, 1);
  return out;
}

}  // namespace

std::string_view without_www(std::string_view host) {
  if (!host.starts_with("www")) return host;
  std::size_t end = 3;
  while (end < host.size() && is_digit(host[end])) ++end;
  return end + 1 < host.size() && host[end] == '.' ? host.substr(end + 1) : host;
}

void append_cdx_key(std::string& out, const Url& url, const CdxForm& form) {
  const std::string_view host = url.host();
  const bool address = host.starts_with('[') || (url.is_special() && is_ip_address(host));
  const std::string name = address ? std::string(host) : plain_host(host, form.www);
  const bool plain = std::all_of(name.begin(), name.end(), is_plain_host_byte);
  // A key must lead back to an http URL.
  std::string same;
  const bool valid =
      address || (plain && !name.empty() && append_host(name, true, same, nullptr) && same == name);
  if (name.empty() || name == "." || !valid || url.scheme() == "filedesc") {
    out += url.href_without_fragment();
    return;
  }
  if (form.scheme) out.append(url.scheme()).append("://(");
  if (host.starts_with('[') || (address && form.address)) {
    out += host;
  } else {
    append_reversed_labels(out, name);
  }
  if (url.has_port()) out.append(":").append(url.port_text());
  if (form.comma && !address) out += ',';
  out += ')';
  append_path(out, url.path());
  append_query(out, url.query());
}

}  // namespace spinneret
