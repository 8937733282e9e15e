// SPDX-License-Identifier: Apache-2.0
// What a server sends that should be Valkey or Redis. Beyond "no crash":
//   - bytes that come one by one, or in pieces, give the same replies and the same end as at once;
//   - a reply, written again, is the same reply;
//   - there are no more items than an exchange is allowed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "resp/replies.h"

namespace {

using namespace spinneret;
using resp::Replies;
using resp::Reply;

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const Reply& a, const Reply& b) {
  return a.kind == b.kind && a.integer == b.integer && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
}

std::size_t items_of(const Reply& reply) {
  std::size_t all = reply.items.size();
  for (const Reply& item : reply.items) all += items_of(item);
  return all;
}

void append(std::string& out, const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil: out += "$-1"; break;
    case Reply::Kind::kInteger: out += ':' + std::to_string(reply.integer); break;
    case Reply::Kind::kText:
      out += '$' + std::to_string(reply.text.size()) + "\r\n" + reply.text;
      break;
    case Reply::Kind::kError: out += '-' + reply.text; break;
    case Reply::Kind::kArray: out += '*' + std::to_string(reply.items.size()); break;
  }
  out += "\r\n";
  for (const Reply& item : reply.items) append(out, item);
}

struct Said {
  std::vector<Reply> replies;
  bool broken = false;
};

Said read(std::string_view bytes, std::size_t piece) {
  Said out;
  Replies replies;
  replies.begin();
  std::size_t items = 0;
  while (!bytes.empty()) {
    require(replies.feed(bytes.substr(0, piece)).ok());
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      Reply reply;
      const Result<bool> whole = replies.next(reply);
      out.broken = !whole.ok();
      if (out.broken) return out;
      if (!*whole) break;
      items += items_of(reply);
      require(items <= Replies::kMostItems);
      out.replies.push_back(std::move(reply));
    }
  }
  return out;
}

void require_same(const Said& a, const Said& b) {
  require(a.broken == b.broken &&
          std::equal(a.replies.begin(), a.replies.end(), b.replies.begin(), b.replies.end(), same));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Said at_once = read(bytes, SIZE_MAX);
  require_same(read(bytes, 1), at_once);
  require_same(read(bytes, 2 + size % 7), at_once);
  std::string again;
  for (const Reply& reply : at_once.replies) append(again, reply);
  const Said back = read(again, SIZE_MAX);
  require(!back.broken);
  require_same(back, {at_once.replies, false});
  return 0;
}
