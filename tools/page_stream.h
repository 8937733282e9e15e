// SPDX-License-Identifier: Apache-2.0
// What the tools that read pages say of lines that hold none, and that people give them.
#ifndef SPINNERET_TOOLS_PAGE_STREAM_H_
#define SPINNERET_TOOLS_PAGE_STREAM_H_

#include <string>
#include <string_view>

#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

// A line that is no settled record passes as it is: links of a stream do. Two are a mistake of whoever has typed the
// command: a document without --base, which ends the program, and a URL among the operands, which is told once, since nothing
// fetches it.
void look_at_unsettled(cli::Tool& tool, std::string_view line);

// A page of which what was found cannot be kept (a full disk) is to be asked for again: its record goes on as aborted, which
// tells the scheduler that a stage is in trouble and no page to blame, without its body. So do those that follow: what is
// kept has no holes.
void give_back(cli::Tool& tool, Record& record, std::string_view why);

// A page whose body cannot be read, for the same reason in each tool: where a file is gone or damaged the page is given back.
// A record with another length than its own size was torn in its pipe, and is dropped: what it says is of two pages.
void refuse_body(cli::Tool& tool, Record& record, const std::string& why);

// --type and --charset, of a document, must be what they say: another word would read nothing, or read it wrongly.
void check_document_options(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_PAGE_STREAM_H_
