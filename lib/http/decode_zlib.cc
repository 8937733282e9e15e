// SPDX-License-Identifier: Apache-2.0
#include "http/decode_members.h"

#include <zlib.h>

#include <cstddef>
#include <memory>

#include "http/gzip.h"

namespace spinneret::http {
namespace {

constexpr std::size_t kBlock = std::size_t{32} << 10;

// Decodes gzip (RFC 1952) and "deflate". The latter is the zlib format (RFC 1950) by the standard,
// and raw deflate (RFC 1951) from many servers: the first two bytes tell them apart.
class ZlibDecoder final : public MemberDecoder {
 public:
  explicit ZlibDecoder(bool gzip)
      : MemberDecoder(2), gzip_(gzip), block_(std::make_unique<Bytef[]>(kBlock)) {}
  ~ZlibDecoder() override {
    if (open_) inflateEnd(&stream_);
  }

 private:
  // RFC 1952 section 2.2.
  bool is_member(std::string_view head) const override { return gzip_ && head == "\x1F\x8B"; }

  bool begin(std::string_view head) override {
    const int bits = gzip_ ? 15 + 16 : looks_like_zlib(head) ? 15 : -15;
    if (open_) return inflateReset2(&stream_, bits) == Z_OK;
    open_ = inflateInit2(&stream_, bits) == Z_OK;
    return open_;
  }

  static bool looks_like_zlib(std::string_view head) {
    const auto first = static_cast<unsigned char>(head[0]);
    const auto second = static_cast<unsigned char>(head[1]);
    return (first & 0x0F) == 8 && (first >> 4) <= 7 && (first * 256 + second) % 31 == 0;
  }

  DecodeStep decode(std::string_view& bytes, DecodeTaker& taker) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    bool full = false;  // the last block was full: zlib may hold more output without more input
    while (in_member() && (stream_.avail_in > 0 || full)) {
      stream_.next_out = block_.get();
      stream_.avail_out = kBlock;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const bool bad = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
      full = stream_.avail_out == 0;
      if (code == Z_STREAM_END) end_member();
      const std::size_t made = kBlock - stream_.avail_out;
      if (made != 0 && !taker.take({reinterpret_cast<char*>(block_.get()), made})) {
        return DecodeStep::kStopped;
      }
      // Only now, since the output made before the error may have been enough.
      if (bad) return DecodeStep::kBad;
      if (code == Z_BUF_ERROR && !full)
        return stream_.avail_in == 0 ? DecodeStep::kMore : DecodeStep::kBad;
    }
    bytes.remove_prefix(bytes.size() - stream_.avail_in);
    return DecodeStep::kMore;
  }

  bool gzip_;
  std::unique_ptr<Bytef[]> block_;
  z_stream stream_{};
  bool open_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zlib_decoder(bool gzip) {
  return std::make_unique<ZlibDecoder>(gzip);
}

std::optional<std::uint64_t> gunzip_member(const std::function<std::string_view()>& more,
                                           DecodeTaker& taker) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  const auto block = std::make_unique<Bytef[]>(kBlock);
  std::uint64_t given = 0;
  int code = Z_OK;
  bool taken = true;
  while (code == Z_OK && taken) {
    if (stream.avail_in == 0) {
      const std::string_view bytes = more();
      if (bytes.empty()) break;
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(bytes.size());
      given += bytes.size();
    }
    stream.next_out = block.get();
    stream.avail_out = kBlock;
    code = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = kBlock - stream.avail_out;
    if (made != 0) taken = taker.take({reinterpret_cast<char*>(block.get()), made});
    // Z_BUF_ERROR only says that the present input gives nothing more.
    if (code == Z_BUF_ERROR && stream.avail_in == 0) code = Z_OK;
  }
  const std::uint64_t left = stream.avail_in;
  inflateEnd(&stream);
  if (code != Z_STREAM_END || !taken) return std::nullopt;
  return given - left;
}

std::uint32_t crc32_of(std::uint32_t so_far, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
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

}  // namespace spinneret::http
