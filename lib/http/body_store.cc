// SPDX-License-Identifier: Apache-2.0
#include "http/body_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/ascii.h"

namespace spinneret::http {
namespace {

// If so many others share a body's digest, that is an attack and no accident.
constexpr int kMaxCollisions = 100;

bool same_content(int folder, const std::string& name, std::string_view bytes) {
  const Fd file(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return false;
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || static_cast<std::size_t>(info.st_size) != bytes.size()) {
    return false;
  }
  char block[16384];
  while (!bytes.empty()) {
    const ssize_t got = ::read(file.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    const auto count = static_cast<std::size_t>(got);
    if (count > bytes.size() || bytes.substr(0, count) != std::string_view(block, count)) {
      return false;
    }
    bytes.remove_prefix(count);
  }
  return true;
}

}  // namespace

Result<BodyStore> BodyStore::open(const std::string& folder) {
  if (const Status made = make_directories(folder); !made.ok()) return made.error();
  Result<Fd> fd = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!fd.ok()) return fd.error();
  return BodyStore(folder, fd.take());
}

Status BodyStore::sync_error(int code) const {
  return code == 0 ? Status() : system_error("cannot sync the files in " + folder_, code);
}

Status BodyStore::make_shelf(std::string_view shelf) {
  const auto index = static_cast<std::size_t>(hex_value(shelf[0])) * 16 +
                     static_cast<std::size_t>(hex_value(shelf[1]));
  if (shelves_[index]) return {};
  if (mkdirat(fd_.get(), std::string(shelf).c_str(), 0777) != 0 && errno != EEXIST) {
    return system_error("cannot create folder " + folder_ + "/" + std::string(shelf), errno);
  }
  shelves_[index] = true;
  return {};
}

Result<bool> BodyStore::place(const std::string& name, std::string_view bytes) {
  struct stat info {};
  if (fstatat(fd_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return same_content(fd_.get(), name, bytes);
  }
  std::string aside;
  Fd file;
  // A name that is taken belongs to a run that was killed, and whose process id is ours now.
  do {
    aside = ".new." + std::to_string(getpid()) + "." + std::to_string(counter_++);
    file = Fd(openat(fd_.get(), aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (!file && errno == EEXIST);
  if (!file) return system_error("cannot create " + folder_ + "/" + aside, errno);
  int code = write_all(file.get(), bytes);
  if (code == 0 && ::close(file.release()) != 0) code = errno;
  // link(2) is used, since rename(2) would replace a file that another process has put there
  // meanwhile.
  if (code == 0 && linkat(fd_.get(), aside.c_str(), fd_.get(), name.c_str(), 0) != 0) code = errno;
  unlinkat(fd_.get(), aside.c_str(), 0);
  if (code == EEXIST) return same_content(fd_.get(), name, bytes);
  if (code != 0) return system_error("cannot write " + folder_ + "/" + name, code);
  return true;
}

Result<std::string> BodyStore::put(std::string_view hex, std::string_view bytes) {
  const std::string_view shelf = hex.substr(0, 2);
  if (const Status made = make_shelf(shelf); !made.ok()) return made.error();
  const std::string base = std::string(shelf) + "/" + std::string(hex.substr(2));
  for (int collision = 0; collision < kMaxCollisions; ++collision) {
    const std::string name = collision == 0 ? base : base + "." + std::to_string(collision);
    Result<bool> placed = place(name, bytes);
    if (!placed.ok()) return placed.error();
    if (*placed) {
      if (const Status synced = sync_error(sync_.written(fd_.get())); !synced.ok())
        return synced.error();
      return folder_ + "/" + name;
    }
  }
  return Error{"too many bodies share the digest " + std::string(hex)};
}

}  // namespace spinneret::http
