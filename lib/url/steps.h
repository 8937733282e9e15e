// SPDX-License-Identifier: Apache-2.0
// The steps of canonicalisation and the profiles that group them. --help, --list-steps and the
// manual all come from one table (steps.cc).
#ifndef SPINNERET_URL_STEPS_H_
#define SPINNERET_URL_STEPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spinneret {

enum Step : std::uint32_t {
  kStepFragment = 1U << 0,
  kStepHexCase = 1U << 1,
  kStepUnreserved = 1U << 2,
  kStepStrayPercent = 1U << 3,
  kStepEmptyQuery = 1U << 4,
  kStepUserinfo = 1U << 5,
  kStepTrailingDot = 1U << 6,
  kStepTracking = 1U << 7,
  kStepSession = 1U << 8,
  kStepSortQuery = 1U << 9,
  kStepQuery = 1U << 10,
  kStepIndex = 1U << 11,
  kStepSlashes = 1U << 12,
  kStepTrailingSlash = 1U << 13,
  kStepWww = 1U << 14,
  kStepHttp = 1U << 15,
  kStepHttps = 1U << 16,
  kStepLowerPath = 1U << 17,
  kStepDecode = 1U << 18,
  kStepPort = 1U << 19,
  kStepSurt = 1U << 20,
  kStepCdx = 1U << 22,
  kStepLowerQuery = 1U << 23,
  kStepEmptyParams = 1U << 24,
  kStepDedupeParams = 1U << 25,
  // Not a step that a user names: --drop-param and --keep-param set it.
  kStepParams = 1U << 21,
};

struct StepInfo {
  Step step;
  std::string_view name;
  std::string_view meaning;
};
std::span<const StepInfo> all_steps();
std::optional<Step> find_step(std::string_view name);

// Parses step names between commas ("www,slashes") into their bits.
Result<std::uint32_t> parse_steps(std::string_view list);

struct ProfileInfo {
  std::string_view name;
  std::uint32_t steps;
  std::string_view meaning;
};
std::span<const ProfileInfo> all_profiles();

// Returns the steps as lines with columns between tabs: name, meaning, and the profiles that
// contain it.
std::string steps_table();

}  // namespace spinneret

#endif  // SPINNERET_URL_STEPS_H_
