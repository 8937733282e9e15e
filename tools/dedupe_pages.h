// SPDX-License-Identifier: Apache-2.0
// Judges records by the page that they hold (body/reader.h).
#ifndef SPINNERET_TOOLS_DEDUPE_PAGES_H_
#define SPINNERET_TOOLS_DEDUPE_PAGES_H_

#include <memory>

#include "cli/tool.h"
#include "dedupe/line_judge.h"
#include "dedupe/original_index.h"

namespace spinneret::dedupe_tool {

// A body whose length is not `size` was torn off: its record is refused and dropped. One in a file that cannot
// be read, or has not the record's digest, is reported, and its record passes.
std::unique_ptr<LineJudge> make_page_judge(cli::Tool& tool, std::unique_ptr<OriginalIndex> index);

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_PAGES_H_
