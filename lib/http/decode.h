// SPDX-License-Identifier: Apache-2.0
// Content codings (RFC 9110 section 8.4.1), decoded piece by piece.
//
// libcurl could do this, but then its limits would count wire bytes, and a stream that ends early
// would pass for a whole one. Here the caller sees every decoded byte before the next is made, so
// that a decompression bomb costs one block, and finished() tells a truncated stream from a whole
// one.
//
//   std::unique_ptr<Decoder> decoder = make_zlib_decoder(true);
//   DecodeStep step = decoder->update(bytes, taker);
#ifndef SPINNERET_HTTP_DECODE_H_
#define SPINNERET_HTTP_DECODE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spinneret::http {

enum class DecodeStep {
  kMore,     // all input was used
  kStopped,  // the taker wants no more
  kBad,      // the input is no stream of this coding
};

// Receives decoded bytes. take() returns false to end the decoding.
class DecodeTaker {
 public:
  virtual ~DecodeTaker() = default;
  virtual bool take(std::string_view bytes) = 0;
};

// A decoder of one stream after another; reset() keeps its memory. Not thread-safe.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void reset() = 0;
  // Decodes all of `bytes`, in blocks of at most 64 KiB. Bytes behind the end of the stream are
  // dropped, as browsers do; a gzip member or a zstd frame that follows is decoded.
  virtual DecodeStep update(std::string_view bytes, DecodeTaker& taker) = 0;
  // Returns whether the stream is complete, or no byte of it came.
  virtual bool finished() const = 0;
};

enum class Coding { kGzip, kDeflate, kBrotli, kZstd };

std::unique_ptr<Decoder> make_zlib_decoder(bool gzip);  // decode_zlib.cc
std::unique_ptr<Decoder> make_brotli_decoder();         // decode_brotli.cc
std::unique_ptr<Decoder> make_zstd_decoder();           // decode_zstd.cc

// Returns the codings of a Content-Encoding value, in the order in which they were applied.
// "identity" is left out, and so is any word that is not a registered coding ("utf-8", "none"):
// some servers send these, and browsers show the page. An Error means a registered coding that is
// not implemented and was not asked for, or more than three codings.
Result<std::vector<Coding>> parse_codings(std::string_view value);

// Undoes a stack of codings. Decoders are kept from one body to the next.
class DecodeChain {
 public:
  DecodeChain();
  ~DecodeChain();
  DecodeChain(DecodeChain&&) noexcept;
  DecodeChain& operator=(DecodeChain&&) noexcept;
  // Prepares for one body, whose `codings` are undone from the last to the first.
  void start(const std::vector<Coding>& codings);
  bool empty() const { return links_.empty(); }
  DecodeStep update(std::string_view bytes, DecodeTaker& taker);
  bool finished() const;

 private:
  struct Link;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::unique_ptr<Link>> spare_;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_DECODE_H_
