// SPDX-License-Identifier: Apache-2.0
// What a block's words and characters tell without being understood.
#ifndef SPINNERET_TEXT_TOPICS_H_
#define SPINNERET_TEXT_TOPICS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spinneret::text {

// Topics that a short block, a heading or a URL may be about.
enum class Topic : std::uint8_t {
  kLegal,
  kConsent,
  kLetter,
  kShare,
  kMore,
  kTalk,
  kRelated,
  kByline,
  kDate,
  kPrice,
  kAccount,
  kReview,
  kQuestions,
  kDetails,
  kSupport,
  kCount
};

static_assert(static_cast<unsigned>(Topic::kCount) <= 16);

std::uint16_t topics_of(std::string_view text);  // one bit for each topic

// Counts in a text: commas and semicolons, digits, capitals behind a blank, and all bytes but
// blanks.
struct Signs {
  std::size_t commas = 0, digits = 0, capitals = 0, letters = 0;
  bool operator==(const Signs&) const = default;
};
Signs signs_of(std::string_view text);
Signs signs_of_slow(std::string_view text);  // the slow twin

}  // namespace spinneret::text

#endif  // SPINNERET_TEXT_TOPICS_H_
