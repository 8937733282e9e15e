// SPDX-License-Identifier: Apache-2.0
// Reads a script of JSON-LD 1.1 as items, by its form alone: no context is loaded, and names are
// taken as written.
//
// - Each node object that is not the value of a member is an item, including those in `@graph`. The
//   members beside `@graph` make one more item, which comes before them.
// - A string, number or word is a value, named by the members that lead to it: OUTER.INNER.
//   Elements of an array repeat the name; null gives nothing.
// - Keywords lose their `@`: `offers.type`, `brand.id`. Those that only wrap a value (`@value`,
//   `@list`, `@set`, `@nest`) are no part of the name.
#ifndef SPINNERET_SELECT_JSON_LD_H_
#define SPINNERET_SELECT_JSON_LD_H_

#include <cstddef>
#include <functional>
#include <string>

#include "io/json_tree.h"
#include "select/items.h"

namespace spinneret::select {

class JsonLdReader {
 public:
  using Take = std::function<void(const Item&)>;

  // All values together take at most four times the script's size, or 1 MiB; a name has at most 256
  // bytes. Returns false and says why if the script is not JSON, even without what it may be
  // wrapped in; nothing has been given then.
  bool read(std::string script, std::string& why, const Take& take);

 private:
  void give(std::size_t at, const Take& take);
  void member(const std::string& outer, std::size_t at, Item& item);
  void flatten(const std::string& name, std::size_t at, bool is_type, Item& item);

  JsonTree tree_;
  std::size_t left_ = 0;  // bytes that further values may take
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_JSON_LD_H_
