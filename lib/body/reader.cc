// SPDX-License-Identifier: Apache-2.0
#include "body/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "base/number.h"
#include "feed/warc_record.h"
#include "http/decode.h"
#include "http/digest.h"
#include "io/escape.h"

namespace spinneret::body {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
// For an archive whose records are compressed one by one: a larger block would hold many records
// that nobody asked for, all of them decompressed. CPU of `extract-links` for 1,000 pages of 30 KB
// (11 KB in the archive): 0.58 s with 64 KiB, 0.16 with 4, 8 or 16.
constexpr std::size_t kPackedBlock = std::size_t{8} << 10;
constexpr std::size_t kMaxWarcHead = std::size_t{1} << 20;

// Collects the output of a decoder, up to a limit.
class Collector : public http::DecodeTaker {
 public:
  Collector(std::string& out, std::uint64_t max_bytes) : out_(out), max_bytes_(max_bytes) {}
  bool take(std::string_view bytes) override {
    if (bytes.size() > max_bytes_ - out_.size()) return false;
    out_ += bytes;
    return true;
  }

 private:
  std::string& out_;
  std::uint64_t max_bytes_;
};

// Reads once, again after EINTR, and appends at most `size` bytes. Returns -1 on failure, which
// errno explains.
ssize_t append_read(int fd, std::string& out, std::size_t size) {
  const std::size_t before = out.size();
  out.resize(before + size);
  ssize_t got = 0;
  do {
    got = ::read(fd, out.data() + before, size);
  } while (got < 0 && errno == EINTR);
  out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got;
}

// Whether the beginning of a payload has only bytes that text has. One in eight bytes of a
// compressed page is foreign to text.
bool looks_like_text(std::string_view payload) {
  payload = payload.substr(0, 256);
  return std::all_of(payload.begin(), payload.end(),
                     [](char c) { return !is_control(c) || is_space(c); });
}

// Undoes the content codings of a payload. Some archives keep the field but not the coding: a
// payload that does not begin as gzip has not got that coding, and text that is not valid in
// another coding is plain. If the result is in the record's own bytes, these are moved to `out`,
// because the record does not live long enough.
Result<std::string_view> decoded_payload(feed::WarcRecord& record, std::string& out) {
  // Half a page would be read as a whole one. If the archive itself says that the payload is cut,
  // what is there is used.
  if (record.cut && !record.truncated)
    return Error{"payload ends in the middle of its chunks, or ahead of its Content-Length"};
  const auto codings = http::parse_codings(record.content_encoding);
  if (!codings.ok()) return codings.error();
  http::DecodeChain chain;
  chain.start(*codings);
  const auto as_it_is = [&]() -> std::string_view {
    if (record.joined.empty()) return record.payload;
    return out = std::move(record.joined);
  };
  const bool undone = *codings == std::vector{http::Coding::kGzip} && !is_gzip(record.payload);
  if (chain.empty() || undone) return as_it_is();
  out.clear();
  Collector collector(out, BodyReader::kMaxBytes);
  if (chain.update(record.payload, collector) != http::DecodeStep::kMore) {
    if (codings->size() == 1 && looks_like_text(record.payload)) return as_it_is();
    return Error{"payload is not " + record.content_encoding + ", or over 1 GiB"};
  }
  if (!chain.finished() && !record.truncated)
    return Error{"payload ends in the middle of its " + record.content_encoding};
  return std::string_view(out);
}

Result<std::string_view> undamaged(std::string_view body, const Record& record,
                                   std::string_view field) {
  if (http::may_be_digest(record.raw("digest"), body)) return body;
  std::string name;
  append_unescaped(name, record.raw(field));
  return Error{name + ": body is not the one whose digest is " + std::string(record.raw("digest")) +
               ": damaged"};
}

// Opens the file that a record names. Any stream of records may name any file: reading a device
// would never end, nor would opening a FIFO without a writer. `info` becomes the file's status.
Result<Fd> open_body(const std::string& path, struct stat& info) {
  auto file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.ok()) return file;
  if (::fstat(file->get(), &info) != 0) return system_error("cannot read " + path, errno);
  if (S_ISDIR(info.st_mode)) return system_error("cannot read " + path, EISDIR);
  if (!S_ISREG(info.st_mode)) return Error{"cannot read " + path + ": it is not a regular file"};
  return file;
}

}  // namespace

bool gunzip(std::string_view bytes, std::uint64_t max_bytes, std::string& out) {
  out.clear();
  // The last four bytes of a gzip member give its size, so the buffer grows only once. No member
  // grows more than 1,032-fold, so a false size costs little.
  if (bytes.size() >= 18) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size = size << 8 | static_cast<unsigned char>(bytes[bytes.size() - 1 - i]);
    out.reserve(std::min<std::size_t>({size, bytes.size() * 16, max_bytes}));
  }
  Collector collector(out, max_bytes);
  const std::unique_ptr<http::Decoder> decoder = http::make_zlib_decoder(true);
  return decoder->update(bytes, collector) == http::DecodeStep::kMore && decoder->finished();
}

Result<std::string_view> BodyReader::from_file(const std::string& path) {
  struct stat info = {};
  auto file = open_body(path, info);
  if (!file.ok()) return file.error();
  return read_all(file->get(), path, bytes_);
}

Result<std::string_view> BodyReader::from_pack(const std::string& path, const Record& record) {
  const auto offset = parse_unsigned(record.raw("body-offset"));
  const auto size = parse_unsigned(record.raw("size"));
  if (!offset || !size) return Error{"body-offset needs numbers in it and in size"};
  if (*size > kMaxBytes) return Error{path + ": body is over 1 GiB"};
  struct stat info = {};
  auto file = open_body(path, info);
  if (!file.ok()) return file.error();
  // A wrong size must not cost memory.
  const auto length = static_cast<std::uint64_t>(info.st_size);
  if (*offset > length || *size > length - *offset) {
    return Error{"the body in " + path + " at " + std::to_string(*offset) + " is cut off"};
  }
  make_room(bytes_, *size);
  if (const int code = read_at(file->get(), bytes_.data(), *size, *offset); code != 0) {
    return system_error("cannot read " + path, code);
  }
  return std::string_view(bytes_).substr(0, *size);
}

// Reads until the record is complete; its size is in its own head.
Result<std::string_view> BodyReader::from_warc(const std::string& path, std::uint64_t offset) {
  struct stat info = {};
  auto file = open_body(path, info);
  if (!file.ok()) return file.error();
  if (::lseek(file->get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    return system_error("cannot seek in " + path, errno);
  }
  const std::string place = path + " at " + std::to_string(offset);
  const std::unique_ptr<http::Decoder> decoder = http::make_zlib_decoder(true);
  record_.clear();
  Collector collector(record_, kMaxBytes);
  bool packed = false;
  std::size_t wanted = 0;
  for (bool first = true; wanted == 0 || record_.size() < wanted; first = false) {
    bytes_.clear();
    const ssize_t got = append_read(file->get(), bytes_, first || packed ? kPackedBlock : kBlock);
    if (got < 0) return system_error("cannot read " + path, errno);
    if (got == 0) break;
    if (first) packed = is_gzip(bytes_);
    const bool taken = packed ? decoder->update(bytes_, collector) == http::DecodeStep::kMore
                              : collector.take(bytes_);
    if (wanted == 0) wanted = feed::warc_record_size(record_).value_or(0);
    // Damage behind the record does not matter.
    if (!taken && (wanted == 0 || record_.size() < wanted))
      return Error{place + " is not a WARC record, or over 1 GiB"};
    if (wanted > kMaxBytes) return Error{"the WARC record in " + place + " is over 1 GiB"};
    if (wanted == 0 && record_.size() > kMaxWarcHead) break;  // each block would be searched again
  }
  feed::WarcRecord record;
  if (!feed::parse_warc_record(record_, record)) return Error{place + " is not a WARC record"};
  if (!record.complete) return Error{"the WARC record in " + place + " is cut off"};
  // A revisit has its body in another record. fetch names that in its own record; about other
  // revisits nothing is known.
  is_revisit_ = record.type == "revisit";
  if (is_revisit_) return std::string_view();
  const bool is_resource = record.type == "resource";
  if (is_resource && record.http_head.empty()) return record.block;
  if (!is_resource && record.type != "response")
    return Error{"the WARC record in " + place + " is not a response"};
  return decoded_payload(record, bytes_);
}

Result<std::string_view> BodyReader::from_archive(Record& record, std::string_view file,
                                                  std::string_view place) {
  const auto offset = parse_unsigned(record.raw(place));
  if (!offset) return Error{std::string(file) + " without a " + std::string(place)};
  const auto kept = from_warc(std::string(*record.get(file)), *offset);
  // A payload that was cut at --max-size has another length than the body, so `size` is not
  // compared.
  return kept.ok() && !is_revisit_ ? undamaged(*kept, record, file) : kept;
}

// Unescapes straight into the buffer: by way of the record the body would be copied twice more.
std::string_view BodyReader::unescaped(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  make_room(bytes_, raw.size() + 16);
  return std::string_view(bytes_).substr(0, unescape_to(bytes_.data(), raw));
}

Result<std::string_view> BodyReader::read(Record& record) {
  is_revisit_ = false;
  auto body = find(record);
  const bool is_kept = record.has("body") || record.has("body-file") ||
                       record.has("warc-body-file") || record.has("warc-file");
  is_there_ = body.ok() && ((is_kept && !is_revisit_) || record.raw("size") == "0");
  return body;
}

Result<std::string_view> BodyReader::find(Record& record) {
  Result<std::string_view> body = std::string_view();
  if (record.has("body")) {
    body = unescaped(record.raw("body"));
  } else if (const auto path = record.get("body-file")) {
    body = record.has("body-offset") ? from_pack(std::string(*path), record)
                                     : from_file(std::string(*path));
  } else if (record.has("warc-body-file")) {
    return from_archive(record, "warc-body-file", "warc-body-offset");
  } else if (record.has("warc-file")) {
    return from_archive(record, "warc-file", "warc-offset");
  } else {
    return body;
  }
  const auto size = parse_unsigned(record.raw("size"));
  if (body.ok() && size && *size != body->size()) {
    return Error{"body of " + std::to_string(body->size()) + " bytes where size says " +
                 std::to_string(*size) + ": torn"};
  }
  // An inline body came through a pipe, not from a disk that may have damaged it.
  return body.ok() && !record.has("body") ? undamaged(*body, record, "body-file") : body;
}

}  // namespace spinneret::body
