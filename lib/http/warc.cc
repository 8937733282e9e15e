// SPDX-License-Identifier: Apache-2.0
#include "http/warc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace spinneret::http {
namespace {

// Bodies that are remembered for revisits: some 300 bytes each.
constexpr std::size_t kMaxOriginals = 50'000;
constexpr int kMaxFiles = 100'000;
constexpr std::string_view kRevisit = "http://netpreserve.org/warc/1.1/revisit/";
constexpr std::string_view kConformsTo =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// Returns the head as it came. A head of HTTP/2 is written in the form of HTTP/1.1, which readers
// can parse.
std::string http_head(const FetchResult& result) {
  std::string head = result.head.raw();
  if (result.version >= 20) {
    const std::size_t space = head.find(' ');
    head = "HTTP/1.1" + (space == std::string::npos ? std::string() : head.substr(space));
  }
  // A server that ends its lines with LF alone ends the empty line in the same way.
  return head + (head.ends_with("\r\n") ? "\r\n" : "\n");
}

// Returns, from all that was sent, the request that was answered: neither the CONNECT before it,
// nor what was sent on a dead connection. It is written as HTTP/1.1, and without the fields that
// the operator has set for the proxy alone.
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

// Returns the URL that was requested, in the spelling that was sent, whatever the input's spelling,
// and without user information, which was not sent.
std::string target_of(std::string_view url) {
  Url parsed;
  return parse(url, parsed) ? wire_url(parsed) : std::string(url);
}

// Cleaning makes sure that a value cannot end its line.
void add_field(std::string& fields, std::string_view name, std::string_view value) {
  fields.append(name).append(": ").append(clean_field_value(value)).append("\r\n");
}

// Returns whether the body came in chunks. Where no body can come, there are no chunks.
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

// Returns a key that only payloads share which are the same to every reader. A payload is read in
// the coding that the head beside it names, but not every reader accepts a field that is folded or
// has a blank before its colon. SHA-1 alone can be made to collide.
std::string payload_key(const std::string& digest, std::string_view payload,
                        const FetchResult& result) {
  std::string key = digest + to_hex(hash128(payload));
  for (const HeaderBlock::Field& field : result.head.fields()) {
    if (!equals_ignore_case(field.name, "content-encoding")) continue;
    key.append(" ").append(to_lower_copy({field.name.begin(), field.value.end()}));
  }
  return key;
}

}  // namespace

std::string warc_path(const std::string& path, int number) {
  if (number == 0) return path;
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::size_t dot = path.find(".warc", name);
  if (dot == std::string::npos) dot = path.size();
  char text[16];
  std::snprintf(text, sizeof text, "-%05d", number);
  return path.substr(0, dot) + text + path.substr(dot);
}

struct WarcWriter::Record {
  std::string_view type;
  std::string id;
  std::string date;
  std::string target;
  std::string digest;        // of the payload
  std::string payload;       // payload_key(); empty for a record that no revisit may refer to
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

Status WarcWriter::close() {
  if (const int code = sync_.end(); code != 0) return system_error("cannot sync " + path_, code);
  if (const Status closed = file_.close(); !closed.ok()) return closed;
  if (!index_) return {};
  CdxjIndex index = std::move(*index_);
  index_.reset();
  return index.finish();
}

Status WarcWriter::next_file() {
  if (const Status closed = close(); !closed.ok()) return closed;
  for (; number_ < kMaxFiles; ++number_) {
    path_ = warc_path(options_.path, number_);
    Result<Fd> file = open_file(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
    if (!file.ok()) {
      struct stat info {};
      if (lstat(path_.c_str(), &info) == 0) continue;  // the name is taken
      return file.error();
    }
    file_ = file.take();
    const Status begun = begin_file();
    if (!begun.ok()) {
      // Each try on a full disk would leave another such file; and nothing may be written to a file
      // without a name.
      ::unlink(path_.c_str());
      if (index_) index_->drop();
      index_.reset();
      file_ = Fd();
      return begun;
    }
    ++number_;
    return {};
  }
  return Error{"no free name for another file beside " + options_.path};
}

// Writes the index's beginning, and the warcinfo record (WARC 1.1, section 6.2) that applies to all
// records behind it.
Status WarcWriter::begin_file() {
  offset_ = 0;
  if (options_.index) {
    Result<CdxjIndex> index = CdxjIndex::begin(path_);
    if (!index.ok()) return index.error();
    index_.emplace(index.take());
  }
  info_id_ = fresh_id();
  Record info;
  info.type = "warcinfo";
  info.id = info_id_;
  info.date = utc_text_ms(system_clock().unix_ms());
  info.content = "application/warc-fields";
  add_field(info.fields, "WARC-Filename", name_of(path_));
  add_field(info.block, "software", options_.software);
  add_field(info.block, "format", "WARC File Format 1.1");
  add_field(info.block, "conformsTo", kConformsTo);
  add_field(info.block, "http-header-user-agent", options_.agent);
  if (!options_.contact.empty()) add_field(info.block, "operator", options_.contact);
  for (const std::string& line : options_.info) info.block += line + "\r\n";
  return put(info);
}

// Returns a random UUID (RFC 9562, version 4).
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
    // The file stays readable for whoever goes on with it.
    const bool whole = ::ftruncate(file_.get(), static_cast<off_t>(offset_)) == 0;
    return system_error("cannot write " + path_ + (whole ? "" : ", whose end is torn"), code);
  }
  offset_ += bytes.size();
  return {};
}

void WarcWriter::remember(const std::string& payload, Original original) {
  if (!originals_.emplace(payload, std::move(original)).second) return;
  order_.push_back(payload);
  if (order_.size() <= kMaxOriginals) return;
  originals_.erase(order_.front());
  order_.pop_front();
}

// Returns the response, or the revisit that replaces it.
WarcWriter::Record WarcWriter::answer(const std::string& target, const FetchResult& result,
                                      std::optional<WarcPlace>& body) {
  // The payload is the body in its content coding (WARC 1.1, section 5.9 and annex C).
  const std::string& payload = result.wire_body.empty() ? result.body : result.wire_body;
  Record record;
  record.type = "response";
  record.id = fresh_id();
  record.date = utc_text_ms(result.fetched_unix_ms);
  record.target = target;
  record.content = "application/http;msgtype=response";
  record.block = http_head(result);
  add_field(record.fields, "WARC-Target-URI", target);
  if (!result.ip.empty()) add_field(record.fields, "WARC-IP-Address", result.ip);
  if (result.version >= 20) add_field(record.fields, "WARC-Protocol", "h2");
  if (result.status == 304) {
    record.type = "revisit";
    add_field(record.fields, "WARC-Profile", std::string(kRevisit) + "server-not-modified");
    return record;
  }
  const std::string digest = warc_digest(payload);
  // A truncated body and a whole one cannot replace each other.
  const bool sharable = !payload.empty() && !result.truncated;
  if (sharable) record.payload = payload_key(digest, payload, result);
  const auto original = sharable ? originals_.find(record.payload) : originals_.end();
  if (!result.bodiless) {
    record.digest = digest;
    add_field(record.fields, "WARC-Payload-Digest", digest);
  }
  if (original != originals_.end()) {
    record.type = "revisit";
    add_field(record.fields, "WARC-Profile", std::string(kRevisit) + "identical-payload-digest");
    add_field(record.fields, "WARC-Refers-To", original->second.id);
    add_field(record.fields, "WARC-Refers-To-Target-URI", original->second.url);
    add_field(record.fields, "WARC-Refers-To-Date", original->second.date);
    body = WarcPlace{warc_path(options_.path, original->second.file), original->second.offset};
    return record;
  }
  if (result.truncated) add_field(record.fields, "WARC-Truncated", "length");
  record.block += is_chunked(result) ? one_chunk(payload) : payload;
  return record;
}

Status WarcWriter::add_to_index(const Record& record, const FetchResult& result,
                                std::uint64_t offset) {
  if (!index_) return {};
  std::string_view digest = record.digest;
  cut(digest, ':');
  const std::string type(result.head.get("content-type").value_or(""));
  std::string_view mime = type;
  mime = trim(cut(mime, ';'));
  if (record.type == "revisit") mime = "warc/revisit";
  // Other indexers do not count the two line ends behind an uncompressed record.
  const std::uint64_t behind = options_.path.ends_with(".gz") ? 0 : 4;
  return index_->add({record.target, result.fetched_unix_ms, mime, result.status, digest, offset,
                      offset_ - offset - behind, name_of(path_)});
}

Result<WarcEntry> WarcWriter::write(std::string_view url, const FetchResult& result) {
  // There is no file where the last try to begin one has failed.
  if (!file_ || (options_.max_bytes != 0 && offset_ >= options_.max_bytes)) {
    if (const Status next = next_file(); !next.ok()) return next.error();
  }
  const std::string target = target_of(url);
  WarcEntry entry{{path_, offset_}, std::nullopt};
  const Record response = answer(target, result, entry.body);
  if (const Status put_response = put(response); !put_response.ok()) return put_response.error();
  if (response.type == "response" && !response.payload.empty())
    remember(response.payload,
             {response.id, target, response.date, number_ - 1, entry.record.offset});
  if (const Status indexed = add_to_index(response, result, entry.record.offset); !indexed.ok()) {
    return indexed.error();
  }
  Record request;
  request.type = "request";
  request.id = fresh_id();
  request.date = response.date;
  request.content = "application/http;msgtype=request";
  add_field(request.fields, "WARC-Target-URI", target);
  add_field(request.fields, "WARC-Concurrent-To", response.id);
  request.block = http_request(result.request_head);
  if (const Status put_request = put(request); !put_request.ok()) return put_request.error();
  if (const int code = sync_.written(file_.get()); code != 0)
    return system_error("cannot sync " + path_, code);
  return entry;
}

}  // namespace spinneret::http
