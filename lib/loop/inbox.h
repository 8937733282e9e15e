// SPDX-License-Identifier: Apache-2.0
// Seeds for a crawl that may be running: a file beside its state to which anybody appends whole lines, and which the
// crawl empties into its frontier at its turns.
//
//   add_to_inbox(path, "https://example.org/\tpriority=9\n");                       // anybody, at any time
//   if (has_mail(path)) empty_inbox(path, [&](std::string_view lines) { ... });     // who holds the state
//
// Both hold a lock (flock) on the file for as long as they work on it, so that no line gets lost between them. What was
// taken is durable before it leaves the file: a crash in between has it taken twice, which the frontier does not
// notice, as it knows the URL by then. A line that whoever appended it left torn, for want of disk or of life, is cut
// off by the next one who appends.
#ifndef SPINNERET_LOOP_INBOX_H_
#define SPINNERET_LOOP_INBOX_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::loop {

// `lines` each end in LF. On disk when this returns.
Status add_to_inbox(const std::string& path, std::string_view lines);

bool has_mail(const std::string& path);

// Calls `take` with the whole lines that are there. An Error of it, or of the file, is returned, and nothing has gone.
Status empty_inbox(const std::string& path, const std::function<Status(std::string_view)>& take);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_INBOX_H_
