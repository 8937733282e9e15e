// SPDX-License-Identifier: Apache-2.0
#include "frontier/table_footer.h"

#include <fcntl.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

// A byte for the kind of checksums, two handles of at most 20 bytes, the format's version, a magic number.
constexpr std::size_t kFooter = 53;
constexpr std::string_view kEnd{"\5\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12};
constexpr std::uint64_t kTrailer = 5;  // behind each block: its compression and its checksum

bool is_sound(std::string_view footer, std::uint64_t file_size) {
  Decoder fields{footer.substr(0, kFooter - kEnd.size())};
  if (fields.byte() == 0) return false;  // "no checksum", which we never write
  for (int i = 0; i < 2; ++i) {          // of the meta index, of the index
    const std::uint64_t offset = fields.varint();
    const std::uint64_t size = fields.varint();
    if (offset > file_size || size > file_size - offset ||
        file_size - offset - size < kFooter + kTrailer) {
      return false;
    }
  }
  return !fields.bad;
}

}  // namespace

Status check_table_footers(const std::string& folder) {
  std::error_code none;  // a folder that cannot be read is RocksDB's to tell
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() != ".sst") continue;
    const std::string path = entry.path().string();
    const std::uint64_t size = entry.file_size(none);
    if (none || size < kFooter) continue;
    std::array<char, kFooter> bytes{};
    const Result<Fd> file = open_file(path, O_RDONLY);
    if (!file.ok() || read_at(file->get(), bytes.data(), kFooter, size - kFooter) != 0) continue;
    const std::string_view footer(bytes.data(), kFooter);
    if (footer.ends_with(kEnd) && !is_sound(footer, size)) {
      return Error{path + ": the footer of the table is damaged"};
    }
  }
  return {};
}

}  // namespace spinneret::frontier
