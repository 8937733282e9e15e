// SPDX-License-Identifier: Apache-2.0
#include "policy/directive.h"

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"

namespace spinneret::policy {
namespace {

// Reads a word in double quotes: text up to the next quote, where `\"` is one of its characters.
// There is no other escape, so that patterns keep their backslashes.
bool take_quoted(std::string_view& rest, std::string& word, std::string& why) {
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    if (rest.starts_with("\\\"")) rest.remove_prefix(1);
    word += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) {
    why = "a quote is not closed";
    return false;
  }
  rest.remove_prefix(1);
  if (rest.empty() || is_space(rest.front())) return true;
  why = "a blank must follow a closing quote";
  return false;
}

// Splits a line into words; `quoted` tells which were in quotes. An empty line and a comment have
// no words.
bool split_words(std::string_view line, std::vector<std::string>& words, std::string& why,
                 std::vector<bool>* quoted) {
  std::string_view rest = trim(line);
  while (!rest.empty() && rest.front() != '#') {
    std::string word;
    if (quoted != nullptr) quoted->push_back(rest.front() == '"');
    if (rest.front() == '"') {
      if (!take_quoted(rest, word, why)) return false;
    } else {
      std::size_t end = 0;
      while (end < rest.size() && !is_space(rest[end])) ++end;
      word = rest.substr(0, end);
      rest.remove_prefix(end);
    }
    words.push_back(std::move(word));
    rest = trim(rest);
  }
  return true;
}

// Returns the bracket that closes the one in front of `inner`: an IPv6 address has its own pair.
std::size_t find_close(std::string_view inner) {
  std::size_t open = 1;
  for (std::size_t at = 0; at < inner.size(); ++at) {
    if (inner[at] == '[') ++open;
    if (inner[at] == ']' && --open == 0) return at;
  }
  return std::string_view::npos;
}

bool read_section(std::string_view line, Directive& out, std::string& why) {
  out.name = "[";
  std::string_view inner = trim(line.substr(1));
  const std::size_t close = find_close(inner);
  // Only a comment may follow.
  const std::string_view behind =
      close == std::string_view::npos ? inner : trim(inner.substr(close + 1));
  if (close == std::string_view::npos || (!behind.empty() && behind.front() != '#')) {
    why = "a section is [HOST...] on a line of its own";
    return false;
  }
  if (!split_words(inner.substr(0, close), out.arguments, why, nullptr)) return false;
  if (!out.arguments.empty()) return true;
  why = "a section names hosts, or [*] for all";
  return false;
}

}  // namespace

std::string Place::to_string() const {
  std::string out = file + ":";
  append_unsigned(out, line);
  return out;
}

std::string Problem::to_string() const {
  return is_unreadable() ? message : place.to_string() + ": " + message;
}

std::string quote_word(std::string_view word, bool always) {
  const bool plain = !always && !word.empty() && word.front() != '#' && word.front() != '"' &&
                     word.find_first_of(" \t\r\n\f") == std::string_view::npos;
  if (plain) return std::string(word);
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string Directive::text() const {
  const bool section = name == "[";
  std::string out = name;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!(section && out.size() == 1)) out += ' ';
    out += quote_word(arguments[i], is_quoted(i));
  }
  return section ? out + ']' : out;
}

void read_directives(std::string_view bytes, const std::string& file,
                     std::vector<Directive>& directives, std::vector<Problem>& problems) {
  each_directive(bytes, file, problems,
                 [&directives](const Directive& directive) { directives.push_back(directive); });
}

void each_directive(std::string_view bytes, const std::string& file, std::vector<Problem>& problems,
                    const std::function<void(const Directive&)>& use) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  Place place{file, 0};
  while (!bytes.empty()) {
    const std::string_view line = trim(cut(bytes, '\n'));
    ++place.line;
    Directive directive;
    directive.place = place;
    std::string why;
    const bool is_section = line.starts_with('[');
    const bool good = line.find('\0') == std::string_view::npos &&
                      (is_section ? read_section(line, directive, why)
                                  : split_words(line, directive.arguments, why, &directive.quoted));
    if (!good) {
      if (why.empty()) why = "a NUL byte: is this a text file?";
      problems.push_back({place, why + ": " + excerpt(line)});
      continue;
    }
    if (directive.arguments.empty()) continue;
    if (!is_section) {
      directive.name = std::move(directive.arguments.front());
      directive.arguments.erase(directive.arguments.begin());
      directive.quoted.erase(directive.quoted.begin());
    }
    use(directive);
  }
}

}  // namespace spinneret::policy
