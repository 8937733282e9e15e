// SPDX-License-Identifier: Apache-2.0
#include "loop/checkpoint.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/file.h"

namespace spinneret::loop {
namespace {

namespace fs = std::filesystem;

Error in_the_way(const fs::path& thing) {
  return Error{"--checkpoint would remove " + thing.string() +
               ", which is not part of an older copy: name a folder that is not there yet"};
}

Error cannot_replace(const std::string& path, const std::error_code& code) {
  return Error{"cannot replace " + path + ": " + code.message()};
}

// Calls `each` for the entries of a folder until it returns false. A missing folder has no entries.
// Errors name the folder, which those of an iterator's increment do not.
template <typename Each>
bool all_in(const fs::path& folder, Each each) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (!each(*at)) return false;
  }
  if (code && code != std::errc::no_such_file_or_directory)
    throw fs::filesystem_error("", folder, code);
  return true;
}

// Whether the entry is the folder of a store, which holds plain files only. RocksDB names it db.tmp
// until it is complete.
bool is_store_folder(const fs::directory_entry& entry) {
  const fs::path name = entry.path().filename();
  if ((name != "db" && name != "db.tmp") ||
      entry.symlink_status().type() != fs::file_type::directory)
    return false;
  return all_in(entry.path(), [](const fs::directory_entry& file) {
    return file.symlink_status().type() == fs::file_type::regular;
  });
}

Status may_remove(const std::string& path) {
  const fs::file_type type = fs::symlink_status(path).type();
  if (type == fs::file_type::not_found) return {};
  if (type != fs::file_type::directory) return in_the_way(path);
  Status free;
  all_in(path, [&free](const fs::directory_entry& entry) {
    if (!is_store_folder(entry)) free = in_the_way(entry.path());
    return free.ok();
  });
  return free;
}

// Goes at most two levels deep, and removes only folders that are then empty.
void remove_copy(const std::string& path) {
  if (fs::symlink_status(path).type() == fs::file_type::not_found) return;
  const auto remove = [](const fs::directory_entry& thing) {
    fs::remove(thing.path());
    return true;
  };
  all_in(path, [&](const fs::directory_entry& folder) {
    return all_in(folder.path(), remove) && remove(folder);
  });
  fs::remove(path);
}

// Turns "copy/" into "copy", since its neighbour is not "copy/.new".
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Restores the copy after a crash between the two renames of put_in_place().
void bring_back(const std::string& path) {
  if (fs::symlink_status(path).type() == fs::file_type::not_found &&
      fs::symlink_status(path + ".old").type() == fs::file_type::directory)
    fs::rename(path + ".old", path);
}

// Exchanges the names of two folders in one step. Returns false if the file system cannot do
// that.
bool exchange(const std::string& a, const std::string& b) {
  if (renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  const int code = errno;
  if (code == ENOSYS || code == EINVAL || code == EOPNOTSUPP) return false;
  throw fs::filesystem_error("", a, std::error_code(code, std::generic_category()));
}

// At each moment a complete copy exists under its own name or, without exchange(), briefly as
// `path`.old. The old copy is removed after the new name is on disk, since otherwise a crash of the
// machine could lose both.
Status put_in_place(const std::string& fresh, const std::string& path) {
  std::string old;
  if (fs::symlink_status(path).type() == fs::file_type::not_found) {
    fs::rename(fresh, path);
  } else if (exchange(fresh, path)) {
    old = fresh;
  } else {
    old = path + ".old";
    fs::rename(path, old);
    fs::rename(fresh, path);
  }
  const Status named = sync_parent(path);
  if (named.ok() && !old.empty()) remove_copy(old);
  return named;
}

Status replace(frontier::Store& store, const std::string& path) {
  const std::string fresh = path + ".new";
  if (const Status free = may_hold_checkpoint(path); !free.ok()) return free;
  bring_back(path);
  remove_copy(fresh);
  remove_copy(path + ".old");
  if (const Status made = make_directories(fresh); !made.ok()) return made;
  if (const Status done = store.checkpoint(fresh + "/db"); !done.ok()) return done;
  if (const Status named = sync_parent(fresh + "/db"); !named.ok()) return named;
  return put_in_place(fresh, path);
}

}  // namespace

// <filesystem> throws errors with the path and the reason; here they become values.
Status may_hold_checkpoint(const std::string& path) try {
  const std::string folder = without_slashes(path);
  if (folder.empty()) return Error{"--checkpoint needs the name of a folder"};
  for (const char* const end : {"", ".old", ".new"}) {
    if (const Status free = may_remove(folder + end); !free.ok()) return free;
  }
  return {};
} catch (const fs::filesystem_error& error) {
  return cannot_replace(error.path1().string(), error.code());
}

Status write_checkpoint(frontier::Store& store, const std::string& path) try {
  return replace(store, without_slashes(path));
} catch (const fs::filesystem_error& error) {
  return cannot_replace(error.path1().string(), error.code());
}

}  // namespace spinneret::loop
