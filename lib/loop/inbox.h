// SPDX-License-Identifier: Apache-2.0
// Seeds for a crawl that may be running: a file beside its state, to which anybody may append whole
// lines. The crawl moves them into its frontier from time to time.
//
//   add_to_inbox(path, "https://example.org/\tpriority=9\n");       // any process, at any time
//   if (has_mail(path)) empty_inbox(path, [&](std::string_view lines) { ... });  // owner
//
// Both lock the file (flock) while they work on it, so that no line is lost between them. Lines are
// durable in the frontier before they are removed from the file. After a crash in between they are
// taken twice, which is harmless, since the frontier then knows the URL. An incomplete line, left
// by a writer that was killed or ran out of disk space, is cut off by the next append.
#ifndef SPINNERET_LOOP_INBOX_H_
#define SPINNERET_LOOP_INBOX_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret::loop {

// Appends `lines`, each of which must end in LF. They are on disk when this returns.
Status add_to_inbox(const std::string& path, std::string_view lines);

bool has_mail(const std::string& path);

// Passes the whole lines of the file to `take`, and empties the file. Returns an Error of `take` or
// of the file; then nothing is removed.
Status empty_inbox(const std::string& path, const std::function<Status(std::string_view)>& take);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_INBOX_H_
