// SPDX-License-Identifier: Apache-2.0
// A response, as bytes of a stranger: head, framing, codings, dates and fields. Nothing may crash,
// no limit may be exceeded, no control byte may get into a field, and a body cut in pieces must
// equal the body that came at once.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "http/fields.h"
#include "http/reception.h"

namespace {

using namespace spinneret;

void check(bool good) {
  if (!good) std::abort();
}

struct Checker : http::FieldTaker {
  void field(std::string_view, std::string_view value) override {
    for (const char c : value) check(!is_control(c));
  }
};

struct Exchange {
  http::ReceptionRules rules;
  http::Reception reception;
  http::FetchResult result;

  // Takes the text as a head, line by line, and a body in pieces.
  void run(std::string_view text, std::size_t piece) {
    result.clear();
    reception.start(rules, result);
    bool going = true;
    while (going && !reception.head_done() && !text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
      text.remove_prefix(line.size());
      going = reception.header(line);
    }
    while (going && !text.empty()) {
      going = reception.body(text.substr(0, piece));
      text.remove_prefix(std::min(piece, text.size()));
    }
    reception.end(going ? http::WireEnd::kDone : http::WireEnd::kStopped, "");
  }
};

bool bad_and_too_large(const http::FetchResult& pieces, const http::FetchResult& whole) {
  return whole.outcome == Outcome::kBadResponse &&
         (pieces.truncated || pieces.outcome == Outcome::kTooLarge);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t flags = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  static Exchange pieces;
  static Exchange whole;
  http::ReceptionRules rules;
  rules.max_size = 10'000;
  rules.max_header = 5'000;
  rules.head_only = (flags & 1) != 0;
  rules.conditional = (flags & 2) != 0;
  rules.cut_large = (flags & 4) != 0;
  rules.keep_wire = (flags & 8) != 0;
  pieces.rules = whole.rules = rules;
  pieces.run(text, data[1] + std::size_t{1});
  whole.run(text, text.size() + 1);
  const http::FetchResult& result = pieces.result;
  check(result.body.size() <= rules.max_size);
  check(result.head.raw().size() <= rules.max_header);
  const bool is_page = (result.status >= 200 && result.status < 300) ||
                       (result.status == 300 && result.location.empty());
  check(result.outcome != Outcome::kOk || is_page);
  // How the bytes are cut into pieces makes no difference. Only of a body that was stopped more or
  // less may be there. A body that is both too large and no valid brotli or zstd may have either
  // outcome, because those libraries keep what they decoded before an error.
  if (result.outcome != whole.result.outcome && bad_and_too_large(result, whole.result)) return 0;
  check(result.outcome == whole.result.outcome && result.status == whole.result.status);
  check(result.whole == whole.result.whole && result.truncated == whole.result.truncated);
  check(!result.whole || result.body == whole.result.body);
  // A body that was cut has as its size what had come by then.
  check(!result.whole || result.truncated ||
        (result.wire_size == whole.result.wire_size && result.wire_body == whole.result.wire_body));
  http::FieldChoice choice;
  choice.headers = true;
  Checker checker;
  http::each_field(result, choice, checker);
  return 0;
}
