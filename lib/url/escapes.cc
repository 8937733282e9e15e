// SPDX-License-Identifier: Apache-2.0
#include "url/escapes.h"

namespace spinneret {
namespace {

// Undoing one of these changes what the URL means, or what its parameters are.
constexpr std::string_view kNeverUndone = "/#%&=+";

bool may_undo(char c, const EscapeRules& rules) {
  if (is_unreserved(c)) return rules.unreserved;
  return rules.all && !in_set(c, rules.set) && kNeverUndone.find(c) == std::string_view::npos &&
         rules.keep.find(c) == std::string_view::npos;
}

class EscapeNormalizer {
 public:
  EscapeNormalizer(std::string& out, std::string_view text, const EscapeRules& rules)
      : out_(out), text_(text), rules_(rules) {}

  void run() {
    std::size_t at = 0;
    while (true) {
      const std::size_t percent = text_.find('%', at);
      out_.append(text_, at, percent - at);
      if (percent == std::string_view::npos) return;
      at = percent + (is_escape(text_, percent) ? escape(percent) : stray());
    }
  }

 private:
  // Both functions return how many bytes of the text they consumed.
  std::size_t stray() {
    if (rules_.stray) {
      out_ += "%25";
    } else {
      stray_ = out_.size();
      out_ += '%';
    }
    return 1;
  }

  std::size_t escape(std::size_t at) {
    const char c = escape_value(text_, at);
    if (may_undo(c, rules_) && !would_make_escape(c)) {
      out_ += c;
    } else if (rules_.upper_hex) {
      append_escape(out_, c);
    } else {
      out_.append(text_, at, 3);
    }
    return 3;
  }

  // Returns whether c, if written now, would be the first or second digit of an escape that a stray
  // '%' begins.
  bool would_make_escape(char c) const {
    if (stray_ == std::string::npos || !is_hex(c)) return false;
    const std::size_t distance = out_.size() - stray_;
    return distance == 1 || (distance == 2 && is_hex(out_[stray_ + 1]));
  }

  std::string& out_;
  std::string_view text_;
  const EscapeRules& rules_;
  // the place in out_ of the last '%' that begins no escape
  std::size_t stray_ = std::string::npos;
};

}  // namespace

void append_normal_escapes(std::string& out, std::string_view text, const EscapeRules& rules) {
  EscapeNormalizer(out, text, rules).run();
}

bool has_needless_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (!is_escape(text, at)) continue;
    if (is_lower(text[at + 1]) || is_lower(text[at + 2])) return true;
    if (is_unreserved(escape_value(text, at))) return true;
  }
  return false;
}

}  // namespace spinneret
