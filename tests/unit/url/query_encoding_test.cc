// SPDX-License-Identifier: Apache-2.0
// Percent-encode after encoding (URL Standard, section 1.3), by percent-encoding.json. The
// encodings themselves are not tested here: a stub knows the few characters of the vectors.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/file.h"
#include "base/utf8.h"
#include "support/json.h"
#include "url/parse.h"

namespace spinneret {
namespace {

class StubEncoder : public QueryEncoder {
 public:
  explicit StubEncoder(std::string name) : name_(std::move(name)) {}

  void encode(std::string_view text, std::string& out) const override {
    while (!text.empty()) {
      char32_t c = 0;
      const std::size_t size = utf8_sequence(text, &c);
      const auto known = kKnown.find({name_, c});
      const bool shift = name_ == "iso-2022-jp" && (c == 0x0E || c == 0x0F || c == 0x1B);
      if (known != kKnown.end()) {
        out += known->second;
      } else if (c < 0x80 && !shift) {
        out += static_cast<char>(c);
      } else {
        out += "&#" + std::to_string(static_cast<unsigned>(shift ? 0xFFFD : c)) + ";";
      }
      text.remove_prefix(size);
    }
  }

 private:
  static const std::map<std::pair<std::string, char32_t>, std::string> kKnown;
  std::string name_;
};

const std::map<std::pair<std::string, char32_t>, std::string> StubEncoder::kKnown = {
    {{"euc-kr", 0x2020}, "\xA2\xD3"},
    {{"windows-1252", 0x2020}, "\x86"},
    {{"shift_jis", 0x2212}, "\x81|"},
    {{"iso-2022-jp", 0x203E}, "\x1B(J~\x1B(B"},
    {{"iso-2022-jp", 0x3042}, "\x1B$B$\"\x1B(B"},
    {{"jis-gamma", 0x393}, "\x1B$B&#1;\x1B(B"},
};

std::string query_of(std::string_view query, const std::string& encoding,
                     std::string_view scheme = "https") {
  Url base;
  Url url;
  EXPECT_TRUE(parse(std::string(scheme) + "://h/", base));
  const StubEncoder encoder(encoding);
  EXPECT_TRUE(resolve("?" + std::string(query), base, url, nullptr,
                      encoding == "utf-8" ? nullptr : &encoder));
  return std::string(url.query());
}

TEST(QueryEncoding, EveryCase) {
  Result<std::string> text = read_file(SPINNERET_SHARED_DATA "/url/percent-encoding.json");
  if (!text.ok()) GTEST_SKIP() << "no ../shared/data/url/percent-encoding.json";
  const Json cases = Json::parse(*text);
  int run = 0;
  for (const Json& test : cases.items()) {
    if (!test.is_object()) continue;
    for (const auto& [encoding, wanted] : test["output"].members()) {
      SCOPED_TRACE(encoding);
      ++run;
      EXPECT_EQ(query_of(test["input"].text(), encoding), wanted.text());
    }
  }
  EXPECT_GE(run, 16);
}

TEST(QueryEncoding, OnlyWhatTheEncoderLacksIsAReference) {
  // The ampersand and number sign of the text stay as they are; those of a reference are data.
  EXPECT_EQ(query_of("&x;=\u20AC", "iso-8859-2"), "&x;=%26%238364%3B");
  // Two-byte codes of ISO-2022-JP may look like a reference.
  EXPECT_EQ(query_of("\u0393", "jis-gamma"), "%1B$B&%231;%1B(B");
}

TEST(QueryEncoding, SetsDifferForSpecialUrls) {
  EXPECT_EQ(query_of("'\u3042", "iso-2022-jp"), "%27%1B$B$%22%1B(B");
}

TEST(QueryEncoding, WebSocketsAndOthersAreUtf8) {
  EXPECT_EQ(query_of("\u2020", "windows-1252", "wss"), "%E2%80%A0");
  EXPECT_EQ(query_of("\u2020", "windows-1252", "foo"), "%E2%80%A0");
}

}  // namespace
}  // namespace spinneret
