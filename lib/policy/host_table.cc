// SPDX-License-Identifier: Apache-2.0
#include "policy/host_table.h"

#include "base/excerpt.h"

namespace spinneret::policy {

bool parse_host_pattern(std::string_view text, HostPattern& out, std::string* why) {
  const std::string_view whole = text;
  out.name.clear();
  out.match = HostMatch::kExact;
  if (text == "*" || text == ".") {
    out.match = HostMatch::kTree;
    return true;
  }
  if (text.starts_with("*.")) {
    out.match = HostMatch::kBelow;
    text.remove_prefix(2);
  } else if (text.starts_with('.')) {
    out.match = HostMatch::kTree;
    text.remove_prefix(1);
  }
  HostError error;
  if (text.empty() || text.find('*') != std::string_view::npos ||
      !append_host(text, true, out.name, &error)) {
    if (why != nullptr) {
      *why = "a host is a name, .name (and all below), *.name (all below) or *, not " +
             excerpt(whole) + (error.message.empty() ? "" : ": " + error.message);
    }
    return false;
  }
  out.name.resize(without_root(out.name).size());
  return true;
}

void HostTable::add(const HostPattern& pattern, std::uint32_t id) {
  if (pattern.name.empty()) {
    everywhere_.push_back(id);
    return;
  }
  // Longer than a name can be: no host has it, so it need not be kept.
  if (pattern.name.size() >= exact_lengths_.size()) return;
  if (pattern.match != HostMatch::kBelow) {
    exact_[pattern.name].push_back(id);
    exact_lengths_.set(pattern.name.size());
  }
  if (pattern.match != HostMatch::kExact) {
    below_[pattern.name].push_back(id);
    below_lengths_.set(pattern.name.size());
  }
}

void HostTable::find(std::string_view host, std::vector<std::uint32_t>& ids) const {
  host = without_root(host);
  const auto append = [&ids](const std::vector<std::uint32_t>& more) {
    ids.insert(ids.end(), more.begin(), more.end());
  };
  append(everywhere_);
  if (!below_.empty() && !is_ip_address(host)) {
    for (std::size_t dot = host.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = host.rfind('.', dot - 1)) {
      const std::string_view suffix = host.substr(dot + 1);
      if (suffix.size() >= below_lengths_.size()) break;
      if (!below_lengths_[suffix.size()]) continue;
      const auto found = below_.find(suffix);
      if (found != below_.end()) append(found->second);
    }
  }
  if (host.size() >= exact_lengths_.size() || !exact_lengths_[host.size()]) return;
  const auto found = exact_.find(host);
  if (found != exact_.end()) append(found->second);
}

bool HostTable::contains(std::string_view host) const {
  host = without_root(host);
  if (!everywhere_.empty() || has(exact_, exact_lengths_, host)) return true;
  if (below_.empty() || is_ip_address(host)) return false;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos;
       dot = host.find('.', dot + 1)) {
    if (has(below_, below_lengths_, host.substr(dot + 1))) return true;
  }
  return false;
}

}  // namespace spinneret::policy
