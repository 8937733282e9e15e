// SPDX-License-Identifier: Apache-2.0
#include "check/zip.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/excerpt.h"
#include "base/file.h"

namespace spinneret::check {
namespace {

constexpr std::uint64_t kMaxDirectory = std::uint64_t{64} << 20;
constexpr std::size_t kEndSize = 22;        // the record at the end, without its comment
constexpr std::size_t kMaxComment = 65535;  // comment of the archive
// An entry of the directory, without name, extra field and comment.
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kHeaderSize = 30;  // the header before a file, without name and extra field
constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;  // the value is in the ZIP64 extra field

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

struct Place {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Archive {
 public:
  Archive(const Fd& file, std::uint64_t size) : file_(file), size_(size) {}

  // Returns where the directory is; nothing if there is no whole one.
  std::optional<Place> directory() const;
  bool holds(const Place& place) const {
    return place.offset <= size_ && place.size <= size_ - place.offset;
  }
  // Replaces `out`. Returns false if the archive does not hold so many bytes there.
  bool read(const Place& place, std::string& out) const {
    if (!holds(place)) return false;
    out.resize(static_cast<std::size_t>(place.size));
    return read_at(file_.get(), out.data(), out.size(), place.offset) == 0;
  }

 private:
  std::optional<Place> large_directory(std::uint64_t end) const;

  const Fd& file_;
  std::uint64_t size_;
};

std::optional<Place> Archive::directory() const {
  std::string tail;
  const std::uint64_t most = std::min<std::uint64_t>(size_, kEndSize + kMaxComment);
  if (!read({size_ - most, most}, tail)) return std::nullopt;
  // The end record is the last one whose comment ends with the file.
  for (std::size_t at = tail.size(); (at = tail.rfind("PK\x05\x06", at)) != tail.npos; --at) {
    if (tail.size() - at >= kEndSize && tail.size() - at - kEndSize == number(tail, at + 20, 2)) {
      const Place place{number(tail, at + 16, 4), number(tail, at + 12, 4)};
      if (place.offset == kElsewhere || place.size == kElsewhere)
        return large_directory(size_ - tail.size() + at);
      return place;
    }
    if (at == 0) break;
  }
  return std::nullopt;
}

// Finds the directory by the ZIP64 locator before the end record at `end`.
std::optional<Place> Archive::large_directory(std::uint64_t end) const {
  std::string bytes;
  if (end < 20 || !read({end - 20, 20}, bytes) || !bytes.starts_with("PK\x06\x07") ||
      !read({number(bytes, 8, 8), 56}, bytes) || !bytes.starts_with("PK\x06\x06"))
    return std::nullopt;
  return Place{number(bytes, 48, 8), number(bytes, 40, 8)};
}

struct Entry {
  std::string_view name;
  bool plain = false;        // stored uncompressed
  std::uint64_t header = 0;  // offset of the file's own header
  std::uint64_t size = 0;
};

// Replaces the values that are marked as being in the ZIP64 extra field: both sizes and the
// header's offset, as far as they are.
bool complete(std::string_view extra, std::uint64_t& packed, Entry& entry) {
  while (extra.size() >= 4) {
    const std::uint64_t size = number(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    std::string_view value = extra.substr(4, static_cast<std::size_t>(size));
    if (number(extra, 0, 2) == 1) {
      for (std::uint64_t* const each : {&entry.size, &packed, &entry.header}) {
        if (*each != kElsewhere) continue;
        if (value.size() < 8) return false;
        *each = number(value, 0, 8);
        value.remove_prefix(8);
      }
      return true;
    }
    extra.remove_prefix(4 + static_cast<std::size_t>(size));
  }
  return false;
}

// Cuts the first entry off `directory`. Returns false if it is damaged.
bool next_entry(std::string_view& directory, Entry& entry) {
  if (directory.size() < kEntrySize || !directory.starts_with("PK\x01\x02")) return false;
  const auto name = static_cast<std::size_t>(number(directory, 28, 2));
  const auto extra = static_cast<std::size_t>(number(directory, 30, 2));
  const std::size_t whole =
      kEntrySize + name + extra + static_cast<std::size_t>(number(directory, 32, 2));
  if (directory.size() < whole) return false;
  std::uint64_t packed = number(directory, 20, 4);
  entry.name = directory.substr(kEntrySize, name);
  entry.size = number(directory, 24, 4);
  entry.header = number(directory, 42, 4);
  const bool elsewhere =
      packed == kElsewhere || entry.size == kElsewhere || entry.header == kElsewhere;
  if (elsewhere && !complete(directory.substr(kEntrySize + name, extra), packed, entry))
    return false;
  const bool encrypted = (number(directory, 8, 2) & 1) != 0;
  entry.plain = number(directory, 10, 2) == 0 && !encrypted && packed == entry.size;
  directory.remove_prefix(whole);
  return true;
}

}  // namespace

Status list_stored(const std::string& path, bool (*wanted)(std::string_view name),
                   std::vector<StoredFile>& files, const Folder::Trouble& trouble) {
  const Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  struct stat info = {};
  if (::fstat(file->get(), &info) != 0) return system_error("cannot read " + path, errno);
  const Archive archive(*file, static_cast<std::uint64_t>(info.st_size));
  const std::optional<Place> place = archive.directory();
  std::string bytes;
  if (!place || place->size > kMaxDirectory || !archive.read(*place, bytes))
    return Error{path + " is not a ZIP archive, or is cut off"};
  std::string header;
  for (std::string_view directory = bytes; !directory.empty();) {
    Entry entry;
    if (!next_entry(directory, entry)) return Error{path + ": the directory at its end is damaged"};
    if (!wanted(entry.name)) continue;
    const bool there =
        archive.read({entry.header, kHeaderSize}, header) && header.starts_with("PK\x03\x04");
    const std::uint64_t offset =
        there ? entry.header + kHeaderSize + number(header, 26, 2) + number(header, 28, 2) : 0;
    if (there && entry.plain && archive.holds({offset, entry.size})) {
      files.push_back({std::string(entry.name), offset, entry.size});
    } else {
      trouble(path + ": left out: " + excerpt(entry.name) +
                  (entry.plain ? " is not in the archive" : " is compressed or encrypted in it"),
              true);
    }
  }
  return {};
}

}  // namespace spinneret::check
