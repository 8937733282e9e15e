// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <zlib.h>

#include <algorithm>
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
    started_ = ended_ = dropping_ = any_ = false;
    head_.clear();
  }

  // However the bytes are cut, the same comes out: a member is judged by its first two bytes, once both are
  // there.
  DecodeStep update(std::string_view bytes, DecodeTaker& taker) override {
    any_ = any_ || !bytes.empty();
    while (!bytes.empty() && !dropping_) {
      if (!started_) {
        const std::size_t taken = std::min(2 - head_.size(), bytes.size());
        head_.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
        if (head_.size() < 2) break;
        if (ended_ && !another_member()) {
          dropping_ = true;
          break;
        }
        if (!open()) return DecodeStep::kBad;
        std::string_view head = head_;
        const DecodeStep step = inflate_member(head, taker);
        head_.clear();
        if (step != DecodeStep::kMore) return step;
      }
      const DecodeStep step = inflate_member(bytes, taker);
      if (step != DecodeStep::kMore) return step;
    }
    return DecodeStep::kMore;
  }

  bool finished() const override { return ended_ || !any_; }

 private:
  // Behind the end: another gzip member (RFC 1952 section 2.2), or bytes to drop.
  bool another_member() const { return gzip_ && head_ == "\x1F\x8B"; }

  bool open() {
    started_ = true;
    ended_ = false;
    const int bits = gzip_ ? 15 + 16 : looks_like_zlib(head_) ? 15 : -15;
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

  // Takes from `bytes` what belongs to the member that is open; where it ends, none is.
  DecodeStep inflate_member(std::string_view& bytes, DecodeTaker& taker) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    bool full = false;  // the last block was: zlib may hold more without more input
    while (started_ && (stream_.avail_in > 0 || full)) {
      stream_.next_out = block_.get();
      stream_.avail_out = kBlock;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const bool bad = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
      full = stream_.avail_out == 0;
      ended_ = code == Z_STREAM_END;
      started_ = !ended_;
      const std::size_t made = kBlock - stream_.avail_out;
      if (made != 0 && !taker.take({reinterpret_cast<char*>(block_.get()), made})) {
        return DecodeStep::kStopped;
      }
      if (bad) return DecodeStep::kBad;  // behind what was made before: that may have been enough
      if (code == Z_BUF_ERROR && !full)
        return stream_.avail_in == 0 ? DecodeStep::kMore : DecodeStep::kBad;
    }
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    return DecodeStep::kMore;
  }

  bool gzip_;
  std::unique_ptr<Bytef[]> block_;
  z_stream stream_{};
  std::string head_;  // of a member, until there are two bytes of it
  bool open_ = false;
  bool started_ = false;   // a member is open
  bool ended_ = false;     // the last member is whole
  bool dropping_ = false;  // what follows is no member
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
