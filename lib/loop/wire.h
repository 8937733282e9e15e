// SPDX-License-Identifier: Apache-2.0
// Record lines to and from the frontier's own types. One pass over a line, and only over the columns that
// count; nothing is copied unless a value is escaped.
#ifndef SPINNERET_LOOP_WIRE_H_
#define SPINNERET_LOOP_WIRE_H_

#include <array>
#include <string>
#include <string_view>

#include "frontier/frontier.h"

namespace spinneret::loop {

// What a URL that is_checked() goes out for; of others empty.
std::string_view purpose_of_depth(std::uint32_t depth);

class Wire {
 public:
  // A link, or a seed: fields that are nobody's here, as a seed file and tag rules of a policy give them, become
  // `extra`. The views live as long as `line`, and until the next call.
  frontier::Candidate candidate(std::string_view line);
  // A settled line. False where its outcome is none that we know.
  bool settled(std::string_view line, frontier::Settled& out);

  // Appends the line of a URL that goes out, without terminator.
  static void append(std::string& out, const frontier::Dispatch& dispatch);
  // Appends a page's record, with the page on which it was found.
  static void append_found(std::string& out, std::string_view line, std::string_view via);
  // Appends the record of a page that nobody has fetched, without what was said to whoever would.
  static void append_unasked(std::string& out, std::string_view line);

 private:
  std::string_view plain(std::string_view raw, std::size_t slot);

  std::array<std::string, 6> unescaped_;
  std::string extra_;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_WIRE_H_
