// SPDX-License-Identifier: Apache-2.0
// Any bytes as a page. Beyond "no crash":
//   - words are well formed, and the words of words are the same words;
//   - a text cut in two at any place has the words of its two halves;
//   - the case of ASCII letters makes no difference; nor does markup that marks up nothing;
//   - a text is similar to itself, and to minhash a repeated text is the same as a single one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "dedupe/page_text.h"
#include "dedupe/sketch.h"

using namespace spinneret;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string words_of(std::string_view page, bool markup) {
  std::string out;
  dedupe::page_text(page, markup, out);
  return out;
}

void check_form(std::string_view words, std::size_t page_bytes) {
  require(words.size() <= page_bytes * 2 + 1);
  require(words.empty() || (words.front() != ' ' && words.back() == ' '));
  require(words.find("  ") == std::string_view::npos);
  require(words_of(words, false) == words);
}

void check_text(std::string_view page, std::size_t at) {
  const std::string words = words_of(page, false);
  check_form(words, page.size());
  const std::string_view head = page.substr(0, at);
  const std::string_view tail = page.substr(at);
  require(words_of(std::string(head) + " " + std::string(tail), false) ==
          words_of(head, false) + words_of(tail, false));
  std::string other(page);
  for (char& c : other) c = (c & 1) != 0 ? to_upper(c) : to_lower(c);
  require(words_of(other, false) == words);
  for (char& c : other) c = c == '<' || c == '&' ? '.' : c;
  require(words_of(other, true) == words);
}

void check_sketches(const std::string& words) {
  require(dedupe::simhash_distance(dedupe::simhash(words), dedupe::simhash(words)) == 0);
  // Three times the text contains every run of three words that more repeats would contain.
  const std::string thrice = words + words + words;
  for (const dedupe::MinhashForm& form :
       {dedupe::MinhashForm{128, true}, dedupe::MinhashForm{256, true},
        dedupe::MinhashForm{128, false}}) {
    std::string once;
    std::string again;
    dedupe::minhash(thrice, {}, form, once);
    dedupe::minhash(thrice + words, {}, form, again);
    require(once == again && once.size() == form.entry_bytes());
    require(words.empty() || dedupe::minhash_similarity(once.data(), again.data(), form) == 1.0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view page(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string words = words_of(page, true);
  check_form(words, page.size());
  check_text(page, data[0] % size);
  check_sketches(words);
  return 0;
}
