// SPDX-License-Identifier: Apache-2.0
// What the tools that read pages say of lines that hold none, and that people give them.
#ifndef SPINNERET_TOOLS_PAGE_STREAM_H_
#define SPINNERET_TOOLS_PAGE_STREAM_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "io/record.h"

namespace spinneret {

// Passes a line that is not a settled record, such as a link in the stream, as it is. Three kinds are mistakes of
// whoever typed the command: a document without --base or an archive, which end the program, and a URL among the
// operands, which is reported once, since nothing fetches it.
void look_at_unsettled(cli::Tool& tool, std::string_view line);

// The first line of an input that should be records. One that begins as a document or as JSON ends the program; so does
// one of a named file that has neither a URL nor a field, such as a table's names.
void look_at_first_line(const cli::Tool& tool, std::string_view input, std::string_view line);

// The command that reads the pages of an archive: "records --from-dir=FILE --base=URL". Empty where a file of this name is
// none.
std::string archive_reader(const cli::Tool& tool, std::string_view name);

// An archive among the operands ends the program, with the command that reads it: as lines of records it holds nothing.
void refuse_archives(const cli::Tool& tool, const std::vector<std::string>& operands);

// A page whose results cannot be kept (a full disk) must be asked for again: its record goes on without its body, as
// aborted, which tells the scheduler that a stage is in trouble and not to blame the page. So do the records that
// follow: what is kept has no holes.
void give_back(cli::Tool& tool, Record& record, std::string_view why);

// A page whose body cannot be read, for the same reason in each tool: where a file is gone or damaged the page is given back.
// A record with another length than its own size was torn in its pipe, and is dropped: what it says is of two pages.
void refuse_body(cli::Tool& tool, Record& record, const std::string& why);

// --type and --charset are of a document, and must be what they say: another word would read nothing, or read it wrongly.
void check_document_options(const cli::Options& options);

// Runs a tool that reads pages: with --base each operand is a document, otherwise lines of records come in. At the end what it keeps
// elsewhere is put on disk (close()).
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
