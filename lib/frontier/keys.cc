// SPDX-License-Identifier: Apache-2.0
#include "frontier/keys.h"

#include "base/hash.h"
#include "frontier/encode.h"
#include "url/parse.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kUrlKeySize = 12;
constexpr HostId kViaHost = 0;
constexpr std::uint64_t kFingerprintBit = std::uint64_t{1} << 63;

}  // namespace

UrlParts cut_url(const Url& url, std::string& scratch) {
  const std::string_view whole = url.href_without_fragment();
  const UrlOffsets& at = url.offsets();
  if (url.username().empty() && url.password().empty()) {
    return {whole.substr(0, at.path_begin), whole.substr(at.path_begin)};
  }
  // Credentials are part of the page, not of the origin.
  scratch = url.origin();
  const std::size_t origin_size = scratch.size();
  scratch += url.username();
  scratch += ':';
  scratch += url.password();
  scratch += '@';
  scratch += whole.substr(at.path_begin);
  return {std::string_view(scratch).substr(0, origin_size),
          std::string_view(scratch).substr(origin_size)};
}

void append_url(std::string& out, std::string_view origin, std::string_view rest) {
  if (rest.empty() || rest.front() == '/') {
    out += origin;
    out += rest;
    return;
  }
  // Credentials hold no raw slash: they end where the path begins.
  const std::size_t path = rest.find('/');
  const std::size_t authority = origin.find("://") + 3;
  std::string_view credentials = rest.substr(0, path);
  out += origin.substr(0, authority);
  // "me:@" is written "me@" by the URL Standard's serializer.
  if (credentials.ends_with(":@")) {
    out += credentials.substr(0, credentials.size() - 2);
    out += '@';
  } else {
    out += credentials;
  }
  out += origin.substr(authority);
  if (path != std::string_view::npos) out += rest.substr(path);
}

std::string join_url(std::string_view origin, std::string_view rest) {
  std::string out;
  append_url(out, origin, rest);
  return out;
}

void make_host_prefix(std::string& out, HostId host) {
  out.clear();
  put_big_endian(out, host, 4);
}

std::uint64_t fingerprint_of(std::string_view rest) { return hash64(rest) | kFingerprintBit; }

void append_url_key(std::string& out, HostId host, std::uint64_t fingerprint) {
  put_big_endian(out, host, 4);
  put_big_endian(out, fingerprint, 8);
}

void make_url_key(std::string& out, HostId host, std::string_view rest) {
  out.clear();
  append_url_key(out, host, fingerprint_of(rest));
}

void make_via_key(std::string& out, std::uint64_t number) {
  out.clear();
  append_url_key(out, kViaHost, number | kFingerprintBit);
}

bool is_via_key(std::string_view key) {
  HostId host = 0;
  return split_url_key(key, host) && host == kViaHost;
}

void make_old_url_key(std::string& out, HostId host, std::string_view rest) {
  make_host_prefix(out, host);
  out += rest;
}

bool is_old_url_key(std::string_view key) {
  return key.size() >= 4 && (key.size() == 4 || static_cast<unsigned char>(key[4]) < 0x80);
}

void make_queue_key(std::string& out, HostId host, Place place) {
  make_host_prefix(out, host);
  put_big_endian(out, place.value, 6);
}

void make_queue_end(std::string& out, HostId host) {
  make_queue_key(out, host, Place{(std::uint64_t{1} << 48) - 1});
}

void make_later_key(std::string& out, const LaterKey& key) {
  out.assign(1, static_cast<char>(key.kind));
  if (key.kind == LaterKind::kWorth) put_big_endian(out, key.visit_class, 2);
  put_big_endian(out, static_cast<std::uint64_t>(key.due_ms), 6);
  put_big_endian(out, key.host, 4);
  out += key.rest;
}

bool split_later_key(std::string_view key, LaterKey& out) {
  Decoder from{key};
  out.kind = static_cast<LaterKind>(from.byte());
  out.visit_class =
      out.kind == LaterKind::kWorth ? static_cast<std::uint16_t>(from.big_endian(2)) : 0;
  out.due_ms = static_cast<std::int64_t>(from.big_endian(6));
  out.host = static_cast<HostId>(from.big_endian(4));
  out.rest = from.rest;
  return !from.bad;
}

bool split_url_key(std::string_view key, HostId& host) {
  Decoder from{key};
  host = static_cast<HostId>(from.big_endian(4));
  const std::uint64_t fingerprint = from.big_endian(8);
  return key.size() == kUrlKeySize && (fingerprint & kFingerprintBit) != 0;
}

bool split_queue_key(std::string_view key, HostId& host, Place& place) {
  Decoder from{key};
  host = static_cast<HostId>(from.big_endian(4));
  place.value = from.big_endian(6);
  return !from.bad && from.rest.empty();
}

}  // namespace spinneret::frontier
