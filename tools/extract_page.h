// SPDX-License-Identifier: Apache-2.0
// The page under way: its record, its URL, and what it asks of crawlers, as its headers and its body tell it.
#ifndef SPINNERET_TOOLS_EXTRACT_PAGE_H_
#define SPINNERET_TOOLS_EXTRACT_PAGE_H_

#include <string>
#include <string_view>

#include "extract_settings.h"
#include "io/record.h"
#include "robots/page_directives.h"
#include "url/parse.h"

namespace spinneret {

struct ExtractedPage {
  explicit ExtractedPage(const ExtractSettings& chosen)
      : settings(chosen), directives(chosen.agent) {}

  // Of the page before, nothing is left but the record and the URL.
  void begin() {
    canonical.clear();
    directives.clear();
  }
  bool follows() const { return settings.ignore_nofollow || !directives.nofollow(); }
  // A canonical URL that is not this page's own is kept.
  void note_canonical(std::string_view value, const Url& base, const QueryEncoder* encoder) {
    Url found;
    if (!resolve(value, base, found, nullptr, encoder) || !found.is_http()) return;
    if (found.href_without_fragment() != url.href_without_fragment()) canonical = found.href();
  }

  const ExtractSettings& settings;
  Record record;
  Url url;
  PageDirectives directives;
  std::string canonical;  // elsewhere, or empty
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_PAGE_H_
