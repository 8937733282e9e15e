// SPDX-License-Identifier: Apache-2.0
#include "http/warc.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/moment.h"
#include "http/digest.h"
#include "http/gzip.h"
#include "http/request_head.h"
#include "url/parse.h"

namespace spinneret {
namespace {

// What is remembered for revisits: some 300 bytes each.
constexpr std::size_t kMaxOriginals = 50'000;
constexpr int kMaxFiles = 100'000;
constexpr std::string_view kRevisit = "http://netpreserve.org/warc/1.1/revisit/";

// The head as it came, but of HTTP/2 as HTTP/1.1 would have it, which is what readers parse.
std::string http_head(const FetchResult& result) {
  std::string head = result.head.raw();
  if (result.version >= 20) {
    const std::size_t space = head.find(' ');
    head = "HTTP/1.1" + (space == std::string::npos ? std::string() : head.substr(space));
  }
  // A server that ends its lines with LF alone does so with the empty one.
  return head + (head.ends_with("\r\n") ? "\r\n" : "\n");
}

// What was answered, of all that was sent: not the CONNECT before it, nor what a dead connection took. As
// HTTP/1.1, and without what the operator has told the proxy alone.
std::string http_request(std::string_view sent) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = sent.find(kEnd);
  while (end != std::string_view::npos && end + kEnd.size() < sent.size()) {
    sent.remove_prefix(end + kEnd.size());
    end = sent.find(kEnd);
  }
  std::string out;
  while (!sent.empty()) {
    std::string_view line = cut(sent, '\n');
    if (starts_with_ignore_case(line, "proxy-authorization:")) continue;
    constexpr std::string_view kHttp2 = " HTTP/2\r";
    const bool converted = out.empty() && line.ends_with(kHttp2);
    if (converted) line.remove_suffix(kHttp2.size());
    out.append(line).append(converted ? " HTTP/1.1\r\n" : "\n");
  }
  return out;
}

// The URL that was asked for: as it is spelled on the wire, whatever its spelling in the input, and without
// user information, which was not sent.
std::string target_of(std::string_view url) {
  Url parsed;
  return parse(url, parsed) ? wire_url(parsed) : std::string(url);
}

// A value never ends its line.
void add_field(std::string& fields, std::string_view name, std::string_view value) {
  fields.append(name).append(": ").append(clean_field_value(value)).append("\r\n");
}

// Where no body can come, no chunk has.
bool is_chunked(const FetchResult& result) {
  const bool none = result.bodiless || result.status == 204 || result.status == 205;
  return !none && result.version < 20 && result.head.get("transfer-encoding").has_value();
}

std::string one_chunk(std::string_view body) {
  if (body.empty()) return "0\r\n\r\n";
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return size + std::string(body) + "\r\n0\r\n\r\n";
}

}  // namespace

struct WarcWriter::Record {
  std::string_view type;
  std::string id;
  std::string date;
  std::string fields;        // further lines, each with CRLF
  std::string_view content;  // its media type
  std::string block;
};

Result<WarcWriter> WarcWriter::open(WarcOptions options) {
  WarcWriter writer(std::move(options));
  writer.id_seed_[0] = random_seed();
  writer.id_seed_[1] = random_seed();
  if (const Status opened = writer.next_file(); !opened.ok()) return opened.error();
  return writer;
}

// "crawl.warc.gz", then "crawl-00001.warc.gz"
std::string WarcWriter::numbered_path(int number) const {
  if (number == 0) return options_.path;
  const std::size_t slash = options_.path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::size_t dot = options_.path.find(".warc", name);
  if (dot == std::string::npos) dot = options_.path.size();
  char text[16];
  std::snprintf(text, sizeof text, "-%05d", number);
  return options_.path.substr(0, dot) + text + options_.path.substr(dot);
}

Status WarcWriter::next_file() {
  if (const Status closed = file_.close(); !closed.ok()) return closed;
  for (; number_ < kMaxFiles; ++number_) {
    path_ = numbered_path(number_);
    Result<Fd> file = open_file(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
    if (!file.ok()) {
      struct stat info {};
      if (lstat(path_.c_str(), &info) == 0) continue;  // the name is taken
      return file.error();
    }
    file_ = file.take();
    ++number_;
    offset_ = 0;
    info_id_ = fresh_id();
    Record info;
    info.type = "warcinfo";
    info.id = info_id_;
    info.date = utc_text(system_clock().unix_ms() / 1000);
    info.content = "application/warc-fields";
    const std::size_t slash = path_.rfind('/');
    add_field(info.fields, "WARC-Filename",
              path_.substr(slash == std::string::npos ? 0 : slash + 1));
    add_field(info.block, "software", options_.software);
    add_field(info.block, "format", "WARC File Format 1.1");
    add_field(info.block, "http-header-user-agent", options_.agent);
    if (!options_.contact.empty()) add_field(info.block, "operator", options_.contact);
    return put(info);
  }
  return Error{"no free name for another file beside " + options_.path};
}

// A random UUID (RFC 9562, version 4).
std::string WarcWriter::fresh_id() {
  ++id_seed_[0];
  std::string bytes(reinterpret_cast<const char*>(id_seed_), sizeof id_seed_);
  Hash128 hash = hash128(bytes);
  hash.high = (hash.high & ~std::uint64_t{0xF000}) | 0x4000;
  hash.low = (hash.low & ~(std::uint64_t{3} << 62)) | std::uint64_t{1} << 63;
  const std::string hex = to_hex(hash);
  return "<urn:uuid:" + hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20) + ">";
}

Status WarcWriter::put(const Record& record) {
  text_ = "WARC/1.1\r\nWARC-Type: ";
  text_ += record.type;
  text_ += "\r\nWARC-Record-ID: " + record.id + "\r\nWARC-Date: " + record.date + "\r\n";
  text_ += record.fields;
  if (record.type != "warcinfo") text_ += "WARC-Warcinfo-ID: " + info_id_ + "\r\n";
  text_ += "WARC-Block-Digest: " + warc_digest(record.block) + "\r\nContent-Type: ";
  text_ += record.content;
  text_ += "\r\nContent-Length: " + std::to_string(record.block.size()) + "\r\n\r\n";
  text_ += record.block;
  text_ += "\r\n\r\n";
  const bool packed = options_.path.ends_with(".gz");
  if (packed && !gzip_member(text_, member_)) return Error{"no memory to compress a record"};
  const std::string& bytes = packed ? member_ : text_;
  if (const int code = write_all(file_.get(), bytes); code != 0) {
    return system_error("cannot write " + path_, code);
  }
  offset_ += bytes.size();
  return {};
}

void WarcWriter::remember(const std::string& payload_digest, Original original) {
  if (!originals_.emplace(payload_digest, std::move(original)).second) return;
  order_.push_back(payload_digest);
  if (order_.size() <= kMaxOriginals) return;
  originals_.erase(order_.front());
  order_.pop_front();
}

Result<WarcPlace> WarcWriter::write(std::string_view url, const FetchResult& result) {
  if (options_.max_bytes != 0 && offset_ >= options_.max_bytes) {
    if (const Status next = next_file(); !next.ok()) return next.error();
  }
  // The payload is the body in its content coding (WARC 1.1, section 5.9 and annex C).
  const std::string& payload = result.wire_body.empty() ? result.body : result.wire_body;
  Record response;
  response.type = "response";
  response.id = fresh_id();
  response.date = utc_text(result.fetched_unix_ms / 1000);
  response.content = "application/http;msgtype=response";
  response.block = http_head(result);
  const std::string target = target_of(url);
  add_field(response.fields, "WARC-Target-URI", target);
  if (!result.ip.empty()) add_field(response.fields, "WARC-IP-Address", result.ip);
  if (result.version >= 20) add_field(response.fields, "WARC-Protocol", "h2");
  const std::string digest = warc_digest(payload);
  const auto original = payload.empty() ? originals_.end() : originals_.find(digest);
  if (result.status == 304) {
    response.type = "revisit";
    add_field(response.fields, "WARC-Profile", std::string(kRevisit) + "server-not-modified");
  } else if (original != originals_.end()) {
    response.type = "revisit";
    add_field(response.fields, "WARC-Profile", std::string(kRevisit) + "identical-payload-digest");
    add_field(response.fields, "WARC-Payload-Digest", digest);
    add_field(response.fields, "WARC-Refers-To", original->second.id);
    add_field(response.fields, "WARC-Refers-To-Target-URI", original->second.url);
    add_field(response.fields, "WARC-Refers-To-Date", original->second.date);
  } else {
    if (!result.bodiless) add_field(response.fields, "WARC-Payload-Digest", digest);
    if (result.truncated) add_field(response.fields, "WARC-Truncated", "length");
    response.block += is_chunked(result) ? one_chunk(payload) : payload;
    if (!payload.empty()) remember(digest, {response.id, target, response.date});
  }
  WarcPlace place{path_, offset_};
  if (const Status put_response = put(response); !put_response.ok()) return put_response.error();
  Record request;
  request.type = "request";
  request.id = fresh_id();
  request.date = response.date;
  request.content = "application/http;msgtype=request";
  add_field(request.fields, "WARC-Target-URI", target);
  add_field(request.fields, "WARC-Concurrent-To", response.id);
  request.block = http_request(result.request_head);
  if (const Status put_request = put(request); !put_request.ok()) return put_request.error();
  return place;
}

}  // namespace spinneret
