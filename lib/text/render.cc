// SPDX-License-Identifier: Apache-2.0
#include "text/render.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "text/markdown.h"

namespace spinneret::text {
namespace {

// Gives the images with an alternative, in their order. An image is wanted if the block in which or
// before which it stands is chosen, or the one before that. It comes before that block; in
// Markdown, an image inside a block stays inside.
class Images {
 public:
  Images(const Page& page, const std::vector<bool>& chosen, const Rendering& how)
      : page_(page), chosen_(chosen), within_(how.format == Format::kMarkdown) {
    for (const Span& span : page.spans) {
      if (how.images && span.kind == SpanKind::kImage) images_.push_back(&span);
    }
  }
  // Gives the images before a block; for the number of blocks, those behind the last one.
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

// The words of the chosen blocks that are emphasised, linked or an image's alternative, each in its
// class. A span inside another span of its class is not repeated (otherwise nested emphasis would
// be written once for each level). A span of several blocks is written block by block.
class SpanClasses {
 public:
  enum Class { kEmphasised, kAnchors, kAlternatives, kClasses };

  SpanClasses(const Page& page, const std::vector<bool>& chosen) : page_(page), chosen_(chosen) {
    std::vector<const Span*> spans;
    for (const Span& span : page.spans) spans.push_back(&span);
    std::stable_sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
    });
    for (const Span* const span : spans) {
      while (block_ < page.blocks.size() && page.blocks[block_].end < span->begin) ++block_;
      add(*span);
    }
  }
  const std::string& words(Class which) const { return words_[which]; }

 private:
  void add(const Span& span) {
    switch (span.kind) {
      case SpanKind::kStrong:
      case SpanKind::kEmphasis: return add_text(span, kEmphasised);
      case SpanKind::kLink: return add_text(span, kAnchors);
      case SpanKind::kImage: {
        if (block_ == page_.blocks.size() || !chosen_[block_]) return;
        std::string_view value = page_.value_of(span);
        return add_part(words_[kAlternatives], cut(value, '\t'));
      }
      default: return;
    }
  }
  void add_text(const Span& span, Class which) {
    Said& said = said_[which];
    said.block = std::max(said.block, block_);
    while (said.block < page_.blocks.size() && said.end < span.end) {
      const Block& block = page_.blocks[said.block];
      const std::uint32_t begin = std::max({span.begin, block.begin, said.end});
      const std::uint32_t end = std::min(span.end, block.end);
      if (chosen_[said.block] && begin < end)
        add_part(words_[which], std::string_view(page_.text).substr(begin, end - begin));
      said.end = std::max(said.end, end);
      if (block.end >= span.end) break;
      ++said.block;
    }
  }

  // How far the text of a class has been written, and the block that contains this place.
  struct Said {
    std::uint32_t end = 0;
    std::size_t block = 0;
  };

  const Page& page_;
  const std::vector<bool>& chosen_;
  std::size_t block_ = 0;  // the first block that does not end before the span begins
  Said said_[kClasses];
  std::string words_[kClasses];
};

std::string weighted(const Page& page, const std::vector<bool>& chosen) {
  std::string parts[12];  // title, h1 to h6, emphasis, anchor, alt, meta, body
  constexpr std::string_view kNames[] = {"title", "h1",       "h2",     "h3",  "h4",   "h5",
                                         "h6",    "emphasis", "anchor", "alt", "meta", "body"};
  add_part(parts[0], page.title);
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    if (!chosen[i]) continue;
    const unsigned level = heading_level(page, page.blocks[i].node);
    add_part(parts[level == 0 ? 11 : level], page.text_of(page.blocks[i]));
  }
  const SpanClasses spans(page, chosen);
  for (int which = 0; which < SpanClasses::kClasses; ++which)
    parts[7 + which] = spans.words(static_cast<SpanClasses::Class>(which));
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
