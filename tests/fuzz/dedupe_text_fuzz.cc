// SPDX-License-Identifier: Apache-2.0
// Any bytes as a page: its words are well formed, and the same page has the same sketches.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dedupe/page_text.h"
#include "dedupe/sketch.h"

using namespace spinneret;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view page(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string text;
  page_text(page, (data[0] & 1) != 0, text);
  if (text.size() > page.size() * 2 + 1) std::abort();
  if (!text.empty() && (text.front() == ' ' || text.back() != ' ')) std::abort();
  if (text.find("  ") != std::string::npos) std::abort();
  if (simhash(text) != simhash(text) || minhash(text) != minhash(text)) std::abort();
  // Words of words are the same words, as text without markup.
  std::string again;
  page_text(text, false, again);
  if (again != text) std::abort();
  return 0;
}
