// SPDX-License-Identifier: Apache-2.0
// What a fragment points to: "the indicated part of the document" of the HTML standard (7.4.6.3).
// Some fragments are meant for other programs: text directives, line numbers of source code, routes
// of scripts, pages of a PDF.
#ifndef SPINNERET_CHECK_FRAGMENT_H_
#define SPINNERET_CHECK_FRAGMENT_H_

#include <cstdint>
#include <functional>
#include <string_view>

namespace spinneret::check {

enum class Indicated : std::uint8_t {
  // The document itself: no fragment, an empty one, "top", a text directive alone, or a part of a
  // picture that is not an element.
  kTop,
  kElement,  // an element with that id, or an `a` element with that name
  kNothing,  // the document has no such element
  kUnknown,  // only a script knows: "/route", "!route", "L10"
};

// `fragment` comes without its '#'. `has_id` tells whether the document has an element with that
// id, or an `a` element with that name.
Indicated indicated_part(std::string_view fragment,
                         const std::function<bool(std::string_view)>& has_id);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FRAGMENT_H_
