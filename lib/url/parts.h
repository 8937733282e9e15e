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

// Finds registrable domains, as public_suffix.h does. A program that needs no {domain} need not
// link public_suffix.cc.
using DomainFinder = std::string_view (*)(std::string_view host);

// Returns the error message "no part is called "x"; there are url scheme ...", which lists all
// parts except those that take a name or a number.
std::string unknown_part(std::string_view name);

struct PartInfo;

// A part, looked up by its name once. Names are those in unknown_part(), and
//
//   query:NAME      the decoded value of one parameter
//   query-all:NAME  the values of all parameters with that name, between commas
//   path:N          the segment with that number
class Part {
 public:
  static std::optional<Part> named(std::string_view name);
  const std::string& name() const { return name_; }

  // Returns the part as a view of the URL, or of `text`, which is overwritten where necessary. A
  // part that the URL does not have is empty. In the value of a parameter, controls that act on a
  // terminal and bytes that are not UTF-8 stay escaped; tab, CR, LF and NUL are not escaped.
  std::string_view of(const Url& url, DomainFinder domain, std::string& text) const;

 private:
  const PartInfo* info_ = nullptr;
  std::string name_;
  std::size_t argument_ = 0;  // where the argument begins in the name
};

// A format string, parsed once: text with {part}s, where {{ and }} stand for braces, and \t and \n
// for a tab and a newline.
class PartFormat {
 public:
  static Result<PartFormat> compile(std::string_view format);
  // Appends the format filled in. Tab, LF, CR, NUL and backslash in a part are escaped, as in a
  // record.
  void append(std::string& out, const Url& url, DomainFinder domain) const;
  // Appends the format with all parts empty.
  void append_empty(std::string& out) const;

 private:
  struct Piece {
    std::string text;          // the text in front of the part
    std::optional<Part> part;  // the last piece has none
  };
  std::vector<Piece> pieces_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PARTS_H_
