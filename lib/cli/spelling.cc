// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <vector>

#include "base/edit_distance.h"
#include "base/excerpt.h"

namespace spinneret::cli {
namespace {

// Spellings of earlier versions, and their present ones. A word means the same in every tool.
struct Renamed {
  std::string_view tool, old, now;
};
constexpr Renamed kRenamed[] = {
    {"fetch", "--slots", "--in-flight"},
    {"fetch", "--from", "--contact"},
    {"fetch", "--stats", "--progress"},
    {"robots-check", "--from", "--contact"},
    {"robots-check", "-e", "--explain"},
    {"url-normalize", "-e", "--explain"},
    {"url-normalize", "-k", "--keep-fragment"},
    {"url-filter", "--count", "--hits"},
    {"extract-items", "-e", "--each"},
    {"extract-links", "--raw", "--as-written"},
    {"records", "--tsv", "--from=tsv"},
    {"records", "--url-field", "--field (of JSON --json-key)"},
};

// Options known from other programs, or from the rules of a policy. A "*" at the end stands for any
// rest.
struct Foreign {
  std::string_view tool, word, advice;
};
constexpr std::string_view kOutput =
    "records go to standard output (> FILE), bodies into --store=DIR";
constexpr std::string_view kMethods = "requests are GET, or HEAD by --head";
constexpr std::string_view kRule = "a rule is given by --rule: --rule='deny-path ^/private/'";
constexpr Foreign kForeign[] = {
    {"fetch", "-o", kOutput},
    {"fetch", "-O", kOutput},
    {"fetch", "--output*", kOutput},
    {"fetch", "-I", "only the head is asked for by --head"},
    {"fetch", "-k", "certificates are not checked with --insecure"},
    {"fetch", "-x", "a proxy is named by --proxy"},
    {"fetch", "-u", "passwords are read from a file: --auth=FILE"},
    {"fetch", "--user", "passwords are read from a file: --auth=FILE"},
    {"fetch", "-b", "cookies come from a file: --cookies=FILE"},
    {"fetch", "-m", "a limit of time is --timeout"},
    {"fetch", "--max-time", "a limit of time is --timeout"},
    {"fetch", "-X", kMethods},
    {"fetch", "--request", kMethods},
    {"fetch", "--method", kMethods},
    {"fetch", "-d", kMethods},
    {"fetch", "--data*", kMethods},
    {"fetch", "--user-agent", "the crawler is named by --agent"},
    {"fetch", "--location", "redirects are followed by --follow=N"},
    {"fetch", "--max-redirs", "redirects are followed by --follow=N"},
    {"records", "--sort*", "sort(1) sorts: records --fields=status,url | sort"},
    {"records", "--limit", "the first so many are --head=N"},
    {"records", "--filter", "a condition is --where"},
    {"records", "--select", "fields are chosen by --fields"},
    {"url-filter", "--allow-*", kRule},
    {"url-filter", "--deny-*", kRule},
    {"url-filter", "--tag-*", kRule},
};

bool is_word(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// A tool may have a longer name, with a prefix: SPINNERET_TOOL_PREFIX.
bool is_tool(const ToolSpec& tool, std::string_view name) {
  return std::string_view(tool.name).ends_with(name);
}

}  // namespace

std::string unknown_option(const ToolSpec& tool, std::span<const Option> options,
                           std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const Renamed& renamed : kRenamed) {
    if (name == renamed.old && is_tool(tool, renamed.tool))
      return excerpt(name) + " is " + std::string(renamed.now) + " now";
  }
  std::vector<std::string_view> names;
  for (const Option& option : options) names.emplace_back(option.name);
  const std::string_view meant =
      name.starts_with("--") ? nearest_word(name.substr(2), names) : std::string_view();
  const std::string unknown = "unknown option " + excerpt(word);
  if (!meant.empty()) return unknown + ": did you mean --" + std::string(meant) + "?";
  for (const Foreign& foreign : kForeign) {
    if (is_word(name, foreign.word) && is_tool(tool, foreign.tool))
      return unknown + ": " + std::string(foreign.advice);
  }
  return unknown;
}

}  // namespace spinneret::cli
