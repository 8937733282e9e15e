// SPDX-License-Identifier: Apache-2.0
#include "policy/line.h"

#include <algorithm>

namespace spinneret::policy {
namespace {

struct NamedVerb {
  std::string_view name;
  Verb verb;
};
constexpr NamedVerb kVerbs[] = {
    {"allow-", Verb::kAllow}, {"deny-", Verb::kDeny}, {"tag-", Verb::kTag}};

struct NamedKind {
  std::string_view name;
  RuleKind kind;
  Part part;
};
constexpr NamedKind kKinds[] = {
    {"scheme", RuleKind::kScheme, Part::kScheme},
    {"host", RuleKind::kHost, Part::kHost},
    {"domain", RuleKind::kDomain, Part::kHost},
    {"site", RuleKind::kSite, Part::kHost},
    {"url", RuleKind::kUrl, Part::kUrl},
    {"path", RuleKind::kPath, Part::kPath},
    {"query", RuleKind::kQuery, Part::kQuery},
    {"prefix", RuleKind::kPrefix, Part::kUrl},
    {"extension", RuleKind::kExtension, Part::kExtension},
    {"type", RuleKind::kType, Part::kType},
    {"list", RuleKind::kList, Part::kUrl},
    {"domain-list", RuleKind::kDomainList, Part::kUrl},
    {"rel", RuleKind::kRel, Part::kRel},
    {"tag", RuleKind::kTag, Part::kTag},
    {"via", RuleKind::kVia, Part::kVia},
    {"text", RuleKind::kText, Part::kText},
    {"address", RuleKind::kAddress, Part::kAddress},
};

}  // namespace

std::optional<RuleName> find_rule_name(std::string_view name) {
  for (const NamedVerb& verb : kVerbs) {
    if (!name.starts_with(verb.name)) continue;
    const std::string_view rest = name.substr(verb.name.size());
    for (const NamedKind& kind : kKinds) {
      if (kind.name == rest) return RuleName{verb.verb, kind.kind, kind.part};
    }
  }
  return std::nullopt;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> out;
  for (const NamedVerb& verb : kVerbs) {
    for (const NamedKind& kind : kKinds)
      out.push_back(std::string(verb.name) + std::string(kind.name));
  }
  return out;
}

std::uint32_t Lines::add(const Line& line, const Place& place, std::string_view text) {
  // The lines of a file follow one another, so the last file is tried first.
  std::size_t file = sources_.empty() ? 0 : sources_.back().file;
  if (files_.empty() || files_[file] != place.file) {
    file = static_cast<std::size_t>(std::find(files_.begin(), files_.end(), place.file) -
                                    files_.begin());
    if (file == files_.size()) files_.push_back(place.file);
  }
  sources_.push_back({static_cast<std::uint32_t>(file), place.line, texts_.size()});
  texts_ += text;
  lines_.push_back(line);
  return static_cast<std::uint32_t>(lines_.size() - 1);
}

Place Lines::place(std::uint32_t line) const {
  return {files_[sources_[line].file], sources_[line].number};
}

std::string_view Lines::text(std::uint32_t line) const {
  const std::size_t begin = sources_[line].text;
  const std::size_t end = line + 1 == sources_.size() ? texts_.size() : sources_[line + 1].text;
  return std::string_view(texts_).substr(begin, end - begin);
}

const Lines::Tags& Lines::tags(std::uint32_t line) const {
  static const Tags kNone;
  const auto found = tags_.find(line);
  return found == tags_.end() ? kNone : found->second;
}

}  // namespace spinneret::policy
