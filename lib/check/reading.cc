// SPDX-License-Identifier: Apache-2.0
#include "check/reading.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/excerpt.h"
#include "base/file.h"
#include "base/hash.h"
#include "check/book.h"
#include "check/folder.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kLinksAtOnce = 4096;
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;  // kept by an empty reading

page::PageOptions page_options() {
  page::PageOptions out;
  for (const char* const wanted :
       {"page", "resource", "feed", "meta@content", "link@href", "@cite", "@longdesc"})
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

}  // namespace

bool is_document(std::string_view name) {
  const std::string_view type = type_of_name(name);
  return is_page_type(type) || source_kind(type) != SourceKind::kNone;
}

bool is_read_in_folder(std::string_view type) {
  const SourceKind kind = source_kind(type);
  return is_page_type(type) || (kind != SourceKind::kNone && kind != SourceKind::kText);
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

// --- reading ---

void FileReading::clear_links() {
  text.clear();
  links.clear();
}

// Many readings wait for their turn at once, so the memory that a large file needed is freed.
void FileReading::clear() {
  clear_links();
  if (text.capacity() > kKeptBytes) std::string().swap(text);
  if (links.capacity() * sizeof(Link) > kKeptBytes) std::vector<Link>().swap(links);
  ids.clear();
  troubles.clear();
  is_read = has_ids = is_source = false;
}

FileReader::FileReader(const Remap& remap) : remap_(remap), reader_(page_options()) {}

bool FileReader::open(const FileToRead& file, std::string_view& bytes) {
  path_ = file.path;
  // O_NONBLOCK: the file may have been replaced by a FIFO since it was found, which must not block
  // us.
  const Result<Fd> opened = open_file(path_, O_RDONLY | O_NONBLOCK);
  const Result<std::string_view> read = opened.ok() ? read_all(opened->get(), path_, buffer_)
                                                    : Result<std::string_view>(opened.error());
  if (!read.ok()) {
    out_->troubles.push_back({read.message(), true});
    return false;
  }
  bytes = *read;
  return true;
}

void FileReader::read(const FileToRead& file, FileReading& out, const TakeLinks& take_links) {
  out.clear();
  out_ = &out;
  take_links_ = take_links ? &take_links : nullptr;
  names_only_ = file.names_only;
  std::string_view bytes;
  if (!parse(file.url, url_) || !open(file, bytes)) return;
  out.is_read = true;
  const SourceKind kind = source_kind(file.type);
  ignore_.begin({});
  if (kind != SourceKind::kNone) {
    out.is_source = out.has_ids = true;
    read_source_text(kind, bytes);
  } else {
    const page::PageFacts& facts = reader_.read_document(url_, bytes, file.type, {}, false, *this);
    out.has_ids = facts.has_ids;
    out.ids = page::id_list(facts.ids);
  }
  tell_remarks();
}

void FileReader::read_source_text(SourceKind kind, std::string_view bytes) {
  // A byte order mark is not part of the first line, as in HTML documents.
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  read_source(kind, bytes, source_);
  out_->ids = page::id_list(source_.ids());
  ignore_.begin(source_.html());
  lines_.begin(bytes, 0);
  for (const SourceLink& link : source_.links())
    add(link.value, link.tag, link.offset, url_, nullptr);
  if (source_.html().empty()) return;
  const page::PageFacts& facts =
      reader_.read_document(url_, source_.html(), "text/html", "utf-8", false, *this);
  if (!facts.ids.empty())
    out_->ids.append(out_->ids.empty() ? "" : " ").append(page::id_list(facts.ids));
}

void FileReader::tell_remarks() {
  if (ignore_.empty() || names_only_) return;
  for (const InlineIgnore::Remark& remark : ignore_.remarks()) {
    lines_.move_to(remark.offset);
    out_->troubles.push_back({without_controls(path_) + ":" + std::to_string(lines_.line()) + ": " +
                                  std::string(remark.what),
                              false});
  }
}

void FileReader::document(std::string_view bytes, std::size_t skipped) {
  lines_.begin(bytes, skipped);
  // Comments are found by their offsets, like links. In a text that was converted from another
  // encoding these differ from offsets in the file. The comments of a source were already found in
  // the whole text.
  if (!out_->is_source) ignore_.begin(bytes);
}

void FileReader::push(std::string_view key, std::string_view fragment, std::string_view tag,
                      std::size_t offset, bool is_broken) {
  lines_.move_to(offset);
  FileReading& out = *out_;
  FileReading::Link link{};
  if (!out.links.empty() && out.tag(out.links.back()) == tag) {
    link.tag_at = out.links.back().tag_at;
  } else {
    link.tag_at = static_cast<std::uint32_t>(out.text.size());
    out.text += tag;
  }
  link.tag_size = static_cast<std::uint32_t>(tag.size());
  link.hash = hash64(key);
  link.at = static_cast<std::uint32_t>(out.text.size());
  link.key_size = static_cast<std::uint32_t>(key.size());
  link.fragment_size = static_cast<std::uint32_t>(fragment.size());
  out.text.append(key).append(fragment);
  link.line = clamp32(lines_.line());
  link.column = clamp32(lines_.column());
  link.is_ignored = !ignore_.empty() && ignore_.covers(offset);
  link.is_broken = is_broken;
  out.links.push_back(link);
  if (take_links_ == nullptr || out.links.size() < kLinksAtOnce) return;
  (*take_links_)(out);
  out.clear_links();
}

void FileReader::add(std::string_view value, std::string_view tag, std::size_t offset,
                     const Url& base, const QueryEncoder* encoder) {
  if (names_only_) return;
  UrlError why;
  if (!resolve(value, base, target_, &why, encoder))
    return push(without_controls(value), "no URL: " + why.message, tag, offset, true);
  if (!remap_.empty()) {
    Url scratch;
    remap_.apply(target_, scratch);
  }
  if (target_.is_http())
    push(LinkBook::key_of(target_, key_), target_.fragment(), tag, offset, false);
}

void FileReader::take(const page::PageLink& link, const Url& base, const QueryEncoder* encoder) {
  if (names_only_ || !page::is_checkable(link.element, link.rel, link.method)) return;
  std::string tag(link.element);
  if (!link.attribute.empty()) tag.append("@").append(link.attribute);
  add(link.value, tag, link.offset, base, encoder);
}

void FileReader::trouble(std::string_view reason) {
  out_->troubles.push_back({without_controls(path_) + ": " + std::string(reason), false});
}

}  // namespace spinneret::check
