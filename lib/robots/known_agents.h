// SPDX-License-Identifier: Apache-2.0
// The crawlers that site owners ask about, by what they gather for, each with where it is documented.
//
// UNCHECKED: the list was written from general knowledge, on kAgentsWritten, without access to the pages that it names.
// An entry's source is where its owner's documentation was last known to be, its year about when the token came into
// use; whoever relies on one looks it up. A file of one's own (--agents=FILE) takes the list's place.
#ifndef SPINNERET_ROBOTS_KNOWN_AGENTS_H_
#define SPINNERET_ROBOTS_KNOWN_AGENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace spinneret {

inline constexpr std::string_view kAgentsWritten = "2026-11-22";

struct KnownAgent {
  enum Kind : std::uint8_t {
    kTraining = 1,   // gathers for the training of models
    kAssistant = 2,  // fetches for a model's answers, or on behalf of its user
    kSearch = 4,
    kSeo = 8,
    kArchive = 16,
    kOther = 32,  // previews, advertisements, monitoring
  };
  std::string_view token;
  std::uint8_t kinds = 0;
  std::string_view source;
  std::uint16_t since = 0;
};

// All of them, each token once.
std::span<const KnownAgent> known_agents();

// The kinds of a word: "ai" (training and assistants), "train", "assistant", "search", "seo", "archive", "other", "all".
std::optional<std::uint8_t> agent_kinds(std::string_view word);

}  // namespace spinneret

#endif  // SPINNERET_ROBOTS_KNOWN_AGENTS_H_
