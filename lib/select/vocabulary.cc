// SPDX-License-Identifier: Apache-2.0
#include "select/vocabulary.h"

#include <algorithm>

#include "io/table.h"

namespace spinneret::select {

std::string short_name(std::string_view name) {
  for (const std::string_view vocabulary : {"schema.org/", "schema:"}) {
    const std::size_t at = name.rfind(vocabulary);
    if (at != std::string_view::npos && at + vocabulary.size() < name.size())
      return std::string(name.substr(at + vocabulary.size()));
  }
  return std::string(name);
}

std::string key_of(std::string_view name) {
  std::string plain = short_name(name);
  std::replace(plain.begin(), plain.end(), ':', '.');
  return key_of_name(plain);
}

}  // namespace spinneret::select
