// SPDX-License-Identifier: Apache-2.0
// Domain to ASCII (URL Standard, section 3.3; Unicode Technical Standard #46, version 17).
#ifndef SPINNERET_URL_IDNA_H_
#define SPINNERET_URL_IDNA_H_

#include <string>
#include <string_view>

namespace spinneret {

// Appends the ASCII form of `domain` (UTF-8) to `out`: mapped, normalised to NFC, its labels in
// Punycode. CheckBidi and CheckJoiners are on; CheckHyphens, UseSTD3ASCIIRules,
// Transitional_Processing and VerifyDnsLength are off. An all-ASCII domain is only lower-cased: its
// "xn--" labels are not validated.
//
// Returns false where there is no such form; `reason`, if given, then says why ("U+FFFD is not
// allowed"). Takes time linear in the length. Thread-safe.
bool domain_to_ascii(std::string_view domain, std::string& out, std::string* reason = nullptr);

// Appends the Unicode form of an ASCII domain. An "xn--" label is decoded if domain_to_ascii would
// encode the result as the same label; other labels stay as they are.
void append_unicode_domain(std::string& out, std::string_view domain);

}  // namespace spinneret

#endif  // SPINNERET_URL_IDNA_H_
