// SPDX-License-Identifier: Apache-2.0
// The parts of a Url: every one a view between two offsets.
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
  return between(href_, 0, has_fragment() ? offsets_.fragment_begin : href_.size());
}

std::string_view Url::scheme() const {
  return between(href_, 0, offsets_.scheme_end == 0 ? 0 : offsets_.scheme_end - 1);
}

std::string_view Url::username() const {
  return between(href_, offsets_.username_begin, offsets_.username_end);
}

std::string_view Url::password() const {
  if (offsets_.username_end >= offsets_.host_begin) return {};
  return between(href_, offsets_.username_end + 1, offsets_.host_begin);
}

bool Url::has_host() const { return offsets_.username_begin != offsets_.scheme_end; }

std::string_view Url::host() const {
  const bool credentials =
      offsets_.host_begin < href_.size() && href_[offsets_.host_begin] == '@' && has_host();
  return between(href_, offsets_.host_begin + (credentials ? 1 : 0), offsets_.host_end);
}

// Behind the host stands the port, or the path, or the "/." that keeps a path from looking like a host.
bool Url::has_port() const {
  return offsets_.host_end < offsets_.path_begin && href_[offsets_.host_end] == ':';
}

std::string_view Url::port_text() const {
  return has_port() ? between(href_, offsets_.host_end + 1, offsets_.path_begin)
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
  const std::uint32_t end = has_query() ? offsets_.query_begin : offsets_.fragment_begin;
  return between(href_, offsets_.path_begin, end == kNone ? href_.size() : end);
}

bool Url::has_opaque_path() const { return opaque_path_; }

bool Url::has_query() const { return offsets_.query_begin != kNone; }

std::string_view Url::query() const {
  if (!has_query()) return {};
  return between(href_, offsets_.query_begin + 1,
                 has_fragment() ? offsets_.fragment_begin : href_.size());
}

bool Url::has_fragment() const { return offsets_.fragment_begin != kNone; }

std::string_view Url::fragment() const {
  return has_fragment() ? between(href_, offsets_.fragment_begin + 1, href_.size())
                        : std::string_view();
}

std::string_view Url::path_and_query() const {
  return between(href_, offsets_.path_begin,
                 has_fragment() ? offsets_.fragment_begin : href_.size());
}

std::string Url::origin() const {
  if (!has_host()) return {};
  std::string origin(scheme());
  origin += "://";
  origin += host();
  if (has_port()) origin += between(href_, offsets_.host_end, offsets_.path_begin);
  return origin;
}

bool Url::is_http() const {
  const Scheme scheme = scheme_of(this->scheme());
  return scheme == Scheme::kHttp || scheme == Scheme::kHttps;
}

bool Url::is_special() const { return scheme_of(scheme()) != Scheme::kOther; }

}  // namespace spinneret
