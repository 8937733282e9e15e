// SPDX-License-Identifier: Apache-2.0
// Parses a JSON text (RFC 8259) into a tree that lies in one array.
//
//   JsonTree tree;
//   std::string why;
//   if (!tree.read(line, why)) return refuse(why);
//   const auto& nodes = tree.nodes();
//   for (std::size_t i = 1; i < nodes[0].next; i = nodes[i].next)
//     use(nodes[i].name, nodes[i].text);
//
// Names, strings and numbers stay as they are written, except that the escapes of strings are
// undone: no number is too large, and none loses a digit. Some common text that is not JSON is
// accepted, too: a lone surrogate, which becomes U+FFFD, and in strings control characters and
// bytes that are not UTF-8, which are kept. Takes linear time; the depth is bounded.
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
  static constexpr std::size_t kMaxDepth = 64;  // of nested objects and arrays

  enum class Kind : std::uint8_t { kNull, kWord, kNumber, kString, kArray, kObject };
  // A value. The values that it contains follow right after it:
  //
  //   {"a":[1,2],"b":3}    nodes  0 object   1 a: array   2: 1   3: 2   4 b: 3
  //                        next        5            4        3      4       5
  struct Node {
    Kind kind = Kind::kNull;
    std::string_view name;  // for a member of an object
    std::string_view text;  // for a string, a number, true and false
    std::size_t next = 0;   // index of the node after this one and all nodes in it
  };

  // Returns false if the text is not JSON, with the reason in `why`. The views live as long as
  // `text`, and until the next call.
  bool read(std::string_view text, std::string& why);
  // All nodes; the first one stands for the whole text.
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
  std::vector<std::size_t> open_;  // arrays and objects that are not closed yet
  std::string_view name_;          // the name of the value that comes next
  // Strings that had escapes; never reallocated, so views stay valid.
  std::string unescaped_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_JSON_TREE_H_
