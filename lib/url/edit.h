// SPDX-License-Identifier: Apache-2.0
// Changes of one part of a URL, by the setters of the URL Standard (section 6.1), by appending, and by replacing a
// parameter.
//
//   UrlEdit edit;                                   // of "port=8080"
//   if (!parse_edit("port=8080", edit)) usage();
//   set_part(url, edit.part, edit.value);           // "http://h/" becomes "http://h:8080/"
//
// What a part may not hold is escaped, tab and line ends go, a path loses its dot segments; what makes no URL leaves it
// as it was. Cost: the URL is written and parsed once more.
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
  kHostname,  // without
  kPort,
  kPath,
  kQuery,
  kFragment,
};
// "scheme", "user", "password", "host", "hostname", "port", "path", "query", "fragment"
std::optional<UrlPart> url_part(std::string_view name);

struct UrlEdit {
  enum class How : std::uint8_t { kSet, kReplace, kAppend };
  UrlPart part = UrlPart::kPath;
  std::string value;
  How how = How::kSet;
};
// "PART=VALUE"; nothing: there is no such part, or no '='.
std::optional<UrlEdit> parse_edit(std::string_view text);

// The Standard's setter. False: it takes no such value, or the URL no such part, and the URL is as it was; but of a
// host with a port that is none the host was taken. An empty port, query or fragment takes the part away.
bool set_part(Url& url, UrlPart part, std::string_view value);

// Of a path a segment, or several, behind a slash; of a query a parameter behind '&'. False: other parts, and paths
// without segments ("mailto:a@b").
bool append_to_part(Url& url, UrlPart part, std::string_view value);

// "NAME=VALUE", or "NAME": puts it in the place of the query's first parameter of that name, by decoded names, and drops
// the others of it, as URLSearchParams.set() does where there is one; what stands beside them stays byte for byte. False:
// there is none, and the URL is as it was.
bool replace_param(Url& url, std::string_view param);

// Any of the three. False: the URL does not take it; but a parameter that is not there need not be replaced.
bool apply(const UrlEdit& edit, Url& url);

}  // namespace spinneret

#endif  // SPINNERET_URL_EDIT_H_
