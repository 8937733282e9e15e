// SPDX-License-Identifier: Apache-2.0
#include "http/cookie_limit.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/ascii.h"
#include "url/public_suffix.h"

namespace spinneret::http {
namespace {

constexpr std::size_t kOfDomain = 180;
constexpr std::size_t kEndOfDomain = 75;  // as many stay at either end, of a domain that had more
constexpr std::size_t kInAll = 3300;
constexpr std::size_t kLeft = 3000;  // as many stay where there were more

// "#HttpOnly_.www.example.org\tTRUE\t/..." -> "example.org"
std::string domain_of(std::string_view line) {
  constexpr std::string_view kHttpOnly = "#HttpOnly_";
  if (line.starts_with(kHttpOnly)) line.remove_prefix(kHttpOnly.size());
  if (line.starts_with('.')) line.remove_prefix(1);
  return std::string(registrable_domain(line.substr(0, line.find('\t'))));
}

struct Domain {
  std::uint64_t last = 0;
  std::vector<std::size_t> lines;
};

}  // namespace

void CookieLimit::note(std::string_view host, std::string_view line) {
  if (starts_with_ignore_case(line, "set-cookie:")) setters_.emplace_back(host);
}

void CookieLimit::begin_with(const std::vector<std::string>& lines) {
  if (lines.size() > kLeft / 2) return;
  for (const std::string& line : lines)
    last_[domain_of(line)] = std::numeric_limits<std::uint64_t>::max();
}

std::vector<std::string> CookieLimit::kept(const std::vector<std::string>& lines) {
  for (const std::string& host : setters_) {
    std::uint64_t& last = last_[std::string(registrable_domain(host))];
    last = std::max(last, ++now_);
  }
  setters_.clear();
  std::map<std::string, Domain> domains;
  for (std::size_t i = 0; i < lines.size(); ++i) domains[domain_of(lines[i])].lines.push_back(i);
  std::vector<const Domain*> order;
  std::size_t count = 0;
  for (auto& [name, domain] : domains) {
    auto& own = domain.lines;
    if (own.size() > kOfDomain) own.erase(own.begin() + kEndOfDomain, own.end() - kEndOfDomain);
    if (const auto at = last_.find(name); at != last_.end()) domain.last = at->second;
    order.push_back(&domain);
    count += own.size();
  }
  std::erase_if(last_, [&domains](const auto& at) { return !domains.contains(at.first); });
  std::stable_sort(order.begin(), order.end(),
                   [](const Domain* one, const Domain* other) { return one->last > other->last; });
  while (count > kInAll || (count > kLeft && order.size() < domains.size())) {
    count -= order.back()->lines.size();
    order.pop_back();
  }
  std::vector<std::size_t> places;
  for (const Domain* domain : order)
    places.insert(places.end(), domain->lines.begin(), domain->lines.end());
  std::sort(places.begin(), places.end());
  std::vector<std::string> stay;
  stay.reserve(places.size());
  for (const std::size_t place : places) stay.push_back(lines[place]);
  return stay;
}

}  // namespace spinneret::http
