// SPDX-License-Identifier: Apache-2.0
#include "html/source.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "html/name_table.h"

namespace spinneret::html {
namespace {

using enum Element;
using enum LinkKind;
using enum ValueForm;
constexpr Element kAny = Element::kUnknown;

constexpr std::string_view kAttributes[] = {
    "",
    "about",
    "action",
    "archive",
    "attributionsrc",
    "background",
    "cite",
    "classid",
    "code",
    "codebase",
    "content",
    "data",
    "data-bg",
    "data-hx-delete",
    "data-hx-get",
    "data-hx-patch",
    "data-hx-post",
    "data-hx-put",
    "data-lazy-src",
    "data-lazy-srcset",
    "data-original",
    "data-original-set",
    "data-src",
    "data-srcset",
    "dynsrc",
    "formaction",
    "href",
    "hx-delete",
    "hx-get",
    "hx-patch",
    "hx-post",
    "hx-put",
    "imagesrcset",
    "itemid",
    "longdesc",
    "lowsrc",
    "manifest",
    "ping",
    "poster",
    "profile",
    "resource",
    "src",
    "srcdoc",
    "srcset",
    "style",
    "usemap",
    "xlink:href",
    // Attributes that are not sources of links, but say something about a link or the page.
    "alt",
    "aria-label",
    "charset",
    "formmethod",
    "hreflang",
    "http-equiv",
    "itemprop",
    "lang",
    "method",
    "name",
    "property",
    "rel",
    "title",
    "type",
};
static_assert(std::size(kAttributes) <= kMaxSourceAttributes);
constexpr NameTable<std::size(kAttributes)> kAttributeTable(kAttributes);

constexpr Source kSources[] = {
    {kA, "href", kPage, kUrl},
    {kArea, "href", kPage, kUrl},
    {kFrame, "src", kPage, kUrl},
    {kIframe, "src", kPage, kUrl},
    {kIframe, "srcdoc", kPage, kSrcdoc},
    {kIframe, "data-src", kPage, kUrl},
    {kPortal, "src", kPage, kUrl},
    {kFencedframe, "src", kPage, kUrl},
    {kForm, "action", kPage, ValueForm::kFormAction},
    {kButton, "formaction", kPage, ValueForm::kFormAction},
    {kInput, "formaction", kPage, ValueForm::kFormAction},
    {kLink, "href", kPage, ValueForm::kLinkHref},
    {kMeta, "content", kPage, ValueForm::kMetaContent},
    {kImg, "src", kResource, kUrl},
    {kImg, "srcset", kResource, kSrcset},
    {kImg, "lowsrc", kResource, kUrl},
    {kImg, "dynsrc", kResource, kUrl},
    {kSource, "src", kResource, kUrl},
    {kSource, "srcset", kResource, kSrcset},
    {kInput, "src", kResource, kUrl},
    {kScript, "src", kResource, kUrl},
    {kVideo, "src", kResource, kUrl},
    {kVideo, "poster", kResource, kUrl},
    {kAudio, "src", kResource, kUrl},
    {kTrack, "src", kResource, kUrl},
    {kModel, "src", kResource, kUrl},
    {kEmbed, "src", kResource, kUrl},
    {kBgsound, "src", kResource, kUrl},
    {kObject, "data", kResource, kUrl},
    {kObject, "classid", kResource, kUrl},
    {kObject, "codebase", kResource, kUrl},
    {kObject, "archive", kResource, kSpaceList},
    {kApplet, "code", kResource, kUrl},
    {kApplet, "codebase", kResource, kUrl},
    {kApplet, "archive", kResource, kCommaList},
    {kLink, "imagesrcset", kResource, kSrcset},
    {kHtml, "manifest", kResource, kUrl},
    {kAny, "background", kResource, kUrl},
    {kAny, "data-src", kResource, kUrl},
    {kAny, "data-srcset", kResource, kSrcset},
    {kAny, "data-lazy-src", kResource, kUrl},
    {kAny, "data-lazy-srcset", kResource, kSrcset},
    {kAny, "data-original", kResource, kUrl},
    {kAny, "data-original-set", kResource, kSrcset},
    {kAny, "data-bg", kResource, kUrl},
    {kAny, "style", kResource, kCss},
    {kBase, "href", LinkKind::kMetadata, ValueForm::kBaseHref},
    {kHead, "profile", LinkKind::kMetadata, kSpaceList},
    {kA, "ping", LinkKind::kMetadata, kSpaceList},
    {kArea, "ping", LinkKind::kMetadata, kSpaceList},
    {kImg, "usemap", LinkKind::kMetadata, kUrl},
    {kInput, "usemap", LinkKind::kMetadata, kUrl},
    {kObject, "usemap", LinkKind::kMetadata, kUrl},
    {kA, "attributionsrc", LinkKind::kMetadata, kSpaceList},
    {kArea, "attributionsrc", LinkKind::kMetadata, kSpaceList},
    {kImg, "attributionsrc", LinkKind::kMetadata, kSpaceList},
    {kScript, "attributionsrc", LinkKind::kMetadata, kSpaceList},
    {kAny, "itemid", LinkKind::kMetadata, kName},
    {kAny, "about", LinkKind::kMetadata, kName},
    {kAny, "resource", LinkKind::kMetadata, kName},
    {kAny, "cite", LinkKind::kMetadata, kUrl},
    {kAny, "longdesc", LinkKind::kMetadata, kUrl},
    {kAny, "hx-get", LinkKind::kMetadata, kUrl},
    {kAny, "hx-post", LinkKind::kMetadata, kUrl},
    {kAny, "hx-put", LinkKind::kMetadata, kUrl},
    {kAny, "hx-patch", LinkKind::kMetadata, kUrl},
    {kAny, "hx-delete", LinkKind::kMetadata, kUrl},
    {kAny, "data-hx-get", LinkKind::kMetadata, kUrl},
    {kAny, "data-hx-post", LinkKind::kMetadata, kUrl},
    {kAny, "data-hx-put", LinkKind::kMetadata, kUrl},
    {kAny, "data-hx-patch", LinkKind::kMetadata, kUrl},
    {kAny, "data-hx-delete", LinkKind::kMetadata, kUrl},
};

struct RelKind {
  std::string_view token;
  LinkKind kind;
};

// In order of precedence. Every other rel is kMetadata.
constexpr RelKind kRels[] = {
    {"stylesheet", kResource},
    {"canonical", kPage},
    {"next", kPage},
    {"prev", kPage},
    {"previous", kPage},
    {"amphtml", kPage},
    {"feed", kFeed},
    {"sitemap", kFeed},
    {"home", kPage},
    {"start", kPage},
    {"first", kPage},
    {"last", kPage},
    {"begin", kPage},
    {"end", kPage},
    {"up", kPage},
    {"top", kPage},
    {"index", kPage},
    {"contents", kPage},
    {"toc", kPage},
    {"chapter", kPage},
    {"section", kPage},
    {"subsection", kPage},
    {"appendix", kPage},
    {"glossary", kPage},
    {"bookmark", kPage},
    {"help", kPage},
    {"copyright", kPage},
    {"license", kPage},
    {"author", kPage},
    {"me", kPage},
    {"tag", kPage},
    {"shortlink", kPage},
    {"privacy-policy", kPage},
    {"terms-of-service", kPage},
    {"related", kPage},
    {"prerender", kPage},
    {"publisher", kPage},
    {"icon", kResource},
    {"apple-touch-icon", kResource},
    {"apple-touch-icon-precomposed", kResource},
    {"apple-touch-startup-image", kResource},
    {"mask-icon", kResource},
    {"fluid-icon", kResource},
    {"image_src", kResource},
    {"video_src", kResource},
    {"manifest", kResource},
    {"modulepreload", kResource},
    {"preload", kResource},
    {"prefetch", kResource},
    {"import", kResource},
    {"fontdef", kResource},
    {"pgpkey", kResource},
};

bool is_feed_type(std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  for (const std::string_view feed : {"application/rss+xml", "application/atom+xml",
                                      "application/feed+json", "application/rdf+xml"}) {
    if (equals_ignore_case(type, feed)) return true;
  }
  return false;
}

bool is_page_type(std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  return type.empty() || equals_ignore_case(type, "text/html") ||
         equals_ignore_case(type, "application/xhtml+xml") ||
         equals_ignore_case(type, "text/plain");
}

}  // namespace

std::span<const Source> all_sources() { return kSources; }

std::size_t find_source_attribute(std::string_view name) { return kAttributeTable.find(name); }
std::size_t find_source_attribute(std::string_view name, const char* end) {
  return kAttributeTable.find(name, name_key_before(name, end));
}
std::size_t source_attribute_count() { return std::size(kAttributes); }
std::string_view source_attribute_name(std::size_t index) { return kAttributeTable.name(index); }

bool has_rel_token(std::string_view rel, std::string_view token) {
  while (!rel.empty() && rel.size() >= token.size()) {
    const auto end = std::find_if(rel.begin(), rel.end(), is_space);
    const auto size = static_cast<std::size_t>(end - rel.begin());
    if (equals_ignore_case(rel.substr(0, size), token)) return true;
    rel.remove_prefix(std::min(rel.size(), size + 1));
  }
  return false;
}

LinkKind link_kind(std::string_view rel, std::string_view type) {
  bool alternate = false;
  std::size_t best = std::size(kRels);  // the stylesheet is row 0
  while (!rel.empty()) {
    const auto end = std::find_if(rel.begin(), rel.end(), is_space);
    const std::string_view token = rel.substr(0, static_cast<std::size_t>(end - rel.begin()));
    rel.remove_prefix(std::min(rel.size(), token.size() + 1));
    alternate = alternate || equals_ignore_case(token, "alternate");
    for (std::size_t i = 0; i < best; ++i) {
      if (token.size() == kRels[i].token.size() && equals_ignore_case(token, kRels[i].token))
        best = i;
    }
  }
  if (alternate && best != 0) {
    if (is_feed_type(type)) return kFeed;
    return is_page_type(type) ? kPage : LinkKind::kMetadata;
  }
  return best == std::size(kRels) ? LinkKind::kMetadata : kRels[best].kind;
}

}  // namespace spinneret::html
