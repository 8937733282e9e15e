// SPDX-License-Identifier: Apache-2.0
// url-filter: applies a crawl policy to lines with URLs. lib/policy, man url-filter and man
// spinneret-policy say what a policy means.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/excerpt.h"
#include "cli/tool.h"
#include "filter_modes.h"
#include "filter_stream.h"
#include "io/record.h"
#include "policy/builder.h"
#include "url/partition.h"
#include "url/public_suffix.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {0, "policy", "FILE", "rules, as in man spinneret-policy"},
    {'e', "rule", "LINE", "one rule: -e 'deny-path ^/private/'"},
    {0, "include", "RE", "pass only URLs that match RE (repeatable)"},
    {0, "exclude", "RE", "refuse URLs that match RE"},
    {0, "same-origin", nullptr, "stay at scheme, host and port of a seed"},
    {0, "same-host", nullptr, "stay at the host of a seed"},
    {0, "same-domain", nullptr, "stay in the registrable domain of a seed"},
    {0, "under-seed", nullptr, "stay in the directory of a seed or below"},
    {0, "seed", "URL", "URL that scope is measured by (default: via=)"},
    {0, "seeds", "FILE", "file of seeds, one a line"},
    {0, "adopt", "FILE", "seeds' redirects extend the scope; kept in FILE"},
    {0, "adopted-only", nullptr, "what FILE of --adopt holds, and no redirects"},
    {0, "allow-scheme", "LIST", "http,https", "http,https,"},
    {0, "allow-domain", "LIST", "pass only these domains and all below them"},
    {0, "deny-domain", "LIST", "refuse these domains and all below them"},
    {0, "deny-extension", "LIST", "gif,jpg,zip"},
    {0, "deny-list", "FILE", "hosts, URLs and prefixes (http://h/a/*)"},
    {0, "booked", "FILE", "what budgets and hops have counted; kept in FILE"},
    {0, "max-depth", "N", "refuse URLs of a greater depth (the field depth)"},
    {0, "max-url-length", "N", "refuse longer URLs, in bytes"},
    {0, "traps", nullptr, "refuse endless calendars, loops, sessions"},
    {0, "action", "ACTION", "drop what is refused (reject), or mark it", "by-rule|reject|mark"},
    {0, "before-fetch", nullptr, "judge URLs right before they are fetched"},
    {0, "to-check", nullptr, "pass links out of scope or depth to be checked"},
    {0, "checked", "FILE", "URLs that need no check: left out of --to-check"},
    {0, "results", nullptr, "judge settled records by type and URL"},
    {'v', "invert", nullptr, "pass what is refused, and only that"},
    {0, "explain", nullptr, "pass all, with verdict, policy, rule, why"},
    {0, "why-not", "URL", "print the rules that would have to go for URL"},
    {0, "hits", nullptr, "print hits of each rule instead of URLs"},
    {0, "check", nullptr, "look for mistakes in the policy; read no URLs"},
    {0, "convert", "FORM", "write another program's list as a policy",
     "adblock|dnsmasq|surt|nutch|cidr|hosts"},
    {0, "diff", "FILE", "print URLs that policy FILE judges differently"},
    {0, "verbose", nullptr, "say on stderr what is refused, and why"},
    {0, "shard", "I/N", "judge only lines of part I of N, by their domain"},
    {0, "psl", "FILE", "public suffix list to use, for domains"},
    {0, "psl-digest", "HEX", "use only the public suffix list of this digest"},
    {0, "now", "TIME", "use this day: 2026-11-20 or seconds since 1970"},
};
constexpr cli::ToolSpec kTool{"url-filter",
                              "crawl policy: which URLs may be crawled, and why not",
                              "[OPTION]... [URL|FILE]...",
                              kOptions,
                              "  url-filter --same-domain --seed=https://example.org/ < urls\n"
                              "  url-filter -e 'deny-path ^/private/' --explain < urls\n",
                              true,
                              "",
                              "policy rule include exclude same-origin same-host same-domain "
                              "under-seed seed seeds allow-domain deny-domain deny-extension "
                              "deny-list max-depth traps action invert explain why-not check "
                              "convert diff"};

using policy::Policy;
using policy::PolicyBuilder;

// Judges the lines of the shard, and ignores others. A table's header belongs to all shards.
int filter_shard(cli::Tool& tool, FilterStream& stream) {
  const cli::Options& options = tool.options();
  const Result<PartOf> part = parse_part_of(options.get("shard"));
  if (!part.ok()) options.usage_error("--shard: " + part.message());
  if (tool.table() != nullptr && tool.table()->fields.size() > 1)
    options.usage_error("--shard goes by one URL a row, not several");
  const Partitions partitions(part->count);
  Url scratch;
  for (std::string_view line; tool.next(line);) {
    const std::string_view url = record_url(line);
    const bool is_header =
        url.empty() && find_raw_field(line, "@row").value_or("").starts_with('h');
    if (is_header || partitions.of_text(url, scratch) == part->index) stream.filter_line(line);
  }
  stream.finish();
  return 0;
}

void choose_suffix_list(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  if (options.has("psl")) {
    const Status read = use_public_suffix_list(options.get("psl"));
    if (!read.ok()) options.usage_error("--psl: " + read.message());
  }
  const std::string digest = public_suffix_list_digest();
  if (options.has("psl-digest") && options.get("psl-digest") != digest)
    options.usage_error("--psl-digest: the public suffix list here has the digest " + digest +
                        " (" + public_suffix_list_day() +
                        "): bring the list of the others, with --psl");
  if (options.has("shard") && options.has("verbose"))
    tool.notice("the public suffix list has the digest " + digest);
}

// Refuses URLs, and options about reading and writing them, in modes that read none.
void check_readers(const cli::Options& options) {
  const auto refuse_others = [&options](const std::string& mode, const auto& takes) {
    for (const auto& option : options.in_order()) {
      if (options.has(mode) && option.first != mode && !takes(option.first))
        options.usage_error("--" + mode + " reads no URLs, and does not go with --" + option.first);
    }
  };
  constexpr std::string_view kOfLists = " null max-line strict refused-ok ";
  constexpr std::string_view kOfLines = " field csv tsv header json-key results ";
  const auto is_in = [](std::string_view names, const std::string& name) {
    return names.find(' ' + name + ' ') != std::string_view::npos;
  };
  refuse_others("convert", [&](const std::string& name) { return is_in(kOfLists, name); });
  refuse_others("why-not", [&](const std::string& name) { return !is_in(kOfLines, name); });
  refuse_others("check", [&](const std::string& name) {
    return !is_in(kOfLines, name) && name != "json" && name != "fields";
  });
  if ((options.has("check") || options.has("why-not")) && !options.operands().empty())
    options.usage_error("--check and --why-not read no URLs, and have no use for " +
                        excerpt(options.operands().front()));
}

// Refuses more than one option that prints something else than lines, and with it those that choose
// among lines.
void check_modes(const cli::Options& options) {
  const auto refuse_both = [&options](const std::string& mode, const std::string& other) {
    if (options.has(other)) options.usage_error("--" + mode + " does not go with --" + other);
  };
  constexpr const char* kModes[] = {"convert", "why-not", "check", "hits", "diff"};
  for (const char* const* mode = std::begin(kModes); mode != std::end(kModes); ++mode) {
    if (!options.has(*mode)) continue;
    std::for_each(mode + 1, std::end(kModes),
                  [&](const char* other) { refuse_both(*mode, other); });
    for (const char* const other : {"invert", "to-check", "booked"}) refuse_both(*mode, other);
    if (*mode != kModes[4]) refuse_both(*mode, "explain");
  }
  // These modes book nothing, or only a part.
  for (const char* const other : {"before-fetch", "results", "shard", "invert"}) {
    if (options.has("booked")) refuse_both("booked", other);
  }
  // --invert passes lines as they are, or as --explain has them.
  if (options.has("invert")) refuse_both("invert", "action");
  if (!options.has("to-check")) return;
  for (const char* const other : {"invert", "explain"}) refuse_both("to-check", other);
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  check_modes(options);
  check_readers(options);
  for (const char* const other : {"why-not", "check", "hits", "diff", "before-fetch", "adopt"}) {
    if (options.has("shard") && options.has(other))
      options.usage_error("--shard cuts a list, and does not go with --" + std::string(other));
  }
  if (options.has("convert")) return convert_list(tool);
  if (options.has("psl") || options.has("psl-digest") || options.has("shard"))
    choose_suffix_list(tool);
  if (options.has("why-not")) return tell_why_not(tool);
  PolicyBuilder builder;
  if (options.has("check")) builder.keep_words();
  add_rules(options, options.all("policy"), builder);
  const Policy policy = builder.build();
  if (options.has("check") && options.in_order().size() == 1)
    options.usage_error("--check: there is no rule to look at: name them by --policy=FILE");
  if (options.has("check")) return check_policy(tool, builder, policy);
  if (report(tool, builder.problems())) return 2;
  // A file of --seeds may belong to a crawl whose scope is any.
  if (options.has("seed") && !options.has("diff") && policy.scope.kind() == policy::ScopeKind::kAny)
    options.usage_error("--seed goes with a scope, such as --same-host");
  FilterStream stream(tool, policy, now_ms(options));
  // A bad row has no place among rules, or among the rows that two policies judge otherwise.
  const bool compares = options.has("diff") && !options.has("on-error");
  if (tool.table() != nullptr && (options.has("hits") || compares))
    tool.writer().rows()->drop_bad();
  if (options.has("shard")) return filter_shard(tool, stream);
  if (options.has("hits")) return count_hits(tool, policy, stream);
  if (options.has("diff")) {
    PolicyBuilder other;
    add_rules(options, {options.get("diff")}, other);
    const Policy second = other.build();
    if (report(tool, other.problems())) return 2;
    FilterStream changed(tool, second, now_ms(options));
    return compare(tool, stream, changed);
  }
  for (std::string_view line; tool.next(line);) stream.filter_line(line);
  stream.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
