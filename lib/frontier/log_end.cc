// SPDX-License-Identifier: Apache-2.0
#include "frontier/log_end.h"

#include <string_view>

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"

namespace spinneret::frontier {
namespace {

std::string path_of(const std::string& folder) { return folder + "/log-end"; }

// The hash keeps damage of this file from being taken for damage of the log.
std::string text_of(std::string_view number) {
  return std::string(number) + ' ' + std::to_string(hash64(number)) + '\n';
}

}  // namespace

std::uint64_t read_log_end(const std::string& folder) {
  const Result<std::string> text = read_file(path_of(folder), 100);
  if (!text.ok()) return 0;
  const std::string_view number = std::string_view(*text).substr(0, text->find(' '));
  return *text == text_of(number) ? parse_unsigned(number).value_or(0) : 0;
}

void write_log_end(const std::string& folder, std::uint64_t last_change) {
  // If that fails the number before stands, which is true as well.
  static_cast<void>(write_file_atomic(path_of(folder), text_of(std::to_string(last_change))));
}

}  // namespace spinneret::frontier
