// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <unistd.h>

// Without this, a value such as https://h/?a=1,2 would be split at its comma.
#define CXXOPTS_VECTOR_DELIMITER '\0'
// cxxopts' std::regex overflows the stack on an argument of 100 KB, does not match a line end in a
// value, and costs a fifth of the start-up time. Without it we must split -Avalue ourselves: see
// split_short().
#define CXXOPTS_NO_REGEX
#include <cxxopts.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "cli/completion.h"
#include "cli/spelling.h"

namespace spinneret::cli {
namespace {

constexpr Option kCommon[] = {
    {'z', "null", nullptr, "records end with NUL, in and out"},
    {0, "json", nullptr, "print records as JSON Lines"},
    {0, "fields", "LIST", "print these fields only, as TSV: url,status,...", "FIELD,..."},
    {0, "max-line", "SIZE", "longest line accepted (64M)"},
    {0, "strict", nullptr, "stop at the first bad record"},
    {0, "refused-ok", nullptr, "status 0 also where something was refused"},
    {'h', "help", nullptr, "print this help; --help=all: every option"},
    {'V', "version", nullptr, "print the version"},
};
// The common options that --help always shows: see ToolSpec::screen.
constexpr std::string_view kCommonScreen = "field csv header json fields null help";
// Options of tools that also take URLs from tables.
constexpr Option kTables[] = {
    {0, "field", "N|NAME", "the URL is in this column of a table"},
    {0, "csv", nullptr, "lines are rows of CSV, and come out so"},
    {0, "tsv", nullptr, "lines are columns between tabs"},
    {0, "header", nullptr, "the first row of a table names its columns"},
    {0, "json-key", "KEY", "the URL is at a.b[0] of a JSON object a line"},
    {0, "on-error", "WHAT", "a row of a bad URL: keep, drop, mark, stop (keep)",
     "keep|drop|mark|stop"},
};
// Used by the build rather than by people; man 7 spinneret describes it.
constexpr Option kCompletions{0, "completions", "SHELL", "print a completion script"};

// Prints the answer of --help or --version to stdout. A full disk is a failure here as well.
[[noreturn]] void print_and_exit(const ToolSpec& tool, const std::string& text) {
  int code = write_all(STDOUT_FILENO, text);
  if (code == 0 && ::close(STDOUT_FILENO) != 0) code = errno;
  if (code == 0) std::exit(0);
  const std::string message =
      std::string(tool.name) + ": " + system_error("standard output", code).message + "\n";
  write_all(STDERR_FILENO, message);
  std::exit(2);
}

std::string flag_column(const Option& option) {
  std::string out = "  ";
  out += option.short_name != 0 ? std::string{'-', option.short_name, ','} : std::string("   ");
  out += std::string(" --") + option.name;
  if (option.argument != nullptr) out += std::string("=") + option.argument;
  return out;
}

void declare(cxxopts::Options& parser, const Option& option) {
  std::string names = option.short_name != 0 ? std::string{option.short_name, ','} : std::string();
  names += option.name;
  if (option.argument == nullptr) {
    parser.add_options()(names, option.help);
  } else {
    parser.add_options()(names, option.help, cxxopts::value<std::vector<std::string>>());
  }
}

// The command line, in a form that cxxopts parses correctly.
struct Arguments {
  std::vector<std::string> for_parser;
  std::vector<std::string> behind;  // the words after "--"
  std::string problem;              // a usage error, or empty
  std::string unknown;              // an unknown short option, or empty
  bool whole_help = false;
};

const Option* find_short(std::span<const Option> options, char letter) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
    return option.short_name == letter;
  });
  return found == options.end() ? nullptr : &*found;
}

const Option* find_long(std::span<const Option> options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

// Splits "-zAbot/1.0" into "-z" "-A" "bot/1.0". Returns the option whose value is the next
// argument, or nullptr.
const Option* split_short(std::span<const Option> options, std::string_view word, Arguments& out) {
  for (word.remove_prefix(1); !word.empty(); word.remove_prefix(1)) {
    const Option* const option = find_short(options, word.front());
    if (option == nullptr) {
      out.unknown = {'-', word.front()};
      return nullptr;
    }
    out.for_parser.push_back({'-', word.front()});
    if (option->argument == nullptr) continue;
    if (word.size() == 1) return option;
    out.for_parser.emplace_back(word.substr(1));
    return nullptr;
  }
  return nullptr;
}

std::string no_value(const Option& option) {
  return std::string("--") + option.name + " needs a value: " + option.argument;
}

// Handles "--name" and "--name=value", which need no splitting. Returns the same as split_short().
const Option* take_long(std::span<const Option> options, std::string_view word, Arguments& out) {
  if (word == "--help=all") {
    out.whole_help = true;
    word = "--help";
  }
  out.for_parser.emplace_back(word);
  const std::size_t equals = word.find('=');
  const Option* const option = find_long(options, word.substr(2, equals - 2));
  if (option == nullptr) return nullptr;
  if (equals == std::string_view::npos) return option->argument == nullptr ? nullptr : option;
  // A flag with a value does not do what its user expects.
  if (!option->argument) {
    out.problem = std::string("--") + option->name + " takes no value" +
                  (word.starts_with("--help=") ? " but all" : "");
  }
  return nullptr;
}

Arguments split_arguments(std::span<const Option> options, int argc, char** argv) {
  Arguments out;
  int at = 1;
  for (; at < argc; ++at) {
    const std::string_view word = argv[at];
    if (word == "--") break;
    const Option* waiting = nullptr;
    if (word.starts_with("--")) {
      waiting = take_long(options, word, out);
    } else if (word.size() > 1 && word.front() == '-') {
      waiting = split_short(options, word, out);
    } else {
      out.for_parser.emplace_back(word);
    }
    if (waiting == nullptr) continue;
    // The value is taken as it is, even if it begins with a dash.
    if (++at < argc) {
      out.for_parser.emplace_back(argv[at]);
    } else {
      out.problem = no_value(*waiting);
    }
  }
  for (++at; at < argc; ++at) out.behind.emplace_back(argv[at]);
  return out;
}

}  // namespace

bool owns_option(const ToolSpec& tool, std::string_view name) {
  return std::any_of(tool.options.begin(), tool.options.end(),
                     [name](const Option& own) { return own.name == name; });
}

std::vector<Option> all_options(const ToolSpec& tool) {
  std::vector<Option> out(tool.options.begin(), tool.options.end());
  std::vector<Option> common;
  if (tool.tables) common.assign(std::begin(kTables), std::end(kTables));
  common.insert(common.end(), std::begin(kCommon), std::end(kCommon));
  for (const Option& option : common) {
    // A tool may give a common option its own wording.
    if (!owns_option(tool, option.name)) out.push_back(option);
  }
  return out;
}

namespace {

bool names(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    if (cut(list, ' ') == name) return true;
  }
  return false;
}

bool is_on_screen(const ToolSpec& tool, std::string_view name) {
  return tool.screen == nullptr || names(tool.screen, name) || names(kCommonScreen, name);
}

}  // namespace

std::string help_text(const ToolSpec& tool, bool whole) {
  std::string out = std::string("Usage: ") + tool.name + " " + tool.operands + "\n" +
                    static_cast<char>(to_upper(tool.summary[0])) + (tool.summary + 1) + ".\n\n";
  constexpr std::size_t kHelpColumn = 30;
  std::size_t left_out = 0;
  for (const Option& option : all_options(tool)) {
    if (!whole && !is_on_screen(tool, option.name)) {
      ++left_out;
      continue;
    }
    std::string line = flag_column(option);
    if (line.size() + 2 > kHelpColumn) {
      line += "\n" + std::string(kHelpColumn, ' ');
    } else {
      line.resize(kHelpColumn, ' ');
    }
    out += line + option.help + "\n";
  }
  if (left_out != 0)
    out += "\n" + std::to_string(left_out) + " more options: " + tool.name + " --help=all\n";
  if (tool.examples != nullptr) out += std::string("\n") + tool.examples;
  const std::string_view more = tool.statuses;
  out += "\nExit status: 0 done, 1 something refused, 2 trouble" + std::string(more) +
         (more.empty() ? ".  See man " : ".\nSee man ") + tool.name + ".\n";
  return out;
}

void Options::refuse_together(std::span<const std::string_view> names) const {
  std::vector<std::string_view> given;
  for (const std::string_view name : names)
    if (has(name)) given.push_back(name);
  if (given.size() < 2) return;
  std::string list;
  for (std::size_t i = 0; i < given.size(); ++i)
    list += (i == 0 ? "--" : i + 1 == given.size() ? " and --" : ", --") + std::string(given[i]);
  usage_error(list + " exclude each other");
}

void Options::usage_error(const std::string& reason) const {
  std::string text = std::string(tool_->name) + ": ";
  append_printable(text, reason);
  text += std::string("\nTry '") + tool_->name + " --help' or 'man " + tool_->name + "'.\n";
  write_all(STDERR_FILENO, text);
  std::exit(2);
}

void Options::take(std::span<const Option> options, const std::vector<std::string>& words) {
  cxxopts::Options parser(tool_->name);
  parser.allow_unrecognised_options();
  for (const Option& option : options) declare(parser, option);
  std::vector<const char*> argv{tool_->name};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    const cxxopts::ParseResult result = parser.parse(static_cast<int>(argv.size()), argv.data());
    for (const auto& pair : result.arguments()) given_.emplace_back(pair.key(), pair.value());
    operands_ = result.unmatched();
  } catch (const std::exception& failure) {
    usage_error(failure.what());
  }
  for (const std::string& operand : operands_) {
    if (operand.size() > 1 && operand.front() == '-') {
      usage_error(unknown_option(*tool_, options, operand));
    }
  }
  // An empty --exclude="$pattern" would match everything, and an empty --cookies="$jar" would keep
  // none.
  for (const auto& [name, value] : given_) {
    if (value.empty()) usage_error(no_value(*find_long(options, name)));
  }
}

Options Options::parse(const ToolSpec& tool, int argc, char** argv, bool takes_command) {
  Options out;
  out.tool_ = &tool;
  std::vector<Option> options = all_options(tool);
  options.push_back(kCompletions);
  Arguments arguments = split_arguments(options, argc, argv);
  if (!arguments.unknown.empty()) out.usage_error(unknown_option(tool, options, arguments.unknown));
  if (!arguments.problem.empty()) out.usage_error(arguments.problem);
  out.take(options, arguments.for_parser);
  if (takes_command) {
    out.command_ = std::move(arguments.behind);
  } else {
    std::move(arguments.behind.begin(), arguments.behind.end(), std::back_inserter(out.operands_));
  }
  if (std::find(out.operands_.begin(), out.operands_.end(), "") != out.operands_.end())
    out.usage_error("an operand is empty: a variable that nobody has set?");
  if (out.has("help")) print_and_exit(tool, help_text(tool, arguments.whole_help));
  if (out.has("version")) {
    print_and_exit(tool, std::string(tool.name) + " (Spinneret) " SPINNERET_VERSION "\n");
  }
  if (out.has("completions")) {
    const auto script = completion_script(tool, out.get("completions"));
    if (!script) out.usage_error("--completions takes bash, zsh or fish");
    print_and_exit(tool, *script);
  }
  return out;
}

bool Options::has(std::string_view name) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const auto& pair) { return pair.first == name; });
}

std::string Options::get(std::string_view name, std::string_view otherwise) const {
  const auto last = std::find_if(given_.rbegin(), given_.rend(),
                                 [&](const auto& pair) { return pair.first == name; });
  return last == given_.rend() ? std::string(otherwise) : last->second;
}

std::vector<std::string> Options::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : given_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

std::uint64_t Options::unsigned_value(std::string_view name, std::uint64_t otherwise,
                                      std::uint64_t low, std::uint64_t high) const {
  if (!has(name)) return otherwise;
  const std::string text = get(name);
  const auto value = parse_unsigned(text);
  if (!value || *value < low || *value > high) {
    const std::string range = high == UINT64_MAX
                                  ? " from " + std::to_string(low) + " up"
                                  : " from " + std::to_string(low) + " to " + std::to_string(high);
    usage_error("--" + std::string(name) + " takes a whole number" + range + ", not " +
                excerpt(text));
  }
  return *value;
}

double Options::decimal(std::string_view name, double otherwise, double low, double high) const {
  if (!has(name)) return otherwise;
  const std::string text = get(name);
  const auto value = parse_decimal(text);
  if (!value || *value < low || *value > high) {
    char range[96];
    std::snprintf(range, sizeof range, " takes a number from %g to %g, not ", low, high);
    usage_error("--" + std::string(name) + range + excerpt(text));
  }
  return *value;
}

std::int64_t Options::moment_ms(std::string_view name, std::int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::string text = get(name);
  const auto value = parse_day_ms(text);
  if (!value) {
    usage_error("--" + std::string(name) +
                " takes a day such as 2026-11-20, or seconds since 1970, not " + excerpt(text));
  }
  return *value;
}

std::uint64_t Options::size(std::string_view name, std::uint64_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::string text = get(name);
  const auto value = parse_size(text);
  if (!value) {
    usage_error("--" + std::string(name) + " takes a size such as 4096, 64K or 10M, not " +
                excerpt(text));
  }
  return *value;
}

std::int64_t Options::duration_ms(std::string_view name, std::int64_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::string text = get(name);
  const auto value = parse_duration_ms(text);
  if (!value) {
    usage_error("--" + std::string(name) + " takes a duration such as 1.5, 250ms, 10m or 2h, not " +
                excerpt(text));
  }
  return *value;
}

std::size_t Options::choice(std::string_view name, std::size_t otherwise) const {
  if (!has(name)) return otherwise;
  const std::vector<Option> options = all_options(*tool_);
  std::vector<std::string_view> words;
  for (std::string_view rest = find_long(options, name)->values; !rest.empty();)
    words.push_back(cut(rest, '|'));
  const std::string text = get(name);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string list;
  for (const std::string_view word : words) {
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  usage_error("--" + std::string(name) + " takes one of " + list + ", not " + excerpt(text) +
              did_you_mean(text, words));
}

}  // namespace spinneret::cli
