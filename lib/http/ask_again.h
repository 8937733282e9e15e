// SPDX-License-Identifier: Apache-2.0
// Decides whether another exchange follows for the same request, and how it is made. Private to the
// engine.
#ifndef SPINNERET_HTTP_ASK_AGAIN_H_
#define SPINNERET_HTTP_ASK_AGAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "http/engine.h"
#include "http/redirect.h"
#include "http/transfer.h"
#include "url/parse.h"

namespace spinneret::http {

enum class Again {
  kNo,      // the result stands
  kHop,     // a redirect is followed: as was asked for, or back to where it began, with a cookie
  kSigned,  // the host asks for a signature
  kCookie,  // a redirect to the same URL has set a cookie
  kByGet,   // HEAD was refused, or not understood
  kPaid,    // the page has a price, and the ledger allows it
  kRest,    // the body was cut; its rest is asked for
  kSame,    // a kept connection ended under the request
};

// Must be called once for each exchange that has ended; the answer is kNo while the engine stops.
// Sets `target` for a hop, and in the transfer what the next exchange is to send. An offer is in
// the ledger when this returns. All transfers share one `trail`.
Again ask_again(Transfer& transfer, const EngineOptions& options, bool stopping,
                RedirectTrail& trail, Url& target);

// Returns how long the host is left alone before an exchange that nobody planned: the longest of
// the engine's wait, the request's own (FetchRequest::delay_ms) and EngineOptions::again_ms. A hop
// waits as other requests do, without again_ms.
std::int64_t gap_before(Again next, const Transfer& transfer, const EngineOptions& options);

// Fills Transfer::headers with the fields that only this exchange has.
void set_headers(Transfer& transfer, const EngineOptions& options, std::int64_t unix_seconds);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ASK_AGAIN_H_
