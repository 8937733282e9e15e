// SPDX-License-Identifier: Apache-2.0
#include "http/fields.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/ascii.h"

namespace spinneret::http {
namespace {

// Sorted.
constexpr std::string_view kResultFields[] = {"body",
                                              "body-file",
                                              "body-offset",
                                              "charged",
                                              "charset",
                                              "connect-ms",
                                              "content-language",
                                              "continued",
                                              "digest",
                                              "dns-ms",
                                              "error",
                                              "expires",
                                              "first-byte-ms",
                                              "header",
                                              "hop",
                                              "http",
                                              "insecure",
                                              "ip",
                                              "late",
                                              "link",
                                              "location",
                                              "outcome",
                                              "price",
                                              "refresh",
                                              "retry-after",
                                              "size",
                                              "status",
                                              "time-ms",
                                              "tls-ms",
                                              "truncated",
                                              "type",
                                              "warc-body-file",
                                              "warc-body-offset",
                                              "warc-file",
                                              "warc-offset",
                                              "wire-size",
                                              "x-robots-tag"};
static_assert(std::is_sorted(std::begin(kResultFields), std::end(kResultFields)));

// These fields say how a page's owner wants it to be used: whoever has the page must know them.
bool states_preference(std::string_view name) {
  return equals_ignore_case(name, "content-usage") || equals_ignore_case(name, "tdm-reservation") ||
         equals_ignore_case(name, "tdm-policy");
}

class Fields {
 public:
  Fields(const FetchResult& result, const FieldChoice& choice, FieldTaker& taker)
      : result_(result), choice_(choice), taker_(taker) {}
  void write();

 private:
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) taker_.field(key, value);
  }
  // Gives a value that a server has sent.
  void said(std::string_view key, std::string_view value) {
    is_clean_field_value(value) ? text(key, value) : text(key, clean_field_value(value));
  }
  void number(std::string_view key, std::int64_t value) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    taker_.field(key, {digits, static_cast<std::size_t>(end - digits)});
  }
  // Milliseconds with three decimals.
  void time(std::string_view key, std::int64_t us);
  void header(std::string_view key, std::string_view name);
  void hops();
  void response();
  void caching();
  void times();

  const FetchResult& result_;
  const FieldChoice& choice_;
  FieldTaker& taker_;
};

void Fields::time(std::string_view key, std::int64_t us) {
  if (us <= 0) return;
  char digits[32];
  char* end = std::to_chars(digits, digits + 20, us / 1000).ptr;
  *end++ = '.';
  for (const std::int64_t unit : {100, 10, 1}) *end++ = static_cast<char>('0' + us / unit % 10);
  taker_.field(key, {digits, static_cast<std::size_t>(end - digits)});
}

void Fields::header(std::string_view key, std::string_view name) {
  for (const HeaderBlock::Field& field : result_.head.fields()) {
    if (equals_ignore_case(field.name, name)) said(key, field.value);
  }
}

void Fields::hops() {
  for (const FetchHop& hop : result_.hops) {
    taker_.field("hop", std::to_string(hop.status) + " " + clean_field_value(hop.url));
  }
}

std::string_view version_text(int version) {
  switch (version) {
    case 10: return "1.0";
    case 20: return "2";
    case 30: return "3";
    default: return "1.1";
  }
}

void Fields::response() {
  number("status", result_.status);
  taker_.field("http", version_text(result_.version));
  text("type", result_.media.type);
  text("charset", result_.media.charset);
  if (!result_.whole || result_.bodiless) return;
  number("size", static_cast<std::int64_t>(result_.size));
  if (result_.wire_size != result_.size) {
    number("wire-size", static_cast<std::int64_t>(result_.wire_size));
  }
}

void Fields::caching() {
  const std::int64_t now = result_.fetched_unix_ms / 1000;
  // A 304 refers to an earlier answer, whose validators the caller has. Other validators in a 304
  // would belong to something that was never fetched (RFC 9111 section 4.3.4).
  if (validators_are_old(result_)) {
    header("etag", "etag");
    header("last-modified", "last-modified");
  }
  if (const auto expires = fresh_until(result_.head, now)) number("expires", *expires);
}

void Fields::times() {
  // The total time is always given, and never as 0.
  number("time-ms", (result_.time_us + 999) / 1000);
  if (!choice_.timing) return;
  time("dns-ms", result_.dns_us);
  time("connect-ms", result_.times.connect);
  time("tls-ms", result_.times.tls);
  time("first-byte-ms", result_.times.first_byte);
}

void Fields::write() {
  hops();
  if (result_.status != 0) response();
  times();
  text("ip", result_.ip);
  if (result_.status != 0) {
    if (validators_are_old(result_) || result_.outcome == Outcome::kNotModified) caching();
    // A redirect whose response is incomplete (a torn body, a time limit) leads nowhere.
    if (is_redirect(result_.outcome)) {
      said("location", result_.location);
    }
    const auto wait = retry_after(result_.head, result_.fetched_unix_ms / 1000);
    if (wait) number("retry-after", *wait);
    if (result_.outcome == Outcome::kPaymentRequired) header("price", "crawler-price");
    if (result_.outcome == Outcome::kOk) header("charged", "crawler-charged");
    header("x-robots-tag", "x-robots-tag");
    header("link", "link");
    header("refresh", "refresh");
    header("content-language", "content-language");
  }
  for (const HeaderBlock::Field& field : result_.head.fields()) {
    if (choice_.headers || states_preference(field.name)) {
      taker_.field("header", std::string(field.name) + ": " + clean_field_value(field.value));
    }
  }
  if (choice_.insecure) taker_.field("insecure", "true");
  if (result_.truncated) taker_.field("truncated", "true");
  if (result_.continued != 0) number("continued", result_.continued);
  if (result_.late) taker_.field("late", "yes");
  said("error", result_.error);
}

}  // namespace

void each_field(const FetchResult& result, const FieldChoice& choice, FieldTaker& taker) {
  Fields(result, choice, taker).write();
}

bool is_result_field(std::string_view key) {
  return std::binary_search(std::begin(kResultFields), std::end(kResultFields), key);
}

bool validators_are_old(const FetchResult& result) { return result.outcome == Outcome::kOk; }

}  // namespace spinneret::http
