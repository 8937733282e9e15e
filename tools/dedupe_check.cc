// SPDX-License-Identifier: Apache-2.0
#include "dedupe_check.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "dedupe_settings.h"

namespace spinneret::dedupe_tool {
namespace {

// Returns whether one of these options is given; more than one of them is a usage error.
bool only_one(const cli::Options& options, std::initializer_list<const char*> names) {
  std::string given;
  for (const char* const name : names) {
    if (!options.has(name)) continue;
    if (!given.empty())
      options.usage_error("--" + given + " and --" + name + " exclude each other");
    given = name;
  }
  return !given.empty();
}

void need(const cli::Options& options, const char* name, bool there, const char* what) {
  if (options.has(name) && !there) {
    options.usage_error("--" + std::string(name) + " goes with " + what);
  }
}

// These options compare keys of lines, and would silently compare URLs instead of pages.
void keep_pages_from_counting(const cli::Options& options) {
  for (const char* const counting : {"repeated", "unique", "count"}) {
    for (const char* const pages : {"content", "near", "similarity"}) {
      if (!options.has(counting) || !options.has(pages)) continue;
      const bool bytes = std::string_view(pages) == "content" && !options.has("normalize");
      options.usage_error("--" + std::string(counting) + " compares fields, not pages: " +
                          (bytes ? "--key=digest tells pages of the same bytes"
                                 : "--mark names the original of each copy in duplicate-of"));
    }
  }
}

// Refuses options about lines and sets in work on a store, where they would be accepted without
// effect.
void check_store_work(const cli::Options& options) {
  constexpr const char* kOfLines[] = {
      "key",       "whole-line",  "field",     "content", "normalize",     "similarity",
      "sketch",    "near",        "distance",  "shingle", "shingle-chars", "paragraphs",
      "sentences", "drop-share",  "signature", "cluster", "keep",          "mark",
      "drop",      "invert",      "repeated",  "unique",  "count",         "bits",
      "exact",     "approximate", "recent",    "memory",  "later",         "store",
      "sync",      "like",        "diff",      "csv",     "tsv",           "header",
      "json-key"};
  for (const char* const work : {"merge", "stat", "compact", "recover"}) {
    if (!options.has(work)) continue;
    for (const char* const other : kOfLines) {
      if (options.has(other))
        options.usage_error("--" + std::string(work) + " works on a store and reads no lines: --" +
                            other + " is not for it");
    }
    for (const char* const form : {"json", "fields"}) {
      if (std::string_view(work) != "stat" && options.has(form))
        options.usage_error("--" + std::string(work) + " prints no records: --" + form +
                            " is not for it");
    }
    if (std::string_view(work) != "compact" && options.has("max-age"))
      options.usage_error("--max-age goes with --store, --diff or --compact, not with --" +
                          std::string(work));
  }
}

// Checks the options that print at the end of the input, and hold all lines until then.
void check_clusters(const cli::Options& options) {
  need(options, "signature", compares_nearness(options), "--similarity or --near");
  only_one(options, {"signature", "mark", "drop", "invert", "repeated", "unique", "count"});
  only_one(options, {"signature", "cluster", "store"});
  only_one(options, {"signature", "keep"});
  for (const char* const other : {"repeated", "unique", "count", "paragraphs", "bits", "exact",
                                  "approximate", "recent", "memory", "store", "diff"}) {
    only_one(options, {"cluster", other});
    only_one(options, {"keep", other});
  }
  if (options.has("cluster") && !options.has("keep")) {
    for (const char* const other : {"mark", "drop", "invert"})
      only_one(options, {"cluster", other});
  }
}

// Checks the options of --later, which compares keys of lines alone, in a set of its own.
void check_later(const cli::Options& options) {
  for (const char* const other :
       {"content", "near", "similarity", "paragraphs", "repeated", "unique", "count", "cluster",
        "keep", "signature", "exact", "approximate", "recent", "store", "diff"}) {
    only_one(options, {"later", other});
  }
}

// Checks what is compared: one key of a line, or paragraphs.
void check_keys(const cli::Tool& tool) {
  const cli::Options& options = tool.options();
  // In a table --field says where the URL is, and --key which other column to compare.
  if (tool.table() == nullptr)
    only_one(options, {"key", "whole-line", "field", "content", "near", "similarity"});
  for (const char* const name :
       {"key", "field", "content", "near", "similarity", "invert", "repeated", "unique", "count"}) {
    if (options.has("paragraphs")) only_one(options, {"paragraphs", name});
  }
  if (options.has("paragraphs")) only_one(options, {"whole-line", "mark"});
}

// Refuses options that modify another one where that is missing.
void check_companions(const cli::Options& options) {
  for (const char* const name : {"stat", "compact", "recover"}) {
    need(options, name, options.operands().empty(), "one store and no operands");
  }
  need(options, "merge", !options.operands().empty(), "operands: the stores to add");
  need(options, "normalize", options.has("content"), "--content");
  need(options, "distance", options.has("near"), "--near");
  need(options, "sketch", options.has("similarity"), "--similarity");
  only_one(options, {"shingle", "shingle-chars"});
  for (const char* const name : {"sentences", "drop-share"})
    need(options, name, options.has("paragraphs"), "--paragraphs");
  only_one(options, {"sentences", "drop-share"});
  const bool nearness = compares_nearness(options);
  need(options, "shingle-chars", nearness, "--similarity or --near");
  need(options, "shingle", nearness || options.has("drop-share"),
       "--similarity, --near or --drop-share");
}

// Checks the options that choose which set remembers the keys, and its bounds.
void check_sets(const cli::Options& options, bool counts) {
  need(options, "reset-on", options.has("recent"), "--recent");
  need(options, "sync", options.has("store"), "--store");
  need(options, "like", options.has("store"), "--store");
  need(options, "max-age", options.has("store") || options.has("diff") || options.has("compact"),
       "--store, --diff or --compact");
  only_one(options, {"max-age", "memory"});
  const bool named = compares_pages(options) || (options.has("mark") && options.has("key"));
  for (const char* const name :
       {"bits", "exact", "approximate", "recent", "memory", "store", "diff", "later", "max-age"}) {
    if (counts && options.has(name)) {
      options.usage_error("--" + std::string(name) + " does not go with counting");
    }
    if (named && options.has(name) && std::string_view(name) != "store") {
      options.usage_error("--" + std::string(name) + " is for keys of lines without duplicate-of");
    }
  }
  const bool fixed = options.has("approximate") || options.has("recent");
  if (!fixed && options.size("memory", 256 << 20) < (32 << 20)) {
    options.usage_error("--memory takes at least 32M");
  }
  for (const char* const whole : {"exact", "approximate"}) only_one(options, {"bits", whole});
  only_one(options, {"bits", "diff"});
  if (options.has("exact") && options.has("memory")) {
    options.usage_error("--exact keeps all keys in memory: --memory cannot bound it");
  }
}

}  // namespace

void check(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  only_one(options, {"stat", "compact", "recover", "merge"});
  check_store_work(options);
  if (tool.table() != nullptr) set_table(tool);
  const bool counts =
      only_one(options, {"mark", "drop", "invert", "repeated", "unique", "count"}) &&
      !options.has("mark") && !options.has("drop") && !options.has("invert");
  check_keys(tool);
  only_one(options, {"store", "diff", "exact", "approximate", "recent"});
  keep_pages_from_counting(options);
  check_companions(options);
  check_clusters(options);
  check_later(options);
  check_sets(options, counts);
}

}  // namespace spinneret::dedupe_tool
