// SPDX-License-Identifier: Apache-2.0
#include "link_check_input.h"

#include <sys/stat.h>

#include <utility>

#include "base/excerpt.h"
#include "base/number.h"
#include "base/outcome.h"
#include "page/link.h"
#include "page_stream.h"

namespace spinneret {
namespace {

// The URL of a folder without --base. Links to it from elsewhere do not count as links to the
// folder.
constexpr std::string_view kLocalBase = "http://localhost/";

// Returns the type of the file at `path`; 0: there is none.
unsigned file_kind(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

}  // namespace

LinkCheckInput::LinkCheckInput(cli::Tool& tool, check::LinkBook& book, check::LinkCache& cache)
    : tool_(tool), book_(book), cache_(cache), base_(tool.options().get("base")) {
  for (const std::string& rule : tool.options().all("remap")) {
    if (const Status status = remap_.add(rule); !status.ok())
      tool.options().usage_error("--remap " + status.message());
  }
  if (base_.empty()) return;
  if (!parse(base_, target_, &why_) || !target_.is_http() ||
      target_.href_without_fragment().find('?') != std::string_view::npos)
    tool.options().usage_error("--base takes an http or https URL without a query, not " +
                               excerpt(base_));
  base_ = target_.href_without_fragment();
  if (!base_.ends_with('/')) base_ += '/';
  book_.set_site(base_);
}

LinkCheckInput::Operands LinkCheckInput::sort_operands() const {
  Operands out;
  for (const std::string& operand : tool_.options().operands()) {
    const unsigned kind = cli::is_url_operand(operand) ? 0 : file_kind(operand);
    if (const std::string reader = archive_reader(tool_, operand);
        kind == S_IFREG && !reader.empty()) {
      const std::string base = reader.ends_with("URL") ? " --base=URL" : "";
      tool_.options().usage_error(excerpt(operand) + " is an archive: " + reader +
                                  " | extract-links --ids --positions | link-check" + base);
    }
    const bool is_document = kind == S_IFREG && check::is_document(operand);
    auto& list = kind == S_IFDIR ? out.folders : is_document ? out.documents : out.streams;
    list.push_back(operand);
  }
  return out;
}

void LinkCheckInput::read() {
  const cli::Options& options = tool_.options();
  Operands operands = sort_operands();
  const bool has_files = !operands.folders.empty() || !operands.documents.empty();
  if (has_files) read_files(operands);
  if (has_files && operands.streams.empty()) {
    if (book_.link_count() == 0) tool_.notice("no page there has a link: nothing was judged");
    return;
  }
  for (const char* const name : {"root-dir", "pretty-urls"}) {
    if (options.has(name) && !has_files)
      options.usage_error(std::string("--") + name + " is of folders and files, not of records");
  }
  for (const std::string& operand : operands.streams) {
    if (!cli::is_url_operand(operand)) continue;
    options.usage_error("a URL is nothing to judge yet: " + tool_.beside("crawl") +
                        " --check-links " + operand + " checks a site, " + tool_.beside("fetch") +
                        " " + operand + " | " + tool_.beside("extract-links") + " --ids | " +
                        std::string(tool_.name()) + " --ask one page");
  }
  tool_.set_operands(std::move(operands.streams));
  for (std::string_view line; tool_.next(line);) record_line(line);
  if (bare_pages_ && book_.link_count() == 0) {
    tool_.notice(
        "no link came with the pages, and none was judged: " + tool_.beside("extract-links") +
        " --ids --positions reads them, before " + std::string(tool_.name()));
  }
}

void LinkCheckInput::read_files(const Operands& operands) {
  const cli::Options& options = tool_.options();
  const bool has_root = options.has("root-dir");
  if (operands.folders.size() > 1 && !has_root)
    options.usage_error("several folders are one site only below one: name that by --root-dir");
  if (base_.empty()) base_ = kLocalBase;
  const std::string here = operands.folders.empty() ? "." : operands.folders.front();
  const std::string root = options.get("root-dir", here);
  if (file_kind(root) != S_IFDIR) options.usage_error("--root-dir: no folder: " + excerpt(root));
  check::PageFiles files({base_, root, options.has("pretty-urls"), remap_}, book_,
                         [this](const std::string& what, bool failed) {
                           failed ? static_cast<void>(tool_.trouble(what)) : tool_.notice(what);
                         });
  for (const std::string& folder : operands.folders) {
    if (const Status status = files.read_folder(folder); !status.ok())
      options.usage_error(status.message());
  }
  for (const std::string& document : operands.documents) {
    if (const Status status = files.read_file(document); !status.ok())
      options.usage_error(status.message());
  }
  files.look_up();
}

// --- records ---

void LinkCheckInput::record_line(std::string_view line) {
  if (line.empty()) return;
  record_.parse(line);
  record_.settled() ? settled() : link();
}

// Takes the answer to a URL that was made up: on a host that says ok to it, no link can be found
// dead.
void LinkCheckInput::probe(Outcome outcome) {
  if (outcome != Outcome::kOk || !parse(record_.url(), target_)) return;
  tool_.notice(std::string(target_.scheme()) + "://" + std::string(target_.host()) +
               " says ok to what cannot be there, " + excerpt(record_.url()) +
               ": a link to it that is ok may be dead");
}

// Takes the number of bad links that extract-links counted. Where they are is known only to whoever
// ran it with --errors.
void LinkCheckInput::bad_links() {
  const std::uint64_t count = parse_unsigned(record_.raw("bad-links")).value_or(0);
  if (count == 0) return;
  const std::string target = std::to_string(count) + (count == 1 ? " link" : " links");
  check::FoundLink found;
  found.page = record_.url();
  found.target = target;
  book_.add_broken(found, "no URL: extract-links --errors says which");
}

void LinkCheckInput::settled() {
  const std::string_view purpose = record_.raw("purpose");
  if (purpose == "robots") return;
  const auto outcome = parse_outcome(record_.raw("outcome"));
  if (!outcome) return tool_.refuse("no such outcome", record_.raw("outcome"));
  if (purpose == "probe") return probe(*outcome);
  const auto text = [this](std::string_view key) {
    return std::string(record_.get(key).value_or(""));
  };
  const std::string type = text("type");
  const std::string location = text("location");
  const std::string file = text("file");
  const std::string ids = text("ids");
  const std::string error = text("error");
  check::SettledPage page;
  page.url = record_.url();
  page.outcome = *outcome;
  const std::uint64_t status = parse_unsigned(record_.raw("status")).value_or(0);
  page.status = status > 999 ? 0 : static_cast<unsigned>(status);
  page.type = type;
  page.location = location;
  page.file = file;
  page.has_ids = record_.has("ids");
  page.ids = ids;
  page.error = error;
  if (page.outcome == Outcome::kOk && !page.has_ids) bare_pages_ = true;
  bad_links();
  if (!book_.settle(page)) return tool_.refuse("not an http or https URL", record_.url());
  if (cache_.is_open() && !page.has_ids) cache_.note(record_, page.outcome);
}

void LinkCheckInput::link() {
  if (!page::is_checkable(record_.raw("tag"), record_.raw("rel"), record_.raw("method"))) return;
  const std::string via = without_controls(record_.get("via").value_or(""));
  check::FoundLink found;
  found.page = via;
  found.target = record_.url();
  found.tag = record_.raw("tag");
  found.line = parse_unsigned(record_.raw("line")).value_or(0);
  found.column = parse_unsigned(record_.raw("column")).value_or(0);
  if (!parse(record_.url(), target_, &why_)) {
    // extract-links --check, which read the page, has given the reason.
    const std::string reason = without_controls(record_.get("reason").value_or(""));
    if (reason.starts_with("no URL: ")) return book_.add_broken(found, reason);
    return tool_.refuse("no URL: " + why_.message, record_.url());
  }
  remap_.apply(target_, scratch_);
  // Only http and https links can be asked for, unlike mailto: and the like.
  if (target_.is_http()) book_.add_link(found, target_);
}

}  // namespace spinneret
