// SPDX-License-Identifier: Apache-2.0
#include "url/surt.h"

#include <algorithm>

#include "base/ascii.h"
#include "url/host.h"

namespace spinneret {
namespace {

// Appends the pieces of `text` between `from` in reverse order, with `to` between them.
void append_reversed(std::string& out, std::string_view text, char from, char to) {
  const std::size_t before = out.size();
  out.resize(before + text.size());
  char* to_here = out.data() + before;
  std::size_t end = text.size();
  for (std::size_t at = text.size(); at > 0; --at) {
    if (text[at - 1] != from) continue;
    to_here = std::copy(text.data() + at, text.data() + end, to_here);
    *to_here++ = to;
    end = at - 1;
  }
  std::copy(text.data(), text.data() + end, to_here);
}

// Escapes the commas of a host, since in a key commas separate labels.
std::string without_commas(std::string_view host) {
  std::string out;
  for (const char c : host) {
    if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

// Returns whether the parser refuses this byte in a host or a port, but trims it at the end of the
// input. Tabs and line ends, which the parser removes anywhere, are not such bytes.
bool is_trimmed(char c) {
  return static_cast<unsigned char>(c) <= ' ' && c != '\t' && c != '\n' && c != '\r';
}

// Returns the scheme in front of "://(", with colon and slashes; empty where there is none.
std::string_view scheme_prefix(std::string_view key) {
  const std::size_t at = key.find("://(");
  if (at == std::string_view::npos || !is_alpha(key.front())) return {};
  for (const char c : key.substr(0, at)) {
    if (!is_alnum(c) && c != '+' && c != '-' && c != '.') return {};
  }
  return key.substr(0, at + 3);
}

}  // namespace

void append_reversed_labels(std::string& out, std::string_view host) {
  append_reversed(out, host, '.', ',');
}

void append_surt(std::string& out, const Url& url) {
  const std::string_view host = url.host();
  if (!url.has_host() || host.empty()) {
    out += url.href();
    return;
  }
  // A key without a scheme is an http key, for which port 80 needs no mention.
  const bool http = url.is_http();
  if (!http || url.port() == 80) {
    out += url.scheme();
    out += "://(";
  }
  // Opaque hosts are never IPv4 addresses.
  if (host.front() == '[' || (is_ip_address(host) && url.is_special())) {
    out += host;
  } else if (host.find(',') == std::string_view::npos) {
    append_reversed(out, host, '.', ',');
  } else {
    append_reversed(out, without_commas(host), '.', ',');
  }
  if (url.has_port()) {
    out += ':';
    out += url.port_text();
  }
  out += ')';
  out += url.href().substr(url.offsets().path_begin);
}

bool append_url_of_surt(std::string& out, std::string_view key, bool cdx) {
  const std::string_view scheme = scheme_prefix(key);
  if (!scheme.empty()) key.remove_prefix(scheme.size() + 1);
  const auto ends_host = [](char c) { return c == '/' || c == '?' || c == '#' || c == '\\'; };
  const auto end =
      static_cast<std::size_t>(std::find_if(key.begin(), key.end(), ends_host) - key.begin());
  if (end < 2 || key[end - 1] != ')') return false;
  std::string_view host = key.substr(0, end - 1);
  if (std::any_of(host.begin(), host.end(), is_trimmed)) return false;
  std::string_view port;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.back() != ']') {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (std::string_view& end_of_host = port.empty() ? host : port; cdx && end_of_host.ends_with(','))
    end_of_host.remove_suffix(1);
  if (host.empty() || host.find('@') != std::string_view::npos) return false;
  out += scheme.empty() ? "http://" : scheme;
  append_reversed(out, host, ',', '.');
  out += port;
  out += key.substr(end);
  return true;
}

}  // namespace spinneret
