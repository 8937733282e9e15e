// SPDX-License-Identifier: Apache-2.0
// Files: owned descriptors, whole reads, atomic and durable writes, advisory locks. Every system
// call's result is checked, EINTR is retried, and an error names the path.
#ifndef SPINNERET_BASE_FILE_H_
#define SPINNERET_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace spinneret {

// Owns a file descriptor; -1 means none. close() reports the error that the destructor would drop.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd();
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  Status close();

 private:
  int fd_;
};

// open(2) with O_CLOEXEC; `flags` and `mode` are those of open(2). Creating a file named "-" is an
// Error, since whoever passes "-" means standard output. Opening a named pipe for writing that
// nobody reads is an Error, and does not wait; opening one for reading waits for a writer.
Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0666);

// Returns all bytes of a file. More than `max_bytes` are an Error.
Result<std::string> read_file(const std::string& path,
                              std::size_t max_bytes = std::size_t{1} << 30);

// Reads everything from an open descriptor's position to its end, and waits for more if it is
// non-blocking. `name` is for error messages.
Result<std::string> read_descriptor(int fd, const std::string& name,
                                    std::size_t max_bytes = std::size_t{1} << 30);

// Makes `buffer`, which serves many reads, at least `size` bytes long, and frees its memory first
// where it is far larger than that. The caller overwrites its bytes. A buffer that is only a little
// too large is not shrunk, since a string that grows again is filled with zeros first.
void make_room(std::string& buffer, std::size_t size);

// Reads like read_descriptor(), but into `buffer`, which make_room() grows, and returns a view of
// it.
Result<std::string_view> read_all(int fd, const std::string& name, std::string& buffer,
                                  std::size_t max_bytes = std::size_t{1} << 30);

// Writes all of `bytes` to `fd`, in spite of short writes, EINTR and EAGAIN. Returns 0 or an errno.
int write_all(int fd, std::string_view bytes);

// Reads exactly `size` bytes with pread(2). Returns 0 or an errno; EIO if the file is shorter.
int read_at(int fd, void* into, std::size_t size, std::uint64_t offset);

// Makes sure that the name of a file that was created as `path`, or renamed to it, is on disk:
// fsync(2) of its folder.
Status sync_parent(const std::string& path);

enum class Durability {
  kAtomic,   // a reader sees the old bytes or the new ones; a power cut may lose the new ones
  kDurable,  // as above, and on return the new bytes are on disk (fsync of file and folder)
};

// Replaces `path` by a temporary file in the same folder (.spinneret-*.tmp, which a kill may leave
// behind) and rename(2). A new file gets the mode that open(2) gives; a replaced file keeps its
// own. After an error the old bytes stand. Where `path` is a symbolic link its target is replaced.
// A device or pipe (/dev/null, /dev/stdout) is written to instead.
Status write_file_atomic(const std::string& path, std::string_view bytes,
                         Durability durability = Durability::kAtomic);

// Returns the error that write_file_atomic() would give for `path` now, and writes nothing: for a
// file that will be written hours later.
Status check_replaceable(const std::string& path);

// Makes a folder and its missing parents, like mkdir -p.
Status make_directories(const std::string& path);

// Takes an exclusive advisory lock (flock) on an open file. Where another process holds the lock,
// waits for up to `wait_ms`, since a killed process keeps its locks for the moment that it takes to
// end. Returns false if the other process holds it still.
Result<bool> lock_file(int fd, const std::string& path, int wait_ms = 1000);

// An exclusive advisory lock (lock_file) on `path`, which is created and holds the owner's process
// id, and `machine` where several machines see the file. The lock is held until destruction.
// acquire() gives an Error that names the holder where there is one, and sets `is_held` then.
class FileLock {
 public:
  static Result<FileLock> acquire(const std::string& path, std::string_view machine = {},
                                  bool* is_held = nullptr);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace spinneret

#endif  // SPINNERET_BASE_FILE_H_
