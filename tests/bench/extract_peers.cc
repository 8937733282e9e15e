// SPDX-License-Identifier: Apache-2.0
// The peers of extract-links, each as a whole process that prints the a[href] of its operands, and
// memchr, the limit of anything that looks at every tag. For tests/bench/extract.sh.
//
//   bench-extract_peers memchr|libxml2|gumbo FILE...
//
// Status 3: this was built without that peer.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

#ifdef SPINNERET_HAVE_GUMBO
#include <gumbo.h>
#endif
#ifdef SPINNERET_HAVE_LIBXML2
#include <libxml/HTMLparser.h>
#endif

namespace {

[[maybe_unused]] void print_link(const char* link) {  // unused where no peer was found
  std::fputs(link, stdout);
  std::fputc('\n', stdout);
}

void count_angles(const std::string& page) {
  const char* at = page.data();
  const char* const end = at + page.size();
  std::size_t found = 0;
  while (
      (at = static_cast<const char*>(std::memchr(at, '<', static_cast<std::size_t>(end - at))))) {
    ++found;
    ++at;
  }
  std::printf("%zu\n", found);
}

#ifdef SPINNERET_HAVE_LIBXML2
void libxml2_links(const std::string& page) {
  htmlSAXHandler handler = {};
  handler.startElement = [](void*, const xmlChar* name, const xmlChar** attributes) {
    if (std::strcmp(reinterpret_cast<const char*>(name), "a") != 0 || attributes == nullptr) return;
    for (; *attributes != nullptr; attributes += 2) {
      if (std::strcmp(reinterpret_cast<const char*>(*attributes), "href") != 0 ||
          attributes[1] == nullptr)
        continue;
      print_link(reinterpret_cast<const char*>(attributes[1]));
    }
  };
  htmlParserCtxtPtr context =
      htmlCreatePushParserCtxt(&handler, nullptr, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8);
  htmlParseChunk(context, page.data(), static_cast<int>(page.size()), 1);
  htmlFreeParserCtxt(context);
}
#endif

#ifdef SPINNERET_HAVE_GUMBO
void gumbo_links(const std::string& page) {
  GumboOutput* const output =
      gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size());
  std::vector<const GumboNode*> nodes = {output->root};
  while (!nodes.empty()) {
    const GumboNode* const node = nodes.back();
    nodes.pop_back();
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) continue;
    const GumboElement& element = node->v.element;
    if (element.tag == GUMBO_TAG_A) {
      if (const GumboAttribute* const href = gumbo_get_attribute(&element.attributes, "href"))
        print_link(href->value);
    }
    for (unsigned i = element.children.length; i-- > 0;) {
      nodes.push_back(static_cast<const GumboNode*>(element.children.data[i]));
    }
  }
  gumbo_destroy_output(&kGumboDefaultOptions, output);
}
#endif

using Work = void (*)(const std::string&);

Work peer_named(std::string_view name) {
  if (name == "memchr") return count_angles;
#ifdef SPINNERET_HAVE_LIBXML2
  if (name == "libxml2") return libxml2_links;
#endif
#ifdef SPINNERET_HAVE_GUMBO
  if (name == "gumbo") return gumbo_links;
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Work work = argc < 2 ? nullptr : peer_named(argv[1]);
  if (work == nullptr) return 3;
  for (int i = 2; i < argc; ++i) {
    const auto page = spinneret::read_file(argv[i]);
    if (!page.ok()) {
      std::fprintf(stderr, "bench-extract_peers: %s\n", page.message().c_str());
      return 2;
    }
    work(*page);
  }
  return std::fflush(stdout) == 0 ? 0 : 2;
}
