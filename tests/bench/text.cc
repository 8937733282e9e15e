// SPDX-License-Identifier: Apache-2.0
// bench-text DIR < LINES (FILE TAB URL): writes what text_train.py trains the choices of main
// content and of titles on: DIR/features.f32 (a row a block), DIR/titles.f32 (a row a candidate),
// and DIR/blocks.jsonl (a page's file, and the texts of its blocks and titles).
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "text/features.h"
#include "text/page.h"
#include "text/title.h"

namespace {

void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

int main(int argc, char** argv) {
  using namespace spinneret;
  if (argc != 2) return 2;
  const std::string dir = argv[1];
  std::ofstream rows(dir + "/features.f32", std::ios::binary);
  std::ofstream titles(dir + "/titles.f32", std::ios::binary);
  std::ofstream blocks(dir + "/blocks.jsonl");
  text::PageReader reader;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string file = line.substr(0, line.find('\t'));
    const std::string url = line.substr(line.find('\t') + 1);
    std::ifstream in(file, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    const text::Page& page = reader.read(bytes.str(), "");
    const text::PageFeatures features(page, url);
    std::vector<float> row(text::kFeatureCount);
    std::string json = "{\"file\":\"" + file.substr(file.rfind('/') + 1) + "\",\"blocks\":[";
    for (std::size_t i = 0; i < page.blocks.size(); ++i) {
      features.row(i, row.data());
      rows.write(reinterpret_cast<const char*>(row.data()),
                 static_cast<std::streamsize>(row.size() * sizeof(float)));
      if (i != 0) json += ',';
      append_json(json, page.text_of(page.blocks[i]));
    }
    json += "],\"titles\":[";
    bool first = true;
    for (const text::TitleCandidate& title : text::title_candidates(page, url)) {
      titles.write(reinterpret_cast<const char*>(title.row.data()),
                   static_cast<std::streamsize>(title.row.size() * sizeof(float)));
      if (!first) json += ',';
      first = false;
      append_json(json, title.text);
    }
    blocks << json << "]}\n";
  }
}
