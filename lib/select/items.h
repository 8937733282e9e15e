// SPDX-License-Identifier: Apache-2.0
// The items of pages: by rules of selectors, and by what pages say of themselves (JSON-LD, microdata, RDFa, Open
// Graph, tables).
//
//   ItemRules rules; rules.add_text(text, "shop.rules"); rules.finish();
//   ItemReader reader(rules, {.json_ld = true});
//   reader.read(url, body, "utf-8", taker);          // taker.item(Item), in the order of the rules, then of the page
//
// An item's values stand in the order of its fields, those of one field in the page's. Of items within items, a value
// is the innermost's. Cost: that of Matcher; values together are at most four times the page (or 1 MiB).
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
  bool matches = false;  // say what matched where
};

struct Item {
  std::vector<std::pair<std::string, std::string>> values;  // keys of a record
  std::vector<std::string> matches;  // `NAME LINE OFFSET SELECTOR`, of each value
};

class ItemTaker {
 public:
  virtual ~ItemTaker() = default;
  virtual void item(const Item& item) = 0;
  // What the page was read as, ahead of its items.
  virtual void page(const html::Charset& charset) { static_cast<void>(charset); }
  // The page is read as far as it goes. `line`: of the page, 0: all of it.
  virtual void trouble(std::string_view reason, std::uint64_t line) = 0;
};

class ItemReader {
 public:
  // Pages for which other rules hold get a program of their own, of which so many are kept.
  static constexpr std::size_t kMaxPrograms = 64;

  // Borrowed.
  ItemReader(const ItemRules& rules, ItemOptions options);
  ~ItemReader();

  // What is wrong with a rule that a page asked for, as `FILE:LINE: reason`, goes to trouble().
  void read(const Url& url, std::string_view document, std::string_view http_charset,
            ItemTaker& taker, std::size_t piece = 0, html::Syntax syntax = html::Syntax::kHtml);
  // Whether anything is asked of pages there.
  bool wants(const Url& url);

 private:
  struct Compiled;
  Compiled& compiled();

  const ItemRules& rules_;
  ItemOptions options_;
  std::vector<std::uint32_t> chosen_;
  std::map<std::vector<std::uint32_t>, std::unique_ptr<Compiled>> programs_;
};

// The fixed sets, over a page that was read.
void read_structured(PageNodes& page, PageValues& values, const ItemOptions& options,
                     ItemTaker& taker);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_ITEMS_H_
