// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/hash.h"

namespace spinneret {
namespace {

// Elsewhere "-" means standard output, and a file of that name would be hard to find and to remove.
Error no_standard_output() {
  return Error{"- is not a file name here: standard output has contents of its own (./- is one)"};
}

constexpr std::size_t kBlock = std::size_t{64} << 10;
// Buffers up to this size are kept for a smaller file.
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;
constexpr int kLockStepMs = 10;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Removes the temporary file unless the rename has taken it away.
struct TemporaryFile {
  std::string path;
  bool armed = false;
  ~TemporaryFile() {
    if (armed) unlink(path.c_str());
  }
};

// mkostemp() is not used: its files have mode 0600, and giving them the mode of open(2) would need
// the umask, which no thread can read without changing it for all. The name's length does not
// depend on the target's.
Result<Fd> create_temporary(const std::string& target, TemporaryFile& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary.path = parent_of(target) + "/.spinneret-" + std::to_string(random_seed()) + ".tmp";
    Result<Fd> file = open_file(temporary.path, O_WRONLY | O_CREAT | O_EXCL);
    if (file.ok()) {
      temporary.armed = true;
      return file;
    }
    const int code = errno;
    if (code != EEXIST || attempt == 100) return system_error("cannot write " + target, code);
  }
}

// Whether `path` is a device, pipe or socket. These are written to: replacing /dev/null by a file
// would destroy it.
bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool is_pipe(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

// Opens a pipe for writing only: a descriptor that can also read would count as the pipe's reader.
Result<Fd> open_pipe(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), (flags & O_APPEND) | O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENXIO)
    return Error{"cannot open " + path + ": it is a pipe that nobody reads"};
  if (fd < 0 || fcntl(fd, F_SETFL, flags & (O_APPEND | O_NONBLOCK)) != 0) {
    const int code = errno;
    if (fd >= 0) ::close(fd);
    return system_error("cannot open " + path, code);
  }
  return Fd(fd);
}

Status write_special(const std::string& path, std::string_view bytes) {
  Result<Fd> file = open_file(path, O_WRONLY | O_NOCTTY);
  if (!file.ok()) return file.error();
  if (const int code = write_all(file->get(), bytes); code != 0) {
    return system_error("cannot write " + path, code);
  }
  return file->close();
}

// Resolves a chain of symbolic links: the links stay, and the file at the end is replaced.
std::string target_of(const std::string& path) {
  char target[PATH_MAX];
  return realpath(path.c_str(), target) != nullptr ? target : path;
}

Status replace_file(const std::string& path, std::string_view bytes, Durability durability) {
  TemporaryFile temporary;
  Result<Fd> file = create_temporary(path, temporary);
  if (!file.ok()) return file.error();
  struct stat old {};
  struct stat made {};
  const bool replaces = stat(path.c_str(), &old) == 0 && fstat(file->get(), &made) == 0;
  // The mode is set before the bytes are written, since they may be secret.
  if (replaces && old.st_mode != made.st_mode && fchmod(file->get(), old.st_mode & 07777) != 0) {
    return system_error("cannot write " + path, errno);
  }
  if (const int code = write_all(file->get(), bytes); code != 0) {
    return system_error("cannot write " + path, code);
  }
  if (durability == Durability::kDurable && fsync(file->get()) != 0) {
    return system_error("cannot sync " + path, errno);
  }
  // A quota or a network file system may report an error only at close().
  if (const int fd = file->release(); ::close(fd) != 0 && errno != EINTR) {
    return system_error("cannot write " + path, errno);
  }
  if (rename(temporary.path.c_str(), path.c_str()) != 0) {
    return system_error("cannot replace " + path, errno);
  }
  temporary.armed = false;
  return durability == Durability::kDurable ? sync_parent(path) : Status();
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Status Fd::close() {
  const int fd = release();
  // Linux frees the descriptor even when close() is interrupted: never call it twice.
  if (fd < 0 || ::close(fd) == 0 || errno == EINTR) return {};
  return system_error("cannot close file", errno);
}

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) {
  if ((flags & O_CREAT) != 0 && path == "-") return no_standard_output();
  if ((flags & O_ACCMODE) != O_RDONLY && is_pipe(path)) return open_pipe(path, flags);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return system_error("cannot open " + path, errno);
  return Fd(fd);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  return read_descriptor(file->get(), path, max_bytes);
}

void make_room(std::string& buffer, std::size_t size) {
  if (buffer.size() > kKeepAtMost && buffer.size() > 2 * size) std::string().swap(buffer);
  if (buffer.size() < size) buffer.resize(size);
}

Result<std::string_view> read_all(int fd, const std::string& name, std::string& buffer,
                                  std::size_t max_bytes) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return system_error("cannot read " + name, errno);
  const std::size_t expected = info.st_size > 0 ? static_cast<std::size_t>(info.st_size) : 0;
  // One byte more than the file's size, so that the end is seen without another growth.
  const std::size_t first = expected > 0 ? std::min(expected, max_bytes) + 1 : kBlock;
  make_room(buffer, first);
  std::size_t size = 0;
  while (true) {
    const std::size_t asked = (size < first ? first : buffer.size()) - size;
    const ssize_t got = ::read(fd, buffer.data() + size, asked);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd ready{fd, POLLIN, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (got < 0) return system_error("cannot read " + name, errno);
    size += static_cast<std::size_t>(got);
    if (size > max_bytes) {
      return Error{"cannot read " + name + ": larger than " + std::to_string(max_bytes) + " bytes"};
    }
    // A plain file that returned all bytes of its size, and no more although more were asked for,
    // has ended.
    const bool whole = size == expected && static_cast<std::size_t>(got) < asked;
    if (got == 0 || whole) return std::string_view(buffer).substr(0, size);
    if (size == buffer.size()) buffer.resize(size + std::max(kBlock, size / 2));
  }
}

Result<std::string> read_descriptor(int fd, const std::string& name, std::size_t max_bytes) {
  std::string bytes;
  const Result<std::string_view> all = read_all(fd, name, bytes, max_bytes);
  if (!all.ok()) return all.error();
  bytes.resize(all->size());
  return bytes;
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another process that shares the pipe has made it non-blocking: wait instead of spinning.
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int read_at(int fd, void* into, std::size_t size, std::uint64_t offset) {
  char* at = static_cast<char*>(into);
  while (size != 0) {
    const ssize_t got = pread(fd, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

Status sync_parent(const std::string& path) {
  const std::string folder = parent_of(path);
  Result<Fd> opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.ok()) return opened.error();
  if (fsync(opened->get()) != 0) return system_error("cannot sync " + folder, errno);
  return opened->close();
}

Status write_file_atomic(const std::string& path, std::string_view bytes, Durability durability) {
  if (path == "-") return no_standard_output();
  return is_special(path) ? write_special(path, bytes)
                          : replace_file(target_of(path), bytes, durability);
}

Status check_replaceable(const std::string& path) {
  const std::string target = target_of(path);
  struct stat info {};
  const bool is_folder = stat(target.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (is_folder) return system_error("cannot replace " + path, EISDIR);
  const bool may = is_special(path) ? access(path.c_str(), W_OK) == 0
                                    : access(parent_of(target).c_str(), W_OK | X_OK) == 0;
  return may ? Status() : system_error("cannot write " + path, errno);
}

Status make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string head = path.substr(0, slash);
    if (mkdir(head.c_str(), 0777) != 0 && errno != EEXIST && errno != EISDIR) {
      return system_error("cannot create folder " + head, errno);
    }
  }
  if (mkdir(path.c_str(), 0777) == 0) return {};
  const int code = errno;
  struct stat info {};
  if (code == EEXIST && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  if (code == EEXIST)
    return Error{"cannot create folder " + path + ": there is a file of that name"};
  return system_error("cannot create folder " + path, code);
}

Result<bool> lock_file(int fd, const std::string& path, int wait_ms) {
  for (int waited_ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited_ms += kLockStepMs) {
    if (errno != EWOULDBLOCK && errno != EINTR) return system_error("cannot lock " + path, errno);
    if (waited_ms >= wait_ms) return false;
    poll(nullptr, 0, kLockStepMs);
  }
  return true;
}

Result<FileLock> FileLock::acquire(const std::string& path, std::string_view machine,
                                   bool* is_held) {
  Result<Fd> file = open_file(path, O_RDWR | O_CREAT);
  if (!file.ok()) return file.error();
  const Result<bool> locked = lock_file(file->get(), path);
  if (!locked.ok()) return locked.error();
  if (!*locked) {
    if (is_held != nullptr) *is_held = true;
    char bytes[320];
    const ssize_t got = pread(file->get(), bytes, sizeof bytes, 0);
    std::string_view holder(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
    holder = holder.substr(0, holder.find('\n'));
    const bool is_named = holder.find_first_of("0123456789") == 0;
    return Error{path + " is held by " +
                 (is_named ? "process " + std::string(holder) : "another process")};
  }
  std::string holder = std::to_string(getpid());
  if (!machine.empty()) holder.append(" of ").append(machine);
  holder += '\n';
  if (ftruncate(file->get(), 0) != 0) return system_error("cannot write " + path, errno);
  if (const int code = write_all(file->get(), holder); code != 0) {
    return system_error("cannot write " + path, code);
  }
  return FileLock(file.take());
}

}  // namespace spinneret
