// SPDX-License-Identifier: Apache-2.0
// The parts of a Url: each is a view between two offsets.
#include "base/number.h"
#include "url/parse.h"
#include "url/scheme.h"

namespace spinneret {
namespace {
constexpr std::uint32_t kNone = UrlOffsets::npos;

std::string_view between(const std::string& href, std::size_t begin, std::size_t end) {
  return std::string_view(href).substr(begin, end - begin);
}
}  // namespace

std::string_view Url::href_without_fragment() const {
  return between(text_.href, 0, has_fragment() ? text_.offsets.fragment_begin : text_.href.size());
}

std::string_view Url::scheme() const {
  return between(text_.href, 0, text_.offsets.scheme_end == 0 ? 0 : text_.offsets.scheme_end - 1);
}

std::string_view Url::username() const {
  return between(text_.href, text_.offsets.username_begin, text_.offsets.username_end);
}

std::string_view Url::password() const {
  if (text_.offsets.username_end >= text_.offsets.host_begin) return {};
  return between(text_.href, text_.offsets.username_end + 1, text_.offsets.host_begin);
}

bool Url::has_host() const { return text_.offsets.username_begin != text_.offsets.scheme_end; }

std::string_view Url::host() const {
  const bool credentials = text_.offsets.host_begin < text_.href.size() &&
                           text_.href[text_.offsets.host_begin] == '@' && has_host();
  return between(text_.href, text_.offsets.host_begin + (credentials ? 1 : 0),
                 text_.offsets.host_end);
}

// The host is followed by the port, the path, or the "/." that keeps a path from looking like a
// host.
bool Url::has_port() const {
  return text_.offsets.host_end < text_.offsets.path_begin &&
         text_.href[text_.offsets.host_end] == ':';
}

std::string_view Url::port_text() const {
  return has_port() ? between(text_.href, text_.offsets.host_end + 1, text_.offsets.path_begin)
                    : std::string_view();
}

int Url::port() const {
  if (!has_port()) return -1;
  int port = 0;
  for (const char c : port_text()) port = port * 10 + (c - '0');
  return port;
}

int Url::effective_port() const { return has_port() ? port() : default_port(scheme_of(scheme())); }

std::string_view Url::path() const {
  const std::uint32_t end = has_query() ? text_.offsets.query_begin : text_.offsets.fragment_begin;
  return between(text_.href, text_.offsets.path_begin, end == kNone ? text_.href.size() : end);
}

bool Url::has_opaque_path() const { return text_.opaque_path; }

bool Url::has_query() const { return text_.offsets.query_begin != kNone; }

std::string_view Url::query() const {
  if (!has_query()) return {};
  return between(text_.href, text_.offsets.query_begin + 1,
                 has_fragment() ? text_.offsets.fragment_begin : text_.href.size());
}

bool Url::has_fragment() const { return text_.offsets.fragment_begin != kNone; }

std::string_view Url::fragment() const {
  return has_fragment() ? between(text_.href, text_.offsets.fragment_begin + 1, text_.href.size())
                        : std::string_view();
}

std::string_view Url::path_and_query() const {
  return between(text_.href, text_.offsets.path_begin,
                 has_fragment() ? text_.offsets.fragment_begin : text_.href.size());
}

std::string Url::origin() const {
  if (!has_host()) return {};
  std::string origin(scheme());
  origin += "://";
  origin += host();
  if (has_port()) origin += between(text_.href, text_.offsets.host_end, text_.offsets.path_begin);
  return origin;
}

bool Url::is_http() const {
  const std::string_view href = text_.href;
  const std::uint32_t end = text_.offsets.scheme_end;
  return (end == 5 && href.starts_with("http:")) || (end == 6 && href.starts_with("https:"));
}

bool Url::is_special() const { return scheme_of(scheme()) != Scheme::kOther; }

}  // namespace spinneret
