// SPDX-License-Identifier: Apache-2.0
#include "url/step_writer.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "url/escapes.h"
#include "url/host.h"
#include "url/params.h"
#include "url/plain_link.h"

namespace spinneret {
namespace {

constexpr std::uint32_t kEscapeSteps =
    kStepHexCase | kStepUnreserved | kStepStrayPercent | kStepDecode;
constexpr std::uint32_t kHostSteps = kStepTrailingDot | kStepWww;
constexpr std::uint32_t kParamSteps = kStepParams | kStepTracking | kStepSession;

bool matches_one(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(),
                     [name](const std::string& glob) { return matches_glob(glob, name); });
}

void collapse_slashes(std::string& path) {
  const auto both = [](char a, char b) { return a == '/' && b == '/'; };
  path.erase(std::unique(path.begin(), path.end(), both), path.end());
}

// Lower-cases letters, but not those in the digits of escapes. Returns whether something changed.
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

bool is_index(const NormalizeRules& rules, std::string_view segment) {
  return std::any_of(rules.index_names.begin(), rules.index_names.end(),
                     [segment](const std::string& name) {
                       return name.size() == segment.size() && equals_ignore_case(name, segment);
                     });
}

}  // namespace

bool strip_www(std::string_view& host) {
  const std::size_t size = host.size();
  while (host.starts_with("www.") && host.find('.', 4) != std::string_view::npos && host[4] != '.')
    host.remove_prefix(4);
  return host.size() != size;
}

std::uint32_t shorten_path_end(const NormalizeRules& rules, std::string_view& path) {
  std::uint32_t changed = 0;
  while (!path.empty()) {
    if (path.back() == '/') {
      if ((rules.steps & kStepTrailingSlash) == 0 || path.size() == 1) break;
      path.remove_suffix(1);
      changed |= kStepTrailingSlash;
      continue;
    }
    const std::size_t slash =
        (rules.steps & kStepIndex) != 0 ? path.rfind('/') : std::string_view::npos;
    if (slash == std::string_view::npos || !is_index(rules, path.substr(slash + 1))) break;
    path = path.substr(0, slash + 1);
    changed |= kStepIndex;
  }
  return changed;
}

StepWriter::StepWriter(NormalizeRules rules) : rules_(std::move(rules)) {
  if (!rules_.drop_params.empty() || !rules_.keep_params.empty()) rules_.steps |= kStepParams;
  // The two steps together would undo each other.
  if (on(kStepHttps)) rules_.steps &= ~static_cast<std::uint32_t>(kStepHttp);
}

void StepWriter::write(const Url& url, const Known& known) {
  settled_ = known.plain_host || (url.is_special() && url.scheme() != "file");
  text_.clear();
  write_authority(url, known.plain_host);
  write_path(url, known.path);
  write_query(url, known.query);
  write_fragment(url);
}

void StepWriter::write_authority(const Url& url, bool plain_host) {
  at_ = url.offsets();
  const bool named = plain_host || (url.is_special() && url.has_host() && url.scheme() != "file");
  const std::string_view scheme = url.scheme();
  const bool to_http = on(kStepHttp) && scheme == "https";
  const bool to_https = on(kStepHttps) && scheme == "http";
  const bool userinfo = on(kStepUserinfo) && url.has_host() && at_.host_begin != at_.username_begin;
  std::string_view host = url.host();
  const bool new_host = named && on(kHostSteps) && strip_host(host, plain_host);
  if (!to_http && !to_https && !userinfo && !new_host) {
    text_ += url.href().substr(0, at_.path_begin);
    return;
  }
  settled_ = plain_host;
  note(kStepHttp, to_http);
  note(kStepHttps, to_https);
  note(kStepUserinfo, userinfo);
  text_ += to_http ? "http" : to_https ? "https" : scheme;
  text_ += "://";
  if (!userinfo && at_.host_begin != at_.username_begin) {
    text_ += url.href().substr(at_.username_begin, at_.host_begin + 1 - at_.username_begin);
  }
  const auto host_begin = static_cast<std::uint32_t>(text_.size());
  text_ += host;
  text_ += url.href().substr(at_.host_end, at_.path_begin - at_.host_end);
  if (!plain_host) return;
  const auto host_end = static_cast<std::uint32_t>(text_.size());
  at_ = {host_begin - 2, host_begin, host_begin, host_begin, host_end, host_end};
}

// Removes what the steps drop at both ends of a host name. Returns whether another valid name is
// left.
bool StepWriter::strip_host(std::string_view& host, bool plain_host) {
  std::string_view rest = host;
  while (on(kStepTrailingDot) && rest.size() > 1 && rest.back() == '.') rest.remove_suffix(1);
  const bool dot = rest.size() != host.size();
  const bool www = on(kStepWww) && strip_www(rest);
  if (!dot && !www) return false;
  if (!plain_host) {
    scratch_.clear();
    // "x.1.." is a name; "x.1" is a broken address.
    if (!append_host(rest, true, scratch_, nullptr) || scratch_ != rest) return false;
  }
  note(kStepTrailingDot, dot);
  note(kStepWww, www);
  host = rest;
  return true;
}

// Writes `text`, with its escapes changed, into part_.
void StepWriter::write_escapes(std::string_view text, Part part) {
  part_.clear();
  if (!on(kEscapeSteps) || text.find('%') == std::string_view::npos) {
    part_ += text;
    return;
  }
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
    case Part::kQuery: rules.set = kQuerySet; break;
    case Part::kSpecialQuery: rules.set = kSpecialQuerySet; break;
    case Part::kFragment: rules.set = kFragmentSet; break;
  }
  append_normal_escapes(part_, text, rules);
  if (part_ == text) return;
  // Only now that something has changed is the step to blame determined: one without which the
  // result would be different.
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

void StepWriter::write_path(const Url& url, int seen) {
  std::string_view path = url.path();
  at_.path_begin = static_cast<std::uint32_t>(text_.size());
  if (url.has_opaque_path()) {
    text_ += path;
    return;
  }
  const int wanted = (on(kEscapeSteps) ? PlainLink::kPercent : 0) |
                     (on(kStepSession) ? PlainLink::kSession : 0) |
                     (on(kStepLowerPath) ? PlainLink::kUpper : 0) |
                     (on(kStepSlashes) ? PlainLink::kDoubleSlash : 0);
  if ((seen & wanted) != 0) {
    change_path(url, path);
    path = part_;
  }
  if (on(kStepIndex | kStepTrailingSlash)) changed_ |= shorten_path_end(rules_, path);
  // Without a host, "//" would begin a host.
  if (!url.has_host()) {
    text_.resize(url.offsets().scheme_end);
    if (path.starts_with("//")) text_ += "/.";
  }
  text_ += path;
}

// Writes the changed path into part_.
void StepWriter::change_path(const Url& url, std::string_view path) {
  write_escapes(path, url.scheme() == "file" ? Part::kFilePath : Part::kPath);
  if (on(kStepSession)) {
    scratch_.clear();
    append_path_without_sessions(scratch_, part_);
    const bool changed = scratch_ != part_;
    note(kStepSession, changed);
    if (changed) settled_ = false;
    std::swap(part_, scratch_);
  }
  if (on(kStepLowerPath)) note(kStepLowerPath, lower_letters(part_));
  if (on(kStepSlashes)) {
    const std::size_t size = part_.size();
    collapse_slashes(part_);
    note(kStepSlashes, size != part_.size());
  }
}

bool StepWriter::drops_param(std::string_view name, std::string_view param) {
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

// Changes the query in part_. Returns false where no parameter is left.
bool StepWriter::change_params() {
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

void StepWriter::write_query(const Url& url, int seen) {
  if (!url.has_query()) return;
  at_.query_begin = UrlOffsets::npos;
  std::string_view query = url.query();
  const auto write = [this](std::string_view text) {
    at_.query_begin = static_cast<std::uint32_t>(text_.size());
    text_ += '?';
    text_ += text;
  };
  if (on(kStepQuery)) return note(kStepQuery);
  if (url.has_opaque_path()) return write(query);
  const bool escapes = on(kEscapeSteps) && (seen & PlainLink::kPercent) != 0;
  // An escape may stand for a letter.
  const bool lower = on(kStepLowerQuery) && (seen & (PlainLink::kUpper | PlainLink::kPercent)) != 0;
  if (escapes || lower) {
    write_escapes(query, url.is_special() ? Part::kSpecialQuery : Part::kQuery);
    if (lower) note(kStepLowerQuery, lower_letters(part_));
    query = part_;
  }
  const ParamChecks checks{.tracking = on(kStepTracking),
                           .session = on(kStepSession),
                           .empty = on(kStepEmptyParams),
                           .order = on(kStepSortQuery)};
  if (on(kStepParams | kStepDedupeParams) || !are_params_settled(query, checks)) {
    if (query.data() != part_.data()) part_ = query;
    if (!change_params()) return;
    query = part_;
  }
  if (query.empty() && on(kStepEmptyQuery)) return note(kStepEmptyQuery);
  write(query);
}

void StepWriter::write_fragment(const Url& url) {
  if (!url.has_fragment()) return;
  at_.fragment_begin = UrlOffsets::npos;
  if (on(kStepFragment)) return note(kStepFragment);
  write_escapes(url.fragment(), Part::kFragment);
  at_.fragment_begin = static_cast<std::uint32_t>(text_.size());
  text_ += '#';
  text_ += part_;
}

}  // namespace spinneret
