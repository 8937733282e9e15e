// SPDX-License-Identifier: Apache-2.0
#include "extract_headers.h"

#include "html/link_header.h"
#include "html/srcset.h"

namespace spinneret {
namespace {

bool wants(const ExtractedPage& page, const OutLink& out, html::LinkKind kind) {
  return page.settings.extract.selection.wants(link_of(out, kind));
}

void emit_url(const ExtractedPage& page, LinkWriter& writer, std::string_view value,
              std::string_view field, html::LinkKind kind) {
  OutLink out;
  out.value = value;
  out.element = "header";
  out.attribute = field;
  if (wants(page, out, kind)) writer.write(out, page.url, nullptr);
}

// RFC 8288, 3: the target is relative to the page, whatever the anchor. A link with an anchor says something of
// that other resource (3.2), and nothing of this page: its target is a URL all the same, but no canonical.
void emit_links(ExtractedPage& page, LinkWriter& writer, std::string_view value) {
  html::HeaderLink found;
  while (html::next_header_link(value, found)) {
    if (!found.has_anchor && page.canonical.empty() &&
        html::has_rel_token(found.rel, "canonical")) {
      page.note_canonical(found.target, page.url, nullptr);
    }
    OutLink out;
    out.value = found.target;
    out.element = "header";
    out.attribute = "link";
    out.rel = found.rel;
    out.hreflang = found.hreflang;
    out.type = found.type;
    out.anchor = found.anchor;
    if (page.follows() && wants(page, out, html::link_kind(found.rel, found.type))) {
      writer.write(out, page.url, nullptr);
    }
  }
}

}  // namespace

bool has_link_headers(const Record& record) {
  return record.has("link") || record.has("x-robots-tag") || record.has("refresh") ||
         record.has("content-location");
}

void read_header_directives(ExtractedPage& page) {
  std::string value;
  for (const Record::Field& field : page.record.fields()) {
    if (field.key != "x-robots-tag") continue;
    value.clear();
    append_unescaped(value, field.raw);
    page.directives.add_header(value);
  }
}

void write_redirect(ExtractedPage& page, LinkWriter& writer) {
  const auto location = page.record.get("location");
  if (!location) return;
  OutLink out;
  out.value = *location;
  out.element = "location";
  if (page.settings.extract.selection.excepts(link_of(out, html::LinkKind::kPage))) return;
  writer.write(out, page.url, nullptr);
}

void write_header_links(ExtractedPage& page, LinkWriter& writer) {
  std::string value;
  for (const Record::Field& field : page.record.fields()) {
    const bool link = field.key == "link";
    const bool refresh = field.key == "refresh";
    if (!link && !refresh && field.key != "content-location") continue;
    value.clear();
    append_unescaped(value, field.raw);
    std::string_view url = value;
    if (link) {
      emit_links(page, writer, value);
    } else if (!page.follows() || (refresh && (!html::parse_refresh(value, url) || url.empty()))) {
      continue;
    } else {
      emit_url(page, writer, url, field.key,
               refresh ? html::LinkKind::kPage : html::LinkKind::kMetadata);
    }
  }
}

}  // namespace spinneret
