// SPDX-License-Identifier: Apache-2.0
// Converts lists of other programs to lines of a policy (man 5 spinneret-policy).
//
//   ListConverter converter(ListForm::kAdblock);
//   std::string lines(converter.header());
//   if (!converter.add_line("||ads.example^", lines, why)) report(why);
//   // "order allow-deny\n", "deny-domain ads.example\n"
//
// A rule that a policy cannot express exactly is not converted, but reported, rather than widened
// or narrowed. Each line is converted by itself, and every line written is valid in a policy. Cost:
// below 1 us a host, some 10 us a pattern.
#ifndef SPINNERET_POLICY_CONVERT_H_
#define SPINNERET_POLICY_CONVERT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::policy {

// The forms, in the order of url-filter --convert.
enum class ListForm : std::uint8_t {
  kAdblock,  // network rules of Adblock Plus, uBlock Origin, AdGuard
  kDnsmasq,  // address=, server=, local=
  kSurt,     // SURT prefixes of Heritrix, with + and -
  kNutch,    // regex-urlfilter.txt
  kCidr,     // addresses, ranges, hosts, host:port
  kHosts,    // a hosts file, or one host per line
};

// What the text of an Adblock rule, without its options, matches: a host and all hosts below it, or
// URLs by a pattern.
struct AdblockText {
  std::string host;     // "||h.example^"; empty: the pattern counts
  std::string pattern;  // RE2 syntax, for the whole URL; empty: every URL
};
AdblockText read_adblock_text(std::string_view text, bool any_case);

class ListConverter {
 public:
  explicit ListConverter(ListForm form) : form_(form) {}

  // Returns the lines to put first: they say how such a list weighs its rules.
  std::string_view header() const;
  // Appends the policy's lines for one line of the list (none for a comment). Returns false where
  // no lines have the same meaning; `why` then says why.
  bool add_line(std::string_view line, std::string& out, std::string& why) const;

 private:
  ListForm form_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_CONVERT_H_
