// SPDX-License-Identifier: Apache-2.0
// Judges a response piece by piece as it comes in: limits, framing, codings, type. Knows nothing of
// the network.
//
//   Reception reception;
//   reception.start(rules, result);
//   while (...) if (!reception.header(line)) stop;
//   while (...) if (!reception.body(bytes)) stop;
//   reception.end(WireEnd::kDone, "");        // result.outcome is set
//
// A body that was cut may be continued: where may_go_on() allows it, call go_on() in place of
// start(). The answer to a request for the rest (RFC 9110, section 14) is then appended to the
// body.
#ifndef SPINNERET_HTTP_RECEPTION_H_
#define SPINNERET_HTTP_RECEPTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/decode.h"
#include "http/digest.h"
#include "http/fetch.h"
#include "http/header_block.h"

namespace spinneret::http {

struct ReceptionRules {
  std::uint64_t max_size = 0;
  std::uint64_t max_header = 0;
  // Lists of media types (takes_type()). The page's type must pass both; nullptr or empty passes
  // all.
  const std::vector<std::string>* types = nullptr;
  const std::vector<std::string>* page_types = nullptr;
  bool head_only = false;                 // the request is HEAD: no body comes
  Want want = Want::kBody;                // for GET
  bool conditional = false;               // validators were sent, so that 304 is an answer
  bool cut_large = false;                 // FetchRequest::robots
  bool proxied = false;                   // through a proxy, so that 407 is no answer of the host
  bool keep_wire = false;                 // fill FetchResult::wire_body
  std::optional<DigestKind> digest_only;  // keep no bodies, except that of robots.txt
};

class Reception : private DecodeTaker {
 public:
  // `out` must outlive the exchange. Fields that an earlier hop has set (hops, ip) are kept.
  void start(const ReceptionRules& rules, FetchResult& out);
  // Returns whether the rest of a body that end() has found cut can be asked for: it must be part
  // of a 200 with a strong validator, which ties the rest to it (RFC 9110, sections 8.8.1 and
  // 13.1.5).
  bool may_go_on() const;
  // Adds the request's fields for the rest: Range and If-Range.
  void ask_for_rest(std::vector<std::string>& lines) const;
  // Continues with the answer, whatever it is: the rest, or with status 200 the whole body again.
  // A 429 or 503 replaces the result; any other answer leaves the body cut.
  void go_on();
  // Where one of these returns false, the caller must stop: the outcome is known.
  bool header(std::string_view line);
  bool body(std::string_view bytes);
  // Sets the outcome, replacing any earlier one.
  void end(WireEnd end, std::string_view detail);

  // Returns whether the final response's head is complete.
  bool head_done() const { return head_done_; }
  std::uint64_t bytes() const { return header_bytes_ + wire_bytes_; }

 private:
  bool decode(std::string_view bytes);
  bool take(std::string_view bytes) override;
  bool stop(Outcome outcome, std::string error);
  void release();
  void keep(std::string_view bytes);
  bool finish_head();
  bool rest_header(std::string_view line);
  bool finish_rest_head();
  bool is_the_rest() const;
  bool has_body() const;
  bool check_type();
  bool has_enough() const;
  bool begin_body();
  void judge_whole();

  ReceptionRules rules_;
  FetchResult* out_ = nullptr;
  Framing framing_;
  DecodeChain chain_;
  std::uint64_t header_bytes_ = 0;
  std::uint64_t wire_bytes_ = 0;
  bool head_done_ = false;
  bool stopped_ = false;
  bool cut_ = false;   // a robots.txt was cut at its limit
  bool torn_ = false;  // the server ended the body early
  bool keeps_body_ = true;
  std::optional<BodyDigest> digest_;
  // The state of an answer that is to bring the rest of a body.
  enum class Rest { kNone, kHead, kBody, kRefused };
  Rest rest_ = Rest::kNone;
  HeaderBlock rest_head_;
  int rest_status_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RECEPTION_H_
