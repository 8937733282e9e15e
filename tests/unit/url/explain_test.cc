// SPDX-License-Identifier: Apache-2.0
#include "url/explain.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "url/parse_notes.h"

namespace spinneret {
namespace {

std::string explained(std::string_view input, std::uint32_t steps, const Url* base = nullptr) {
  Normalizer normalizer({.steps = steps});
  normalizer.keep_parsed(true);
  std::string_view url;
  EXPECT_TRUE(normalizer.normalize(input, base, url)) << input;
  std::string out;
  append_explanation(out, input, normalizer);
  return out;
}

TEST(Explanation, NamesWhatTheParserDid) {
  EXPECT_EQ(explained("http://h/", 0), "");
  EXPECT_EQ(explained(" HTTP://EXAMPLE.com:80/a/../b c", 0),
            "space,scheme-case,host-case,port,dot-segments,escaped");
  EXPECT_EQ(explained("http:\\\\h\\a", 0), "backslash");
  EXPECT_EQ(explained("http:h", 0), "slashes,empty-path");
  EXPECT_EQ(explained("http://@b\xC3\xBC"
                      "cher.de/",
                      0),
            "userinfo,idna");
  EXPECT_EQ(explained("http://0x7f.1/", 0), "address");
  EXPECT_EQ(explained("http://[::0]/", 0), "address");
  EXPECT_EQ(explained("http://%61/", 0), "host");
  EXPECT_EQ(explained("http://h/a?b c", 0), "escaped");
  EXPECT_EQ(explained("http://b%C3%BCcher/", 0), "idna,host");
}

TEST(Explanation, NamesTheStepsToo) {
  EXPECT_EQ(explained("http://h/%7e#f", kStepFragment | kStepUnreserved | kStepHexCase),
            "fragment,unreserved");
  EXPECT_EQ(explained("HTTP://h/?utm_source=1", kStepTracking), "scheme-case,tracking");
}

TEST(Explanation, OfAResolvedUrl) {
  Url base;
  ASSERT_TRUE(parse("http://h/a/b", base));
  EXPECT_EQ(explained("../c", 0, &base), "resolved");
}

// Bug: each of these changed, and had no step or a wrong one.
TEST(Explanation, EveryChangeHasItsStep) {
  EXPECT_EQ(explained("https://h:/", 0), "port");
  EXPECT_EQ(explained("foo://h:/", 0), "port");
  EXPECT_EQ(explained("mailto:\xC3\xA9", 0), "escaped");
  EXPECT_EQ(explained("mailto:a ?b", 0), "escaped");
  EXPECT_EQ(explained("MAILTO:a", 0), "scheme-case");
  EXPECT_EQ(explained("http://\xC3\xBCser:p\xC3\xA4@h/", 0), "escaped");
  EXPECT_EQ(explained("http://u:@h/", 0), "userinfo");
  EXPECT_EQ(explained("http://u:p:@h/", 0), "escaped");
  EXPECT_EQ(explained("foo://\xC3\xA9/", 0), "escaped");
  EXPECT_EQ(explained("foo:/a/./b", 0), "dot-segments");
  EXPECT_EQ(explained("foo:/..//b", 0), "dot-segments");
  EXPECT_EQ(explained("Foo:/.//b", 0), "scheme-case");
  EXPECT_EQ(explained("http://h/%41/../\xC3\xA9", 0), "dot-segments,escaped");
  EXPECT_EQ(explained("http://h/\xC3\xA9/../b", 0), "dot-segments");
}

TEST(Explanation, OfFileUrls) {
  EXPECT_EQ(explained("file:///a?\xC3\xA9", 0), "escaped");
  EXPECT_EQ(explained("file:/a", 0), "slashes");
  EXPECT_EQ(explained("file:a", 0), "slashes");
  EXPECT_EQ(explained("file:", 0), "slashes");
  EXPECT_EQ(explained("file://h", 0), "empty-path");
  EXPECT_EQ(explained("file://H/a", 0), "host-case");
  EXPECT_EQ(explained("file://localhost/a", 0), "host");
  EXPECT_EQ(explained("file:////a/../b", 0), "dot-segments");
  EXPECT_EQ(explained("file:///C|/a", 0), "drive-letter");
  EXPECT_EQ(explained("file://C:/a", 0), "slashes");
  EXPECT_EQ(explained("file:\\\\h\\a", 0), "backslash");
}

TEST(Explanation, OfKeys) {
  EXPECT_EQ(explained("com,example)/A", kStepSurt | kStepLowerPath), "lower-path,surt");
  EXPECT_EQ(explained("com,EXAMPLE)/", kStepSurt), "surt");
}

TEST(Explanation, OfAUrlWithTheSchemeOfItsBase) {
  Url base;
  ASSERT_TRUE(parse("http://h/a/b", base));
  EXPECT_EQ(explained("http:c", 0, &base), "resolved");
  EXPECT_EQ(explained(" http:c", 0, &base), "space,resolved");
  EXPECT_EQ(explained("HTTP://h/c", 0, &base), "scheme-case");
}

// Over all profiles, with and without a base: if the output differs, there is a step.
TEST(Explanation, NoChangeWithoutAStep) {
  static constexpr std::string_view kPieces[] = {
      "http",       "HTTPS", "file",  "foo",      "ws",
      "mailto",     ":",     ":",     "//",       "/",
      "\\",         "?",     "#",     "@",        ".",
      "..",         "/../",  "/./",   "%2e",      "%41",
      "%7e",        "%",     " ",     "\t",       "C|",
      "c:",         "H",     "h",     "1.2",      "0x7f.1",
      "[::0]",      ":80",   ":0443", ":",        "a",
      "\xC3\xA9",   "\xFF",  "www.",  "b.org",    "localhost",
      "index.html", "&",     "=",     "utm_a=1",  ";jsessionid=1",
      "com,b)/",    "'",     "|",     "user:pw@", "//h/",
  };
  std::mt19937 random(4);
  Url base;
  ASSERT_TRUE(parse("http://base/x/y?z", base));
  int changed = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string input;
    if (random() % 2 == 0) input = std::string(kPieces[random() % 6]) + "://h";
    for (std::uint_fast32_t count = random() % 9; count > 0; --count) {
      input += kPieces[random() % std::size(kPieces)];
    }
    for (const ProfileInfo& profile : all_profiles()) {
      for (const Url* const on :
           {static_cast<const Url*>(nullptr), static_cast<const Url*>(&base)}) {
        Normalizer normalizer({.steps = profile.steps});
        normalizer.keep_parsed(true);
        std::string_view url;
        if (!normalizer.normalize(input, on, url) || url == input) continue;
        std::string out;
        append_explanation(out, input, normalizer);
        ASSERT_NE(out, "") << profile.name << ' ' << input << " became " << url;
        ++changed;
      }
    }
  }
  EXPECT_GT(changed, 50000);
}

std::string faults(std::string_view input, const Url* base = nullptr) {
  Url url;
  ParseNotes notes;
  const bool valid = parse_noted(input, base, url, notes);
  std::string out = valid ? "" : "!";
  for (const ParseFault& fault : notes.faults())
    ((out += out.size() > 1 ? " " : "") += fault.name) += "@" + std::to_string(fault.offset);
  return out;
}

// The validation errors of the URL Standard, section 1.1, in its order.
TEST(Lint, NamesTheErrorsOfHosts) {
  EXPECT_EQ(faults("http://h/a%20b?q#f"), "");
  EXPECT_EQ(faults("http://xn--iñvalid.com/"), "!domain-to-ASCII@7");
  EXPECT_EQ(faults("http://\xC2\xAD/"), "!domain-to-ASCII@7");
  EXPECT_EQ(faults("https://exa%23mple.org"), "!domain-invalid-code-point@8");
  EXPECT_EQ(faults("http://a b/"), "!domain-invalid-code-point@8");
  EXPECT_EQ(faults("foo://exa[mple.org"), "!host-invalid-code-point@9");
  EXPECT_EQ(faults("https://127.0.0.1./"), "IPv4-empty-part@17");
  EXPECT_EQ(faults("https://1.2.3.4.5/"), "!IPv4-too-many-parts@8");
  EXPECT_EQ(faults("https://test.42"), "!IPv4-non-numeric-part@8");
  EXPECT_EQ(faults("https://127.0.0x0.1"), "IPv4-non-decimal-part@8");
  EXPECT_EQ(faults("https://255.255.4000.1"), "!IPv4-out-of-range-part@8");
  EXPECT_EQ(faults("https://1.500"), "IPv4-out-of-range-part@8");
  EXPECT_EQ(faults("https://[::1"), "!IPv6-unclosed@8");
  EXPECT_EQ(faults("https://[:1]"), "!IPv6-invalid-compression@9");
  EXPECT_EQ(faults("https://[1:2:3:4:5:6:7:8:9]"), "!IPv6-too-many-pieces@25");
  EXPECT_EQ(faults("https://[1::1::1]"), "!IPv6-multiple-compression@14");
  EXPECT_EQ(faults("https://[1:2:3!:4]"), "!IPv6-invalid-code-point@14");
  EXPECT_EQ(faults("https://[1:2:3:]"), "!IPv6-invalid-code-point@15");
  EXPECT_EQ(faults("https://[1:2:3]"), "!IPv6-too-few-pieces@14");
  EXPECT_EQ(faults("https://[1:1:1:1:1:1:1:127.0.0.1]"), "!IPv4-in-IPv6-too-many-pieces@23");
  EXPECT_EQ(faults("https://[ffff::.0.0.1]"), "!IPv4-in-IPv6-invalid-code-point@15");
  EXPECT_EQ(faults("https://[ffff::127.0.xyz.1]"), "!IPv4-in-IPv6-invalid-code-point@21");
  EXPECT_EQ(faults("https://[ffff::127.0.0.4000]"), "!IPv4-in-IPv6-out-of-range-part@25");
  EXPECT_EQ(faults("https://[ffff::127.0.0]"), "!IPv4-in-IPv6-too-few-parts@22");
}

TEST(Lint, NamesTheErrorsOfUrls) {
  EXPECT_EQ(faults("https://example.org/>"), "invalid-URL-unit@20");
  EXPECT_EQ(faults(" https://example.org\n/a "),
            "invalid-URL-unit@0 invalid-URL-unit@20 invalid-URL-unit@23");
  EXPECT_EQ(faults("http://h/%s?%zz#%"),
            "invalid-URL-unit@9 invalid-URL-unit@12 invalid-URL-unit@16");
  EXPECT_EQ(faults("http://h/\xC3\xA9\xC2\x80\xFF|"),
            "invalid-URL-unit@11 invalid-URL-unit@13 invalid-URL-unit@14");
  EXPECT_EQ(faults("foo://a|%zz/"), "!host-invalid-code-point@7");
  EXPECT_EQ(faults("foo://a{%zz/"), "invalid-URL-unit@7 invalid-URL-unit@8");
  EXPECT_EQ(faults("mailto:a b<"), "invalid-URL-unit@10");
  EXPECT_EQ(faults("file:c:/my-secret-folder"), "special-scheme-missing-following-solidus@5");
  EXPECT_EQ(faults("https:example.org"), "special-scheme-missing-following-solidus@6");
  EXPECT_EQ(faults("https:///example.org"), "special-scheme-missing-following-solidus@8");
  EXPECT_EQ(faults("http:\\\\h"),
            "special-scheme-missing-following-solidus@5 "
            "special-scheme-missing-following-solidus@5 "
            "special-scheme-missing-following-solidus@6");
  EXPECT_EQ(faults("/a"), "!missing-scheme-non-relative-URL@0");
  EXPECT_EQ(faults("https://example.org\\path\\x"),
            "invalid-reverse-solidus@19 invalid-reverse-solidus@24");
  EXPECT_EQ(faults("https://user@example.org"), "invalid-credentials@12");
  EXPECT_EQ(faults("ssh://u@v@h"), "invalid-credentials@7 invalid-credentials@9");
  EXPECT_EQ(faults("https://#fragment"), "!host-missing@8");
  EXPECT_EQ(faults("https://:443"), "!host-missing@8");
  EXPECT_EQ(faults("https://user:pass@"), "!invalid-credentials@17 host-missing@18");
  EXPECT_EQ(faults("https://example.org:70000"), "!port-out-of-range@20");
  EXPECT_EQ(faults("https://example.org:7z"), "!port-invalid@21");
  EXPECT_EQ(faults("file://c:"), "file-invalid-Windows-drive-letter-host@7");
}

TEST(Lint, OfARelativeUrl) {
  Url base;
  ASSERT_TRUE(parse("https://h/a/b", base));
  EXPECT_EQ(faults("../c d", &base), "invalid-URL-unit@4");
  EXPECT_EQ(faults("https:c", &base), "special-scheme-missing-following-solidus@6");
  EXPECT_EQ(faults("\\\\g\\x", &base),
            "invalid-reverse-solidus@0 invalid-reverse-solidus@1 invalid-reverse-solidus@3");
  Url file;
  ASSERT_TRUE(parse("file:///c:/a", file));
  EXPECT_EQ(faults("c|/path/to/file", &file),
            "file-invalid-Windows-drive-letter@0 invalid-URL-unit@1");
  Url mail;
  ASSERT_TRUE(parse("mailto:user@example.org", mail));
  EXPECT_EQ(faults("\xF0\x9F\x92\xA9", &mail), "!missing-scheme-non-relative-URL@0");
}

TEST(Lint, IsBounded) {
  Url url;
  ParseNotes notes;
  EXPECT_TRUE(parse_noted("http://h/" + std::string(1U << 20, '|'), nullptr, url, notes));
  EXPECT_EQ(notes.faults().size(), ParseNotes::kMaxFaults);
}

// The fast parser is the twin of the one that takes notes.
TEST(Lint, NotesChangeNothing) {
  const std::string_view pieces[] = {"http:", "foo:",     "file:", "//", "/",        "\\",
                                     "?",     "#",        "@",     ":",  "80",       "..",
                                     ".",     "%2e",      "%",     "C|", "h",        "[::1]",
                                     "1.0x2", "\xC3\xA9", " ",     "\t", "localhost"};
  std::mt19937 random(11);
  Url base;
  ASSERT_TRUE(parse("file://h/C:/a", base));
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random() % 9; n > 0; --n) text += pieces[random() % std::size(pieces)];
    for (const Url* on : {static_cast<const Url*>(nullptr), static_cast<const Url*>(&base)}) {
      Url fast;
      Url noted;
      ParseNotes notes;
      UrlError fast_why;
      UrlError noted_why;
      const bool valid =
          on != nullptr ? resolve(text, *on, fast, &fast_why) : parse(text, fast, &fast_why);
      ASSERT_EQ(parse_noted(text, on, noted, notes, &noted_why), valid) << text;
      ASSERT_TRUE(!valid || fast.href() == noted.href()) << text;
      ASSERT_EQ(fast_why.message, noted_why.message);
      ASSERT_EQ(fast_why.offset, noted_why.offset);
      ASSERT_TRUE(valid || !notes.faults().empty()) << text;
    }
  }
}

}  // namespace
}  // namespace spinneret
