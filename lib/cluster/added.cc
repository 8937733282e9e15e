// SPDX-License-Identifier: Apache-2.0
#include "cluster/added.h"

#include <unistd.h>

#include <set>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

namespace spinneret::cluster {
namespace {

constexpr std::string_view kTable = "added", kCrawl = "crawl", kLast = "added",
                           kKept = "added-kept";

std::string of_row(const lease::Rows& rows, std::string_view field) {
  const auto row = rows.find(std::string(field));
  return row == rows.end() ? std::string() : row->second;
}

// Replaces a row's value; there is no other call for that. Of two values that come at once either
// may win: the lines of both were written before.
Status replace(lease::Leases& leases, std::string_view field, std::string_view value) {
  if (Status erased = leases.erase(kCrawl, field); !erased.ok()) return erased;
  const Result<std::string> told = leases.claim(kCrawl, field, value);
  return told.ok() ? Status() : Status(told.error());
}

Status claim_line(lease::Leases& leases, std::string_view line) {
  const Result<std::string> told = leases.claim(kTable, std::to_string(hash64(line)), line);
  return told.ok() ? Status() : Status(told.error());
}

}  // namespace

Status add_lines(lease::Leases& leases, std::string_view lines) {
  const Result<lease::Rows> before = leases.read(kTable);
  if (!before.ok()) return before.error();
  std::set<std::string_view> fresh;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = cut(rest, '\n');
    if (!line.empty() && !before->contains(std::to_string(hash64(line)))) fresh.insert(line);
  }
  if (before->size() + fresh.size() > kMostAdded)
    return Error{"a crawl takes " + std::to_string(kMostAdded) +
                 " added lines at the most: stop it, and give it another list of seeds"};
  for (const std::string_view line : fresh) {
    if (Status told = claim_line(leases, line); !told.ok()) return told;
  }
  const std::uint64_t last = static_cast<std::uint64_t>(system_clock().unix_ms()) ^ hash64(lines);
  return replace(leases, kLast, std::to_string(last));
}

bool was_kept(const lease::Rows& crawl) {
  const std::string last = of_row(crawl, kLast);
  return !last.empty() && last == of_row(crawl, kKept);
}

bool Added::take(std::string_view line) {
  if (line.empty() || line.find('\n') != std::string_view::npos ||
      !known_.insert(hash64(line)).second)
    return false;
  lines_.append(line) += '\n';
  return true;
}

Status Added::open() {
  if (::access(path_.c_str(), F_OK) != 0) return {};
  const Result<std::string> text = read_file(path_);
  if (!text.ok()) return text.error();
  for (std::string_view rest = *text; !rest.empty();) take(cut(rest, '\n'));
  return {};
}

Status Added::look(lease::Leases& leases, const lease::Rows& crawl, std::string& fresh) {
  fresh.clear();
  const std::string last = of_row(crawl, kLast);
  if (seen_ == last && (last.empty() || was_kept(crawl))) return {};
  const Result<lease::Rows> rows = leases.read(kTable);
  if (!rows.ok()) return rows.error();
  const std::size_t before = lines_.size();
  for (const auto& [field, line] : *rows) take(line);
  const std::string_view come = std::string_view(lines_).substr(before);
  if (!come.empty()) {
    if (Status kept = write_file_atomic(path_, lines_, Durability::kDurable); !kept.ok()) {
      // The lines cannot be kept: so they count as not known, and are taken once they can.
      lines_.resize(before);
      known_.clear();
      for (std::string_view rest = lines_; !rest.empty();) known_.insert(hash64(cut(rest, '\n')));
      return kept;
    }
  }
  fresh = come;
  if (rows->size() < known_.size()) {
    seen_.reset();
    return tell(leases);
  }
  if (!last.empty() && !was_kept(crawl)) {
    if (Status told = replace(leases, kKept, last); !told.ok()) return told;
  }
  seen_ = last;
  return {};
}

// Tells the engine what it has forgotten. The next look says that the lines are kept.
Status Added::tell(lease::Leases& leases) {
  for (std::string_view rest = lines_; !rest.empty();) {
    if (Status told = claim_line(leases, cut(rest, '\n')); !told.ok()) return told;
  }
  return replace(leases, kLast, std::to_string(hash64(lines_)));
}

}  // namespace spinneret::cluster
