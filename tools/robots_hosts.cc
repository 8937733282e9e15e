// SPDX-License-Identifier: Apache-2.0
#include "robots_hosts.h"

#include <utility>

#include "base/file.h"

namespace spinneret {
namespace {

constexpr std::size_t kMaxMemory = std::size_t{64} << 20;

}  // namespace

KnownHost& RobotsHosts::add(std::string_view name, robots::RobotsEntry entry) {
  KnownHost& host = hosts_[std::string(name)];
  host.source = entry.source;
  host.rules = std::make_unique<robots::HostRules>(entry, context_.rules, context_.now());
  memory_ += host.rules->memory() + sizeof(KnownHost) + 2 * name.size() + host.source.size();
  return host;
}

bool RobotsHosts::is_full() const { return memory_ > kMaxMemory; }

void RobotsHosts::forget() {
  hosts_.clear();
  last_file_ = nullptr;
  memory_ = 0;
}

void RobotsHosts::keep(const robots::RobotsEntry& entry) {
  if (context_.cache.empty()) return;
  Status stored = make_directories(context_.cache);
  if (stored.ok()) stored = robots::store_entry(context_.cache, entry);
  if (!stored.ok()) context_.tool.trouble(stored.message());
}

void RobotsHosts::want(const Url& url) {
  std::string authority = robots::robots_authority(url);
  if (hosts_.contains(authority)) return;
  std::optional<robots::RobotsEntry> entry;
  if (!context_.cache.empty())
    entry = robots::load_entry(context_.cache, authority, context_.rules.ttl);
  if (entry && entry->expires > context_.now()) {
    add(authority, std::move(*entry));
    return;
  }
  hosts_[authority];  // so that it is not wanted twice; fetch() sets its rules
  wanted_.push_back({std::move(authority), robots::robots_url(url), std::move(entry)});
}

void RobotsHosts::fetch() {
  if (wanted_.empty()) return;
  std::vector<RobotsContext::Request> requests;
  requests.reserve(wanted_.size());
  for (const Wanted& wanted : wanted_) {
    requests.push_back({wanted.url, wanted.last ? &*wanted.last : nullptr});
  }
  std::vector<robots::RobotsEntry> entries = context_.fetch_robots(requests);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].authority = wanted_[i].authority;
    keep(entries[i]);
    add(wanted_[i].authority, std::move(entries[i]));
  }
  wanted_.clear();
}

const KnownHost& RobotsHosts::of_url(const Url& url) {
  const std::string authority = robots::robots_authority(url);
  const auto known = hosts_.find(authority);
  if (known != hosts_.end() && known->second.rules) return known->second;
  want(url);
  fetch();
  return hosts_[authority];
}

const KnownHost& RobotsHosts::of_file(std::string_view path) {
  if (last_file_ != nullptr && path == last_path_) return *last_file_;
  last_path_ = path;
  const auto known = hosts_.find(last_path_);
  if (known != hosts_.end()) return *(last_file_ = &known->second);
  Result<std::string> text = read_file(last_path_);
  if (text.ok()) {
    robots::RobotsEntry entry;
    entry.source = last_path_;
    entry.state = robots::RobotsState::kRules;
    entry.body = text.take();
    return *(last_file_ = &add(path, std::move(entry)));
  }
  context_.tool.trouble(text.message());
  return *(last_file_ = &hosts_[last_path_]);
}

const KnownHost* RobotsHosts::of_source(const std::string& source) {
  robots::RobotsEntry entry;
  if (cli::is_url_operand(source)) {
    entry = context_.fetch_robots({{source, nullptr}}).front();
  } else {
    std::optional<std::string> text = context_.read_source(source);
    if (!text) return nullptr;
    entry.state = robots::RobotsState::kRules;
    entry.body = std::move(*text);
  }
  entry.source = source;
  return &add("", std::move(entry));
}

}  // namespace spinneret
