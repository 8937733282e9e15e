// SPDX-License-Identifier: Apache-2.0
// The short way for links that need no parser; a part of resolve().
#ifndef SPINNERET_URL_PLAIN_LINK_H_
#define SPINNERET_URL_PLAIN_LINK_H_

#include <array>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/ascii.h"
#include "url/parse.h"
#include "url/percent.h"

namespace spinneret {

// The short way for what most links of pages are: printable ASCII that no part of a URL escapes, below an http(s)
// base: "/path?query#fragment", "name.html", or a URL that begins with "https://host" as the base does, or as the
// URL does that was put into `out` before: links to one host stand together. Whatever is not so is the parser's.
class PlainLink {
 public:
  PlainLink(std::string_view input, const Url& base, Url& out)
      : input_(input), base_(base), out_(out) {}

  bool resolve() {
    if (input_.empty() || input_.size() + base_.href_.size() > kMaxSize) return false;
    if (input_.front() == 'h') {
      for (const Url* const known : std::initializer_list<const Url*>{&out_, &base_}) {
        const std::size_t origin = known->offsets_.path_begin;
        if (input_.size() <= origin || input_[origin] != '/' || !known->has_plain_origin()) continue;
        if (std::memcmp(input_.data(), known->href_.data(), origin) != 0) continue;
        return append(*known, origin, input_.substr(origin));
      }
    }
    if (!base_.has_plain_origin()) return false;
    if (input_.front() == '/') {
      const bool path = input_.size() == 1 || input_[1] != '/';
      return path && append(base_, base_.offsets_.path_begin, input_);
    }
    // A colon may end a scheme; a dot may begin a dot segment.
    if (!is_alnum(input_.front()) || input_.find(':') != std::string_view::npos) return false;
    const std::size_t name = base_.offsets_.path_begin + base_.path().rfind('/') + 1;
    return append(base_, name, input_);
  }

 private:
  // The first `kept` bytes of `front`, and `tail`, which begins within the path.
  bool append(const Url& front, std::size_t kept, std::string_view tail) {
    std::size_t at = 0;
    const auto stop = [&](int classes) {
      while (at < tail.size() && (kPlainClasses[static_cast<unsigned char>(tail[at])] & classes) == 0) ++at;
    };
    while (true) {
      stop(kOdd | kQuestion | kHash | kDotOrPercent);
      if (at == tail.size() || kPlainClasses[static_cast<unsigned char>(tail[at])] != kDotOrPercent) break;
      // It may begin a dot segment.
      if (at > 0 && tail[at - 1] == '/') return false;
      ++at;
    }
    std::size_t query = std::string_view::npos;
    std::size_t fragment = std::string_view::npos;
    if (at < tail.size() && tail[at] == '?') {
      query = at;
      stop(kOdd | kHash);
    }
    if (at < tail.size() && tail[at] == '#') {
      fragment = at++;
      stop(kOdd | kHash);
    }
    if (at != tail.size()) return false;
    const auto place = [kept](std::size_t offset) {
      return offset == std::string_view::npos ? UrlOffsets::npos
                                              : static_cast<std::uint32_t>(kept + offset);
    };
    if (&front == &out_) {
      out_.href_.resize(kept);
    } else {
      out_.href_.assign(front.href_, 0, kept);
      out_.offsets_ = front.offsets_;
    }
    out_.href_.append(tail);
    out_.offsets_.query_begin = place(query);
    out_.offsets_.fragment_begin = place(fragment);
    out_.opaque_path_ = false;
    return true;
  }

  static constexpr std::size_t kMaxSize = std::size_t{1} << 20;   // what is larger is no plain link
  enum PlainClass : std::uint8_t { kOdd = 1, kQuestion = 2, kHash = 4, kDotOrPercent = 8 };
  static constexpr auto kPlainClasses = [] {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t c = 0; c < 256; ++c) {
      if ((kEncodeSets[c] & (kPathSet | kSpecialQuerySet | kFragmentSet)) != 0) classes[c] = kOdd;
    }
    classes['\\'] = kOdd;
    classes['?'] = kQuestion;
    classes['#'] = kHash;
    classes['.'] = classes['%'] = kDotOrPercent;
    return classes;
  }();

  std::string_view input_;
  const Url& base_;
  Url& out_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PLAIN_LINK_H_
