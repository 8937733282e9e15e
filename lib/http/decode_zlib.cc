// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <zlib.h>

#include <cstddef>

#include "http/gzip.h"

namespace spinneret {
namespace {

constexpr std::size_t kBlock = std::size_t{32} << 10;

// gzip (RFC 1952), and "deflate", which is the zlib format (RFC 1950) by the letter and raw deflate
// (RFC 1951) from many servers: the first two bytes tell them apart.
class ZlibDecoder : public Decoder {
 public:
  explicit ZlibDecoder(bool gzip) : gzip_(gzip), block_(std::make_unique<Bytef[]>(kBlock)) {}
  ~ZlibDecoder() override { close(); }

  void reset() override {
    started_ = ended_ = false;
    any_ = false;
    prefix_.clear();
  }

  DecodeStep update(std::string_view bytes, DecodeTaker& taker) override {
    any_ = any_ || !bytes.empty();
    if (!started_) {
      // Two bytes decide the format.
      prefix_.append(bytes);
      if (prefix_.size() < 2) return DecodeStep::kMore;
      const std::string held = std::move(prefix_);
      prefix_.clear();
      return open(held) ? inflate_all(held, taker) : DecodeStep::kBad;
    }
    return inflate_all(bytes, taker);
  }

  bool finished() const override { return ended_ || !any_; }

 private:
  bool open(std::string_view head) {
    started_ = true;
    const int bits = gzip_ ? 15 + 16 : looks_like_zlib(head) ? 15 : -15;
    if (open_) return inflateReset2(&stream_, bits) == Z_OK;
    open_ = inflateInit2(&stream_, bits) == Z_OK;
    return open_;
  }
  void close() {
    if (open_) inflateEnd(&stream_);
    open_ = false;
  }

  static bool looks_like_zlib(std::string_view head) {
    const auto first = static_cast<unsigned char>(head[0]);
    const auto second = static_cast<unsigned char>(head[1]);
    return (first & 0x0F) == 8 && (first >> 4) <= 7 && (first * 256 + second) % 31 == 0;
  }

  DecodeStep inflate_all(std::string_view bytes, DecodeTaker& taker) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    bool full = false;  // the last block was: zlib may hold more without more input
    while (stream_.avail_in > 0 || full) {
      if (ended_ && !next_member()) return DecodeStep::kMore;
      stream_.next_out = block_.get();
      stream_.avail_out = kBlock;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return DecodeStep::kBad;
      full = stream_.avail_out == 0;
      ended_ = code == Z_STREAM_END;
      const std::size_t made = kBlock - stream_.avail_out;
      if (made != 0 && !taker.take({reinterpret_cast<char*>(block_.get()), made})) {
        return DecodeStep::kStopped;
      }
      if (ended_) full = false;
      if (code == Z_BUF_ERROR && !full) break;
    }
    return DecodeStep::kMore;
  }

  // Behind the end: another gzip member (RFC 1952 section 2.2), or bytes to drop.
  bool next_member() {
    if (!gzip_ || stream_.avail_in == 0 || stream_.next_in[0] != 0x1F) return false;
    if (stream_.avail_in > 1 && stream_.next_in[1] != 0x8B) return false;
    ended_ = false;
    return inflateReset(&stream_) == Z_OK;
  }

  bool gzip_;
  std::unique_ptr<Bytef[]> block_;
  z_stream stream_{};
  std::string prefix_;
  bool open_ = false;
  bool started_ = false;
  bool ended_ = false;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zlib_decoder(bool gzip) {
  return std::make_unique<ZlibDecoder>(gzip);
}

bool gzip_member(std::string_view bytes, std::string& out) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return false;
  }
  out.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return code == Z_STREAM_END;
}

}  // namespace spinneret
