// SPDX-License-Identifier: Apache-2.0
// What an extractor is asked for, and who takes what it finds.
#ifndef SPINNERET_HTML_EXTRACT_OPTIONS_H_
#define SPINNERET_HTML_EXTRACT_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "html/link.h"
#include "html/selection.h"

namespace spinneret::html {

struct ExtractOptions {
  LinkSelection selection;
  // Attributes of the user's own.
  struct OwnAttribute {
    std::string element;  // in lower case; "": any
    std::string name;     // in lower case
    LinkKind kind = LinkKind::kPage;
  };
  std::vector<OwnAttribute> attributes;
  bool text = true;          // collect anchor text
  bool ids = false;          // collect the names that a fragment may point to: ids()
  std::size_t batch = 8192;  // links that are held before a taker gets them: 1.3 MiB
  // Opt-in: links of conditional comments (their context says so), strings of scripts, event handlers among them, and
  // URLs in plain text
  // (kind kGuess, which the selection must want).
  bool comments = false;
  bool scripts = false;
  bool plain_text = false;
  // false: every tag by tokenizer and tree, the slow twin of the skimmer, for tests.
  bool short_ways = true;
};

// Takes the links of a page as they come.
class LinkTaker {
 public:
  virtual ~LinkTaker() = default;
  // The next links of the page, whose facts are final. At least one call a page, the last one with the rest.
  virtual void take(const Page& page) = 0;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EXTRACT_OPTIONS_H_
