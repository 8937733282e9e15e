// SPDX-License-Identifier: Apache-2.0
// The parts of a URL by name, and formats made of them: '{host} {path} {query:id}'.
#ifndef SPINNERET_URL_PARTS_H_
#define SPINNERET_URL_PARTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "url/parse.h"

namespace spinneret {

// Finds registrable domains: public_suffix.h has it; who asks for no {domain} need not link that.
using DomainFinder = std::string_view (*)(std::string_view host);

// "no part is called "x"; there are url scheme ..." and the others but those that take a name or number.
std::string unknown_part(std::string_view name);

struct PartInfo;

// A part, looked up by its name once. Names are those of unknown_part(), and "query:NAME", the decoded value of one
// parameter, "query-all:NAME", those of all of that name between commas, and "path:N", the segment of that number.
class Part {
 public:
  static std::optional<Part> named(std::string_view name);
  const std::string& name() const { return name_; }

  // A view of the URL, or of `text`, which is overwritten where it is needed. One that the URL lacks is empty. Of the value
  // of a parameter, what acts on a terminal and bytes that are no UTF-8 stay escaped; tab, CR, LF and NUL are raw.
  std::string_view of(const Url& url, DomainFinder domain, std::string& text) const;

 private:
  const PartInfo* info_ = nullptr;
  std::string name_;
  std::size_t argument_ = 0;  // where it begins
};

// A format, taken apart once: text with {part}s; {{ and }} are braces, \t and \n a tab and a newline.
class PartFormat {
 public:
  static Result<PartFormat> compile(std::string_view format);
  // Appends the format filled in; tab, LF, CR, NUL and backslash in a part are escaped, as in a record.
  void append(std::string& out, const Url& url, DomainFinder domain) const;
  // The same of nothing: all parts are empty.
  void append_empty(std::string& out) const;

 private:
  struct Piece {
    std::string text;          // in front of the part
    std::optional<Part> part;  // the last piece has none
  };
  std::vector<Piece> pieces_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PARTS_H_
