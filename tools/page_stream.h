// SPDX-License-Identifier: Apache-2.0
// What the tools that read pages say about lines that hold none, and about what people give them by
// mistake.
#ifndef SPINNERET_TOOLS_PAGE_STREAM_H_
#define SPINNERET_TOOLS_PAGE_STREAM_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

// Looks at a line that is not a settled record, such as a link in the stream, for mistakes of
// whoever typed the command. Only the first line of an input is examined: a document without --base
// and an archive end the program; a URL among the operands is reported, since nothing fetches it.
// The caller passes the line on.
void look_at_unsettled(cli::Tool& tool, std::string_view line);

// Checks the first line of an input that should be records. A line that begins as a document or as
// JSON ends the program; so does, in a named file, a line that has neither a URL nor a field, such
// as the names of a table.
void look_at_first_line(const cli::Tool& tool, std::string_view input, std::string_view line);

// Returns the command that reads the pages of an archive: "records --from-dir=FILE --base=URL".
// Empty where a file of this name is no archive.
std::string archive_reader(const cli::Tool& tool, std::string_view name);

// Ends the program where an operand is an archive, with the command that reads it: read as lines of
// records it would give nothing.
void refuse_archives(const cli::Tool& tool, const std::vector<std::string>& operands);

// Passes on a page whose results cannot be kept (a full disk), so that it is asked for again: its
// record goes out without its body, as aborted, which tells the scheduler that a stage is in
// trouble and that the page is not to blame. The records that follow are treated alike: what is
// kept has no holes.
void give_back(cli::Tool& tool, Record& record, std::string_view why);

// Reports a page whose body cannot be read, in the same way for each tool. Where a file is missing
// or damaged, the page is given back. A record whose body has another length than its field size
// was torn in a pipe, and is dropped: it mixes two pages.
void refuse_body(cli::Tool& tool, Record& record, const std::string& why);

// Ends the program where --type or --charset, which describe a document, name nothing known: an
// unknown name would read nothing, or read it wrongly.
void check_document_options(const cli::Options& options);

// Runs a tool that reads pages: with --base each operand is a document, otherwise lines of records
// come in. Calls close() at the end, which puts what the reader writes to other files on disk.
template <typename Reader>
int read_pages(cli::Tool& tool, Reader& reader) {
  if (reader.takes_documents()) {
    tool.for_each_document(tool.options().operands(),
                           [&reader](const std::string& file, std::string_view bytes) {
                             return reader.document(file, bytes);
                           });
  } else {
    std::string_view line;
    while (tool.next(line)) reader.record_line(line);
  }
  reader.close();
  return tool.status();
}

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_PAGE_STREAM_H_
