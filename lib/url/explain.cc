// SPDX-License-Identifier: Apache-2.0
#include "url/explain.h"

#include <algorithm>

#include "base/ascii.h"
#include "url/dot_segment.h"
#include "url/host.h"
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
  bool has_userinfo = false;
  bool has_port = false;
};

bool is_scheme(std::string_view text) {
  return !text.empty() && is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alnum(c) || c == '+' || c == '-' || c == '.'; });
}

// Of an absolute URL with authority; false for others.
bool split(std::string_view text, bool special, RawUrl& raw) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) return false;
  raw.scheme = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  const std::size_t path_mark = std::min(text.find_first_of("?#"), text.size());
  raw.rest = text.substr(path_mark);
  text = text.substr(0, path_mark);
  const std::string_view slashes = special ? "/\\" : "/";
  const std::size_t begin = special ? std::min(text.find_first_not_of(slashes), text.size()) : 2;
  if (!special && !text.starts_with("//")) return false;
  raw.slashes = text.substr(0, begin);
  text.remove_prefix(begin);
  const std::size_t end = std::min(text.find_first_of(slashes), text.size());
  std::string_view authority = text.substr(0, end);
  raw.path = text.substr(end);
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
  return true;
}

bool has_dot_segment(std::string_view path) {
  while (true) {
    const std::size_t end = path.find_first_of("/\\");
    if (dots_of_segment(path.substr(0, end)) != 0) return true;
    if (end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
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
  const bool non_ascii =
      std::any_of(raw.begin(), raw.end(), [](char c) { return (c & 0x80) != 0; });
  const bool case_only = equals_ignore_case(raw, url.host());
  const bool address = is_ip_address(url.host());
  out.name("host-case", case_only);
  out.name("address", !case_only && address);
  out.name("idna", !case_only && !address && non_ascii);
  out.name("host", !case_only && !address && !non_ascii);
}

void explain_parse(Explanation& out, std::string_view input, const Url& url) {
  const StrippedInput stripped(input);
  const std::string_view trimmed = stripped.text();
  out.name("space", trimmed.size() != input.size());
  RawUrl raw;
  if (!split(trimmed, url.is_special(), raw)) {
    out.name("resolved", !trimmed.starts_with(url.scheme()));
    return;
  }
  out.name("scheme-case", raw.scheme != url.scheme());
  const bool backslash = url.is_special() && (raw.slashes.find('\\') != std::string_view::npos ||
                                              raw.path.find('\\') != std::string_view::npos);
  out.name("backslash", backslash);
  if (url.scheme() != "file") {
    out.name("slashes", raw.slashes.size() != 2);
    out.name("userinfo", raw.has_userinfo && (raw.userinfo.empty() || raw.userinfo == ":"));
    explain_host(out, raw.host, url);
    out.name("port", raw.has_port && raw.port != url.port_text());
  }
  out.name("empty-path", raw.path.empty() && !url.path().empty());
  out.name("dot-segments", has_dot_segment(raw.path));
  const auto percents = [](std::string_view part) {
    return std::count(part.begin(), part.end(), '%');
  };
  // Dot segments may take escapes away; they add none.
  out.name("escaped", percents(url.href().substr(url.offsets().path_begin)) >
                          percents(raw.path) + percents(raw.rest));
}

}  // namespace

void append_explanation(std::string& out, std::string_view input, const Normalizer& normalizer) {
  Explanation names(out);
  Url parsed;
  const std::string_view href = normalizer.parsed_href();
  if (href != input && parse(href, parsed)) explain_parse(names, input, parsed);
  for (const StepInfo& step : all_steps()) {
    names.name(step.name, (normalizer.changed() & step.step) != 0);
  }
  names.name("params", (normalizer.changed() & kStepParams) != 0);
}

}  // namespace spinneret
