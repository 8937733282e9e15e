// SPDX-License-Identifier: Apache-2.0
#include "url/parse.h"

#include <utility>

#include "url/plain_link.h"
#include "url/stripped_input.h"
#include "url/url_parser.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxInput = std::size_t{1} << 30;

bool is_too_long(std::string_view input, const Url* base, UrlError* why) {
  if (input.size() + (base == nullptr ? 0 : base->href().size()) <= kMaxInput) return false;
  if (why != nullptr) *why = {"the URL is longer than 1 GiB", 0};
  return true;
}

bool run(std::string_view input, const Url* base, Url& out, UrlError* why,
         const QueryEncoder* encoder) {
  if (is_too_long(input, base, why)) return false;
  const StrippedInput stripped(input);
  NoParseNotes none;
  if (UrlParser(stripped.text(), base, out, why, encoder, none).run()) return true;
  if (why != nullptr) why->offset = stripped.original_offset(why->offset);
  return false;
}

}  // namespace

bool parse(std::string_view input, Url& out, UrlError* why) {
  return run(input, nullptr, out, why, nullptr);
}

bool resolve(std::string_view input, const Url& base, Url& out, UrlError* why,
             const QueryEncoder* encoder) {
  return PlainLink(input, base, out).resolve() || run(input, &base, out, why, encoder);
}

bool parse_noted(std::string_view input, const Url* base, Url& out, ParseNotes& notes,
                 UrlError* why) {
  notes.clear();
  UrlError error;
  if (is_too_long(input, base, why)) return false;
  const StrippedInput stripped(input);
  const bool valid = UrlParser(stripped.text(), base, out, &error, nullptr, notes).run();
  error.offset = stripped.original_offset(error.offset);
  for (ParseFault& fault : notes.faults()) fault.offset = stripped.original_offset(fault.offset);
  notes.stripped(input, stripped.text().size());
  if (why != nullptr && !valid) *why = std::move(error);
  return valid;
}

}  // namespace spinneret
