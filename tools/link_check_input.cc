// SPDX-License-Identifier: Apache-2.0
#include "link_check_input.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <vector>

#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/outcome.h"
#include "html/source.h"

namespace spinneret {
namespace {

// Where nobody says what a folder's URL is. A link to it from elsewhere is none to the folder.
constexpr std::string_view kLocalBase = "http://localhost/";

PageOptions page_options() {
  PageOptions out;
  for (const char* const wanted : {"page", "resource", "feed", "meta@content"})
    out.extract.selection.add_only(wanted);
  out.extract.text = false;
  out.extract.ids = true;
  out.ignore_nofollow = true;
  return out;
}

// A connection to be opened is no link; nor is where a form is sent to, which a GET does not ask about. A redirect is
// told by its own record.
bool is_checked(std::string_view tag, std::string_view rel, std::string_view method) {
  return method.empty() && tag != "location" && !html::has_rel_token(rel, "preconnect") &&
         !html::has_rel_token(rel, "dns-prefetch");
}

bool is_folder(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_read(std::string_view type) {
  return type.starts_with("text/html") || type.starts_with("text/css") ||
         type.find("xml") != std::string_view::npos;
}

}  // namespace

LinkCheckInput::LinkCheckInput(cli::Tool& tool, links::LinkBook& book)
    : tool_(tool), book_(book), base_(tool.options().get("base")), reader_(page_options()) {
  if (base_.empty()) return;
  if (!parse(base_, page_url_, &why_) || !page_url_.is_http() ||
      page_url_.href_without_fragment().find('?') != std::string_view::npos)
    tool.options().usage_error("--base takes an http or https URL without a query, not " +
                               excerpt(base_));
  base_ = page_url_.href_without_fragment();
  if (!base_.ends_with('/')) base_ += '/';
  book_.set_site(base_);
}

void LinkCheckInput::read() {
  std::vector<std::string> streams;
  bool has_folder = false;
  for (const std::string& operand : tool_.options().operands()) {
    if (cli::is_url_operand(operand) || !is_folder(operand)) {
      streams.push_back(operand);
      continue;
    }
    if (std::exchange(has_folder, true))
      tool_.options().usage_error("one folder at a time: a second one would need a URL of its own");
    folder(operand);
  }
  if (has_folder && streams.empty()) return;
  tool_.set_operands(std::move(streams));
  for (std::string_view line; tool_.next(line);) record_line(line);
}

// --- records ---

void LinkCheckInput::record_line(std::string_view line) {
  record_.parse(line);
  record_.settled() ? settled() : link();
}

void LinkCheckInput::settled() {
  if (record_.raw("purpose") == "robots") return;
  const auto outcome = parse_outcome(record_.raw("outcome"));
  if (!outcome) return tool_.refuse("no such outcome", record_.raw("outcome"));
  const auto text = [this](std::string_view key) {
    return std::string(record_.get(key).value_or(""));
  };
  const std::string type = text("type");
  const std::string location = text("location");
  const std::string file = without_controls(text("file"));
  const std::string ids = text("ids");
  links::SettledPage page;
  page.url = record_.url();
  page.outcome = *outcome;
  const std::uint64_t status = parse_unsigned(record_.raw("status")).value_or(0);
  page.status = status > 999 ? 0 : static_cast<unsigned>(status);
  page.type = type;
  page.location = location;
  page.file = file;
  page.has_ids = record_.has("ids");
  page.ids = ids;
  if (!book_.settle(page)) tool_.refuse("no http or https URL", record_.url());
}

void LinkCheckInput::link() {
  if (!is_checked(record_.raw("tag"), record_.raw("rel"), record_.raw("method"))) return;
  const std::string via = without_controls(record_.get("via").value_or(""));
  links::FoundLink found;
  found.page = via;
  found.target = record_.url();
  found.tag = record_.raw("tag");
  found.line = parse_unsigned(record_.raw("line")).value_or(0);
  found.column = parse_unsigned(record_.raw("column")).value_or(0);
  if (!parse(record_.url(), target_, &why_))
    return tool_.refuse("no URL: " + why_.message, record_.url());
  // One that is neither http nor https, such as mailto:, is nobody's to ask.
  if (target_.is_http()) book_.add_link(found, target_);
}

// --- folders ---

void LinkCheckInput::folder(const std::string& root) {
  if (base_.empty()) base_ = kLocalBase;
  book_.set_site(base_);
  links::Folder pages({root, base_, tool_.options().has("pretty-urls")});
  pages.walk([this](const links::FolderPage& page) { file(page); },
             [this](const std::string& what, bool failed) {
               failed ? static_cast<void>(tool_.trouble(what)) : tool_.notice(what);
             });
}

void LinkCheckInput::file(const links::FolderPage& page) {
  links::SettledPage settled;
  settled.url = page.url;
  settled.outcome = page.outcome;
  settled.type = page.type;
  settled.location = page.location;
  path_ = page.path;
  std::string ids;
  if (page.outcome == Outcome::kOk && is_read(page.type)) {
    Result<Fd> opened = open_file(path_, O_RDONLY);
    Result<std::string_view> bytes = opened.ok() ? read_all(opened->get(), path_, buffer_)
                                                 : Result<std::string_view>(opened.error());
    if (!bytes.ok()) {
      tool_.trouble(bytes.message());
    } else if (parse(page.url, page_url_)) {
      lines_.begin(*bytes, 0);
      const PageFacts& facts =
          reader_.read_document(page_url_, *bytes, page.type, {}, false, *this);
      settled.has_ids = facts.has_ids;
      ids = id_list(facts.ids);
    }
    path_ = without_controls(path_);
    settled.file = path_;
  }
  settled.ids = ids;
  book_.settle(settled);
}

void LinkCheckInput::document(std::string_view bytes, std::size_t skipped) {
  lines_.begin(bytes, skipped);
}

void LinkCheckInput::take(const PageLink& link, const Url& base, const QueryEncoder* encoder) {
  if (!is_checked(link.element, link.rel, link.method)) return;
  if (link.has_offset) lines_.move_to(link.offset);
  std::string tag(link.element);
  if (!link.attribute.empty()) tag.append("@").append(link.attribute);
  links::FoundLink found;
  found.page = page_url_.href();
  found.tag = tag;
  found.line = lines_.line();
  found.column = lines_.column();
  if (!resolve(link.value, base, target_, &why_, encoder)) {
    const std::string value = without_controls(link.value);
    found.target = value;
    book_.add_broken(found, "no URL: " + why_.message);
  } else if (target_.is_http()) {
    book_.add_link(found, target_);
  }
}

void LinkCheckInput::trouble(std::string_view reason) {
  tool_.notice(path_ + ": " + std::string(reason));
}

}  // namespace spinneret
