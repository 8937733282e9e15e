// SPDX-License-Identifier: Apache-2.0
#include "text/render.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"

namespace spinneret::text {
namespace {

using html::Element;

// Images with an alternative, each before the block that it stands in or before, if that or the one before is chosen.
class Images {
 public:
  Images(const Page& page, const std::vector<bool>& chosen, const Rendering& how)
      : page_(page), chosen_(chosen), markdown_(how.format == Format::kMarkdown) {
    for (const Span& span : page.spans) {
      if (how.images && span.kind == SpanKind::kImage) images_.push_back(&span);
    }
  }
  // Those before `block`; the number of blocks: those behind the last.
  std::vector<std::string> before(std::size_t block) {
    std::vector<std::string> out;
    const std::size_t end = block < page_.blocks.size() ? page_.blocks[block].end : SIZE_MAX;
    const bool wanted =
        (block < chosen_.size() && chosen_[block]) || (block > 0 && chosen_[block - 1]);
    for (; next_ < images_.size() && images_[next_]->begin < end; ++next_) {
      if (wanted) out.push_back(line(page_.value_of(*images_[next_])));
    }
    return out;
  }

 private:
  std::string line(std::string_view value) const {
    const std::string_view alternative = cut(value, '\t');
    std::string out;
    for (const char c : alternative) out += is_space(c) ? ' ' : c;
    return markdown_ ? "![" + out + "](" + std::string(value) + ")" : out;
  }

  const Page& page_;
  const std::vector<bool>& chosen_;
  bool markdown_;
  std::vector<const Span*> images_;
  std::size_t next_ = 0;
};

// 1 to 6; 0: no heading.
unsigned heading_level(const Page& page, std::uint32_t node) {
  for (int up = 0; up < 3 && node != 0; ++up, node = page.nodes[node].parent) {
    const Element element = page.nodes[node].element;
    if (element >= Element::kH1 && element <= Element::kH6)
      return 1 + static_cast<unsigned>(element) - static_cast<unsigned>(Element::kH1);
  }
  return 0;
}

// The nearest element of that name around a block, or 0. So far only: lists in lists in lists look alike.
std::uint32_t around(const Page& page, std::uint32_t node, std::initializer_list<Element> names) {
  for (int up = 0; up < 64 && node != 0; ++up, node = page.nodes[node].parent) {
    if (std::find(names.begin(), names.end(), page.nodes[node].element) != names.end()) return node;
  }
  return 0;
}

class Markdown {
 public:
  Markdown(const Page& page, const Rendering& how) : page_(page) {
    for (std::uint32_t i = 0; i < page.spans.size(); ++i) {
      const Span& span = page.spans[i];
      const bool wanted = span.kind == SpanKind::kStrong || span.kind == SpanKind::kEmphasis ||
                          span.kind == SpanKind::kCode ||
                          (span.kind == SpanKind::kLink && how.links);
      if (!wanted || span.end <= span.begin) continue;
      opens_.push_back(i);
      closes_.push_back(i);
    }
    std::stable_sort(opens_.begin(), opens_.end(), [&page](std::uint32_t a, std::uint32_t b) {
      return page.spans[a].begin < page.spans[b].begin;
    });
    std::stable_sort(closes_.begin(), closes_.end(), [&page](std::uint32_t a, std::uint32_t b) {
      return page.spans[a].end < page.spans[b].end;
    });
  }

  void add(const Block& block);
  void add_line(const std::string& line);
  std::string take() {
    if (row_ != 0) out_ += " |";
    return std::move(out_);
  }

 private:
  void begin(const Block& block);
  void inline_text(const Block& block);
  bool row(const Block& block);

  const Page& page_;
  std::vector<std::uint32_t> opens_, closes_;
  std::size_t next_open_ = 0, next_close_ = 0;
  std::uint32_t item_ = 0, list_ = 0, row_ = 0, table_ = 0, cell_ = 0;
  unsigned columns_ = 0;
  std::string out_;
};

// Cells of a row stand in one line; a rule follows the first.
bool Markdown::row(const Block& block) {
  const std::uint32_t cell = around(page_, block.node, {Element::kTd, Element::kTh});
  const std::uint32_t row = cell == 0 ? 0 : around(page_, cell, {Element::kTr});
  if (row == 0) return false;
  const std::uint32_t table = around(page_, row, {Element::kTable});
  if (row == row_) {
    out_ += cell == cell_ ? " " : " | ";
    columns_ += cell != cell_;
  } else {
    if (table == table_ && columns_ != 0) {
      out_ += " |\n";
      if (row_ != 0 && columns_ != ~0u) {
        out_ += '|';
        for (unsigned i = 0; i < columns_ && i < 64; ++i) out_ += " --- |";
        out_ += '\n';
      }
      columns_ = ~0u;
    } else {
      if (!out_.empty()) out_ += row_ != 0 ? " |\n\n" : "\n\n";
      columns_ = 1;
    }
    out_ += "| ";
  }
  row_ = row;
  table_ = table;
  cell_ = cell;
  return true;
}

void Markdown::begin(const Block& block) {
  if (row(block)) return;
  if (row_ != 0) out_ += " |";
  row_ = table_ = cell_ = 0;
  const std::uint32_t item = around(page_, block.node, {Element::kLi});
  const std::uint32_t list = item == 0 ? 0 : around(page_, item, {Element::kUl, Element::kOl});
  if (!out_.empty()) out_ += item != 0 && list == list_ ? "\n" : "\n\n";
  const bool first = item != item_;
  item_ = item;
  list_ = list;
  if (around(page_, block.node, {Element::kBlockquote}) != 0) out_ += "> ";
  if (item != 0) out_ += first ? page_.nodes[list].element == Element::kOl ? "1. " : "- " : "  ";
  if (const unsigned level = heading_level(page_, block.node); level != 0) {
    out_.append(level, '#');
    out_ += ' ';
  }
}

void Markdown::inline_text(const Block& block) {
  const auto mark = [](SpanKind kind) -> std::string_view {
    return kind == SpanKind::kStrong     ? "**"
           : kind == SpanKind::kEmphasis ? "*"
           : kind == SpanKind::kCode     ? "`"
                                         : "";
  };
  const bool plain = heading_level(page_, block.node) != 0;
  std::size_t at = block.begin;
  const auto copy_to = [&](std::size_t end) {
    for (; at < end; ++at) out_ += page_.text[at] == '\n' ? row_ != 0 ? ' ' : '\n' : page_.text[at];
  };
  const auto is_short = [&](const Span& span) {
    return span.begin >= block.begin && span.end <= block.end;
  };
  while (next_open_ < opens_.size() && page_.spans[opens_[next_open_]].begin < block.begin)
    ++next_open_;
  while (next_close_ < closes_.size() && page_.spans[closes_[next_close_]].end <= block.begin)
    ++next_close_;
  for (;;) {
    const std::size_t open =
        next_open_ < opens_.size() ? page_.spans[opens_[next_open_]].begin : SIZE_MAX;
    const std::size_t close =
        next_close_ < closes_.size() ? page_.spans[closes_[next_close_]].end : SIZE_MAX;
    if (std::min(open, close) > block.end || (open >= block.end && close > block.end)) break;
    if (close <= open) {
      const Span& span = page_.spans[closes_[next_close_++]];
      if (!is_short(span)) continue;
      copy_to(close);
      if (span.kind == SpanKind::kLink) {
        out_.append("](").append(page_.value_of(span)) += ')';
      } else if (!plain) {
        out_ += mark(span.kind);
      }
    } else {
      const Span& span = page_.spans[opens_[next_open_++]];
      if (!is_short(span)) continue;
      copy_to(open);
      // The space that was due stands in front of the mark.
      while (at < block.end && is_space(page_.text[at])) copy_to(at + 1);
      if (span.kind == SpanKind::kLink) {
        out_ += '[';
      } else if (!plain) {
        out_ += mark(span.kind);
      }
    }
  }
  copy_to(block.end);
}

void Markdown::add_line(const std::string& line) {
  if (row_ != 0) out_ += " |";
  row_ = table_ = cell_ = item_ = list_ = 0;
  if (!out_.empty()) out_ += "\n\n";
  out_ += line;
}

void Markdown::add(const Block& block) {
  begin(block);
  if (around(page_, block.node, {Element::kPre}) != 0) {
    out_ += "```\n";
    out_ += page_.text_of(block);
    out_ += "\n```";
    return;
  }
  inline_text(block);
}

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
    Markdown markdown(page, how);
    for (std::size_t i = 0; i <= count; ++i) {
      for (const std::string& image : images.before(i)) markdown.add_line(image);
      if (i < count && chosen[i]) markdown.add(page.blocks[i]);
    }
    return markdown.take();
  }
  std::string out;
  const auto add = [&out](std::string_view line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  for (std::size_t i = 0; i <= count; ++i) {
    for (const std::string& image : images.before(i)) add(image);
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
