// SPDX-License-Identifier: Apache-2.0
#include "policy/host_table.h"

#include <algorithm>

#include "base/excerpt.h"
#include "base/hash.h"

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
  // A pattern longer than any name matches no host, so it need not be kept.
  if (pattern.name.size() > Names::kMaxLength) return;
  if (pattern.match != HostMatch::kBelow) exact_.add(pattern.name, id);
  if (pattern.match != HostMatch::kExact) below_.add(pattern.name, id);
}

void HostTable::find(std::string_view host, std::vector<std::uint32_t>& ids) const {
  host = without_root(host);
  ids.insert(ids.end(), everywhere_.begin(), everywhere_.end());
  if (!below_.empty() && !is_ip_address(host)) {
    for (std::size_t dot = host.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = host.rfind('.', dot - 1)) {
      const std::string_view suffix = host.substr(dot + 1);
      if (suffix.size() > Names::kMaxLength) break;
      if (below_.has_length(suffix.size())) below_.append_ids(suffix, ids);
    }
  }
  if (exact_.has_length(host.size())) exact_.append_ids(host, ids);
}

bool HostTable::contains(std::string_view host) const {
  host = without_root(host);
  if (!everywhere_.empty() || (exact_.has_length(host.size()) && exact_.contains(host)))
    return true;
  if (below_.empty() || is_ip_address(host)) return false;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos;
       dot = host.find('.', dot + 1)) {
    const std::string_view suffix = host.substr(dot + 1);
    if (below_.has_length(suffix.size()) && below_.contains(suffix)) return true;
  }
  return false;
}

// --- names ---------------------------------------------------------------------------------------

std::size_t HostTable::Names::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash64(name)) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const Entry& entry = entries_[slots_[at] - 1];
    if (std::string_view(texts_).substr(entry.begin, entry.size) == name) break;
  }
  return at;
}

const HostTable::Names::Entry* HostTable::Names::find(std::string_view name) const {
  if (entries_.empty()) return nullptr;
  const std::uint32_t entry = slots_[slot_of(name)];
  return entry == 0 ? nullptr : &entries_[entry - 1];
}

void HostTable::Names::grow() {
  slots_.assign(std::max<std::size_t>(4, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    slots_[slot_of(std::string_view(texts_).substr(entry.begin, entry.size))] =
        static_cast<std::uint32_t>(i + 1);
  }
}

void HostTable::Names::add(std::string_view name, std::uint32_t id) {
  if ((entries_.size() + 1) * 4 > slots_.size() * 3) grow();
  std::uint32_t& slot = slots_[slot_of(name)];
  if (slot == 0) {
    lengths_.set(name.size());
    entries_.push_back({texts_.size(), static_cast<std::uint32_t>(name.size()), id, kNone, kNone});
    texts_ += name;
    slot = static_cast<std::uint32_t>(entries_.size());
    return;
  }
  Entry& entry = entries_[slot - 1];
  const auto next = static_cast<std::uint32_t>(more_.size());
  more_.push_back({id, kNone});
  (entry.more == kNone ? entry.more : more_[entry.last].next) = next;
  entry.last = next;
}

void HostTable::Names::append_ids(std::string_view name, std::vector<std::uint32_t>& ids) const {
  const Entry* const entry = find(name);
  if (entry == nullptr) return;
  ids.push_back(entry->id);
  for (std::uint32_t at = entry->more; at != kNone; at = more_[at].next)
    ids.push_back(more_[at].id);
}

}  // namespace spinneret::policy
