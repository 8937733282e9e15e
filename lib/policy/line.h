// SPDX-License-Identifier: Apache-2.0
// One line of a policy, as every verdict, count and lint remark refers to it: by its index.
#ifndef SPINNERET_POLICY_LINE_H_
#define SPINNERET_POLICY_LINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "policy/directive.h"

namespace spinneret::policy {

inline constexpr std::uint32_t kNoLine = UINT32_MAX;

enum class Verb : std::uint8_t { kSetting, kAllow, kDeny, kTag };

// What of a URL a rule looks at. Allow rules for the same part are alternatives; a URL must satisfy those
// of every part that has any.
enum class Part : std::uint8_t {
  kScheme,
  kHost,
  kUrl,
  kPath,
  kQuery,
  kExtension,
  kType,
  kRel,  // from here on: policy/link_rules.h
  kTag,
  kVia,
  kText,
  kAddress,
  kCount,
};
inline constexpr std::size_t kPartCount = static_cast<std::size_t>(Part::kCount);

// A set of parts.
using Parts = std::uint32_t;
constexpr Parts bit(Part part) { return Parts{1} << static_cast<unsigned>(part); }

struct Line {
  Place place;
  std::string text;
  Verb verb = Verb::kSetting;
  Part part = Part::kUrl;
  bool tests = true;          // false: it only sets things up (seeds, order)
  bool mark = false;          // `action mark` was in force
  std::uint32_t section = 0;  // 0: all hosts
  std::vector<std::pair<std::string, std::string>> tags;  // of kTag: fields to set
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LINE_H_
