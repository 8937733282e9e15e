// SPDX-License-Identifier: Apache-2.0
// Reads what a page asks of the agents, from a settled record or from a fetched page.
#ifndef SPINNERET_TOOLS_ROBOTS_PAGE_H_
#define SPINNERET_TOOLS_ROBOTS_PAGE_H_

#include <string_view>
#include <vector>

#include "body/reader.h"
#include "html/extractor.h"
#include "robots/page_directives.h"
#include "robots_context.h"

namespace spinneret {

class PageReader {
 public:
  explicit PageReader(RobotsContext& context);

  // Reads the page of the context's record: its fields x-robots-tag, link and header, and its body.
  // Returns an Error where the body cannot be read.
  Status read_record();
  void read_result(const http::FetchResult& result);

  // Directives, one set for each agent; valid until the next read.
  const std::vector<robots::PageDirectives>& pages() const { return pages_; }
  bool is_image() const { return is_image_; }
  // Whether everything was read by which the page can speak: its body too, where that is HTML.
  bool is_whole() const { return is_whole_; }

 private:
  void begin(std::string_view type);
  void add_header(std::string_view name, std::string_view value);
  void add_links(std::string_view value);
  void read_body(std::string_view body, std::string_view type, std::string_view charset);

  Record& record_;
  body::BodyReader bodies_;
  html::LinkExtractor extractor_;
  std::vector<robots::PageDirectives> pages_;
  bool is_image_ = false;
  bool is_whole_ = true;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_PAGE_H_
