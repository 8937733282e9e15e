// SPDX-License-Identifier: Apache-2.0
#include "http/body_pack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

constexpr std::string_view kMagic = "spinneret-bodies 1\n";
constexpr std::string_view kHere = "here";
// A pack that has reached this size is followed by another.
constexpr std::uint64_t kMaxPack = std::uint64_t{1} << 30;
constexpr std::size_t kMaxUrl = std::size_t{1} << 16;  // a longer URL is left out of the entry
constexpr std::size_t kMaxFields = kMaxUrl;            // longer fields are left out of the entry
constexpr std::size_t kMaxHead = kMaxUrl + kMaxFields + 1024;
constexpr std::size_t kBlock = 4096;
constexpr std::uint32_t kMaxNumber = 999'999;

std::string_view word_or_none(std::string_view word) { return word.empty() ? "-" : word; }
std::string_view none_or_word(std::string_view word) { return word == "-" ? "" : word; }

// Returns whether a text fits in a column. A server's header cannot contain a space or a control
// here, but such a text is left out all the same.
bool is_word(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return is_control(c) || c == ' '; });
}

std::string check_of(std::string_view before, std::string_view behind) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(hash64(behind, hash64(before))));
  return digits;
}

void compose_head(const BodyFacts& facts, std::size_t size, std::string_view place,
                  std::string& out) {
  out.assign(facts.digest).append(" ").append(std::to_string(size));
  out.append(" ").append(std::to_string(facts.unix_ms));
  for (const std::string_view word : {facts.type, facts.charset}) {
    out.append(" ").append(is_word(word) ? word_or_none(word) : "-");
  }
  out.append(" ").append(place).append(" ");
  std::string url(facts.url);
  if (url.size() > kMaxUrl || url.find_first_of("\t\n") != std::string::npos) url.clear();
  if (facts.fields.size() <= kMaxFields) url += facts.fields;
  const std::string check = check_of(out, url);
  out.append(check).append(" ").append(url).append("\n");
}

// Returns false where `line`, without its LF, is no head of an entry. `here` tells whether the body
// follows.
bool parse_head(std::string_view line, PackEntry& entry, bool& here) {
  std::string_view rest = line;
  entry.facts.digest = cut(rest, ' ');
  const auto size = parse_unsigned(cut(rest, ' '));
  const auto time = parse_unsigned(cut(rest, ' '));
  entry.facts.type = none_or_word(cut(rest, ' '));
  entry.facts.charset = none_or_word(cut(rest, ' '));
  std::string_view place = cut(rest, ' ');
  const std::string_view before = line.substr(0, line.size() - rest.size());
  const std::string_view check = cut(rest, ' ');
  if (!size || !time || check != check_of(before, rest)) return false;
  entry.facts.url = rest.substr(0, rest.find('\t'));
  entry.facts.fields = rest.substr(entry.facts.url.size());
  entry.size = *size;
  entry.facts.unix_ms = static_cast<std::int64_t>(*time);
  here = place == kHere;
  if (here) return true;
  const auto pack = parse_unsigned(cut(place, ':'));
  const auto offset = parse_unsigned(place);
  if (!pack || *pack > kMaxNumber || !offset) return false;
  entry.pack = static_cast<std::uint32_t>(*pack);
  entry.offset = *offset;
  return true;
}

std::uint64_t key_of(std::string_view digest) {
  std::uint64_t key = 0;
  const std::string_view digits = digest.substr(0, 16);
  std::from_chars(digits.data(), digits.data() + digits.size(), key, 16);
  return key;
}

// Reads a pack entry by entry.
class PackScan {
 public:
  PackScan(Fd file, std::uint32_t number, std::uint64_t size)
      : file_(std::move(file)), number_(number), size_(size) {}
  bool begin() {
    const auto line = next_line();
    return line && *line + "\n" == kMagic;
  }
  // Returns false where there is no further whole entry.
  bool next(PackEntry& entry) {
    const auto line = next_line();
    bool here = false;
    if (!line) return false;
    line_ = *line;
    if (!parse_head(line_, entry, here)) return false;
    if (!here) return true;
    entry.pack = number_;
    entry.offset = at_;
    if (entry.size >= size_ - at_) return false;
    at_ += entry.size;
    return next_line() == std::string();
  }

 private:
  // Returns the line at at_ without its LF, and moves at_ behind it.
  std::optional<std::string> next_line() {
    std::string line;
    while (line.size() <= kMaxHead) {
      if (at_ < block_at_ || at_ >= block_at_ + block_.size()) {
        block_.resize(std::min<std::uint64_t>(kBlock, size_ - std::min(at_, size_)));
        if (block_.empty() || read_at(file_.get(), block_.data(), block_.size(), at_) != 0) {
          return std::nullopt;
        }
        block_at_ = at_;
      }
      const std::string_view rest = std::string_view(block_).substr(at_ - block_at_);
      const std::size_t end = rest.find('\n');
      line.append(rest.substr(0, end));
      at_ += end == std::string_view::npos ? rest.size() : end + 1;
      if (end != std::string_view::npos) return line;
    }
    return std::nullopt;
  }

  Fd file_;
  std::uint32_t number_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  std::string block_;
  std::uint64_t block_at_ = 0;
  std::string line_;
};

// Returns the numbers of the packs in a folder, ascending.
Result<std::vector<std::uint32_t>> pack_numbers(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(folder.c_str()), closedir);
  if (!handle) return system_error("cannot read folder " + folder, errno);
  std::vector<std::uint32_t> out;
  for (const dirent* item = readdir(handle.get()); item != nullptr; item = readdir(handle.get())) {
    std::string_view name = item->d_name;
    if (!name.starts_with("bodies-") || !name.ends_with(".pack")) continue;
    name.remove_prefix(7);
    name.remove_suffix(5);
    const auto number = parse_unsigned(name);
    if (number && name.size() == 6) out.push_back(static_cast<std::uint32_t>(*number));
  }
  std::sort(out.begin(), out.end());
  return out;
}

Status scan_pack(const std::string& folder, std::uint32_t number,
                 const std::function<bool(const PackEntry&)>& use, bool& more) {
  Result<Fd> file = open_file(pack_path(folder, number), O_RDONLY | O_NOFOLLOW);
  if (!file.ok()) return file.error();
  struct stat info {};
  if (fstat(file->get(), &info) != 0) {
    return system_error("cannot read " + pack_path(folder, number), errno);
  }
  PackScan scan(file.take(), number, static_cast<std::uint64_t>(info.st_size));
  if (!scan.begin()) return {};
  for (PackEntry entry; more && scan.next(entry);) more = use(entry);
  return {};
}

}  // namespace

std::string pack_path(const std::string& folder, std::uint32_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "/bodies-%06u.pack", static_cast<unsigned>(number));
  return folder + name;
}

Status for_each_entry(const std::string& folder, const std::function<bool(const PackEntry&)>& use) {
  const auto numbers = pack_numbers(folder);
  if (!numbers.ok()) return numbers.error();
  bool more = true;
  for (const std::uint32_t number : *numbers) {
    if (!more) break;
    if (const Status scanned = scan_pack(folder, number, use, more); !scanned.ok()) return scanned;
  }
  return {};
}

Result<BodyPack> BodyPack::open(const std::string& folder) {
  if (const Status made = make_directories(folder); !made.ok()) return made.error();
  BodyPack pack(folder);
  const Status read = for_each_entry(folder, [&](const PackEntry& entry) {
    pack.held_[key_of(entry.facts.digest)] = {entry.pack, entry.offset};
    return true;
  });
  if (!read.ok()) return read.error();
  return pack;
}

Status BodyPack::close() {
  if (const Status synced = sync_error(sync_.end()); !synced.ok()) return synced;
  return file_.close();
}

Status BodyPack::next_pack() {
  if (const Status closed = close(); !closed.ok()) return closed;
  while (++number_ <= kMaxNumber) {
    const std::string path = pack_path(folder_, number_);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return system_error("cannot create " + path, errno);
    file_ = Fd(fd);
    end_ = 0;
    const Status begun = append(kMagic, std::nullopt);
    if (!begun.ok()) {
      // The file is removed so that a full disk does not get an empty pack with each try. Nothing
      // may be written to a file without a name.
      ::unlink(path.c_str());
      file_ = Fd();
    }
    return begun;
  }
  return Error{"no free name for another pack in " + folder_};
}

Status BodyPack::sync_error(int code) const {
  return code == 0 ? Status() : system_error("cannot sync " + pack_path(folder_, number_), code);
}

// Returns whether the entry holds these bytes. If not, two bodies have the same digest, or the disk
// has lost some bytes.
bool BodyPack::holds(const Held& held, std::string_view bytes) {
  if (!read_file_ || read_number_ != held.pack) {
    Result<Fd> file = open_file(pack_path(folder_, held.pack), O_RDONLY | O_NOFOLLOW);
    if (!file.ok()) return false;
    read_file_ = file.take();
    read_number_ = held.pack;
  }
  read_.resize(bytes.size());
  return read_at(read_file_.get(), read_.data(), read_.size(), held.offset) == 0 && read_ == bytes;
}

// Writes all of the entry at the end of the pack, or nothing.
Status BodyPack::append(std::string_view head, std::optional<std::string_view> body) {
  std::string_view parts[3] = {head, body.value_or(""), body ? "\n" : ""};
  std::uint64_t at = end_;
  while (true) {
    iovec pieces[3];
    int count = 0;
    for (const std::string_view part : parts) {
      if (part.empty()) continue;
      pieces[count++] = {const_cast<char*>(part.data()), part.size()};
    }
    if (count == 0) break;
    const ssize_t put = ::pwritev(file_.get(), pieces, count, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int code = put < 0 ? errno : ENOSPC;
      // Otherwise readers would find the start of an entry that never ends.
      if (::ftruncate(file_.get(), static_cast<off_t>(end_)) != 0) {
        static_cast<void>(sync_.end());
        file_ = Fd();
      }
      return system_error("cannot write " + pack_path(folder_, number_), code);
    }
    at += static_cast<std::uint64_t>(put);
    for (auto left = static_cast<std::size_t>(put); std::string_view & part : parts) {
      const std::size_t taken = std::min(left, part.size());
      part.remove_prefix(taken);
      left -= taken;
    }
  }
  end_ = at;
  return {};
}

Result<BodyPlace> BodyPack::put(const BodyFacts& facts, std::string_view bytes) {
  if (!file_ || end_ >= kMaxPack) {
    if (const Status next = next_pack(); !next.ok()) return next.error();
  }
  const std::uint64_t key = key_of(facts.digest);
  const auto found = held_.find(key);
  if (found != held_.end() && holds(found->second, bytes)) {
    const Held held = found->second;
    compose_head(facts, bytes.size(), std::to_string(held.pack) + ":" + std::to_string(held.offset),
                 head_);
    if (const Status put = append(head_, std::nullopt); !put.ok()) return put.error();
    if (const Status synced = sync_error(sync_.written(file_.get())); !synced.ok())
      return synced.error();
    return BodyPlace{pack_path(folder_, held.pack), held.offset};
  }
  compose_head(facts, bytes.size(), kHere, head_);
  const Held held{number_, end_ + head_.size()};
  if (const Status put = append(head_, bytes); !put.ok()) return put.error();
  if (const Status synced = sync_error(sync_.written(file_.get())); !synced.ok())
    return synced.error();
  held_[key] = held;
  return BodyPlace{pack_path(folder_, held.pack), held.offset};
}

}  // namespace spinneret::http
