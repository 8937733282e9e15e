// SPDX-License-Identifier: Apache-2.0
#include "text/markdown.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "base/ascii.h"

namespace spinneret::text {
namespace {

using html::Element;

constexpr int kMostAround = 64;

bool is_any(Element element, std::initializer_list<Element> names) {
  return std::find(names.begin(), names.end(), element) != names.end();
}

// Returns the nearest element of these names around a block, or 0. It looks at no more than
// kMostAround elements: deeper nesting of lists makes no difference.
std::uint32_t around(const Page& page, std::uint32_t node, std::initializer_list<Element> names) {
  for (int up = 0; up < kMostAround && node != 0; ++up, node = page.nodes[node].parent) {
    if (is_any(page.nodes[node].element, names)) return node;
  }
  return 0;
}

// The mark that begins the first line of an item or a quote. Further lines begin with indent_of().
std::string mark_of(std::uint32_t list, std::uint32_t number) {
  if (list == 0) return "> ";
  return number == 0 ? "- " : std::to_string(number) + ". ";
}
std::string indent_of(std::uint32_t list, std::uint32_t number) {
  return list == 0 ? "> " : std::string(mark_of(list, number).size(), ' ');
}

std::size_t longest_run(std::string_view text, char mark) {
  std::size_t most = 0, run = 0;
  for (const char c : text) {
    run = c == mark ? run + 1 : 0;
    most = std::max(most, run);
  }
  return most;
}

// Writes the address of a link or an image. A bar is escaped, too: it would end the cell of a table
// in any context.
void append_address(std::string& out, std::string_view address) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : address) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t' || c == '\r') continue;
    if (byte > ' ' && c != '(' && c != ')' && c != '<' && c != '>' && c != '\\' && c != '|') {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

// Called before a mark is written. A backslash at the end of the text would make the mark a
// character, and a '!' would make a link an image.
void part_from_mark(std::string& out, bool link) {
  const bool image = link && out.ends_with('!');
  const std::string_view text = std::string_view(out).substr(0, out.size() - image);
  const bool escaping = (text.size() - (text.find_last_not_of('\\') + 1)) % 2 == 1;
  if (image != escaping) out.insert(text.size(), 1, '\\');
}

}  // namespace

unsigned heading_level(const Page& page, std::uint32_t node) {
  for (int up = 0; up < 3 && node != 0; ++up, node = page.nodes[node].parent) {
    const Element element = page.nodes[node].element;
    if (element >= Element::kH1 && element <= Element::kH6)
      return 1 + static_cast<unsigned>(element) - static_cast<unsigned>(Element::kH1);
  }
  return 0;
}

MarkdownWriter::MarkdownWriter(const Page& page, const Rendering& how) : page_(page), how_(how) {
  for (std::uint32_t i = 0; i < page.spans.size(); ++i) {
    const Span& span = page.spans[i];
    const bool wanted = span.kind == SpanKind::kStrong || span.kind == SpanKind::kEmphasis ||
                        span.kind == SpanKind::kCode || (span.kind == SpanKind::kLink && how.links);
    if (!wanted || span.end <= span.begin) continue;
    opens_.push_back(i);
    closes_.push_back(i);
  }
  // Of spans that begin, or end, at one place, the one that was opened first is the outer one.
  std::stable_sort(opens_.begin(), opens_.end(), [&page](std::uint32_t a, std::uint32_t b) {
    return page.spans[a].begin < page.spans[b].begin;
  });
  std::sort(closes_.begin(), closes_.end(), [&page](std::uint32_t a, std::uint32_t b) {
    return std::pair(page.spans[a].end, b) < std::pair(page.spans[b].end, a);
  });
}

// --- lists and quotes ---

std::vector<MarkdownWriter::Place> MarkdownWriter::places_of(std::uint32_t node) const {
  std::vector<Place> out;
  for (int up = 0; up < kMostAround && node != 0; ++up, node = page_.nodes[node].parent) {
    const Element element = page_.nodes[node].element;
    if (element == Element::kBlockquote) out.push_back({node, 0, 0});
    if (element != Element::kLi) continue;
    std::uint32_t list = page_.nodes[node].parent;
    while (is_any(page_.nodes[list].element, {Element::kDiv, Element::kForm}))
      list = page_.nodes[list].parent;
    out.push_back({node, list, page_.nodes[list].element == Element::kOl ? 1u : 0u});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Begins a new line. An empty line precedes it, unless it is the next item of a list or the first
// item of an inner list.
void MarkdownWriter::open(std::uint32_t node) {
  close_row();
  std::vector<Place> places = places_of(node);
  std::size_t common = 0;
  while (common < std::min(places.size(), places_.size()) &&
         places[common].node == places_[common].node) {
    places[common].number = places_[common].number;
    ++common;
  }
  bool tight = false;
  if (common < places.size() && places[common].list != 0) {
    Place& next = places[common];
    if (common < places_.size()) {
      tight = places_[common].list == next.list;
      if (tight && next.number != 0) next.number = places_[common].number + 1;
    } else {
      tight = common > 0 && places_[common - 1].list != 0;
    }
  }
  prefix_.clear();
  for (std::size_t i = 0; i < common; ++i) prefix_ += indent_of(places[i].list, places[i].number);
  if (!out_.empty()) {
    out_ += '\n';
    if (!tight) out_.append(prefix_, 0, prefix_.find_last_not_of(' ') + 1) += '\n';
  }
  out_ += prefix_;
  for (std::size_t i = common; i < places.size(); ++i) {
    out_ += mark_of(places[i].list, places[i].number);
    prefix_ += indent_of(places[i].list, places[i].number);
  }
  places_ = std::move(places);
}

// --- tables ---

unsigned MarkdownWriter::columns_of(std::uint32_t table) {
  constexpr unsigned kMostColumns = 1024;
  const auto [found, made] = columns_.try_emplace(table, 0);
  if (!made) return found->second;
  unsigned cells = 0, most = 0;
  for (std::uint32_t i = table + 1; i < page_.nodes.size(); ++i) {
    const Node& node = page_.nodes[i];
    if (node.depth <= page_.nodes[table].depth) break;
    const bool heading = node.element >= Element::kH1 && node.element <= Element::kH6;
    bool code = false;
    if (node.element == Element::kPre && node.end_block > node.first_block)
      code = page_.text_of(page_.blocks[node.first_block]).find('\n') != std::string_view::npos;
    if (node.element == Element::kTable || heading || code) return 0;
    if (node.element == Element::kTr) cells = 0;
    if (is_any(node.element, {Element::kTd, Element::kTh})) most = std::max(most, ++cells);
  }
  found->second = most < 2 || most > kMostColumns ? 0 : most;
  return found->second;
}

// Begins a cell. The cells of a row stand in one line; a rule follows the first row.
bool MarkdownWriter::open_cell(std::uint32_t node) {
  const std::uint32_t cell = around(page_, node, {Element::kTd, Element::kTh});
  const std::uint32_t row = cell == 0 ? 0 : around(page_, cell, {Element::kTr});
  const std::uint32_t table = row == 0 ? 0 : around(page_, row, {Element::kTable});
  if (table == 0 || columns_of(table) == 0) return false;
  if (row == row_ && cell == cell_) {
    out_ += ' ';
    return true;
  }
  if (row != row_) {
    if (table == table_) {
      close_row();
      out_ += '\n' + prefix_;
      first_row_ = false;
    } else {
      open(page_.nodes[table].parent);
      first_row_ = true;
    }
    table_ = table;
    row_ = row;
    cell_ = row;
    cells_ = 0;
    out_ += '|';
  } else {
    out_ += " |";
  }
  // Writes the empty cells in between.
  for (std::uint32_t i = cell_ + 1; i <= cell; ++i) {
    const Node& other = page_.nodes[i];
    if (other.parent != row || !is_any(other.element, {Element::kTd, Element::kTh})) continue;
    ++cells_;
    if (i != cell) out_ += " |";
  }
  out_ += ' ';
  cell_ = cell;
  return true;
}

void MarkdownWriter::close_row() {
  if (row_ == 0) return;
  out_ += " |";
  if (first_row_) {
    const unsigned columns = std::max(columns_of(table_), cells_);
    for (unsigned i = cells_; i < columns; ++i) out_ += " |";
    out_ += '\n' + prefix_ + '|';
    for (unsigned i = 0; i < columns; ++i) out_ += " --- |";
  }
  row_ = 0;
}

// --- blocks ---

void MarkdownWriter::add_code(const Block& block) {
  std::string_view text = page_.text_of(block);
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  out_ += fence;
  while (!text.empty()) out_.append("\n").append(prefix_).append(cut(text, '\n'));
  out_.append("\n").append(prefix_).append(fence);
}

// Writes a block's text, byte by byte, with its marks.
struct MarkdownWriter::Inline {
  MarkdownWriter& writer;
  const Block& block;
  std::size_t at;
  bool one_line, cell;
  int links = 0, code = 0;  // number that are open
  std::size_t ticks = 0;
  std::vector<std::pair<std::uint32_t, std::string>> open =
      {};  // the marks, and the addresses of links

  // Whether this byte of the text would end its cell or link, or keep these from ending.
  bool is_escaped(char c) const {
    if (c == '|') return cell;
    if (code != 0) return false;
    if (c == '\\') return cell || links > 0;
    return (c == '[' || c == ']' || c == '`') && links > 0;
  }

  void copy_to(std::size_t end) {
    std::string& out = writer.out_;
    const std::string_view text = writer.page_.text;
    for (; at < end; ++at) {
      const char c = text[at];
      if (c == '\n' && !one_line && code == 0) {
        // This ends a line or, if an empty line follows, a paragraph.
        const bool empty = at + 1 < block.end && text[at + 1] == '\n';
        while (at + 1 < block.end && text[at + 1] == '\n') ++at;
        if (!empty) out += "  ";
        out += '\n';
        if (empty) out.append(writer.prefix_, 0, writer.prefix_.find_last_not_of(' ') + 1) += '\n';
        out += writer.prefix_;
        continue;
      }
      if (is_escaped(c)) out += '\\';
      out += c == '\n' ? ' ' : c;
    }
  }

  // Code contains no marks, a link contains no link, and a link without an address is not one.
  void begin(std::uint32_t index, std::string address) {
    const Span& span = writer.page_.spans[index];
    std::string& out = writer.out_;
    const bool link = span.kind == SpanKind::kLink;
    if (code != 0 || (link && (links != 0 || address.empty()))) return;
    part_from_mark(out, link);
    if (span.kind == SpanKind::kCode) {
      ++code;
      ticks = 1 + longest_run(
                      std::string_view(writer.page_.text).substr(span.begin, span.end - span.begin),
                      '`');
      out.append(ticks, '`').append(ticks > 1 ? 1 : 0, ' ');
    } else {
      out += link ? "[" : span.kind == SpanKind::kStrong ? "**" : "*";
      links += link;
    }
    open.emplace_back(index, std::move(address));
  }

  void end(std::uint32_t index) {
    constexpr std::size_t kMostMisnested = 16;
    const Span& span = writer.page_.spans[index];
    std::string& out = writer.out_;
    std::size_t found = open.size();
    while (found > 0 && open.size() - found < kMostMisnested && open[found - 1].first != index)
      --found;
    if (found == 0 || open[found - 1].first != index) return;
    if (span.kind == SpanKind::kCode) {
      --code;
      out.append(ticks > 1 ? 1 : 0, ' ').append(ticks, '`');
    } else if (span.kind == SpanKind::kLink) {
      --links;
      out += "](";
      append_address(out, open[found - 1].second);
      out += ')';
    } else {
      part_from_mark(out, false);
      out += span.kind == SpanKind::kStrong ? "**" : "*";
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(found) - 1);
  }
};

std::string MarkdownWriter::address_of(std::string_view address) const {
  return how_.address ? how_.address(address) : std::string(address);
}

void MarkdownWriter::append_image(const Span& image) {
  std::string_view address = page_.value_of(image);
  const std::string_view alternative = cut(address, '\t');
  part_from_mark(out_, false);
  out_ += "![";
  for (const char c : alternative) {
    if (c == '[' || c == ']' || c == '\\' || c == '`' || (c == '|' && row_ != 0)) out_ += '\\';
    out_ += is_space(c) ? ' ' : c;
  }
  out_ += "](";
  append_address(out_, address_of(address));
  out_ += ')';
}

void MarkdownWriter::add_inline(const Block& block, const std::vector<const Span*>& images) {
  const bool heading = heading_level(page_, block.node) != 0;
  Inline to{*this, block, block.begin, heading || row_ != 0, row_ != 0};
  std::size_t next_image = 0;
  const auto copy_to = [&](std::size_t end) {
    for (; next_image < images.size() && images[next_image]->begin < end; ++next_image) {
      to.copy_to(images[next_image]->begin);
      if (to.code != 0) continue;
      if (to.at < page_.text.size() && is_space(page_.text[to.at])) out_ += ' ';
      append_image(*images[next_image]);
    }
    to.copy_to(end);
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
    const bool opens = open < close;
    const std::uint32_t index = opens ? opens_[next_open_++] : closes_[next_close_++];
    const Span& span = page_.spans[index];
    if (span.begin < block.begin || span.end > block.end) continue;
    const bool emphasis = span.kind == SpanKind::kStrong || span.kind == SpanKind::kEmphasis;
    if (heading && emphasis) continue;
    copy_to(opens ? open : close);
    if (!opens) {
      to.end(index);
      continue;
    }
    // A space that is due stands in front of the mark.
    while (to.at < block.end && is_space(page_.text[to.at])) copy_to(to.at + 1);
    to.begin(index, span.kind == SpanKind::kLink ? address_of(page_.value_of(span)) : "");
  }
  copy_to(block.end);
}

void MarkdownWriter::add(const Block& block, const std::vector<const Span*>& images) {
  const bool code = around(page_, block.node, {Element::kPre}) != 0;
  const bool in_cell = open_cell(block.node);
  if (!in_cell) open(block.node);
  if (!in_cell) table_ = 0;
  if (code && !in_cell) return add_code(block);
  if (const unsigned level = heading_level(page_, block.node); level != 0 && !in_cell) {
    out_.append(level, '#');
    out_ += ' ';
  }
  add_inline(block, images);
}

void MarkdownWriter::add_image(const Span& image, std::uint32_t node) {
  if (!open_cell(node)) {
    open(node);
    table_ = 0;
  }
  append_image(image);
}

std::string MarkdownWriter::take() {
  close_row();
  return std::move(out_);
}

}  // namespace spinneret::text
