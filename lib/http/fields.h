// SPDX-License-Identifier: Apache-2.0
// Gives a result as the fields of a record: which fields there are, their order and their values.
// The caller decides how a field is written. Not included are body, body-file, warc-file, digest
// and outcome.
#ifndef SPINNERET_HTTP_FIELDS_H_
#define SPINNERET_HTTP_FIELDS_H_

#include <string_view>

#include "http/fetch.h"

namespace spinneret::http {

struct FieldChoice {
  bool headers = false;   // give every header field as `header=Name: value`
  bool timing = false;    // give dns-ms, connect-ms, tls-ms, first-byte-ms
  bool insecure = false;  // certificates were not verified, which each record says
};

class FieldTaker {
 public:
  virtual ~FieldTaker() = default;
  // The value is raw bytes without control bytes. It lives until the call returns.
  virtual void field(std::string_view key, std::string_view value) = 0;
};

// Gives the fields that come before the body, from hop to error.
void each_field(const FetchResult& result, const FieldChoice& choice, FieldTaker& taker);

// Returns whether a fetcher writes a field of that key, so that one in the input must not be passed
// on. `etag` and `last-modified` do not count: see validators_are_old.
bool is_result_field(std::string_view key);

// Returns whether the validators in the input no longer hold, because the response is whole and
// new.
bool validators_are_old(const FetchResult& result);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_FIELDS_H_
