// SPDX-License-Identifier: Apache-2.0
#include "archive_record.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "body/reader.h"
#include "http/decode.h"
#include "http/gzip.h"

namespace spinneret {
namespace {

// Keeps the beginning of the unpacked bytes, and counts all of them.
class Beginning : public http::DecodeTaker {
 public:
  bool take(std::string_view bytes) override {
    constexpr std::string_view kStart = "WARC/";
    size += bytes.size();
    text += bytes.substr(0, kMaxArchivedHead - text.size());
    return std::string_view(text).starts_with(kStart.substr(0, text.size()));
  }
  std::string text;
  std::uint64_t size = 0;
};

// Whether the bytes at hand hold the whole head of the record, which may include an HTTP head as
// large as fetch accepts.
bool has_head(const feed::WarcRecord& record) {
  constexpr std::string_view kHttp = "HTTP/";
  return record.complete || !record.http_head.empty() ||
         (record.block.size() >= kHttp.size() && !record.block.starts_with(kHttp));
}

std::optional<std::uint64_t> read_packed(int fd, std::uint64_t at, std::uint64_t end,
                                         std::string& text, feed::WarcRecord& record) {
  Beginning out;
  FilePieces more(fd, at);
  const auto size = http::gunzip_member([&more] { return more(); }, out);
  text = std::move(out.text);
  if (size && out.size == 0) return *size <= end - at ? size : std::nullopt;
  const auto wanted = feed::warc_record_size(text);
  if (!size || *size > end - at || !wanted || out.size < *wanted || out.size > *wanted + 4 ||
      !feed::parse_warc_record(text, record))
    return std::nullopt;
  return size;
}

// Returns the next place that looks like the beginning of a compressed record.
std::optional<std::uint64_t> find_packed(int fd, std::uint64_t from, std::uint64_t end) {
  constexpr std::string_view kDeflated = "\x1F\x8B\x08";
  while (from < end) {
    FilePieces more(fd, from);
    const std::string_view bytes = more();
    const std::size_t found = bytes.find(kDeflated);
    if (found < end - from) return from + found;
    if (bytes.size() < kDeflated.size()) return std::nullopt;
    from += bytes.size() - (kDeflated.size() - 1);
  }
  return std::nullopt;
}

}  // namespace

std::string_view FilePieces::operator()() {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  bytes_.resize(kBlock);
  ssize_t got = 0;
  do {
    got = ::pread(fd_, bytes_.data(), bytes_.size(), static_cast<off_t>(at_));
  } while (got < 0 && errno == EINTR);
  bytes_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  at_ += bytes_.size();
  return bytes_;
}

std::optional<std::uint64_t> read_archived(int fd, std::uint64_t at, std::uint64_t end,
                                           std::string& text, feed::WarcRecord& record) {
  FilePieces more(fd, at);
  std::string_view bytes = more();
  if (!body::is_gzip(bytes)) {
    text = bytes;
    bool parsed = feed::parse_warc_record(text, record);
    while (!(parsed && has_head(record)) && text.size() < kMaxArchivedHead &&
           !(bytes = more()).empty()) {
      text += bytes;
      parsed = feed::parse_warc_record(text, record);
    }
    const auto size = parsed ? feed::warc_record_size(text) : std::nullopt;
    return size && *size <= end - at ? std::optional<std::uint64_t>(*size) : std::nullopt;
  }
  return read_packed(fd, at, end, text, record);
}

std::optional<std::uint64_t> find_sound_rest(int fd, std::uint64_t from, std::uint64_t end) {
  std::string text;
  feed::WarcRecord record;
  for (int i = 0; i < kMaxRestarts; ++i) {
    const std::optional<std::uint64_t> start = find_packed(fd, from, end);
    if (!start) return std::nullopt;
    std::uint64_t at = *start;
    while (at < end) {
      const auto size = read_packed(fd, at, end, text, record);
      if (!size) break;
      at += *size;
    }
    if (at == end) return start;
    from = at + 1;
  }
  return std::nullopt;
}

}  // namespace spinneret
