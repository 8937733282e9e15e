// SPDX-License-Identifier: Apache-2.0
// Link extraction in memory, on real pages, beside its peers, in one run: GB/s of CPU time, and the
// ratio to memchr('<'), which is the limit of anything that looks at every tag.
//
//   bench-html FILE...        each file a page
//
// Peers, where they are installed: libxml2's SAX parser (libxml2-dev), gumbo (libgumbo-dev). Ours
// is the best of 40 rounds: the machine is shared, and the least disturbed round is the true one.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "html/extractor.h"
#include "html/tokenizer.h"
#include "html/tree.h"

#ifdef SPINNERET_HAVE_GUMBO
#include <gumbo.h>
#endif
#ifdef SPINNERET_HAVE_LIBXML2
#include <libxml/HTMLparser.h>
#endif

namespace {

using namespace spinneret;

std::vector<std::string> pages;
std::size_t total = 0;
double limit = 0;
constexpr int kRounds = 40;

void report(const char* name, int rounds,
            const std::function<std::size_t(const std::string&)>& work) {
  double best = 1e9;
  std::size_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    found = 0;
    const std::clock_t begin = std::clock();
    for (const std::string& page : pages) found += work(page);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  const double speed = static_cast<double>(total) / best / 1e9;
  if (limit == 0) limit = speed;
  std::printf("%-28s %8.3f GB/s %8.3f of memchr %9zu found\n", name, speed, speed / limit, found);
}

std::size_t count_angles(const std::string& page) {
  std::size_t found = 0;
  const char* at = page.data();
  const char* const end = at + page.size();
  while (
      (at = static_cast<const char*>(std::memchr(at, '<', static_cast<std::size_t>(end - at))))) {
    ++found;
    ++at;
  }
  return found;
}

std::size_t tokenize(const std::string& page) {
  static html::Tokenizer tokenizer;
  static html::Tree tree;
  static html::Token token;
  tokenizer.reset();
  tree.reset();
  tokenizer.set_wanted({});
  tokenizer.set_input(page, true);
  std::size_t found = 0;
  while (true) {
    switch (tokenizer.next(token)) {
      case html::TokenType::kStartTag: {
        const html::Placement place = tree.start_tag(token);
        if (place.text != html::TextMode::kData) {
          tokenizer.set_text_mode(place.text, html::element_name(place.element));
        }
        ++found;
        break;
      }
      case html::TokenType::kEndTag: tree.end_tag(token); break;
      case html::TokenType::kText:
        if (tree.wants_text()) tree.text(token);
        break;
      case html::TokenType::kEnd: return found;
      default: break;
    }
  }
}

std::function<std::size_t(const std::string&)> extraction(std::string_view what, bool text) {
  html::ExtractOptions options;
  options.selection.add_only(what);
  options.text = text;
  auto extractor = std::make_shared<html::LinkExtractor>(options);
  return [extractor](const std::string& page) { return extractor->extract(page, "").links.size(); };
}

#ifdef SPINNERET_HAVE_LIBXML2
std::size_t libxml_sax(const std::string& page) {
  static std::size_t found;
  found = 0;
  htmlSAXHandler handler = {};
  handler.startElement = [](void*, const xmlChar* name, const xmlChar** attributes) {
    if (std::strcmp(reinterpret_cast<const char*>(name), "a") != 0 || attributes == nullptr) return;
    for (; *attributes != nullptr; attributes += 2) {
      found += std::strcmp(reinterpret_cast<const char*>(*attributes), "href") == 0;
    }
  };
  htmlParserCtxtPtr context =
      htmlCreatePushParserCtxt(&handler, nullptr, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8);
  htmlParseChunk(context, page.data(), static_cast<int>(page.size()), 1);
  htmlFreeParserCtxt(context);
  return found;
}
#endif

#ifdef SPINNERET_HAVE_GUMBO
std::size_t gumbo_links(const std::string& page) {
  GumboOutput* const output =
      gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size());
  std::vector<const GumboNode*> nodes = {output->root};
  std::size_t found = 0;
  while (!nodes.empty()) {
    const GumboNode* const node = nodes.back();
    nodes.pop_back();
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) continue;
    if (node->v.element.tag == GUMBO_TAG_A)
      found += gumbo_get_attribute(&node->v.element.attributes, "href") != nullptr;
    const GumboVector& children = node->v.element.children;
    for (unsigned i = 0; i < children.length; ++i)
      nodes.push_back(static_cast<const GumboNode*>(children.data[i]));
  }
  gumbo_destroy_output(&kGumboDefaultOptions, output);
  return found;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    auto page = read_file(argv[i]);
    if (!page.ok()) {
      std::fprintf(stderr, "bench-html: %s\n", page.message().c_str());
      return 2;
    }
    total += page->size();
    pages.push_back(page.take());
  }
  if (pages.empty()) {
    std::fprintf(stderr, "usage: bench-html FILE...\n");
    return 2;
  }
  std::printf("%zu pages, %.1f MB\n", pages.size(), static_cast<double>(total) / 1e6);
  report("memchr('<')", kRounds, count_angles);
  report("tokenizer and tree", kRounds, tokenize);
  report("a[href], no text", kRounds, extraction("a@href", false));
  report("a[href] with text", kRounds, extraction("a@href", true));
  report("pages (default)", kRounds, extraction("page", true));
  report("everything with text", kRounds, extraction("all", true));
#ifdef SPINNERET_HAVE_LIBXML2
  report("libxml2 SAX, a[href]", 2, libxml_sax);
#endif
#ifdef SPINNERET_HAVE_GUMBO
  report("gumbo, a[href]", 1, gumbo_links);
#endif
  return 0;
}
