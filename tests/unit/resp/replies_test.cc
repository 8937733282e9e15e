// SPDX-License-Identifier: Apache-2.0
// A server's bytes, one by one, in pieces and cut off; and how much memory a claimed size gets.
#include "resp/replies.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::resp {
namespace {

// Writes a reply in this test's own form: n, i5, "text", !error, [items].
std::string text_of(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil: return "n";
    case Reply::Kind::kInteger: return "i" + std::to_string(reply.integer);
    case Reply::Kind::kText: return "\"" + reply.text + "\"";
    case Reply::Kind::kError: return "!" + reply.text;
    case Reply::Kind::kArray: break;
  }
  std::string out = "[";
  for (const Reply& item : reply.items) out += text_of(item) + ",";
  return out + "]";
}

// Returns the replies, followed by "broken" if the bytes are no reply.
std::string said(std::string_view bytes, std::size_t piece) {
  Replies replies;
  replies.begin();
  std::string out;
  while (!bytes.empty()) {
    if (!replies.feed(bytes.substr(0, piece)).ok()) return out + "fed too much";
    bytes.remove_prefix(std::min(piece, bytes.size()));
    Reply reply;
    while (true) {
      const Result<bool> whole = replies.next(reply);
      if (!whole.ok()) {
        EXPECT_TRUE(whole.message().starts_with("speaks no RESP: ")) << whole.message();
        return out + "broken";
      }
      if (!*whole) break;
      out += text_of(reply) + " ";
    }
  }
  return out;
}

TEST(Replies, EachKindInPiecesOfEverySize) {
  const struct {
    std::string_view bytes;
    std::string_view said;
  } cases[] = {
      {"$-1\r\n*-1\r\n", "n n "},
      {":0\r\n:-9223372036854775808\r\n:9223372036854775807\r\n",
       "i0 i-9223372036854775808 i9223372036854775807 "},
      {"+OK\r\n$0\r\n\r\n$5\r\na\r\nb\n\r\n", "\"OK\" \"\" \"a\r\nb\n\" "},
      {std::string_view("$3\r\na\0b\r\n", 9), std::string_view("\"a\0b\" ", 6)},
      {"-ERR why\r\n", "!ERR why "},
      {"*0\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n", "[] [i1,[\"x\",],] "},
      {"*1\r\n-ERR in it\r\n", "[!ERR in it,] "},
  };
  for (const auto& each : cases)
    for (std::size_t piece = 1; piece <= each.bytes.size(); ++piece)
      EXPECT_EQ(said(each.bytes, piece), each.said) << piece;
}

TEST(Replies, WhatIsNoneIsBrokenWhereverItIsCut) {
  for (const std::string_view bytes :
       {"x", "\n", "\r\n", "HTTP/1.1 400 Bad Request\r\n", ":x\r\n", ":\r\n", ":1 \r\n", "$x\r\n",
        "$-2\r\n", "*-2\r\n", "*x\r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n",
        "$99999999999999999999\r\n", "*99999999999999999999\r\n", "*9223372036854775807\r\n",
        "*262145\r\n", "*2\r\n:1\r\n?\r\n"})
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
      EXPECT_EQ(said(bytes, piece), "broken") << bytes << " " << piece;
}

TEST(Replies, EveryCutIsTheRepliesBeforeIt) {
  const std::string bytes = "+a\r\n:1\r\n$2\r\nbc\r\n*2\r\n:2\r\n$1\r\nd\r\n-e\r\n";
  const std::string whole = said(bytes, bytes.size());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string part = said(std::string_view(bytes).substr(0, size), 3);
    EXPECT_TRUE(whole.starts_with(part)) << size << " " << part;
  }
}

TEST(Replies, SoupInPiecesIsTheSoupAtOnce) {
  constexpr std::string_view kParts[] = {
      "*2\r\n",   "*1\r\n", "*0\r\n",  "$1\r\nx\r\n", "$-1\r\n", ":1\r\n",        "+a\r\n",
      "-b\r\n",   "$3\r\n", "abc\r\n", "\r\n",        "*3\r\n",  "_\r\n",         "#t\r\n",
      ",1.5\r\n", "%1\r\n", "~1\r\n",  ">1\r\n",      "(12\r\n", "=4\r\ntxt:\r\n"};
  std::mt19937 random(1);
  for (int round = 0; round != 20'000; ++round) {
    std::string bytes;
    for (std::size_t parts = 1 + random() % 8; parts != 0; --parts)
      bytes += kParts[random() % std::size(kParts)];
    const std::string at_once = said(bytes, bytes.size());
    ASSERT_EQ(said(bytes, 1), at_once) << bytes;
    ASSERT_EQ(said(bytes, 1 + random() % 7), at_once) << bytes;
  }
}

TEST(Replies, ArraysInArraysEndSomewhere) {
  std::string deep;
  for (int depth = 0; depth != 10'000; ++depth) deep += "*1\r\n";
  EXPECT_EQ(said(deep, deep.size()), "broken");
  EXPECT_EQ(said("*1\r\n*1\r\n*1\r\n:1\r\n", 1), "[[[i1,],],] ");
}

TEST(Replies, AnExchangeHasAnAllowanceOfItemsAndBytes) {
  Replies replies;
  replies.begin();
  Reply reply;
  const std::string half = "*" + std::to_string(Replies::kMostItems / 2) + "\r\n";
  std::string items;
  for (std::size_t i = 0; i != Replies::kMostItems / 2; ++i) items += ":1\r\n";
  for (int array = 0; array != 2; ++array) {
    ASSERT_TRUE(replies.feed(half + items).ok());
    const Result<bool> whole = replies.next(reply);
    ASSERT_TRUE(whole.ok() && *whole);
    EXPECT_EQ(reply.items.size(), Replies::kMostItems / 2);
  }
  // A new exchange has the whole budget again.
  replies.begin();
  ASSERT_TRUE(replies.feed(half + items).ok());
  ASSERT_TRUE(*replies.next(reply));
  ASSERT_TRUE(replies.feed("*" + std::to_string(Replies::kMostItems / 2 + 1) + "\r\n").ok());
  EXPECT_FALSE(replies.next(reply).ok());

  Replies large;
  large.begin();
  const std::string piece(1 << 20, 'x');
  ASSERT_TRUE(large.feed("$99999999\r\n").ok());
  std::size_t fed = 0;
  while (large.feed(piece).ok()) {
    fed += piece.size();
    ASSERT_LE(fed, Replies::kMostBytes);
  }
  EXPECT_GT(fed, Replies::kMostBytes - 2 * piece.size());
  EXPECT_EQ(large.feed(piece).message(), "sends more than anybody has asked for");
  large.begin();
  EXPECT_TRUE(large.feed(piece).ok());
}

}  // namespace
}  // namespace spinneret::resp
