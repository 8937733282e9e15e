// SPDX-License-Identifier: Apache-2.0
// One table describes a tool's options. Parsing, --help, completions and the check of the man page
// all use it. The options that every tool has (-h -V -z --json --fields --max-line --strict and
// others) are added here, once.
//
//   constexpr cli::Option kOptions[] = {
//       {'b', "base", "URL", "resolve relative URLs against URL"},
//       {0, "keep-fragment", nullptr, "keep #fragments"},
//   };
//   constexpr cli::ToolSpec kTool{"url-normalize", "parse, resolve and canonicalise URLs",
//                                 "[OPTION]... [URL|FILE]...", kOptions};
//
// Wrong usage prints `tool: reason` and a hint, and exits with 2, so every value that these
// functions return is valid. An empty value is wrong usage for every option, and so is an empty
// operand: it comes from a script's variable that was never set.
#ifndef SPINNERET_CLI_OPTIONS_H_
#define SPINNERET_CLI_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spinneret::cli {

// The possible values of an option. choice() and completion use this:
//
//   values      | accepts                                 | completion offers
//   ------------+-----------------------------------------+-------------------------------------
//   "a|b|c"     | one of these words, in choice()'s order | a, b, c
//   "a|b|"      | these and other words                   | a, b; files where argument has FILE
//   "a,b,c"     | any of these, between commas            | a, b, c, and again after each comma
//   "a,b,"      | these and others, between commas        | the same
//   "FIELD"     | the name of a record's field            | those of spinneret-record(7)
//   "FIELD,..." | several names, between commas           | the same, after each comma
//   nullptr     | what argument says                      | for FILE, OLD, STORE and PLACE
//               |                                         | files, for DIR folders, for FIELD
//               |                                         | names of fields, otherwise nothing
struct Option {
  char short_name;               // 0: none
  const char* name;              // long name, without dashes
  const char* argument;          // placeholder of its value in --help; nullptr: a flag
  const char* help;              // one line, at most 50 characters
  const char* values = nullptr;  // see the table above
};

struct ToolSpec {
  const char* name;
  const char* summary;   // one line without a full stop
  const char* operands;  // "[OPTION]... [URL|FILE]..."
  std::span<const Option> options;
  const char* examples = nullptr;  // lines for the end of --help, or nullptr
  bool tables = false;  // whether it takes tables: --field, --csv and the like (Tool::set_table)
  const char* statuses = "";  // exit statuses besides 0, 1 and 2: ", 3 hosts given up"
  // The options that --help shows if all of them (--help=all) would not fit a screen: names,
  // separated by spaces. nullptr: all.
  const char* screen = nullptr;
  std::size_t prefix_size = 0;  // bytes that an installation's prefix takes in the name
};

class Options {
 public:
  // Parses the command line. --help, --version and --completions are handled here: they print, and
  // exit. With `takes_command` the operands may be followed by `-- COMMAND...`; the words after
  // the first `--` are then command().
  static Options parse(const ToolSpec& tool, int argc, char** argv, bool takes_command = false);

  bool has(std::string_view name) const;
  // The value given last, or `otherwise`.
  std::string get(std::string_view name, std::string_view otherwise = "") const;
  // Every value of a repeatable option, in order.
  std::vector<std::string> all(std::string_view name) const;
  // Every option as given, in order: for rules whose order counts.
  const std::vector<std::pair<std::string, std::string>>& in_order() const { return given_; }

  // Typed values. A value that cannot be parsed, or is outside [low, high], is a usage error.
  std::uint64_t unsigned_value(std::string_view name, std::uint64_t otherwise,
                               std::uint64_t low = 0, std::uint64_t high = UINT64_MAX) const;
  double decimal(std::string_view name, double otherwise, double low, double high) const;
  // Returns milliseconds since 1970, from a day or a second (--now).
  std::int64_t moment_ms(std::string_view name, std::int64_t otherwise) const;
  std::uint64_t size(std::string_view name, std::uint64_t otherwise) const;       // bytes
  std::int64_t duration_ms(std::string_view name, std::int64_t otherwise) const;  // "1.5", "2h"
  // Returns the index of the value among the words of the option's `values`. Any other value is a
  // usage error that lists them.
  std::size_t choice(std::string_view name, std::size_t otherwise) const;

  const std::vector<std::string>& operands() const { return operands_; }
  const std::vector<std::string>& command() const { return command_; }

  // Prints `tool: reason` and a hint, and exits with 2.
  [[noreturn]] void usage_error(const std::string& reason) const;
  // Ends with a usage_error() that names the options given, if they are more than one of `names`.
  void refuse_together(std::span<const std::string_view> names) const;

 private:
  void take(std::span<const Option> options, const std::vector<std::string>& words);

  const ToolSpec* tool_ = nullptr;
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> operands_;
  std::vector<std::string> command_;
};

// Whether the option is in the tool's own table.
bool owns_option(const ToolSpec& tool, std::string_view name);

// Returns the table's options and the common ones, in the order of --help.
std::vector<Option> all_options(const ToolSpec& tool);

// Returns the text of --help, with the options that fit a screen, or of --help=all, with `whole`.
std::string help_text(const ToolSpec& tool, bool whole);

}  // namespace spinneret::cli

#endif  // SPINNERET_CLI_OPTIONS_H_
