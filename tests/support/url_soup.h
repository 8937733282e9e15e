// SPDX-License-Identifier: Apache-2.0
// Random URLs out of pieces that parsers trip over, the same for the same seed.
#ifndef SPINNERET_TESTS_SUPPORT_URL_SOUP_H_
#define SPINNERET_TESTS_SUPPORT_URL_SOUP_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace spinneret {

class UrlSoup {
 public:
  explicit UrlSoup(std::uint64_t seed) : state_(seed * 2654435769U + 88172645463325252U) {}

  // Returns a number in 0 .. below-1.
  std::size_t number(std::size_t below) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>(state_ >> 11) % below;
  }

  std::string url() {
    static constexpr std::string_view kStarts[] = {"http://example.com/",
                                                   "https://www.a.b/",
                                                   "http://h/",
                                                   "https://h.test/a/b?c=d",
                                                   "file:///",
                                                   "file:///C:/x",
                                                   "foo://h/p",
                                                   "foo:/p",
                                                   "foo:p",
                                                   "mailto:a@b",
                                                   "//h/",
                                                   "/a/../",
                                                   "?q",
                                                   "#f",
                                                   "",
                                                   "http://u:p@h:80/",
                                                   "ws://h./",
                                                   "http://[::1]/",
                                                   "http://1.2.3.4/",
                                                   "http://www.www.h.com./a//b/",
                                                   "https://h/x;jsessionid=1/y",
                                                   "http://h/?utm_source=1&b=2&a=3",
                                                   "web+x:/.//p",
                                                   "http:",
                                                   "https:h"};
    std::string out(pick(kStarts));
    return mutate(std::move(out), 6);
  }

  std::string mutate(std::string text, std::size_t most) {
    for (std::size_t count = number(most); count > 0; --count) {
      const std::size_t at = number(text.size() + 1);
      switch (number(4)) {
        case 0: text.erase(at, 1 + number(2)); break;
        case 1: text.insert(at, 1, static_cast<char>(number(256))); break;
        default: text.insert(at, pick(kPieces)); break;
      }
    }
    return text;
  }

 private:
  static constexpr std::string_view kPieces[] = {"/",
                                                 "\\",
                                                 "?",
                                                 "#",
                                                 "@",
                                                 ":",
                                                 "[",
                                                 "]",
                                                 "%",
                                                 "%2e",
                                                 "%2E",
                                                 "..",
                                                 ".",
                                                 "//",
                                                 "/../",
                                                 "/./",
                                                 "C|",
                                                 "C:",
                                                 "file:",
                                                 "http:",
                                                 "HTTPS://",
                                                 "%41",
                                                 "%7e",
                                                 "%2f",
                                                 "%25",
                                                 "%2541",
                                                 "%%34%31",
                                                 "%3",
                                                 "1",
                                                 "0x",
                                                 "\xC3\xA9",
                                                 "\xC2\xAD",
                                                 "xn--",
                                                 "^",
                                                 "|",
                                                 "`",
                                                 "'",
                                                 "\"",
                                                 "<",
                                                 ">",
                                                 " ",
                                                 "{",
                                                 "}",
                                                 "~",
                                                 "::",
                                                 "1.2.3.4",
                                                 "\xE3\x80\x82",
                                                 "\xEF\xBC\x85",
                                                 "a",
                                                 "Z",
                                                 "\xE2\x80\x8D",
                                                 "\xC3\x9F",
                                                 "\xD8\xB9",
                                                 "-",
                                                 "+",
                                                 "&",
                                                 "=",
                                                 ";",
                                                 "\x7F",
                                                 "\x01",
                                                 "\t",
                                                 "\n",
                                                 ";jsessionid=7",
                                                 "(S(lit3py55t21z5v55vlm25s55))",
                                                 "utm_medium=x",
                                                 "&fbclid=",
                                                 "PHPSESSID=2",
                                                 "index.html",
                                                 "/default.asp",
                                                 "www.",
                                                 ".com",
                                                 ".",
                                                 ":80",
                                                 ":443",
                                                 ":0080",
                                                 "%3B",
                                                 "%26",
                                                 "%3D",
                                                 "%2b",
                                                 "%5C",
                                                 "%7C",
                                                 "%3a",
                                                 "&a=1",
                                                 "&A=2",
                                                 "&&",
                                                 "\xFF"};

  template <std::size_t N>
  std::string_view pick(const std::string_view (&list)[N]) {
    return list[number(N)];
  }

  std::uint64_t state_;
};

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_URL_SOUP_H_
