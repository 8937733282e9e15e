// SPDX-License-Identifier: Apache-2.0
#include "dedupe/content_sketch.h"

#include <cstring>

#include "dedupe/fingerprint_table.h"
#include "dedupe/page_text.h"

namespace spinneret::dedupe {
namespace {

using Method = OriginalOptions::Method;

// A table of digests behind the interface of sketches: equal digests are near, and of several the
// last is found.
class DigestIndex : public NearIndex {
 public:
  bool find(std::string_view sketch, Neighbour& nearest) const override {
    const ValuedFingerprint* const held = table_.find(key_of(sketch));
    if (held == nullptr) return false;
    nearest = {static_cast<std::uint32_t>(held->value), 1};
    return true;
  }
  void each_near(std::string_view sketch, const Visit& visit) const override {
    Neighbour held;
    if (find(sketch, held)) visit(held);
  }
  void add(std::string_view sketch) override {
    bool fresh = false;
    table_.find_or_insert(key_of(sketch), fresh).value = size_++;
  }
  void each_band(std::string_view sketch, const VisitBand& visit) const override {
    visit(key_of(sketch).high);
  }
  std::uint32_t size() const override { return size_; }
  std::uint64_t bytes() const override { return table_.bytes(); }
  std::uint32_t entry_bytes() const override { return sizeof(Hash128); }

 private:
  static ValuedFingerprint key_of(std::string_view sketch) {
    Hash128 digest;
    std::memcpy(&digest, sketch.data(), sizeof digest);
    return fingerprint_of<ValuedFingerprint>(digest);
  }
  FingerprintTable<ValuedFingerprint> table_;
  std::uint32_t size_ = 0;
};

template <typename T>
void set_bytes(std::string& out, const T& value) {
  out.assign(reinterpret_cast<const char*>(&value), sizeof value);
}

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::unique_ptr<NearIndex> ContentSketch::make_index() const {
  switch (options_.method) {
    case Method::kSimhash: return make_simhash_index(options_.distance);
    case Method::kMinhash: return make_minhash_index(options_.similarity, options_.form);
    case Method::kBytes:
    case Method::kText: break;
  }
  return std::make_unique<DigestIndex>();
}

bool ContentSketch::make(std::string_view content, bool markup, std::string& sketch) {
  if (options_.method != Method::kBytes) {
    page_text(content, markup, text_);
    if (text_.empty()) return false;
    content = text_;
  }
  switch (options_.method) {
    case Method::kBytes:
    case Method::kText: set_bytes(sketch, hash128(content, seed_)); break;
    case Method::kSimhash: set_bytes(sketch, simhash(content, options_.shingling)); break;
    case Method::kMinhash: minhash(content, options_.shingling, options_.form, sketch); break;
  }
  return true;
}

std::size_t ContentSketch::bytes() const {
  switch (options_.method) {
    case Method::kSimhash: return sizeof(std::uint64_t);
    case Method::kMinhash: return options_.form.entry_bytes();
    case Method::kBytes:
    case Method::kText: break;
  }
  return sizeof(Hash128);
}

std::string ContentSketch::name() const {
  const std::string shingling =
      (options_.shingling.characters ? "-c" : "-w") + std::to_string(options_.shingling.length);
  switch (options_.method) {
    case Method::kSimhash: return "simhash" + shingling;
    case Method::kMinhash:
      return (options_.form.parity ? "parity" : "minhash") + std::to_string(options_.form.bytes) +
             shingling;
    case Method::kBytes: return "bytes";
    case Method::kText: break;
  }
  return "text";
}

std::string ContentSketch::text(std::string_view sketch) const {
  std::string out = name() + ":";
  for (const char c : sketch) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

bool ContentSketch::read(std::string_view text, std::string& sketch) const {
  const std::string kind = name() + ":";
  if (!text.starts_with(kind)) return false;
  text.remove_prefix(kind.size());
  if (text.size() != bytes() * 2) return false;
  sketch.clear();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kDigits.find(text[i]);
    const std::size_t low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    sketch += static_cast<char>(high << 4 | low);
  }
  return true;
}

std::string ContentSketch::misread(std::string_view text) const {
  constexpr std::size_t kLongestName = 40;
  const std::string_view kind = text.substr(0, text.find(':'));
  if (kind == name()) {
    return "its sketch is damaged: " + name() + " has " + std::to_string(bytes() * 2) +
           " hexadecimal digits, in small letters: make it anew from the page";
  }
  if (kind.empty() || kind.size() == text.size() || kind.size() > kLongestName) {
    return "its sketch is not one that --signature writes (" + name() + ":...)";
  }
  return "its sketch is of " + std::string(kind) + ", not of " + name() +
         ": make all with the same options";
}

}  // namespace spinneret::dedupe
