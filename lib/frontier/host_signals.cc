// SPDX-License-Identifier: Apache-2.0
#include "frontier/host_signals.h"

#include <bit>

#include "frontier/encode.h"

namespace spinneret::frontier {
namespace {

constexpr std::string_view kPrefix = "signals:";
constexpr std::size_t kMostWords = 65'536;
constexpr std::uint32_t kTrials = 4;
constexpr std::uint32_t kFirstCheck = 16;
// Verdicts are halved when so many have come together.
constexpr std::uint32_t kMemory = 64;

void make_key(std::string& out, HostId host) {
  out = kPrefix;
  put_big_endian(out, host, 4);
}

// Whether both name the same bytes by the same validator.
bool is_same_by_validator(const UrlRow& row, const HostSignals::Found& found) {
  if (!found.etag.empty() || !row.etag.empty())
    return found.etag == row.etag && !found.etag.starts_with("W/");
  return !found.last_modified.empty() && found.last_modified == row.last_modified;
}

}  // namespace

void HostSignals::Verdicts::add(bool is_right) {
  if (all() >= kMemory) {
    right /= 2;
    wrong /= 2;
  }
  ++(is_right ? right : wrong);
}

bool HostSignals::follows_lastmod(HostId host) {
  const Verdicts& lastmod = of(host).lastmod;
  if (lastmod.all() >= kTrials) return lastmod.right >= lastmod.wrong;
  if (of(host).trials >= kTrials) return false;
  ++changed(host).trials;
  return true;
}

bool HostSignals::sends_validators(HostId host) {
  const Word& word = of(host);
  if (word.validators.wrong * 8 > word.validators.all()) return false;
  if (word.not_modified < kFirstCheck || !std::has_single_bit(word.not_modified)) return true;
  ++changed(host).not_modified;  // so that it is one page only
  return false;
}

void HostSignals::learn(HostId host, const UrlRow& row, const Found& found) {
  if (row.claimed) changed(host).lastmod.add(found.changed);
  if (found.not_modified) {
    ++changed(host).not_modified;
  } else if (is_same_by_validator(row, found)) {
    changed(host).validators.add(!found.changed);
  }
}

HostSignals::Word& HostSignals::of(HostId host) {
  if (words_.size() >= kMostWords && dirty_.empty()) words_.clear();
  const auto [at, is_new] = words_.try_emplace(host);
  Word& word = at->second;
  if (!is_new) return word;
  make_key(key_, host);
  if (!store_.get(Table::kMeta, key_, bytes_)) return word;
  Decoder from{bytes_};
  for (std::uint32_t* const count :
       {&word.lastmod.right, &word.lastmod.wrong, &word.validators.right, &word.validators.wrong})
    *count = static_cast<std::uint32_t>(from.varint()) % (kMemory + 1);
  word.trials = static_cast<std::uint32_t>(from.varint());
  word.not_modified = static_cast<std::uint32_t>(from.varint());
  if (from.bad) word = Word();  // what is damaged is learned again
  return word;
}

HostSignals::Word& HostSignals::changed(HostId host) {
  Word& word = of(host);
  if (!word.dirty) dirty_.push_back(host);
  word.dirty = true;
  return word;
}

void HostSignals::stage() {
  for (const HostId host : dirty_) {
    Word& word = words_[host];
    word.dirty = false;
    bytes_.clear();
    for (const std::uint32_t count : {word.lastmod.right, word.lastmod.wrong, word.validators.right,
                                      word.validators.wrong, word.trials, word.not_modified})
      put_varint(bytes_, count);
    make_key(key_, host);
    store_.put(Table::kMeta, key_, bytes_);
  }
  dirty_.clear();
}

}  // namespace spinneret::frontier
