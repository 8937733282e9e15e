// SPDX-License-Identifier: Apache-2.0
#include "url/normalize.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "url/escapes.h"
#include "url/host.h"
#include "url/params.h"

namespace spinneret {
namespace {

constexpr std::uint32_t kEscapeSteps =
    kStepHexCase | kStepUnreserved | kStepStrayPercent | kStepDecode;
constexpr std::uint32_t kHostSteps = kStepTrailingDot | kStepWww;
constexpr std::uint32_t kParamSteps = kStepParams | kStepTracking | kStepSession;
constexpr std::uint32_t kKeySteps = kStepSurt | kStepCdx;

bool matches_one(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(),
                     [name](const std::string& glob) { return matches_glob(glob, name); });
}

void collapse_slashes(std::string& path) {
  const auto both = [](char a, char b) { return a == '/' && b == '/'; };
  path.erase(std::unique(path.begin(), path.end(), both), path.end());
}

// Escapes stay as they are: their digits are no letters. True: something changed.
bool lower_letters(std::string& text) {
  bool changed = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_escape(text, i)) {
      i += 2;
    } else if (is_upper(text[i])) {
      text[i] = to_lower(text[i]);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Normalizer::Normalizer(NormalizeRules rules) : rules_(std::move(rules)) {
  if (!rules_.drop_params.empty() || !rules_.keep_params.empty()) rules_.steps |= kStepParams;
  // Both would chase each other.
  if (on(kStepHttps)) rules_.steps &= ~static_cast<std::uint32_t>(kStepHttp);
}

bool Normalizer::normalize(std::string_view input, const Url* base, std::string_view& out,
                           UrlError* why) {
  changed_ = 0;
  was_key_ = read_key(input);
  if (!was_key_ &&
      !(base != nullptr ? resolve(input, *base, url_, why) : parse(input, url_, why))) {
    return false;
  }
  // What was a key once space around it had gone, or comes out as one.
  if (on(kKeySteps) && !was_key_ && !url_.has_host()) {
    next_ = url_;
    was_key_ = read_key(next_.href());
    if (!was_key_) std::swap(url_, next_);
  }
  if (rules_.steps == 0) {
    out = url_.href();
    return true;
  }
  if (keep_parsed_) parsed_ = url_.href();
  if (apply_local_steps()) {
    out = url_.href();
    return true;
  }
  // One round does, save where a step made way for another, such as a dot segment that hid behind a
  // session id. The limit only guards against what nobody has found.
  for (int round = 0; round < 8 && apply_steps(); ++round) {
  }
  out = finish();
  return true;
}

// A sort key is its own canonical form, though it is no URL. False: `text` is none, url_ unspecified.
bool Normalizer::read_key(std::string_view text) {
  if (!on(kKeySteps)) return false;
  text_.clear();
  if (!append_url_of_surt(text_, text, on(kStepCdx)) || !parse(text_, url_)) return false;
  if (on(kStepCdx)) key_ = text;
  return true;
}

// Where all steps are of a kind that leaves a path without new segments, and a URL the standard would write
// as it is, the parts are rewritten in place: no second parse. True: all is done.
bool Normalizer::apply_local_steps() {
  constexpr std::uint32_t kLocal =
      kStepFragment | kStepHexCase | kStepUnreserved | kStepStrayPercent;
  if ((rules_.steps & ~kLocal) != 0 || url_.opaque_path_ || url_.scheme() == "file") return false;
  std::string& href = url_.href_;
  UrlOffsets& at = url_.offsets_;
  if (on(kStepFragment) && url_.has_fragment()) {
    note(kStepFragment, true);
    href.resize(at.fragment_begin);
    at.fragment_begin = UrlOffsets::npos;
  }
  if (!on(kEscapeSteps) || href.find('%', at.path_begin) == std::string::npos) return true;
  text_.assign(href, 0, at.path_begin);
  write_path();
  const auto query_begin = static_cast<std::uint32_t>(text_.size());
  write_query();
  const auto fragment_begin = static_cast<std::uint32_t>(text_.size());
  write_fragment();
  if (url_.has_query()) at.query_begin = query_begin;
  if (url_.has_fragment()) at.fragment_begin = fragment_begin;
  std::swap(href, text_);
  return true;
}

// Writes the parts anew; where they differ, parses them. False: nothing has changed.
bool Normalizer::apply_steps() {
  text_.clear();
  write_authority();
  write_path();
  write_query();
  write_fragment();
  if (text_ == url_.href()) return false;
  // What the steps write is a URL. Were it not, the last form that was one stands.
  if (!parse(text_, next_)) return false;
  std::swap(url_, next_);
  return true;
}

void Normalizer::write_authority() {
  const UrlOffsets& at = url_.offsets();
  const bool named = url_.is_special() && url_.has_host() && url_.scheme() != "file";
  const std::string_view scheme = url_.scheme();
  const bool to_http = on(kStepHttp) && scheme == "https";
  const bool to_https = on(kStepHttps) && scheme == "http";
  const bool userinfo = on(kStepUserinfo) && url_.has_host() && at.host_begin != at.username_begin;
  part_ = url_.host();
  const bool new_host = named && on(kHostSteps) && strip_host(part_);
  if (!to_http && !to_https && !userinfo && !new_host) {
    text_ += url_.href().substr(0, at.path_begin);
    return;
  }
  note(kStepHttp, to_http);
  note(kStepHttps, to_https);
  note(kStepUserinfo, userinfo);
  text_ += to_http ? "http" : to_https ? "https" : scheme;
  text_ += "://";
  if (!userinfo && at.host_begin != at.username_begin) {
    text_ += url_.href().substr(at.username_begin, at.host_begin + 1 - at.username_begin);
  }
  text_ += part_;
  text_ += url_.href().substr(at.host_end, at.path_begin - at.host_end);
}

// Takes away what may go at both ends of a host name; true where that leaves another, valid one.
bool Normalizer::strip_host(std::string& host) {
  std::string_view rest = host;
  while (on(kStepTrailingDot) && rest.size() > 1 && rest.back() == '.') rest.remove_suffix(1);
  const bool dot = rest.size() != host.size();
  bool www = false;
  while (on(kStepWww) && rest.starts_with("www.") && rest.find('.', 4) != std::string_view::npos &&
         rest[4] != '.') {
    rest.remove_prefix(4);
    www = true;
  }
  if (!dot && !www) return false;
  scratch_.clear();
  // "x.1.." is a name, "x.1" is a broken address.
  if (!append_host(rest, true, scratch_, nullptr) || scratch_ != rest) return false;
  note(kStepTrailingDot, dot);
  note(kStepWww, www);
  host = scratch_;
  return true;
}

void Normalizer::normalize_escapes(std::string_view text, Part part) {
  EscapeRules rules;
  rules.upper_hex = on(kStepHexCase);
  rules.unreserved = on(kStepUnreserved | kStepDecode);
  rules.all = on(kStepDecode);
  rules.stray = on(kStepStrayPercent);
  switch (part) {
    case Part::kPath:
      rules.set = kPathSet;
      rules.keep = "\\";
      break;
    case Part::kFilePath:
      rules.set = kPathSet;
      rules.keep = "\\|:";
      break;
    case Part::kQuery: rules.set = url_.is_special() ? kSpecialQuerySet : kQuerySet; break;
    case Part::kFragment: rules.set = kFragmentSet; break;
  }
  append_normal_escapes(part_, text, rules);
  if (part_ == text) return;
  // Which of them it was is told apart only here, where something changed: one without which the result
  // would be another.
  const auto matters = [&](bool EscapeRules::*rule) {
    EscapeRules without = rules;
    without.*rule = false;
    scratch_.clear();
    append_normal_escapes(scratch_, text, without);
    return scratch_ != part_;
  };
  note(kStepHexCase, rules.upper_hex && matters(&EscapeRules::upper_hex));
  note(kStepUnreserved, on(kStepUnreserved) && matters(&EscapeRules::unreserved));
  note(kStepStrayPercent, rules.stray && matters(&EscapeRules::stray));
  note(kStepDecode, rules.all && (matters(&EscapeRules::all) || !on(kStepUnreserved)));
}

bool Normalizer::is_index(std::string_view segment) const {
  return std::any_of(
      rules_.index_names.begin(), rules_.index_names.end(),
      [segment](const std::string& name) { return equals_ignore_case(name, segment); });
}

// A directory index may stand behind a slash at the end that goes, and the other way round.
void Normalizer::shorten_path_end(std::string& path) {
  std::string_view rest = path;
  while (true) {
    const std::size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos) break;
    if (on(kStepTrailingSlash) && rest.size() > 1 && slash == rest.size() - 1) {
      rest.remove_suffix(1);
      note(kStepTrailingSlash, true);
    } else if (on(kStepIndex) && is_index(rest.substr(slash + 1))) {
      rest = rest.substr(0, slash + 1);
      note(kStepIndex, true);
    } else {
      break;
    }
  }
  path.resize(rest.size());
}

void Normalizer::write_path() {
  const std::string_view path = url_.path();
  if (url_.has_opaque_path()) {
    text_ += path;
    return;
  }
  part_.clear();
  if (on(kEscapeSteps) && path.find('%') != std::string_view::npos) {
    normalize_escapes(path, url_.scheme() == "file" ? Part::kFilePath : Part::kPath);
  } else {
    part_ += path;
  }
  if (on(kStepSession)) {
    scratch_.clear();
    append_path_without_sessions(scratch_, part_);
    note(kStepSession, scratch_ != part_);
    std::swap(part_, scratch_);
  }
  if (on(kStepLowerPath)) note(kStepLowerPath, lower_letters(part_));
  if (on(kStepSlashes)) {
    const std::size_t size = part_.size();
    collapse_slashes(part_);
    note(kStepSlashes, size != part_.size());
  }
  if (on(kStepIndex | kStepTrailingSlash)) shorten_path_end(part_);
  // Without a host, "//" would begin one.
  if (!url_.has_host()) {
    text_.resize(url_.offsets().scheme_end);
    if (part_.starts_with("//")) text_ += "/.";
  }
  text_ += part_;
}

bool Normalizer::drops_param(std::string_view name, std::string_view param) {
  if (!rules_.keep_params.empty() && !matches_one(rules_.keep_params, name)) {
    note(kStepParams, true);
    return true;
  }
  if (matches_one(rules_.drop_params, name)) {
    note(kStepParams, true);
    return true;
  }
  lower_name_ = name;
  make_lower(lower_name_);
  if (on(kStepTracking) && is_tracking_param(lower_name_)) {
    note(kStepTracking, true);
    return true;
  }
  if (on(kStepSession) && is_session_param(param)) {
    note(kStepSession, true);
    return true;
  }
  return false;
}

// Of the query in part_. False: no parameter is left.
bool Normalizer::change_params() {
  bool any = true;
  if (on(kParamSteps)) {
    scratch_.clear();
    any = append_params_without(
        scratch_, part_,
        [this](std::string_view name, std::string_view param) { return drops_param(name, param); });
    std::swap(part_, scratch_);
  }
  if (any && on(kStepEmptyParams)) {
    scratch_.clear();
    any = append_params_not_empty(scratch_, part_);
    note(kStepEmptyParams, !any || scratch_ != part_);
    std::swap(part_, scratch_);
  }
  if (any && on(kStepDedupeParams)) {
    scratch_.clear();
    append_params_once(scratch_, part_);
    note(kStepDedupeParams, scratch_ != part_);
    std::swap(part_, scratch_);
  }
  if (any && on(kStepSortQuery)) {
    scratch_.clear();
    append_params_sorted(scratch_, part_);
    note(kStepSortQuery, scratch_ != part_);
    std::swap(part_, scratch_);
  }
  return any;
}

void Normalizer::write_query() {
  if (!url_.has_query()) return;
  const std::string_view query = url_.query();
  if (url_.has_opaque_path() && !on(kStepQuery)) {
    text_ += '?';
    text_ += query;
    return;
  }
  if (on(kStepQuery)) {
    note(kStepQuery, true);
    return;
  }
  part_.clear();
  if (on(kEscapeSteps) && query.find('%') != std::string_view::npos) {
    normalize_escapes(query, Part::kQuery);
  } else {
    part_ += query;
  }
  if (on(kStepLowerQuery)) note(kStepLowerQuery, lower_letters(part_));
  if (!change_params()) return;
  if (part_.empty() && on(kStepEmptyQuery)) {
    note(kStepEmptyQuery, true);
    return;
  }
  text_ += '?';
  text_ += part_;
}

void Normalizer::write_fragment() {
  if (!url_.has_fragment()) return;
  if (on(kStepFragment)) {
    note(kStepFragment, true);
    return;
  }
  part_.clear();
  if (on(kEscapeSteps)) {
    normalize_escapes(url_.fragment(), Part::kFragment);
  } else {
    part_ += url_.fragment();
  }
  text_ += '#';
  text_ += part_;
}

// The steps whose results the standard's parser would undo.
std::string_view Normalizer::finish() {
  if (on(kStepCdx)) {
    if (was_key_) return key_;
    text_.clear();
    append_cdx_key(text_, url_, rules_.cdx);
    note(kStepCdx, true);
    return text_;
  }
  if (on(kStepSurt)) {
    text_.clear();
    append_surt(text_, url_);
    note(kStepSurt, true);
    return text_;
  }
  if (on(kStepPort) && url_.has_host() && !url_.has_port() && url_.effective_port() >= 0) {
    const UrlOffsets& at = url_.offsets();
    text_.assign(url_.href(), 0, at.host_end);
    text_ += ':';
    append_unsigned(text_, static_cast<std::uint64_t>(url_.effective_port()));
    text_ += url_.href().substr(at.path_begin);
    note(kStepPort, true);
    return text_;
  }
  return url_.href();
}

void make_safe(Url& url) {
  if (!has_needless_escapes(url.href())) return;
  Normalizer normalizer({.steps = kStepHexCase | kStepUnreserved, .index_names = {}});
  std::string_view out;
  if (normalizer.normalize(url.href(), nullptr, out)) url = normalizer.url();
}

}  // namespace spinneret
