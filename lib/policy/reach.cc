// SPDX-License-Identifier: Apache-2.0
#include "policy/reach.h"

#include <algorithm>
#include <string>
#include <vector>

#include "policy/automaton.h"
#include "policy/pattern_set.h"

namespace spinneret::policy {
namespace {

// --- the grammar of URLs -------------------------------------------------------------------------

// Returns a pattern for the text of a part that consists of `plain` bytes (the inside of a class),
// in its safe form: escapes in upper case, none of unreserved bytes. A '%' that begins no escape
// may occur in it, and what follows that may be an escape that would be undone elsewhere ("%%41").
std::string safe_text(std::string_view plain) {
  const std::string byte = "[" + std::string(plain) + "]";
  const std::string other =
      // Not a hexadecimal digit, since `plain` is a negated class.
      "[" + std::string(plain) + "0-9A-Fa-f]";
  const std::string escape = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])";
  const std::string any_escape = "%[0-9A-F]{2}";
  const std::string stray = "(?:%[0-9A-Fa-f]?)+(?:" + other + "|" + any_escape + ")";
  return "(?:" + byte + "|" + escape + ")*(?:" + stray + "(?:" + byte + "|" + any_escape + "|" +
         stray + ")*)?(?:%[0-9A-Fa-f]?)*";
}

constexpr std::string_view kNoPath = R"(^\x00- "#%<>?^`{}\\\x7F)";
constexpr std::string_view kNoQuery = R"(^\x00- "#%<>'\x7F)";
constexpr const char* kHost = R"((?:\[[0-9a-f:.]+\]|[a-z0-9!"$&'()*+,._;=`{}~-]+))";
constexpr const char* kAnyCaseHost = R"((?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9!"$&'()*+,._;=`{}~-]+))";
constexpr const char* kUser = R"((?:[^\x00- "#<>?^`{}/@[\\\]|\x7F]*@)?)";
constexpr const char* kNot80 = "(?::(?:[0-9]|[0-79][0-9]|8[1-9]|[0-9]{3,5}))?";
constexpr const char* kNot443 =
    "(?::(?:[0-9]{1,2}|[0-35-9][0-9]{2}|4[0-35-9][0-9]|44[0-24-9]|[0-9]{4,5}))?";
constexpr const char* kNot21 = "(?::(?:[0-9]|[013-9][0-9]|2[02-9]|[0-9]{3,5}))?";
constexpr const char* kAnyPort = "(?::[0-9]{1,5})?";

std::string path_and_query() {
  return "/" + safe_text(kNoPath) + "(?:\\?" + safe_text(kNoQuery) + ")?";
}

std::string web_url() {
  const std::string host = std::string(kUser) + kHost;
  return "(?:(?:http|ws)://" + host + kNot80 + "|(?:https|wss)://" + host + kNot443 + "|ftp://" +
         host + kNot21 + "|file://(?:" + kHost + ")?)" + path_and_query();
}

struct Grammar {
  Automaton texts;
  // The mistake in a pattern that meets these texts, and those of no earlier grammar.
  std::string_view why;
};

// The texts of one part: all texts, those of the web, and texts that people mistake for one.
struct PartGrammar {
  Automaton any;
  Automaton web;
  std::vector<Grammar> mistakes;
};

Automaton texts_of(const std::string& pattern) {
  return read_automaton("^(?:" + pattern + ")$").value_or(Automaton());
}

constexpr std::string_view kEscapes =
    "escapes are compared in upper case, and those of letters, digits and - . _ ~ undone";
constexpr std::string_view kFragments = "URLs are compared without their fragment";
constexpr std::string_view kEncoded =
    "such bytes are percent-encoded in a URL (a blank is %20, a double quote %22)";
constexpr std::string_view kWholeUrl =
    "the part has no scheme or host: rules on url are for whole URLs";

PartGrammar path_grammar() {
  const std::string path = safe_text(kNoPath);
  std::string loose = "/[" + std::string(kNoPath) + "]*";
  std::erase(loose, '%');
  PartGrammar out{texts_of(R"([ -"$->@-~]*)"), texts_of("/" + path), {}};
  out.mistakes.push_back({texts_of(path), "a path begins with a slash"});
  out.mistakes.push_back({texts_of(path_and_query()),
                          "a path ends before the question mark; rules on query look after it"});
  out.mistakes.push_back({texts_of(loose), kEscapes});
  out.mistakes.push_back({texts_of(R"([ -"$-~]*)"), kEncoded});
  out.mistakes.push_back({texts_of("[ -~]*"), kFragments});
  return out;
}

PartGrammar query_grammar() {
  const std::string query = safe_text(kNoQuery);
  PartGrammar out{texts_of(R"([^\x00- "#<>\x7F]*)"), texts_of(query), {}};
  out.mistakes.push_back(
      {texts_of("\\?" + query), "the query is compared without its question mark"});
  out.mistakes.push_back({texts_of(R"([^\x00- "#<>'\x7F]*)"), kEscapes});
  out.mistakes.push_back({texts_of(R"([ -"$-~]*)"), kEncoded});
  out.mistakes.push_back({texts_of("[ -~]*"), kFragments});
  return out;
}

PartGrammar url_grammar() {
  const std::string rest = path_and_query();
  const std::string user = kUser;
  PartGrammar out{texts_of(R"([a-z][a-z0-9+.-]*:[ -"$-~]*)"), texts_of(web_url()), {}};
  out.mistakes.push_back(
      {texts_of("(?i:https?|wss?|ftp|file)://" + user + kAnyCaseHost + kAnyPort + rest),
       "scheme and host are compared in lower case, without a default port"});
  out.mistakes.push_back({texts_of("(?:" + std::string(kAnyCaseHost) + kAnyPort + ")?" + rest),
                          "a URL begins with its scheme, such as https?://"});
  out.mistakes.push_back({texts_of("(?:https?|wss?|ftp)://" + user + kHost + kAnyPort + "(?:\\?" +
                                   safe_text(kNoQuery) + ")?"),
                          "after its host a URL has a path, / at the least"});
  out.mistakes.push_back(
      {texts_of("(?:https?|wss?|ftp|file)://" + std::string(R"([^\x00- "#<>\x7F]*)")), kEscapes});
  out.mistakes.push_back({texts_of(R"([ -"$-~]*)"), kEncoded});
  out.mistakes.push_back({texts_of("[ -~]*"), kFragments});
  return out;
}

const PartGrammar& grammar_of(Part part) {
  static const PartGrammar kPath = path_grammar();
  static const PartGrammar kQuery = query_grammar();
  static const PartGrammar kUrl = url_grammar();
  return part == Part::kPath ? kPath : part == Part::kQuery ? kQuery : kUrl;
}

}  // namespace

Reach reach_of(std::string_view pattern, Part part) {
  Reach out;
  const auto read = read_automaton(safe_pattern(pattern));
  if (!read) return out;
  const PartGrammar& grammar = grammar_of(part);
  if (meet(*read, grammar.web)) return out;
  out.answer = meet(*read, grammar.any) ? Reach::Answer::kNotOfTheWeb : Reach::Answer::kNever;
  out.why = "no URL reads so";
  if (pattern.size() > 1 && pattern.starts_with('\'') && pattern.ends_with('\'')) {
    out.why = "single quotes are part of the pattern; words with blanks are put in double quotes";
    return out;
  }
  if (part != Part::kUrl && part != Part::kVia && pattern.find("://") != std::string_view::npos) {
    out.why = kWholeUrl;
    return out;
  }
  for (const Grammar& mistake : grammar.mistakes) {
    if (!meet(*read, mistake.texts)) continue;
    out.why = mistake.why;
    return out;
  }
  const bool ascii = std::all_of(pattern.begin(), pattern.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii) out.why = "URLs are compared percent-encoded (\xC3\xA9 is %C3%A9), hosts in Punycode";
  return out;
}

}  // namespace spinneret::policy
