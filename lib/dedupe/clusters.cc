// SPDX-License-Identifier: Apache-2.0
#include "dedupe/clusters.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace spinneret {
namespace {

// "2026-11-23T10:00:00.5+01:00" and every beginning of it that ends with a whole part.
std::optional<double> iso_seconds(const std::string& text) {
  static constexpr const char* kForms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
                                           "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%Y-%m"};
  for (const char* const form : kForms) {
    tm parts{};
    parts.tm_mday = 1;
    const char* at = strptime(text.c_str(), form, &parts);
    if (at == nullptr) continue;
    auto seconds = static_cast<double>(timegm(&parts));
    if (*at == '.') {
      char* end = nullptr;
      seconds += std::strtod(at, &end);
      at = end;
    }
    int hours = 0, minutes = 0, used = 0;
    if (*at == 'Z') ++at;
    if ((*at == '+' || *at == '-') &&
        std::sscanf(at + 1, "%2d:%2d%n", &hours, &minutes, &used) == 2) {
      seconds -= (*at == '-' ? -60.0 : 60.0) * (hours * 60 + minutes);
      at += 1 + used;
    }
    if (*at == '\0') return seconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> rank_of(std::string_view value) {
  if (value.empty() || value.size() > 64) return std::nullopt;
  const std::string text(value);
  char* end = nullptr;
  // Neither "nan" nor "infinity", nor hexadecimal digits.
  if (text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
    const double number = std::strtod(text.c_str(), &end);
    if (*end == '\0') return number;
  }
  tm parts{};
  const char* const after = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (after != nullptr && *after == '\0') return static_cast<double>(timegm(&parts));
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
    // Parents come before, and are roots or have been led to theirs.
    const std::uint32_t own = parents_[i] = parents_[parents_[i]];
    if (sizes_[own]++ == 0) bests_[own] = i;
    const double rank = ranks_.empty() ? 0 : ranks_[i];
    const double best = ranks_.empty() ? 0 : ranks_[bests_[own]];
    if (rank > best || (rank == best && ties_ == Ties::kLast)) bests_[own] = i;
  }
}

std::uint64_t Clusters::bytes() const {
  return index_->bytes() + sketches_.bytes() + ranks_.capacity() * sizeof(double) +
         (indexed_.capacity() + parents_.capacity() + bests_.capacity() + sizes_.capacity()) *
             sizeof(std::uint32_t);
}

}  // namespace spinneret
