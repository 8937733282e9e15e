// SPDX-License-Identifier: Apache-2.0
#include "url/edit.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "url/host.h"
#include "url/params.h"
#include "url/percent.h"
#include "url/scheme.h"

namespace spinneret {
namespace {

constexpr std::string_view kNames[] = {"scheme", "user", "password", "host",    "hostname",
                                       "port",   "path", "query",    "fragment"};

std::string without_tabs(std::string_view value) {
  std::string out(value);
  std::erase_if(out, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return out;
}

std::string encoded(std::string_view value, EncodeSet set) {
  std::string out;
  append_percent_encoded(out, value, set);
  return out;
}

// A URL in pieces each of which is valid, so that together they are a URL again.
class Editor {
 public:
  explicit Editor(const Url& url)
      : scheme_(url.scheme()),
        user_(url.username()),
        password_(url.password()),
        host_(url.host()),
        port_(url.port_text()),
        path_(url.path()),
        query_(url.query()),
        fragment_(url.fragment()),
        has_host_(url.has_host()),
        opaque_(url.has_opaque_path()),
        has_query_(url.has_query()),
        has_fragment_(url.has_fragment()) {}

  bool set(UrlPart part, std::string_view value) {
    switch (part) {
      case UrlPart::kScheme: return set_scheme(without_tabs(value));
      case UrlPart::kUser: return can_have_port() && take(user_, encoded(value, kUserinfoSet));
      case UrlPart::kPassword:
        return can_have_port() && take(password_, encoded(value, kUserinfoSet));
      case UrlPart::kHost: return !opaque_ && set_host(without_tabs(value), true);
      case UrlPart::kHostname: return !opaque_ && set_host(without_tabs(value), false);
      case UrlPart::kPort:
        if (value.empty()) return can_have_port() && take(port_, "");
        return can_have_port() && set_port(without_tabs(value));
      case UrlPart::kPath: return !opaque_ && set_path(without_tabs(value));
      case UrlPart::kQuery:
        has_query_ = !value.empty();
        if (value.starts_with('?')) value.remove_prefix(1);
        return take(query_, encoded(without_tabs(value), query_set()));
      case UrlPart::kFragment:
        has_fragment_ = !value.empty();
        if (value.starts_with('#')) value.remove_prefix(1);
        return take(fragment_, encoded(without_tabs(value), kFragmentSet));
    }
    return false;
  }

  bool append_segment(std::string_view value) {
    if (opaque_) return false;
    if (path_.ends_with('/')) path_.pop_back();
    return take(path_, path_ + '/' + encoded(value, kPathSet));
  }

  bool append_query(std::string_view value) {
    if (!query_.empty()) query_ += '&';
    query_ += encoded(value, query_set());
    return has_query_ = true;
  }

  bool replace_param(std::string_view value) {
    const std::string_view name = raw_param_name(value);
    std::string out, each;
    bool replaced = false;
    bool first = true;
    for_each_param(query_, [&](std::string_view param) {
      each.clear();
      append_param_name(each, param);
      const bool is_it = has_query_ && each == name;
      if (is_it && replaced) return;
      if (!first) out += '&';
      first = false;
      replaced = replaced || is_it;
      out += is_it ? encoded(value, query_set()) : param;
    });
    if (replaced) query_ = std::move(out);
    return replaced;
  }

  // Never returns false, since the pieces are valid.
  bool write(Url& url) const {
    std::string text = scheme_ + ':';
    if (has_host_) {
      text += "//" + user_;
      if (!password_.empty()) text += ':' + password_;
      if (!user_.empty() || !password_.empty()) text += '@';
      text += host_;
      if (!port_.empty()) text += ':' + port_;
    } else if (!opaque_ && path_.starts_with("//")) {
      text += "/.";
    }
    text += path_;
    if (has_query_) text += '?' + query_;
    if (has_fragment_) text += '#' + fragment_;
    return parse(text, url);
  }

 private:
  static bool take(std::string& part, std::string value) {
    part = std::move(value);
    return true;
  }
  Scheme scheme() const { return scheme_of(scheme_); }
  bool special() const { return scheme() != Scheme::kOther; }
  EncodeSet query_set() const { return special() ? kSpecialQuerySet : kQuerySet; }
  bool has_credentials() const { return !user_.empty() || !password_.empty(); }
  // The inverse of the Standard's "cannot have a username/password/port".
  bool can_have_port() const { return has_host_ && !host_.empty() && scheme() != Scheme::kFile; }

  // Scheme start state and scheme state: everything from a colon on is ignored.
  bool set_scheme(std::string value) {
    value.resize(std::min(value.find(':'), value.size()));
    make_lower(value);
    const bool valid = !value.empty() && is_alpha(value.front()) &&
                       std::all_of(value.begin(), value.end(), [](char c) {
                         return is_alnum(c) || c == '+' || c == '-' || c == '.';
                       });
    const Scheme wanted = scheme_of(value);
    if (!valid || (wanted != Scheme::kOther) != special()) return false;
    if (wanted == Scheme::kFile && (has_credentials() || !port_.empty())) return false;
    if (scheme() == Scheme::kFile && host_.empty() && wanted != Scheme::kFile) return false;
    scheme_ = std::move(value);
    if (port_ == std::to_string(default_port(wanted))) port_.clear();
    return true;
  }

  // Host state and port state, or file host state.
  bool set_host(std::string_view value, bool with_port) {
    value = value.substr(0, value.find_first_of(special() ? "/\\?#" : "/?#"));
    if (scheme() == Scheme::kFile) return set_file_host(value);
    bool in_brackets = false;
    std::size_t colon = 0;
    for (; colon < value.size() && (in_brackets || value[colon] != ':'); ++colon) {
      if (value[colon] == '[') in_brackets = true;
      if (value[colon] == ']') in_brackets = false;
    }
    const bool has_colon = colon < value.size();
    const std::string_view name = value.substr(0, colon);
    if (has_colon && (!with_port || name.empty())) return false;
    if (name.empty() && (special() || has_credentials() || !port_.empty())) return false;
    std::string host;
    if (!name.empty() && !append_host(name, special(), host, nullptr)) return false;
    host_ = std::move(host);
    has_host_ = true;
    return !has_colon || set_port(value.substr(colon + 1));
  }

  bool set_file_host(std::string_view value) {
    std::string host;
    if (!value.empty() && !append_host(value, true, host, nullptr)) return false;
    return take(host_, host == "localhost" ? std::string() : std::move(host));
  }

  // Port state: the leading digits count. An empty value, after a host or once its tabs are
  // removed, changes nothing.
  bool set_port(std::string_view value) {
    if (value.empty()) return true;
    std::uint32_t port = 0;
    std::size_t size = 0;
    for (; size < value.size() && is_digit(value[size]); ++size) {
      port = std::min(port * 10 + static_cast<std::uint32_t>(value[size] - '0'), 65536U);
    }
    if (size == 0 || port > 65535) return false;
    port_.clear();
    if (static_cast<int>(port) != default_port(scheme())) append_unsigned(port_, port);
    return true;
  }

  // Path start state. Neither '?' nor '#' ends the path here; the parser drops the dot segments.
  bool set_path(std::string_view value) {
    const bool slash = value.starts_with('/') || (special() && value.starts_with('\\'));
    path_ = slash || (value.empty() && !special() && has_host_) ? "" : "/";
    append_percent_encoded(path_, value, kPathSet);
    return true;
  }

  std::string scheme_, user_, password_, host_, port_, path_, query_, fragment_;
  bool has_host_, opaque_, has_query_, has_fragment_;
};

std::optional<UrlPart> url_part(std::string_view name) {
  const auto* const known = std::find(std::begin(kNames), std::end(kNames), name);
  if (known == std::end(kNames)) return std::nullopt;
  return static_cast<UrlPart>(known - std::begin(kNames));
}

}  // namespace

std::optional<UrlEdit> parse_edit(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::optional<UrlPart> part = url_part(text.substr(0, equals));
  if (!part || equals == std::string_view::npos) return std::nullopt;
  return UrlEdit{*part, std::string(text.substr(equals + 1)), UrlEdit::How::kSet};
}

bool set_part(Url& url, UrlPart part, std::string_view value) {
  Editor editor(url);
  const bool taken = editor.set(part, value);
  return editor.write(url) && taken;
}

bool append_to_part(Url& url, UrlPart part, std::string_view value) {
  Editor editor(url);
  const std::string plain = without_tabs(value);
  const bool taken = part == UrlPart::kPath    ? editor.append_segment(plain)
                     : part == UrlPart::kQuery ? editor.append_query(plain)
                                               : false;
  return taken && editor.write(url);
}

bool replace_param(Url& url, std::string_view param) {
  Editor editor(url);
  return editor.replace_param(without_tabs(param)) && editor.write(url);
}

bool apply(const UrlEdit& edit, Url& url) {
  switch (edit.how) {
    case UrlEdit::How::kSet: return set_part(url, edit.part, edit.value);
    case UrlEdit::How::kAppend: return append_to_part(url, edit.part, edit.value);
    case UrlEdit::How::kReplace: break;
  }
  replace_param(url, edit.value);
  return true;
}

}  // namespace spinneret
