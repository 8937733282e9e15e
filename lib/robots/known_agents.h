// SPDX-License-Identifier: Apache-2.0
// The crawlers that site owners ask about, by purpose, each with the address of its documentation.
//
// This was checked on 2026-11-22: that each token is in use, by the list of
// github.com/ai-robots-txt/ai.robots.txt (commit 000552c2; 123 tokens) or by User-agent lines in
// 4,231 real robots.txt files (55 more). unseen_agents() are the tokens found in neither. This was
// NOT checked: an entry's source, which is where its owner's documentation was last known to be;
// its year, which is about when the token came into use; and its kinds. A file of the user's
// (--agents=FILE) replaces the list.
#ifndef SPINNERET_ROBOTS_KNOWN_AGENTS_H_
#define SPINNERET_ROBOTS_KNOWN_AGENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace spinneret::robots {

struct KnownAgent {
  enum Kind : std::uint8_t {
    kTraining = 1,   // gathers data for the training of models
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

// Returns all known agents, each token once.
std::span<const KnownAgent> known_agents();
// Returns the tokens that no independent source was found to name.
std::span<const std::string_view> unseen_agents();

// Returns the kinds that a word means: "ai" (training and assistants), "train", "assistant",
// "search", "seo", "archive", "other", "all".
std::optional<std::uint8_t> agent_kinds(std::string_view word);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_KNOWN_AGENTS_H_
