// SPDX-License-Identifier: Apache-2.0
#include "frontier/table_footer.h"

#include <fcntl.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "frontier/beside_writer.h"
#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

// The size of a footer: a byte for the kind of checksums, two handles of at most 20 bytes, the
// format's version, and a magic number.
constexpr std::size_t kFooter = 53;
constexpr std::string_view kEnd{"\5\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12};
constexpr std::uint64_t kTrailer = 5;    // behind each block: its compression and its checksum
constexpr std::uint8_t kNoChecksum = 0;  // which we never write
constexpr std::uint8_t kXxh3 = 4;        // RocksDB's default, and ours
// The most bytes of a meta index or of the properties; ours have 33 and some 900.
constexpr std::uint64_t kMost = 1 << 20;
constexpr std::string_view kProperties = "rocksdb.properties";

// Where a block is, without its trailer.
struct Handle {
  std::uint64_t offset;
  std::uint64_t size;
};

Handle take_handle(Decoder& from) {
  const std::uint64_t offset = from.varint();
  return {offset, from.varint()};
}

// Whether block and trailer end before the footer of a file of that size.
bool fits(const Handle& block, std::uint64_t file_size) {
  return block.offset <= file_size && block.size <= file_size - block.offset &&
         file_size - block.offset - block.size >= kFooter + kTrailer;
}

// Whether a block with its trailer has its checksum. RocksDB leaves the byte of the compression out
// of the hash and mixes it in afterwards, so that the block need not be copied to stand before it.
bool has_its_checksum(std::string_view block) {
  Decoder trailer{block.substr(block.size() - kTrailer)};
  block.remove_suffix(kTrailer);
  std::uint32_t wanted = static_cast<std::uint32_t>(hash64(block));
  wanted ^= trailer.byte() * 0x6b9083d9u;
  std::uint32_t said = 0;
  for (int shift = 0; shift < 32; shift += 8) said |= std::uint32_t{trailer.byte()} << shift;
  return said == wanted;
}

// Reads a block, which fits the file; nothing where its checksum is another one, or it is larger
// than any of ours.
std::optional<std::string> read_block(int file, const Handle& block) {
  if (block.size > kMost) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(block.size + kTrailer), '\0');
  if (read_at(file, bytes.data(), bytes.size(), block.offset) != 0 || !has_its_checksum(bytes))
    return std::nullopt;
  bytes.resize(static_cast<std::size_t>(block.size));
  return bytes;
}

// Finds the handle of the properties in a meta index. Its entries are three lengths (of what the
// name shares with the one before, of the rest of the name, of the value), that rest, and a handle.
// Nothing where the index has none.
std::optional<Handle> properties_in(std::string_view meta_index) {
  Decoder entries{meta_index};
  std::string name;
  while (!entries.rest.empty() && !entries.bad) {
    const std::uint64_t shared = entries.varint();
    const std::uint64_t own = entries.varint();
    const std::uint64_t value = entries.varint();
    if (shared > name.size() || own > entries.rest.size() || value > entries.rest.size() - own)
      break;  // the restarts, which stand behind the last entry
    name.resize(static_cast<std::size_t>(shared));
    name += entries.rest.substr(0, static_cast<std::size_t>(own));
    entries.rest.remove_prefix(static_cast<std::size_t>(own));
    Decoder handle{entries.rest.substr(0, static_cast<std::size_t>(value))};
    entries.rest.remove_prefix(static_cast<std::size_t>(value));
    if (name == kProperties) return take_handle(handle);
  }
  return std::nullopt;
}

// Returns which part of the table is damaged; empty: none that is looked at here. `footer` is that
// of a file of `size` bytes.
std::string_view damage_of(int file, std::string_view footer, std::uint64_t size) {
  Decoder fields{footer.substr(0, kFooter - kEnd.size())};
  const std::uint8_t checksums = fields.byte();
  const Handle meta_index = take_handle(fields);
  const Handle index = take_handle(fields);
  if (checksums == kNoChecksum || fields.bad || !fits(meta_index, size) || !fits(index, size))
    return "footer";
  if (checksums != kXxh3) return {};  // RocksDB finds that no block agrees
  const std::optional<std::string> entries = read_block(file, meta_index);
  if (!entries) return "meta index";
  const std::optional<Handle> properties = properties_in(*entries);
  if (properties && (!fits(*properties, size) || !read_block(file, *properties)))
    return "properties block";
  return {};
}

}  // namespace

Status check_table_footers(const std::string& folder) {
  std::error_code none;  // RocksDB reports a file that cannot be read
  for (const std::string& name : state_files_in(folder).others) {
    if (!name.ends_with(".sst")) continue;
    const std::string path = folder + '/' + name;
    const std::uint64_t size = std::filesystem::file_size(path, none);
    if (none || size < kFooter) continue;
    std::array<char, kFooter> bytes{};
    const Result<Fd> file = open_file(path, O_RDONLY);
    if (!file.ok() || read_at(file->get(), bytes.data(), kFooter, size - kFooter) != 0) continue;
    const std::string_view footer(bytes.data(), kFooter);
    if (!footer.ends_with(kEnd)) continue;
    if (const std::string_view part = damage_of(file->get(), footer, size); !part.empty()) {
      return Error{path + ": the " + std::string(part) + " of the table is damaged"};
    }
  }
  return {};
}

}  // namespace spinneret::frontier
