// SPDX-License-Identifier: Apache-2.0
#include "http/reception.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

// A claimed length costs address space and no memory; but even that must have a bound.
constexpr std::uint64_t kReserveAtMost = std::uint64_t{16} << 20;
// Wire bytes over the decoded limit that are still read: the overhead of a coding. A body that
// sends more than this and decodes to nothing (empty blocks without end) is too large as well.
constexpr std::uint64_t kCodingSlack = std::uint64_t{64} << 10;

std::string too_large(std::uint64_t limit) {
  return "body is larger than " + std::to_string(limit) + " bytes";
}

}  // namespace

void Reception::start(const ReceptionRules& rules, FetchResult& out) {
  rules_ = rules;
  out_ = &out;
  out.head.clear();
  out.body.clear();
  out.wire_body.clear();
  out.error.clear();
  out.media = {};
  out.location.clear();
  out.status = 0;
  out.whole = out.truncated = out.bodiless = false;
  out.wire_size = out.size = 0;
  out.digest.clear();
  framing_ = {};
  chain_.start({});
  header_bytes_ = wire_bytes_ = 0;
  head_done_ = stopped_ = cut_ = torn_ = false;
  rest_ = Rest::kNone;
  keeps_body_ = !rules.digest_only || rules.cut_large;
  if (keeps_body_) return;
  digest_ ? digest_->reset() : void(digest_.emplace(*rules.digest_only));
}

bool Reception::may_go_on() const {
  const HeaderBlock& head = out_->head;
  const auto etag = head.get("etag");
  return torn_ && out_->status == 200 && wire_bytes_ > 0 && etag && etag->starts_with('"') &&
         etag->size() < 1000 && equals_ignore_case(head.joined("accept-ranges"), "bytes");
}

void Reception::ask_for_rest(std::vector<std::string>& lines) const {
  lines.push_back("Range: bytes=" + std::to_string(wire_bytes_) + "-");
  lines.push_back("If-Range: " + std::string(*out_->head.get("etag")));
}

void Reception::go_on() {
  rest_head_.clear();
  rest_status_ = 0;
  rest_ = Rest::kHead;
  torn_ = false;
}

// Takes a line of the head of an answer to a request for the rest.
bool Reception::rest_header(std::string_view line) {
  if (rest_head_.raw().empty()) {
    const std::optional<StatusLine> status = parse_status_line(line);
    rest_status_ = status ? status->status : 0;
  }
  if (rest_status_ != 0 && rest_head_.raw().size() + line.size() <= rules_.max_header) {
    if (line == "\r\n" || line == "\n") return finish_rest_head();
    rest_head_.add_line(line);
    return true;
  }
  rest_ = Rest::kRefused;
  return false;
}

bool Reception::finish_rest_head() {
  if (rest_status_ < 200) {  // interim
    rest_head_.clear();
    return true;
  }
  // If a host asks to be left alone, that must be reported, not the cut body.
  const bool busy = rest_status_ == 429 || rest_status_ == 503;
  if (rest_status_ != 200 && !busy) {
    rest_head_.parse();
    rest_ = is_the_rest() ? Rest::kBody : Rest::kRefused;
    return rest_ == Rest::kBody;
  }
  // The resource has changed: this is all of the new one.
  const std::string head = rest_head_.raw() + "\r\n";
  start(rules_, *out_);
  for (std::string_view lines = head; !lines.empty();) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    if (!header(lines.substr(0, end))) return false;
    lines.remove_prefix(end);
  }
  return true;
}

// Returns whether the answer is "bytes 100-199/200" (RFC 9110, section 14.4), of the same
// representation, to its end.
bool Reception::is_the_rest() const {
  const HeaderBlock& first = out_->head;
  std::string_view range = rest_head_.get("content-range").value_or("");
  const std::string from = "bytes " + std::to_string(wire_bytes_) + "-";
  Framing framing;
  std::string why;
  if (rest_status_ != 206 || !starts_with_ignore_case(range, from) ||
      !parse_framing(rest_head_, framing, why)) {
    return false;
  }
  range.remove_prefix(from.size());
  const auto last = parse_unsigned(cut(range, '/'));
  const auto total = parse_unsigned(range);
  return last && total && *last + 1 == *total &&
         framing_.content_length.value_or(*total) == *total &&
         rest_head_.get("etag") == first.get("etag") &&
         rest_head_.joined("content-encoding") == first.joined("content-encoding");
}

bool Reception::stop(Outcome outcome, std::string error) {
  out_->outcome = outcome;
  out_->error = std::move(error);
  stopped_ = true;
  return false;
}

// Releases the memory that a stopped exchange no longer needs, since many may end in one turn of
// the engine.
void Reception::release() {
  std::string().swap(out_->body);
  std::string().swap(out_->wire_body);
  chain_ = DecodeChain();  // a chain at rest keeps the memory of its streams
}

// A large body grows by a quarter, not to twice its size, since bodies determine a run's memory.
void Reception::keep(std::string_view bytes) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  std::string& body = out_->body;
  const std::size_t size = body.size() + bytes.size();
  if (size > body.capacity() && size > kLarge) {
    // string::reserve() would double the size, too.
    std::string larger;
    larger.reserve(size + size / 4);
    larger += body;
    body.swap(larger);
  }
  body += bytes;
}

bool Reception::header(std::string_view line) {
  if (stopped_) return false;
  if (rest_ == Rest::kHead) return rest_header(line);
  header_bytes_ += line.size();
  if (header_bytes_ > rules_.max_header) {
    return stop(Outcome::kTooLarge,
                "headers are larger than " + std::to_string(rules_.max_header) + " bytes");
  }
  if (head_done_) return true;  // a trailer: counted, and not used
  if (out_->head.raw().empty()) {
    const std::optional<StatusLine> status = parse_status_line(line);
    if (!status) return stop(Outcome::kBadResponse, "status line is not HTTP");
    out_->status = status->status;
    out_->version = status->version;
  }
  const bool last = line == "\r\n" || line == "\n";
  if (!last) {
    out_->head.add_line(line);
    return true;
  }
  // 101 is an answer, and a wrong one; other 1xx come before the answer (RFC 9110 section 15.2).
  if (out_->status < 200 && out_->status != 101) {
    out_->head.clear();
    return true;
  }
  return finish_head();
}

bool Reception::finish_head() {
  head_done_ = true;
  HeaderBlock& head = out_->head;
  head.parse();
  if (out_->status == 101) return stop(Outcome::kBadResponse, "protocol switch nobody asked for");
  if (out_->status == 407 && rules_.proxied)
    return stop(Outcome::kConnectFailed, "the proxy wants to know who asks: status 407");
  std::string why;
  if (!parse_framing(head, framing_, why)) return stop(Outcome::kBadResponse, std::move(why));
  for (const HeaderBlock::Field& field : head.fields()) {
    if (equals_ignore_case(field.name, "content-type")) take_media_types(field.value, out_->media);
  }
  // With other statuses Location names no target (RFC 9110 section 10.2.2), and is not a link. It
  // is kept as it came: the URL Standard, by which it is resolved, has its own rules for controls.
  const Outcome outcome = outcome_of_status(out_->status, false, false);
  const auto location = is_redirect(outcome) ? head.get("location") : std::nullopt;
  if (location) out_->location = *location;
  out_->bodiless = rules_.head_only || out_->status == 304;
  if (has_enough()) {
    judge_whole();
    out_->bodiless = stopped_ = true;
    return false;
  }
  return check_type() && (!has_body() || begin_body());
}

// Returns whether the head of a GET's answer says all that is wanted.
bool Reception::has_enough() const {
  if (rules_.want == Want::kBody || rules_.head_only) return false;
  const bool found = out_->status >= 200 && out_->status < 300;
  const std::string_view type = out_->media.type;
  return rules_.want == Want::kAnswer || !found ||
         !(type.empty() || type == "text/html" || type == "application/xhtml+xml" ||
           type == "image/svg+xml");
}

// Returns whether the answer may bring a body. RFC 9112 section 6.3 frames a body of a 205,
// although a 205 has none (RFC 9110 section 15.3.6).
bool Reception::has_body() const {
  const int status = out_->status;
  return !out_->bodiless && status != 204 && status != 205;
}

bool Reception::check_type() {
  const int status = out_->status;
  const bool page = status >= 200 && status < 300 && status != 204 && status != 205;
  const auto takes = [this](const std::vector<std::string>* list) {
    return list == nullptr || takes_type(out_->media.type, *list);
  };
  if (!page || rules_.cut_large || rules_.want != Want::kBody ||
      (takes(rules_.types) && takes(rules_.page_types)))
    return true;
  return stop(Outcome::kUnsupportedType,
              out_->media.type.empty() ? "no content type" : "type is " + out_->media.type);
}

bool Reception::begin_body() {
  const std::string coding = out_->head.joined("content-encoding");
  Result<std::vector<Coding>> codings = parse_codings(coding);
  if (!codings.ok()) return stop(Outcome::kBadResponse, codings.message());
  chain_.start(*codings);
  if (!framing_.content_length) return true;
  const std::uint64_t length = *framing_.content_length;
  const std::uint64_t slack = chain_.empty() ? 0 : kCodingSlack;
  if (!rules_.cut_large && length > rules_.max_size && length - rules_.max_size > slack) {
    return stop(Outcome::kTooLarge, too_large(rules_.max_size));
  }
  if (!keeps_body_) return true;
  out_->body.reserve(static_cast<std::size_t>(std::min({length, rules_.max_size, kReserveAtMost})));
  return true;
}

bool Reception::body(std::string_view bytes) {
  if (stopped_) return false;
  // libcurl ends an answer that it takes for HTTP/0.9 before this. A body without a head is no
  // answer.
  if (!head_done_ || rest_ == Rest::kHead) {
    return stop(Outcome::kBadResponse, "body without a head");
  }
  if (!has_body()) return stop(Outcome::kBadResponse, "body of an answer that has none");
  if (decode(bytes)) return true;
  if (!cut_) release();
  return false;
}

bool Reception::decode(std::string_view bytes) {
  wire_bytes_ += bytes.size();
  if (rules_.keep_wire && !chain_.empty()) out_->wire_body += bytes;
  const DecodeStep step = chain_.update(bytes, *this);
  if (step == DecodeStep::kBad)
    return stop(Outcome::kBadResponse, "body is not in its content coding");
  if (step == DecodeStep::kStopped) return false;
  if (wire_bytes_ > rules_.max_size && wire_bytes_ - rules_.max_size > kCodingSlack) {
    return stop(Outcome::kTooLarge, too_large(rules_.max_size));
  }
  return true;
}

bool Reception::take(std::string_view bytes) {
  const std::uint64_t room = rules_.max_size - out_->size;
  if (bytes.size() <= room) {
    out_->size += bytes.size();
    keeps_body_ ? keep(bytes) : digest_->update(bytes);
    return true;
  }
  if (!rules_.cut_large) return stop(Outcome::kTooLarge, too_large(rules_.max_size));
  out_->body += bytes.substr(0, static_cast<std::size_t>(room));
  out_->size = rules_.max_size;
  cut_ = true;
  return stop(Outcome::kOk, {});
}

void Reception::judge_whole() {
  out_->whole = true;
  if (!keeps_body_) out_->digest = digest_->hex();
  const bool has_retry = out_->head.get("retry-after").has_value();
  out_->outcome = outcome_of_status(out_->status, rules_.conditional, has_retry);
  // Without a preferred choice the page lists the choices for its reader (RFC 9110 section 15.4.1).
  if (out_->status == 300 && out_->location.empty()) out_->outcome = Outcome::kOk;
  if (out_->outcome == Outcome::kBadResponse) {
    out_->error = "status " + std::to_string(out_->status) + " nobody asked for";
  }
  if (is_challenge(out_->head)) out_->outcome = Outcome::kChallenged;
}

void Reception::end(WireEnd end, std::string_view detail) {
  out_->wire_size = wire_bytes_;
  if (!out_->head.raw().empty() && !head_done_) out_->head.parse();
  if (cut_) {
    judge_whole();
    out_->truncated = true;
    return;
  }
  if (stopped_) {
    out_->body.clear();
    return;
  }
  out_->error = detail;
  if (rest_ == Rest::kHead || rest_ == Rest::kRefused) {
    out_->outcome = Outcome::kBadResponse;
    out_->error = "body was cut, and the rest could not be fetched";
    return;
  }
  torn_ = (end == WireEnd::kCut || end == WireEnd::kUnheard) && head_done_;
  switch (end) {
    case WireEnd::kDone:
    case WireEnd::kGivenUp:
      if (!head_done_) {
        out_->outcome = Outcome::kBadResponse;
        out_->error = "message ended in its head";
      } else if (has_body() && framing_.content_length.value_or(wire_bytes_) != wire_bytes_) {
        out_->outcome = Outcome::kBadResponse;
        out_->error = "body is not as long as Content-Length says";
      } else if (!chain_.finished()) {
        out_->outcome = Outcome::kBadResponse;
        out_->error = "body ended in the middle of its content coding";
      } else {
        out_->error.clear();
        judge_whole();
      }
      return;
    case WireEnd::kTooLate:
    case WireEnd::kOwnTrouble: out_->outcome = Outcome::kAborted; return;
    case WireEnd::kRefusedAddress: out_->outcome = Outcome::kRefusedAddress; return;
    case WireEnd::kConnect:
    case WireEnd::kStale:
    case WireEnd::kDropped:
    case WireEnd::kNoAnswer: out_->outcome = Outcome::kConnectFailed; return;
    case WireEnd::kTooFast: out_->outcome = Outcome::kRateLimited; return;
    case WireEnd::kTls: out_->outcome = Outcome::kTlsFailed; return;
    case WireEnd::kBadUrl: out_->outcome = Outcome::kDnsFailed; return;
    case WireEnd::kLongLine:
      out_->outcome = Outcome::kTooLarge;
      out_->error = "header, or a line of it, is too long";
      return;
    case WireEnd::kFlood:
      out_->outcome = Outcome::kTooLarge;
      out_->error = "far more was received than a body of " + std::to_string(rules_.max_size) +
                    " bytes takes";
      return;
    case WireEnd::kStopped:
    case WireEnd::kCut:
    case WireEnd::kUnheard:
    case WireEnd::kProtocol: out_->outcome = Outcome::kBadResponse; return;
  }
}

}  // namespace spinneret::http
