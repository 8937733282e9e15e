// SPDX-License-Identifier: Apache-2.0
#include "page/headers.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/ascii.h"
#include "base/number.h"
#include "html/link_header.h"
#include "html/srcset.h"

namespace spinneret::page {
namespace {

// The taker of links in header fields, and the choice of links that it takes.
struct HeaderLinks {
  const html::LinkSelection& selection;
  bool follows;
  bool requisites;
  PageFacts& facts;
  PageTaker& taker;

  void give(PageLink& link, html::LinkKind kind) const {
    if (requisites && kind == html::LinkKind::kResource) link.purpose = kRequisite;
    if (follows && selection.wants(link_of(link, kind))) taker.take(link, facts.url, nullptr);
  }
};

void give_url(const HeaderLinks& out, std::string_view value, std::string_view field,
              html::LinkKind kind) {
  PageLink link;
  link.value = value;
  link.element = "header";
  link.attribute = field;
  out.give(link, kind);
}

// RFC 8288, 3: the target is relative to the page, whatever the anchor. A link with an anchor is
// about that other resource (3.2), not about this page: its target is still a URL, but not a
// canonical one.
void give_links(const HeaderLinks& out, std::string_view value) {
  html::HeaderLink found;
  while (html::next_header_link(value, found)) {
    if (!found.has_anchor && out.facts.canonical.empty() &&
        html::has_rel_token(found.rel, "canonical")) {
      note_canonical(found.target, out.facts.url, nullptr, out.facts);
    }
    PageLink link;
    link.value = found.target;
    link.element = "header";
    link.attribute = "link";
    link.rel = found.rel;
    link.hreflang = found.hreflang;
    link.type = found.type;
    link.anchor = found.anchor;
    out.give(link, html::link_kind(found.rel, found.type));
  }
}

}  // namespace

bool is_checkable(std::string_view element, std::string_view rel, std::string_view method) {
  const auto says = [rel](std::string_view token) { return html::has_rel_token(rel, token); };
  if (!method.empty() || element == "location" || says("preconnect") || says("dns-prefetch"))
    return false;
  if (!element.starts_with("link") && !element.starts_with("header")) return true;
  // Names of vocabularies, and addresses to which something is sent.
  constexpr std::string_view kNoDocuments[] = {"profile",
                                               "pingback",
                                               "webmention",
                                               "hub",
                                               "micropub",
                                               "microsub",
                                               "authorization_endpoint",
                                               "token_endpoint",
                                               "indieauth-metadata",
                                               "openid.server",
                                               "openid2.provider"};
  return !starts_with_ignore_case(rel, "schema.") &&
         std::none_of(std::begin(kNoDocuments), std::end(kNoDocuments), says);
}

html::Link link_of(const PageLink& link, html::LinkKind kind) {
  html::Link out;
  out.value = link.value;
  out.element = link.element;
  out.attribute = link.attribute;
  out.rel = link.rel;
  out.kind = kind;
  return out;
}

void note_canonical(std::string_view value, const Url& base, const QueryEncoder* encoder,
                    PageFacts& facts) {
  Url found;
  if (!resolve(value, base, found, nullptr, encoder) || !found.is_http()) return;
  if (found.href_without_fragment() != facts.url.href_without_fragment())
    facts.canonical = found.href();
}

std::string answered_url(const Record& record) {
  std::string url(record.url());
  std::string hop;
  for (const Record::Field& field : record.fields()) {
    if (field.key != "hop") continue;
    hop.clear();
    append_unescaped(hop, field.raw);
    if (const std::size_t status = hop.find(' '); status != std::string::npos)
      url = hop.substr(status + 1);
  }
  return url;
}

bool has_link_headers(const Record& record) {
  return record.has("link") || record.has("x-robots-tag") || record.has("refresh") ||
         record.has("content-location");
}

void read_header_directives(const Record& record, robots::PageDirectives& directives) {
  std::string value;
  for (const Record::Field& field : record.fields()) {
    if (field.key != "x-robots-tag") continue;
    value.clear();
    append_unescaped(value, field.raw);
    directives.add_header(value);
  }
}

void take_redirect(const Record& record, const Url& page, const html::LinkSelection& selection,
                   PageTaker& taker) {
  if (!record.has("location")) return;
  std::string value;
  append_unescaped(value, record.raw("location"));
  PageLink link;
  link.value = value;
  link.element = "location";
  // The new address is fetched for the same purpose.
  const std::string_view purpose = record.raw("purpose");
  link.nested = record.raw("nested");
  if (purpose == "sitemap" || purpose == kRequisite || is_checked(purpose)) link.purpose = purpose;
  const std::uint64_t before = parse_unsigned(record.raw("redirects")).value_or(0);
  const std::string redirects = std::to_string(std::min(before, UINT64_MAX - 1) + 1);
  link.redirects = redirects;
  if (!selection.excepts(link_of(link, html::LinkKind::kPage))) taker.take(link, page, nullptr);
}

void take_header_links(const Record& record, const html::LinkSelection& selection, bool follows,
                       bool requisites, PageFacts& facts, PageTaker& taker) {
  const HeaderLinks out{selection, follows, requisites, facts, taker};
  std::string value;
  for (const Record::Field& field : record.fields()) {
    const bool refresh = field.key == "refresh";
    if (field.key != "link" && !refresh && field.key != "content-location") continue;
    value.clear();
    append_unescaped(value, field.raw);
    std::string_view url = value;
    if (field.key == "link") {
      give_links(out, value);
    } else if (!refresh || (html::parse_refresh(value, url) && !url.empty())) {
      give_url(out, url, field.key, refresh ? html::LinkKind::kPage : html::LinkKind::kMetadata);
    }
  }
}

}  // namespace spinneret::page
