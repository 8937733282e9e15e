// SPDX-License-Identifier: Apache-2.0
// Decides whether another exchange follows for the same line, and how its request is made. Private to the engine.
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
  kNo,      // the result stands as it is
  kHop,     // a redirect is followed: as was asked for, or back to where it began, with a cookie
  kSigned,  // the host asks for a signature
  kCookie,  // a redirect to the same URL has set a cookie
  kByGet,   // HEAD was refused, or not understood
  kPaid,    // the page has a price, and the ledger allows it
  kRest,    // the body was cut
  kSame,    // a kept connection ended under the request
};

// Call it once for each exchange that has ended; the answer is kNo while the engine stops. It sets `target` for a
// hop, and in the transfer what the next exchange is to have. An offer is in the ledger when this returns. `trail` is that of
// all transfers.
Again ask_again(Transfer& transfer, const EngineOptions& options, bool stopping,
                RedirectTrail& trail, Url& target);

// How long the host is left alone before a next exchange that nobody has planned for: the engine's wait, the line's
// own (FetchRequest::delay_ms) or EngineOptions::again_ms, whichever is longest. A hop waits as other requests do.
std::int64_t gap_before(Again next, const Transfer& transfer, const EngineOptions& options);

// Fills Transfer::headers with the fields that only this exchange has.
void set_headers(Transfer& transfer, const EngineOptions& options, std::int64_t unix_seconds);

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_ASK_AGAIN_H_
