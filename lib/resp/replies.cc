// SPDX-License-Identifier: Apache-2.0
// hiredis reports what it has parsed by calls, and keeps a pointer in each task. Ours points to the
// Reply that is filled, so that a text is copied only once, from the reader's buffer to the
// caller's Reply.
#include "resp/replies.h"

#include <hiredis/hiredis.h>

#include <utility>

namespace spinneret::resp {
namespace {

// Newer releases do not bound arrays within arrays, and each level is a recursive call when a reply
// is freed. An engine's replies have at most five levels.
constexpr int kMostDepth = 16;
// How much of its buffer an empty reader may keep: as much as a stream may hold. With hiredis's 16
// KiB it would allocate a new buffer for each message of links.
constexpr std::size_t kMostBuffer = std::size_t{1} << 20;

bool is_too_deep(const redisReadTask* task) {
  int depth = 0;
  for (; task != nullptr && depth != kMostDepth; task = task->parent) ++depth;
  return task != nullptr;
}

}  // namespace

struct Replies::Reader {
  Reader();

  // Returns the Reply that the task fills. All items of an array exist once it has begun, so that
  // they do not move.
  static Reply* place(const redisReadTask* task) {
    if (task->parent == nullptr) return &static_cast<Reader*>(task->privdata)->root;
    return &static_cast<Reply*>(task->parent->obj)->items[static_cast<std::size_t>(task->idx)];
  }
  static void* make_text(const redisReadTask* task, char* text, std::size_t size) {
    Reply* const out = place(task);
    out->kind = task->type == REDIS_REPLY_ERROR ? Reply::Kind::kError : Reply::Kind::kText;
    out->text.assign(text, size);
    return out;
  }
  // Bounds the number of items, since hiredis allocates as many as a server claims to send.
  // (`Count` is int in older releases.)
  template <typename Count>
  static void* make_array(const redisReadTask* task, Count claimed) {
    const auto count = static_cast<std::size_t>(claimed);
    std::size_t& left = static_cast<Reader*>(task->privdata)->items_left;
    if (count > left || is_too_deep(task)) return nullptr;
    left -= count;
    Reply* const out = place(task);
    out->kind = Reply::Kind::kArray;
    out->items.resize(count);
    return out;
  }
  static void* make_integer(const redisReadTask* task, long long value) {
    Reply* const out = place(task);
    out->kind = Reply::Kind::kInteger;
    out->integer = value;
    return out;
  }
  static void* make_nil(const redisReadTask* task) { return place(task); }
  static void drop(void* root) { *static_cast<Reply*>(root) = {}; }

  // Adds makers for kinds that newer releases read, and that nobody here asks for.
  template <typename Makers>
  static void add_newer(Makers& makers) {
    if constexpr (requires { makers.createDouble; })
      makers.createDouble = [](const redisReadTask* task, double, char*, std::size_t) -> void* {
        return place(task);
      };
    if constexpr (requires { makers.createBool; })
      makers.createBool = [](const redisReadTask* task, int) -> void* { return place(task); };
  }

  Reply root;
  std::size_t items_left = kMostItems;
  redisReplyObjectFunctions makers{};
  std::unique_ptr<redisReader, void (*)(redisReader*)> its;
};

Replies::Reader::Reader() : its(nullptr, redisReaderFree) {
  makers.createString = make_text;
  makers.createArray = make_array;
  makers.createInteger = make_integer;
  makers.createNil = make_nil;
  makers.freeObject = drop;
  add_newer(makers);
  its.reset(redisReaderCreateWithFunctions(&makers));
  its->privdata = this;
  its->maxbuf = kMostBuffer;
}

Replies::Replies() : reader_(std::make_unique<Reader>()) {}
Replies::~Replies() = default;

void Replies::begin() {
  bytes_left_ = kMostBytes;
  reader_->items_left = kMostItems;
}

Result<bool> Replies::next(Reply& out) {
  void* raw = nullptr;
  const int code = redisReaderGetReply(reader_->its.get(), &raw);
  if (code != REDIS_OK) return Error{std::string("speaks no RESP: ") + reader_->its->errstr};
  if (raw == nullptr) return false;
  out = std::exchange(reader_->root, {});
  return true;
}

Status Replies::feed(std::string_view bytes) {
  if (bytes.size() > bytes_left_) return Error{"sends more than anybody has asked for"};
  bytes_left_ -= bytes.size();
  if (redisReaderFeed(reader_->its.get(), bytes.data(), bytes.size()) != REDIS_OK)
    return Error{"out of memory"};
  return {};
}

}  // namespace spinneret::resp
