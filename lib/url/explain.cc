// SPDX-License-Identifier: Apache-2.0
#include "url/explain.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/ascii.h"
#include "url/dot_segment.h"
#include "url/host.h"
#include "url/percent.h"
#include "url/stripped_input.h"

namespace spinneret {
namespace {

// The raw parts of a URL, cut as the parser cuts them, none of them changed.
struct RawUrl {
  std::string_view scheme;
  std::string_view slashes;
  std::string_view userinfo;
  std::string_view host;
  std::string_view port;
  std::string_view path;
  std::string_view rest;  // query and fragment
  bool has_authority = false;
  bool has_userinfo = false;
  bool has_port = false;
};

constexpr std::string_view kBothSlashes = "/\\";

std::ptrdiff_t percents(std::string_view part) { return std::count(part.begin(), part.end(), '%'); }

bool is_drive_letter(std::string_view text) {
  return text.size() == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

// A file URL has a host behind two slashes only, and what looks like a drive is none.
void split_file(std::string_view text, RawUrl& raw) {
  raw.path = text;
  if (text.size() < 2 || kBothSlashes.find(text[0]) == std::string_view::npos ||
      kBothSlashes.find(text[1]) == std::string_view::npos) {
    return;
  }
  raw.slashes = text.substr(0, 2);
  const std::size_t end = std::min(text.find_first_of(kBothSlashes, 2), text.size());
  const std::string_view host = text.substr(2, end - 2);
  if (is_drive_letter(host)) {
    raw.path = text.substr(2);
    return;
  }
  raw.host = host;
  raw.path = text.substr(end);
}

void split_authority(std::string_view authority, RawUrl& raw) {
  raw.has_authority = true;
  const std::size_t at = authority.rfind('@');
  raw.has_userinfo = at != std::string_view::npos;
  if (raw.has_userinfo) {
    raw.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  const std::size_t port = authority.rfind(':');
  raw.has_port =
      port != std::string_view::npos && authority.find(']', port) == std::string_view::npos;
  raw.host = authority.substr(0, raw.has_port ? port : authority.size());
  if (raw.has_port) raw.port = authority.substr(port + 1);
}

// Of the absolute URL that `url` was parsed from.
RawUrl split(std::string_view text, const Url& url) {
  RawUrl raw;
  const std::size_t colon = text.find(':');
  raw.scheme = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  const std::size_t path_mark = std::min(text.find_first_of("?#"), text.size());
  raw.rest = text.substr(path_mark);
  text = text.substr(0, path_mark);
  if (url.scheme() == "file") {
    split_file(text, raw);
    return raw;
  }
  if (!url.is_special() && !text.starts_with("//")) {
    raw.path = text;
    return raw;
  }
  const std::string_view slashes = url.is_special() ? kBothSlashes : "/";
  const std::size_t begin =
      url.is_special() ? std::min(text.find_first_not_of(slashes), text.size()) : 2;
  raw.slashes = text.substr(0, begin);
  text.remove_prefix(begin);
  const std::size_t end = std::min(text.find_first_of(slashes), text.size());
  split_authority(text.substr(0, end), raw);
  raw.path = text.substr(end);
  return raw;
}

// The path without its dot segments, escaped no further: what tells escapes that went with a segment from those
// that were added.
std::string without_dot_segments(std::string_view path, std::string_view slashes) {
  std::string out;
  while (!path.empty()) {
    if (slashes.find(path.front()) != std::string_view::npos) path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(slashes), path.size());
    const int dots = dots_of_segment(path.substr(0, end));
    if (dots == 2) out.resize(std::min(out.rfind('/'), out.size()));
    if (dots == 0) (out += '/') += path.substr(0, end);
    if (dots != 0 && end == path.size()) out += '/';
    path.remove_prefix(end);
  }
  return out;
}

bool has_dot_segment(std::string_view path, std::string_view slashes) {
  while (true) {
    const std::size_t end = path.find_first_of(slashes);
    if (dots_of_segment(path.substr(0, end)) != 0) return true;
    if (end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
}

// "/C|": the parser writes a colon.
bool has_drive_bar(std::string_view path) {
  while (!path.empty() && kBothSlashes.find(path.front()) != std::string_view::npos) {
    path.remove_prefix(1);
  }
  const std::string_view segment = path.substr(0, path.find_first_of(kBothSlashes));
  return is_drive_letter(segment) && segment[1] == '|';
}

class Explanation {
 public:
  explicit Explanation(std::string& out) : out_(out), begin_(out.size()) {}
  void name(std::string_view name, bool happened) {
    if (!happened) return;
    if (out_.size() != begin_) out_ += ',';
    out_ += name;
  }

 private:
  std::string& out_;
  std::size_t begin_;
};

void explain_host(Explanation& out, std::string_view raw, const Url& url) {
  if (raw == url.host()) return;
  const bool case_only = equals_ignore_case(raw, url.host());
  const bool address = is_ip_address(url.host());
  // Other schemes have no domains: their hosts are escaped.
  const bool opaque = !url.is_special() && !url.host().starts_with('[');
  out.name("host-case", case_only);
  if (case_only || opaque) return;
  out.name("address", address);
  if (address) return;
  std::string decoded;
  append_percent_decoded(decoded, raw);
  const bool non_ascii =
      std::any_of(decoded.begin(), decoded.end(), [](char c) { return (c & 0x80) != 0; });
  out.name("idna", non_ascii);
  out.name("host", !non_ascii || raw != decoded);
}

void explain_path(Explanation& out, const RawUrl& raw, const Url& url, bool& escaped) {
  std::string_view path = raw.path;
  if (url.has_opaque_path()) {
    escaped |= percents(url.path()) > percents(path);
    return;
  }
  // "/." in front of "//" only says that no host follows.
  if (!url.has_host() && path.starts_with("/.//")) path.remove_prefix(2);
  // The slash that "file:" lacks is among those behind the scheme.
  const bool bare_file = url.scheme() == "file" && raw.slashes.empty();
  out.name("empty-path", path.empty() && !bare_file && !url.path().empty());
  const std::string_view slashes = url.is_special() ? kBothSlashes : "/";
  const std::string plain = without_dot_segments(path, slashes);
  out.name("dot-segments", has_dot_segment(path, slashes));
  out.name("drive-letter", url.scheme() == "file" && has_drive_bar(path));
  escaped |= percents(url.path()) > percents(plain);
}

void explain_absolute(Explanation& out, std::string_view text, const Url& url) {
  const RawUrl raw = split(text, url);
  out.name("scheme-case", raw.scheme != url.scheme());
  const bool backslash = url.is_special() && (raw.slashes.find('\\') != std::string_view::npos ||
                                              raw.path.find('\\') != std::string_view::npos);
  out.name("backslash", backslash);
  bool escaped = false;
  // "file://C:/" lacks the slash in front of the drive.
  const bool bare_drive = url.scheme() == "file" && is_drive_letter(raw.path.substr(0, 2));
  out.name("slashes", url.is_special() && (raw.slashes.size() != 2 || bare_drive));
  if (raw.has_authority) {
    const std::size_t colon = raw.userinfo.find(':');
    out.name("userinfo",
             raw.has_userinfo && (raw.userinfo.empty() || colon + 1 == raw.userinfo.size()));
    const UrlOffsets& at = url.offsets();
    const auto upto_host = url.href().substr(at.username_begin, at.host_begin - at.username_begin);
    escaped |= percents(upto_host) > percents(raw.userinfo);
    escaped |= !url.is_special() && percents(url.host()) > percents(raw.host);
    explain_host(out, raw.host, url);
    out.name("port", raw.has_port && (raw.port.empty() || raw.port != url.port_text()));
  } else if (url.scheme() == "file") {
    explain_host(out, raw.host, url);
  }
  explain_path(out, raw, url, escaped);
  const std::size_t rest = std::min<std::size_t>(
      {url.offsets().query_begin, url.offsets().fragment_begin, url.href().size()});
  escaped |= percents(url.href().substr(rest)) > percents(raw.rest);
  out.name("escaped", escaped);
}

// `href`: what the parser made of it.
void explain_parse(Explanation& out, std::string_view input, std::string_view href, bool is_key) {
  const StrippedInput stripped(input);
  out.name("space", stripped.text().size() != input.size());
  if (is_key) return;
  Url alone;
  if (!parse(input, alone) || alone.href() != href) {
    out.name("resolved", true);
    return;
  }
  explain_absolute(out, stripped.text(), alone);
}

}  // namespace

void append_explanation(std::string& out, std::string_view input, const Normalizer& normalizer) {
  Explanation names(out);
  const std::string_view href = normalizer.parsed_href();
  if (href != input) explain_parse(names, input, href, normalizer.was_key());
  for (const StepInfo& step : all_steps()) {
    names.name(step.name, (normalizer.changed() & step.step) != 0);
  }
  names.name("params", (normalizer.changed() & kStepParams) != 0);
}

}  // namespace spinneret
