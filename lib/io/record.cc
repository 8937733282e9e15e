// SPDX-License-Identifier: Apache-2.0
#include "io/record.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "io/escape.h"

namespace spinneret {
namespace {

constexpr std::string_view kOutcome = "outcome";
constexpr std::string_view kOutcomeField = "\toutcome=";
constexpr std::size_t kBlockSize = 4096;
// Memory beyond this is released between records, so that one huge body does not hold it for the
// whole run.
constexpr std::size_t kKeepAtMost = std::size_t{1} << 20;

std::size_t trailing_backslashes(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\\');
  return last == std::string_view::npos ? text.size() : text.size() - last - 1;
}

Record::Field split_field(std::string_view column) {
  const std::size_t equals = column.find('=');
  if (equals == std::string_view::npos || !is_field_key(column.substr(0, equals))) {
    return {{}, column};
  }
  return {column.substr(0, equals), column.substr(equals + 1)};
}

}  // namespace

bool is_field_key(std::string_view key) {
  if (key.empty() || !is_lower(key.front())) return false;
  return std::all_of(key.begin(), key.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '-'; });
}

void append_escaped(std::string& out, std::string_view value) {
  // Goes through the stack, since a string grown for the worst case would be filled with zeros
  // first.
  constexpr std::size_t kPiece = 2048;
  char escaped[escaped_room(kPiece)];
  while (!value.empty()) {
    const std::string_view piece = value.substr(0, kPiece);
    out.append(escaped, escape_to(escaped, piece));
    value.remove_prefix(piece.size());
  }
}

void append_unescaped(std::string& out, std::string_view raw) {
  constexpr std::size_t kPiece = 2048;
  char plain[kPiece + 16];
  while (!raw.empty()) {
    std::string_view piece = raw.substr(0, kPiece);
    // An escape must not be cut in two: of an odd number of backslashes at the end the last one is
    // left.
    if (piece.size() < raw.size() && (trailing_backslashes(piece) & 1) != 0) piece.remove_suffix(1);
    out.append(plain, unescape_to(plain, piece));
    raw.remove_prefix(piece.size());
  }
}

bool is_settled(std::string_view line) {
  const void* const tab = memrchr(line.data(), '\t', line.size());
  if (tab == nullptr) return false;
  const auto last = static_cast<std::size_t>(static_cast<const char*>(tab) - line.data());
  if (line.substr(last).starts_with(kOutcomeField)) return true;
  // A user's filter may have put a field of its own after ours.
  return memmem(line.data(), last, kOutcomeField.data(), kOutcomeField.size()) != nullptr;
}

std::optional<std::string_view> find_raw_field(std::string_view line, std::string_view key) {
  std::size_t tab = line.find('\t');
  while (tab != std::string_view::npos) {
    const std::size_t end = line.find('\t', tab + 1);
    const std::string_view column =
        line.substr(tab + 1, end == std::string_view::npos ? end : end - tab - 1);
    if (column.size() > key.size() && column[key.size()] == '=' && column.starts_with(key)) {
      return column.substr(key.size() + 1);
    }
    tab = end;
  }
  return std::nullopt;
}

void Record::parse(std::string_view line) {
  reset({});
  url_ = record_url(line);
  if (url_.size() == line.size()) return;
  line.remove_prefix(url_.size() + 1);
  while (true) {
    const std::size_t tab = line.find('\t');
    fields_.push_back(split_field(line.substr(0, tab)));
    if (tab == std::string_view::npos) break;
    line.remove_prefix(tab + 1);
  }
}

void Record::reset(std::string_view url) {
  // Goes through scratch_, since `url` may be in a block, as when a record is reset to its own
  // location.
  scratch_.assign(url);
  fields_.clear();
  std::size_t kept = 0;
  std::erase_if(blocks_, [&kept](const std::string& block) {
    kept += block.capacity();
    return kept > kKeepAtMost;
  });
  blocks_in_use_ = 0;
  url_ = keep(scratch_);
}

void Record::set_url(std::string_view url) { url_ = keep(url); }

const Record::Field* Record::find(std::string_view key) const {
  if (key.empty()) return nullptr;
  for (const Field& field : fields_) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

std::string_view Record::raw(std::string_view key) const {
  const Field* const field = find(key);
  return field == nullptr ? std::string_view() : field->raw;
}

std::optional<std::string_view> Record::get(std::string_view key) {
  const Field* const field = find(key);
  if (field == nullptr) return std::nullopt;
  if (field->raw.find('\\') == std::string_view::npos) return field->raw;
  scratch_.clear();
  append_unescaped(scratch_, field->raw);
  return keep(scratch_);
}

std::string_view Record::keep(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (blocks_in_use_ == 0 ||
      blocks_[blocks_in_use_ - 1].capacity() - blocks_[blocks_in_use_ - 1].size() < bytes.size()) {
    if (blocks_in_use_ == blocks_.size()) blocks_.emplace_back();
    std::string& fresh = blocks_[blocks_in_use_++];
    fresh.clear();
    fresh.reserve(std::max(bytes.size(), kBlockSize));
  }
  std::string& block = blocks_[blocks_in_use_ - 1];
  const std::size_t start = block.size();
  block.append(bytes);
  return std::string_view(block).substr(start);
}

std::string_view Record::keep_escaped(std::string_view value) {
  scratch_.clear();
  append_escaped(scratch_, value);
  return keep(scratch_);
}

// Inserts before `outcome`, which is last if there is one.
void Record::insert(Field field) {
  const bool before_outcome = !fields_.empty() && fields_.back().key == kOutcome;
  fields_.insert(before_outcome ? fields_.end() - 1 : fields_.end(), field);
}

void Record::add(std::string_view key, std::string_view value) {
  if (key == kOutcome) return set_outcome(value);
  insert({keep(key), keep_escaped(value)});
}

void Record::set(std::string_view key, std::string_view value) {
  const auto first = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& field) { return field.key == key; });
  if (first == fields_.end() || key == kOutcome) return add(key, value);
  first->raw = keep_escaped(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(),
                               [&](const Field& field) { return field.key == key; }),
                fields_.end());
}

void Record::set_unsigned(std::string_view key, unsigned long long value) {
  char digits[20];
  const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  set(key, {digits, end});
}

void Record::remove(std::string_view key) {
  if (key.empty()) return;
  std::erase_if(fields_, [&](const Field& field) { return field.key == key; });
}

void Record::set_outcome(std::string_view outcome) {
  // Copied first: it may be a view of a field removed below.
  const std::string_view value = keep_escaped(outcome);
  remove(kOutcome);
  fields_.push_back({kOutcome, value});
}

void Record::append_to(std::string& out) const {
  out += url_;
  for (const Field& field : fields_) {
    out += '\t';
    if (!field.key.empty()) {
      out += field.key;
      out += '=';
    }
    out += field.raw;
  }
}

}  // namespace spinneret
