// SPDX-License-Identifier: Apache-2.0
// Lists of other programs as lines of a policy (man 5 spinneret-policy).
//
//   ListConverter converter(ListForm::kAdblock);
//   std::string lines(converter.header());
//   if (!converter.add_line("||ads.example^", lines, why)) report(why);
//   // "order allow-deny\n", "deny-domain ads.example\n"
//
// What a policy cannot say as it is meant is not converted, and told, rather than widened or narrowed. Knows the form of
// one line at a time; what it writes is a policy without mistakes. Cost: below 1 us a host, some 10 us a pattern.
#ifndef SPINNERET_POLICY_CONVERT_H_
#define SPINNERET_POLICY_CONVERT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::policy {

// In the order of url-filter --convert.
enum class ListForm : std::uint8_t {
  kAdblock,  // network rules of Adblock Plus, uBlock Origin, AdGuard
  kDnsmasq,  // address=, server=, local=
  kSurt,     // SURT prefixes of Heritrix, with + and -
  kNutch,    // regex-urlfilter.txt
  kCidr,     // addresses, ranges, hosts, host:port
  kHosts,    // a hosts file, or a host a line
};

// What the text of an Adblock rule, ahead of its options, is about: a host with all below it, or a pattern of URLs.
struct AdblockText {
  std::string host;     // "||h.example^"; empty: by the pattern
  std::string pattern;  // RE2 syntax, for the whole URL; empty: every URL
};
AdblockText read_adblock_text(std::string_view text, bool any_case);

class ListConverter {
 public:
  explicit ListConverter(ListForm form) : form_(form) {}

  // The lines to stand first: how such a list weighs its rules.
  std::string_view header() const;
  // Appends the policy's lines for one of the list, none for a comment. False: there are none that mean the same, `why`.
  bool add_line(std::string_view line, std::string& out, std::string& why) const;

 private:
  ListForm form_;
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_CONVERT_H_
