// SPDX-License-Identifier: Apache-2.0
// Prints the links of a page that its site's robots.txt allows: the library in fifty lines.
//
//   allowed-links URL ROBOTS.TXT AGENT <page.html
//
//   c++ -std=c++20 allowed_links.cc $(pkg-config --cflags --libs spinneret-html spinneret-robots)
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "html/extractor.h"
#include "robots/pattern.h"
#include "robots/rule_set.h"
#include "url/parse.h"

namespace {

std::string all_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

}  // namespace

int main(int argc, char** argv) {
  using namespace spinneret;
  Url base;
  UrlError why;
  if (argc != 4 || !parse(argv[1], base, &why)) {
    std::fprintf(stderr, "allowed-links URL ROBOTS.TXT AGENT <page.html  %s\n",
                 why.message.c_str());
    return 2;
  }
  std::ifstream robots(argv[2]);
  const robots::RuleSet rules = robots::RuleSet::compile(all_of(robots), argv[3]);
  const std::string document = all_of(std::cin);

  html::LinkExtractor extractor({});
  const html::Page& page = extractor.extract(document, "");
  Url url;
  std::string storage;
  for (const html::Link& link : page.links) {
    if (link.kind != html::LinkKind::kPage || !resolve(link.value, base, url)) continue;
    // The rules apply to one site only.
    if (url.origin() != base.origin()) continue;
    const robots::Verdict verdict =
        rules.check(robots::comparable_path(url.path_and_query(), rules.mode(), storage));
    if (verdict.allowed) std::cout << url.href_without_fragment() << '\n';
  }
  return std::cout.flush() ? 0 : 2;
}
