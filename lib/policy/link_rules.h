// SPDX-License-Identifier: Apache-2.0
// A section's rules about facts besides the URL: the link on which it was found (rel, tag, via,
// text), and the address of its host.
//
// The fact that a rule is about may be unknown: a page that is judged again before its fetch is no
// longer a link, and a name has no address before it is looked up. Such a rule refuses nothing: a
// deny rule does not match, an allow rule does. So no page is refused although its link was
// accepted.
//
// Filled by the builder; afterwards immutable and thread-safe.
#ifndef SPINNERET_POLICY_LINK_RULES_H_
#define SPINNERET_POLICY_LINK_RULES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ip_address.h"
#include "policy/line.h"
#include "policy/pattern_set.h"

namespace spinneret::policy {

struct LinkFacts {
  Parts known = 0;        // which of the following are known
  std::string_view rel;   // tokens in lower case between blanks; empty: the link has none
  std::string_view tag;   // "a@href"
  std::string_view via;   // a URL, as a parser gives it
  std::string_view text;  // the text of the anchor
  std::span<const IpAddress> addresses;
};

class LinkRules {
 public:
  // Return whether `word` is valid: for is_rel a rel token or "-"; for is_tag "a", "@href" or
  // "a@href".
  static bool is_rel(std::string_view word);
  static bool is_tag(std::string_view word);

  void add_rel(std::string word, std::uint32_t line) { rels_.emplace_back(std::move(word), line); }
  void add_tag(std::string word, std::uint32_t line) { tags_.emplace_back(std::move(word), line); }
  void add_address(const AddressRange& range, std::uint32_t line) {
    ranges_.emplace_back(range, line);
    // A range that consists of mapped addresses stands for the IPv4 addresses in them.
    IpAddress& base = ranges_.back().first.base;
    base.v4 |= range.bits >= 96 && is_mapped(base);
  }
  // Return false where the pattern is invalid; `why` then says why.
  bool add_via(std::string_view pattern, std::uint32_t line, std::string* why);
  bool add_text(std::string_view pattern, std::uint32_t line, std::string* why);
  // `line` allows by `part`, and counts as matched where that part is not known.
  void add_allow(Part part, std::uint32_t line) { allows_.emplace_back(part, line); }
  void compile();

  // Returns the parts that the rules are about.
  Parts parts() const { return parts_; }
  void set_part(Part part) { parts_ |= bit(part); }
  // Appends the lines that match, in no particular order, and perhaps more than once.
  void match(const LinkFacts& facts, std::vector<std::uint32_t>& lines) const;

 private:
  using Word = std::pair<std::string, std::uint32_t>;

  Parts parts_ = 0;
  std::vector<Word> rels_;
  std::vector<Word> tags_;
  PatternSet vias_;
  PatternSet texts_;
  std::vector<std::pair<AddressRange, std::uint32_t>> ranges_;
  std::vector<std::pair<Part, std::uint32_t>> allows_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LINK_RULES_H_
