// SPDX-License-Identifier: Apache-2.0
// The basic URL parser (URL Standard, section 4.4), by parts and not by characters: each function is one
// state, or a chain of states that cannot be left in the middle, and writes straight into the href.
#include "url/parse.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "url/dot_segment.h"
#include "url/host.h"
#include "url/path_class.h"
#include "url/percent.h"
#include "url/plain_link.h"
#include "url/query_encoding.h"
#include "url/scheme.h"
#include "url/stripped_input.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxInput = std::size_t{1} << 30;

// A Windows drive letter: "C:" or "C|".
bool is_drive_letter(std::string_view text) {
  return text.size() == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
}

// Whether `text` starts with a Windows drive letter.
bool starts_with_drive_letter(std::string_view text) {
  if (!is_drive_letter(text.substr(0, 2))) return false;
  return text.size() == 2 || std::strchr("/\\?#", text[2]) != nullptr;
}

}  // namespace

// One run of the parser. `text_` is the input without what the standard strips from it.
class UrlParser {
 public:
  UrlParser(std::string_view text, const Url* base, Url& out, UrlError* why,
            const QueryEncoder* encoder)
      : text_(text),
        rest_(text),
        base_(base),
        out_(out),
        href_(out.href_),
        at_(out.offsets_),
        why_(why),
        encoder_(encoder) {}

  // Scheme start state, scheme state, no scheme state.
  bool run() {
    href_.clear();
    at_ = UrlOffsets();
    out_.opaque_path_ = false;
    return read_scheme() ? after_scheme() : without_scheme();
  }

 private:
  bool special() const { return scheme_ != Scheme::kOther; }
  bool is_slash(char c) const { return c == '/' || (c == '\\' && special()); }
  bool starts_with_slash() const { return !rest_.empty() && is_slash(rest_.front()); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(href_.size()); }
  std::size_t offset() const { return static_cast<std::size_t>(rest_.data() - text_.data()); }

  bool fail(std::string message, std::size_t offset) {
    if (why_ != nullptr) *why_ = {std::move(message), offset};
    at_ = UrlOffsets();
    return false;
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
    rest_.remove_prefix(end + 1);
    set_scheme();
    return true;
  }

  // What follows from the scheme that href_ holds, colon included.
  void set_scheme() {
    scheme_ = scheme_of(std::string_view(href_).substr(0, href_.size() - 1));
    at_.scheme_end = size();
    set_no_host();
  }

  void set_no_host() {
    at_.username_begin = at_.username_end = at_.host_begin = at_.host_end = at_.path_begin =
        at_.scheme_end;
  }

  bool after_scheme() {
    if (scheme_ == Scheme::kFile) return file();
    if (special()) {
      const bool same = base_ != nullptr && base_->scheme() == out_.scheme();
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

  bool without_scheme() {
    if (base_ == nullptr) return fail_without_base();
    href_.assign(base_->href_, 0, base_->offsets_.scheme_end);
    set_scheme();
    if (base_->opaque_path_) {
      if (!rest_.starts_with('#')) {
        return fail(
            "a relative URL cannot be resolved against the base " + excerpt(base_->href(), 40), 0);
      }
      copy_path();
      copy_query();
      return query_and_fragment();
    }
    return scheme_ == Scheme::kFile ? file() : relative();
  }

  bool fail_without_base() {
    if (text_.empty()) return fail("the URL is empty", 0);
    if (text_.starts_with("\xEF\xBB\xBF")) return fail("a byte order mark before the URL", 0);
    return fail("a relative URL without a base", 0);
  }

  // Everything of the base up to its path; the scheme is the base's already.
  void copy_authority() {
    if (!base_->has_host()) return;
    const std::uint32_t end = base_->offsets_.path_begin;
    href_.append(base_->href_, href_.size(), end - href_.size());
    const std::uint32_t scheme_end = at_.scheme_end;
    at_ = base_->offsets_;
    at_.scheme_end = scheme_end;
    at_.query_begin = at_.fragment_begin = UrlOffsets::npos;
  }

  void copy_path() {
    at_.path_begin = size();
    href_ += base_->path();
    out_.opaque_path_ = base_->opaque_path_;
  }

  void copy_query() {
    if (!base_->has_query()) return;
    mark_path_end();
    at_.query_begin = size();
    href_ += '?';
    href_ += base_->query();
  }

  // Relative state and relative slash state.
  bool relative() {
    if (starts_with_slash()) {
      if (rest_.size() > 1 && is_slash(rest_[1])) {
        rest_.remove_prefix(2);
        return special() ? skip_slashes_then_authority() : authority();
      }
      copy_authority();
      rest_.remove_prefix(1);
      at_.path_begin = size();
      return path();
    }
    copy_authority();
    copy_path();
    return relative_tail();
  }

  // The base's path is copied: what replaces its last segment, its query, or neither?
  bool relative_tail() {
    if (rest_.empty() || rest_.front() == '#') copy_query();
    if (rest_.empty() || rest_.front() == '#' || rest_.front() == '?') return query_and_fragment();
    shorten_path();
    return path();
  }

  // Special authority slashes state and special authority ignore slashes state.
  bool skip_slashes_then_authority() {
    while (starts_with_slash()) rest_.remove_prefix(1);
    return authority();
  }

  // Authority state: up to the slash, the last '@' ends the credentials.
  bool authority() {
    std::size_t end = 0;
    std::size_t at_sign = std::string_view::npos;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (c == '/' || c == '?' || c == '#' || (c == '\\' && special())) break;
      if (c == '@') at_sign = end;
    }
    href_ += "//";
    at_.username_begin = at_.username_end = at_.host_begin = size();
    std::string_view authority = rest_.substr(0, end);
    if (at_sign != std::string_view::npos) {
      credentials(authority.substr(0, at_sign));
      authority.remove_prefix(at_sign + 1);
      rest_.remove_prefix(at_sign + 1);
      if (authority.empty()) return fail("no host follows the '@'", offset());
    }
    return host_and_port(authority);
  }

  void credentials(std::string_view text) {
    const std::size_t colon = text.find(':');
    append_percent_encoded(href_, text.substr(0, colon), kUserinfoSet);
    at_.username_end = size();
    if (colon != std::string_view::npos && colon + 1 < text.size()) {
      href_ += ':';
      append_percent_encoded(href_, text.substr(colon + 1), kUserinfoSet);
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
    if (colon == 0 && (special() || has_colon)) return fail("the host is empty", offset());
    if (colon != 0 && !host(authority.substr(0, colon))) return false;
    at_.host_end = size();
    rest_.remove_prefix(colon);
    if (has_colon && !port(authority.substr(colon + 1))) return false;
    at_.path_begin = size();
    rest_.remove_prefix(authority.size() - colon);
    return path_start();
  }

  bool host(std::string_view text) {
    if (why_ == nullptr) return append_host(text, special(), href_, nullptr);
    HostError error;
    if (append_host(text, special(), href_, &error)) return true;
    return fail(std::move(error.message), offset() + error.offset);
  }

  bool port(std::string_view digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (!is_digit(digits[i])) {
        return fail("port has " + excerpt(digits.substr(i, 1)) + ", which is no digit",
                    offset() + 1 + i);
      }
      value = std::min(value * 10 + static_cast<std::uint32_t>(digits[i] - '0'), 65536U);
    }
    if (value > 65535) {
      return fail("port " + shortened(digits) + " is out of range", offset() + 1);
    }
    if (digits.empty() || static_cast<int>(value) == default_port(scheme_)) return true;
    href_ += ':';
    append_unsigned(href_, value);
    return true;
  }

  static std::string shortened(std::string_view digits) {
    if (digits.size() <= 20) return std::string(digits);
    return std::string(digits.substr(0, 20)) + "...";
  }

  // File state.
  bool file() {
    const bool file_base = base_ != nullptr && base_->scheme() == "file";
    if (starts_with_slash()) {
      rest_.remove_prefix(1);
      return file_slash(file_base);
    }
    if (!file_base) {
      set_empty_host();
      return path();
    }
    copy_authority();
    if (starts_with_drive_letter(rest_)) {
      at_.path_begin = size();
      return path();
    }
    copy_path();
    return relative_tail();
  }

  void set_empty_host() {
    href_ += "//";
    at_.username_begin = at_.username_end = at_.host_begin = at_.host_end = at_.path_begin = size();
  }

  // File slash state.
  bool file_slash(bool file_base) {
    if (starts_with_slash()) {
      rest_.remove_prefix(1);
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
    if (is_drive_letter(rest_.substr(0, end))) return path();
    if (end != 0) {
      if (!host(rest_.substr(0, end))) return false;
      if (std::string_view(href_).substr(at_.host_begin) == "localhost")
        href_.resize(at_.host_begin);
      rest_.remove_prefix(end);
    }
    at_.host_end = at_.path_begin = size();
    return path_start();
  }

  // Path start state.
  bool path_start() {
    if (!special() && (rest_.empty() || rest_.front() != '/')) return query_and_fragment();
    if (starts_with_slash()) rest_.remove_prefix(1);
    return path();
  }

  // Path state, at the start of a segment, the slash before it consumed.
  bool path() {
    const int ends = kPathEnd | kPathSlash | (special() ? kPathBackslash : 0);
    const char* at = rest_.data();
    const char* const end = at + rest_.size();
    bool more = true;
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
      if (more) ++at;
    }
    rest_ = {at, static_cast<std::size_t>(end - at)};
    return query_and_fragment();
  }

  void segment(std::string_view text, bool encode, bool slash_follows) {
    const int count =
        text.empty() || (text[0] != '.' && text[0] != '%') ? 0 : dots_of_segment(text);
    if (count == 2) shorten_path();
    if (count != 0) {
      if (!slash_follows) href_ += '/';
      return;
    }
    const bool drive =
        scheme_ == Scheme::kFile && at_.path_begin == href_.size() && is_drive_letter(text);
    href_ += '/';
    if (encode) {
      append_percent_encoded(href_, text, kPathSet);
    } else {
      href_ += text;
    }
    if (drive) href_.back() = ':';
  }

  // Shorten a url's path.
  void shorten_path() {
    const std::string_view path = std::string_view(href_).substr(at_.path_begin);
    if (scheme_ == Scheme::kFile && path.size() == 3 && is_alpha(path[1]) && path[2] == ':') return;
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) href_.resize(at_.path_begin + slash);
  }

  // Opaque path state. Only the last space before a query or fragment is escaped: it would else be
  // stripped once those are gone.
  bool opaque_path() {
    out_.opaque_path_ = true;
    const std::size_t end = rest_.find_first_of("?#");
    std::string_view path = rest_.substr(0, end);
    const bool space = end != std::string_view::npos && !path.empty() && path.back() == ' ';
    if (space) path.remove_suffix(1);
    append_percent_encoded(href_, path, kC0ControlSet);
    if (space) href_ += "%20";
    rest_.remove_prefix(std::min(end, rest_.size()));
    return query_and_fragment();
  }

  // The path is whole. Without a host, one that begins with "//" would be read as one (URL serializer).
  void mark_path_end() {
    if (out_.opaque_path_ || out_.has_host()) return;
    if (!std::string_view(href_).substr(at_.path_begin).starts_with("//")) return;
    href_.insert(at_.path_begin, "/.");
    at_.path_begin += 2;
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
      append_percent_encoded(href_, rest_.substr(1), kFragmentSet);
    }
    return true;
  }

  void query(std::string_view text) {
    const EncodeSet set = special() ? kSpecialQuerySet : kQuerySet;
    const bool utf8 =
        encoder_ == nullptr || !special() || scheme_ == Scheme::kWs || scheme_ == Scheme::kWss;
    if (utf8) {
      append_percent_encoded(href_, text, set);
    } else {
      append_query_encoded(href_, text, set, *encoder_);
    }
  }

  std::string_view text_;
  std::string_view rest_;
  const Url* base_;
  Url& out_;
  std::string& href_;
  UrlOffsets& at_;
  UrlError* why_;
  const QueryEncoder* encoder_;
  Scheme scheme_ = Scheme::kOther;
};

namespace {

bool run(std::string_view input, const Url* base, Url& out, UrlError* why,
         const QueryEncoder* encoder) {
  if (input.size() + (base == nullptr ? 0 : base->href().size()) > kMaxInput) {
    if (why != nullptr) *why = {"the URL is longer than 1 GiB", 0};
    return false;
  }
  const StrippedInput stripped(input);
  if (UrlParser(stripped.text(), base, out, why, encoder).run()) return true;
  if (why != nullptr) why->offset = stripped.original_offset(why->offset);
  return false;
}

}  // namespace

bool parse(std::string_view input, Url& out, UrlError* why) {
  return run(input, nullptr, out, why, nullptr);
}

bool resolve(std::string_view input, const Url& base, Url& out, UrlError* why,
             const QueryEncoder* encoder) {
  return PlainLink(input, base, out).resolve() || run(input, &base, out, why, encoder);
}

}  // namespace spinneret
