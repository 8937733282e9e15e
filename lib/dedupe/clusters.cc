// SPDX-License-Identifier: Apache-2.0
#include "dedupe/clusters.h"

#include <time.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"

namespace spinneret::dedupe {
namespace {

// Takes a zone ("Z", "GMT", "+0100", "+01:00" or "+01") off, and returns by how many seconds its
// clocks are ahead of UTC. Returns nothing where there is no zone.
std::optional<double> take_zone(const char*& at) {
  for (const std::string_view name : {"GMT", "UTC", "UT", "Z"}) {
    if (!std::string_view(at).starts_with(name)) continue;
    at += name.size();
    return 0;
  }
  if ((*at != '+' && *at != '-') || !is_digit(at[1]) || !is_digit(at[2])) return std::nullopt;
  const double sign = *at == '-' ? -1 : 1;
  const auto two = [](const char* digits) { return (digits[0] - '0') * 10 + digits[1] - '0'; };
  const int hours = two(at + 1);
  int minutes = 0;
  at += 3;
  if (*at == ':' && is_digit(at[1])) ++at;
  if (is_digit(at[0]) && is_digit(at[1])) minutes = two(at), at += 2;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes) * 60;
}

// Returns nothing for days that do not exist: there is no 31st of February.
std::optional<double> seconds_of(tm parts) {
  const int day = parts.tm_mday;
  const int second = std::exchange(parts.tm_sec, 0);  // a leap second may be the next day's
  const auto seconds = static_cast<double>(timegm(&parts));
  if (parts.tm_mday != day) return std::nullopt;
  return seconds + second;
}

// Reads "2026-11-23T10:00:00.5+01:00", and every beginning of it that ends with a whole part.
std::optional<double> iso_seconds(const std::string& text) {
  struct Form {
    const char* parts;
    bool seconds, zone;  // what may follow
  };
  static constexpr Form kForms[] = {{"%Y-%m-%dT%H:%M:%S", true, true},
                                    {"%Y-%m-%d %H:%M:%S", true, true},
                                    {"%Y-%m-%dT%H:%M", false, true},
                                    {"%Y-%m-%d", false, true},
                                    {"%Y-%m", false, false}};
  for (const Form& form : kForms) {
    tm parts{};
    parts.tm_mday = 1;
    const char* at = strptime(text.c_str(), form.parts, &parts);
    if (at == nullptr) continue;
    std::optional<double> seconds = seconds_of(parts);
    if (!seconds) return std::nullopt;
    if (form.seconds && (*at == '.' || *at == ',') && is_digit(at[1])) {
      double unit = 1;
      while (is_digit(*++at)) *seconds += (*at - '0') * (unit /= 10);
    }
    if (*at == ' ') ++at;
    if (form.zone && *at != '\0') {
      const std::optional<double> ahead = take_zone(at);
      if (!ahead) continue;
      *seconds -= *ahead;
    }
    if (*at == '\0') return seconds;
  }
  return std::nullopt;
}

// Reads HTTP's "Mon, 23 Nov 2026 10:00:00 GMT", and "23 Nov 2026 10:00:00 +0100" of feeds and
// mails.
std::optional<double> mail_seconds(const std::string& text) {
  tm parts{};
  const char* at = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S ", &parts);
  if (at == nullptr) at = strptime(text.c_str(), "%d %b %Y %H:%M:%S ", &parts);
  if (at == nullptr) return std::nullopt;
  const std::optional<double> seconds = seconds_of(parts);
  const std::optional<double> ahead = take_zone(at);
  if (!seconds || !ahead || *at != '\0') return std::nullopt;
  return *seconds - *ahead;
}

}  // namespace

std::optional<double> rank_of(std::string_view value) {
  if (value.empty() || value.size() > 64) return std::nullopt;
  const std::string text(value);
  char* end = nullptr;
  // This refuses "nan", "infinity", hexadecimal digits, and numbers too large for a double.
  if (text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
    const double number = std::strtod(text.c_str(), &end);
    if (*end == '\0') return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  // strptime(3) would take spaces and signs for parts of a date.
  if (!is_digit(text[0]) && text.find(", ") == std::string::npos) return std::nullopt;
  if (const std::optional<double> seconds = mail_seconds(text)) return seconds;
  return iso_seconds(text);
}

void Clusters::add(std::string_view sketch, double rank) {
  const std::uint32_t number = documents();
  parents_.push_back(number);
  if (rank != 0 && ranks_.empty()) ranks_.resize(number, 0);
  if (rank != 0 || !ranks_.empty()) ranks_.push_back(rank);
  bool fresh = false;
  ValuedFingerprint& held =
      sketches_.find_or_insert(fingerprint_of<ValuedFingerprint>(hash128(sketch, seed_)), fresh);
  if (!fresh) return join(number, static_cast<std::uint32_t>(held.value));
  held.value = number;
  if (equal_only_) return;
  index_->each_near(sketch, [&](const Neighbour& near) { join(number, indexed_[near.number]); });
  index_->add(sketch);
  indexed_.push_back(number);
}

std::uint32_t Clusters::root(std::uint32_t number) {
  while (parents_[number] != number) {
    parents_[number] = parents_[parents_[number]];
    number = parents_[number];
  }
  return number;
}

void Clusters::join(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a < b) parents_[b] = a;
  if (b < a) parents_[a] = b;
}

void Clusters::close() {
  bests_.resize(parents_.size());
  sizes_.assign(parents_.size(), 0);
  for (std::uint32_t i = 0; i < documents(); ++i) {
    // A document's parent has a smaller number, so that it is a root or points to its root already.
    const std::uint32_t own = parents_[i] = parents_[parents_[i]];
    if (sizes_[own]++ == 0) bests_[own] = i;
    const double rank = ranks_.empty() ? 0 : ranks_[i];
    const double best = ranks_.empty() ? 0 : ranks_[bests_[own]];
    if (rank > best || (rank == best && ties_ == Ties::kLast)) bests_[own] = i;
  }
}

}  // namespace spinneret::dedupe
