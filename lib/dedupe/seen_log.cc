// SPDX-License-Identifier: Apache-2.0
#include "dedupe/seen_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/hash.h"

namespace spinneret::dedupe {
namespace {

static_assert(std::endian::native == std::endian::little, "the log's numbers are little-endian");

struct HeaderBytes {
  char magic[8];
  std::uint32_t version;
  std::uint32_t entry_bytes;
  std::uint32_t flags;
  std::uint32_t text_length;
  std::uint64_t seed;
  char text[216];
  std::uint64_t sum;
};
static_assert(sizeof(HeaderBytes) == 256);

struct BlockHeader {
  char magic[4];
  std::uint32_t payload_bytes;
  std::uint64_t offset;
  std::uint64_t entries;
  std::uint64_t sum;
};
static_assert(sizeof(BlockHeader) == 32);

constexpr char kMagic[9] = "SPNSEEN1";
constexpr char kBlockMagic[5] = "BLK1";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kTimedVersion = 2;
constexpr std::uint32_t kNamed = 1, kTimed = 2;  // flags
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

std::uint64_t block_sum(const BlockHeader& header, std::string_view payload, std::uint64_t seed) {
  const std::uint64_t first =
      hash64({reinterpret_cast<const char*>(&header), offsetof(BlockHeader, sum)}, seed);
  return hash64(payload, first);
}

std::uint64_t header_sum(const HeaderBytes& bytes) {
  return hash64({reinterpret_cast<const char*>(&bytes), offsetof(HeaderBytes, sum)}, bytes.seed);
}

Error not_a_store(const std::string& path) {
  return Error{path + " is not a dedupe store (its first bytes differ)"};
}

// A window over a file that moves forward.
class Window {
 public:
  Window(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  // Returns bytes [at, at + size), or an empty view where the file ends before; code() tells of
  // errors.
  std::string_view bytes(std::uint64_t at, std::size_t size) {
    if (at > size_ || size > size_ - at || code_ != 0) return {};
    if (at < start_ || at + size > start_ + buffer_.size()) {
      start_ = at;
      buffer_.resize(std::max(
          size, static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, size_ - at))));
      code_ = read_at(fd_, buffer_.data(), buffer_.size(), at);
      if (code_ != 0) return {};
    }
    return std::string_view(buffer_).substr(static_cast<std::size_t>(at - start_), size);
  }
  std::uint64_t size() const { return size_; }
  int code() const { return code_; }

 private:
  int fd_;
  std::uint64_t size_;
  std::uint64_t start_ = 0;
  std::string buffer_;
  int code_ = 0;
};

// Returns whether a good block stands at `at`; then gives its header and payload.
bool good_block(Window& window, std::uint64_t at, std::uint64_t seed, BlockHeader& header,
                std::string_view& payload) {
  const std::string_view head = window.bytes(at, sizeof header);
  if (head.empty()) return false;
  std::memcpy(&header, head.data(), sizeof header);
  if (std::memcmp(header.magic, kBlockMagic, sizeof header.magic) != 0 || header.offset != at) {
    return false;
  }
  const std::string_view whole = window.bytes(at, sizeof header + header.payload_bytes);
  if (whole.empty()) return false;
  payload = whole.substr(sizeof header);
  return block_sum(header, payload, seed) == header.sum;
}

// Returns the place of the next good block behind `at`, or the file's size.
std::uint64_t next_good(Window& window, std::uint64_t at, std::uint64_t seed) {
  BlockHeader header;
  std::string_view payload;
  for (at += 8; at < window.size(); at += 8) {
    if (good_block(window, at, seed, header, payload)) return at;
  }
  return window.size();
}

Result<struct stat> stat_of(const Fd& file, const std::string& path) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return system_error("cannot read " + path, errno);
  if (!S_ISREG(info.st_mode)) return Error{path + " is not a regular file"};
  return info;
}

}  // namespace

// Takes flock(2) on the file itself. While this waited or opened, a compaction may have replaced
// the file. Then the lock is on a file without a name, and the file is opened again.
Status SeenLog::lock_file(bool create) {
  for (int tries = 0; tries < 100; ++tries) {
    Result<Fd> file = open_file(path_, O_RDWR | (create ? O_CREAT : 0));
    if (!file.ok()) return file.error();
    const Result<bool> locked = spinneret::lock_file(file->get(), path_);
    if (!locked.ok()) return locked.error();
    if (!*locked) return Error{path_ + " is in use by another writer"};
    struct stat ours {};
    struct stat named {};
    if (fstat(file->get(), &ours) == 0 && stat(path_.c_str(), &named) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
      file_ = file.take();
      return {};
    }
  }
  return Error{path_ + " is replaced again and again"};
}

Status SeenLog::write_header() {
  HeaderBytes bytes{};
  std::memcpy(bytes.magic, kMagic, sizeof bytes.magic);
  bytes.version = header_.timed ? kTimedVersion : kVersion;
  bytes.entry_bytes = header_.entry_bytes;
  bytes.flags = (header_.named ? kNamed : 0) | (header_.timed ? kTimed : 0);
  bytes.text_length = static_cast<std::uint32_t>(header_.text.size());
  bytes.seed = header_.seed;
  std::memcpy(bytes.text, header_.text.data(), header_.text.size());
  bytes.sum = header_sum(bytes);
  if (ftruncate(file_.get(), 0) != 0 || lseek(file_.get(), 0, SEEK_SET) != 0) {
    return system_error("cannot write " + path_, errno);
  }
  if (const int code = write_all(file_.get(), {reinterpret_cast<char*>(&bytes), sizeof bytes});
      code != 0) {
    return system_error("cannot write " + path_, code);
  }
  end_ = sizeof bytes;
  return {};
}

Status SeenLog::read_or_write_header(Mode mode, const LogHeader& fresh) {
  const Result<struct stat> info = stat_of(file_, path_);
  if (!info.ok()) return info.error();
  changed_at_ = static_cast<std::uint64_t>(std::max<time_t>(info->st_mtime, 0));
  HeaderBytes bytes{};
  const std::size_t have = std::min(static_cast<std::size_t>(info->st_size), sizeof bytes);
  if (const int code = read_at(file_.get(), &bytes, have, 0); code != 0) {
    return system_error("cannot read " + path_, code);
  }
  if (std::memcmp(bytes.magic, kMagic, std::min(have, sizeof bytes.magic)) != 0) {
    return not_a_store(path_);
  }
  if (have < sizeof bytes) {
    // The file is empty, or its maker was killed: it never held a key.
    if (mode == Mode::kRead) return Error{path_ + " is empty: not a dedupe store yet"};
    if (fresh.text.size() > sizeof bytes.text) return Error{"the key has too long a description"};
    header_ = fresh;
    if (Status written = write_header(); !written.ok()) return written;
    return sync_parent(path_);
  }
  if (bytes.sum != header_sum(bytes) || bytes.text_length > sizeof bytes.text) {
    return Error{path_ + " is damaged in its header, and cannot be used"};
  }
  if (bytes.version != kVersion && bytes.version != kTimedVersion) {
    return Error{path_ + " was written by a later version of dedupe"};
  }
  header_ = {bytes.entry_bytes,
             (bytes.flags & kNamed) != 0,
             bytes.seed,
             {bytes.text, bytes.text_length},
             (bytes.flags & kTimed) != 0};
  end_ = sizeof bytes;
  return {};
}

Status SeenLog::scan(const Visit& visit, bool skip_damage) {
  const Result<struct stat> info = stat_of(file_, path_);
  if (!info.ok()) return info.error();
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Window window(file_.get(), static_cast<std::uint64_t>(info->st_size));
  std::uint64_t at = end_;
  while (at < window.size()) {
    BlockHeader header;
    std::string_view payload;
    if (good_block(window, at, header_.seed, header, payload)) {
      stats_.entries += header.entries;
      ++stats_.blocks;
      mark_ = {at + sizeof header + payload.size(), at, header.sum, stats_.entries, stats_.blocks};
      at = end_ = mark_.end;
      LogBlock block{payload, header.entries, changed_at_, mark_};
      if (header_.timed && payload.size() >= sizeof block.time) {
        std::memcpy(&block.time, payload.data(), sizeof block.time);
        block.payload.remove_prefix(sizeof block.time);
      }
      visit(block);
      continue;
    }
    if (window.code() != 0) break;
    const std::uint64_t next = next_good(window, at, header_.seed);
    if (next == window.size()) break;
    if (!skip_damage) {
      return Error{path_ + " is damaged at byte " + std::to_string(at) + ": run dedupe --recover " +
                   path_ + " to keep what is whole"};
    }
    stats_.damaged_bytes += next - at;
    at = next;
  }
  if (window.code() != 0) return system_error("cannot read " + path_, window.code());
  stats_.torn_bytes = window.size() - end_;
  stats_.file_bytes = end_;
  return {};
}

Result<SeenLog> SeenLog::open(const std::string& path, Mode mode, const LogHeader& fresh,
                              const Visit& visit, const Start& start) {
  SeenLog log;
  log.path_ = path;
  if (mode == Mode::kAppend) {
    if (Status locked = log.lock_file(true); !locked.ok()) return locked.error();
  } else {
    Result<Fd> file = open_file(path, O_RDONLY);
    if (!file.ok()) return file.error();
    log.file_ = file.take();
  }
  if (Status header = log.read_or_write_header(mode, fresh); !header.ok()) return header.error();
  if (start) {
    log.mark_ = start(log);
    log.end_ = log.mark_.end;
    log.stats_.entries = log.mark_.entries;
    log.stats_.blocks = log.mark_.blocks;
  }
  if (Status scanned = log.scan(visit, false); !scanned.ok()) return scanned.error();
  if (mode == Mode::kAppend && log.stats_.torn_bytes != 0 &&
      ftruncate(log.file_.get(), static_cast<off_t>(log.end_)) != 0) {
    return system_error("cannot cut the torn end off " + path, errno);
  }
  return log;
}

bool SeenLog::holds(const LogMark& mark) const {
  if (mark.begin == 0) return mark == start();
  struct stat info {};
  BlockHeader header;
  return fstat(file_.get(), &info) == 0 && mark.end <= static_cast<std::uint64_t>(info.st_size) &&
         read_at(file_.get(), &header, sizeof header, mark.begin) == 0 &&
         std::memcmp(header.magic, kBlockMagic, sizeof header.magic) == 0 &&
         header.offset == mark.begin && header.sum == mark.sum &&
         mark.begin + sizeof header + header.payload_bytes == mark.end;
}

std::string SeenLog::torn_notice() const {
  if (stats_.torn_bytes == 0) return {};
  return path_ + ": dropped " + std::to_string(stats_.torn_bytes) +
         " bytes at its end, torn by a crash";
}

std::uint64_t SeenLog::file_size(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

Result<LogHeader> SeenLog::read_header(const std::string& path) {
  SeenLog log;
  log.path_ = path;
  Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  log.file_ = file.take();
  if (Status header = log.read_or_write_header(Mode::kRead, {}); !header.ok()) {
    return header.error();
  }
  return log.header_;
}

Status SeenLog::append(const LogBlock& block, bool sync) {
  BlockHeader header{};
  buffer_.assign(sizeof header, '\0');
  if (header_.timed) {
    buffer_.append(reinterpret_cast<const char*>(&block.time), sizeof block.time);
  }
  buffer_ += block.payload;
  const std::string_view payload = std::string_view(buffer_).substr(sizeof header);
  std::memcpy(header.magic, kBlockMagic, sizeof header.magic);
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.offset = end_;
  header.entries = block.entries;
  header.sum = block_sum(header, payload, header_.seed);
  std::memcpy(buffer_.data(), &header, sizeof header);
  int code = 0;
  if (lseek(file_.get(), static_cast<off_t>(end_), SEEK_SET) < 0) code = errno;
  if (code == 0) code = write_all(file_.get(), buffer_);
  if (code == 0 && sync && fdatasync(file_.get()) != 0) code = errno;
  if (code != 0) {
    // The next writer would drop half a block as torn anyway.
    static_cast<void>(!ftruncate(file_.get(), static_cast<off_t>(end_)));
    return system_error("cannot write " + path_, code);
  }
  stats_.entries += block.entries;
  ++stats_.blocks;
  mark_ = {end_ + buffer_.size(), end_, header.sum, stats_.entries, stats_.blocks};
  end_ = mark_.end;
  stats_.file_bytes = end_;
  return {};
}

Status SeenLog::sync() {
  if (fdatasync(file_.get()) != 0) return system_error("cannot sync " + path_, errno);
  return {};
}

Status SeenLog::rewrite(const std::function<Status(SeenLog& into)>& fill) {
  SeenLog fresh;
  fresh.path_ = path_ + ".new";
  fresh.header_ = header_;
  if (Status locked = fresh.lock_file(true); !locked.ok()) return locked;
  if (Status headed = fresh.write_header(); !headed.ok()) return headed;
  if (Status filled = fill(fresh); !filled.ok()) return filled;
  if (fsync(fresh.file_.get()) != 0) return system_error("cannot sync " + fresh.path_, errno);
  if (std::rename(fresh.path_.c_str(), path_.c_str()) != 0) {
    return system_error("cannot replace " + path_, errno);
  }
  fresh.path_ = path_;
  *this = std::move(fresh);
  return sync_parent(path_);
}

Status SeenLog::add_times() {
  SeenLog from;
  from.path_ = path_;
  Result<Fd> file = open_file(path_, O_RDONLY);
  if (!file.ok()) return file.error();
  from.file_ = file.take();
  if (Status header = from.read_or_write_header(Mode::kRead, {}); !header.ok()) return header;
  header_.timed = true;
  Status done = rewrite([&](SeenLog& into) -> Status {
    Status copied;
    const Status scanned = from.scan(
        [&](const LogBlock& block) {
          if (copied.ok()) copied = into.append(block, false);
        },
        false);
    return scanned.ok() ? copied : scanned;
  });
  if (!done.ok()) header_.timed = false;
  return done;
}

Result<LogStats> SeenLog::recover(const std::string& path, std::string& kept) {
  SeenLog log;
  log.path_ = path;
  if (Status locked = log.lock_file(false); !locked.ok()) return locked.error();
  if (Status header = log.read_or_write_header(Mode::kRead, {}); !header.ok()) {
    return header.error();
  }
  kept = path + ".damaged";
  int code = 0;
  for (int number = 2; (code = ::link(path.c_str(), kept.c_str()) == 0 ? 0 : errno) == EEXIST;) {
    kept = path + ".damaged." + std::to_string(number++);
  }
  if (code != 0) {
    return system_error("cannot keep the old file as " + kept, code);
  }
  LogStats stats;
  Status done = log.rewrite([&](SeenLog& into) -> Status {
    Status copied;
    const Status scanned = log.scan(
        [&](const LogBlock& block) {
          if (copied.ok()) copied = into.append(block, false);
        },
        true);
    stats = log.stats_;
    return scanned.ok() ? copied : scanned;
  });
  if (!done.ok()) return done.error();
  return stats;
}

bool LogEntries::next(std::string_view& entry, std::string_view& name) {
  if (rest_.empty() || rest_.size() < header_.entry_bytes) return false;
  entry = rest_.substr(0, header_.entry_bytes);
  rest_.remove_prefix(header_.entry_bytes);
  if (!header_.named) return true;
  std::uint32_t length = 0;
  if (rest_.size() < sizeof length) return false;
  std::memcpy(&length, rest_.data(), sizeof length);
  const std::uint64_t padded = (sizeof length + std::uint64_t{length} + 7) / 8 * 8;
  if (rest_.size() < padded) return false;
  name = rest_.substr(sizeof length, length);
  rest_.remove_prefix(static_cast<std::size_t>(padded));
  return true;
}

void append_log_entry(std::string& payload, const LogHeader& header, std::string_view entry,
                      std::string_view name) {
  payload += entry;
  if (!header.named) return;
  const auto length = static_cast<std::uint32_t>(name.size());
  payload.append(reinterpret_cast<const char*>(&length), sizeof length);
  payload += name;
  payload.append((8 - (sizeof length + name.size()) % 8) % 8, '\0');
}

}  // namespace spinneret::dedupe
