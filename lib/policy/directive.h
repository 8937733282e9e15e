// SPDX-License-Identifier: Apache-2.0
// The syntax of a policy file (man 5 spinneret-policy): a directive on each line, its words
// separated by blanks.
//
//   # comment                                a word that begins with '#' ends the line
//   deny-path ^/private/ ^/tmp/              name, arguments
//   include "my rules.policy"                a word in double quotes; \" is a quote in it
//   [example.com .example.org]               what follows applies to these hosts only
//   [*]                                      what follows applies to all hosts again
//
// This file handles lines and words only; policy/builder.h knows what they mean.
#ifndef SPINNERET_POLICY_DIRECTIVE_H_
#define SPINNERET_POLICY_DIRECTIVE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::policy {

// The place of a rule: a file and a line, from 1, or an option ("--exclude") and its ordinal.
struct Place {
  std::string file;
  std::uint32_t line = 0;

  std::string to_string() const;  // "site.policy:12"
  friend bool operator==(const Place&, const Place&) = default;
};

// Something that is wrong, or worth a remark, and its place.
struct Problem {
  Place place;
  std::string message;

  // Returns whether the problem is a policy file that could not be read. Such a problem has no
  // line, and its message names the file.
  bool is_unreadable() const { return place.line == 0; }
  std::string to_string() const;  // "site.policy:12: message"
};

struct Directive {
  std::string name;  // "[" for a section's line
  std::vector<std::string> arguments;
  Place place;
  std::vector<bool> quoted = {};  // which arguments were quoted; empty: none
  bool is_quoted(std::size_t argument) const {
    return argument < quoted.size() && quoted[argument];
  }
  // Returns the directive as a person would write it, with one blank between words.
  std::string text() const;
};

// Writes a word so that it is read back as it is, in quotes where necessary or with `always`.
std::string quote_word(std::string_view word, bool always = false);

// Calls `use` with each directive of a file's bytes in turn, and appends a problem for each line
// that could not be read. A CR before LF and a UTF-8 byte order mark are dropped; the last line may
// lack its LF.
void each_directive(std::string_view bytes, const std::string& file, std::vector<Problem>& problems,
                    const std::function<void(const Directive&)>& use);
// Reads all directives at once. Takes some 200 bytes of memory a line.
void read_directives(std::string_view bytes, const std::string& file,
                     std::vector<Directive>& directives, std::vector<Problem>& problems);

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_DIRECTIVE_H_
