// SPDX-License-Identifier: Apache-2.0
// What a page's nodes say: texts as a reader sees them, attributes, URLs made absolute.
#ifndef SPINNERET_SELECT_VALUES_H_
#define SPINNERET_SELECT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "select/nodes.h"
#include "url/parse.h"

namespace spinneret::select {

class PageValues {
 public:
  explicit PageValues(PageNodes& page) : page_(page) {}

  // A new page, at `url`. What all its values may hold is bounded: kMinBytes, or four times the page.
  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;
  void begin(const Url& url, std::size_t page_bytes);
  // Whether values were left empty because of that.
  bool cut() const { return cut_; }

  // Takes so much of that for what is not read from a node: names, and values that are said again. False: it is used up.
  bool spend(std::size_t bytes);

  // The text of a node, as rendered: white space folded, a blank where a block or a cell begins or ends, without
  // scripts, styles, templates and what is hidden; of such an element itself its own.
  std::string text(NodeId node);
  // The attribute, absolute where it is a URL's; false: the node has none.
  bool attribute(NodeId node, std::string_view name, std::string& value);
  // The node's raw text: of a script.
  std::string source(NodeId node);

  // Resolved against the page's base; as it stands where it is no URL.
  std::string absolute(std::string_view value);
  // The line that an offset is in, from 1.
  std::uint64_t line_of(std::size_t offset);

 private:
  void append_text(std::string& out, NodeId node, bool& blank);

  PageNodes& page_;
  Url url_;
  Url base_;
  bool base_known_ = false;
  std::size_t left_ = 0;
  bool cut_ = false;
  std::size_t counted_ = 0;
  std::uint64_t line_ = 1;
  std::string scratch_;
};

// Whether an attribute of that name holds a URL.
bool is_url_attribute(std::string_view name);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_VALUES_H_
