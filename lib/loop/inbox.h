// SPDX-License-Identifier: Apache-2.0
// Seeds for a crawl that may be running: a file beside its state, to which anybody may append whole lines, and which
// the crawl empties into its frontier from time to time.
//
//   add_to_inbox(path, "https://example.org/\tpriority=9\n");                       // anybody, at any time
//   if (has_mail(path)) empty_inbox(path, [&](std::string_view lines) { ... });     // who holds the state
//
// Both lock the file (flock) while they work on it, so that no line is lost between them. Lines are durable in the
// frontier before they leave the file; after a crash between the two they are taken twice, which does no harm, since
// the frontier knows the URL by then. A torn line, left by a writer that ran out of disk space or was killed, is cut
// off by the next one who appends.
#ifndef SPINNERET_LOOP_INBOX_H_
#define SPINNERET_LOOP_INBOX_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::loop {

// Each of `lines` must end in LF. They are on disk when this returns.
Status add_to_inbox(const std::string& path, std::string_view lines);

bool has_mail(const std::string& path);

// Calls `take` with the whole lines that are there. An Error, of `take` or of the file, is returned, and nothing is
// removed then.
Status empty_inbox(const std::string& path, const std::function<Status(std::string_view)>& take);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_INBOX_H_
