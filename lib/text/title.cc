// SPDX-License-Identifier: Apache-2.0
#include "text/title.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/ascii.h"
#include "base/utf8.h"
#include "text/model.h"

namespace spinneret::text {
namespace {

constexpr std::size_t kMostCandidates = 40;
constexpr std::size_t kMostBytes = 400;

// --- words ---

// The different words of a short text, as sorted hashes.
struct Words {
  static constexpr std::size_t kMost = 40;
  std::array<std::uint32_t, kMost> hashes;
  std::size_t size = 0;
};

// Marks and blanks beyond ASCII: U+0080 to U+00BF, U+2000 to U+206F, and private ones (the icon of
// a headline's link to itself).
bool is_mark(char32_t c) {
  return (c >= 0x80 && c < 0xC0) || (c >= 0x2000 && c < 0x2070) || (c >= 0xE000 && c < 0xF900);
}

Words words_in(std::string_view text) {
  Words out;
  std::uint32_t hash = 0;
  bool open = false;
  for (std::size_t i = 0; i <= text.size() && out.size < Words::kMost;) {
    char32_t code = ' ';
    const std::size_t size =
        i < text.size() ? std::max<std::size_t>(1, utf8_sequence(text.substr(i), &code)) : 1;
    const char c = i < text.size() ? to_lower(text[i]) : ' ';
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (ascii ? is_alnum(c) : !is_mark(code)) {
      if (!open) hash = 2166136261u;
      open = true;
      for (std::size_t k = i; k < i + size && k < text.size(); ++k)
        hash = (hash ^ static_cast<unsigned char>(to_lower(text[k]))) * 16777619u;
    } else if (open) {
      out.hashes[out.size++] = hash;
      open = false;
    }
    i += size;
  }
  const auto begin = out.hashes.begin();
  std::sort(begin, begin + static_cast<std::ptrdiff_t>(out.size));
  out.size = static_cast<std::size_t>(
      std::unique(begin, begin + static_cast<std::ptrdiff_t>(out.size)) - begin);
  return out;
}

std::size_t common(const Words& a, const Words& b) {
  std::size_t count = 0;
  for (std::size_t i = 0, k = 0; i < a.size && k < b.size;) {
    const std::uint32_t one = a.hashes[i], two = b.hashes[k];
    count += one == two;
    i += one <= two;
    k += two <= one;
  }
  return count;
}

float share(std::size_t part, std::size_t whole) {
  return whole == 0 ? -1.f : static_cast<float>(part) / static_cast<float>(whole);
}

// --- a name's segments ---

struct Segment {
  std::size_t begin = 0, end = 0;
  int mark = 0;  // in front of it: 0 none, 1 '|', 2 '-', 3 a dash, 4 ':', 5 another
};

// Returns the kind of the mark between words that begins at `at`, or 0 if there is none. `size`
// becomes the size of the whole mark.
int mark_at(std::string_view text, std::size_t at, std::size_t& size) {
  struct Mark {
    std::string_view text;
    int kind;
  };
  constexpr Mark kMarks[] = {{" | ", 1}, {" - ", 2},  {" – ", 3}, {" — ", 3}, {": ", 4},
                             {" : ", 4}, {" :: ", 5}, {" · ", 5}, {" • ", 5}, {" » ", 5},
                             {" « ", 5}, {" › ", 5},  {" > ", 5}, {" < ", 5}, {" ∣ ", 1},
                             {" ~ ", 5}, {" / ", 5},  {"| ", 1},  {" |", 1},  {" ⋅ ", 5}};
  for (const Mark& mark : kMarks) {
    if (!text.substr(at).starts_with(mark.text)) continue;
    size = mark.text.size();
    return mark.kind;
  }
  return 0;
}

std::vector<Segment> segments_of(std::string_view text) {
  constexpr std::size_t kMost = 6;
  std::vector<Segment> out(1);
  for (std::size_t i = 0; i < text.size() && out.size() < kMost; ++i) {
    if (text[i] != ' ' && text[i] != ':' && text[i] != '|') continue;
    std::size_t size = 0;
    const int mark = mark_at(text, i, size);
    if (mark == 0) continue;
    out.back().end = i;
    out.push_back({i + size, text.size(), mark});
    i += size - 1;
  }
  out.back().end = text.size();
  return out;
}

// --- candidates ---

// The origin of a candidate; each is a feature of its row.
enum Kind {
  kTitle,
  kTitlePart,
  kOg,
  kOgPart,
  kTwitter,
  kH1,
  kH1Part,
  kHeadline,
  kName,
  kH2,
  kKinds
};
constexpr std::string_view kSources[] = {"title", "title", "meta",    "meta",    "meta",
                                         "h1",    "h1",    "json-ld", "json-ld", "h2"};

// The other names with which a candidate is compared.
enum Voice {
  vTitle,
  vOg,
  vH1,
  vBestH1,
  vHeadline,
  vName,
  vSlug,
  vSite,
  vHost,
  vH2,
  vSays,
  kVoices
};

struct Url {
  std::string_view host, path, slug;
};

Url parts_of_url(std::string_view url) {
  Url out;
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("?#"));
  out.host = url.substr(0, url.find('/'));
  out.path = url.substr(out.host.size());
  while (out.path.ends_with('/')) out.path.remove_suffix(1);
  out.slug = out.path.substr(out.path.rfind('/') + 1);
  if (const std::size_t dot = out.slug.rfind('.');
      dot != std::string_view::npos && out.slug.size() - dot <= 6)
    out.slug = out.slug.substr(0, dot);
  return out;
}

// Removes the link to itself that documentation puts behind a headline.
std::string bare_headline(std::string text) {
  constexpr std::string_view kPilcrow = "\xC2\xB6";
  while (!text.empty()) {
    if (text.ends_with(kPilcrow)) {
      text.resize(text.size() - 2);
    } else if (text.size() > 2 && text[text.size() - 3] == '\xEF' &&
               static_cast<unsigned char>(text[text.size() - 2]) < 0xA4) {
      text.resize(text.size() - 3);
    } else if (text.back() == ' ') {
      text.pop_back();
    } else {
      break;
    }
  }
  return text;
}

class Candidates {
 public:
  Candidates(const Page& page, std::string_view url);
  std::vector<TitleCandidate> take();

 private:
  void hear();
  void add(std::string_view text, Kind kind, std::size_t first, std::size_t last, std::size_t count,
           int before, int behind);
  void add_parts(const std::string& text, Kind whole, Kind part);
  void add_headlines();
  void fill(TitleCandidate& candidate) const;

  struct Headline {
    std::string text;
    std::string first_part;
    std::uint32_t block = 0;
  };

  const Page& page_;
  Url url_;
  std::string title_, og_, twitter_, json_headline_, json_name_;
  Fact site_;
  std::vector<Headline> headlines_, second_;
  std::array<Words, kVoices> voices_;
  std::array<float, 16> page_row_ = {};
  std::vector<TitleCandidate> out_;
};

Candidates::Candidates(const Page& page, std::string_view url)
    : page_(page),
      url_(parts_of_url(url)),
      title_(folded(page.title)),
      og_(meta_fact(page, {"og:title", "title", "dc.title"}).value),
      twitter_(meta_fact(page, {"twitter:title"}).value),
      json_headline_(json_fact(page, "headline").value),
      json_name_(json_fact(page, "name").value),
      site_(meta_fact(page, {"og:site_name", "application-name", "al:ios:app_name"})) {
  for (std::string* const text : {&title_, &og_, &twitter_, &json_headline_, &json_name_}) {
    if (text->size() > kMostBytes) text->clear();
  }
  for (const Span& span : page.spans) {
    if (span.kind != SpanKind::kHeadline || span.end <= span.begin || headlines_.size() >= 8)
      continue;
    Headline headline;
    headline.block = static_cast<std::uint32_t>(block_at(page, span.begin));
    for (const std::string& part : parts_of(page, span, 6)) {
      if (headline.text.empty()) headline.first_part = bare_headline(part);
      headline.text += (headline.text.empty() ? "" : " ") + part;
    }
    headline.text = bare_headline(headline.text);
    if (!headline.text.empty() && headline.text.size() <= kMostBytes)
      headlines_.push_back(std::move(headline));
  }
  for (std::size_t i = 0; i < page.blocks.size() && i < 1000 && second_.size() < 2; ++i) {
    const Node* node = &page.nodes[page.blocks[i].node];
    if (node->element != html::Element::kH2) node = &page.nodes[node->parent];
    if (node->element != html::Element::kH2 || page.blocks[i].hidden) continue;
    std::string text = bare_headline(folded(page.text_of(page.blocks[i]).substr(0, kMostBytes)));
    if (!text.empty()) second_.push_back({std::move(text), {}, static_cast<std::uint32_t>(i)});
  }
  hear();
}

void Candidates::hear() {
  voices_[vTitle] = words_in(title_);
  voices_[vOg] = words_in(og_.empty() ? twitter_ : og_);
  std::size_t best = 0;
  if (!headlines_.empty()) voices_[vH1] = voices_[vBestH1] = words_in(headlines_[0].text);
  for (const Headline& headline : headlines_) {
    const Words words = words_in(headline.text);
    const std::size_t same = common(words, voices_[vTitle]) + common(words, voices_[vOg]);
    if (same <= best) continue;
    best = same;
    voices_[vBestH1] = words;
  }
  voices_[vHeadline] = words_in(json_headline_);
  voices_[vName] = words_in(json_name_);
  voices_[vSlug] = words_in(url_.slug);
  voices_[vSite] = words_in(site_.value);
  voices_[vHost] = words_in(url_.host);
  if (!second_.empty()) voices_[vH2] = words_in(second_[0].text);
  voices_[vSays] =
      words_in(meta_fact(page_, {"description", "og:description"}).value.substr(0, 200));
  std::string types;
  for (const std::string& json : page_.json) types += json.substr(0, std::size_t{1} << 14);
  const auto is = [&types](std::string_view word) {
    return types.find(word) == std::string::npos ? 0.f : 1.f;
  };
  const MetaFact* const kind = find_meta(page_, "og:type");
  float* out = page_row_.data();
  *out++ = static_cast<float>(std::count(url_.path.begin(), url_.path.end(), '/'));
  *out++ = kind == nullptr ? -1.f : kind->value.find("article") != std::string::npos ? 1.f : 0.f;
  *out++ = is("Article\"") + is("BlogPosting");
  *out++ = is("\"Product\"");
  *out++ = is("DiscussionForumPosting") + is("QAPage");
  *out++ = is("CollectionPage") + is("ItemList");
  *out++ = static_cast<float>(headlines_.size());
  *out++ = static_cast<float>(segments_of(title_).size());
  *out++ = share(common(voices_[vBestH1], voices_[vTitle]), voices_[vBestH1].size);
  *out++ = share(common(voices_[vBestH1], voices_[vOg]), voices_[vBestH1].size);
  *out++ = share(common(voices_[vOg], voices_[vTitle]), voices_[vOg].size);
  *out++ = share(common(voices_[vTitle], voices_[vHost]), voices_[vTitle].size);
}

void Candidates::add(std::string_view text, Kind kind, std::size_t first, std::size_t last,
                     std::size_t count, int before, int behind) {
  text = trim(text);
  if (text.empty()) return;
  for (TitleCandidate& old : out_) {
    if (old.text != text) continue;
    old.row[kind] = 1;
    if (kind == kH1) old.source = kSources[kH1];
    return;
  }
  if (out_.size() >= kMostCandidates) return;
  TitleCandidate& made = out_.emplace_back();
  made.text = text;
  made.source = kSources[kind];
  made.row[kind] = 1;
  float* out = made.row.data() + kKinds;
  *out++ = static_cast<float>(first);
  *out++ = static_cast<float>(count - 1 - last);
  *out++ = static_cast<float>(last - first);
  *out++ = static_cast<float>(before);
  *out++ = static_cast<float>(behind);
}

void Candidates::add_parts(const std::string& text, Kind whole, Kind part) {
  if (text.empty()) return;
  const std::vector<Segment> segments = segments_of(text);
  const std::size_t count = segments.size();
  add(text, whole, 0, count - 1, count, 0, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = i; k < count; ++k) {
      // Takes beginnings and single segments and, if there are few segments, any others.
      if (i != 0 && k != i && count > 3) continue;
      add(std::string_view(text).substr(segments[i].begin, segments[k].end - segments[i].begin),
          part, i, k, count, segments[i].mark, k + 1 < count ? segments[k + 1].mark : 0);
    }
  }
}

void Candidates::add_headlines() {
  for (std::size_t i = 0; i < headlines_.size() && i < 4; ++i) {
    if (i == 0) {
      add_parts(headlines_[i].text, kH1, kH1Part);
    } else {
      add(headlines_[i].text, kH1, 0, 0, 1, 0, 0);
    }
    add(headlines_[i].first_part, kH1Part, 0, 0, 1, 0, 0);
  }
}

void Candidates::fill(TitleCandidate& candidate) const {
  const Words words = words_in(candidate.text);
  float* out = candidate.row.data() + kKinds + 5;
  *out++ = static_cast<float>(words.size);
  *out++ = static_cast<float>(std::log2(1.0 + static_cast<double>(candidate.text.size())));
  float agree = 0;
  for (const Words& voice : voices_) {
    const std::size_t both = common(words, voice);
    *out++ = voice.size == 0 ? -1.f : share(both, words.size);
    *out++ = share(both, voice.size);
    agree += voice.size != 0 && both * 5 >= std::max(words.size, voice.size) * 4;
  }
  *out++ = agree;
  // For a headline: which one it is, and where it stands.
  float index = -1, around = -1;
  for (std::size_t i = 0; i < headlines_.size(); ++i) {
    if (headlines_[i].text != candidate.text) continue;
    index = static_cast<float>(i);
    const std::size_t block = headlines_[i].block;
    if (block >= page_.blocks.size()) break;
    const Cues cues = page_.cues_of(page_.blocks[block]);
    around = page_.blocks[block].hidden                          ? 4.f
             : has(cues, Cue::kMain) || has(cues, Cue::kArticle) ? 1.f
             : has(cues, Cue::kNav) || has(cues, Cue::kMenuWord) ? 3.f
             : has(cues, Cue::kHeader)                           ? 2.f
                                                                 : 0.f;
    break;
  }
  *out++ = index;
  *out++ = around;
  *out++ = candidate.text.ends_with("...") || candidate.text.ends_with("\xE2\x80\xA6");
  *out++ = is_lower(candidate.text[0]);
  std::copy(page_row_.begin(), page_row_.begin() + 12, out);
  static_assert(kKinds + 5 + 2 + 2 * kVoices + 5 + 12 <= kTitleFeatures);
}

std::vector<TitleCandidate> Candidates::take() {
  add_parts(title_, kTitle, kTitlePart);
  add_parts(og_, kOg, kOgPart);
  add(twitter_, kTwitter, 0, 0, 1, 0, 0);
  add_headlines();
  add(json_headline_, kHeadline, 0, 0, 1, 0, 0);
  add(json_name_, kName, 0, 0, 1, 0, 0);
  for (const Headline& headline : second_) add(headline.text, kH2, 0, 0, 1, 0, 0);
  for (TitleCandidate& candidate : out_) fill(candidate);
  return std::move(out_);
}

}  // namespace

std::vector<TitleCandidate> title_candidates(const Page& page, std::string_view url) {
  return Candidates(page, url).take();
}

Fact find_title(const Page& page, std::string_view url) {
  Fact best;
  float most = 0;
  std::vector<TitleCandidate> candidates = title_candidates(page, url);
  std::vector<float> rows(Model::kRows * Model::kRow);
  float likely[Model::kRows];
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t row = i % Model::kRows;
    if (row == 0) {
      const std::size_t end = std::min(candidates.size(), i + Model::kRows);
      for (std::size_t k = i; k < end; ++k)
        std::copy(candidates[k].row.begin(), candidates[k].row.end(), &rows[(k - i) * Model::kRow]);
      kTitleModel.likelihoods(rows.data(), likely);
    }
    if (likely[row] <= most) continue;
    most = likely[row];
    best = {std::move(candidates[i].text), candidates[i].source};
  }
  return best;
}

}  // namespace spinneret::text
