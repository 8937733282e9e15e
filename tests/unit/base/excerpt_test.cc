// SPDX-License-Identifier: Apache-2.0
#include "base/excerpt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret {
namespace {

// The slow twin of utf8_sequence: RFC 3629, section 4, written out like its grammar.
std::size_t slow_utf8_sequence(std::string_view text) {
  const auto in = [&](std::size_t i, int low, int high) {
    if (i >= text.size()) return false;
    const int byte = static_cast<unsigned char>(text[i]);
    return byte >= low && byte <= high;
  };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF) && tail(1)) return 2;
  if (in(0, 0xE0, 0xE0) && in(1, 0xA0, 0xBF) && tail(2)) return 3;
  if (in(0, 0xE1, 0xEC) && tail(1) && tail(2)) return 3;
  if (in(0, 0xED, 0xED) && in(1, 0x80, 0x9F) && tail(2)) return 3;
  if (in(0, 0xEE, 0xEF) && tail(1) && tail(2)) return 3;
  if (in(0, 0xF0, 0xF0) && in(1, 0x90, 0xBF) && tail(2) && tail(3)) return 4;
  if (in(0, 0xF1, 0xF3) && tail(1) && tail(2) && tail(3)) return 4;
  if (in(0, 0xF4, 0xF4) && in(1, 0x80, 0x8F) && tail(2) && tail(3)) return 4;
  return 0;
}

std::string encode(char32_t c) {
  std::string out;
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6)), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
  }
  return out;
}

TEST(Utf8Sequence, DecodesEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string text = encode(c);
    char32_t decoded = 0xFFFFFFFF;
    const bool surrogate = c >= 0xD800 && c < 0xE000;
    ASSERT_EQ(utf8_sequence(text, &decoded), surrogate ? 0 : text.size()) << unsigned{c};
    if (surrogate) continue;
    ASSERT_EQ(unsigned{decoded}, unsigned{c});
  }
}

TEST(Utf8Sequence, AgreesWithTheGrammarOverBoundaryBytes) {
  // Every byte at which a rule of the grammar begins or ends.
  constexpr unsigned char kEdges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                      0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
                                      0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
  for (const unsigned char a : kEdges) {
    for (const unsigned char b : kEdges) {
      for (const unsigned char c : kEdges) {
        for (const unsigned char d : kEdges) {
          const char bytes[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                static_cast<char>(d)};
          for (std::size_t size = 0; size <= 4; ++size) {
            const std::string_view text(bytes, size);
            ASSERT_EQ(utf8_sequence(text), slow_utf8_sequence(text)) << excerpt(text);
          }
        }
      }
    }
  }
}

TEST(Excerpt, LeavesWhatIsPrintable) {
  EXPECT_EQ(excerpt(""), "\"\"");
  EXPECT_EQ(excerpt("http://a/?b=c d"), "\"http://a/?b=c d\"");
  EXPECT_EQ(excerpt("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x95\xB7"),
            "\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x95\xB7\"");
}

TEST(Excerpt, EscapesWhatIsNot) {
  EXPECT_EQ(excerpt("a\tb\rc\nd"), R"("a\tb\rc\nd")");
  EXPECT_EQ(excerpt(R"(say "\")"), R"("say \"\\\"")");
  EXPECT_EQ(excerpt(std::string_view("\0\x1b[31m\x7f", 7)), R"("\x00\x1B[31m\x7F")");
  EXPECT_EQ(excerpt("\xFFg\xC3"), R"("\xFFg\xC3")");
  EXPECT_EQ(excerpt("\xC2\x9B"), R"("\xC2\x9B")");                  // C1: CSI
  EXPECT_EQ(excerpt("\xE2\x80\xAE"), R"("\xE2\x80\xAE")");          // right-to-left override
  EXPECT_EQ(excerpt("\xEF\xBB\xBF"), R"("\xEF\xBB\xBF")");          // byte order mark
  EXPECT_EQ(excerpt("\xF3\xA0\x80\xA0"), R"("\xF3\xA0\x80\xA0")");  // a tag character
}

TEST(Excerpt, CutsBetweenCharacters) {
  EXPECT_EQ(excerpt("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(excerpt("abcdef", 5), "\"abcde...\"");
  EXPECT_EQ(excerpt("abcdef", 0), "\"...\"");
  const std::string euros = "a\xE2\x82\xAC\xE2\x82\xAC";  // 1 + 3 + 3 bytes
  EXPECT_EQ(excerpt(euros, 6), "\"a\xE2\x82\xAC...\"");
  EXPECT_EQ(excerpt(euros, 5), "\"a\xE2\x82\xAC...\"");
  EXPECT_EQ(excerpt(euros, 4), "\"a\xE2\x82\xAC...\"");
  EXPECT_EQ(excerpt(euros, 3), "\"a...\"");
  EXPECT_EQ(excerpt(euros, 1), "\"a...\"");
  // Bytes that are no character can be cut anywhere.
  EXPECT_EQ(excerpt("\x80\x80\x80\x80\x80\x80", 5), R"("\x80\x80\x80\x80\x80...")");
}

bool is_safe(std::string_view text) {
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = slow_utf8_sequence(text);
    if (length == 0 || utf8_sequence(text, &c) != length) return false;
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E)) return false;
    text.remove_prefix(length);
  }
  return true;
}

TEST(Excerpt, IsSafeWhateverComes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 24, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (std::size_t limit = 0; limit <= bytes.size(); ++limit) {
      ASSERT_TRUE(is_safe(excerpt(bytes, limit)));
    }
    std::string message;
    append_printable(message, bytes);
    ASSERT_TRUE(is_safe(message));
  }
}

TEST(CleanWords, ControlsAreSpacesAndBidiControlsGo) {
  EXPECT_EQ(without_controls("a\tb\x1b[31m\x7f"), "a b [31m ");
  EXPECT_EQ(without_controls("a\xC2\x9B"
                             "2J\xC2\xA0\xC2"),
            "a 2J\xC2\xA0\xC2");
  EXPECT_EQ(without_controls("\xE2\x80\xAE"
                             "evil\xE2\x80\xAC \xE2\x81\xA6x\xE2\x81\xA9\xD8\x9C"),
            "evil x");
  EXPECT_EQ(without_controls("gr\xc3\xbc\xff\xE2\x80\x9D\xE2"), "gr\xc3\xbc\xff\xE2\x80\x9D\xE2");
  // The bytes around the character that was replaced do not join to a new one.
  EXPECT_EQ(without_controls("\xE2\x80\xE2\x80\xAE\xAE."), "\xE2 \xAE.");
  std::string line = "\tk=\xE2\x80\xAE\x01";
  clean_words(line, 3);
  EXPECT_EQ(line, "\tk= ");
}

// Bug: a C1 byte (CSI) that is not UTF-8 went through, where its UTF-8 form did not.
TEST(CleanWords, C1BytesThatAreNoUtf8AreSpaces) {
  EXPECT_EQ(without_controls("a\x9B"
                             "31m\x80\x9F\xA0."),
            "a 31m  \xA0.");
  // Such bytes stay where they are part of valid UTF-8, and only there.
  EXPECT_EQ(without_controls("\xC3\x9B\xF0\x9F\x98\x80\xE2\x80"), "\xC3\x9B\xF0\x9F\x98\x80\xE2 ");
  EXPECT_EQ(without_controls("\xE0\x9B\x80\xF0\x80\x9B\x80\xC0\x9B"), "\xE0  \xF0   \xC0 ");
  // The bytes before the given place are not looked at.
  std::string line = "\xC3\x9B";
  clean_words(line, 1);
  EXPECT_EQ(line, "\xC3 ");
}

// Blocks give the same as single bytes: each byte at each place of a block.
TEST(CleanWords, LinesKeepTheirEndsAndTabs) {
  for (unsigned c = 0; c < 0x80; ++c) {
    for (std::size_t at = 0; at < 40; ++at) {
      std::string words(40, 'x');
      words[at] = static_cast<char>(c);
      std::string lines = words;
      const bool control = c < 0x20 || c == 0x7F;
      std::string want = words;
      if (control) want[at] = ' ';
      clean_words(words);
      EXPECT_EQ(words, want);
      if (c == '\n' || c == '\t') want = lines;
      clean_lines(lines);
      EXPECT_EQ(lines, want);
    }
  }
  std::string moved =
      "\xE2\x80\xAE"
      "0123456789abcdef\n0123456789\x1b"
      "abcdef\xC2\x9B.";
  clean_lines(moved);
  EXPECT_EQ(moved, "0123456789abcdef\n0123456789 abcdef .");
}

TEST(CleanWords, EveryCodePoint) {
  for (char32_t c = 0x80; c < 0x11000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;  // surrogates are no UTF-8
    const bool control = c < 0xA0;
    const bool bidi = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                      (c >= 0x2066 && c <= 0x2069);
    const std::string text = "x" + encode(c) + "y";
    ASSERT_EQ(without_controls(text), control ? "x y"
                                      : bidi  ? "xy"
                                              : text)
        << static_cast<unsigned>(c);
  }
}

TEST(CleanWords, IsCleanWhateverComes) {
  std::mt19937 random(3);
  constexpr unsigned char kParts[] = {0xE2, 0x80, 0x81, 0xAE, 0xA6, 0xD8,
                                      0x9C, 0xC2, 0x9B, 'x',  0x1B};
  for (int round = 0; round < 50'000; ++round) {
    std::string text(random() % 16, '\0');
    for (char& c : text) c = static_cast<char>(kParts[random() % sizeof kParts]);
    const std::string clean = without_controls(text);
    ASSERT_EQ(without_controls(clean), clean);
    ASSERT_TRUE(is_safe(excerpt(text)));
    for (const char* const bad :
         {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xD8\x9C", "\xC2\x9B", "\xC2\x80", "\x1B"}) {
      ASSERT_EQ(clean.find(bad), std::string::npos);
    }
    for (std::string_view rest = clean; !rest.empty();) {
      const std::size_t length = utf8_sequence(rest);
      const auto byte = static_cast<unsigned char>(rest.front());
      ASSERT_FALSE(length == 0 && byte >= 0x80 && byte < 0xA0);
      rest.remove_prefix(std::max<std::size_t>(length, 1));
    }
  }
}

TEST(Printable, KeepsQuotesAndLength) {
  std::string out = "tool: ";
  append_printable(out, "cannot open a\x1b[2J\"b\\c\n: No such file");
  EXPECT_EQ(out, "tool: cannot open a\\x1B[2J\"b\\c\\n: No such file");
  const std::string longer(10'000, 'x');
  out.clear();
  append_printable(out, longer);
  EXPECT_EQ(out, longer);
}

// Compares with a loop over single bytes: every byte at every place, on buffers of exactly that
// size.
TEST(PlainPrefix, EveryByteAtEveryPlace) {
  for (std::size_t size = 0; size <= 49; ++size) {
    const auto bytes = std::make_unique_for_overwrite<char[]>(size);
    const std::string_view text(bytes.get(), size);
    std::fill_n(bytes.get(), size, 'a');
    EXPECT_EQ(plain_prefix(text), size);
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        bytes[at] = static_cast<char>(byte);
        const bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
        ASSERT_EQ(plain_prefix(text), plain ? size : at) << size << ' ' << at << ' ' << byte;
      }
      bytes[at] = 'a';
    }
  }
}

}  // namespace
}  // namespace spinneret
