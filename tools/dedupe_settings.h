// SPDX-License-Identifier: Apache-2.0
// What the options of dedupe(1) ask for: the key, and the judge. dedupe_check.h says which of them may be combined.
#ifndef SPINNERET_TOOLS_DEDUPE_SETTINGS_H_
#define SPINNERET_TOOLS_DEDUPE_SETTINGS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "cli/tool.h"
#include "dedupe/line_batch.h"
#include "dedupe/original_index.h"
#include "dedupe/seen_set.h"

namespace spinneret::dedupe_tool {

// What is compared of a table's rows, and what is added to them.
void set_table(cli::Tool& tool);

// Whether the content of pages is compared, not a part of the line.
bool compares_pages(const cli::Options& options);
// Whether such a page may be near, not equal: then the similarity is shown.
bool compares_nearness(const cli::Options& options);

// The key of a table's column, or of a member, as which its row's record has it.
std::string table_key(const std::string& name);

// Whether settled records are judged too: where what is compared is what was fetched.
bool judges_settled(const cli::Options& options);

// The value of --max-age in seconds; 0 where it is not given.
std::uint64_t max_age(const cli::Options& options);

// Whether lines are gathered, so that many share one sync of the store.
bool syncs(const cli::Options& options);

// Batches of lines with their keys, by --key and its like.
dedupe::LineBatch line_batch(const cli::Tool& tool);

// How pages, or keys that are to be named, are compared.
dedupe::OriginalOptions original_options(const cli::Tool& tool);

// These report what is wrong and exit with 2.
std::unique_ptr<dedupe::OriginalIndex> original_index(cli::Tool& tool);
// `key`: what a key is, where it is not a line's.
std::unique_ptr<dedupe::SeenSet> seen_set(cli::Tool& tool, const std::string& key = "");

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_SETTINGS_H_
