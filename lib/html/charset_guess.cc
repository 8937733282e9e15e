// SPDX-License-Identifier: Apache-2.0
#include "html/charset_guess.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/encoding_table.h"

namespace spinneret::html {
namespace {

// Costs are on the scale of the models: a factor of e in probability is 6.
constexpr int kBase = 35;
constexpr int kUnknownCost = 25;      // some letter or sign that the language lacks
constexpr int kStrangeCost = 54;      // which of these it is
constexpr int kTypographicCost = 15;  // which of some thirty typographic signs it is
constexpr int kForeignCost = 24;      // an ASCII letter next to a letter of another kind of script
constexpr int kSignCost = 18;         // some sign
constexpr int kBrokenCost = 120;      // not in the encoding at all, or a control character
constexpr int kLanguageGain = 60;     // the document says that it is in this language
constexpr int kMargin = 12;           // windows-1252 must be worse by this much

enum CharClass : std::uint8_t { kOther, kApostrophe, kTypographic, kUnknown, kFirstLetter };
enum class Case : std::uint8_t { kNone, kLower, kUpper };

// An encoding, its handicap against windows-1252 before any byte is looked at, and its languages.
struct Trial {
  std::string_view encoding;
  int handicap;
  std::string_view languages;
};
constexpr Trial kTrials[] = {
    {"windows-1252", 0, "en de fr es pt it nl sv da fi is"},
    {"windows-1250", 12, "pl cs hu ro hr sk sl"},
    {"iso-8859-2", 18, "pl cs hu ro hr sk sl"},
    {"windows-1251", 6, "ru uk bg sr be"},
    {"koi8-u", 24, "ru uk bg be"},
    {"iso-8859-5", 18, "ru uk bg sr be"},
    {"ibm866", 18, "ru uk be"},
    {"x-mac-cyrillic", 24, "ru uk bg sr be"},
    {"windows-1253", 6, "el"},
    {"iso-8859-7", 9, "el"},
    {"windows-1254", 12, "tr"},
    {"windows-1255", 6, "he"},
    {"windows-1256", 6, "ar fa"},
    {"iso-8859-6", 9, "ar"},
    {"windows-1257", 12, "lt lv et"},
    {"iso-8859-13", 18, "lt lv et"},
    {"iso-8859-4", 24, "lt lv et"},
    {"windows-1258", 18, "vi"},
    {"windows-874", 6, "th"},
    {"iso-8859-15", 24, "fr fi et de es pt it"},
};
constexpr Trial kWideTrials[] = {
    {"shift_jis", 12, "ja"}, {"euc-jp", 12, "ja"}, {"gbk", 9, "zhs"},
    {"big5", 12, "zht"},     {"euc-kr", 12, "ko"},
};

// --- the part of the document that is looked at ---

// Returns the bytes above ASCII, each with its neighbours. A space stands for what is left out in
// between.
std::string sample_of(std::string_view document) {
  std::string out;
  std::size_t high = 0, taken = 0;
  for (std::size_t i = 0; i < document.size() && high < kGuessedBytes; ++i) {
    std::uint64_t eight = 0;
    while (i + 8 <= document.size() &&
           (std::memcpy(&eight, document.data() + i, 8), (eight & 0x8080808080808080u) == 0))
      i += 8;
    while (i < document.size() && static_cast<unsigned char>(document[i]) < 0x80) ++i;
    if (i == document.size()) break;
    if (i > taken + 1) out += ' ';
    if (i > taken && i > 0) out += document[i - 1];
    while (i < document.size() && static_cast<unsigned char>(document[i]) >= 0x80 &&
           high < kGuessedBytes) {
      out += document[i++];
      ++high;
    }
    if (i < document.size() && high < kGuessedBytes) out += document[i];
    taken = i + 1;
  }
  return out;
}

// Returns the language of the html element: "pl" of <html lang="pl-PL">.
std::string language_of(std::string_view document) {
  constexpr std::size_t kHead = 1024;
  constexpr std::string_view kWord = "lang=";
  const std::string head = to_lower_copy(document.substr(0, kHead));
  std::size_t at = head.find("<html");
  if (at == std::string::npos) return {};
  const std::string tag = head.substr(at, head.find('>', at) - at);
  at = tag.find(kWord);
  if (at == std::string::npos || at + kWord.size() + 3 > tag.size()) return {};
  at += kWord.size();
  if (tag[at] == '"' || tag[at] == '\'') ++at;
  const std::string name = tag.substr(at, 2);
  const std::string rest = tag.substr(std::min(tag.size(), at + 2), 3);
  if (name == "zh") return rest == "-tw" || rest == "-hk" ? "zht" : "zhs";
  return name;
}

// A pair of bytes of which at least one is above ASCII, and how often it occurs.
struct BytePair {
  unsigned char before;
  unsigned char byte;
  int times;
};

std::vector<BytePair> pairs_of(std::string_view sample) {
  std::vector<std::uint16_t> all;
  unsigned char before = ' ';
  for (const char c : sample) {
    const auto byte = static_cast<unsigned char>(c);
    if (before >= 0x80 || byte >= 0x80)
      all.push_back(static_cast<std::uint16_t>(before << 8 | byte));
    before = byte;
  }
  std::sort(all.begin(), all.end());
  std::vector<BytePair> out;
  for (const std::uint16_t pair : all) {
    const auto one = static_cast<unsigned char>(pair >> 8);
    const auto two = static_cast<unsigned char>(pair & 0xFF);
    if (out.empty() || out.back().before != one || out.back().byte != two)
      out.push_back({one, two, 0});
    ++out.back().times;
  }
  return out;
}

// --- one byte a character ---

const char16_t* upper_half(std::string_view encoding) {
  for (std::size_t i = 0; i < kSingleByteTableCount; ++i) {
    if (kSingleByteTables[i].name == encoding) return kSingleByteTables[i].upper;
  }
  return nullptr;
}

bool is_typographic(char16_t c) {
  constexpr std::u16string_view kAll =
      u"\u00a0\u00ab\u00bb\u201e\u201c\u201d\u2018\u201a\u2013\u2014\u2026\u2022\u00b7\u00a9\u00ae"
      u"\u2122\u20ac\u00b0\u00a7\u2116\u00d7\u2039\u203a\u00a3";
  return kAll.find(c) != std::u16string_view::npos;
}

// The class and properties of each byte of an encoding in one language.
struct ByteClasses {
  std::array<std::uint8_t, 256> kind{};
  std::array<Case, 256> letter_case{};
  std::array<std::uint8_t, 256> extra{};  // cost of the byte itself
  std::array<bool, 256> foreign{};  // letters of another script than the language's: those of ASCII
  std::size_t classes = 0;
};

void classify_high(const char16_t* upper, const LanguageModel& model, ByteClasses& out) {
  const std::u16string_view letters(model.letters);
  const std::size_t first = kFirstLetter + (model.latin ? 26 : 1);
  for (std::size_t byte = 0x80; byte < 0x100; ++byte) {
    const char16_t c = upper[byte - 0x80];
    const std::size_t found = c == 0xFFFD ? letters.npos : letters.find(c);
    if (found != letters.npos) {
      const bool caseless = letters[found | 1] == letters[found & ~std::size_t{1}];
      out.kind[byte] = static_cast<std::uint8_t>(first + found / 2);
      if (!caseless) out.letter_case[byte] = found % 2 == 0 ? Case::kLower : Case::kUpper;
    } else if (c == 0xFFFD || (c >= 0x80 && c < 0xA0)) {
      out.kind[byte] = kUnknown;
      out.extra[byte] = kBrokenCost;
    } else if (c == 0x2019) {
      out.kind[byte] = kApostrophe;
    } else {
      const bool typographic = is_typographic(c);
      out.kind[byte] = typographic ? kTypographic : kUnknown;
      out.extra[byte] = typographic ? kTypographicCost : kUnknownCost;
    }
  }
  out.classes = first + letters.size() / 2;
}

ByteClasses classify(const char16_t* upper, const LanguageModel& model) {
  ByteClasses out;
  for (std::size_t byte = 0; byte < 0x80; ++byte) {
    const char c = static_cast<char>(byte);
    const char small = to_lower(c);
    if (small < 'a' || small > 'z') continue;
    out.kind[byte] = static_cast<std::uint8_t>(kFirstLetter + (model.latin ? small - 'a' : 0));
    out.letter_case[byte] = c == small ? Case::kLower : Case::kUpper;
    out.foreign[byte] = !model.latin;
  }
  classify_high(upper, model, out);
  return out;
}

int case_cost(Case before, Case now) {
  if (now == Case::kUpper) return before == Case::kLower ? 30 : 7;
  return now == Case::kLower && before == Case::kUpper ? 3 : 0;
}

// Signs are the same in all languages, and so tell nothing about the language.
bool is_sign(std::uint8_t kind) { return kind == kApostrophe || kind == kTypographic; }

int cost_of(const std::vector<BytePair>& pairs, const ByteClasses& classes, const char* costs,
            int best) {
  int cost = 0;
  for (const BytePair& pair : pairs) {
    const std::uint8_t before = classes.kind[pair.before], now = classes.kind[pair.byte];
    int one = classes.extra[pair.byte];
    if (is_sign(now)) {
      one = is_sign(before) ? kSignCost : one + kSignCost;
    } else if (now == kUnknown) {
      one += kStrangeCost;
    } else if (!is_sign(before)) {
      one += static_cast<unsigned char>(costs[before * classes.classes + now]) - kBase;
      if (classes.foreign[pair.before] || classes.foreign[pair.byte]) one += kForeignCost;
    } else if (pair.byte >= 0x80) {
      one += static_cast<unsigned char>(costs[now]) - kBase;
    }
    one += case_cost(classes.letter_case[pair.before], classes.letter_case[pair.byte]);
    cost += one * pair.times;
    if (cost > best) break;
  }
  return cost;
}

const LanguageModel* find_model(std::string_view name) {
  for (std::size_t i = 0; i < kLanguageModelCount; ++i) {
    if (kLanguageModels[i].name == name) return &kLanguageModels[i];
  }
  return nullptr;
}

// The meaning of the bytes of a trial's encoding in one of its languages.
struct Reading {
  std::string_view language;
  const char* costs;
  ByteClasses classes;
};
using Readings = std::vector<Reading>;

// The readings for each of kTrials: some 110 KB that are made once, at the first guess. When they
// were made for each page, they were most of a guess's cost.
const std::vector<Readings>& all_readings() {
  static const std::vector<Readings> all = [] {
    std::vector<Readings> out(std::size(kTrials));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char16_t* const upper = upper_half(kTrials[i].encoding);
      std::string_view languages = kTrials[i].languages;
      while (upper != nullptr && !languages.empty()) {
        const std::string_view one = cut(languages, ' ');
        const LanguageModel* const model = find_model(one);
        if (model != nullptr) out[i].push_back({one, model->costs, classify(upper, *model)});
      }
    }
    return out;
  }();
  return all;
}

// --- several bytes a character ---

using Costs = std::unordered_map<char32_t, int>;

// The costs for each of kWideTrials, made once, at the first guess. When they were made for each
// page, they took 90 of the 100 us that a short page costs.
const std::vector<Costs>& all_costs() {
  static const std::vector<Costs> all = [] {
    std::vector<Costs> out(std::size(kWideTrials));
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t of = 0; of < kFrequentCharactersCount; ++of) {
        const FrequentCharacters& frequent = kFrequentCharacters[of];
        if (frequent.name != kWideTrials[i].languages) continue;
        for (std::size_t k = 0; frequent.characters[k] != 0; ++k)
          out[i][frequent.characters[k]] = static_cast<unsigned char>(frequent.costs[k]) - kBase;
      }
    }
    return out;
  }();
  return all;
}

int rare_cost(char32_t c) {
  if (c == 0xFFFD || (c >= 0x80 && c < 0xA0)) return kBrokenCost;
  if (c >= 0x3040 && c < 0x3100) return 54;  // kana
  if (c >= 0x3000 && c < 0x3040) return 54;  // punctuation
  if (c >= 0x4E00 && c < 0xA000) return 66;  // ideographs
  if (c >= 0xAC00 && c < 0xD7A4) return 60;  // Hangul
  if (c >= 0xFF01 && c < 0xFF5F) return 54;  // wide ASCII
  return 84;                                 // box drawing, half-width kana, all else
}

int wide_cost(std::string_view sample, const Trial& trial, const Costs& costs, int best) {
  std::string text;
  find_encoding(trial.encoding)->decode(sample, text);
  int cost = 0;
  bool letter = false, wide = false;  // properties of the preceding character
  for (std::string_view rest = text; !rest.empty() && cost <= best;) {
    char32_t code = 0xFFFD;
    const std::size_t size = std::max<std::size_t>(1, utf8_sequence(rest, &code));
    rest.remove_prefix(size);
    if (code < 0x80) {
      const char small = to_lower(static_cast<char>(code));
      letter = small >= 'a' && small <= 'z';
      cost += wide && letter ? kForeignCost : 0;
      wide = false;
      continue;
    }
    // The last character is incomplete: the sample, or the sender, cut it off.
    if (code == 0xFFFD && rest.empty()) return cost + rare_cost(' ');
    const auto found = costs.find(code);
    cost += (found != costs.end() ? found->second : rare_cost(code)) + (letter ? kForeignCost : 0);
    letter = false;
    wide = true;
  }
  return cost;
}

// Whether the sample is UTF-8 except for a few bytes, or for the last ones.
bool is_nearly_utf8(std::string_view sample) {
  std::size_t good = 0, bad = 0, last = 0;
  while (!sample.empty()) {
    const std::size_t size = utf8_sequence(sample);
    const bool high = static_cast<unsigned char>(sample.front()) >= 0x80;
    if (size == 0) ++(sample.size() < 4 ? last : bad);
    if (size != 0 && high) ++good;
    sample.remove_prefix(std::max<std::size_t>(1, size));
  }
  return good >= std::max(16 * bad, std::min<std::size_t>(2, 1 + last));
}

}  // namespace

const Encoding* guess_escaped(std::string_view document) {
  std::size_t at = document.find("\x1B$");
  if (at == std::string_view::npos) return nullptr;
  const Encoding* const found = find_encoding("iso-2022-jp");
  std::string text;
  found->decode(document.substr(at, kGuessedBytes), text);
  const bool cut = document.size() - at > kGuessedBytes;
  const std::size_t broken = text.find("\xEF\xBF\xBD");
  const bool good = broken == std::string::npos || (cut && broken + 8 >= text.size());
  return good && text.size() > 3 && static_cast<unsigned char>(text[0]) >= 0xE3 ? found : nullptr;
}

const Encoding* guess_encoding(std::string_view document) {
  const std::string sample = sample_of(document);
  if (sample.empty()) return nullptr;
  if (is_nearly_utf8(sample)) return &utf8_encoding();
  const std::string language = language_of(document);
  const std::vector<BytePair> pairs = pairs_of(sample);
  int best = INT32_MAX - kLanguageGain;
  std::string_view name = kTrials[0].encoding;
  for (std::size_t i = 0; i < std::size(kTrials); ++i) {
    for (const Reading& reading : all_readings()[i]) {
      const int ahead = kTrials[i].handicap - (reading.language == language ? kLanguageGain : 0);
      const int cost = cost_of(pairs, reading.classes, reading.costs, best - ahead) + ahead;
      if (cost >= best) continue;
      best = cost;
      name = kTrials[i].encoding;
    }
    if (i == 0) best -= kMargin;
  }
  for (std::size_t i = 0; i < std::size(kWideTrials); ++i) {
    const Trial& trial = kWideTrials[i];
    const int ahead = trial.handicap - (trial.languages == language ? kLanguageGain : 0);
    const int cost = wide_cost(sample, trial, all_costs()[i], best - ahead) + ahead;
    if (cost >= best) continue;
    best = cost;
    name = trial.encoding;
  }
  return name == kTrials[0].encoding ? nullptr : find_encoding(name);
}

}  // namespace spinneret::html
