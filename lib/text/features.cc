// SPDX-License-Identifier: Apache-2.0
#include "text/features.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"

namespace spinneret::text {
namespace {

using html::Element;

std::uint8_t kind_of(const Page& page, std::uint32_t node) {
  for (int up = 0; up < 3 && node != 0; ++up, node = page.nodes[node].parent) {
    switch (page.nodes[node].element) {
      case Element::kP: return 1;
      case Element::kH1: return 2;
      case Element::kH2: return 3;
      case Element::kH3: return 4;
      case Element::kH4:
      case Element::kH5:
      case Element::kH6: return 5;
      case Element::kLi: return 6;
      case Element::kTd: return 7;
      case Element::kTh: return 8;
      case Element::kDt: return 9;
      case Element::kDd: return 10;
      case Element::kPre: return 11;
      case Element::kBlockquote: return 12;
      case Element::kFigcaption:
      case Element::kCaption: return 13;
      case Element::kButton: return 14;
      case Element::kSummary: return 15;
      case Element::kForm: return 16;
      default: break;
    }
  }
  return 0;
}

bool is_heading(std::uint8_t kind) { return kind >= 2 && kind <= 5; }

// Counts how often each hash comes, in a table with linear probing, at least a third of it empty.
// Texts with the same hash are taken to be the same.
class Counter {
 public:
  explicit Counter(std::size_t most) : slots_(std::bit_ceil(most + most / 2 + 2)) {}
  // Returns the hash's place for count(), valid as long as this object.
  std::uint32_t add(std::uint64_t hash) {
    const auto key = static_cast<std::uint32_t>(hash >> 32) | 1u;
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    slots_[at].key = key;
    ++slots_[at].count;
    return static_cast<std::uint32_t>(at);
  }
  std::uint32_t count(std::uint32_t place) const { return slots_[place].count; }

 private:
  struct Slot {
    std::uint32_t key = 0;
    std::uint32_t count = 0;
  };
  std::vector<Slot> slots_;
};

// Sixteen bits halve the memory for a page of a million elements.
std::uint16_t at_most_16_bits(std::uint32_t count) {
  return static_cast<std::uint16_t>(std::min(count, 0xFFFFu));
}

// Hashes the text without regard to case.
std::uint64_t hash_of(std::string_view text, std::string& lower) {
  lower.assign(text);
  make_lower(lower);
  return hash64(lower);
}

// Returns the part before " | Site" or " - Site".
std::string_view head_of_title(std::string_view title) {
  return trim(title.substr(0, std::min({title.find(" | "), title.find(" - "), title.find(" – ")})));
}

}  // namespace

PageFeatures::PageFeatures(const Page& page, std::string_view url) : page_(page) {
  said_.add(SaidWords::kTitle, page.title);
  for (const MetaFact& meta : page.metas) {
    if (meta.name.ends_with("description")) said_.add(SaidWords::kDescription, meta.value);
  }
  for (const std::string& json : page.json) said_.add(SaidWords::kData, json);
  count_blocks();
  count_nodes();
  std::vector<HeadingAt> headings;
  for (std::uint32_t i = 0; i < looks_.size(); ++i) {
    if (is_heading(looks_[i].kind)) headings.push_back({i, looks_[i].kind});
  }
  regions_.emplace(page, sums_, alike_, std::move(headings));
  find_places();
  look_at_page(url);
}

void PageFeatures::count_blocks() {
  const std::size_t count = page_.blocks.size();
  looks_.resize(count);
  sums_.resize(count + 1);
  same_text_.resize(count);
  same_before_.resize(count);
  std::vector<std::uint32_t> places(count);
  Counter texts(count);
  std::string lower;
  for (std::size_t i = 0; i < count; ++i) {
    look_at(i);
    const Block& block = page_.blocks[i];
    const std::string_view text = page_.text_of(block);
    const bool prose =
        block.words >= 8 && block.link_words * 3 < block.words &&
        (looks_[i].ends || block.words > 20 || text.find(',') != std::string_view::npos ||
         text.find(';') != std::string_view::npos);
    sums_[i + 1] = {sums_[i].words + block.words, sums_[i].links + block.link_words,
                    sums_[i].prose + (prose ? block.words : 0)};
    places[i] = texts.add(hash_of(text, lower));
    same_before_[i] = at_most_16_bits(texts.count(places[i]) - 1);
  }
  for (std::size_t i = 0; i < count; ++i) same_text_[i] = at_most_16_bits(texts.count(places[i]));
}

// Counts the nodes that hold text by their signatures.
void PageFeatures::count_nodes() {
  const auto holds_text = [](const Node& node) { return node.end_block > node.first_block; };
  Counter signatures(page_.nodes.size());
  alike_.assign(page_.nodes.size(), 0);
  std::vector<std::uint32_t> places(alike_.size());
  for (std::size_t i = 0; i < alike_.size(); ++i) {
    const std::uint64_t signature = page_.nodes[i].signature;
    if (holds_text(page_.nodes[i])) places[i] = signatures.add(signature << 32 | signature);
  }
  for (std::size_t i = 0; i < alike_.size(); ++i) {
    if (holds_text(page_.nodes[i])) alike_[i] = at_most_16_bits(signatures.count(places[i]));
  }
}

void PageFeatures::look_at(std::size_t i) {
  const Block& block = page_.blocks[i];
  const std::string_view text = page_.text_of(block);
  Looks& looks = looks_[i];
  looks.kind = kind_of(page_, block.node);
  looks.ends = !text.empty() && std::strchr(".!?:\"", text.back()) != nullptr;
  looks.topics = block.words <= 16 || is_heading(looks.kind) ? topics_of(text) : 0;
  looks.same_as_title = block.words > 1 && !page_.title.empty() &&
                        (page_.title.find(text) != std::string::npos ||
                         equals_ignore_case(head_of_title(page_.title), text));
}

void PageFeatures::find_places() {
  const auto count = static_cast<std::uint32_t>(page_.blocks.size());
  long_before_.assign(count, 99);
  long_behind_.assign(count, 99);
  heading_topics_.assign(count, 0);
  first_heading_ = count;
  std::uint8_t distance = 99;
  std::uint16_t topics = 0;
  const auto step = [](const Block& block, std::uint8_t far) {
    return block.words >= 20 && block.link_words * 4 < block.words
               ? std::uint8_t{1}
               : static_cast<std::uint8_t>(std::min(far + 1, 99));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    long_before_[i] = distance;
    distance = step(page_.blocks[i], distance);
    if (is_heading(looks_[i].kind)) topics = looks_[i].topics;
    heading_topics_[i] = topics;
    const bool h1 = looks_[i].kind == 2;
    if (h1 &&
        (first_heading_ == count || (looks_[i].same_as_title && looks_[first_heading_].kind != 2)))
      first_heading_ = i;
  }
  distance = 99;
  for (std::uint32_t i = count; i-- > 0;) {
    long_behind_[i] = distance;
    distance = step(page_.blocks[i], distance);
  }
}

void PageFeatures::look_at_page(std::string_view url) {
  float* out = page_row_;
  const WordSums& all = sums_.back();
  *out++ = log1(all.words);
  *out++ = log1(static_cast<double>(page_.blocks.size()));
  *out++ = ratio(all.links, all.words);
  *out++ = ratio(all.prose, all.words);
  std::uint32_t articles = 0, mains = 0, tables = 0, paragraphs = 0;
  for (const Node& node : page_.nodes) {
    articles += node.element == Element::kArticle;
    mains += node.element == Element::kMain;
    tables += node.element == Element::kTable;
    paragraphs += node.element == Element::kP && node.end_block > node.first_block;
  }
  *out++ = static_cast<float>(std::min(articles, 30u));
  *out++ = static_cast<float>(std::min(mains, 3u));
  *out++ = log1(tables);
  *out++ = log1(paragraphs);
  std::string types;
  for (const MetaFact& meta : page_.metas) {
    if (meta.name == "og:type") types += meta.value;
  }
  *out++ = types.find("article") != std::string::npos;
  *out++ = types.find("product") != std::string::npos;
  types.clear();
  for (const std::string& json : page_.json) types += json.substr(0, 1 << 15);
  for (const std::string_view word :
       {"Article\"", "BlogPosting", "\"Product\"", "DiscussionForumPosting", "QAPage", "ItemList",
        "CollectionPage", "\"FAQPage\""}) {
    *out++ = types.find(word) != std::string::npos;
  }
  url = url.substr(
      std::min(url.size(), url.find("://") == std::string_view::npos ? 0 : url.find("://") + 3));
  const std::string path = to_lower_copy(url.substr(std::min(url.find('/'), url.size())));
  const auto any = [&path](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return path.find(w) != std::string::npos; });
  };
  *out++ =
      any({"thread", "forum", "topic", "/t/", "discussion", "question", "viewtopic", "comments"});
  *out++ = any({"product", "/p/", "/dp/", "item"});
  *out++ = any({"collection", "categor", "/c/", "shop", "/s/"});
  *out++ = any({"doc", "guide", "reference", "manual", "api", "tutorial", "learn"});
  *out++ = any({"blog", "news", "article", "/20", "post", "stor"});
  *out++ = static_cast<float>(std::count(path.begin(), path.end(), '/'));
  add_page_counts(out);
}

// Adds how much of the page is prices, dates, talk, headings and rows of cards.
void PageFeatures::add_page_counts(float* out) const {
  std::uint32_t prices = 0, days = 0, talk = 0, headings = 0, in_cards = 0;
  std::uint16_t most = 0;
  for (std::size_t i = 0; i < page_.blocks.size(); ++i) {
    const auto about = [&](Topic topic) {
      return looks_[i].topics >> static_cast<unsigned>(topic) & 1u;
    };
    prices += about(Topic::kPrice);
    days += about(Topic::kDate);
    talk += about(Topic::kTalk);
    headings += is_heading(looks_[i].kind);
    const std::uint32_t card = regions_->card_of(i);
    if (card == 0) continue;
    in_cards += page_.blocks[i].words;
    most = std::max(most, alike_[card]);
  }
  *out++ = log1(prices);
  *out++ = log1(days);
  *out++ = log1(talk);
  *out++ = log1(headings);
  *out++ = ratio(in_cards, sums_.back().words);
  *out++ = log1(most);
}

float* PageFeatures::add_own(std::size_t i, float* out) const {
  const Block& block = page_.blocks[i];
  const Looks& looks = looks_[i];
  const std::string_view text = page_.text_of(block);
  const Signs signs = signs_of(text);
  const double words = std::max<std::uint32_t>(1, block.words);
  const auto share = [](std::size_t part, double whole) {
    return ratio(static_cast<double>(part), whole);
  };
  *out++ = log1(block.words);
  *out++ = ratio(block.link_words, block.words);
  *out++ = ratio(block.emphasis_words, block.words);
  *out++ = share(signs.letters, words);
  *out++ = looks.ends;
  *out++ = share(signs.commas, words);
  *out++ = share(signs.digits, static_cast<double>(text.size()));
  *out++ = share(signs.capitals, words);
  *out++ = looks.kind;
  *out++ = block.hidden;
  *out++ = looks.same_as_title;
  *out++ = log1(same_text_[i] - 1);
  *out++ = log1(same_before_[i]);
  const auto said = said_.shares_of(text);
  out = std::copy(said.begin(), said.end(), out);
  for (unsigned topic = 0; topic < static_cast<unsigned>(Topic::kCount); ++topic)
    *out++ = static_cast<float>(looks.topics >> topic & 1);
  for (unsigned topic = 0; topic < static_cast<unsigned>(Topic::kCount); ++topic)
    *out++ = static_cast<float>(heading_topics_[i] >> topic & 1);
  return out;
}

float* PageFeatures::add_places(std::size_t i, float* out) const {
  const double count = static_cast<double>(page_.blocks.size());
  const WordSums& all = sums_.back();
  *out++ = ratio(static_cast<double>(i), count);
  *out++ = ratio(sums_[i].words, all.words);
  *out++ = log1(static_cast<double>(i));
  *out++ = log1(count - static_cast<double>(i));
  const double from_heading = first_heading_ >= page_.blocks.size()
                                  ? -1000
                                  : static_cast<double>(i) - static_cast<double>(first_heading_);
  *out++ = from_heading < 0 ? -log1(-from_heading) : log1(from_heading);
  *out++ = ratio(sums_[i].prose, all.prose);
  *out++ = log1(sums_[i].prose);
  *out++ = log1(all.prose - sums_[i].prose);
  *out++ = static_cast<float>(page_.nodes[page_.blocks[i].node].depth);
  *out++ = static_cast<float>(long_before_[i]);
  *out++ = static_cast<float>(long_behind_[i]);
  return out;
}

float* PageFeatures::add_neighbours(std::size_t i, float* out) const {
  const std::size_t count = page_.blocks.size();
  for (const int step : {-2, -1, 1, 2}) {
    const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + step);
    if (at >= count) {
      for (int k = 0; k < 4; ++k) *out++ = -1;
      continue;
    }
    *out++ = log1(page_.blocks[at].words);
    *out++ = ratio(page_.blocks[at].link_words, page_.blocks[at].words);
    *out++ = looks_[at].kind;
    *out++ = page_.blocks[at].node == page_.blocks[i].node ||
             page_.nodes[page_.blocks[at].node].parent == page_.nodes[page_.blocks[i].node].parent;
  }
  for (const std::size_t reach : {std::size_t{4}, std::size_t{12}}) {
    const WordSums& from = sums_[i > reach ? i - reach : 0];
    const WordSums& to = sums_[std::min(count, i + reach + 1)];
    *out++ = log1(to.words - from.words);
    *out++ = ratio(to.links - from.links, to.words - from.words);
    *out++ = ratio(to.prose - from.prose, to.words - from.words);
  }
  return out;
}

float* PageFeatures::add_containers(std::size_t i, float* out) const {
  const WordSums& all = sums_.back();
  std::uint32_t node = page_.blocks[i].node;
  for (int level = 0; level < 4; ++level) {
    const WordSums sums = regions_->within(node);
    const double blocks = page_.nodes[node].end_block - page_.nodes[node].first_block;
    *out++ = ratio(sums.links, sums.words);
    *out++ = ratio(sums.prose, all.prose);
    *out++ = log1(blocks);
    *out++ = ratio(sums.words, blocks);
    if (level < 3) *out++ = log1(alike_[node]);
    node = page_.nodes[node].parent;
  }
  // The container of the prose: whether the block is in it, its share of the page's prose, and its
  // depth below the lowest element that holds both it and the block.
  const Node& container = page_.nodes[regions_->container()];
  const auto at = static_cast<std::uint32_t>(i);
  *out++ = at >= container.first_block && at < container.end_block;
  *out++ = ratio(regions_->within(regions_->container()).prose, all.prose);
  const std::uint32_t branch = regions_->branch_of(i);
  const Node& common = page_.nodes[page_.nodes[branch].parent];
  *out++ = static_cast<float>(std::min(std::max(container.depth - common.depth, 0), 64));
  // The words of that element.
  *out++ = log1(regions_->within(page_.nodes[branch].parent).words);
  return out;
}

void PageFeatures::row(std::size_t i, float* out) const {
  float* const end = out + kPlainFeatures;
  float* at = add_containers(i, add_neighbours(i, add_places(i, add_own(i, out))));
  at = regions_->add(i, at);
  at = std::copy(std::begin(page_row_), std::end(page_row_), at);
  while (at < end) *at++ = 0;
  const std::uint32_t node = page_.blocks[i].node;
  const Node& own = page_.nodes[node];
  const Node& parent = page_.nodes[own.parent];
  const Cues all = page_.cues_of(page_.blocks[i]);
  const Cues near =
      page_.own_cues(own) | page_.own_cues(parent) | page_.own_cues(page_.nodes[parent.parent]);
  for (std::size_t cue = 0; cue < kCueCount; ++cue) *at++ = static_cast<float>(all >> cue & 1);
  for (std::size_t cue = 0; cue < kCueCount; ++cue) *at++ = static_cast<float>(near >> cue & 1);
}

}  // namespace spinneret::text
