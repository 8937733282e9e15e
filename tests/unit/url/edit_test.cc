// SPDX-License-Identifier: Apache-2.0
// The setters of the URL Standard, in its order. Each row was compared with Node.js 20's URL.
#include "url/edit.h"

#include <gtest/gtest.h>

#include <string>

namespace spinneret {
namespace {

// Returns the URL afterwards, with a '!' in front if the value was not taken.
std::string after(std::string_view text, std::string_view edit) {
  Url url;
  EXPECT_TRUE(parse(text, url)) << text;
  const auto change = parse_edit(edit);
  EXPECT_TRUE(change) << edit;
  const bool taken = set_part(url, change->part, change->value);
  return (taken ? "" : "!") + std::string(url.href());
}

struct Row {
  const char* url;
  const char* edit;
  const char* expected;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(after(row.url, row.edit), row.expected) << row.url << " " << row.edit;
  }
}

TEST(Edit, Scheme) {
  check({{"http://h/", "scheme=HTTPS", "https://h/"},
         {"http://h:443/", "scheme=https", "https://h/"},
         {"http://h/", "scheme=https:x", "https://h/"},
         {"http://h/", "scheme=ht\ntps", "https://h/"},
         {"http://h/", "scheme=", "!http://h/"},
         {"http://h/", "scheme=1a", "!http://h/"},
         {"http://h/", "scheme=mailto", "!http://h/"},
         {"mailto:a@b", "scheme=http", "!mailto:a@b"},
         {"mailto:a@b", "scheme=x+y", "x+y:a@b"},
         {"http://u@h/", "scheme=file", "!http://u@h/"},
         {"http://h:8/", "scheme=file", "!http://h:8/"},
         {"file:///x", "scheme=http", "!file:///x"},
         {"file://h/x", "scheme=http", "http://h/x"}});
}

TEST(Edit, Credentials) {
  check({{"http://h/", "user=a@b", "http://a%40b@h/"},
         {"http://u:p@h/", "user=", "http://:p@h/"},
         {"http://u:p@h/", "password=", "http://u@h/"},
         {"http://h/", "password=p:q", "http://:p%3Aq@h/"},
         {"http://h/", "user=a\nb", "http://a%0Ab@h/"},
         {"file://h/", "user=a", "!file://h/"},
         {"mailto:a@b", "user=a", "!mailto:a@b"},
         {"foo://h/", "user=a", "foo://a@h/"}});
}

TEST(Edit, Host) {
  check({{"http://h/p", "host=EXAMPLE.com", "http://example.com/p"},
         {"http://h/p", "host=b:81", "http://b:81/p"},
         {"http://h:81/p", "host=b:80", "http://b/p"},
         {"http://h:81/p", "host=b:", "http://b:81/p"},
         {"http://h:81/p", "host=b:x", "!http://b:81/p"},
         {"http://h:81/p", "host=b:99999", "!http://b:81/p"},
         {"http://h/p", "host=b:8x", "http://b:8/p"},
         {"http://h/p", "host=b/c?d#e", "http://b/p"},
         {"http://h/p", "host=b\\c", "http://b/p"},
         {"http://h/p", "host=", "!http://h/p"},
         {"http://h/p", "host=a b", "!http://h/p"},
         {"http://h/p", "host=0x7f.1", "http://127.0.0.1/p"},
         {"http://h/p", "host=[::0:1]:8", "http://[::1]:8/p"},
         {"http://h/p", "hostname=[::1", "!http://h/p"},
         {"http://h/p", "hostname=b:81", "!http://h/p"},
         {"http://h:8/p", "hostname=b", "http://b:8/p"},
         {"http://h/p",
          "hostname=stra\xC3\x9F"
          "e.de",
          "http://xn--strae-oqa.de/p"},
         {"foo://h/p", "hostname=", "foo:///p"},
         {"foo://u@h/p", "hostname=", "!foo://u@h/p"},
         {"foo://h/p", "hostname=a%b", "foo://a%b/p"},
         {"foo:/p", "hostname=h", "foo://h/p"},
         {"foo:/.//p", "hostname=h", "foo://h//p"},
         {"file:///p", "host=h", "file://h/p"},
         {"file://h/p", "host=localhost", "file:///p"},
         {"file://h/p", "host=", "file:///p"},
         {"mailto:a@b", "host=h", "!mailto:a@b"}});
}

TEST(Edit, Port) {
  check({{"http://h/", "port=8080", "http://h:8080/"},
         {"http://h:8080/", "port=", "http://h/"},
         {"http://h:8080/", "port=80", "http://h/"},
         {"http://h/", "port=0081x", "http://h:81/"},
         {"http://h/", "port=99999", "!http://h/"},
         {"http://h/", "port=x", "!http://h/"},
         {"http://h/", "port=-1", "!http://h/"},
         {"file://h/", "port=8", "!file://h/"},
         {"foo:/p", "port=8", "!foo:/p"},
         {"foo://h/", "port=80", "foo://h:80/"},
         {"http://h:8080/", "port=\t", "http://h:8080/"},
         {"foo://h:12/", "port=\n", "foo://h:12/"}});
}

TEST(Edit, Path) {
  check({{"http://h/a?q#f", "path=b", "http://h/b?q#f"},
         {"http://h/a", "path=/b/../c", "http://h/c"},
         {"http://h/a", "path=", "http://h/"},
         {"http://h/a", "path=b?c#d e", "http://h/b%3Fc%23d%20e"},
         {"http://h/a", "path=\\b\\c", "http://h/b/c"},
         {"http://h/a", "path=b ", "http://h/b%20"},
         {"foo://h/a", "path=", "foo://h"},
         {"foo://h/a", "path=b", "foo://h/b"},
         {"foo:/a", "path=//b", "foo:/.//b"},
         {"foo:/a", "path=/..//b", "foo:/.//b"},
         {"foo:/a", "path=", "foo:/"},
         {"file:///a", "path=C|/x", "file:///C:/x"},
         {"mailto:a@b", "path=c", "!mailto:a@b"}});
}

TEST(Edit, QueryAndFragment) {
  check({{"http://h/?a#f", "query=?b=c d'", "http://h/?b=c%20d%27#f"},
         {"http://h/?a", "query=", "http://h/"},
         {"http://h/?a", "query=?", "http://h/?"},
         {"http://h/", "query=#x", "http://h/?%23x"},
         {"foo:/p", "query=a'b", "foo:/p?a'b"},
         {"mailto:a@b", "query=subject=x", "mailto:a@b?subject=x"},
         {"http://h/#a", "fragment=#b `", "http://h/#b%20%60"},
         {"http://h/#a", "fragment=", "http://h/"},
         {"http://h/", "fragment=#", "http://h/#"},
         {"http://h/", "fragment=a\tb", "http://h/#ab"},
         // A value of tabs alone is not empty, and a mark behind them is no mark.
         {"http://h/?a", "query=\t", "http://h/?"},
         {"http://h/", "query=\t?a", "http://h/??a"},
         {"http://h/#a", "fragment=\r", "http://h/#"}});
}

TEST(Edit, Append) {
  const auto appended = [](std::string_view text, UrlPart part, std::string_view value) {
    Url url;
    EXPECT_TRUE(parse(text, url));
    const bool taken = append_to_part(url, part, value);
    return (taken ? "" : "!") + std::string(url.href());
  };
  EXPECT_EQ(appended("http://h/a?q", UrlPart::kPath, "b c/d?"), "http://h/a/b%20c/d%3F?q");
  EXPECT_EQ(appended("http://h/", UrlPart::kPath, "b"), "http://h/b");
  EXPECT_EQ(appended("http://h/a/", UrlPart::kPath, "b/"), "http://h/a/b/");
  EXPECT_EQ(appended("http://h/a", UrlPart::kPath, "../../b"), "http://h/b");
  EXPECT_EQ(appended("http://h/", UrlPart::kQuery, "a=b c"), "http://h/?a=b%20c");
  EXPECT_EQ(appended("http://h/?x#f", UrlPart::kQuery, "a=b&c"), "http://h/?x&a=b&c#f");
  EXPECT_EQ(appended("mailto:a@b", UrlPart::kPath, "c"), "!mailto:a@b");
  EXPECT_EQ(appended("http://h/", UrlPart::kPort, "8"), "!http://h/");
}

TEST(Edit, Replace) {
  const auto replaced = [](std::string_view text, std::string_view param) {
    Url url;
    EXPECT_TRUE(parse(text, url));
    const bool taken = replace_param(url, param);
    return (taken ? "" : "!") + std::string(url.href());
  };
  EXPECT_EQ(replaced("http://h/?a=1&b=2&a=3&#f", "a=x"), "http://h/?a=x&b=2&#f");
  EXPECT_EQ(replaced("http://h/?%61+b&c", "a b"), "http://h/?a%20b&c");
  EXPECT_EQ(replaced("http://h/?a", "b=1"), "!http://h/?a");
  EXPECT_EQ(replaced("http://h/", "b=1"), "!http://h/");
  // A parameter with an empty name exists there.
  EXPECT_EQ(replaced("http://h/?", "=1"), "http://h/?=1");
  EXPECT_EQ(replaced("http://h/?a=1", "a=#'"), "http://h/?a=%23%27");
}

TEST(Edit, ApplyDoesAnyOfTheThree) {
  Url url;
  ASSERT_TRUE(parse("http://h/a?b=1", url));
  EXPECT_TRUE(apply({UrlPart::kPort, "8080", UrlEdit::How::kSet}, url));
  EXPECT_TRUE(apply({UrlPart::kPath, "c", UrlEdit::How::kAppend}, url));
  EXPECT_TRUE(apply({UrlPart::kQuery, "b=2", UrlEdit::How::kReplace}, url));
  // A parameter to replace may be missing; a value that its part does not take changes nothing.
  EXPECT_TRUE(apply({UrlPart::kQuery, "x=2", UrlEdit::How::kReplace}, url));
  EXPECT_FALSE(apply({UrlPart::kPort, "http", UrlEdit::How::kSet}, url));
  EXPECT_FALSE(apply({UrlPart::kPort, "8", UrlEdit::How::kAppend}, url));
  EXPECT_EQ(url.href(), "http://h:8080/a/c?b=2");
}

TEST(Edit, NamesOfParts) {
  EXPECT_FALSE(parse_edit("prot=8"));
  EXPECT_FALSE(parse_edit("port"));
  EXPECT_EQ(parse_edit("query=a=b")->value, "a=b");
}

}  // namespace
}  // namespace spinneret
