// SPDX-License-Identifier: Apache-2.0
#include "http/cdxj.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/temporary_folder.h"

namespace spinneret {
namespace {

// As the cdx-index of npm's warcio makes them of the same URLs.
TEST(Cdxj, Keys) {
  const std::pair<const char*, const char*> rows[] = {
      {"http://example.com/", "com,example)/"},
      {"https://www.Example.COM/A/B.html", "com,example)/a/b.html"},
      {"http://www2.example.com/", "com,example)/"},
      {"http://www.com/", "com)/"},
      {"http://wwwx.example.com/", "com,example,wwwx)/"},
      {"https://example.com:443/a/", "com,example)/a/"},
      {"http://example.com:8080/", "com,example:8080)/"},
      {"http://127.0.0.1:81/x", "1,0,0,127:81)/x"},
      {"http://[::1]/x", "[::1])/x"},
      {"http://localhost/%C3%A9", "localhost)/%c3%a9"},
      {"http://a/?b=2&A=1&a", "a)/?a&a=1&b=2"},
      {"http://a/?", "a)/"},
      {"http://a/?&", "a)/?&"},
      {"http://a/x;jsessionid=1?q", "a)/x;jsessionid=1?q"},
      {"no url", "no url"},
      {"mailto:a@b", "mailto:a@b"},
  };
  for (const auto& [url, key] : rows) EXPECT_EQ(cdxj_key(url), key) << url;
}

TEST(Cdxj, Line) {
  EXPECT_EQ(cdxj_line({"http://a.b/?\"\\", 1'700'000'000'999, "text/html", 200, "ABC", 7, 9,
                       "x y\x01\xE9.warc"}),
            "b,a)/?%22\\ 20231114221320 "
            "{\"url\":\"http://a.b/?\\\"\\\\\",\"mime\":\"text/html\",\"status\":\"200\","
            "\"digest\":\"ABC\",\"length\":\"9\",\"offset\":\"7\",\"filename\":\"x "
            "y\\u0001\\u00e9.warc\"}\n");
  EXPECT_EQ(cdxj_line({"http://a/", 0, "", 304, "", 1, 2, "x"}),
            "a)/ 19700101000000 "
            "{\"url\":\"http://a/\",\"status\":\"304\",\"length\":\"2\",\"offset\":\"1\","
            "\"filename\":\"x\"}\n");
}

TEST(Cdxj, SortedWhenFinished) {
  const TemporaryFolder folder;
  Result<CdxjIndex> index = CdxjIndex::begin(folder.path() + "/x.warc.gz");
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(index->path(), folder.path() + "/x.cdxj");
  for (const char* const url : {"http://b/", "http://a/", "http://c/", "http://a/"}) {
    ASSERT_TRUE(index->add({url, 1000, "", 200, "", 0, 1, "x"}).ok());
  }
  EXPECT_FALSE(read_file(index->path()).ok());
  // What a kill leaves.
  EXPECT_TRUE(read_file(index->path() + ".part")->starts_with("b)/ "));
  ASSERT_TRUE(index->finish().ok());
  EXPECT_FALSE(read_file(index->path() + ".part").ok());
  const std::string text = *read_file(index->path());
  EXPECT_EQ(text, cdxj_line({"http://a/", 1000, "", 200, "", 0, 1, "x"}) +
                      cdxj_line({"http://a/", 1000, "", 200, "", 0, 1, "x"}) +
                      cdxj_line({"http://b/", 1000, "", 200, "", 0, 1, "x"}) +
                      cdxj_line({"http://c/", 1000, "", 200, "", 0, 1, "x"}));
}

}  // namespace
}  // namespace spinneret
