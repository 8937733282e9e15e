// SPDX-License-Identifier: Apache-2.0
#include "check/files.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/excerpt.h"
#include "base/file.h"
#include "html/source.h"

namespace spinneret::links {
namespace {

PageOptions page_options() {
  PageOptions out;
  for (const char* const wanted : {"page", "resource", "feed", "meta@content"})
    out.extract.selection.add_only(wanted);
  out.extract.text = false;
  out.extract.ids = true;
  out.ignore_nofollow = true;
  return out;
}

bool is_page_type(std::string_view type) {
  return type.starts_with("text/html") || type.starts_with("text/css") ||
         type.find("xml") != std::string_view::npos;
}

// Plain text in a folder may be anything.
bool is_read_in_folder(std::string_view type) {
  const SourceKind kind = source_kind(type);
  return is_page_type(type) || (kind != SourceKind::kNone && kind != SourceKind::kText);
}

}  // namespace

bool is_checked(std::string_view tag, std::string_view rel, std::string_view method) {
  return method.empty() && tag != "location" && !html::has_rel_token(rel, "preconnect") &&
         !html::has_rel_token(rel, "dns-prefetch");
}

bool is_document(std::string_view name) {
  const std::string_view type = type_of_name(name);
  return is_page_type(type) || source_kind(type) != SourceKind::kNone;
}

// --- remap ---

Status Remap::add(std::string_view rule) {
  const std::size_t at = std::min(rule.find("=http://"), rule.find("=https://"));
  if (at != std::string_view::npos) {
    Url from;
    Url to;
    if (parse(rule.substr(0, at), from) && from.is_http() && parse(rule.substr(at + 1), to) &&
        to.is_http()) {
      rules_.push_back(
          {std::string(from.href_without_fragment()), std::string(to.href_without_fragment())});
      return {};
    }
  }
  return Error{"takes FROM=TO, two http or https URLs, not " + excerpt(rule)};
}

bool Remap::apply(Url& url, Url& scratch) const {
  for (const Rule& rule : rules_) {
    if (!url.href().starts_with(rule.from)) continue;
    if (!parse(rule.to + std::string(url.href().substr(rule.from.size())), scratch)) return false;
    std::swap(url, scratch);
    return true;
  }
  return false;
}

// --- files ---

PageFiles::PageFiles(Options options, LinkBook& book, Trouble trouble)
    : options_(std::move(options)),
      book_(book),
      trouble_(std::move(trouble)),
      disk_({options_.root, options_.base, options_.pretty_urls}),
      reader_(page_options()) {
  book_.set_site(options_.base);
}

Status PageFiles::read_folder(const std::string& path) {
  const auto below = path == options_.root ? std::string() : url_path_below(options_.root, path);
  if (!below) return Error{excerpt(path) + " is no folder below " + excerpt(options_.root)};
  std::string base = options_.base + *below;
  if (!base.ends_with('/')) base += '/';
  Folder folder({path, base, options_.pretty_urls});
  folder.walk([this](const FolderPage& each) { page(each); }, trouble_);
  return {};
}

Status PageFiles::read_file(const std::string& path) {
  const auto below = url_path_below(options_.root, path);
  if (!below || below->empty())
    return Error{excerpt(path) + " is no file below " + excerpt(options_.root) +
                 ": see --root-dir"};
  wants_look_up_ = true;
  std::string url = options_.base + *below;
  FolderPage out;
  out.path = path;
  out.type = type_of_name(path);
  if (const std::size_t name = url.rfind('/') + 1;
      std::string_view(url).substr(name) == "index.html") {
    FolderPage from;
    from.url = url;
    from.outcome = Outcome::kRedirect;
    const std::string folder = url.substr(0, name);
    from.location = folder;
    page(from);
    url = folder;
  }
  out.url = url;
  page(out, true);
  return {};
}

void PageFiles::look_up() {
  if (!wants_look_up_) return;
  names_only_ = true;
  // Where one leads to may not be known either.
  for (int round = 0; round != 4; ++round) {
    std::vector<std::string> wanted;
    book_.each_unanswered(true, [&wanted](std::string_view url) { wanted.emplace_back(url); });
    bool found = false;
    for (const std::string& url : wanted) {
      disk_.look_up(std::string_view(url).substr(book_.site().size()), [&](const FolderPage& each) {
        found = true;
        page(each);
      });
    }
    if (!found) break;
  }
  names_only_ = false;
}

void PageFiles::page(const FolderPage& page, bool is_alone) {
  SettledPage settled;
  settled.url = page.url;
  settled.outcome = page.outcome;
  settled.type = page.type;
  settled.location = page.location;
  settled.for_sources = page.for_sources;
  settled.is_aside = names_only_;
  if (page.outcome == Outcome::kBlockedByPolicy) book_.set_outside(std::string(page.url) + "/");
  path_ = page.path;
  ids_.clear();
  const bool is_read = is_alone ? is_document(page.path) : is_read_in_folder(page.type);
  if (page.outcome == Outcome::kOk && is_read && parse(page.url, url_)) read(page, settled);
  settled.ids = ids_;
  book_.settle(settled);
}

bool PageFiles::read(const FolderPage& page, SettledPage& settled) {
  // Who has put a FIFO in the file's place since it was looked at makes nobody wait.
  Result<Fd> opened = open_file(path_, O_RDONLY | O_NONBLOCK);
  Result<std::string_view> bytes = opened.ok() ? read_all(opened->get(), path_, buffer_)
                                               : Result<std::string_view>(opened.error());
  if (!bytes.ok()) {
    trouble_(bytes.message(), true);
    return false;
  }
  settled.file = path_;
  const SourceKind kind = source_kind(page.type);
  if (kind != SourceKind::kNone) {
    settled.is_source = settled.has_ids = true;
    if (!names_only_) wants_look_up_ = true;
    read_source_text(kind, *bytes);
    return true;
  }
  is_source_ = false;
  ignore_.begin({});
  const PageFacts& facts = reader_.read_document(url_, *bytes, page.type, {}, false, *this);
  settled.has_ids = facts.has_ids;
  ids_ = id_list(facts.ids);
  tell_remarks();
  return true;
}

void PageFiles::read_source_text(SourceKind kind, std::string_view bytes) {
  // As in documents of HTML a mark of the byte order is no part of the line.
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  read_source(kind, bytes, source_);
  ids_ = id_list(source_.ids());
  is_source_ = true;
  ignore_.begin(source_.html());
  lines_.begin(bytes, 0);
  for (const SourceLink& link : source_.links())
    add(link.value, link.tag, link.offset, url_, nullptr);
  if (!source_.html().empty()) {
    const PageFacts& facts =
        reader_.read_document(url_, source_.html(), "text/html", "utf-8", false, *this);
    if (!facts.ids.empty()) ids_.append(ids_.empty() ? "" : " ").append(id_list(facts.ids));
  }
  tell_remarks();
}

void PageFiles::tell_remarks() {
  if (ignore_.empty() || names_only_) return;
  for (const InlineIgnore::Remark& remark : ignore_.remarks()) {
    lines_.move_to(remark.offset);
    trouble_(without_controls(path_) + ":" + std::to_string(lines_.line()) + ": " + std::string(remark.what), false);
  }
}

void PageFiles::document(std::string_view bytes, std::size_t skipped) {
  lines_.begin(bytes, skipped);
  // Its offsets are those of links: of another encoding's text they are not the file's.
  if (!is_source_) ignore_.begin(bytes);
}

void PageFiles::add(std::string_view value, std::string_view tag, std::size_t offset,
                    const Url& base, const QueryEncoder* encoder) {
  if (names_only_) return;
  lines_.move_to(offset);
  FoundLink found;
  found.page = url_.href();
  found.tag = tag;
  found.line = lines_.line();
  found.column = lines_.column();
  found.is_ignored = !ignore_.empty() && ignore_.covers(offset);
  UrlError why;
  if (!resolve(value, base, target_, &why, encoder)) {
    const std::string shown = without_controls(value);
    found.target = shown;
    book_.add_broken(found, "no URL: " + why.message);
    return;
  }
  if (!options_.remap.empty()) {
    Url scratch;
    options_.remap.apply(target_, scratch);
  }
  if (target_.is_http()) book_.add_link(found, target_);
}

void PageFiles::take(const PageLink& link, const Url& base, const QueryEncoder* encoder) {
  if (names_only_ || !is_checked(link.element, link.rel, link.method)) return;
  std::string tag(link.element);
  if (!link.attribute.empty()) tag.append("@").append(link.attribute);
  add(link.value, tag, link.offset, base, encoder);
}

void PageFiles::trouble(std::string_view reason) {
  trouble_(without_controls(path_) + ": " + std::string(reason), false);
}

}  // namespace spinneret::links
