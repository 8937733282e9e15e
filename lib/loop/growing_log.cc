// SPDX-License-Identifier: Apache-2.0
#include "loop/growing_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iterator>

namespace spinneret::loop {
namespace {

constexpr std::int64_t kRecentMs = 10'000;
constexpr std::size_t kMostLine = std::size_t{1} << 20;
// Bound on the seconds that are counted, since clocks may jump.
constexpr std::size_t kMostSeconds = 60;

}  // namespace

Status GrowingLog::read() {
  if (Status opened = open(); !opened.ok() || !file_) return opened;
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t got = ::read(file_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read " + path_, errno);
    if (got == 0) return {};
    read_ += got;
    take({bytes.data(), static_cast<std::size_t>(got)});
  }
}

// Pages that seem to be later than now, since the clock was set back, are not counted: their time
// is unknown.
double GrowingLog::recent_rate(std::int64_t now_ms) {
  recent_.erase(recent_.begin(), recent_.upper_bound(now_ms - kRecentMs));
  std::uint64_t pages = 0;
  for (const auto& [ms, count] : recent_) pages += ms <= now_ms ? count : 0;
  return static_cast<double>(pages) * 1000 / kRecentMs;
}

Status GrowingLog::open() {
  struct stat there {};
  if (::stat(path_.c_str(), &there) != 0)
    return errno == ENOENT ? Status() : system_error("cannot read " + path_, errno);
  // As in survey_log(), a device counts as empty.
  if (S_ISCHR(there.st_mode)) return {};
  if (file_ && there.st_ino == inode_ && there.st_size >= read_) return {};
  Result<Fd> opened = open_file(path_, O_RDONLY);
  if (!opened.ok()) return opened.error();
  file_ = opened.take();
  inode_ = there.st_ino;
  read_ = 0;
  rest_.clear();
  recent_.clear();
  survey_ = {};
  return {};
}

void GrowingLog::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (rest_.size() <= kMostLine) rest_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    survey_.add(rest_);
    if (report::parse_page_line(rest_, page_)) count(page_.wall_ms / 1000 * 1000);
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
}

// Beyond the bound, the second that is farthest from this one is forgotten: a clock may have been
// set back, or forward.
void GrowingLog::count(std::int64_t second_ms) {
  ++recent_[second_ms];
  if (recent_.size() <= kMostSeconds) return;
  const auto last = std::prev(recent_.end());
  recent_.erase(last->first - second_ms > second_ms - recent_.begin()->first ? last
                                                                             : recent_.begin());
}

}  // namespace spinneret::loop
