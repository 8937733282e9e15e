// SPDX-License-Identifier: Apache-2.0
#include "policy/trap.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "url/params.h"

namespace spinneret::policy {

void split_segments(std::string_view path, std::vector<std::string_view>& out) {
  out.clear();
  if (path.starts_with('/')) path.remove_prefix(1);
  while (!path.empty()) out.push_back(cut(path, '/'));
}

std::size_t count_byte(std::string_view text, char byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kLow7 = 0x7F7F7F7F7F7F7F7FU;
  const std::uint64_t wanted = kOnes * static_cast<unsigned char>(byte);
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    word ^= wanted;  // the bytes to count are zero now
    const std::uint64_t zeros = ~(((word & kLow7) + kLow7) | word | kLow7);
    count += static_cast<std::size_t>(((zeros >> 7) * kOnes) >> 56);  // adds the bytes up
  }
  for (; at < text.size(); ++at) count += text[at] == byte ? 1 : 0;
  return count;
}

std::size_t count_segments(std::string_view path) {
  const std::size_t slashes = count_byte(path, '/');
  const bool open_end = path.empty() || path.back() == '/';
  return slashes - (open_end && slashes > 0 ? 1 : 0);
}

bool has_repeated_segments(const std::vector<std::string_view>& segments, std::size_t repeats,
                           std::size_t max_period) {
  for (std::size_t period = 1; period <= max_period; ++period) {
    if (segments.size() < period * repeats) return false;
    // The last `run` segments equal those one period before them.
    std::size_t run = 0;
    std::size_t numbers = 0;  // number of numeric segments at the end of that run
    for (std::size_t i = period; i < segments.size(); ++i) {
      const bool same = segments[i] == segments[i - period];
      run = same ? run + 1 : 0;
      numbers = same && is_digits(segments[i]) ? numbers + 1 : 0;
      const std::size_t wanted = numbers >= period ? 2 * repeats : repeats;
      if (run >= period * (wanted - 1)) return true;
    }
  }
  return false;
}

std::size_t commonest_segment(const std::vector<std::string_view>& segments) {
  std::vector<std::string_view> sorted(segments);
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    most = std::max(most, end - begin);
    begin = end;
  }
  return most;
}

std::size_t count_parameters(std::string_view query) {
  std::size_t count = 0;
  for_each_param(query, [&](std::string_view param) { count += param.empty() ? 0 : 1; });
  return count;
}

std::size_t commonest_key(std::string_view query, std::size_t enough) {
  // Nearly all queries have too few '&' for any key to occur `enough` times.
  if (count_byte(query, '&') + 1 < enough) return 0;
  std::vector<std::string_view> keys;
  for_each_param(query, [&](std::string_view param) {
    if (!param.empty()) keys.push_back(raw_param_name(param));
  });
  return commonest_segment(keys);
}

bool strip_session_ids(std::string_view path, std::string_view query, std::string& path_out,
                       std::string& query_out) {
  // Few paths have either sign, so for most URLs two scans are enough, and nothing is copied.
  const bool in_path =
      path.find(';') != std::string_view::npos || path.find("/(") != std::string_view::npos;
  if (!in_path && !has_session_param(query)) return false;
  path_out.clear();
  append_path_without_sessions(path_out, path);
  query_out.clear();
  append_params_without(query_out, query, [](std::string_view, std::string_view param) {
    return is_session_param(param);
  });
  return path_out != path || query_out != query;
}

}  // namespace spinneret::policy
