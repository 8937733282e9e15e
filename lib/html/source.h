// SPDX-License-Identifier: Apache-2.0
// The places where links stand: one table of elements and attributes, with the purpose of each and
// the form of its value.
#ifndef SPINNERET_HTML_SOURCE_H_
#define SPINNERET_HTML_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "html/element.h"
#include "html/link.h"

namespace spinneret::html {

enum class ValueForm : std::uint8_t {
  kUrl,  // one URL
  // the URL of a thing (RDFa, microdata), or a compact name of it ("[foaf:me]"), which is not a
  // link
  kName,
  kSrcset,      // image candidates
  kSpaceList,   // URLs separated by white space: ping, profile, archive
  kCommaList,   // URLs separated by commas: archive of applet
  kLinkHref,    // href of link: the kind comes from rel
  kFormAction,  // action: the kind comes from method
  kBaseHref,
  kMetaContent,  // content: refresh, Open Graph
  kSrcdoc,       // a document
  kCss,          // declarations
};

struct Source {
  Element element;  // kUnknown: any element
  std::string_view attribute;
  LinkKind kind;  // the most likely one for kLinkHref, kFormAction and kMetaContent
  ValueForm form;
};

std::span<const Source> all_sources();

// The table's attributes must fit into one word of bits.
constexpr std::size_t kMaxSourceAttributes = 64;

// Returns the index of an attribute in the table, from 1, by its name in any case; 0 if no source
// has it.
std::size_t find_source_attribute(std::string_view name);
// Does the same where all bytes up to `end` may be read.
std::size_t find_source_attribute(std::string_view name, const char* end);
std::size_t source_attribute_count();
std::string_view source_attribute_name(std::size_t index);

// Returns the kind of a <link>, by its rel tokens and its type.
LinkKind link_kind(std::string_view rel, std::string_view type);

// Whether `rel` has the token (ASCII case-insensitively).
bool has_rel_token(std::string_view rel, std::string_view token);

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_SOURCE_H_
