// SPDX-License-Identifier: Apache-2.0
// Converts between record lines and the frontier's types, in one pass over the columns that matter.
// A value is copied only if it is escaped.
#ifndef SPINNERET_LOOP_WIRE_H_
#define SPINNERET_LOOP_WIRE_H_

#include <array>
#include <string>
#include <string_view>

#include "frontier/frontier.h"

namespace spinneret::loop {

// Returns the purpose for which a URL that is_checked() is sent; empty for others.
std::string_view purpose_of_depth(std::uint32_t depth);

class Wire {
 public:
  // Parses a link or a seed. Fields without a meaning here, from a seed file or from a policy's tag
  // rules, become `extra`. The views live as long as `line`, and until the next call.
  frontier::Candidate candidate(std::string_view line);
  // Parses a settled line. Returns false if its outcome is unknown.
  bool settled(std::string_view line, frontier::Settled& out);

  // Appends the line for sending a URL, without a terminator.
  static void append(std::string& out, const frontier::Dispatch& dispatch);
  // Appends a page's record, with the page on which it was found as `via`.
  static void append_found(std::string& out, std::string_view line, std::string_view via);
  // Appends the record of a page that was never fetched, without the fields meant for the fetcher.
  static void append_unasked(std::string& out, std::string_view line);

 private:
  std::string_view plain(std::string_view raw, std::size_t slot);
  void take_field(std::string_view key, std::string_view value, frontier::Settled& out);

  std::array<std::string, 7> unescaped_;
  std::string extra_;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_WIRE_H_
