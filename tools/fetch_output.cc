// SPDX-License-Identifier: Apache-2.0
#include "fetch_output.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/excerpt.h"
#include "fetch_store.h"
#include "http/wacz.h"
#include "io/escape.h"
#include "io/record.h"

namespace spinneret {
namespace {

std::size_t cost_of(const std::string& held) {
  return sizeof(std::optional<std::string>) + held.capacity();
}

// The two targets of write_plain.
struct SinkTarget {
  Sink& sink;
  void put(std::string_view bytes) { sink.write(bytes); }
  void put_escaped(std::string_view value) { write_escaped(sink, value); }
};
struct StringTarget {
  std::string& text;
  void put(std::string_view bytes) { text += bytes; }
  void put_escaped(std::string_view value) {
    const std::size_t size = text.size();
    text.resize(size + escaped_room(value.size()));
    text.resize(size + escape_to(text.data() + size, value));
  }
};

template <typename Target>
class PlainFields : public http::FieldTaker {
 public:
  explicit PlainFields(Target& target) : target_(target) {}
  void field(std::string_view key, std::string_view value) override {
    target_.put("\t");
    target_.put(key);
    target_.put("=");
    target_.put_escaped(value);
  }

 private:
  Target& target_;
};

class RecordFields : public http::FieldTaker {
 public:
  explicit RecordFields(Record& record) : record_(record) {}
  void field(std::string_view key, std::string_view value) override { record_.add(key, value); }

 private:
  Record& record_;
};

// Whether a field of the input line is replaced by the result's own.
bool gives_way(std::string_view key, const http::FetchResult& result) {
  // The requests that these fields make have been answered.
  constexpr std::string_view kAsks[] = {"types",   "gap",    "lane",    "unheard",
                                        "send-by", "end-by", "by-lease"};
  if (http::is_result_field(key) || std::ranges::find(kAsks, key) != std::end(kAsks)) return true;
  return http::validators_are_old(result) && (key == "etag" || key == "last-modified");
}

// Whether a person can read the body, by its type.
bool is_readable(std::string_view type) {
  if (type.empty() || type.starts_with("text/") || type.ends_with("+xml") ||
      type.ends_with("+json")) {
    return true;
  }
  constexpr std::string_view kReadable[] = {"application/json", "application/xml",
                                            "application/javascript", "application/ecmascript"};
  return std::find(std::begin(kReadable), std::end(kReadable), type) != std::end(kReadable);
}

}  // namespace

Status FetchOutput::open() {
  if (settings_.body == FetchSettings::Body::kWarc) {
    Result<http::WarcWriter> warc = http::WarcWriter::open(settings_.warc);
    if (!warc.ok()) return warc.error();
    warc_.emplace(warc.take());
  }
  if (settings_.body != FetchSettings::Body::kStore) return {};
  if (settings_.store_files) {
    Result<http::BodyStore> store = http::BodyStore::open(settings_.store);
    if (!store.ok()) return store.error();
    store_.emplace(store.take());
    return {};
  }
  Result<http::BodyPack> pack = http::BodyPack::open(settings_.store);
  if (!pack.ok()) return pack.error();
  pack_.emplace(pack.take());
  return {};
}

Status FetchOutput::close() {
  if (!warc_) return pack_ ? pack_->close() : store_ ? store_->close() : Status();
  if (const Status closed = warc_->close(); !closed.ok() || !settings_.wacz) return closed;
  return http::write_wacz({settings_.warc.path, settings_.warc.software, system_clock().unix_ms()});
}

Result<http::BodyPlace> FetchOutput::store_body(std::string_view line,
                                                const http::FetchResult& result) {
  if (pack_) return pack_page(*pack_, digest_, record_url(line), result);
  Result<std::string> path = store_->put(digest_, result.body);
  if (!path.ok()) return path.error();
  return http::BodyPlace{path.take(), 0};
}

// The next stage needs the body of robots.txt, whatever is done with pages; a terminal does not.
FetchOutput::Body FetchOutput::place_body(const http::FetchRequest& request,
                                          const http::FetchResult& result) {
  if (result.outcome != Outcome::kOk || result.bodiless) return {};
  const bool inlined = settings_.body == FetchSettings::Body::kInline;
  const bool on_the_way = request.robots || request.want != http::Want::kBody;
  if (inlined || (on_the_way && !settings_.terminal)) return {"body", result.body, {}};
  if (on_the_way || settings_.body != FetchSettings::Body::kStore) return {};
  Result<http::BodyPlace> place = store_body(request.cargo, result);
  if (!place.ok()) {
    fail(place.message());
    return {};
  }
  body_place_ = place.take();
  const auto offset = pack_ ? std::optional(body_place_.offset) : std::nullopt;
  return {"body-file", body_place_.file, offset};
}

void FetchOutput::write_raw(std::uint64_t ticket, std::string_view line,
                            http::FetchResult& result) {
  if (result.outcome == Outcome::kOk) {
    if (settings_.terminal && !is_readable(result.media.type)) {
      tool_.notice(excerpt(record_url(line)) + ": " + result.media.type + ", " +
                   std::to_string(result.size) +
                   " bytes: not for a terminal, send standard output to a file");
      return skip(ticket);
    }
    if (settings_.terminal) clean_lines(result.body);
    if (!in_turn(ticket)) return hold(ticket, result.body);
    tool_.out().write(result.body);
    return settings_.ordered ? release() : void();
  }
  skip(ticket);
  std::string why(to_string(result.outcome));
  if (result.status != 0) why += ", status " + std::to_string(result.status);
  if (!result.error.empty()) why += ": " + result.error;
  tool_.notice(excerpt(record_url(line)) + ": " + why);
  tool_.note_refusal();
}

void FetchOutput::archive(std::string_view url, const http::FetchResult& result) {
  // An answer nobody asked for looks whole: a 304 for an unseen page, a 206 for all of one.
  if (!warc_ || !result.whole || result.outcome == Outcome::kBadResponse) return;
  Result<http::WarcEntry> entry = warc_->write(url, result);
  if (entry.ok()) {
    archived_ = entry.take();
  } else {
    fail(entry.message());
  }
}

void FetchOutput::fail(const std::string& why) {
  if (failure_.empty()) tool_.trouble(why);
  failure_ = why;
}

// Writes what follows the fields of the result: digest, the body and its place, and the outcome.
void FetchOutput::write_end(http::FieldTaker& fields, const http::FetchResult& result,
                            const Body& body) {
  if (result.whole && !result.bodiless) fields.field("digest", digest_);
  if (archived_) {
    fields.field("warc-file", archived_->record.file);
    fields.field("warc-offset", std::to_string(archived_->record.offset));
    if (archived_->body) {
      fields.field("warc-body-file", archived_->body->file);
      fields.field("warc-body-offset", std::to_string(archived_->body->offset));
    }
  }
  if (!body.key.empty()) fields.field(body.key, body.bytes);
  if (body.offset) fields.field("body-offset", std::to_string(*body.offset));
}

template <typename Target>
void FetchOutput::write_plain(Target& target, std::string_view line,
                              const http::FetchResult& result, const Body& body) {
  const std::string_view url = record_url(line);
  target.put(url);
  for (std::string_view rest = line.substr(url.size()); !rest.empty();) {
    // `rest` begins with the tab in front of a field.
    const std::size_t end = std::min(rest.find('\t', 1), rest.size());
    const std::string_view column = rest.substr(0, end);
    const std::size_t equals = column.find('=');
    if (equals == std::string_view::npos || !gives_way(column.substr(1, equals - 1), result)) {
      target.put(column);
    }
    rest.remove_prefix(end);
  }
  PlainFields<Target> fields(target);
  http::each_field(result, settings_.fields, fields);
  write_end(fields, result, body);
  fields.field("outcome", to_string(result.outcome));
}

// Writes the record in the slow form, for --json and --fields.
void FetchOutput::write_record(std::string_view line, const http::FetchResult& result,
                               const Body& body) {
  record_.parse(line);
  for (std::size_t i = 0; i < record_.fields().size();) {
    const std::string_view key = record_.fields()[i].key;
    gives_way(key, result) ? record_.remove(key) : void(++i);
  }
  RecordFields fields(record_);
  http::each_field(result, settings_.fields, fields);
  write_end(fields, result, body);
  record_.set_outcome(to_string(result.outcome));
  tool_.writer().write(record_);
}

void FetchOutput::write_result(const http::FetchRequest& request, http::FetchResult& result) {
  const std::uint64_t ticket = request.ticket;
  const std::string_view line = request.cargo;
  if (settings_.body == FetchSettings::Body::kRaw) return write_raw(ticket, line, result);
  if (result.whole) {
    digest_ = std::move(result.digest);
    if (digest_.empty()) digest_ = http::digest_hex(settings_.digest, result.body);
  }
  Body body = place_body(request, result);
  archived_.reset();
  if (warc_ && request.want == http::Want::kBody)
    archive(result.hops.empty() ? record_url(line) : result.hops.back().url, result);
  // A page whose body could not be kept counts as not fetched, so that it is asked for again.
  if (!failure_.empty() && result.whole) {
    result.outcome = Outcome::kAborted;
    result.error = failure_;
    result.whole = false;
    body = {};
  }
  if (!in_turn(ticket)) {
    std::string text;
    StringTarget target{text};
    write_plain(target, line, result, body);
    return hold(ticket, std::move(text));
  }
  if (tool_.writer().plain()) {
    SinkTarget target{tool_.out()};
    write_plain(target, line, result, body);
    tool_.out().put(tool_.terminator());
  } else {
    write_record(line, result, body);
  }
  if (settings_.ordered) release();
}

void FetchOutput::pass(std::uint64_t ticket, std::string_view line) {
  if (settings_.body == FetchSettings::Body::kRaw) return skip(ticket);
  if (!in_turn(ticket)) return hold(ticket, std::string(line));
  tool_.writer().write_line(line);
  if (settings_.ordered) release();
}

void FetchOutput::skip(std::uint64_t ticket) {
  if (!settings_.ordered) return;
  if (ticket != first_) return hold(ticket, {});
  release();
}

void FetchOutput::hold(std::uint64_t ticket, std::string text) {
  const auto index = static_cast<std::size_t>(ticket - first_);
  if (held_.size() <= index) held_.resize(index + 1);
  text.shrink_to_fit();  // it was built with twice the capacity
  held_bytes_ += cost_of(text);
  held_[index] = std::move(text);
}

// Called when the line of first_ has been written: writes the lines that waited right behind it.
void FetchOutput::release() {
  ++first_;
  if (!held_.empty()) held_.pop_front();
  while (!held_.empty() && held_.front()) {
    const std::string& text = *held_.front();
    held_bytes_ -= cost_of(text);
    if (settings_.body == FetchSettings::Body::kRaw) {
      tool_.out().write(text);
    } else if (!text.empty()) {
      tool_.writer().write_line(text);
    }
    held_.pop_front();
    ++first_;
  }
}

}  // namespace spinneret
