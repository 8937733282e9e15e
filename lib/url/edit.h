// SPDX-License-Identifier: Apache-2.0
// Changes one part of a URL: sets it as the setters of the URL Standard do (section 6.1), appends
// to it, or replaces a parameter.
//
//   const std::optional<UrlEdit> edit = parse_edit("port=8080");
//   if (!edit) usage();
//   apply(*edit, url);                              // "http://h/" becomes "http://h:8080/"
//
// Bytes that a part cannot contain are escaped, tabs and line ends are removed, and a path loses
// its dot segments. A change that would not give a URL leaves the URL as it was. Cost: the URL is
// written and parsed once more.
#ifndef SPINNERET_URL_EDIT_H_
#define SPINNERET_URL_EDIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "url/parse.h"

namespace spinneret {

enum class UrlPart : std::uint8_t {
  kScheme,
  kUser,
  kPassword,
  kHost,      // with a port, if one is given
  kHostname,  // without a port
  kPort,
  kPath,
  kQuery,
  kFragment,
};

struct UrlEdit {
  enum class How : std::uint8_t { kSet, kReplace, kAppend };
  UrlPart part = UrlPart::kPath;
  std::string value;
  How how = How::kSet;
};
// Parses "PART=VALUE". Returns nothing where there is no such part or no '='.
std::optional<UrlEdit> parse_edit(std::string_view text);

// Applies the Standard's setter. Returns false where the part does not take the value, or the URL
// does not have the part; the URL is then as it was, except that a host with an invalid port sets
// the host alone. An empty port, query or fragment removes the part.
bool set_part(Url& url, UrlPart part, std::string_view value);

// Appends one or more segments to a path, after a slash, or a parameter to a query, after an '&'.
// Returns false for other parts, and for paths without segments ("mailto:a@b").
bool append_to_part(Url& url, UrlPart part, std::string_view value);

// Puts `param`, "NAME=VALUE" or "NAME", in the place of the query's first parameter of that name
// and removes the others of that name; names are compared decoded. This is URLSearchParams.set()
// where the name exists; other parameters stay byte for byte. Returns false, and changes nothing,
// where the query has no such parameter.
bool replace_param(Url& url, std::string_view param);

// Applies `edit`, of any of the three kinds. Returns false where the URL does not take it; a
// parameter to be replaced may be missing.
bool apply(const UrlEdit& edit, Url& url);

}  // namespace spinneret

#endif  // SPINNERET_URL_EDIT_H_
