// SPDX-License-Identifier: Apache-2.0
// The common part of gzip and zstd: a stream consists of members, each recognised by its first
// bytes, and whatever follows the last one is dropped.
#ifndef SPINNERET_HTTP_DECODE_MEMBERS_H_
#define SPINNERET_HTTP_DECODE_MEMBERS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/decode.h"

namespace spinneret::http {

// The output does not depend on how the input is cut into pieces: a member is judged by its head
// once the whole head has come.
class MemberDecoder : public Decoder {
 public:
  void reset() override {
    in_member_ = ended_ = dropping_ = any_ = false;
    head_.clear();
  }

  DecodeStep update(std::string_view bytes, DecodeTaker& taker) final {
    any_ = any_ || !bytes.empty();
    while (!bytes.empty() && !dropping_) {
      if (!in_member_) {
        const std::size_t taken = std::min(head_size_ - head_.size(), bytes.size());
        head_.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
        if (head_.size() < head_size_) break;
        dropping_ = ended_ && !is_member(head_);
        if (dropping_) break;
        if (!begin(head_)) return DecodeStep::kBad;
        in_member_ = true;
        ended_ = false;
        std::string_view head = head_;
        const DecodeStep step = decode(head, taker);
        head_.clear();
        if (step != DecodeStep::kMore) return step;
      }
      const DecodeStep step = decode(bytes, taker);
      if (step != DecodeStep::kMore) return step;
    }
    return DecodeStep::kMore;
  }

  bool finished() const final { return ended_ || !any_; }

 protected:
  explicit MemberDecoder(std::size_t head_size) : head_size_(head_size) {}

  // Returns whether another member may begin with these bytes.
  virtual bool is_member(std::string_view head) const = 0;
  // Prepares for a member that begins with these bytes.
  virtual bool begin(std::string_view head) = 0;
  // Takes the bytes of the open member off `bytes`; takes none where no member is open.
  virtual DecodeStep decode(std::string_view& bytes, DecodeTaker& taker) = 0;

  bool in_member() const { return in_member_; }
  void end_member() {
    in_member_ = false;
    ended_ = true;
  }

 private:
  std::size_t head_size_;
  std::string head_;  // the head of a member, until it is complete
  bool in_member_ = false;
  bool ended_ = false;     // the last member is complete
  bool dropping_ = false;  // no member follows
  bool any_ = false;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_DECODE_MEMBERS_H_
