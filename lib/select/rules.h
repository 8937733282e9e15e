// SPDX-License-Identifier: Apache-2.0
// The items to look for, and the pages to look on: a file of rules (extract-items(1), RULES), or
// one rule of a command line.
//
//   [shop.example.com .example.org]     the lines behind it are for these hosts, behind [*] for all
//   path ^/catalog/                     and for paths that match, up to the next section
//   each li.product                     one item for each such element; without it one item a page
//   type Product                        the item's field `type`
//   field name h2 a                     NAME and a selector: the text of what this selects
//   field link a.more@href              or an attribute of that
//   field id @data-id                   or an attribute of the item's element itself
//
// A selector is the rest of its line. A line that begins with '#' is a comment.
#ifndef SPINNERET_SELECT_RULES_H_
#define SPINNERET_SELECT_RULES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/directive.h"
#include "policy/host_table.h"
#include "select/selector.h"
#include "url/parse.h"

namespace spinneret::select {

struct ItemField {
  std::string name;
  std::string selector;   // as written
  std::string attribute;  // in lower case; empty: the text
  SelectorList list;      // empty: the item's element itself (no selector, or :scope)
  policy::Place place;
};

struct ItemRule {
  std::string each;  // as written; empty: the page is the item
  SelectorList each_list;
  std::string type;
  std::vector<ItemField> fields;
  std::uint32_t section = 0;  // number of a section with hosts; 0: all hosts
  std::uint32_t path = 0;     // number of a pattern; 0: all paths
  policy::Place place;
};

class ItemRules {
 public:
  // Adds the lines of a file. Errors go to problems(); the other lines count.
  void add_text(std::string_view text, const std::string& file);
  // Each adds one line. add_field() takes a field as `NAME=SELECTOR[@ATTR]`. `place` is where the
  // line stands.
  void add_line(std::string_view line, const policy::Place& place);
  void add_field(std::string_view field, const policy::Place& place);
  // Must be called after the last line. Notes what is odd about the rules as a whole, such as a
  // rule without fields.
  void finish();

  const std::vector<policy::Problem>& problems() const { return problems_; }
  const std::vector<policy::Problem>& remarks() const { return remarks_; }
  const std::vector<ItemRule>& rules() const { return rules_; }
  // Finds the numbers of the rules for a page, in ascending order.
  void find(const Url& url, std::vector<std::uint32_t>& out) const;

 private:
  void section(std::string_view line, const policy::Place& place);
  void path(std::string_view pattern, const policy::Place& place);
  void each(std::string_view selector, const policy::Place& place);
  bool selectors(std::string_view text, const policy::Place& place, bool relative,
                 SelectorList& out);
  void field(std::string_view name, std::string_view value, const policy::Place& place);
  ItemRule& rule(const policy::Place& place);
  void problem(const policy::Place& place, std::string message) {
    problems_.push_back({place, std::move(message)});
  }

  std::vector<ItemRule> rules_;
  std::vector<policy::Problem> problems_;
  std::vector<policy::Problem> remarks_;
  policy::HostTable hosts_;  // by section
  std::vector<std::function<bool(std::string_view)>> paths_;
  std::uint32_t sections_ = 0;
  std::uint32_t section_ = 0;
  std::uint32_t path_ = 0;
  bool open_ = false;  // further fields belong to the last rule
};

// Splits `SELECTOR@ATTR` at the last @ that is not in a string or in brackets.
void split_attribute(std::string_view value, std::string_view& selector,
                     std::string_view& attribute);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_RULES_H_
