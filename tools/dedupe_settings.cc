// SPDX-License-Identifier: Apache-2.0
#include "dedupe_settings.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dedupe/line_key.h"
#include "io/record.h"
#include "io/table.h"

namespace spinneret::dedupe_tool {
namespace {

dedupe::LineKey line_key(const cli::Tool& tool) {
  const cli::Options& options = tool.options();
  if (tool.table() != nullptr) {
    if (!options.has("key")) return dedupe::LineKey::url();
    std::vector<std::string> keys = options.all("key");
    for (std::string& key : keys) key = table_key(key);
    return dedupe::LineKey::fields(keys);
  }
  if (options.has("whole-line")) return dedupe::LineKey::whole_line();
  if (options.has("field"))
    return dedupe::LineKey::column(options.unsigned_value("field", 1, 1, 1 << 20));
  if (!options.has("key")) return dedupe::LineKey::url();
  const std::vector<std::string> names = options.all("key");
  for (const std::string& name : names) {
    if (!is_field_key(name)) options.usage_error("--key takes the name of a field, not " + name);
  }
  return dedupe::LineKey::fields(names);
}

// Most lines that share a sync, which takes a disk milliseconds, where so many are at hand.
constexpr std::size_t kSyncedLines = 1 << 16;

// Settled records are not candidates. Where the comparison is about what was fetched, records that
// hold a page are judged all the same; this says which do not.
bool is_result_without_page(std::string_view line) {
  const auto outcome = find_raw_field(line, "outcome");
  const auto purpose = find_raw_field(line, "purpose");
  return (outcome && *outcome != "ok") || (purpose && *purpose != "page");
}

dedupe::Shingling shingling(const cli::Options& options) {
  if (options.has("shingle-chars")) {
    const auto length =
        options.unsigned_value("shingle-chars", 24, 1, dedupe::Shingling::kMostCharacters);
    return {static_cast<unsigned>(length), true};
  }
  return {
      static_cast<unsigned>(options.unsigned_value("shingle", 3, 1, dedupe::Shingling::kMostWords)),
      false};
}

template <typename T>
T take_or_die(cli::Tool& tool, Result<T> made, const std::string& notice) {
  if (!made.ok()) {
    tool.trouble(made.message());
    std::exit(2);
  }
  if (!notice.empty()) tool.notice(notice);
  return made.take();
}

}  // namespace

std::string table_key(const std::string& name) { return key_of_name("k-" + name); }

bool compares_pages(const cli::Options& options) {
  return options.has("content") || options.has("near") || options.has("similarity");
}

bool compares_nearness(const cli::Options& options) {
  return options.has("near") || options.has("similarity");
}

// A key with the URL in it is one of candidates, as the default key is: a page's record has the
// same key as the link that led to it, and is no repeat of that link.
bool judges_settled(const cli::Options& options) {
  const std::vector<std::string> keys = options.all("key");
  const bool fetched = !keys.empty() && std::find(keys.begin(), keys.end(), "url") == keys.end();
  return fetched || compares_pages(options) || options.has("paragraphs");
}

std::uint64_t max_age(const cli::Options& options) {
  const std::int64_t age = options.duration_ms("max-age", 0);
  if (options.has("max-age") && age < 1000) options.usage_error("--max-age takes 1s or more");
  return static_cast<std::uint64_t>(age / 1000);
}

bool syncs(const cli::Options& options) { return options.has("sync") && !compares_pages(options); }

void set_table(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  for (const char* const name : {"whole-line", "content", "near", "similarity", "paragraphs"}) {
    if (options.has(name))
      options.usage_error(std::string("a table's rows are compared by column, not by --") + name);
  }
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string& name : options.all("key")) inputs.emplace_back(name, table_key(name));
  const std::string keep = options.get("keep", "first");
  if (keep == "longest" || keep == "newest")
    options.usage_error("of a table's rows --keep takes a column with numbers or dates, or first");
  if (keep != "first") inputs.emplace_back(keep, table_key(keep));
  std::vector<std::string> added;
  if (options.has("mark")) added = {"duplicate-of", "outcome"};
  if (options.has("count")) added = {"count"};
  if (options.has("cluster")) added.insert(added.begin(), {"cluster", "cluster-size"});
  tool.set_table(std::move(added), std::move(inputs));
}

dedupe::LineBatch line_batch(const cli::Tool& tool) {
  const cli::Options& options = tool.options();
  const std::size_t lines = syncs(options) ? kSyncedLines : dedupe::LineBatch::kLines;
  return dedupe::LineBatch(line_key(tool), tool.terminator(),
                           judges_settled(options) ? is_result_without_page : is_settled, lines);
}

dedupe::OriginalOptions original_options(const cli::Tool& tool) {
  using Method = dedupe::OriginalOptions::Method;
  const cli::Options& options = tool.options();
  dedupe::OriginalOptions wanted;
  wanted.store = options.get("store");
  wanted.like = options.get("like");
  wanted.sync = options.has("sync");
  wanted.distance = static_cast<unsigned>(options.unsigned_value("distance", 3, 0, 7));
  wanted.similarity = options.decimal("similarity", 0.9, 0.1, 1);
  options.choice("normalize", 0);
  wanted.method = options.has("near")         ? Method::kSimhash
                  : options.has("similarity") ? Method::kMinhash
                  : options.has("normalize")  ? Method::kText
                                              : Method::kBytes;
  // Below this similarity the parity form cannot tell similar texts from others.
  constexpr double kParityFrom = 0.75;
  wanted.form = {options.choice("sketch", 0) == 0 ? 128U : 256U, wanted.similarity >= kParityFrom};
  wanted.shingling = shingling(options);
  constexpr const char* kNames[] = {"content", "content text", "simhash", "minhash"};
  wanted.description = compares_pages(options) ? kNames[static_cast<std::size_t>(wanted.method)]
                                               : "first of " + line_key(tool).description();
  if (options.has("similarity")) {
    wanted.description +=
        (wanted.form.parity ? " parity " : " codes ") + std::to_string(wanted.form.bytes);
  }
  if (compares_nearness(options) && wanted.shingling != dedupe::Shingling{}) {
    wanted.description += " by " + std::to_string(wanted.shingling.length) +
                          (wanted.shingling.characters ? " characters" : " words");
  }
  return wanted;
}

std::unique_ptr<dedupe::OriginalIndex> original_index(cli::Tool& tool) {
  std::string notice;
  return take_or_die(tool, dedupe::make_original_index(original_options(tool), &notice), notice);
}

std::unique_ptr<dedupe::SeenSet> seen_set(cli::Tool& tool, const std::string& key) {
  const cli::Options& options = tool.options();
  dedupe::SeenSetOptions wanted;
  // --recent compares with the few keys that it remembers: these need not be told apart among 10^9.
  wanted.bits = options.choice("bits", options.has("recent") ? 0 : 1) == 0 ? 64 : 128;
  wanted.exact = options.has("exact");
  wanted.approximate = options.decimal("approximate", 0, 1e-9, 0.5);
  wanted.recent = options.has("recent");
  const bool fixed = wanted.approximate > 0 || wanted.recent;  // memory that never grows
  wanted.memory = options.size("memory", fixed ? 256 << 20 : 0);
  wanted.store = options.get("store", options.get("diff"));
  wanted.read_only = options.has("diff");
  wanted.like = options.get("like");
  wanted.sync = options.has("sync");
  wanted.max_age = max_age(options);
  wanted.key_description = key.empty() ? line_key(tool).description() : key;
  std::string notice;
  return take_or_die(tool, dedupe::make_seen_set(wanted, &notice), notice);
}

}  // namespace spinneret::dedupe_tool
