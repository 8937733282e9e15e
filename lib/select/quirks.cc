// SPDX-License-Identifier: Apache-2.0
#include "select/quirks.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace spinneret::select {
namespace {

// Public identifiers that begin like this, in any case, ask for quirks mode.
constexpr std::string_view kPrefixes[] = {
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0",
    "-//microsoft//dtd internet explorer 3.0",
    "-//netscape comm. corp.//dtd",
    "-//o'reilly and associates//dtd html",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html 3.0//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html",
};
constexpr std::string_view kWhole[] = {"-//w3o//dtd w3 html strict 3.0//en//",
                                       "-/w3c/dtd html 4.0 transitional/en", "html"};
// These ask for quirks mode if no system identifier follows them.
constexpr std::string_view kAlone[] = {"-//w3c//dtd html 4.01 frameset//",
                                       "-//w3c//dtd html 4.01 transitional//"};

}  // namespace

bool is_quirks(const html::Token& doctype) {
  if (doctype.force_quirks || !equals_ignore_case(doctype.name, "html")) return true;
  if (equals_ignore_case(doctype.system_id,
                         "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"))
    return true;
  if (!doctype.has_public_id) return false;
  const std::string_view id = doctype.public_id;
  const auto begins = [id](std::string_view prefix) {
    return equals_ignore_case(id.substr(0, prefix.size()), prefix);
  };
  return std::any_of(std::begin(kWhole), std::end(kWhole),
                     [id](std::string_view whole) { return equals_ignore_case(id, whole); }) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes), begins) ||
         (!doctype.has_system_id && std::any_of(std::begin(kAlone), std::end(kAlone), begins));
}

}  // namespace spinneret::select
