// SPDX-License-Identifier: Apache-2.0
#include "extract_output.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "io/record.h"

namespace spinneret {
namespace {

// Tokens in lower case, one space between them.
void fold_rel(std::string& out, std::string_view rel) {
  out.clear();
  for (const char c : rel) {
    if (!is_space(c)) {
      out += to_lower(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
}

}  // namespace

void LinkWriter::begin_page(std::string_view via, std::string_view depth, std::string_view document) {
  page_fields_.clear();
  if (!depth.empty()) page_fields_.append("\tdepth=").append(depth);
  page_fields_.append("\tvia=").append(via).append("\ttag=");
  bad_links_ = 0;
  set_document(document, 0);
}

void LinkWriter::set_document(std::string_view document, std::size_t skipped) {
  document_ = document;
  skipped_ = skipped;
  counted_ = 0;
  line_number_ = 1;
}

void LinkWriter::add(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  line_ += '\t';
  line_ += key;
  line_ += '=';
  add_text(value);
}

// Words of a page: escaped, and no byte of them acts on a terminal.
void LinkWriter::add_text(std::string_view value) {
  const std::size_t at = line_.size();
  append_escaped(line_, value);
  clean_words(line_, at);
}

// Lines are counted as the offsets grow; one that goes back counts from the start.
void LinkWriter::add_position(std::size_t offset) {
  const std::size_t at = std::min(offset, document_.size());
  if (at < counted_) {
    counted_ = 0;
    line_number_ = 1;
  }
  const auto from = document_.begin() + static_cast<std::ptrdiff_t>(counted_);
  const auto to = document_.begin() + static_cast<std::ptrdiff_t>(at);
  line_number_ += static_cast<std::uint64_t>(std::count(from, to, '\n'));
  counted_ = at;
  line_ += "\toffset=";
  append_unsigned(line_, offset + skipped_);
  line_ += "\tline=";
  append_unsigned(line_, line_number_);
}

void LinkWriter::write(const OutLink& link, const Url& base, const QueryEncoder* encoder) {
  if (!resolve(link.value, base, url_, &why_, encoder)) {
    ++bad_links_;
    if (settings_.errors) tool_.refuse("link is no URL: " + why_.message, link.value);
    return;
  }
  if (!settings_.any_scheme && !url_.is_http()) return;
  line_.assign(settings_.fragments ? url_.href() : url_.href_without_fragment()).append(page_fields_);
  add_text(link.element);
  if (!link.attribute.empty()) {
    line_ += '@';
    add_text(link.attribute);
  }
  if (!link.rel.empty()) {
    fold_rel(scratch_, link.rel);
    add("rel", scratch_);
  }
  add("hreflang", link.hreflang);
  add("media", link.type);
  add("method", link.method);
  add("text", link.text);
  add("ctx", link.context);
  add("lastmod", link.lastmod);
  add("changefreq", link.changefreq);
  add("priority", link.priority);
  add("purpose", link.purpose);
  add("anchor", link.anchor);
  if (settings_.raw) add("raw", link.value);
  if (settings_.positions && link.has_offset) add_position(link.offset);
  tool_.writer().write_line(line_);
}

}  // namespace spinneret
