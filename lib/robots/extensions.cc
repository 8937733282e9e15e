// SPDX-License-Identifier: Apache-2.0
#include "robots/extensions.h"

#include "base/ascii.h"
#include "robots/group.h"
#include "robots/pattern.h"
#include "robots/wildcard.h"

namespace spinneret {

ScopedValue parse_scoped(std::string_view value) {
  if (!value.starts_with('/') && !value.starts_with('*')) return {{}, value};
  const std::size_t end = std::min(value.find_first_of(" \t"), value.size());
  return {value.substr(0, end), trim(value.substr(end))};
}

namespace {

Extensions::Item item_of(const RobotsLine& line, RobotsMode mode) {
  Extensions::Item item{line.number, line.key, {}, std::string(line.value)};
  std::string_view path;
  if (line.key == RobotsKey::kNoindex) {
    path = line.value;
  } else if (line.key == RobotsKey::kContentUsage || line.key == RobotsKey::kContentSignal) {
    const ScopedValue scoped = parse_scoped(line.value);
    path = scoped.path;
    item.value = scoped.value;
  }
  append_comparable_pattern(item.pattern, path, mode);
  return item;
}

}  // namespace

Extensions Extensions::compile(std::string_view bytes, std::string_view agent,
                               const RuleOptions& options) {
  Extensions out;
  std::string storage;
  RobotsParser parser(robots_text(bytes, options.size_limit, storage), options.mode);
  GroupTracker tracker(agent, options.mode, options.strict_token);
  RobotsLine line;
  while (parser.next(line)) {
    const bool had_own = tracker.has_agent_group();
    const LineScope scope = tracker.take(line);
    const bool own = tracker.has_agent_group();
    if (own && !had_own) out.items_.clear();
    if (is_group_extension(line.key) && (own ? scope.agent : scope.everyone)) {
      out.items_.push_back(item_of(line, options.mode));
    }
  }
  return out;
}

const Extensions::Item* Extensions::find(RobotsKey key, std::string_view path) const {
  const Item* best = nullptr;
  for (const Item& item : items_) {
    if (item.key != key || (best != nullptr && item.pattern.size() <= best->pattern.size()))
      continue;
    // "Noindex:" of nothing says nothing.
    if (key == RobotsKey::kNoindex && item.pattern.empty()) continue;
    if (match_pattern(item.pattern, path)) best = &item;
  }
  return best;
}

}  // namespace spinneret
