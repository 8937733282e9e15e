// SPDX-License-Identifier: Apache-2.0
#include "io/json_tree.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace spinneret {
namespace {

// Returns the tree, written again without blanks, or "error: why".
std::string written(const JsonTree& tree, std::size_t at) {
  const JsonTree::Node& node = tree.nodes()[at];
  using Kind = JsonTree::Kind;
  std::string out;
  if (node.kind == Kind::kNull) return "null";
  if (node.kind == Kind::kString) {
    append_json_string(out, node.text);
    return out;
  }
  if (node.kind != Kind::kArray && node.kind != Kind::kObject) return std::string(node.text);
  const bool object = node.kind == Kind::kObject;
  for (std::size_t i = at + 1; i < node.next; i = tree.nodes()[i].next) {
    if (!out.empty()) out += ',';
    if (object) append_json_string(out, tree.nodes()[i].name);
    if (object) out += ':';
    out += written(tree, i);
  }
  return object ? "{" + out + "}" : "[" + out + "]";
}

std::string read(std::string_view text) {
  // The copy is on the heap and no byte larger, so that a sanitizer sees a read behind it.
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  JsonTree tree;
  std::string why;
  if (!tree.read({copy.get(), text.size()}, why)) return "error: " + why;
  EXPECT_EQ(tree.nodes()[0].next, tree.nodes().size());
  return written(tree, 0);
}

TEST(JsonTree, values_of_all_kinds) {
  for (const std::string_view text :
       {R"({})", R"([])", R"("")", "0", "true", "null", R"([[],{},[[]]])", R"({"a":[1,2],"b":3})",
        R"({"a":{"b":{"c":[null,false,-1.50e+7]}},"a":"x"})", R"(["\u0000\n\"\\","ä"])"})
    EXPECT_EQ(read(text), text);
  EXPECT_EQ(read(" { \"a\" :\t[ 1 , 2 ]\r\n, \"b\":{ } } "), R"({"a":[1,2],"b":{}})");
  EXPECT_EQ(read(R"(["\u00e4\ud83d\ude00\/","\ud83d","x\udc00y"])"),
            "[\"ä😀/\",\"\xEF\xBF\xBD\",\"x\xEF\xBF\xBDy\"]");
}

TEST(JsonTree, what_is_none_says_where) {
  EXPECT_EQ(read(""), "error: a value is missing at byte 0");
  EXPECT_EQ(read("{\"a\":1} x"), "error: something follows it at byte 8");
  EXPECT_EQ(read("{\"a\" 1}"), "error: a : is missing at byte 5");
  EXPECT_EQ(read("{a:1}"), "error: a name is missing at byte 1");
  EXPECT_EQ(read("{\"a\":1,}"), "error: a name is missing at byte 7");
  EXPECT_EQ(read("[1,]"), "error: a value is invalid at byte 3");
  EXPECT_EQ(read("[1}"), "error: a , or ] is missing at byte 2");
  EXPECT_EQ(read("[\"a"), "error: a string does not end at byte 2");
  EXPECT_EQ(read("[\"\\x\"]"), "error: an escape is invalid at byte 3");
  EXPECT_EQ(read(std::string(64, '[') + std::string(64, ']')).size(), 128U);
  EXPECT_EQ(read(std::string(65, '[')), "error: it is nested too deep at byte 64");
}

// No proper prefix of a text is valid, and reading one does not go beyond its end.
TEST(JsonTree, texts_that_are_cut) {
  const std::string text =
      R"({"a b":["x\u00e4\ud83d\ude00",-1.5e7,true,null,{"b":{}}],"0123456789abcdef":"0123456789abcdef\n"})";
  EXPECT_EQ(read(text).substr(0, 7), R"({"a b":)");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_TRUE(read(std::string_view(text).substr(0, size)).starts_with("error: ")) << size;
}

}  // namespace
}  // namespace spinneret
