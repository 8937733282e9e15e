// SPDX-License-Identifier: Apache-2.0
#include "dedupe/paragraphs.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "dedupe/page_text.h"

namespace spinneret {
namespace {

// Where the line that begins `text` ends; `text` is escaped, and \n stands for its end.
std::size_t escaped_line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const void* const found = std::memchr(text.data() + at, '\\', text.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (at + 1 < text.size() && text[at + 1] == 'n') return at;
    at += 2;
  }
  return text.size();
}

// Escapes of a tab and the like separate words; only a backslash means itself.
void unescape_to_words(std::string_view text, std::string& out) {
  out.assign(text);
  for (std::size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at + 2)) {
    out[at] = ' ';
    if (at + 1 < out.size()) out[at + 1] = ' ';
  }
}

}  // namespace

void ParagraphJudge::clear() {
  paragraphs_.clear();
  texts_.assign(1, 0);
  judged_.clear();
  ends_.clear();
  joined_.clear();
}

void ParagraphJudge::add(std::string_view text, bool escaped) {
  while (escaped) {
    const std::size_t end = escaped_line(text);
    add_paragraph(text.substr(0, end), true);
    if (end == text.size()) break;
    text.remove_prefix(end + 2);
  }
  if (!escaped) add_paragraph(text, false);
  texts_.push_back(paragraphs_.size());
}

void ParagraphJudge::add_paragraph(std::string_view text, bool escaped) {
  paragraphs_.push_back({text});
  std::string_view plain = text;
  if (escaped && text.find('\\') != std::string_view::npos) {
    unescape_to_words(text, plain_);
    plain = plain_;
  }
  page_text(plain, false, normal_);
  const auto words = static_cast<std::uint64_t>(std::count(normal_.begin(), normal_.end(), ' '));
  if (words < words_) return;
  judged_.push_back(paragraphs_.size() - 1);
  joined_ += normal_;
  ends_.push_back(joined_.size());
}

Status ParagraphJudge::judge() {
  std::vector<std::string_view> keys(ends_.size());
  std::size_t begin = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = std::string_view(joined_).substr(begin, ends_[i] - begin);
    begin = ends_[i];
  }
  const auto fresh = std::make_unique<bool[]>(keys.size());
  Status done =
      only_look_ ? set_->find_batch(keys, fresh.get()) : set_->insert_batch(keys, fresh.get());
  if (!done.ok()) return done;
  for (std::size_t i = 0; i < keys.size(); ++i) paragraphs_[judged_[i]].seen = !fresh[i];
  return {};
}

std::size_t join_unseen(std::span<const Paragraph> paragraphs, std::string_view separator,
                        std::string& out) {
  out.clear();
  std::size_t seen = 0;
  bool any = false;
  for (const Paragraph& paragraph : paragraphs) {
    seen += paragraph.seen;
    if (paragraph.seen) continue;
    if (any) out += separator;
    any = true;
    out += paragraph.text;
  }
  return seen;
}

std::string seen_numbers(std::span<const Paragraph> paragraphs) {
  std::string out;
  for (std::size_t i = 0; i < paragraphs.size();) {
    if (!paragraphs[i].seen) {
      ++i;
      continue;
    }
    const std::size_t first = ++i;
    while (i < paragraphs.size() && paragraphs[i].seen) ++i;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (i > first) out += "-" + std::to_string(i);
  }
  return out;
}

}  // namespace spinneret
