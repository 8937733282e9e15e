// SPDX-License-Identifier: Apache-2.0
#include "dedupe/line_key.h"

#include <utility>

#include "base/ascii.h"

namespace spinneret::dedupe {
namespace {

// Finds the first field of that name; gives its value as it stands.
bool find_field(std::string_view line, std::string_view name, std::string_view& value) {
  if (name == "url") {
    value = cut(line, '\t');
    return true;
  }
  cut(line, '\t');
  while (!line.empty()) {
    const std::string_view column = cut(line, '\t');
    if (column.size() > name.size() && column[name.size()] == '=' && column.starts_with(name)) {
      value = column.substr(name.size() + 1);
      return true;
    }
  }
  return false;
}

bool find_column(std::string_view line, std::size_t number, std::string_view& value) {
  while (--number != 0) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return false;
    line.remove_prefix(tab + 1);
  }
  value = cut(line, '\t');
  return true;
}

}  // namespace

LineKey LineKey::column(std::size_t number) {
  LineKey key(number == 1 ? Kind::kUrl : Kind::kColumn);
  key.number_ = number;
  return key;
}

LineKey LineKey::fields(std::vector<std::string> names) {
  if (names.size() == 1 && names.front() == "url") return url();
  LineKey key(Kind::kFields);
  key.names_ = std::move(names);
  return key;
}

bool LineKey::of_other(std::string_view line, std::string& scratch, std::string_view& key) const {
  if (kind_ == Kind::kColumn) return find_column(line, number_, key);
  if (names_.size() == 1) return find_field(line, names_.front(), key);
  bool any = false;
  scratch.clear();
  for (const std::string& name : names_) {
    std::string_view value;
    const bool has = find_field(line, name, value);
    any = any || has;
    // A raw value holds no tab, so that no two lists of values look alike when joined.
    if (has) scratch.append("=").append(value);
    scratch += '\t';
  }
  key = scratch;
  return any;
}

std::string LineKey::description() const {
  switch (kind_) {
    case Kind::kUrl: return "url";
    case Kind::kWholeLine: return "line";
    case Kind::kColumn: return "column " + std::to_string(number_);
    case Kind::kFields: break;
  }
  std::string out = "fields ";
  for (const std::string& name : names_) out += (&name == &names_.front() ? "" : ",") + name;
  return out;
}

}  // namespace spinneret::dedupe
