// SPDX-License-Identifier: Apache-2.0
#include "url/public_suffix.h"

#include <libpsl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/file.h"
#include "base/hash.h"
#include "url/host.h"

namespace spinneret {
namespace {

// The file's path on Debian, Fedora and Alpine.
constexpr const char* kSystemList = "/usr/share/publicsuffix/public_suffix_list.dat";

// The list that registrable_domain uses. It is never freed.
struct List {
  std::unique_ptr<SuffixRules> rules;
  const psl_ctx_t* psl = nullptr;  // used where there is no text
  std::string day;
  std::uint64_t packed_digest = 0;  // the digest of what `psl` was loaded from
};

// Adds a byte to a hash of a name, which runs from its end to its beginning.
std::uint64_t hash_with(std::uint64_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 0x9E3779B97F4A7C15U;
}

// Set by use_public_suffix_list.
List* chosen = nullptr;

// Returns the day in "// VERSION: 2026-08-01_10-11-12_UTC", or that of the file's last
// modification.
std::string day_of(std::string_view text, const std::string& file) {
  constexpr std::string_view kVersion = "// VERSION: ";
  const std::size_t at = text.substr(0, 4096).find(kVersion);
  if (at != std::string_view::npos) return std::string(text.substr(at + kVersion.size(), 10));
  struct stat info {};
  std::tm day{};
  if (stat(file.c_str(), &info) != 0 || gmtime_r(&info.st_mtime, &day) == nullptr) return {};
  char written[16];
  return {written, std::strftime(written, sizeof written, "%Y-%m-%d", &day)};
}

// Returns the digest of libpsl's own list, or of the packed file that the distribution has instead.
std::uint64_t digest_of(const psl_ctx_t* psl) {
  if (psl == nullptr) return 0;
  if (psl == psl_builtin()) return hash64(psl_builtin_sha1sum());
  const Result<std::string> packed = read_file(psl_dist_filename());
  return packed.ok() ? hash64(*packed) : 0;
}

Result<List*> load(const std::string& file) {
  auto list = std::make_unique<List>();
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return text.error();
  if (text->starts_with(".DAFSA@PSL_")) {
    list->psl = psl_load_file(file.c_str());
    if (list->psl == nullptr) return Error{file + ": no public suffix list"};
    list->day = day_of({}, file);
    list->packed_digest = hash64(*text);
    return list.release();
  }
  list->rules = std::make_unique<SuffixRules>(*text);
  if (list->rules->size() == 0) return Error{file + " holds no public suffixes"};
  list->day = day_of(*text, file);
  return list.release();
}

const List& list() {
  static const List* const known = [] {
    if (chosen != nullptr) return chosen;
    if (Result<List*> system = load(kSystemList); system.ok()) return *system;
    auto* const own = new List;
    own->psl = psl_latest(nullptr);
    own->packed_digest = digest_of(own->psl);
    return own;
  }();
  return *known;
}

// The classes of bytes in text that append_host() leaves as it is. The last label may not begin
// with a digit, which would make it a number.
enum PlainClass : std::uint8_t { kOther, kLetter, kDigit, kMark };
constexpr auto kPlainClasses = [] {
  std::array<PlainClass, 256> classes{};
  for (unsigned c = 0; c != classes.size(); ++c) {
    const char byte = static_cast<char>(c);
    classes[c] = is_lower(byte)               ? kLetter
                 : is_digit(byte)             ? kDigit
                 : byte == '-' || byte == '.' ? kMark
                                              : kOther;
  }
  return classes;
}();

// Returns the rule that `text` begins with, if it fills the line and append_host() would leave it
// as it is: lower-case letters, digits, single dashes and dots, and a last label that is not a
// number. That is true of all rules except those in other alphabets, for which it returns "".
std::string_view plain_rule(std::string_view text) {
  PlainClass before = kMark;
  PlainClass last_label = kMark;  // its first byte
  bool begins = true;
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const PlainClass now = kPlainClasses[static_cast<unsigned char>(text[size])];
    if (now == kOther || (now == kMark && before == kMark)) break;
    if (begins) last_label = now;
    begins = text[size] == '.';
    before = now;
  }
  const bool whole = size == text.size() || text[size] == '\n';
  return whole && before == kLetter && last_label == kLetter ? text.substr(0, size) : "";
}

// Uses memchr (in cut()), which is several times as fast as a loop over the bytes.
std::size_t count_lines(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); cut(text, '\n')) ++count;
  return count;
}

}  // namespace

SuffixRules::SuffixRules(std::string_view text) {
  constexpr std::size_t kFewest = 1024;
  const std::size_t lines = count_lines(text);
  std::size_t room = kFewest;
  while (room < 2 * lines) room *= 2;
  slots_.resize(room);
  std::string name;
  while (!text.empty()) {
    if (const std::string_view plain = plain_rule(text); !plain.empty()) {
      add(plain, kRule);
      text.remove_prefix(std::min(plain.size() + 1, text.size()));
      continue;
    }
    // A rule ends at the first white space.
    std::string_view rule = trim(cut(text, '\n'));
    rule = rule.substr(0, rule.find_first_of(" \t"));
    if (rule.empty() || rule.starts_with("//")) continue;
    const Kind kind = rule.starts_with('!')    ? kException
                      : rule.starts_with("*.") ? kWildcard
                                               : kRule;
    rule.remove_prefix(kind == kException ? 1 : kind == kWildcard ? 2 : 0);
    name.clear();
    if (!rule.empty() && rule != "*" && append_host(rule, true, name, nullptr)) add(name, kind);
  }
}

std::size_t SuffixRules::place(std::string_view name, std::uint64_t hash) const {
  // The high bits of a product are the better ones.
  std::size_t at = (hash >> 32) & (slots_.size() - 1);
  while (slots_[at].kinds != 0 &&
         std::string_view(names_).substr(slots_[at].begin, slots_[at].size) != name)
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

void SuffixRules::add(std::string_view name, Kind kind) {
  std::uint64_t hash = 0;
  for (std::size_t i = name.size(); i > 0; --i) hash = hash_with(hash, name[i - 1]);
  Slot& slot = slots_[place(name, hash)];
  if (slot.kinds == 0) {
    slot.begin = static_cast<std::uint32_t>(names_.size());
    slot.size = static_cast<std::uint32_t>(name.size());
    names_ += name;
  }
  // As in browsers and libpsl, a name with suffixes below it is a suffix itself.
  slot.kinds |= kind == kWildcard ? kWildcard | kRule : kind;
  ++count_;
}

// publicsuffix.org/list, "Algorithm": an exception wins, else the rule with most labels; without a
// rule the last label is the suffix. The domain is the suffix and one more label. The loop runs
// from the end of the name, and extends the hash of each suffix from that of the next shorter one.
std::size_t SuffixRules::domain_size(std::string_view name) const {
  constexpr int kMostLabels = 16;  // rules have up to five
  const char* const end = name.data() + name.size();
  const char* at = end;    // the start of the suffix that was looked up
  std::size_t domain = 0;  // size by the best rule so far; 0: one label more than was looked up
  std::uint64_t hash = 0;
  bool wildcard = false;  // whether any label in front of `at` makes a suffix
  for (int labels = 0; labels < kMostLabels; ++labels) {
    const char* begin = at == end ? end : at - 1;
    if (begin != end) hash = hash_with(hash, '.');
    while (begin != name.data() && begin[-1] != '.') hash = hash_with(hash, *--begin);
    const auto size = static_cast<std::size_t>(end - begin);
    if (domain == 0) domain = size;
    const int kinds = slots_[place({begin, size}, hash)].kinds;
    if ((kinds & kException) != 0) return size;
    if (labels == 0 || wildcard || (kinds & kRule) != 0) domain = 0;
    wildcard = (kinds & kWildcard) != 0;
    if (begin == name.data()) break;
    at = begin;
  }
  return domain == 0 ? name.size() : domain;
}

// Returns a sum, which does not depend on the order.
std::uint64_t SuffixRules::digest() const {
  std::uint64_t sum = 0;
  for (const Slot& slot : slots_) {
    if (slot.kinds == 0) continue;
    const std::string_view name = std::string_view(names_).substr(slot.begin, slot.size);
    sum += hash64(name, static_cast<std::uint64_t>(slot.kinds));
  }
  return sum;
}

Status use_public_suffix_list(const std::string& file) {
  Result<List*> loaded = load(file);
  if (!loaded.ok()) return Error{"cannot use the public suffix list: " + loaded.message()};
  chosen = *loaded;
  return {};
}

std::string public_suffix_list_day() { return list().day; }

std::string public_suffix_list_digest() {
  const List& known = list();
  const std::string hex =
      to_hex(Hash128{.low = known.rules ? known.rules->digest() : known.packed_digest});
  return hex.substr(16);
}

std::string_view registrable_domain(std::string_view host) {
  if (host.empty() || is_ip_address(host)) return host;
  // A dot at the end is not part of the name.
  const std::size_t root = host.back() == '.' ? 1 : 0;
  const std::string_view name = host.substr(0, host.size() - root);
  if (list().rules) return host.substr(name.size() - list().rules->domain_size(name));
  if (list().psl == nullptr) return host;
  const std::string text(name);
  const char* const found = psl_registrable_domain(list().psl, text.c_str());
  return found == nullptr ? host : host.substr(static_cast<std::size_t>(found - text.c_str()));
}

}  // namespace spinneret
