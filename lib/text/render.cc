// SPDX-License-Identifier: Apache-2.0
#include "text/render.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "text/markdown.h"

namespace spinneret::text {
namespace {

// Images with an alternative, in their order: in front of the block that they stand in or before, if that or the one before
// is chosen; in Markdown those within a block stand there.
class Images {
 public:
  Images(const Page& page, const std::vector<bool>& chosen, const Rendering& how)
      : page_(page), chosen_(chosen), within_(how.format == Format::kMarkdown) {
    for (const Span& span : page.spans) {
      if (how.images && span.kind == SpanKind::kImage) images_.push_back(&span);
    }
  }
  // The number of blocks: those behind the last.
  std::vector<const Span*> before(std::size_t block) {
    const bool wanted =
        (block < chosen_.size() && chosen_[block]) || (block > 0 && chosen_[block - 1]);
    if (block >= page_.blocks.size()) return up_to(SIZE_MAX, wanted);
    const Block& next = page_.blocks[block];
    return up_to(within_ ? next.begin + std::size_t{1} : next.end, wanted);
  }
  std::vector<const Span*> within(std::size_t block) {
    return up_to(page_.blocks[block].end, chosen_[block]);
  }

 private:
  std::vector<const Span*> up_to(std::size_t end, bool wanted) {
    std::vector<const Span*> out;
    for (; next_ < images_.size() && images_[next_]->begin < end; ++next_) {
      if (wanted) out.push_back(images_[next_]);
    }
    return out;
  }

  const Page& page_;
  const std::vector<bool>& chosen_;
  bool within_;
  std::vector<const Span*> images_;
  std::size_t next_ = 0;
};

void add_part(std::string& out, std::string_view part) {
  part = trim(part);
  if (part.empty()) return;
  if (!out.empty()) out += ' ';
  for (const char c : part) out += c == '\n' || c == '\t' ? ' ' : c;
}

std::string weighted(const Page& page, const std::vector<bool>& chosen) {
  std::string parts[12];  // title, h1 to h6, emphasis, anchor, alt, meta, body
  constexpr std::string_view kNames[] = {"title", "h1",       "h2",     "h3",  "h4",   "h5",
                                         "h6",    "emphasis", "anchor", "alt", "meta", "body"};
  add_part(parts[0], page.title);
  std::size_t block = 0;
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    if (!chosen[i]) continue;
    const unsigned level = heading_level(page, page.blocks[i].node);
    add_part(parts[level == 0 ? 11 : level], page.text_of(page.blocks[i]));
  }
  std::vector<const Span*> spans;
  for (const Span& span : page.spans) spans.push_back(&span);
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span* a, const Span* b) { return a->begin < b->begin; });
  for (const Span* const span : spans) {
    while (block < page.blocks.size() && page.blocks[block].end < span->end) ++block;
    if (block == page.blocks.size()) break;
    if (!chosen[block] || span->begin < page.blocks[block].begin) continue;
    const std::string_view text =
        std::string_view(page.text).substr(span->begin, span->end - span->begin);
    if (span->kind == SpanKind::kStrong || span->kind == SpanKind::kEmphasis)
      add_part(parts[7], text);
    if (span->kind == SpanKind::kLink) add_part(parts[8], text);
    if (span->kind == SpanKind::kImage)
      add_part(parts[9], page.value_of(*span).substr(0, page.value_of(*span).find('\t')));
  }
  for (const MetaFact& meta : page.metas) {
    if (meta.name == "description" || meta.name == "keywords") add_part(parts[10], meta.value);
  }
  std::string out;
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    if (parts[i].empty()) continue;
    if (!out.empty()) out += '\n';
    out += std::string(kNames[i]) + ": " + parts[i];
  }
  return out;
}

}  // namespace

std::uint64_t count_words(const Page& page, const std::vector<bool>& chosen) {
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) words += chosen[i] ? page.blocks[i].words : 0;
  return words;
}

std::uint64_t count_words(std::string_view text) {
  std::uint64_t words = 0;
  bool within = false;
  for (const char c : text) {
    words += !is_space(c) && !within;
    within = !is_space(c);
  }
  return words;
}

namespace {

std::string formatted(const Page& page, const std::vector<bool>& chosen, const Rendering& how) {
  if (how.format == Format::kWeighted) return weighted(page, chosen);
  Images images(page, chosen, how);
  const std::size_t count = page.blocks.size();
  if (how.format == Format::kMarkdown) {
    MarkdownWriter markdown(page, how);
    for (std::size_t i = 0; i <= count; ++i) {
      const std::uint32_t node = i < count && chosen[i] ? page.blocks[i].node : 0;
      for (const Span* const image : images.before(i)) markdown.add_image(*image, node);
      if (i == count) break;
      const std::vector<const Span*> within = images.within(i);
      if (chosen[i]) markdown.add(page.blocks[i], within);
    }
    return markdown.take();
  }
  std::string out;
  const auto add = [&out](std::string_view line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  for (std::size_t i = 0; i <= count; ++i) {
    for (const Span* const image : images.before(i)) {
      std::string_view value = page.value_of(*image);
      std::string line(cut(value, '\t'));
      std::replace_if(line.begin(), line.end(), is_space, ' ');
      add(line);
    }
    if (i < count && chosen[i]) add(page.text_of(page.blocks[i]));
  }
  return out;
}

}  // namespace

std::string render(const Page& page, const std::vector<bool>& chosen, const Rendering& how) {
  std::string out = formatted(page, chosen, how);
  clean_lines(out);
  return out;
}

}  // namespace spinneret::text
