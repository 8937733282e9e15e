// SPDX-License-Identifier: Apache-2.0
// The values of a page's nodes: texts as a reader sees them, attributes, and absolute URLs.
#ifndef SPINNERET_SELECT_VALUES_H_
#define SPINNERET_SELECT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "page/line_counter.h"
#include "select/nodes.h"
#include "url/parse.h"

namespace spinneret::select {

class PageValues {
 public:
  explicit PageValues(PageNodes& page) : page_(page) {}

  // Begins a new page at `url`. All its values together may take kMinBytes, or four times the
  // page's size.
  static constexpr std::size_t kMinBytes = std::size_t{1} << 20;
  void begin(const Url& url, std::size_t page_bytes);
  // Whether values were left empty because of that bound.
  bool cut() const { return cut_; }

  // Takes bytes off that bound for values that do not come from a node: names, and values that are
  // repeated. Returns false if it is exhausted.
  bool spend(std::size_t bytes);

  // Returns the text of a node as rendered: white space folded, a blank where a block or a cell
  // begins or ends, without scripts, styles, templates and hidden elements. For such an element
  // itself, returns its own text.
  std::string text(NodeId node);
  // Reads an attribute, and makes it absolute if it holds a URL. Returns false if the node does not
  // have it.
  bool attribute(NodeId node, std::string_view name, std::string& value);
  // Returns the raw text of a node, such as a script.
  std::string source(NodeId node);

  // Resolves a value against the page's base; a value that is not a URL stays as it is.
  std::string absolute(std::string_view value);
  // Returns the line of the page in which an offset lies, from 1.
  std::uint64_t line_of(std::size_t offset);

 private:
  void append_text(std::string& out, NodeId node, bool& blank);

  PageNodes& page_;
  Url url_;
  Url base_;
  bool base_known_ = false;
  std::size_t left_ = 0;
  bool cut_ = false;
  page::LineCounter lines_;
  std::string scratch_;
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_VALUES_H_
