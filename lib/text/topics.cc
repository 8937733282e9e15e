// SPDX-License-Identifier: Apache-2.0
#include "text/topics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "base/ascii.h"
#include "base/bytes16.h"

namespace spinneret::text {
namespace {

struct TopicWord {
  std::string_view word;
  Topic topic;
};
constexpr TopicWord kTopicWords[] = {
    {"copyright", Topic::kLegal},
    {"reserved", Topic::kLegal},
    {"terms", Topic::kLegal},
    {"privacy", Topic::kLegal},
    {"disclaimer", Topic::kLegal},
    {"imprint", Topic::kLegal},
    {"cookie", Topic::kConsent},
    {"cookies", Topic::kConsent},
    {"consent", Topic::kConsent},
    {"accept", Topic::kConsent},
    {"subscribe", Topic::kLetter},
    {"newsletter", Topic::kLetter},
    {"inbox", Topic::kLetter},
    {"signup", Topic::kLetter},
    {"email", Topic::kLetter},
    {"share", Topic::kShare},
    {"facebook", Topic::kShare},
    {"twitter", Topic::kShare},
    {"linkedin", Topic::kShare},
    {"pinterest", Topic::kShare},
    {"whatsapp", Topic::kShare},
    {"follow", Topic::kShare},
    {"instagram", Topic::kShare},
    {"tweet", Topic::kShare},
    {"more", Topic::kMore},
    {"read", Topic::kMore},
    {"view", Topic::kMore},
    {"learn", Topic::kMore},
    {"shop", Topic::kMore},
    {"continue", Topic::kMore},
    {"next", Topic::kMore},
    {"previous", Topic::kMore},
    {"comment", Topic::kTalk},
    {"comments", Topic::kTalk},
    {"reply", Topic::kTalk},
    {"replies", Topic::kTalk},
    {"leave", Topic::kTalk},
    {"quote", Topic::kTalk},
    {"report", Topic::kTalk},
    {"like", Topic::kTalk},
    {"joined", Topic::kTalk},
    {"posts", Topic::kTalk},
    {"related", Topic::kRelated},
    {"similar", Topic::kRelated},
    {"recommended", Topic::kRelated},
    {"popular", Topic::kRelated},
    {"trending", Topic::kRelated},
    {"latest", Topic::kRelated},
    {"recent", Topic::kRelated},
    {"also", Topic::kRelated},
    {"featured", Topic::kRelated},
    {"categories", Topic::kRelated},
    {"tags", Topic::kRelated},
    {"archives", Topic::kRelated},
    {"by", Topic::kByline},
    {"author", Topic::kByline},
    {"written", Topic::kByline},
    {"published", Topic::kDate},
    {"updated", Topic::kDate},
    {"posted", Topic::kDate},
    {"ago", Topic::kDate},
    {"january", Topic::kDate},
    {"february", Topic::kDate},
    {"march", Topic::kDate},
    {"april", Topic::kDate},
    {"june", Topic::kDate},
    {"july", Topic::kDate},
    {"august", Topic::kDate},
    {"september", Topic::kDate},
    {"october", Topic::kDate},
    {"november", Topic::kDate},
    {"december", Topic::kDate},
    {"price", Topic::kPrice},
    {"cart", Topic::kPrice},
    {"stock", Topic::kPrice},
    {"sale", Topic::kPrice},
    {"shipping", Topic::kPrice},
    {"login", Topic::kAccount},
    {"sign", Topic::kAccount},
    {"log", Topic::kAccount},
    {"account", Topic::kAccount},
    {"register", Topic::kAccount},
    {"password", Topic::kAccount},
    {"menu", Topic::kAccount},
    {"search", Topic::kAccount},
    {"skip", Topic::kAccount},
    {"review", Topic::kReview},
    {"reviews", Topic::kReview},
    {"rating", Topic::kReview},
    {"ratings", Topic::kReview},
    {"stars", Topic::kReview},
    {"testimonials", Topic::kReview},
    {"faq", Topic::kQuestions},
    {"faqs", Topic::kQuestions},
    {"questions", Topic::kQuestions},
    {"question", Topic::kQuestions},
    {"answers", Topic::kQuestions},
    {"description", Topic::kDetails},
    {"details", Topic::kDetails},
    {"overview", Topic::kDetails},
    {"specs", Topic::kDetails},
    {"features", Topic::kDetails},
    {"benefits", Topic::kDetails},
    {"ingredients", Topic::kDetails},
    {"materials", Topic::kDetails},
    {"about", Topic::kDetails},
    {"delivery", Topic::kSupport},
    {"returns", Topic::kSupport},
    {"warranty", Topic::kSupport},
    {"support", Topic::kSupport},
    {"help", Topic::kSupport},
    {"contact", Topic::kSupport},
    {"payment", Topic::kSupport},
};

// The sorted words, and for each first letter where its words begin.
constexpr auto kSortedTopics = [] {
  std::array<TopicWord, std::size(kTopicWords)> words{};
  std::copy(std::begin(kTopicWords), std::end(kTopicWords), words.begin());
  std::sort(words.begin(), words.end(),
            [](const TopicWord& a, const TopicWord& b) { return a.word < b.word; });
  return words;
}();
constexpr auto kTopicsOfLetter = [] {
  std::array<std::uint8_t, 28> first{};
  for (std::size_t letter = 0; letter < 27; ++letter) {
    while (first[letter] < kSortedTopics.size() &&
           kSortedTopics[first[letter]].word[0] < static_cast<char>('a' + letter))
      ++first[letter];
    first[letter + 1] = first[letter];
  }
  return first;
}();

std::uint32_t topic_of(std::string_view word) {
  const auto letter = static_cast<std::size_t>(word[0] - 'a');
  for (std::size_t i = kTopicsOfLetter[letter]; i < kTopicsOfLetter[letter + 1]; ++i) {
    if (kSortedTopics[i].word == word) return 1u << static_cast<unsigned>(kSortedTopics[i].topic);
  }
  return 0;
}

}  // namespace

std::uint16_t topics_of(std::string_view text) {
  std::uint32_t topics = 0;
  char word[12];
  std::size_t size = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? to_lower(text[i]) : ' ';
    if (c >= 'a' && c <= 'z') {
      if (size < sizeof word) word[size] = c;
      ++size;
      continue;
    }
    if (size > 1 && size <= sizeof word) topics |= topic_of({word, size});
    size = 0;
    if (c == '$' || c == '\xC2') topics |= 1u << static_cast<unsigned>(Topic::kPrice);
  }
  return static_cast<std::uint16_t>(topics);
}

Signs signs_of_slow(std::string_view text) {
  Signs signs;
  char before = ' ';
  for (const char c : text) {
    signs.commas += c == ',' || c == ';';
    signs.digits += is_digit(c);
    signs.letters += c != ' ';
    signs.capitals += before == ' ' && is_upper(c);
    before = c;
  }
  return signs;
}

#ifdef SPINNERET_BYTES16

Signs signs_of(std::string_view text) {
  const auto count = [](unsigned mask) { return static_cast<std::size_t>(std::popcount(mask)); };
  Signs signs;
  unsigned before = 1;  // whether the last byte was a blank
  for (std::size_t at = 0; at < text.size(); at += 16) {
    const std::size_t left = std::min<std::size_t>(16, text.size() - at);
    char bytes[16];
    std::memset(bytes, ' ', sizeof bytes);
    text.copy(bytes, left, at);
    const Bytes16 block = Bytes16::load(bytes);
    const unsigned blanks = (block == ' ').mask();
    signs.commas += count(((block == ',') | (block == ';')).mask());
    signs.digits += count((block - '0' <= 9).mask());
    signs.letters += 16 - count(blanks);
    signs.capitals += count((block - 'A' <= 25).mask() & (blanks << 1 | before));
    before = blanks >> 15 & 1;
  }
  return signs;
}

#else

Signs signs_of(std::string_view text) { return signs_of_slow(text); }

#endif

}  // namespace spinneret::text
