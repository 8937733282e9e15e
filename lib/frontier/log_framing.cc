// SPDX-License-Identifier: Apache-2.0
#include "frontier/log_framing.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "frontier/beside_writer.h"

namespace spinneret::frontier {
namespace {

constexpr std::size_t kBlock = 32768;
constexpr std::size_t kHeader = 7;

struct Record {
  std::uint32_t checksum;
  std::size_t size;
  unsigned type;
};

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

Record header_of(std::string_view bytes) {
  return {byte_at(bytes, 0) | byte_at(bytes, 1) << 8 | byte_at(bytes, 2) << 16 |
              byte_at(bytes, 3) << 24,
          byte_at(bytes, 4) | byte_at(bytes, 5) << 8, byte_at(bytes, 6)};
}

bool is_plain(unsigned type) { return type >= 1 && type <= 4; }
bool is_recycled(unsigned type) { return type >= 5 && type <= 8; }

// CRC-32C (RFC 3720, 12.1), bit by bit, as only single records need it.
std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

// Whether `record`, a header with its bytes, has the checksum that it claims. RocksDB rotates it
// and adds a number, since a log may hold logs.
bool is_sound(std::string_view record) {
  const std::uint32_t crc = crc32c(record.substr(kHeader - 1));
  return (crc >> 15 | crc << 17) + 0xa282ead8u == header_of(record).checksum;
}

// Where in a block a reader meets a record of a recycled log, if it reads on only behind sound
// records.
std::optional<std::size_t> recycled_in(std::string_view block) {
  std::string_view last;
  for (std::size_t at = 0; at + kHeader <= block.size();) {
    const Record record = header_of(block.substr(at));
    if (is_recycled(record.type) && (last.empty() || is_sound(last))) return at;
    if (!is_plain(record.type) || record.size > block.size() - at - kHeader) break;
    last = block.substr(at, kHeader + record.size);
    at += last.size();
  }
  return std::nullopt;
}

// Reads up to a block; false at the end of the file, and where it cannot be read, which RocksDB
// reports.
bool read_block(int fd, std::vector<char>& block) {
  block.resize(kBlock);
  std::size_t filled = 0;
  while (filled < kBlock) {
    const ssize_t got = read(fd, block.data() + filled, kBlock - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  block.resize(filled);
  return filled > 0;
}

// All files that have the framing of logs.
std::vector<std::string> logs_in(const std::string& folder) {
  auto [out, others] = state_files_in(folder);
  std::copy_if(others.begin(), others.end(), std::back_inserter(out),
               [](const std::string& name) { return name.starts_with("MANIFEST-"); });
  return out;
}

}  // namespace

Status check_log_framing(const std::string& folder) {
  std::vector<char> block;
  for (const std::string& name : logs_in(folder)) {
    const std::string path = folder + '/' + name;
    const Result<Fd> file = open_file(path, O_RDONLY);
    if (!file.ok()) continue;
    for (std::uint64_t start = 0; read_block(file->get(), block); start += kBlock) {
      if (const auto at = recycled_in({block.data(), block.size()})) {
        return Error{path + ": the log is damaged at byte " + std::to_string(start + *at)};
      }
    }
  }
  return {};
}

Status check_current(const std::string& folder) {
  std::error_code none;
  if (std::filesystem::exists(folder + "/CURRENT", none)) return {};
  auto [names, others] = state_files_in(folder);
  names.insert(names.end(), others.begin(), others.end());
  std::erase_if(names, [](const std::string& name) { return name.starts_with("MANIFEST-"); });
  if (names.empty()) return {};
  return Error{"its file CURRENT is missing beside " + names.front() +
               ": bring it back (its one line names the newest MANIFEST), or use a checkpoint"};
}

}  // namespace spinneret::frontier
