// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace spinneret {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
// RFC 9659: a window over 8 MB must not be used for HTTP, and a decoder need not have more.
constexpr int kMaxWindowLog = 23;

// RFC 8878.
class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()), block_(std::make_unique<char[]>(kBlock)) {
    ZstdDecoder::reset();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  void reset() override {
    ZSTD_DCtx_reset(stream_, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
    started_ = ended_ = dropping_ = any_ = false;
    head_.clear();
  }

  // However the bytes are cut, the same comes out: a frame is judged by its magic number, once all of it is there.
  DecodeStep update(std::string_view bytes, DecodeTaker& taker) override {
    any_ = any_ || !bytes.empty();
    while (!bytes.empty() && !dropping_) {
      if (!started_) {
        const std::size_t taken = std::min(kMagicSize - head_.size(), bytes.size());
        head_.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
        if (head_.size() < kMagicSize) break;
        if (ended_ && !is_frame(head_)) {
          dropping_ = true;
          break;
        }
        started_ = true;
        ended_ = false;
        std::string_view head = head_;
        const DecodeStep step = decode_frame(head, taker);
        head_.clear();
        if (step != DecodeStep::kMore) return step;
      }
      const DecodeStep step = decode_frame(bytes, taker);
      if (step != DecodeStep::kMore) return step;
    }
    return DecodeStep::kMore;
  }

  bool finished() const override { return ended_ || !any_; }

 private:
  static constexpr std::size_t kMagicSize = 4;

  // A frame's magic number, or one of the sixteen of skippable frames (RFC 8878 sections 3.1.1 and 3.1.2).
  static bool is_frame(std::string_view head) {
    return head == "\x28\xB5\x2F\xFD" ||
           ((head[0] & 0xF0) == 0x50 && head.substr(1) == "\x2A\x4D\x18");
  }

  // Takes from `bytes` what belongs to the frame that is open; where it ends, none is.
  DecodeStep decode_frame(std::string_view& bytes, DecodeTaker& taker) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool full = false;  // the last block was: zstd may hold more without more input
    while (started_ && (in.pos < in.size || full)) {
      ZSTD_outBuffer out{block_.get(), kBlock, 0};
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(code) != 0U) return DecodeStep::kBad;
      full = out.pos == kBlock;
      ended_ = code == 0;
      started_ = !ended_;
      if (out.pos != 0 && !taker.take({block_.get(), out.pos})) return DecodeStep::kStopped;
    }
    bytes.remove_prefix(in.pos);
    return DecodeStep::kMore;
  }

  ZSTD_DStream* stream_;
  std::unique_ptr<char[]> block_;
  std::string head_;       // of a frame, until its magic number is there
  bool started_ = false;   // a frame is open
  bool ended_ = false;     // the last frame is whole
  bool dropping_ = false;  // what follows is no frame
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace spinneret
