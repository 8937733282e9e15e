// SPDX-License-Identifier: Apache-2.0
// Writes tokens as lines of text, consecutive characters as one line: the form in which tokenizers
// are compared.
#ifndef SPINNERET_TESTS_HTML_TOKEN_LINES_H_
#define SPINNERET_TESTS_HTML_TOKEN_LINES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "html/entity.h"
#include "html/tokenizer.h"

namespace spinneret::html {

// Normalises newlines, and replaces NUL by U+FFFD.
inline std::string plain(std::string_view raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r') {
      out += '\n';
      if (raw.substr(i + 1).starts_with('\n')) ++i;
    } else if (raw[i] == '\0') {
      out += "\xEF\xBF\xBD";
    } else {
      out += raw[i];
    }
  }
  return out;
}

inline std::string decoded_text(const Token& token) {
  std::string out;
  switch (token.mode) {
    case TextMode::kData: append_decoded(out, token.text, EntityRules::kText); return out;
    case TextMode::kRcdata:
      // NUL and newlines come first: the text that a reference stands for is not changed any more.
      append_decoded(out, plain(token.text), EntityRules::kText);
      return out;
    case TextMode::kCdata:
      // Only newlines change: NUL stays, and nothing is a reference.
      for (std::size_t i = 0; i < token.text.size(); ++i) {
        const char c = token.text[i];
        if (c == '\n' && i > 0 && token.text[i - 1] == '\r') continue;
        out += c == '\r' ? '\n' : c;
      }
      return out;
    default: return plain(token.text);
  }
}

inline std::string name_of(std::string_view raw) {
  std::string out;
  append_decoded_name(out, raw);
  return out;
}

// Writes each token as a line, in a form into which both sides are brought.
inline std::string bracketed(std::string_view text) { return "[" + std::string(text) + "]"; }

inline std::string start_tag_line(const std::string& name,
                                  const std::map<std::string, std::string>& attributes,
                                  bool self_closing) {
  std::string out = "start " + name;
  for (const auto& [key, value] : attributes) out += " " + key + "=" + bracketed(value);
  return out + (self_closing ? " /" : "");
}

inline std::string line_of(const Token& token) {
  switch (token.type) {
    case TokenType::kStartTag: {
      std::map<std::string, std::string> attributes;
      for (const Attribute& attribute : token.attributes) {
        std::string value;
        append_decoded(value, attribute.value, EntityRules::kAttribute);
        attributes.emplace(name_of(attribute.name), value);  // the first one stays
      }
      return start_tag_line(name_of(token.name), attributes, token.self_closing);
    }
    case TokenType::kEndTag: return "end " + name_of(token.name);
    case TokenType::kComment: return "comment " + bracketed(plain(token.text));
    case TokenType::kDoctype: {
      std::string out = "doctype " + name_of(token.name);
      out += " " + (token.has_public_id ? bracketed(plain(token.public_id)) : "-");
      out += " " + (token.has_system_id ? bracketed(plain(token.system_id)) : "-");
      return out + (token.force_quirks ? " quirks" : "");
    }
    default: return "";
  }
}

// Collects the lines of tokens, consecutive characters as one line.
class Lines {
 public:
  void text(const std::string& characters) { text_ += characters; }
  void other(const std::string& line) {
    flush();
    lines_.push_back(line);
  }
  std::vector<std::string> take() {
    flush();
    return std::move(lines_);
  }

 private:
  void flush() {
    if (!text_.empty()) lines_.push_back("text " + bracketed(text_));
    text_.clear();
  }
  std::string text_;
  std::vector<std::string> lines_;
};

// Returns the tokens of our tokenizer, with the input cut into pieces at `cuts` (ascending
// offsets).
inline std::vector<std::string> token_lines(std::string_view input, TextMode mode,
                                            const std::string& last_start,
                                            const std::vector<std::size_t>& cuts) {
  Tokenizer tokenizer;
  tokenizer.set_text_mode(mode, last_start);
  Token token;
  Lines lines;
  std::size_t from = 0;
  for (std::size_t piece = 0; piece <= cuts.size(); ++piece) {
    const bool last = piece == cuts.size();
    const std::size_t to = last ? input.size() : cuts[piece];
    // The copy has exactly this size, so that a sanitizer sees a read past its end.
    const std::vector<char> bytes(input.begin() + static_cast<std::ptrdiff_t>(from),
                                  input.begin() + static_cast<std::ptrdiff_t>(to));
    tokenizer.set_input({bytes.data(), bytes.size()}, last);
    while (true) {
      const TokenType type = tokenizer.next(token);
      if (type == TokenType::kEnd || type == TokenType::kMore) break;
      if (type == TokenType::kText) {
        lines.text(decoded_text(token));
      } else {
        lines.other(line_of(token));
      }
    }
    from += tokenizer.position();
  }
  return lines.take();
}

}  // namespace spinneret::html

#endif  // SPINNERET_TESTS_HTML_TOKEN_LINES_H_
