// SPDX-License-Identifier: Apache-2.0
#include "text/language.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace spinneret::text {
namespace {

struct Language {
  std::string_view name;
  std::string_view words;  // its most frequent words
};

constexpr Language kLanguages[] = {
    {"en",
     "the of and to in is that for it with was as on are be this by not you from have at which or "
     "we an they"},
    {"de",
     "der die und das den ist zu mit von nicht ein eine sich auf für dem im auch des als wird bei "
     "sind wie oder"},
    {"fr",
     "le la les de et des est que dans une un pour du qui pas sur par au avec ce sont plus il nous "
     "vous aux"},
    {"es",
     "el la los de que y las en un una por con para del es se no su como más al lo pero este "
     "también"},
    {"pt",
     "o os de que e do da em um uma para com não no na por mais dos das como se ao são também "
     "pela"},
    {"it",
     "il di che la e un una per non del della con sono gli dei nel anche più le alla come si è ha "
     "delle"},
    {"nl",
     "de het een van en dat is niet op te zijn voor met die aan er ook maar bij als naar wordt "
     "worden deze"},
    {"sv",
     "och att det som är en på för av med inte den till har ett om kan från eller men var vi du "
     "så"},
    {"da",
     "og at det er en til af på for som med den ikke har der et kan de om fra var jeg men blev "
     "også"},
    {"no",
     "og det er en til av på for som med den ikke har et kan de om fra var jeg men ble også å seg"},
    {"fi",
     "ja on ei se että oli kun hän mutta ovat myös kuin tai niin joka sekä olla hänen mukaan ole "
     "vain sen"},
    {"pl",
     "i w nie na się z do że jest to o jak po dla przez ale od są za oraz tym czy tego już która"},
    {"cs",
     "a je v na se to že s z do o pro jsou ale jako by ve za k jeho být jsem který nebo také"},
    {"sk", "a je v na sa to že s z do o pre sú ale ako by vo za k jeho byť som ktorý alebo aj"},
    {"hu",
     "a az és hogy nem is egy van volt meg csak mint de ha vagy már ezt után azt lehet ez el még"},
    {"ro", "de și în la a cu nu pe care o un este din mai ca pentru sau fi au să prin după fost"},
    {"tr",
     "ve bir bu için da de ile olarak çok olan daha gibi ne kadar sonra var ama en olduğu her "
     "göre"},
    {"vi", "và của là có không được cho một trong những với các người đã này khi để đến từ cũng"},
    {"id",
     "yang dan di untuk dengan ini itu dari dalam pada tidak adalah ke akan juga atau oleh sebagai "
     "bisa"},
    {"hr", "i je u na se da su za od koji s kao što ili ali iz bi nije koja te o biti ako može"},
    {"sl", "in je na da se za v so ki z pa ni kot tudi bi ali po pri od iz še ter bil"},
    {"et", "ja on ei et see oma kui mis ka aga oli ning või mida nii kes selle ta siis veel"},
    {"lv", "un ir no ar uz par kas ka bet tas kā tika lai arī pie gan vai pēc viņš ne to"},
    {"lt", "ir yra kad su iš į ne tai kaip bet buvo apie nuo per už ar jo dar kuris arba prie"},
    {"ca", "de la i el que a en un les els del per una amb no és al com més són va aquest també"},
    {"ru", "и в не на что я с он как это по но к из у за от для так же все то бы или только"},
    {"uk", "і в не на що з як це до та за від для є він але у про також або їх був яка"},
    {"bg", "и на да се в не за от е с по са че като това до има който как или след беше"},
    {"sr", "и је у на се да су за од који са као што или али из би није која те о"},
    {"ar", "في من على إلى أن هذا التي عن مع هذه الذي كان ما لا بين كل أو قد"},
    {"fa", "و در به از که این را با است برای آن یک های شود می بر تا شده خود"},
};

enum class Script : unsigned {
  kLatin,
  kCyrillic,
  kArabic,
  kGreek,
  kHebrew,
  kHan,
  kKana,
  kHangul,
  kThai,
  kDevanagari,
  kBengali,
  kCount,
  kNone
};

Script script_of(char32_t c) {
  if (c < 0x41) return Script::kNone;
  if (c < 0x250 || (c >= 0x1E00 && c < 0x1F00))
    return c == 0xD7 || c == 0xF7 ? Script::kNone : Script::kLatin;
  if (c >= 0x370 && c < 0x400) return Script::kGreek;
  if (c >= 0x400 && c < 0x530) return Script::kCyrillic;
  if (c >= 0x590 && c < 0x600) return Script::kHebrew;
  if (c >= 0x600 && c < 0x780) return Script::kArabic;
  if (c >= 0x900 && c < 0x980) return Script::kDevanagari;
  if (c >= 0x980 && c < 0xA00) return Script::kBengali;
  if (c >= 0xE00 && c < 0xE80) return Script::kThai;
  if (c >= 0x3040 && c < 0x3100) return Script::kKana;
  if (c >= 0x3400 && c < 0xA000) return Script::kHan;
  if (c >= 0xAC00 && c < 0xD7B0) return Script::kHangul;
  return Script::kNone;
}

using Votes = std::array<unsigned, std::size(kLanguages)>;

const std::unordered_map<std::string_view, std::vector<std::size_t>>& words() {
  static const auto all = [] {
    std::unordered_map<std::string_view, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < std::size(kLanguages); ++i) {
      std::string_view rest = kLanguages[i].words;
      while (!rest.empty()) out[cut(rest, ' ')].push_back(i);
    }
    return out;
  }();
  return all;
}

// Returns the language with the most votes. A word of one language alone counts more than one of
// six.
std::string_view by_words(const Votes& votes, unsigned count) {
  const auto best =
      static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  return votes[best] == 0 || votes[best] < count / 2 ? std::string_view() : kLanguages[best].name;
}

}  // namespace

std::string_view guess_language(std::string_view utf8) {
  utf8 = utf8.substr(0, std::size_t{64} << 10);
  std::array<unsigned, static_cast<std::size_t>(Script::kCount)> scripts{};
  Votes votes{};
  unsigned count = 0;
  std::string word;
  const auto& known = words();
  const auto flush = [&] {
    if (word.empty()) return;
    ++count;
    if (const auto found = known.find(word); found != known.end()) {
      const auto weight =
          static_cast<unsigned>(12 / std::min<std::size_t>(found->second.size(), 6));
      for (const std::size_t language : found->second) votes[language] += weight;
    }
    word.clear();
  };
  while (!utf8.empty()) {
    char32_t c = 0;
    const std::size_t size = std::max<std::size_t>(1, utf8_sequence(utf8, &c));
    utf8.remove_prefix(size);
    // Converts to lower case, in the scripts that have it.
    if (c >= 'A' && c <= 'Z') c += 32;
    if ((c >= 0xC0 && c < 0xDF && c != 0xD7) || (c >= 0x410 && c < 0x430)) c += 32;
    if (c >= 0x400 && c < 0x410) c += 80;
    const Script script = script_of(c);
    if (script == Script::kNone) {
      flush();
      continue;
    }
    ++scripts[static_cast<std::size_t>(script)];
    append_utf8(word, c);
  }
  flush();
  const auto of = [&scripts](Script script) { return scripts[static_cast<std::size_t>(script)]; };
  unsigned all = 0;
  for (const unsigned letters : scripts) all += letters;
  if (all < 20) return {};
  if (of(Script::kKana) * 20 > all) return "ja";
  if (of(Script::kHangul) * 5 > all) return "ko";
  if (of(Script::kHan) * 4 > all) return "zh";
  constexpr std::pair<Script, std::string_view> kOnes[] = {{Script::kGreek, "el"},
                                                           {Script::kHebrew, "he"},
                                                           {Script::kThai, "th"},
                                                           {Script::kDevanagari, "hi"},
                                                           {Script::kBengali, "bn"}};
  for (const auto& [script, name] : kOnes) {
    if (of(script) * 3 > all) return name;
  }
  return by_words(votes, count);
}

}  // namespace spinneret::text
