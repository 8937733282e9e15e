// SPDX-License-Identifier: Apache-2.0
#include "check/tar.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"

namespace spinneret::check {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMaxExtra = std::uint64_t{1} << 20;  // limit of an extended header
constexpr std::size_t kMaxName = 4096;

std::string_view text_field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view field = header.substr(at, size);
  return field.substr(0, field.find('\0'));
}

// Reads octal digits, or GNU's number in base 256, which is marked by the top bit.
std::optional<std::uint64_t> number_field(std::string_view header, std::size_t at,
                                          std::size_t size) {
  std::string_view field = header.substr(at, size);
  std::uint64_t out = 0;
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    out = static_cast<unsigned char>(field[0]) & 0x7F;
    for (const char c : field.substr(1)) {
      if (out >> 55 != 0) return std::nullopt;
      out = out << 8 | static_cast<unsigned char>(c);
    }
    return out;
  }
  field = trim(field.substr(0, field.find('\0')));
  for (const char c : field) {
    if (c < '0' || c > '7' || out >> 60 != 0) return std::nullopt;
    out = out << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return out;
}

bool has_checksum(std::string_view header) {
  const auto said = number_field(header, 148, 8);
  std::uint64_t sum = 8 * ' ';
  for (std::size_t i = 0; i < kBlock; ++i)
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  return said && *said == sum;
}

// Returns the name below the archive's root: "./a//b" is a/b. Returns nothing if it leads out of
// the root, is empty, or is too long.
std::optional<std::string> plain_name(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::string_view part = cut(name, '/');
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!out.empty()) out += '/';
    out += part;
  }
  if (out.empty() || out.size() > kMaxName) return std::nullopt;
  return out;
}

class TarList {
 public:
  TarList(const Fd& file, const std::string& path, std::uint64_t size,
          const Folder::Trouble& trouble)
      : file_(file), path_(path), size_(size), trouble_(trouble) {}

  Status read() {
    while (at_ < size_) {
      if (size_ - at_ < kBlock) return cut_off();
      header_.resize(kBlock);
      if (const int code = read_at(file_.get(), header_.data(), kBlock, at_); code != 0)
        return system_error("cannot read " + path_, code);
      // The end of the archive.
      if (header_.find_first_not_of('\0') == std::string::npos) return {};
      if (const Status done = entry(); !done.ok()) return done;
    }
    return at_ == size_ && !is_announced_ ? Status() : cut_off();
  }

  void give(std::vector<NamedFile>& out) {
    for (auto& [name, place] : files_) out.push_back({name, place.size, place.offset});
  }

 private:
  struct Place {
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  Status cut_off() const { return Error{path_ + " is cut off: copy it again"}; }
  Status damaged() const {
    return Error{path_ + " is not a tar archive, or is damaged, at byte " + std::to_string(at_)};
  }
  void leave_out(std::string_view name, std::string_view why) const {
    trouble_(path_ + ": " + excerpt(name) + ": " + std::string(why) + ": left out", false);
  }

  Status entry() {
    auto size = number_field(header_, 124, 12);
    if (!has_checksum(header_) || !size) return damaged();
    const char type = header_[156];
    if (pax_size_ && (type == '0' || type == '\0' || type == '7')) size = pax_size_;
    const std::uint64_t begin = at_ + kBlock;
    if (*size > size_ - begin) return cut_off();
    at_ = begin + (*size + kBlock - 1) / kBlock * kBlock;
    is_announced_ = type == 'L' || type == 'K' || type == 'x';
    if (is_announced_ || type == 'g') return extra(type, begin, *size);
    file(type, begin, *size);
    name_.clear();
    link_.clear();
    pax_size_.reset();
    return {};
  }

  // Reads an extended header, which describes the next file or all files: a long name, a size.
  Status extra(char type, std::uint64_t begin, std::uint64_t size) {
    if (size > kMaxExtra) return damaged();
    std::string bytes(size, '\0');
    if (const int code = read_at(file_.get(), bytes.data(), size, begin); code != 0)
      return system_error("cannot read " + path_, code);
    if (type == 'L') name_ = bytes.substr(0, bytes.find('\0'));
    if (type == 'K') link_ = bytes.substr(0, bytes.find('\0'));
    if (type == 'x') read_pax(bytes);
    return {};
  }

  // Reads lines such as "30 path=a/b\n".
  void read_pax(std::string_view rest) {
    while (!rest.empty()) {
      std::string_view line = rest;
      const auto length = parse_unsigned(cut(line, ' '));
      if (!length || *length > rest.size() || *length <= rest.size() - line.size()) return;
      line = line.substr(0, *length - (rest.size() - line.size()));
      rest.remove_prefix(*length);
      if (line.ends_with('\n')) line.remove_suffix(1);
      const std::string_view key = cut(line, '=');
      if (key == "path") name_ = line;
      if (key == "linkpath") link_ = line;
      if (key == "size") pax_size_ = parse_unsigned(line);
      if (key.starts_with("GNU.sparse")) is_sparse_ = true;
    }
  }

  void file(char type, std::uint64_t begin, std::uint64_t size) {
    if (name_.empty()) {
      const std::string_view prefix = header_.compare(257, 6, std::string_view("ustar\0", 6)) == 0
                                          ? text_field(header_, 345, 155)
                                          : std::string_view();
      name_ = prefix;
      if (!prefix.empty()) name_ += '/';
      name_ += text_field(header_, 0, 100);
    }
    if (link_.empty()) link_ = text_field(header_, 157, 100);
    const bool sparse = std::exchange(is_sparse_, false) || type == 'S';
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (!is_file && !sparse && type != '1' && type != '2') return;
    const auto name = plain_name(name_);
    if (!name)
      return leave_out(
          name_, name_.size() > kMaxName ? "has too long a name" : "leads out of the archive");
    if (name_.ends_with('/')) return;  // a folder in a format older than POSIX
    if (sparse) return leave_out(*name, "a sparse file");
    if (type == '2') return leave_out(*name, "a symbolic link");
    if (is_file) {
      files_[*name] = {size, begin};
      return;
    }
    const auto target = plain_name(link_);
    const auto found = target ? files_.find(*target) : files_.end();
    if (found == files_.end()) return leave_out(*name, "a link to what is not there");
    const Place place = found->second;
    files_[*name] = place;
  }

  const Fd& file_;
  const std::string& path_;
  std::uint64_t size_;
  const Folder::Trouble& trouble_;
  std::uint64_t at_ = 0;
  std::string header_;
  std::map<std::string, Place> files_;
  // Whether an extended header announced another file, so that one must follow.
  bool is_announced_ = false;
  std::string name_;
  std::string link_;
  std::optional<std::uint64_t> pax_size_;
  bool is_sparse_ = false;
};

}  // namespace

bool is_tar(std::string_view bytes) { return bytes.size() >= kBlock && has_checksum(bytes); }

Status list_tar(const std::string& path, std::vector<NamedFile>& files,
                const Folder::Trouble& trouble) {
  const Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  struct stat info = {};
  if (::fstat(file->get(), &info) != 0) return system_error("cannot read " + path, errno);
  TarList list(*file, path, static_cast<std::uint64_t>(info.st_size), trouble);
  const Status done = list.read();
  list.give(files);
  return done;
}

}  // namespace spinneret::check
