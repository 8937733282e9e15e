// SPDX-License-Identifier: Apache-2.0
#include "robots/usage.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace spinneret::robots {
namespace {

constexpr std::string_view kRobotsTxt = "robots.txt";

struct Label {
  std::string_view name;
  Use use;
};
// The drafts and contentsignals.org have different names for the same use.
constexpr Label kLabels[] = {
    {"search", Use::kSearch},        {"train-ai", Use::kTrainAi}, {"ai-train", Use::kTrainAi},
    {"train-genai", Use::kTrainAi},  {"genai", Use::kTrainAi},    {"ai-input", Use::kAiInput},
    {"ai-inference", Use::kAiInput},
};
constexpr Label kBroadLabels[] = {
    {"bots", Use::kSearch},
    {"bots", Use::kTrainAi},
    {"bots", Use::kAiInput},
    {"tdm", Use::kTrainAi},
};

// Returns the page's first rule with one of these names, as text; `source` is set to where it was
// found.
std::string page_rule(const PageDirectives& page, std::initializer_list<std::string_view> names,
                      std::string& source) {
  for (const PageDirectives::Rule& rule : page.rules()) {
    if (std::find(names.begin(), names.end(), rule.name) == names.end()) continue;
    source = rule.source;
    return rule.value.empty() ? rule.name : rule.name + ": " + rule.value;
  }
  source = "page";
  return std::string(*names.begin());
}

}  // namespace

std::string_view to_string(Use use) {
  constexpr std::string_view kNames[kUses] = {"crawl",   "index",  "follow",   "snippet",
                                              "archive", "search", "train-ai", "ai-input"};
  return kNames[static_cast<std::size_t>(use)];
}

bool names_use(std::string_view label) {
  const auto is_it = [label](const Label& known) { return known.name == label; };
  return std::any_of(std::begin(kLabels), std::end(kLabels), is_it) ||
         std::any_of(std::begin(kBroadLabels), std::end(kBroadLabels), is_it);
}

std::string_view to_string(UseAnswer::Word word) {
  constexpr std::string_view kNames[] = {"unknown", "yes", "no"};
  return kNames[word];
}

void Usage::say(Use use, bool yes, std::string_view source, std::uint32_t line, std::string rule) {
  UseAnswer& answer = answers_[static_cast<std::size_t>(use)];
  const UseAnswer::Word word = yes ? UseAnswer::kYes : UseAnswer::kNo;
  if (answer.word >= word) return;
  answer = {word, std::string(source), line, std::move(rule)};
}

void Usage::say(const std::vector<Preference>& list, std::string_view source,
                std::string_view key) {
  const bool words = key == to_string(RobotsKey::kContentSignal);
  bool named[kUses] = {};
  const auto take = [&](const Preference& preference, Use use) {
    say(use, preference.allowed, source, preference.line,
        std::string(key) + ": " + preferences_text({preference}, words));
  };
  for (const Preference& preference : list) {
    for (const Label& label : kLabels) {
      if (label.name != preference.label) continue;
      named[static_cast<std::size_t>(label.use)] = true;
      take(preference, label.use);
    }
  }
  for (const Preference& preference : list) {
    for (const Label& label : kBroadLabels) {
      if (label.name != preference.label || named[static_cast<std::size_t>(label.use)]) continue;
      take(preference, label.use);
    }
  }
}

void Usage::read_robots(const HostRules& rules, std::size_t agent, std::string_view path) {
  const HostRules::Answer answer = rules.ask(agent, path);
  const bool by_rule = answer.rule != nullptr;
  say(Use::kCrawl, answer.allowed, kRobotsTxt, by_rule ? answer.rule->line : 0,
      by_rule ? rules.rules(agent).text(*answer.rule) : std::string(answer.reason));
  if (rules.state() != RobotsState::kRules) return;
  if (const Extensions::Item* const no = rules.stated(agent, RobotsKey::kNoindex, path)) {
    say(Use::kIndex, false, kRobotsTxt, no->line, "Noindex: " + no->value);
  }
  if (!answer.allowed) return;
  for (const RobotsKey key : {RobotsKey::kContentUsage, RobotsKey::kContentSignal}) {
    const Extensions::Item* const item = rules.stated(agent, key, path);
    if (item != nullptr) say(item->preferences, kRobotsTxt, to_string(key));
  }
  if (const Extensions::Item* const item = rules.training(agent, path)) {
    say(Use::kTrainAi, item->key == RobotsKey::kAllowAiTraining, kRobotsTxt, item->line,
        std::string(to_string(item->key)) + ": " + item->value);
  }
}

void Usage::read_page(const PageDirectives& page, std::int64_t now, bool is_image) {
  std::string source;
  const auto refuse = [&](Use use, std::initializer_list<std::string_view> names) {
    std::string rule = page_rule(page, names, source);
    say(use, false, source, 0, std::move(rule));
  };
  if (page.noindex(now)) {
    for (const Use use : {Use::kIndex, Use::kSearch}) {
      refuse(use, {"noindex", "none", "unavailable_after"});
    }
  }
  if (page.nofollow()) refuse(Use::kFollow, {"nofollow", "none"});
  if (page.has(kNosnippet)) refuse(Use::kSnippet, {"nosnippet", "max-snippet"});
  if (page.has(kNoarchive)) refuse(Use::kArchive, {"noarchive", "nocache"});
  if (page.has(kNoai)) refuse(Use::kTrainAi, {"noai"});
  if (is_image && page.has(kNoimageai)) refuse(Use::kTrainAi, {"noimageai"});
  if (is_image && page.has(kNoimageindex)) refuse(Use::kIndex, {"noimageindex"});
  say(page.preferences(), "header", to_string(RobotsKey::kContentUsage));
  if (const auto reserved = page.tdm_reservation()) {
    say(Use::kTrainAi, !*reserved, page.tdm_source(), 0,
        *reserved ? "tdm-reservation: 1" : "tdm-reservation: 0");
  }
}

void Usage::assume_allowed() {
  for (const Use use : {Use::kIndex, Use::kFollow, Use::kSnippet, Use::kArchive}) {
    if (of(use).word == UseAnswer::kUnknown) say(use, true, "page", 0, "not forbidden");
  }
}

void Usage::read_tdm(const TdmFile& file, std::string_view path) {
  const TdmRule* const rule = file.find(path);
  if (rule == nullptr) return;
  say(Use::kTrainAi, !rule->reserved, "tdmrep.json", rule->line,
      "tdm-reservation: " + std::string(rule->reserved ? "1" : "0") + " at " + rule->location);
}

void Usage::read_ai_txt(const RuleSet& rules, std::string_view path) {
  const Verdict verdict = rules.check(path);
  if (verdict.rule == nullptr) return;
  say(Use::kTrainAi, verdict.allowed, "ai.txt", verdict.rule->line, rules.text(*verdict.rule));
}

}  // namespace spinneret::robots
