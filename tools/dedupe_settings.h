// SPDX-License-Identifier: Apache-2.0
// Turns the options of dedupe(1) into the key and the judge. dedupe_check.h says which options may
// be combined.
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

// Says which columns of a table are compared, and which ones are added to its rows.
void set_table(cli::Tool& tool);

// Whether the content of pages is compared, instead of a part of the line.
bool compares_pages(const cli::Options& options);
// Whether pages are compared by nearness instead of equality: then the similarity is shown.
bool compares_nearness(const cli::Options& options);

// Returns the key under which a row's record has this column of a table, or member of an object.
std::string table_key(const std::string& name);

// Whether settled records are judged too: so it is where the comparison is about what was fetched.
bool judges_settled(const cli::Options& options);

// The value of --max-age in seconds; 0 where it is not given.
std::uint64_t max_age(const cli::Options& options);

// Whether lines are gathered, so that many share one sync of the store.
bool syncs(const cli::Options& options);

// Returns a batch for lines with their keys, by --key and the like.
dedupe::LineBatch line_batch(const cli::Tool& tool);

// Says how pages are compared, or keys whose first line is to be named.
dedupe::OriginalOptions original_options(const cli::Tool& tool);

// These two report what is wrong and exit with 2.
std::unique_ptr<dedupe::OriginalIndex> original_index(cli::Tool& tool);
// `key` describes the keys, where they are not those of lines.
std::unique_ptr<dedupe::SeenSet> seen_set(cli::Tool& tool, const std::string& key = "");

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_SETTINGS_H_
