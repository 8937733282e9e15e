// SPDX-License-Identifier: Apache-2.0
#include "policy/key_list.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/text_file.h"
#include "policy/host_table.h"
#include "url/host.h"
#include "url/normalize.h"

namespace spinneret::policy {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kMaxBadLines = 5;
// A longer line is not in a list, but comes from a device without an end, which would fill the
// memory.
constexpr std::size_t kMaxLine = std::size_t{64} << 20;
// A seed for each kind, so that the kinds have different hashes.
constexpr std::uint64_t kSeeds[] = {1, 2, 3, 4, 5};

// Most names need no parser: letters in lower case, digits, dots and hyphens, whose last label
// begins with a letter (so that they are not addresses), and without Punycode, which would have to
// be checked.
bool is_simple_name(std::string_view name) {
  bool label_begins = true;
  bool last_label_alpha = false;
  if (name.empty() || name.back() == '.') return false;
  for (const char c : name) {
    if (label_begins) last_label_alpha = is_lower(c);
    if (label_begins && (c == '-' || c == '.')) return false;
    if (!is_lower(c) && !is_digit(c) && c != '-' && c != '.') return false;
    label_begins = c == '.';
  }
  return last_label_alpha && name.find("xn--") == std::string_view::npos;
}

// Returns whether `text` has the bytes and dots of a name, whatever the URL parser says.
bool is_name(std::string_view text) {
  return text.find('.', 1) != std::string_view::npos &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_plain_host_byte(to_lower(c)); });
}

// A plain loop, since find_first_of() took a fifth of the time of loading a list.
std::size_t find_blank(std::string_view text) {
  const auto at =
      std::find_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\t'; });
  return at == text.end() ? std::string_view::npos : static_cast<std::size_t>(at - text.begin());
}

// Accepts any address in a hosts file: most contain "fe80::1%lo0" and "255.255.255.255".
bool is_address(std::string_view word) {
  if (word == "0.0.0.0" || word == "127.0.0.1" || word == "::1" || word == "::") return true;
  char text[INET6_ADDRSTRLEN] = {};
  unsigned char address[sizeof(in6_addr)];
  word = word.substr(0, word.find('%'));
  if (word.empty() || word.size() >= sizeof text) return false;
  std::memcpy(text, word.data(), word.size());
  return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

// Returns "ads.example www.ads.example" for "0.0.0.0 ads.example www.ads.example". A line that does
// not begin with an address stays.
std::string_view without_address(std::string_view line) {
  const std::size_t blank = find_blank(line);
  if (blank == std::string_view::npos || !is_address(line.substr(0, blank))) return line;
  return trim(line.substr(blank));
}

// Parses a host pattern, or an IPv6 address without the brackets that URLs have.
bool parse_entry(std::string_view text, HostPattern& out, std::string* why) {
  const bool bare = text.find(':') != std::string_view::npos && is_address(text);
  return bare ? parse_host_pattern("[" + std::string(text) + "]", out, why)
              : parse_host_pattern(text, out, why);
}

bool is_free(const Hash128& slot) { return slot.low == 0 && slot.high == 0; }

// Scales `hash` to [0, size), by its high bits.
std::size_t scaled(std::uint64_t hash, std::size_t size) {
  return static_cast<std::size_t>((static_cast<unsigned __int128>(hash) * size) >> 64);
}

std::size_t home_slot(const Hash128& key, std::size_t slots) { return scaled(key.high, slots); }

// Returns the two bits of a key in its word, from bits that choose neither word nor slot.
std::uint64_t hint_bits(const Hash128& key) {
  return std::uint64_t{1} << (key.low & 63) | std::uint64_t{1} << (key.low >> 6 & 63);
}

}  // namespace

void KeyList::reserve(std::size_t entries) {
  const std::size_t wanted = entries + entries / 3 + 8;
  if (wanted <= slots_.size()) return;
  std::vector<Hash128> old(wanted);
  old.swap(slots_);
  hints_.assign(wanted / 10 + 1, 0);
  size_ = 0;
  for (const Hash128& key : old) {
    if (!is_free(key)) insert(key);
  }
}

void KeyList::insert(const Hash128& key) {
  std::size_t at = home_slot(key, slots_.size());
  while (!is_free(slots_[at])) {
    if (slots_[at] == key) return;
    if (++at == slots_.size()) at = 0;
  }
  slots_[at] = key;
  hints_[scaled(key.low, hints_.size())] |= hint_bits(key);
  ++size_;
}

void KeyList::add_key(Kind kind, std::string_view text) {
  std::size_t& longest = longest_[static_cast<std::size_t>(kind)];
  longest = std::max(longest, text.size());
  has_kind_[static_cast<std::size_t>(kind)] = true;
  Hash128 key = hash128(text, kSeeds[static_cast<std::size_t>(kind)]);
  if (is_free(key)) key.low = 1;
  if ((size_ + 1) * 4 > slots_.size() * 3) reserve(size_ + size_ / 2 + 64);
  insert(key);
}

bool KeyList::has(Kind kind, std::string_view text) const {
  if (text.size() > longest_[static_cast<std::size_t>(kind)]) return false;
  Hash128 key = hash128(text, kSeeds[static_cast<std::size_t>(kind)]);
  if (is_free(key)) key.low = 1;
  const std::uint64_t bits = hint_bits(key);
  if ((hints_[scaled(key.low, hints_.size())] & bits) != bits) return false;
  for (std::size_t at = home_slot(key, slots_.size()); !is_free(slots_[at]);) {
    if (slots_[at] == key) return true;
    if (++at == slots_.size()) at = 0;
  }
  return false;
}

bool KeyList::add_host(std::string_view text, Names names, std::string* why) {
  HostPattern pattern;
  if (is_simple_name(text)) {
    pattern.name = without_root(text);
  } else if (!parse_entry(text, pattern, why)) {
    if (!is_name(text)) return false;
    if (impossible_count_++ == 0) impossible_name_ = text;
    return true;
  } else if (pattern.name.empty()) {
    if (why != nullptr) *why = "* would be every host";
    return false;
  }
  if (names == Names::kDomains && pattern.match == HostMatch::kExact)
    pattern.match = HostMatch::kTree;
  add_key(pattern.match == HostMatch::kExact   ? Kind::kHost
          : pattern.match == HostMatch::kBelow ? Kind::kBelow
                                               : Kind::kTree,
          pattern.name);
  return true;
}

bool KeyList::add_url(std::string_view text, std::string* why) {
  const bool prefix = text.ends_with('*');
  if (prefix) text.remove_suffix(1);
  Url url;
  UrlError error;
  if (!parse(text, url, &error)) {
    if (why != nullptr) *why = "no URL: " + excerpt(text) + ": " + error.message;
    return false;
  }
  make_safe(url);
  const std::string_view href = url.href_without_fragment();
  if (!prefix) {
    add_key(Kind::kUrl, href);
    return true;
  }
  // "https://h*" became "https://h/": a prefix ends at the slash after the host or later.
  if (!prefix_lengths_) prefix_lengths_ = std::make_unique<std::bitset<4096>>();
  prefix_lengths_->set(std::min<std::size_t>(href.size(), 4095));
  prefix_ends_.set(static_cast<unsigned char>(href.back()));
  add_key(Kind::kPrefix, href);
  return true;
}

bool KeyList::add_line(std::string_view line, Names names, std::string* why) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return true;
  if (line.find("://") != std::string_view::npos) {
    return add_url(line.substr(0, find_blank(line)), why);
  }
  line = trim(line.substr(0, line.find('#')));
  std::string_view rest = without_address(line);
  if (rest.size() == line.size()) return add_host(line, names, why);
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, find_blank(rest));
    if (!add_host(name, names, why)) return false;
    rest = trim(rest.substr(name.size()));
  }
  return true;
}

Status KeyList::load(const std::string& path, Names names) {
  Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) return file.error();
  struct stat info {};
  if (fstat(file->get(), &info) != 0) return system_error("cannot stat " + path, errno);
  if (S_ISDIR(info.st_mode)) return system_error("cannot read " + path, EISDIR);
  // Counting the lines first costs little, and saves growing the table, which needs twice the
  // memory.
  reserve(count_line_ends(file->get()) + 1);
  Status status = read_lines(file->get(), names);
  if (!status.ok()) return Error{"cannot read " + path + ": " + status.message()};
  return status;
}

Status KeyList::read_lines(int fd, Names names) {
  std::string pending;
  std::vector<char> block(kBlock);
  std::uint64_t number = 0;
  const auto take = [&](std::string_view line) {
    std::string why;
    if (++number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (add_line(line, names, &why)) return;
    if (++bad_line_count_ <= kMaxBadLines) bad_lines_.emplace_back(number, why);
  };
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{system_error("read", errno).message};
    if (got == 0) break;
    std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    if (number == 0 && pending.empty() && is_utf16(bytes)) return Error{utf16_message("the list")};
    for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
      if (pending.empty()) {
        take(bytes.substr(0, end));
      } else {
        pending += bytes.substr(0, end);
        take(pending);
        pending.clear();
      }
      bytes.remove_prefix(end + 1);
    }
    pending += bytes;
    if (pending.size() > kMaxLine)
      return Error{"line " + std::to_string(number + 1) + " is longer than 64 MiB"};
  }
  if (!pending.empty()) take(pending);
  return {};
}

bool KeyList::contains_host(std::string_view host) const {
  host = without_root(host);
  if (any(Kind::kHost) && has(Kind::kHost, host)) return true;
  const bool trees = any(Kind::kTree);
  const bool belows = any(Kind::kBelow);
  if (trees && has(Kind::kTree, host)) return true;
  if ((!trees && !belows) || is_ip_address(host)) return false;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos;
       dot = host.find('.', dot + 1)) {
    const std::string_view suffix = host.substr(dot + 1);
    if (trees && has(Kind::kTree, suffix)) return true;
    if (belows && has(Kind::kBelow, suffix)) return true;
  }
  return false;
}

bool KeyList::contains_prefix(std::string_view href) const {
  for (std::size_t length = 1; length <= href.size(); ++length) {
    if (!prefix_ends_[static_cast<unsigned char>(href[length - 1])]) continue;
    if (!(*prefix_lengths_)[std::min<std::size_t>(length, 4095)]) continue;
    if (has(Kind::kPrefix, href.substr(0, length))) return true;
  }
  return false;
}

bool KeyList::contains(const Url& url, std::string_view href) const {
  if (size_ == 0) return false;
  if (url.has_host() && contains_host(url.host())) return true;
  if (any(Kind::kUrl) && has(Kind::kUrl, href)) return true;
  return any(Kind::kPrefix) && contains_prefix(href);
}

}  // namespace spinneret::policy
