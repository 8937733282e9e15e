// SPDX-License-Identifier: Apache-2.0
// What the parser reads and writes: the rest of the input, and the parts of the Url that is being
// written. Private to url_parser.h.
#ifndef SPINNERET_URL_URL_WRITER_H_
#define SPINNERET_URL_URL_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "url/parse.h"
#include "url/scheme.h"

namespace spinneret {

class UrlWriter {
 protected:
  UrlWriter(std::string_view text, const Url* base, Url& out)
      : text_(text),
        rest_(text),
        base_(base),
        out_(out),
        href_(out.text().href),
        at_(out.text().offsets),
        opaque_path_(out.text().opaque_path) {}

  void clear() {
    href_.clear();
    at_ = UrlOffsets();
    opaque_path_ = false;
  }

  bool special() const { return scheme_ != Scheme::kOther; }
  bool is_slash(char c) const { return c == '/' || (c == '\\' && special()); }
  bool starts_with_slash() const { return !rest_.empty() && is_slash(rest_.front()); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(href_.size()); }
  std::size_t offset() const { return static_cast<std::size_t>(rest_.data() - text_.data()); }

  // Sets what depends on the scheme, which href_ contains with its colon.
  void set_scheme() {
    scheme_ = scheme_of(std::string_view(href_).substr(0, href_.size() - 1));
    at_.scheme_end = size();
    set_no_host();
  }

  void set_no_host() {
    at_.username_begin = at_.username_end = at_.host_begin = at_.host_end = at_.path_begin =
        at_.scheme_end;
  }

  // Copies everything of the base up to its path, except the scheme, which is there already.
  void copy_authority() {
    if (!base_->has_host()) return;
    const std::uint32_t end = base_->offsets().path_begin;
    href_.append(base_->href(), href_.size(), end - href_.size());
    const std::uint32_t scheme_end = at_.scheme_end;
    at_ = base_->offsets();
    at_.scheme_end = scheme_end;
    at_.query_begin = at_.fragment_begin = UrlOffsets::npos;
  }

  void copy_path() {
    at_.path_begin = size();
    href_ += base_->path();
    opaque_path_ = base_->has_opaque_path();
  }

  void copy_query() {
    if (!base_->has_query()) return;
    mark_path_end();
    at_.query_begin = size();
    href_ += '?';
    href_ += base_->query();
  }

  static std::string shortened(std::string_view digits) {
    if (digits.size() <= 20) return std::string(digits);
    return std::string(digits.substr(0, 20)) + "...";
  }

  void set_empty_host() {
    href_ += "//";
    at_.username_begin = at_.username_end = at_.host_begin = at_.host_end = at_.path_begin = size();
  }

  // Called when the path is complete. Without a host, a path that begins with "//" would be read as
  // a host (URL serializer), so "/." is put in front.
  void mark_path_end() {
    if (opaque_path_ || out_.has_host()) return;
    if (!std::string_view(href_).substr(at_.path_begin).starts_with("//")) return;
    href_.insert(at_.path_begin, "/.");
    at_.path_begin += 2;
  }

  std::string_view text_;
  std::string_view rest_;
  const Url* base_;
  Url& out_;
  std::string& href_;
  UrlOffsets& at_;
  bool& opaque_path_;
  Scheme scheme_ = Scheme::kOther;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_URL_WRITER_H_
