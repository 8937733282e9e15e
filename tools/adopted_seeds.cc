// SPDX-License-Identifier: Apache-2.0
#include "adopted_seeds.h"

#include <sys/stat.h>

#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "io/line_file.h"
#include "io/record.h"

namespace spinneret {
namespace {

constexpr int kMostHops = 5;

}  // namespace

AdoptedSeeds::AdoptedSeeds(policy::ScopeKind kind, std::vector<std::string> seed_files,
                           std::string path)
    : scope_(kind), seed_files_(std::move(seed_files)), path_(std::move(path)) {}

// Adds a line such as "https://b.example/ depth=1", with a tab between.
void AdoptedSeeds::add(std::string_view line) {
  Url url;
  if (!parse(record_url(line), url)) return;
  scope_.add_seed(url);
  const auto hops = parse_unsigned(find_raw_field(line, "depth").value_or(""));
  hops_.try_emplace(std::string(record_url(line)), static_cast<int>(hops.value_or(kMostHops)));
}

bool AdoptedSeeds::refresh() {
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) return false;
  if (static_cast<std::uint64_t>(now.st_size) <= read_) return false;
  const Result<std::string> text = read_file(path_);
  // The file may have been cut between stat(2) and reading: that is as if it had been cut before.
  if (!text.ok() || text->size() <= read_) return false;
  std::string_view rest(*text);
  rest.remove_prefix(read_);
  // A line that is still being written is read later, once it is whole.
  while (rest.find('\n') != std::string_view::npos) {
    const std::string_view line = cut(rest, '\n');
    read_ += line.size() + 1;
    add(line);
  }
  return true;
}

bool AdoptedSeeds::is_seed(std::string_view url) {
  if (!std::exchange(seeds_read_, true)) {
    for (const std::string& file : seed_files_) {
      const Result<std::string> text = read_file(file);
      std::string_view rest = text.ok() ? std::string_view(*text) : std::string_view();
      while (!rest.empty()) seeds_.insert(hash64(record_url(cut(rest, '\n'))));
    }
  }
  return seeds_.contains(hash64(url));
}

Result<bool> AdoptedSeeds::adopt(std::string_view via, const Url& url) {
  const auto before = hops_.find(std::string(via));
  const int hops = before == hops_.end() ? 1 : before->second + 1;
  if (hops > kMostHops || (before == hops_.end() && !is_seed(via))) return false;
  const std::string line = std::string(url.href()) + "\tdepth=" + std::to_string(hops) + "\n";
  if (!file_) {
    Result<LineFile> file = LineFile::open(path_);
    if (!file.ok()) return file.error();
    file_.emplace(file.take());
  }
  if (const Status kept = file_->append(line); !kept.ok()) return kept.error();
  refresh();
  return true;
}

}  // namespace spinneret
