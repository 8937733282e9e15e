// SPDX-License-Identifier: Apache-2.0
#include "extract_settings.h"

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "product_token.h"

namespace spinneret {
namespace {

// Completions for values that may also be a TAG, an @ATTR or a rel=TOKEN.
constexpr const char* kKinds =
    "page,resource,meta,feed,guess,all,a@href,img@src,location,rel=nofollow,rel=canonical,rel="
    "next,";

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "the input is a document, found at URL"},
    {0, "type", "TYPE", "its media type (default: by its content)",
     "text/html|application/xhtml+xml|text/plain|text/css|application/xml|application/rss+xml|"},
    {0, "charset", "LABEL", "its encoding, as HTTP would give it"},
    {0, "only", "LIST", "list only these links (repeatable)", kKinds},
    {0, "except", "LIST", "leave these links out (repeatable)", kKinds},
    {0, "requisites", nullptr, "also what pages show, as purpose=requisite"},
    {0, "attr", "TAG@ATTR", "read this attribute, too, or lazy (repeatable)", "lazy|"},
    {0, "guess", "WHERE", "look in comments, scripts or text (repeatable)",
     "comments|scripts|text"},
    {'A', "agent", "NAME", "obey meta robots for NAME, too"},
    {0, "ignore-nofollow", nullptr, "list links of nofollow pages, too"},
    {0, "any-scheme", nullptr, "list mailto:, data: and the like, too"},
    {0, "about", nullptr, "add the page's title, lang, description"},
    {0, "explain", nullptr, "say why a page's outcome was changed"},
    {0, "links", nullptr, "print links alone, no other record"},
    {0, "no-fragment", nullptr, "leave #fragments out of links"},
    {0, "once", nullptr, "print each URL of a page once"},
    {0, "as-written", nullptr, "add each link as the page has it"},
    {0, "positions", nullptr, "add each link's byte offset, line and column"},
    {0, "ids", nullptr, "add the page's ids, which fragments point to"},
    {0, "errors", nullptr, "report links that are not URLs"},
    {0, "edges", "FILE", "append links to FILE: via, url, tag, rel, text"},
    {0, "check", "FILE", "append records for link-check to FILE"},
    {0, "check-fragments", nullptr, "mark links whose fragment is to be checked"},
    {0, "probe", nullptr, "add a link per site that no server should have"},
};

// The kinds, and the elements that have links, for "did you mean": --only=pages, taken for an
// element, would print nothing.
constexpr std::string_view kSelectorWords[] = {
    "page",   "resource", "meta",  "feed",   "guess", "all",   "a",    "area", "audio",
    "base",   "body",     "embed", "form",   "frame", "image", "img",  "link", "iframe",
    "object", "script",   "style", "source", "track", "use",   "video"};

void add_selectors(const cli::Options& options, const std::string& name, const std::string& list,
                   html::LinkSelection& selection) {
  std::string_view rest = list;
  do {
    const std::string_view item = cut(rest, ',');
    if (name == "only" ? selection.add_only(item) : selection.add_except(item)) {
      const std::string_view meant = nearest_word(item, kSelectorWords);
      if (item.size() < 4 || meant.empty() || meant == item) continue;  // q and ins are elements
      options.usage_error("--" + name + ": no element is called " + excerpt(item) +
                          ": did you mean " + std::string(meant) + "?");
    }
    options.usage_error("--" + name + " takes page, resource, meta, feed, guess, all, TAG, " +
                        "@ATTR, TAG@ATTR or rel=TOKEN, or a list of them, not " + excerpt(item));
  } while (!rest.empty());
}

// Adds the attributes where scripts that load images late keep addresses. Others are always read
// (data-src, data-original, ...).
void add_lazy_attributes(html::ExtractOptions& out) {
  using enum html::LinkKind;
  for (const char* const name : {"data-href", "data-url", "data-link"})
    out.attributes.push_back({"", name, kPage});
  for (const char* const name : {"data-lazy",
                                 "data-lazyload",
                                 "data-echo",
                                 "data-hi-res-src",
                                 "data-hires",
                                 "data-image",
                                 "data-img",
                                 "data-img-src",
                                 "data-background",
                                 "data-background-image",
                                 "data-bg-src",
                                 "data-full",
                                 "data-full-src",
                                 "data-large",
                                 "data-large-file",
                                 "data-medium-file",
                                 "data-orig-file",
                                 "data-retina",
                                 "data-retina-src",
                                 "data-zoom-image",
                                 "data-thumb",
                                 "data-poster",
                                 "data-cfsrc",
                                 "data-pin-media",
                                 "data-flickity-lazyload",
                                 "data-iframe-src",
                                 "data-video-src",
                                 "data-embed-src"}) {
    out.attributes.push_back({"", name, kResource});
  }
}

void add_attribute(const cli::Options& options, const std::string& value,
                   html::ExtractOptions& out) {
  if (value == "lazy") return add_lazy_attributes(out);
  const std::size_t at = value.find('@');
  if (at == std::string::npos || at + 1 == value.size()) {
    options.usage_error("--attr takes TAG@ATTR, @ATTR or lazy, not " + excerpt(value));
  }
  out.attributes.push_back(
      {to_lower_copy(value.substr(0, at)), to_lower_copy(value.substr(at + 1))});
}

void add_guess(const cli::Options& options, const std::string& value, html::ExtractOptions& out) {
  if (value == "comments") {
    out.comments = true;
  } else if (value == "scripts") {
    out.scripts = true;
  } else if (value == "text") {
    out.plain_text = true;
  } else {
    constexpr std::string_view kWords[] = {"comments", "scripts", "text"};
    options.usage_error("--guess takes comments, scripts or text, not " + excerpt(value) +
                        did_you_mean(value, kWords));
  }
}

// Selects all that link-check judges, besides what was asked for; each such link is named by its
// purpose.
void read_check(const cli::Options& options, bool chosen, ExtractSettings& out) {
  out.check = options.get("check");
  out.check_fragments = options.has("check-fragments");
  out.probe = options.has("probe");
  if (!options.has("check")) return;
  if (options.has("base")) options.usage_error("--check is for records: link-check reads a folder");
  html::LinkSelection& all = out.page.extract.selection;
  out.page.followed = all;
  all = {};
  for (const auto& [name, value] : options.in_order()) {
    if (name == "only") add_selectors(options, name, value, all);
  }
  if (!chosen && out.page.followed->wants_kind(html::LinkKind::kGuess)) all.add_only("guess");
  for (const char* const wanted :
       {"page", "resource", "feed", "meta@content", "link@href", "@cite", "@longdesc"})
    all.add_only(wanted);
  out.page.extract.ids = true;
}

}  // namespace

const cli::ToolSpec kExtractLinks{
    "extract-links", "print the links of pages", "[OPTION]... [RECORDS|DOCUMENT]...", kOptions,
    "LIST of page (default), resource, meta, feed, all, TAG, @ATTR, TAG@ATTR, rel=REL\n"
    "  fetch https://example.org/ | extract-links | cut -f1\n"
    "  extract-links --base=https://example.org/ --only=all page.html\n"};

ExtractSettings extract_settings(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  ExtractSettings out;
  bool chosen = false;
  for (const auto& [name, value] : options.in_order()) {
    if (name == "only" || name == "except")
      add_selectors(options, name, value, out.page.extract.selection);
    if (name == "attr") add_attribute(options, value, out.page.extract);
    if (name == "guess") add_guess(options, value, out.page.extract);
    chosen = chosen || name == "only";
  }
  // Whoever asks for a search there wants what is found, besides the default.
  if (out.page.extract.scripts || out.page.extract.plain_text) {
    if (!chosen) out.page.extract.selection.add_only("page");
    out.page.extract.selection.add_only("guess");
  }
  out.page.requisites = options.has("requisites");
  if (out.page.requisites) {
    if (!chosen) out.page.extract.selection.add_only("page");
    for (const char* const shown : {"resource", "iframe", "frame", "fencedframe"})
      out.page.extract.selection.add_only(shown);
  }
  out.base = options.get("base");
  out.type = options.get("type");
  out.charset = options.get("charset");
  if (options.has("agent")) {
    out.page.agent = product_token(tool, options.get("agent"), /*strict_token=*/false);
    // A page addresses single agents, not several as one, as a robots.txt may do.
    if (out.page.agent.find_first_of("+:") != std::string::npos)
      options.usage_error("--agent takes one product token, not " + excerpt(out.page.agent));
  }
  out.page.ignore_nofollow = options.has("ignore-nofollow");
  out.any_scheme = options.has("any-scheme");
  out.once = options.has("once");
  out.raw = options.has("as-written");
  out.fragments = !options.has("no-fragment");
  out.positions = options.has("positions");
  out.ids = out.page.extract.ids = options.has("ids");
  out.errors = options.has("errors");
  out.page.about = options.has("about");
  out.edges = options.get("edges");
  read_check(options, chosen, out);
  if (!out.edges.empty() && out.edges == out.check)
    options.usage_error("--edges and --check need a file each: their lines differ");
  out.explain = options.has("explain");
  out.links_alone = options.has("links");
  if (options.has("fields")) {
    const std::string fields = "," + options.get("fields") + ",";
    // Lines of --edges are complete, whichever fields are printed.
    const bool edges = options.has("edges");
    out.urls_alone = fields == ",url," && !edges;
    out.page.extract.text = edges || fields.find(",text,") != std::string::npos ||
                            fields.find(",text-from,") != std::string::npos;
  }
  return out;
}

}  // namespace spinneret
