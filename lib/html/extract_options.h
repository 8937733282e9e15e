// SPDX-License-Identifier: Apache-2.0
// What an extractor is asked for, and the receiver of its results.
#ifndef SPINNERET_HTML_EXTRACT_OPTIONS_H_
#define SPINNERET_HTML_EXTRACT_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "html/link.h"
#include "html/selection.h"

namespace spinneret::html {

struct ExtractOptions {
  // Which links are wanted.
  LinkSelection selection;
  // An attribute that the user names as a source of links.
  struct OwnAttribute {
    std::string element;  // in lower case; "": any
    std::string name;     // in lower case
    LinkKind kind = LinkKind::kPage;
  };
  std::vector<OwnAttribute> attributes;
  bool text = true;  // collect anchor text
  bool ids = false;  // collect the names that a fragment may point to: LinkExtractor::ids()
  // Number of links that are held before a taker gets them (8,192 links take 1.3 MiB).
  std::size_t batch = 8192;
  // Further sources, off by default: links in conditional comments (their context says so), in
  // strings of scripts including event handlers, and URLs in plain text (kind kGuess, which the
  // selection must want).
  bool comments = false;
  bool scripts = false;
  bool plain_text = false;
  // With false every tag goes through tokenizer and tree: the skimmer's slow twin, for tests.
  bool short_ways = true;
};

// Receives the links of a page as they come.
class LinkTaker {
 public:
  virtual ~LinkTaker() = default;
  // Gives the next links of the page, whose facts are final. It is called at least once for each
  // page; the last call has the remaining links.
  virtual void take(const Page& page) = 0;
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_EXTRACT_OPTIONS_H_
