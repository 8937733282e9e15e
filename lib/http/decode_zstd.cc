// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <zstd.h>

#include <cstddef>

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
    at_end_ = true;
    ended_ = false;
  }

  DecodeStep update(std::string_view bytes, DecodeTaker& taker) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool full = false;
    while (in.pos < in.size || full) {
      if (at_end_ && ended_ && !looks_like_frame(bytes.substr(in.pos))) return DecodeStep::kMore;
      ZSTD_outBuffer out{block_.get(), kBlock, 0};
      const std::size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(code) != 0U) return DecodeStep::kBad;
      at_end_ = code == 0;
      ended_ = ended_ || at_end_;
      full = out.pos == kBlock;
      if (out.pos != 0 && !taker.take({block_.get(), out.pos})) return DecodeStep::kStopped;
      if (at_end_) full = false;
    }
    return DecodeStep::kMore;
  }

  bool finished() const override { return at_end_; }

 private:
  // The first byte of a frame's magic number, or of a skippable frame's.
  static bool looks_like_frame(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes.empty() ? 0 : bytes.front());
    return first == 0x28 || (first & 0xF0) == 0x50;
  }

  ZSTD_DStream* stream_;
  std::unique_ptr<char[]> block_;
  bool at_end_ = true;  // between frames
  bool ended_ = false;  // a frame has ended
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace spinneret
