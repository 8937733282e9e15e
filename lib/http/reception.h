// SPDX-License-Identifier: Apache-2.0
// A response as it comes in, judged piece by piece: limits, framing, codings, type. Knows no network.
//
//   Reception reception;
//   reception.start(rules, result);
//   while (...) if (!reception.header(line)) stop;
//   while (...) if (!reception.body(bytes)) stop;
//   reception.end(WireEnd::kDone, "");        // result.outcome is set
//
// A body that was cut may go on where it stopped: where may_go_on(), go_on() instead of start(), and the answer to a
// request for the rest (RFC 9110, section 14) is put behind what is there.
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
  // Lists of media types (takes_type()), both of which must take the page's; nullptr or empty: all.
  const std::vector<std::string>* types = nullptr;
  const std::vector<std::string>* page_types = nullptr;
  bool head_only = false;                 // a HEAD request: no body comes
  Want want = Want::kBody;                // of another
  bool conditional = false;               // 304 is an answer
  bool cut_large = false;                 // FetchRequest::robots
  bool keep_wire = false;                 // fill FetchResult::wire_body
  std::optional<DigestKind> digest_only;  // of bodies, which are not kept (robots.txt is)
};

class Reception : private DecodeTaker {
 public:
  // `out` must outlive the exchange; what is in it from an earlier hop (hops, ip) is kept.
  void start(const ReceptionRules& rules, FetchResult& out);
  // Whether the server can be asked for the rest of what end() has found cut: part of a 200 whose strong validator says
  // that the rest is of the same (RFC 9110, sections 8.8.1 and 13.1.5).
  bool may_go_on() const;
  // The request's further lines: Range and If-Range.
  void ask_for_rest(std::vector<std::string>& lines) const;
  // Whatever answers but the rest: 200 is the whole, from its beginning; another leaves the body cut.
  void go_on();
  // Each false means: stop, the outcome is known.
  bool header(std::string_view line);
  bool body(std::string_view bytes);
  // Sets the outcome, whatever was before.
  void end(WireEnd end, std::string_view detail);

  // The final response's head is complete.
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
  bool cut_ = false;   // robots.txt, at its limit
  bool torn_ = false;  // by the server
  bool keeps_body_ = true;
  std::optional<BodyDigest> digest_;
  // How far an answer has come that is to bring the rest of a body.
  enum class Rest { kNone, kHead, kBody, kRefused };
  Rest rest_ = Rest::kNone;
  HeaderBlock rest_head_;
  int rest_status_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_RECEPTION_H_
