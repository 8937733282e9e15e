// SPDX-License-Identifier: Apache-2.0
#include "http/body_store.h"

#include <gtest/gtest.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "http/body_pack.h"
#include "http/cdxj.h"
#include "http/digest.h"
#include "support/small_files.h"
#include "support/temporary_folder.h"

namespace spinneret::http {
namespace {

class BodyStoreTest : public testing::Test {
 protected:
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }
  const TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

constexpr char kHex[] = "ab0123456789abcdef0123456789abcd";

TEST_F(BodyStoreTest, PutsEachBodyOnce) {
  Result<BodyStore> store = BodyStore::open(folder_ + "/new/deep");
  ASSERT_TRUE(store.ok());
  const Result<std::string> path = store->put(kHex, "body");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, folder_ + "/new/deep/ab/0123456789abcdef0123456789abcd");
  EXPECT_EQ(*read_file(*path), "body");
  EXPECT_EQ(*store->put(kHex, "body"), *path);
  EXPECT_EQ(files(), 1U);
  // Another process gets the same result.
  Result<BodyStore> other = BodyStore::open(folder_ + "/new/deep");
  EXPECT_EQ(*other->put(kHex, "body"), *path);
  EXPECT_EQ(files(), 1U);
}

TEST_F(BodyStoreTest, ACollisionIsKeptApart) {
  Result<BodyStore> store = BodyStore::open(folder_);
  const std::string first = *store->put(kHex, "one");
  const std::string second = *store->put(kHex, "two");
  const std::string third = *store->put(kHex, "three");
  EXPECT_EQ(second, first + ".1");
  EXPECT_EQ(third, first + ".2");
  EXPECT_EQ(*store->put(kHex, "two"), second);
  EXPECT_EQ(*read_file(first), "one");
  EXPECT_EQ(*read_file(second), "two");
}

TEST_F(BodyStoreTest, ASymlinkIsNotFollowed) {
  Result<BodyStore> store = BodyStore::open(folder_);
  ASSERT_TRUE(store->put(kHex, "x").ok());
  const std::string path = *store->put(kHex, "x");
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(symlink("/etc/passwd", path.c_str()), 0);
  const Result<std::string> placed = store->put(kHex, "x");
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(*placed, path + ".1");
}

// Bug: files that a killed run had left stopped a later one with the same process number.
TEST_F(BodyStoreTest, LeftoversAreNoObstacle) {
  Result<BodyStore> store = BodyStore::open(folder_);
  for (const char* count : {"0", "1", "3"}) {
    const std::string left = folder_ + "/.new." + std::to_string(getpid()) + "." + count;
    ASSERT_TRUE(write_file_atomic(left, "torn").ok());
  }
  EXPECT_EQ(*read_file(*store->put("00aa", "one")), "one");
  EXPECT_EQ(*read_file(*store->put("00bb", "two")), "two");
}

TEST_F(BodyStoreTest, EmptyAndLargeBodies) {
  Result<BodyStore> store = BodyStore::open(folder_);
  EXPECT_EQ(*read_file(*store->put("00aa", "")), "");
  const std::string large(3'000'000, 'l');
  EXPECT_EQ(*read_file(*store->put("00bb", large)), large);
  EXPECT_EQ(*store->put("00bb", large), folder_ + "/00/bb");
}

TEST_F(BodyStoreTest, FailuresAreSaid) {
  EXPECT_FALSE(BodyStore::open("/proc/none/x").ok());
  Result<BodyStore> store = BodyStore::open(folder_);
  ASSERT_TRUE(store.ok());
  // A file is where a subfolder should be.
  ASSERT_TRUE(write_file_atomic(folder_ + "/cd", "in the way").ok());
  const Result<std::string> path = store->put("cd00", "x");
  ASSERT_FALSE(path.ok());
  EXPECT_NE(path.message().find(folder_), std::string::npos);
}

struct Kept {
  std::string url;
  std::string body;
};

class BodyPackTest : public testing::Test {
 protected:
  BodyPack open() {
    Result<BodyPack> pack = BodyPack::open(folder_);
    EXPECT_TRUE(pack.ok());
    return pack.take();
  }
  static Result<BodyPlace> put(BodyPack& pack, const std::string& url, const std::string& body) {
    const std::string digest = digest_hex(DigestKind::kXxh3, body);
    return pack.put({digest, url, "text/html", "utf-8", 1'700'000'000'123}, body);
  }
  static std::string at(const BodyPlace& place, std::size_t size) {
    return read_file(place.file)->substr(place.offset, size);
  }
  // Returns all entries, each body read at its place.
  std::vector<Kept> entries() {
    std::vector<Kept> out;
    const Status read = for_each_entry(folder_, [&](const PackEntry& entry) {
      out.push_back({std::string(entry.facts.url),
                     at({pack_path(folder_, entry.pack), entry.offset}, entry.size)});
      EXPECT_TRUE(may_be_digest(entry.facts.digest, out.back().body));
      return true;
    });
    EXPECT_TRUE(read.ok());
    return out;
  }
  std::string first() const { return pack_path(folder_, 1); }

  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path() + "/store";
};

TEST_F(BodyPackTest, BodiesAreWhereItSays) {
  BodyPack pack = open();
  EXPECT_FALSE(read_file(first()).ok());  // without a body there is no pack
  const std::string bodies[] = {"one", "", std::string(100'000, 'x'), "a\nb\n",
                                std::string("\0\n", 2)};
  int number = 0;
  for (const std::string& body : bodies) {
    const auto place = put(pack, "http://a/" + std::to_string(number++), body);
    ASSERT_TRUE(place.ok());
    EXPECT_EQ(at(*place, body.size()), body);
  }
  const std::vector<Kept> got = entries();
  ASSERT_EQ(got.size(), std::size(bodies));
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].url, "http://a/" + std::to_string(i));
    EXPECT_EQ(got[i].body, bodies[i]);
  }
}

TEST_F(BodyPackTest, FactsComeBackAndOddOnesAreLeftOut) {
  BodyPack pack = open();
  const std::string digest(64, 'a');
  ASSERT_TRUE(pack.put({digest, "no url \r\xFF", "", "x y", 5}, "1").ok());
  ASSERT_TRUE(
      pack.put({std::string(64, 'b'), std::string(100'000, 'u'), "a/b", "c\nd", 5}, "2").ok());
  std::vector<std::string> got;
  ASSERT_TRUE(for_each_entry(folder_, [&](const PackEntry& entry) {
                got.push_back(std::string(entry.facts.url) + "|" + std::string(entry.facts.type) +
                              "|" + std::string(entry.facts.charset));
                return true;
              }).ok());
  EXPECT_EQ(got, (std::vector<std::string>{"no url \r\xFF||", "|a/b|"}));
}

TEST_F(BodyPackTest, FieldsComeBackBesideTheUrlAndTooManyAreLeftOut) {
  BodyPack pack = open();
  const std::string most = "\tlink=" + std::string((1 << 16) - 6, 'f');
  const std::vector<std::string> put = {"", "\tlink=a\\tb\thop=302 c", most, most + "g"};
  for (const std::string& fields : put)
    ASSERT_TRUE(pack.put({std::string(64, 'a'), "http://a/", "", "", 5, fields}, "1").ok());
  std::vector<std::string> got;
  ASSERT_TRUE(for_each_entry(folder_, [&](const PackEntry& entry) {
                EXPECT_EQ(entry.facts.url, "http://a/");
                got.emplace_back(entry.facts.fields);
                return true;
              }).ok());
  EXPECT_EQ(got, (std::vector<std::string>{put[0], put[1], put[2], ""}));
}

TEST_F(BodyPackTest, TheSameBodyIsStoredOnceAlsoByTheNextProcess) {
  BodyPack one = open();
  const std::string body(5000, 'b');
  const BodyPlace place = *put(one, "http://a/", body);
  EXPECT_EQ(put(one, "http://b/", body)->offset, place.offset);
  BodyPack two = open();
  const BodyPlace again = *put(two, "http://c/", body);
  EXPECT_EQ(again.file, place.file);
  EXPECT_EQ(again.offset, place.offset);
  EXPECT_LT(read_file(first())->size() + read_file(pack_path(folder_, 2))->size(), 6000U);
  const std::vector<Kept> got = entries();
  ASSERT_EQ(got.size(), 3U);
  for (const Kept& kept : got) EXPECT_EQ(kept.body, body);
  EXPECT_EQ(got[2].url, "http://c/");
}

TEST_F(BodyPackTest, TwoBodiesThatShareADigestAreTwo) {
  BodyPack pack = open();
  const std::string digest(32, 'd');
  const BodyPlace one = *pack.put({digest, "http://a/", "", "", 1}, "one");
  const BodyPlace two = *pack.put({digest, "http://b/", "", "", 1}, "two");
  EXPECT_EQ(at(one, 3), "one");
  EXPECT_EQ(at(two, 3), "two");
}

// The disk has lost the body, or somebody has changed it: the body is stored once more.
TEST_F(BodyPackTest, ABodyThatIsDamagedIsNotTakenForTheNewOne) {
  BodyPlace place;
  {
    BodyPack pack = open();
    place = *put(pack, "http://a/", "the body");
  }
  const Fd file = open_file(place.file, O_WRONLY).take();
  ASSERT_EQ(::pwrite(file.get(), "X", 1, static_cast<off_t>(place.offset)), 1);
  BodyPack pack = open();
  const BodyPlace again = *put(pack, "http://a/", "the body");
  EXPECT_NE(again.file, place.file);
  EXPECT_EQ(at(again, 8), "the body");
}

// The writer is killed at any byte: all entries before are there, and the next writer goes on in
// another pack.
TEST_F(BodyPackTest, ATornEndCostsTheLastEntryAlone) {
  std::vector<std::uint64_t> ends;
  {
    BodyPack pack = open();
    for (int i = 0; i < 4; ++i) {
      const std::string body = i == 3 ? "body 1" : "body " + std::to_string(i);
      ASSERT_TRUE(put(pack, "http://a/" + std::to_string(i), body).ok());
      ends.push_back(read_file(first())->size());
    }
  }
  const std::string whole = *read_file(first());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(::truncate(first().c_str(), static_cast<off_t>(size)), 0);
    const auto kept = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [&](std::uint64_t end) { return end <= size; }));
    EXPECT_EQ(entries().size(), kept) << size;
    ASSERT_TRUE(write_file_atomic(first(), whole).ok());
  }
  ASSERT_EQ(::truncate(first().c_str(), static_cast<off_t>(ends[1] + 5)), 0);
  BodyPack pack = open();
  ASSERT_TRUE(put(pack, "http://new/", "new").ok());
  EXPECT_EQ(entries().size(), 3U);
}

TEST_F(BodyPackTest, NoByteThatIsWrongLeadsElsewhere) {
  {
    BodyPack pack = open();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(put(pack, "http://a/", std::to_string(i)).ok());
  }
  const std::string whole = *read_file(first());
  const std::vector<Kept> want = entries();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 4);
    ASSERT_TRUE(write_file_atomic(first(), bytes).ok());
    std::size_t number = 0;
    ASSERT_TRUE(for_each_entry(folder_, [&](const PackEntry& entry) {
                  EXPECT_EQ(entry.facts.url, want[number].url) << i;
                  EXPECT_EQ(entry.size, 1U) << i;
                  ++number;
                  return true;
                }).ok());
    EXPECT_LE(number, want.size());
  }
}

// There are several writers, each with packs of its own; each may also meet the others'
// half-written ends.
TEST_F(BodyPackTest, ManyWritersShareAFolder) {
  std::vector<BodyPack> packs;
  for (int i = 0; i < 5; ++i) packs.push_back(open());
  std::map<std::string, int> places;
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    const BodyPlace place = *put(packs[static_cast<std::size_t>(i) % packs.size()], n, "body " + n);
    ++places[place.file + ":" + std::to_string(place.offset)];
  }
  EXPECT_EQ(places.size(), 50U);
  EXPECT_EQ(entries().size(), 50U);
  EXPECT_EQ(open_file(pack_path(folder_, 6), O_RDONLY).ok(), false);
}

TEST_F(BodyPackTest, AFolderThatIsNoneIsSaid) {
  ASSERT_TRUE(write_file_atomic(temporary_.path() + "/file", "").ok());
  EXPECT_FALSE(BodyPack::open(temporary_.path() + "/file").ok());
  EXPECT_FALSE(
      for_each_entry(temporary_.path() + "/none", [](const PackEntry&) { return true; }).ok());
}

TEST_F(BodyPackTest, AWriteThatFailsLeavesThePackAsItWas) {
  BodyPack pack = open();
  ASSERT_TRUE(put(pack, "http://a/", "one").ok());
  const std::string before = *read_file(first());
  {
    const SmallFiles full(before.size() + 100);
    EXPECT_FALSE(put(pack, "http://b/", std::string(1000, 'b')).ok());
  }
  EXPECT_EQ(*read_file(first()), before);
  ASSERT_TRUE(put(pack, "http://c/", "two").ok());
  EXPECT_EQ(entries().size(), 2U);
}

// Bug: a pack that could not be begun was removed, and took all later bodies although it had no
// name any more.
TEST_F(BodyPackTest, APackThatCouldNotBeBegunIsBegunAgain) {
  BodyPack pack = open();
  {
    const SmallFiles full(10);
    EXPECT_FALSE(put(pack, "http://a/", "one").ok());
  }
  const auto place = put(pack, "http://a/", "two");
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(read_file(place->file).ok());
  EXPECT_EQ(entries().size(), 1U);
}

// The keys are those that the cdx-index of npm's warcio makes of the same URLs.
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
            "y\\u0001\xEF\xBF\xBD.warc\"}\n");
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
  // A kill leaves this.
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
}  // namespace spinneret::http
