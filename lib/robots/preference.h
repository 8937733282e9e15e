// SPDX-License-Identifier: Apache-2.0
// What may be done with content once it is had, as its owner states it:
//
//   Content-Usage: train-ai=n, search=y       draft-ietf-aipref-attach, in robots.txt and as a header
//   Content-Signal: search=yes, ai-train=no   contentsignals.org, in robots.txt
//
// Both are lists of a label and a yes or no. Content-Usage is a dictionary of RFC 9651, of which the members
// that are tokens count; parameters are passed over. A member that cannot be read is left out and told; the
// others count, for to lose the reservation beside a slip would be to take what was not given.
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
  std::uint32_t line = 0;  // of the robots.txt; 0: of a header or a page
};

struct PreferenceList {
  std::vector<Preference> items;
  std::string bad;  // the first member that was left out; empty: none was
};

// y and yes, n and no are read in either form; `line` goes into the items. O(n).
PreferenceList parse_preferences(std::string_view value, std::uint32_t line = 0);

// Whether the words are those of the form: y and n of Content-Usage, yes and no of Content-Signal.
bool has_form_of_usage(std::string_view value);

// Puts `more` into `list`: of one label stated twice a no counts before a yes (AI preferences vocabulary,
// section 7.1).
void merge_preferences(std::vector<Preference>& list, std::vector<Preference> more);

// "train-ai=n, search=y"; with `words` as Content-Signal has it, "train-ai=no".
std::string preferences_text(const std::vector<Preference>& list, bool words);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PREFERENCE_H_
