// SPDX-License-Identifier: Apache-2.0
#include "io/json_tree.h"

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/number.h"

namespace spinneret {
namespace {

// Takes digits from the front. Returns whether there were any.
bool take_digits(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text.size() != before;
}

// Whether `text` is a number (RFC 8259, section 6).
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  if (zero) text.remove_prefix(1);
  if (!zero && !take_digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

}  // namespace

bool JsonTree::read(std::string_view text, std::string& why) {
  // Frees the memory that one huge text took.
  constexpr std::size_t kKeptNodes = std::size_t{1} << 16, kKeptBytes = std::size_t{1} << 20;
  if (nodes_.capacity() > kKeptNodes) std::vector<Node>().swap(nodes_);
  if (unescaped_.capacity() > kKeptBytes) std::string().swap(unescaped_);
  text_ = text;
  at_ = 0;
  nodes_.clear();
  open_.clear();
  name_ = {};
  unescaped_.clear();
  bool good = value();
  while (good && !open_.empty()) good = close_and_go_on();
  skip_space();
  if (good && at_ != text_.size()) good = fail("something follows it");
  if (good) return true;
  why = why_;
  why += " at byte ";
  append_unsigned(why, at_);
  return false;
}

bool JsonTree::fail(const char* why) {
  why_ = why;
  return false;
}

void JsonTree::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
    ++at_;
}

// Reads a whole value, or the beginning of an array or object.
bool JsonTree::value() {
  skip_space();
  if (at_ == text_.size()) return fail("a value is missing");
  const char first = text_[at_];
  if (first == '{') return open(Kind::kObject);
  if (first == '[') return open(Kind::kArray);
  Node node;
  node.name = name_;
  node.next = nodes_.size() + 1;
  if (first != '"') {
    nodes_.push_back(node);
    return word();
  }
  node.kind = Kind::kString;
  if (!string(node.text)) return false;
  nodes_.push_back(node);
  return true;
}

bool JsonTree::open(Kind kind) {
  if (open_.size() == kMaxDepth) return fail("it is nested too deep");
  open_.push_back(nodes_.size());
  nodes_.push_back({kind, name_, {}, 0});
  name_ = {};
  ++at_;
  skip_space();
  const char closing = kind == Kind::kObject ? '}' : ']';
  if (at_ < text_.size() && text_[at_] == closing) return true;  // close_and_go_on() takes the mark
  return (kind == Kind::kArray || name()) && value();
}

// Reads what follows a value within an array or object: either its end, or the next value.
bool JsonTree::close_and_go_on() {
  skip_space();
  Node& holder = nodes_[open_.back()];
  const bool object = holder.kind == Kind::kObject;
  const char mark = at_ < text_.size() ? text_[at_] : '\0';
  if (mark == (object ? '}' : ']')) {
    ++at_;
    holder.next = nodes_.size();
    open_.pop_back();
    return true;
  }
  if (mark != ',') return fail(object ? "a , or } is missing" : "a , or ] is missing");
  ++at_;
  name_ = {};
  return (!object || name()) && value();
}

// Reads the name of a member, and the colon.
bool JsonTree::name() {
  skip_space();
  if (at_ == text_.size() || text_[at_] != '"') return fail("a name is missing");
  if (!string(name_)) return false;
  skip_space();
  if (at_ == text_.size() || text_[at_] != ':') return fail("a : is missing");
  ++at_;
  return true;
}

// Reads a string. Without escapes it becomes a view of the text.
bool JsonTree::string(std::string_view& out) {
  const std::size_t begin = ++at_;
  std::size_t stop = json_string_stop(text_, at_);
  if (stop == text_.size()) return fail("a string does not end");
  at_ = stop + 1;
  if (text_[stop] == '"') {
    out = text_.substr(begin, stop - begin);
    return true;
  }
  // No escape produces more bytes than it takes.
  if (unescaped_.empty()) unescaped_.reserve(text_.size());
  const std::size_t first = unescaped_.size();
  unescaped_.append(text_, begin, stop - begin);
  while (text_[stop] != '"') {
    const std::size_t taken = append_json_escape(unescaped_, text_.substr(at_));
    if (taken == 0) return fail("an escape is invalid");
    at_ += taken;
    stop = json_string_stop(text_, at_);
    if (stop == text_.size()) return fail("a string does not end");
    unescaped_.append(text_, at_, stop - at_);
    at_ = stop + 1;
  }
  out = std::string_view(unescaped_).substr(first);
  return true;
}

// Reads a number, true, false or null.
bool JsonTree::word() {
  Node& node = nodes_.back();
  std::size_t end = at_;
  while (end < text_.size() &&
         (is_alnum(text_[end]) || text_[end] == '+' || text_[end] == '-' || text_[end] == '.'))
    ++end;
  node.text = text_.substr(at_, end - at_);
  if (node.text == "null") {
    node.kind = Kind::kNull;
  } else if (node.text == "true" || node.text == "false") {
    node.kind = Kind::kWord;
  } else if (is_number(node.text)) {
    node.kind = Kind::kNumber;
  } else {
    return fail("a value is invalid");
  }
  at_ = end;
  return true;
}

}  // namespace spinneret
