// SPDX-License-Identifier: Apache-2.0
#include "url/punycode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "support/url_soup.h"

namespace spinneret::idna {
namespace {

// The slow twin: the procedures of RFC 3492, section 6, written as they stand there. It is
// quadratic.
namespace rfc3492 {

unsigned long adapt(unsigned long delta, unsigned long points, bool first) {
  delta = first ? delta / 700 : delta / 2;
  delta += delta / points;
  unsigned long k = 0;
  for (; delta > 35 * 26 / 2; k += 36) delta /= 35;
  return k + 36 * delta / (delta + 38);
}

unsigned long limit(unsigned long k, unsigned long bias) {
  return k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
}

std::string encode(std::u32string_view label) {
  std::string out;
  for (const char32_t c : label) {
    if (c < 0x80) out += static_cast<char>(c);
  }
  const unsigned long basic = out.size();
  unsigned long handled = basic;
  if (basic > 0) out += '-';
  unsigned long n = 0x80;
  unsigned long delta = 0;
  unsigned long bias = 72;
  while (handled < label.size()) {
    unsigned long m = 0x110000;
    for (const char32_t c : label) {
      if (c >= n) m = std::min<unsigned long>(m, c);
    }
    delta += (m - n) * (handled + 1);
    n = m;
    for (const char32_t c : label) {
      if (c < n) ++delta;
      if (c != n) continue;
      unsigned long q = delta;
      for (unsigned long k = 36;; k += 36) {
        const unsigned long t = limit(k, bias);
        if (q < t) break;
        out += "abcdefghijklmnopqrstuvwxyz0123456789"[t + (q - t) % (36 - t)];
        q = (q - t) / (36 - t);
      }
      out += "abcdefghijklmnopqrstuvwxyz0123456789"[q];
      bias = adapt(delta, handled + 1, handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++n;
  }
  return out;
}

std::optional<std::u32string> decode(std::string_view text) {
  std::u32string out;
  const std::size_t hyphen = text.rfind('-');
  if (hyphen == 0) return std::nullopt;
  if (hyphen != std::string_view::npos) {
    out.assign(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(hyphen));
    text.remove_prefix(hyphen + 1);
  }
  unsigned long n = 0x80;
  unsigned long i = 0;
  unsigned long bias = 72;
  while (!text.empty()) {
    const unsigned long before = i;
    unsigned long weight = 1;
    for (unsigned long k = 36;; k += 36) {
      if (text.empty()) return std::nullopt;
      const char c = text.front();
      text.remove_prefix(1);
      const std::size_t digit = std::string_view("abcdefghijklmnopqrstuvwxyz0123456789")
                                    .find(static_cast<char>(c | 0x20));
      if (digit == std::string_view::npos) return std::nullopt;
      i += digit * weight;
      if (i > 1UL << 40) return std::nullopt;
      if (digit < limit(k, bias)) break;
      weight *= 36 - limit(k, bias);
      if (weight > 1UL << 50) return std::nullopt;
    }
    const unsigned long size = out.size() + 1;
    bias = adapt(i - before, size, before == 0);
    n += i / size;
    i %= size;
    if (n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i++), static_cast<char32_t>(n));
  }
  return out;
}

}  // namespace rfc3492

std::string encoded(std::u32string_view label) {
  std::string out;
  append_punycode(label, out);
  return out;
}

// RFC 3492, section 7.1.
TEST(Punycode, SamplesOfTheRfc) {
  const std::pair<std::u32string, std::string> samples[] = {
      {U"\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
      {U"\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628"
       U"\u064A\u061F",
       "egbpdaj6bu4bxfgehfvwxn"},
      {U"3\u5E74B\u7D44\u91D1\u516B\u5148\u751F", "3B-ww4c5e180e575a65lsy2b"},
      {U"Hello-Another-Way-\u305D\u308C\u305E\u308C\u306E\u5834\u6240",
       "Hello-Another-Way--fc4qua05auwb3674vfr0b"},
      {U"-> $1.00 <-", "-> $1.00 <--"},
      {U"\u3072\u3068\u3064\u5C4B\u6839\u306E\u4E0B2", "2-u9tlzr9756bt3uc0v"},
  };
  for (const auto& [label, code] : samples) {
    EXPECT_EQ(encoded(label), code);
    std::u32string back;
    EXPECT_TRUE(decode_punycode(code, back));
    EXPECT_EQ(back, label);
  }
}

TEST(Punycode, WhatIsNone) {
  std::u32string out;
  for (const char* text : {"-", "-a", "a-b-", "99999999", "ls8h=", "a\x80", "abc-9"}) {
    const bool twin = rfc3492::decode(text).has_value();
    EXPECT_EQ(decode_punycode(text, out), twin) << text;
  }
  EXPECT_FALSE(decode_punycode("99999999", out));
  EXPECT_FALSE(decode_punycode("ls8h=", out));
}

std::u32string random_label(UrlSoup& random) {
  static constexpr char32_t kRanges[] = {'a', 0xE0, 0x4E00, 0x1F600, 0x10FF00};
  std::u32string label;
  for (std::size_t i = random.number(40); i > 0; --i) {
    label += kRanges[random.number(5)] +
             static_cast<char32_t>(random.number(1 + random.number(200)) % 250);
  }
  return label;
}

TEST(Punycode, EncodesLikeItsSlowTwin) {
  UrlSoup random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::u32string label = random_label(random);
    const std::string code = encoded(label);
    ASSERT_EQ(code, rfc3492::encode(label));
    std::u32string back;
    ASSERT_TRUE(decode_punycode(code, back) || code == "-") << code;
    ASSERT_EQ(back, label);
  }
}

TEST(Punycode, DecodesLikeItsSlowTwin) {
  UrlSoup random(8);
  for (int i = 0; i < 50000; ++i) {
    std::string text = encoded(random_label(random)).substr(0, 60);
    for (std::size_t changes = random.number(3); changes > 0 && !text.empty(); --changes) {
      text[random.number(text.size())] = "abcxyz0189-"[random.number(11)];
    }
    std::u32string out;
    const bool decoded = decode_punycode(text, out);
    const std::optional<std::u32string> twin = rfc3492::decode(text);
    ASSERT_EQ(decoded, twin.has_value()) << text;
    if (!decoded) continue;
    ASSERT_EQ(out, *twin) << text;
    // No two codes give the same label.
    if (!text.empty() && !out.empty()) {
      ASSERT_EQ(encoded(out), text);
    }
  }
}

}  // namespace
}  // namespace spinneret::idna
