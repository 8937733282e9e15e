// SPDX-License-Identifier: Apache-2.0
// A JSON text (RFC 8259) as a tree, in one array.
//
//   JsonTree tree;
//   std::string why;
//   if (!tree.read(line, why)) return refuse(why);
//   const auto& nodes = tree.nodes();
//   for (std::size_t i = 1; i < nodes[0].next; i = nodes[i].next) use(nodes[i].name, nodes[i].text);
//
// Names, strings and numbers are as they are written, but for the escapes of strings: no number is too large, and none
// loses a digit. Taken, too, is what many write that is no JSON: a surrogate alone, which is U+FFFD, and in strings
// control characters and bytes that are no UTF-8, as they are. Linear; the depth is bounded.
#ifndef SPINNERET_IO_JSON_TREE_H_
#define SPINNERET_IO_JSON_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret {

class JsonTree {
 public:
  static constexpr std::size_t kMaxDepth = 64;  // of objects and arrays within each other

  enum class Kind : std::uint8_t { kNull, kWord, kNumber, kString, kArray, kObject };
  // A value, with those that it holds right behind it:
  //
  //   {"a":[1,2],"b":3}    nodes  0 object   1 a: array   2: 1   3: 2   4 b: 3
  //                        next        5            4        3      4       5
  struct Node {
    Kind kind = Kind::kNull;
    std::string_view name;  // of a member of an object
    std::string_view text;  // of a string, a number, true and false
    std::size_t next = 0;   // the node behind it and all that it holds
  };

  // False: `why` the text is no JSON. The views live as long as `text` and until the next call.
  bool read(std::string_view text, std::string& why);
  // The first is the whole.
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  bool value();
  bool open(Kind kind);
  bool close_and_go_on();
  bool name();
  bool string(std::string_view& out);
  bool word();
  void skip_space();
  bool fail(const char* why);

  std::string_view text_;
  std::size_t at_ = 0;
  const char* why_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<std::size_t> open_;  // the objects and arrays that have not ended
  std::string_view name_;          // of the value that follows
  std::string unescaped_;          // strings that had escapes; never moved
};

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_TREE_H_
