// SPDX-License-Identifier: Apache-2.0
#include "html/element.h"

#include "html/name_table.h"

namespace spinneret::html {
namespace {

constexpr std::string_view kNames[] = {"",
#define SPINNERET_HTML_X(enumerator, name, flags) name,
                                       SPINNERET_HTML_ELEMENTS(SPINNERET_HTML_X)
#undef SPINNERET_HTML_X
};

constexpr NameTable<kElementCount> kTable(kNames);

}  // namespace

Element find_element(std::string_view name) { return static_cast<Element>(kTable.find(name)); }

Element find_element(std::string_view name, const char* end) {
  return static_cast<Element>(kTable.find(name, name_key_before(name, end)));
}

std::string_view element_name(Element element) { return kTable.name(index_of(element)); }

}  // namespace spinneret::html
