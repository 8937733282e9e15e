// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <brotli/decode.h>

#include <cstddef>
#include <cstdint>

namespace spinneret::http {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;

// RFC 7932. The library has no reset: a decoder is made for each stream, which costs little beside
// its window.
class BrotliDecoder final : public Decoder {
 public:
  BrotliDecoder() { BrotliDecoder::reset(); }
  ~BrotliDecoder() override { BrotliDecoderDestroyInstance(state_); }

  void reset() override {
    BrotliDecoderDestroyInstance(state_);
    state_ = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
    any_ = false;
  }

  DecodeStep update(std::string_view bytes, DecodeTaker& taker) override {
    if (state_ == nullptr) return DecodeStep::kBad;
    any_ = any_ || !bytes.empty();
    const auto* next = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    while (BrotliDecoderIsFinished(state_) == BROTLI_FALSE) {
      std::size_t room = 0;
      const BrotliDecoderResult result =
          BrotliDecoderDecompressStream(state_, &left, &next, &room, nullptr, nullptr);
      if (result == BROTLI_DECODER_RESULT_ERROR) return DecodeStep::kBad;
      while (BrotliDecoderHasMoreOutput(state_) == BROTLI_TRUE) {
        // Takes at most this much: all output that is ready could be a window of 16 MiB.
        std::size_t made = kBlock;
        const std::uint8_t* const out = BrotliDecoderTakeOutput(state_, &made);
        if (made != 0 && !taker.take({reinterpret_cast<const char*>(out), made})) {
          return DecodeStep::kStopped;
        }
      }
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) break;
    }
    return DecodeStep::kMore;
  }

  bool finished() const override {
    return !any_ || (state_ != nullptr && BrotliDecoderIsFinished(state_) == BROTLI_TRUE);
  }

 private:
  BrotliDecoderState* state_ = nullptr;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_brotli_decoder() { return std::make_unique<BrotliDecoder>(); }

}  // namespace spinneret::http
