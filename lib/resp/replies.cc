// SPDX-License-Identifier: Apache-2.0
#include "resp/replies.h"

#include <hiredis/hiredis.h>

#include <utility>

namespace spinneret::resp {
namespace {

// hiredis makes room for as many items as a server claims to send. (How many is an int in older releases.)
redisReplyObjectFunctions* makers = nullptr;
thread_local std::size_t items_left = 0;
// Newer releases know no bound for arrays within arrays, and each is a call when a reply is taken and freed. An engine's have
// five at most.
constexpr int kMostDepth = 16;
bool is_too_deep(const redisReadTask* task) {
  int depth = 0;
  for (; task != nullptr && depth != kMostDepth; task = task->parent) ++depth;
  return task != nullptr;
}
template <typename Count>
void* make_array(const redisReadTask* task, Count count) {
  if (static_cast<std::size_t>(count) > items_left || is_too_deep(task)) return nullptr;
  items_left -= static_cast<std::size_t>(count);
  return makers->createArray(task, count);
}
redisReplyObjectFunctions careful_makers(redisReader& reader) {
  makers = reader.fn;
  redisReplyObjectFunctions out = *makers;
  out.createArray = make_array;
  return out;
}

Reply taken(const redisReply& reply) {
  Reply out;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      out.kind = Reply::Kind::kInteger;
      out.integer = reply.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      out.kind = reply.type == REDIS_REPLY_ERROR ? Reply::Kind::kError : Reply::Kind::kText;
      out.text.assign(reply.str, static_cast<std::size_t>(reply.len));
      break;
    case REDIS_REPLY_ARRAY:
      out.kind = Reply::Kind::kArray;
      out.items.reserve(reply.elements);
      for (std::size_t i = 0; i < reply.elements; ++i)
        out.items.push_back(taken(*reply.element[i]));
      break;
    default: break;
  }
  return out;
}

}  // namespace

struct Replies::Reader {
  Reader() : its(redisReaderCreate(), redisReaderFree) {
    static redisReplyObjectFunctions careful = careful_makers(*its);
    its->fn = &careful;
  }
  std::unique_ptr<redisReader, void (*)(redisReader*)> its;
  std::size_t items_left = kMostItems;
};

Replies::Replies() : reader_(std::make_unique<Reader>()) {}
Replies::~Replies() = default;

void Replies::begin() {
  bytes_left_ = kMostBytes;
  reader_->items_left = kMostItems;
}

Result<bool> Replies::next(Reply& out) {
  void* raw = nullptr;
  items_left = reader_->items_left;
  const int code = redisReaderGetReply(reader_->its.get(), &raw);
  reader_->items_left = items_left;
  if (code != REDIS_OK) return Error{std::string("speaks no RESP: ") + reader_->its->errstr};
  if (raw == nullptr) return false;
  const std::unique_ptr<redisReply, void (*)(void*)> reply(static_cast<redisReply*>(raw),
                                                           freeReplyObject);
  out = taken(*reply);
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
