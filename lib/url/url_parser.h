// SPDX-License-Identifier: Apache-2.0
// The basic URL parser (URL Standard, section 4.4), which goes by parts and not by characters. Each
// function is one state, or a chain of states that cannot be left in the middle, and writes
// straight into the href. Private to parse.cc.
#ifndef SPINNERET_URL_URL_PARSER_H_
#define SPINNERET_URL_URL_PARSER_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "url/dot_segment.h"
#include "url/host.h"
#include "url/parse.h"
#include "url/parse_notes.h"
#include "url/path_class.h"
#include "url/percent.h"
#include "url/query_encoding.h"
#include "url/url_writer.h"

namespace spinneret {

// One run of the parser. `text_` is the input without what the standard strips from it. `Notes` is
// ParseNotes or NoParseNotes.
template <class Notes>
class UrlParser : private UrlWriter {
 public:
  UrlParser(std::string_view text, const Url* base, Url& out, UrlError* why,
            const QueryEncoder* encoder, Notes& notes)
      : UrlWriter(text, base, out), notes_(notes), why_(why), encoder_(encoder) {}

  // Scheme start state, scheme state, no scheme state.
  bool run() {
    clear();
    return read_scheme() ? after_scheme() : without_scheme();
  }

 private:
  // `message` is the text, or a function that makes the text if the caller wants it.
  template <typename Message>
  bool fail(std::string_view name, std::size_t offset, const Message& message) {
    notes_.fault(name, offset);
    at_ = UrlOffsets();
    if (why_ == nullptr) return false;
    if constexpr (std::is_invocable_v<Message>) {
      *why_ = {message(), offset, name};
    } else {
      *why_ = {message, offset, name};
    }
    return false;
  }

  void take_slash() {
    if (rest_.front() == '\\') backslash(offset());
    rest_.remove_prefix(1);
  }
  void backslash(std::size_t offset) {
    notes_.fault("invalid-reverse-solidus", offset);
    notes_.change(kChangeBackslash);
  }

  void encode(std::string_view text, EncodeSet set) {
    const std::size_t begin = href_.size();
    append_percent_encoded(href_, text, set);
    if constexpr (Notes::kOn) notes_.change(kChangeEscaped, href_.size() - begin != text.size());
  }
  std::size_t offset_of(std::string_view text) const {
    return static_cast<std::size_t>(text.data() - text_.data());
  }

  bool read_scheme() {
    if (text_.empty() || !is_alpha(text_.front())) return false;
    std::size_t end = 1;
    while (end < text_.size() &&
           (is_alnum(text_[end]) || text_[end] == '+' || text_[end] == '-' || text_[end] == '.')) {
      ++end;
    }
    if (end == text_.size() || text_[end] != ':') return false;
    href_.assign(text_, 0, end + 1);
    make_lower(href_);
    if constexpr (Notes::kOn) notes_.change(kChangeSchemeCase, !text_.starts_with(href_));
    rest_.remove_prefix(end + 1);
    set_scheme();
    return true;
  }

  bool after_scheme() {
    if (scheme_ == Scheme::kFile) {
      if (!rest_.starts_with("//")) missing_slashes();
      return file();
    }
    if (special()) {
      const bool same = base_ != nullptr && base_->scheme() == out_.scheme();
      if (!rest_.starts_with("//")) missing_slashes();
      // Special relative or authority state; else special authority slashes state.
      if (same && !rest_.starts_with("//")) return relative();
      return skip_slashes_then_authority();
    }
    if (!rest_.starts_with('/')) return opaque_path();
    // Path or authority state.
    if (rest_.starts_with("//")) {
      rest_.remove_prefix(2);
      return authority();
    }
    return path_start();
  }

  void missing_slashes() { notes_.fault("special-scheme-missing-following-solidus", offset()); }

  bool without_scheme() {
    if (base_ == nullptr) return fail_without_base();
    href_.assign(base_->href(), 0, base_->offsets().scheme_end);
    set_scheme();
    if (base_->has_opaque_path()) {
      if (!rest_.starts_with('#')) {
        return fail(kNoScheme, 0, [this] {
          return "a relative URL cannot be resolved against the base " + excerpt(base_->href(), 40);
        });
      }
      copy_path();
      copy_query();
      return query_and_fragment();
    }
    return scheme_ == Scheme::kFile ? file() : relative();
  }

  bool fail_without_base() {
    if (text_.empty()) return fail(kNoScheme, 0, "the URL is empty");
    const bool mark = text_.starts_with("\xEF\xBB\xBF");
    return fail(kNoScheme, 0,
                mark ? "a byte order mark before the URL" : "a relative URL without a base");
  }

  // Relative state and relative slash state.
  bool relative() {
    if (starts_with_slash()) {
      if (rest_.size() > 1 && is_slash(rest_[1])) {
        take_slash();
        take_slash();
        return special() ? skip_slashes_then_authority() : authority();
      }
      copy_authority();
      take_slash();
      at_.path_begin = size();
      return path();
    }
    copy_authority();
    copy_path();
    return relative_tail();
  }

  // Copies the base's path; then decides whether the input replaces its last segment, its query, or
  // neither.
  bool relative_tail() {
    if (rest_.empty() || rest_.front() == '#') copy_query();
    if (rest_.empty() || rest_.front() == '#' || rest_.front() == '?') return query_and_fragment();
    shorten_path();
    return path();
  }

  // Special authority slashes state and special authority ignore slashes state.
  bool skip_slashes_then_authority() {
    const std::size_t begin = offset();
    // For "http:/h" the missing slash has been noted already, and so have the two slashes of a
    // relative URL that begins with them.
    for (int slash = rest_.starts_with("//") ? 0 : 2; starts_with_slash(); ++slash) {
      if (slash > 1) missing_slashes();
      notes_.change(kChangeBackslash, rest_.front() == '\\');
      rest_.remove_prefix(1);
    }
    notes_.change(kChangeSlashes, offset() - begin != 2);
    return authority();
  }

  // Authority state: up to the slash; the last '@' ends the credentials.
  bool authority() {
    std::size_t end = 0;
    std::size_t at_sign = std::string_view::npos;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (c == '/' || c == '?' || c == '#' || (c == '\\' && special())) break;
      if (c == '@') {
        at_sign = end;
        notes_.fault("invalid-credentials", offset() + end);
      }
    }
    href_ += "//";
    at_.username_begin = at_.username_end = at_.host_begin = size();
    std::string_view authority = rest_.substr(0, end);
    if (at_sign != std::string_view::npos) {
      credentials(authority.substr(0, at_sign));
      authority.remove_prefix(at_sign + 1);
      rest_.remove_prefix(at_sign + 1);
      if (authority.empty()) return fail("host-missing", offset(), "no host follows the '@'");
    }
    return host_and_port(authority);
  }

  void credentials(std::string_view text) {
    const std::size_t colon = text.find(':');
    notes_.change(kChangeUserinfo, text.empty() || colon + 1 == text.size());
    encode(text.substr(0, colon), kUserinfoSet);
    at_.username_end = size();
    if (colon != std::string_view::npos && colon + 1 < text.size()) {
      href_ += ':';
      encode(text.substr(colon + 1), kUserinfoSet);
    }
    at_.host_begin = size();
    if (at_.host_begin != at_.username_begin) href_ += '@';
  }

  // Host state and port state.
  bool host_and_port(std::string_view authority) {
    std::size_t colon = 0;
    bool in_brackets = false;
    for (; colon < authority.size(); ++colon) {
      const char c = authority[colon];
      if (c == ':' && !in_brackets) break;
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
    }
    const bool has_colon = colon < authority.size();
    if (colon == 0 && (special() || has_colon))
      return fail("host-missing", offset(), "the host is empty");
    if (colon != 0 && !host(authority.substr(0, colon))) return false;
    at_.host_end = size();
    rest_.remove_prefix(colon);
    if (has_colon && !port(authority.substr(colon + 1))) return false;
    at_.path_begin = size();
    rest_.remove_prefix(authority.size() - colon);
    return path_start();
  }

  bool host(std::string_view text) {
    HostError error;
    const bool asked = Notes::kOn || why_ != nullptr;
    const std::size_t begin = href_.size();
    if (!append_host(text, special(), href_, asked ? &error : nullptr))
      return fail(error.name, offset() + error.offset, error.message);
    if (scheme_ == Scheme::kFile && std::string_view(href_).substr(begin) == "localhost")
      href_.resize(begin);
    notes_.host(text, offset(), std::string_view(href_).substr(begin), special(), error.notes);
    return true;
  }

  bool port(std::string_view digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (!is_digit(digits[i])) {
        return fail("port-invalid", offset() + 1 + i, [&] {
          return "port has " + excerpt(digits.substr(i, 1)) + ", which is not a digit";
        });
      }
      value = std::min(value * 10 + static_cast<std::uint32_t>(digits[i] - '0'), 65536U);
    }
    if (value > 65535) {
      return fail("port-out-of-range", offset() + 1,
                  [&] { return "port " + shortened(digits) + " is out of range"; });
    }
    if (digits.empty() || static_cast<int>(value) == default_port(scheme_)) {
      notes_.change(kChangePort);
      return true;
    }
    href_ += ':';
    const std::size_t begin = href_.size();
    append_unsigned(href_, value);
    notes_.change(kChangePort, href_.size() - begin != digits.size());
    return true;
  }

  // File state.
  bool file() {
    const bool file_base = base_ != nullptr && base_->scheme() == "file";
    notes_.change(kChangeSlashes, rest_.size() < 2 || !is_slash(rest_[0]) || !is_slash(rest_[1]));
    if (starts_with_slash()) {
      take_slash();
      return file_slash(file_base);
    }
    if (!file_base) {
      set_empty_host();
      return path();
    }
    copy_authority();
    if (starts_with_drive_letter(rest_)) {
      notes_.fault("file-invalid-Windows-drive-letter", offset());
      at_.path_begin = size();
      return path();
    }
    copy_path();
    return relative_tail();
  }

  // File slash state.
  bool file_slash(bool file_base) {
    if (starts_with_slash()) {
      take_slash();
      return file_host();
    }
    if (!file_base) {
      set_empty_host();
      return path();
    }
    copy_authority();
    at_.path_begin = size();
    const std::string_view base_path = base_->path();
    const bool base_drive = base_path.size() >= 3 && is_alpha(base_path[1]) &&
                            base_path[2] == ':' && (base_path.size() == 3 || base_path[3] == '/');
    if (base_drive && !starts_with_drive_letter(rest_)) href_ += base_path.substr(0, 3);
    return path();
  }

  // File host state.
  bool file_host() {
    const std::size_t end = std::min(rest_.find_first_of("/\\?#"), rest_.size());
    set_empty_host();
    if (is_drive_letter(rest_.substr(0, end))) {
      notes_.fault("file-invalid-Windows-drive-letter-host", offset());
      notes_.change(kChangeSlashes);
      return path();
    }
    if (end != 0) {
      if (!host(rest_.substr(0, end))) return false;
      rest_.remove_prefix(end);
    }
    at_.host_end = at_.path_begin = size();
    return path_start();
  }

  // Path start state.
  bool path_start() {
    if (!special() && (rest_.empty() || rest_.front() != '/')) return query_and_fragment();
    notes_.change(kChangeEmptyPath, rest_.empty() || !starts_with_slash());
    if (starts_with_slash()) take_slash();
    return path();
  }

  // Path state, at the start of a segment, after the slash before it.
  bool path() {
    const int ends = kPathEnd | kPathSlash | (special() ? kPathBackslash : 0);
    const char* at = rest_.data();
    const char* const end = at + rest_.size();
    bool more = true;
    notes_.path_begin(offset());
    while (more) {
      const char* const begin = at;
      int seen = 0;
      int stop = 0;
      for (; at != end; ++at) {
        const int c = kPathClasses[static_cast<unsigned char>(*at)];
        stop = c & ends;
        if (stop != 0) break;
        seen |= c;
      }
      more = at != end && (stop & kPathEnd) == 0;
      segment({begin, static_cast<std::size_t>(at - begin)}, (seen & kPathEncode) != 0, more);
      if (more && *at == '\\') backslash(static_cast<std::size_t>(at - text_.data()));
      if (more) ++at;
    }
    notes_.path_end(href_, at_.path_begin);
    rest_ = {at, static_cast<std::size_t>(end - at)};
    return query_and_fragment();
  }

  void segment(std::string_view text, bool encode, bool slash_follows) {
    const int count =
        text.empty() || (text[0] != '.' && text[0] != '%') ? 0 : dots_of_segment(text);
    notes_.segment(text, offset_of(text), count, !special() && !out_.has_host());
    if (count == 2) shorten_path();
    if (count != 0) {
      if (!slash_follows) href_ += '/';
      return;
    }
    const bool drive =
        scheme_ == Scheme::kFile && at_.path_begin == href_.size() && is_drive_letter(text);
    href_ += '/';
    if (encode) {
      notes_.path_escape(href_.size());
      append_percent_encoded(href_, text, kPathSet);
    } else {
      href_ += text;
    }
    if (!drive) return;
    notes_.change(kChangeDriveLetter, text[1] == '|');
    href_.back() = ':';
  }

  // Shorten a url's path.
  void shorten_path() {
    const std::string_view path = std::string_view(href_).substr(at_.path_begin);
    if (scheme_ == Scheme::kFile && path.size() == 3 && is_alpha(path[1]) && path[2] == ':') return;
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) href_.resize(at_.path_begin + slash);
    notes_.path_cut(href_.size());
  }

  // Opaque path state. Only the last space before a query or fragment is escaped; otherwise it
  // would be stripped once those are removed.
  bool opaque_path() {
    opaque_path_ = true;
    const std::size_t end = rest_.find_first_of("?#");
    std::string_view path = rest_.substr(0, end);
    const bool space = end != std::string_view::npos && !path.empty() && path.back() == ' ';
    notes_.units(path, offset(), ' ');
    notes_.change(kChangeEscaped, space);
    if (space) path.remove_suffix(1);
    encode(path, kC0ControlSet);
    if (space) href_ += "%20";
    rest_.remove_prefix(std::min(end, rest_.size()));
    return query_and_fragment();
  }

  // Query state and fragment state; rest_ is empty or begins with '?' or '#'.
  bool query_and_fragment() {
    if (at_.query_begin == UrlOffsets::npos) mark_path_end();
    if (rest_.starts_with('?')) {
      const std::size_t hash = rest_.find('#');
      at_.query_begin = size();
      href_ += '?';
      query(rest_.substr(1, hash == std::string_view::npos ? hash : hash - 1));
      rest_.remove_prefix(std::min(hash, rest_.size()));
    }
    if (rest_.starts_with('#')) {
      at_.fragment_begin = size();
      href_ += '#';
      notes_.units(rest_.substr(1), offset() + 1);
      encode(rest_.substr(1), kFragmentSet);
    }
    return true;
  }

  void query(std::string_view text) {
    const EncodeSet set = special() ? kSpecialQuerySet : kQuerySet;
    const bool utf8 =
        encoder_ == nullptr || !special() || scheme_ == Scheme::kWs || scheme_ == Scheme::kWss;
    notes_.units(text, offset_of(text));
    if (utf8) {
      encode(text, set);
    } else {
      append_query_encoded(href_, text, set, *encoder_);
    }
  }

  static constexpr std::string_view kNoScheme = "missing-scheme-non-relative-URL";

  [[no_unique_address]] std::conditional_t<Notes::kOn, Notes&, NoParseNotes> notes_;
  UrlError* why_;
  const QueryEncoder* encoder_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_URL_PARSER_H_
