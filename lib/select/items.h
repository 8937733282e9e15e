// SPDX-License-Identifier: Apache-2.0
// Finds the items of pages: by rules of selectors, and by what pages say of themselves (JSON-LD,
// microdata, RDFa, Open Graph, tables).
//
//   ItemRules rules;
//   rules.add_text(text, "shop.rules");
//   rules.finish();
//   ItemReader reader(rules, {.json_ld = true});
//   reader.read(url, body, "utf-8", taker);
//   // calls taker.item(Item), in the order of the rules, and for each in that of the page
//
// An item's values are in the order of its fields; those of one field are in the page's order.
// Where items are nested, a value belongs to the innermost one. Cost: that of Matcher. All values
// together take at most four times the page's size, or 1 MiB.
#ifndef SPINNERET_SELECT_ITEMS_H_
#define SPINNERET_SELECT_ITEMS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "select/matcher.h"
#include "select/rules.h"
#include "select/values.h"

namespace spinneret::select {

struct ItemOptions {
  bool json_ld = false;
  bool microdata = false;
  bool rdfa = false;
  bool opengraph = false;
  bool tables = false;
  bool matches = false;  // also say where each selector matched
};

struct Item {
  std::vector<std::pair<std::string, std::string>> values;  // keys and values of a record
  std::vector<std::string> matches;  // `NAME line N offset N SELECTOR` for each value
};

class ItemTaker {
 public:
  virtual ~ItemTaker() = default;
  // Receives one item.
  virtual void item(const Item& item) = 0;
  // Called before the items, with the encoding in which the page was read.
  virtual void page(const html::Charset& charset) { static_cast<void>(charset); }
  // Reports that the page was read only in part. `line` is in the page; 0 if it concerns the whole
  // page.
  virtual void trouble(std::string_view reason, std::uint64_t line) = 0;
};

class ItemReader {
 public:
  // Number of programs that are kept. Each set of rules that applies to some page has its own
  // program.
  static constexpr std::size_t kMaxPrograms = 64;

  // `rules` is borrowed.
  ItemReader(const ItemRules& rules, ItemOptions options);
  ~ItemReader();

  // Gives the page's items to `taker`. Errors in a rule for this page go to trouble() as
  // `FILE:LINE: reason`.
  void read(const Url& url, std::string_view document, std::string_view http_charset,
            ItemTaker& taker, std::size_t piece = 0, html::Syntax syntax = html::Syntax::kHtml);
  // Whether anything is looked for on pages at this URL.
  bool wants(const Url& url);

 private:
  struct Compiled;
  Compiled& compiled();

  const ItemRules& rules_;
  ItemOptions options_;
  std::vector<std::uint32_t> chosen_;
  std::map<std::vector<std::uint32_t>, std::unique_ptr<Compiled>> programs_;
};

// Reads those items of a page that need no rules: the fixed sets of `options`.
void read_structured(PageNodes& page, PageValues& values, const ItemOptions& options,
                     ItemTaker& taker);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_ITEMS_H_
