// SPDX-License-Identifier: Apache-2.0
// The fast path for links that need no parser. It is part of resolve().
#ifndef SPINNERET_URL_PLAIN_LINK_H_
#define SPINNERET_URL_PLAIN_LINK_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/ascii.h"
#include "base/bytes16.h"
#include "url/host.h"
#include "url/parse.h"
#include "url/percent.h"

namespace spinneret {

// The fast path for what most links are: printable ASCII that no part of a URL escapes, with an
// http(s) base. It takes "/path?query#fragment", "name.html", "#fragment", and absolute URLs
// "https://name/path" whose host is a name in lower case. Successive links often have the same
// host: where a link begins as the base does, or as the URL that `out` held before, its host is not
// examined. Everything else is left to the parser.
class PlainLink {
 public:
  // What steps search for in a path or a query: bytes, and from kDoubleSlash on sequences of bytes.
  enum PlainClass : int {
    kOdd = 1,
    kQuestion = 2,
    kHash = 4,
    kDot = 8,
    kPercent = 16,
    kSlash = 32,
    kUpper = 64,
    kSession = 128,  // ';' and '(', which begin session ids in paths
    kDoubleSlash = 256,
    kAnything = -1
  };

  PlainLink(std::string_view input, const Url& base, Url& out)
      : input_(input), base_(base), out_(out) {}

  bool resolve() {
    if (input_.empty() || input_.size() + base_.href().size() > kMaxSize) return false;
    if (input_.front() == 'h') {
      for (const Url* const known : std::initializer_list<const Url*>{&out_, &base_}) {
        const std::size_t origin = known->offsets().path_begin;
        if (input_.size() <= origin || input_[origin] != '/' || !has_plain_origin(*known)) continue;
        if (std::memcmp(input_.data(), known->href().data(), origin) != 0) continue;
        return append(*known, origin, input_.substr(origin));
      }
      if (input_.size() > 8 && (input_[4] == ':' || input_[5] == ':')) return absolute<false>();
    }
    if (!has_plain_origin(base_)) return false;
    if (input_.front() == '#') return fragment();
    if (input_.front() == '/') {
      const bool path = input_.size() == 1 || input_[1] != '/';
      return path && append(base_, base_.offsets().path_begin, input_);
    }
    // A colon may end a scheme; a dot may begin a dot segment.
    if (!is_alnum(input_.front()) || input_.find(':') != std::string_view::npos) return false;
    const std::size_t name = base_.offsets().path_begin + base_.path().rfind('/') + 1;
    return append(base_, name, input_);
  }

  // Takes "http://host" or "https://host", followed by a path or nothing. Ignores the base. With
  // `kAsks`, seen() may be called afterwards.
  template <bool kAsks = true>
  bool absolute() {
    if (input_.size() < 9 || input_.size() > kMaxSize || input_.front() != 'h') return false;
    const bool secure = input_[4] == 's';
    const std::size_t host = secure ? 8 : 7;
    if (std::memcmp(input_.data(), secure ? "https://" : "http://", host) != 0) return false;
    std::size_t end = host;
    while (end < input_.size() && kHostBytes[static_cast<unsigned char>(input_[end])]) ++end;
    std::size_t label = end;
    while (label > host && input_[label - 1] != '.') --label;
    // A last label that begins with a digit may be an address; an empty one is rare.
    if (label == end || !is_lower(input_[label])) return false;
    if (end != input_.size() && input_[end] != '/') return false;
    Parts parts;
    const std::string_view tail = end == input_.size() ? "/" : input_.substr(end);
    if (!(kAsks ? look(tail, parts) : look_copied(tail, parts))) return false;
    out_.text().href.assign(input_);
    if (end == input_.size()) out_.text().href += '/';
    const auto at = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
    out_.text().offsets = {at(host - 2), at(host), at(host), at(host), at(end), at(end), 0, 0};
    set_tail(end, parts);
    seen_ = parts.seen;
    seen_in_query_ = parts.seen_in_query;
    return true;
  }
  // After absolute(): the classes (PlainClass) of the bytes in its path and in its query.
  int seen() const { return seen_; }
  int seen_in_query() const { return seen_in_query_; }

 private:
  // Returns whether `url` is an http(s) URL with a host. It is also false for what a failed parse
  // left.
  static bool has_plain_origin(const Url& url) {
    const std::string_view scheme = url.href().substr(0, url.offsets().scheme_end);
    return (scheme == "https:" || scheme == "http:") &&
           url.offsets().host_end > url.offsets().host_begin &&
           url.href().size() > url.offsets().path_begin;
  }

  // Takes "#fragment": writes the base up to its own fragment, and then this one.
  bool fragment() {
    std::size_t at = 1;
    while (at < input_.size() && (class_at(input_, at) & kOdd) == 0) ++at;
    if (at != input_.size()) return false;
    const std::string_view front = base_.href_without_fragment();
    out_.text().href.assign(front).append(input_);
    out_.text().offsets = base_.offsets();
    out_.text().offsets.fragment_begin = static_cast<std::uint32_t>(front.size());
    out_.text().opaque_path = false;
    return true;
  }

  // The places of '?' and '#' in a path and what follows it.
  struct Parts {
    std::size_t query = std::string_view::npos;
    std::size_t fragment = std::string_view::npos;
    int seen = 0, seen_in_query = 0;  // the classes (PlainClass) in the path and in the query
  };

  // Examines `tail`, which begins within a path. Returns false where copying it would not be
  // enough.
  static bool look(std::string_view tail, Parts& parts) {
    std::size_t at = 0;
    int seen = 0;
    for (;; ++at) {
      // Most bytes belong to no class.
      int now = 0;
      while (at < tail.size() && (now = class_at(tail, at)) == 0) ++at;
      if (at == tail.size() || (now & (kOdd | kQuestion | kHash)) != 0) break;
      seen |= now;
      if ((now & (kSlash | kDot | kPercent)) == 0 || at == 0 || tail[at - 1] != '/') continue;
      if (now == kSlash) {
        seen |= kDoubleSlash;
      } else if (may_be_dot(tail.substr(at, 3))) {
        return false;
      }
    }
    parts.seen = seen;
    if (at < tail.size() && tail[at] == '?') {
      parts.query = at;
      for (; at < tail.size() && (class_at(tail, at) & (kOdd | kHash)) == 0; ++at)
        parts.seen_in_query |= class_at(tail, at);
    }
    if (at < tail.size() && tail[at] == '#') {
      parts.fragment = at++;
      while (at < tail.size() && (class_at(tail, at) & (kOdd | kHash)) == 0) ++at;
    }
    return at == tail.size();
  }

  // Does what look() does, but need not collect the classes.
  static bool look_copied(std::string_view tail, Parts& parts) {
    if (look_briefly(tail, parts)) return true;
    parts = {};
    return look(tail, parts);
  }

  // A quick check that settles most tails. Returns false where look() must decide.
  static bool look_briefly(std::string_view tail, Parts& parts) {
#if defined(SPINNERET_BYTES16)
    char few[16];
    const bool is_few = tail.size() < sizeof few;
    if (is_few) {
      Bytes16::all('a').store(few);
      std::memcpy(few, tail.data(), tail.size());
    }
    unsigned slash_before = 0;
    for (std::size_t at = 0; at < tail.size(); at += 16) {
      // The last block ends where the tail does: the bytes that it shares with the block before it
      // are shifted out.
      const std::size_t rest = tail.size() - at;
      const std::size_t back = !is_few && rest < 16 ? 16 - rest : 0;
      const PlainMasks masks(is_few ? few : tail.data() + at - back);
      const unsigned slashes = masks.slashes >> back;
      const bool dot = (((slashes << 1) | slash_before) & (masks.dots >> back)) != 0;
      if ((masks.odd >> back) != 0 || dot) return false;
      slash_before = slashes >> 15;
      if ((masks.ends >> back) == 0) continue;
      if ((masks.escaped() >> back) != 0) return false;
      const unsigned ends = masks.ends >> back;
      const unsigned hashes = masks.hashes() >> back;
      if (parts.fragment != std::string_view::npos && hashes != 0) return false;
      const auto first = at + static_cast<std::size_t>(std::countr_zero(ends));
      if (parts.fragment == std::string_view::npos && parts.query == std::string_view::npos &&
          tail[first] == '?')
        parts.query = first;
      if (hashes == 0) continue;
      if ((hashes & (hashes - 1)) != 0) return false;
      parts.fragment = at + static_cast<std::size_t>(std::countr_zero(hashes));
    }
    return true;
#else
    static_cast<void>(tail);
    static_cast<void>(parts);
    return false;
#endif
  }

#if defined(SPINNERET_BYTES16)
  // The masks of 16 bytes: bit i stands for byte i.
  struct PlainMasks {
    explicit PlainMasks(const char* at) : block(Bytes16::load(at)) {
      const Bytes16 second = block | Bytes16::all(2);
      escaped_bytes = (block == '"') | (block == '\'') | (second == '>') | (second == '^') |
                      (block == '`') | (block == '{') | (block == '}');
      odd = ((block - '!') <= '~' - '!').mask() ^ 0xFFFFu;
      ends = (escaped_bytes | (block == '?') | (block == '#')).mask();
      slashes = (block == '/').mask();
      dots = ((block == '.') | (block == '%')).mask();
    }
    unsigned escaped() const { return escaped_bytes.mask(); }
    unsigned hashes() const { return (block == '#').mask(); }

    Bytes16 block;
    Bytes16 escaped_bytes;
    unsigned odd = 0;   // not printable
    unsigned ends = 0;  // bytes to be escaped, '?' and '#'
    unsigned slashes = 0, dots = 0;
  };
#endif

  // Returns whether the text may begin with a dot segment.
  static bool may_be_dot(std::string_view text) {
    return text.front() == '.' || text == "%2e" || text == "%2E";
  }

  // Writes the first `kept` bytes of `front`, then `tail`.
  bool append(const Url& front, std::size_t kept, std::string_view tail) {
    Parts parts;
    if (!look_copied(tail, parts)) return false;
    if (&front == &out_) {
      out_.text().href.resize(kept);
    } else {
      out_.text().href.assign(front.href(), 0, kept);
      out_.text().offsets = front.offsets();
    }
    out_.text().href.append(tail);
    set_tail(kept, parts);
    return true;
  }

  void set_tail(std::size_t kept, const Parts& parts) {
    const auto place = [kept](std::size_t offset) {
      return offset == std::string_view::npos ? UrlOffsets::npos
                                              : static_cast<std::uint32_t>(kept + offset);
    };
    out_.text().offsets.query_begin = place(parts.query);
    out_.text().offsets.fragment_begin = place(parts.fragment);
    out_.text().opaque_path = false;
  }

  // Anything larger is left to the parser.
  static constexpr std::size_t kMaxSize = std::size_t{1} << 20;
  static int class_at(std::string_view text, std::size_t at) {
    return kPlainClasses[static_cast<unsigned char>(text[at])];
  }
  static constexpr auto kHostBytes = [] {
    std::array<bool, 256> bytes{};
    for (std::size_t c = 0; c < 128; ++c) bytes[c] = is_plain_host_byte(static_cast<char>(c));
    return bytes;
  }();
  static constexpr auto kPlainClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t c = 0; c < 256; ++c) {
      if (!is_plain_byte(static_cast<char>(c))) classes[c] = kOdd;
      if (is_upper(static_cast<char>(c))) classes[c] = kUpper;
    }
    classes['?'] = kQuestion;
    classes['#'] = kHash;
    classes['.'] = kDot;
    classes['%'] = kPercent;
    classes['/'] = kSlash;
    classes[';'] = classes['('] = kSession;
    return classes;
  }();

  std::string_view input_;
  const Url& base_;
  Url& out_;
  int seen_ = kAnything;
  int seen_in_query_ = kAnything;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PLAIN_LINK_H_
