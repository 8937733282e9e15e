// SPDX-License-Identifier: Apache-2.0
#include "page_stream.h"

#include <string>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/outcome.h"
#include "html/encoding.h"

namespace spinneret {
namespace {

std::string input_text(std::string_view name) {
  return name == "-" ? "standard input" : std::string(name);
}

}  // namespace

void look_at_unsettled(cli::Tool& tool, std::string_view line) {
  if (tool.inputs().line_number() != 1) return;
  const std::string name(tool.name());
  if (tool.inputs().is_argument()) {
    return tool.notice("a URL without its page passes as it is: " + tool.beside("fetch") + " " +
                       excerpt(line) + " | " + name);
  }
  if (line.starts_with("WARC/")) {
    tool.options().usage_error("an archive is not a stream of records: " + tool.beside("records") +
                               " --from-dir=FILE | " + name);
  }
  if (!trim(line).starts_with('<')) return;
  const std::string& file = tool.inputs().name();
  tool.options().usage_error(input_text(file) +
                             ": is a document, not records: say where it was found, as in " + name +
                             " --base=https://example.org/" + (file == "-" ? "" : " " + file));
}

namespace {

// Whether a line may be a record: its URL begins with a scheme, or it has a field, as records of
// --count-by do, which have no URL.
bool may_be_record(std::string_view line) {
  const std::string_view url = record_url(line);
  const std::size_t end =
      url.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  const bool has_scheme = end != url.npos && end != 0 && url[end] == ':' && is_alpha(url.front());
  const std::size_t equals = line.find('=', url.size());
  return has_scheme || (url.size() != line.size() && equals != line.npos);
}

}  // namespace

void look_at_first_line(const cli::Tool& tool, std::string_view input, std::string_view line) {
  const std::string_view text = trim(line);
  const auto refuse = [&](const std::string& why) {
    tool.options().usage_error(input_text(input) + why);
  };
  const std::string own(tool.name());
  if (text.starts_with('<')) {
    refuse(": is a document, not records: " + own +
           " --from-dir=DIR --base=URL reads the pages of a folder");
  } else if (text.starts_with('{')) {
    refuse(": is JSON, not records: " + own + " --from=json reads it");
  } else if (input != "-" && !text.empty() && !may_be_record(line)) {
    refuse(
        ": is not a file of records: its first line has neither a URL nor a field (a table is read "
        "by "
        "--from): " +
        excerpt(line));
  }
}

std::string archive_reader(const cli::Tool& tool, std::string_view name) {
  const auto ends = [name](std::string_view end) { return name.ends_with(end); };
  const bool names_urls = ends(".warc") || ends(".warc.gz") || ends(".wacz");
  if (!names_urls && !ends(".tar") && !ends(".tar.gz") && !ends(".tgz")) return {};
  return tool.beside("records") + " --from-dir=FILE" + (names_urls ? "" : " --base=URL");
}

void refuse_archives(const cli::Tool& tool, const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) {
    const std::string reader = archive_reader(tool, operand);
    if (reader.empty() || cli::is_url_operand(operand)) continue;
    const std::string_view name = tool.name();
    tool.options().usage_error(excerpt(operand) + " is an archive: " + reader +
                               (name.ends_with("records") ? "" : " | " + std::string(name)));
  }
}

void give_back(cli::Tool& tool, Record& record, std::string_view why) {
  record.remove("body");
  record.set("error", why);
  record.set_outcome(to_string(Outcome::kAborted));
  tool.writer().write(record);
}

void refuse_body(cli::Tool& tool, Record& record, const std::string& why) {
  if (record.has("body")) return tool.refuse(why + ": record dropped", record.url());
  tool.refuse(why, record.url());
  give_back(tool, record, why);
}

void check_document_options(const cli::Options& options) {
  for (const char* const name : {"type", "charset"}) {
    if (options.has(name) && !options.has("base"))
      options.usage_error(std::string("--") + name +
                          " is of a document, and goes with --base: a record says its own");
  }
  const std::string type = options.get("type");
  if (!type.empty() && type.find('/') == std::string::npos)
    options.usage_error("--type takes a media type such as text/html, not " + excerpt(type));
  const std::string charset = options.get("charset");
  if (!charset.empty() && html::find_encoding(charset) == nullptr)
    options.usage_error("--charset takes an encoding's name such as utf-8 or shift_jis, not " +
                        excerpt(charset));
}

}  // namespace spinneret
