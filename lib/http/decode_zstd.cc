// SPDX-License-Identifier: Apache-2.0
#include "http/decode_members.h"

#include <zstd.h>

#include <cstddef>
#include <memory>

namespace spinneret::http {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
// RFC 9659: a window over 8 MB must not be used for HTTP, and a decoder need not have more.
constexpr int kMaxWindowLog = 23;

// RFC 8878.
class ZstdDecoder final : public MemberDecoder {
 public:
  ZstdDecoder()
      : MemberDecoder(kMagicSize),
        stream_(ZSTD_createDStream()),
        block_(std::make_unique<char[]>(kBlock)) {
    ZstdDecoder::reset();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  void reset() override {
    MemberDecoder::reset();
    ZSTD_DCtx_reset(stream_, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }

 private:
  static constexpr std::size_t kMagicSize = 4;

  // Accepts a frame's magic number, or one of the sixteen of skippable frames (RFC 8878 sections
  // 3.1.1 and 3.1.2).
  bool is_member(std::string_view head) const override {
    return head == "\x28\xB5\x2F\xFD" ||
           ((head[0] & 0xF0) == 0x50 && head.substr(1) == "\x2A\x4D\x18");
  }

  bool begin(std::string_view /*head*/) override { return true; }

  DecodeStep decode(std::string_view& bytes, DecodeTaker& taker) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool full = false;  // the last block was full: zstd may hold more output without more input
    while (in_member() && (in.pos < in.size || full)) {
      ZSTD_outBuffer out{block_.get(), kBlock, 0};
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(code) != 0U) return DecodeStep::kBad;
      full = out.pos == kBlock;
      if (code == 0) end_member();
      if (out.pos != 0 && !taker.take({block_.get(), out.pos})) return DecodeStep::kStopped;
    }
    bytes.remove_prefix(in.pos);
    return DecodeStep::kMore;
  }

  ZSTD_DStream* stream_;
  std::unique_ptr<char[]> block_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace spinneret::http
