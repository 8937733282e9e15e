// SPDX-License-Identifier: Apache-2.0
#include "io/locator.h"

#include <algorithm>
#include <utility>

#include "io/json.h"
#include "io/json_key.h"

namespace spinneret {
namespace {

bool find_in_json(std::string_view line, std::string_view key, Locator::Place& place,
                  std::string_view& why) {
  JsonString found;
  found.text = std::move(place.decoded);
  const JsonFind result = find_json_string(line, key, found);
  place.decoded = std::move(found.text);
  switch (result) {
    case JsonFind::kFound:
      place.begin = found.begin;
      place.end = found.end;
      place.text = place.decoded;
      return true;
    case JsonFind::kMissing: why = "the JSON object lacks the key"; break;
    case JsonFind::kNotString: why = "the key's value is no string"; break;
    case JsonFind::kMalformed: why = "the line is no JSON object"; break;
  }
  return false;
}

}  // namespace

Locator Locator::column(std::size_t number) {
  Locator locator;
  locator.column_ = std::max<std::size_t>(number, 1);
  return locator;
}

Locator Locator::json_key(std::string key) {
  Locator locator;
  locator.key_ = std::move(key);
  return locator;
}

bool Locator::find(std::string_view line, Place& place, std::string_view& why) const {
  if (is_json()) return find_in_json(line, key_, place, why);
  std::size_t begin = 0;
  for (std::size_t i = 1; i < column_; ++i) {
    const std::size_t tab = line.find('\t', begin);
    if (tab == std::string_view::npos) {
      why = "the line has fewer columns";
      return false;
    }
    begin = tab + 1;
  }
  place.begin = begin;
  place.end = std::min(line.find('\t', begin), line.size());
  place.text = line.substr(begin, place.end - begin);
  return true;
}

void Locator::append_replaced(std::string& out, std::string_view line, const Place& place,
                              std::string_view text) const {
  out += line.substr(0, place.begin);
  if (is_json()) {
    append_json_string(out, text);
  } else {
    out += text;
  }
  out += line.substr(place.end);
}

}  // namespace spinneret
