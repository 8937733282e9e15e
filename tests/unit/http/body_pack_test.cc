// SPDX-License-Identifier: Apache-2.0
#include "http/body_pack.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "http/digest.h"
#include "support/temporary_folder.h"

namespace spinneret {
namespace {

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
  // All entries, each body read at its place.
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
  EXPECT_FALSE(read_file(first()).ok());  // no body, no pack
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

// The disk has lost it, or somebody has changed it: what is stored again is stored.
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

// Killed at any byte: all entries before it are there, and the next writer goes on beside.
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

// Any number of processes, each with packs of its own; each may also meet the others' half-written ends.
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
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = old;
  small.rlim_cur = before.size() + 100;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const auto place = put(pack, "http://b/", std::string(1000, 'b'));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(place.ok());
  EXPECT_EQ(*read_file(first()), before);
  ASSERT_TRUE(put(pack, "http://c/", "two").ok());
  EXPECT_EQ(entries().size(), 2U);
}

}  // namespace
}  // namespace spinneret
