// SPDX-License-Identifier: Apache-2.0
// How content may be used once it is fetched, as stated by its owner:
//
//   Content-Usage: train-ai=n, search=y      draft-ietf-aipref-attach, in robots.txt or a header
//   Content-Signal: search=yes, ai-train=no  contentsignals.org, in robots.txt
//
// Both are lists of labels with a yes or no. Content-Usage is a dictionary of RFC 9651, of which
// the members that are tokens count; parameters are ignored. A member that cannot be read is left
// out and reported, and the others still count: a slip in one member must not void the reservation
// in another.
#ifndef SPINNERET_ROBOTS_PREFERENCE_H_
#define SPINNERET_ROBOTS_PREFERENCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::robots {

struct Preference {
  std::string label;  // as written: "train-ai"
  bool allowed = false;
  std::uint32_t line = 0;  // line of the robots.txt; 0: from a header or a page
};

struct PreferenceList {
  std::vector<Preference> items;
  std::string bad;  // the first member that was left out; empty: none was
};

// Parses y and yes, n and no in either form; `line` is stored in the items. O(n).
PreferenceList parse_preferences(std::string_view value, std::uint32_t line = 0);

// Returns whether the words have the form of Content-Usage (y and n) and not of Content-Signal (yes
// and no).
bool has_form_of_usage(std::string_view value);

// Merges `more` into `list`. Where a label is stated twice, no prevails over yes (AI preferences
// vocabulary, section 7.1).
void merge_preferences(std::vector<Preference>& list, std::vector<Preference> more);

// Writes "train-ai=n, search=y" or, with `words`, in the form of Content-Signal "train-ai=no".
std::string preferences_text(const std::vector<Preference>& list, bool words);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PREFERENCE_H_
