// SPDX-License-Identifier: Apache-2.0
#include "dedupe/page_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dedupe/paragraphs.h"

namespace spinneret::dedupe {
namespace {

std::string words(std::string_view page, bool markup = true) {
  std::string out = "left over";
  // The page is in a heap buffer of exact size, so that a sanitizer sees every byte read beyond.
  const auto copy = std::make_unique<char[]>(page.size());
  if (!page.empty()) std::memcpy(copy.get(), page.data(), page.size());
  page_text({copy.get(), page.size()}, markup, out);
  return out;
}

TEST(PageText, plain_words) {
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words("  \n"), "");
  EXPECT_EQ(words("Hello, World!"), "hello world ");
  EXPECT_EQ(words("don't"), "don t ");
}

TEST(PageText, numbers_and_dates_are_left_out) {
  EXPECT_EQ(words("seen 1,234 times"), "seen times ");
  EXPECT_EQ(words("page2 of 3rd v1x"), "of ");
  EXPECT_EQ(words("Mon, 3 March 2024 10:30 UTC"), "utc ");
  EXPECT_EQ(words("monday mondays dec deck january"), "mondays deck ");
}

TEST(PageText, markup) {
  EXPECT_EQ(words("<p class=x>a<b>c</b></p>"), "a c ");
  EXPECT_EQ(words("a<br>b<!-- c <p> -->d<!doctype html>e<?php f ?>g"), "a b d e g ");
  EXPECT_EQ(words("<img alt=\"a > b\">c"), "c ");
  EXPECT_EQ(words("<img alt='>'>c<i title=\">"), "c ");
  EXPECT_EQ(words("1 < 2 a <3 b"), "a b ");
  EXPECT_EQ(words("x<SCRIPT type=a>if (a</b/) </script >y<style>p {}</STYLE>z"), "x y z ");
  EXPECT_EQ(words("x<script>never ended"), "x ");
  EXPECT_EQ(words("x<script>a</scrip>b</script"), "x ");
  EXPECT_EQ(words("x<!-- never ended"), "x ");
  EXPECT_EQ(words("x<p never ended"), "x ");
  EXPECT_EQ(words("x<"), "x ");
}

TEST(PageText, character_references_separate) {
  EXPECT_EQ(words("a&nbsp;b&#160;c&#xA0;d&amp;e"), "a b c d e ");
  EXPECT_EQ(words("AT&T R&D &"), "at t r d ");
}

TEST(PageText, without_markup_everything_is_text) {
  EXPECT_EQ(words("<p>a&nbsp;b", false), "p a nbsp b ");
}

TEST(PageText, beyond_ascii) {
  EXPECT_EQ(words("Z\xC3\xBCrich\xC2\xA0"
                  "caf\xC3\xA9"),
            "z\xC3\xBCrich caf\xC3\xA9 ");
  EXPECT_EQ(words("a\xE2\x80\x94"
                  "b\xE2\x80\xA6"),
            "a b ");
  EXPECT_EQ(words("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"),
            "\xE6\x97\xA5 \xE6\x9C\xAC \xE8\xAA\x9E ");
  EXPECT_EQ(words("\xE6\x97"), "\xE6\x97 ");
  EXPECT_EQ(words("\xE2\x80"), "");
  EXPECT_EQ(words("\xC2"), "\xC2 ");
}

TEST(PageText, any_bytes_end_well) {
  std::mt19937 random(2);
  const std::string alphabet =
      "<>!-/='\"&;#ascriptyle \xE6\xC2\xE2\x80\xA0"
      "01x";
  for (int round = 0; round < 200'000; ++round) {
    std::string page(random() % 40, ' ');
    for (char& c : page) c = alphabet[random() % alphabet.size()];
    const std::string out = words(page, random() % 4 != 0);
    ASSERT_LE(out.size(), page.size() * 2 + 1) << page;
    ASSERT_EQ(out.find("  "), std::string::npos);
    ASSERT_TRUE(out.empty() || (out.back() == ' ' && out.front() != ' '));
  }
}

// Compares with a set of strings and a walk over the text, character by character.
TEST(ParagraphJudge, agrees_with_a_set_of_the_words_of_lines) {
  std::mt19937 random(7);
  for (const std::uint64_t least : {1U, 2U, 4U}) {
    Result<std::unique_ptr<SeenSet>> set = make_seen_set({});
    ParagraphJudge judge(set.take(), {.words = least}, false);
    std::set<std::string> twin;
    for (int batch = 0; batch < 200; ++batch) {
      std::vector<std::string> texts(random() % 5);
      judge.clear();
      for (std::string& text : texts) {
        for (auto pieces = random() % 30; pieces > 0; --pieces) {
          constexpr const char* kPieces[] = {"a",    "B ",  "b",   "\\n", "\\n",
                                             "\\\\", "\\t", " 7 ", ", "};
          text += kPieces[random() % std::size(kPieces)];
        }
        judge.add(text, true);
      }
      ASSERT_TRUE(judge.judge().ok());
      for (std::size_t t = 0; t < texts.size(); ++t) {
        std::vector<std::string> lines(1), plain(1);
        for (std::size_t i = 0; i < texts[t].size(); ++i) {
          if (texts[t][i] != '\\') {
            lines.back() += texts[t][i];
            plain.back() += texts[t][i];
          } else if (texts[t][++i] == 'n') {
            lines.emplace_back();
            plain.emplace_back();
          } else {
            lines.back() += {'\\', texts[t][i]};
            plain.back() += texts[t][i] == 't' ? '\t' : '\\';
          }
        }
        const auto found = judge.of(t);
        ASSERT_EQ(found.size(), lines.size());
        std::string left;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
          EXPECT_EQ(found[i].text, lines[i]);
          const std::string normal = words(plain[i], false);
          const bool counts =
              static_cast<std::uint64_t>(std::count(normal.begin(), normal.end(), ' ')) >= least;
          const bool seen = counts && !twin.insert(normal).second;
          EXPECT_EQ(found[i].seen, seen) << texts[t];
          if (!seen) left += (kept++ == 0 ? "" : "|") + lines[i];
        }
        std::string joined;
        EXPECT_EQ(join_unseen(found, "|", joined), lines.size() - kept);
        EXPECT_EQ(joined, left);
      }
    }
  }
}

TEST(ParagraphJudge, sentences_end_at_stops) {
  const auto cut = [](std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t length = sentence_length(text);
      out += std::string(text.substr(0, length)) + "|";
      text.remove_prefix(length);
    }
    return out;
  };
  EXPECT_EQ(cut(""), "");
  EXPECT_EQ(cut("One. Two! Three? Four"), "One.| Two!| Three?| Four|");
  EXPECT_EQ(cut("He said \"No.\" Then (so.) went. 3.5 is 3.  Next"),
            "He said \"No.\" Then (so.) went.| 3.5 is 3.|  Next|");
  EXPECT_EQ(cut("Mr. Smith, J. R. Jones, e.g. This, and so on... of one. a. B c..."),
            "Mr. Smith, J. R. Jones, e.g. This, and so on... of one. a. B c...|");
  EXPECT_EQ(cut("Wait... What?! \u201cOh.\u201d Yes\u2026 No"),
            "Wait...| What?!| \u201cOh.\u201d| Yes\u2026| No|");
  EXPECT_EQ(cut("\u3053\u3002\u305d\u300d\u3002\u3042\uff01\u300d\u3044"),
            "\u3053\u3002|\u305d\u300d\u3002|\u3042\uff01\u300d|\u3044|");
  EXPECT_EQ(cut("..."), "...|");
  EXPECT_EQ(cut("\xE3\x80. \xE2"), "\xE3\x80.| \xE2|");
}

// Makes texts of few words, so that all sorts of runs recur: within a text, overlapping, in one
// batch, in the next.
std::string some_text(std::mt19937& random) {
  constexpr const char* kPieces[] = {"a ",    "b ",  "c ",  "One. ", "two. ",
                                     "Two! ", "7. ", "\\n", "...",   "Q, "};
  std::string text;
  for (auto pieces = random() % 40; pieces > 0; --pieces) {
    text += kPieces[random() % std::size(kPieces)];
  }
  return text;
}

// Compares with sets of strings, run by run.
TEST(ParagraphJudge, takes_out_runs_of_sentences_as_sets_of_their_words_say) {
  std::mt19937 random(11);
  for (const std::size_t length : {1U, 2U, 3U, 5U}) {
    const std::uint64_t least = length == 2 ? 4 : 1;
    ParagraphJudge judge(make_seen_set({}).take(), {.words = least, .sentences = length}, false);
    std::set<std::string> twin;
    for (int batch = 0; batch < 300; ++batch) {
      std::vector<std::string> texts(random() % 5);
      judge.clear();
      for (std::string& text : texts) judge.add(text = some_text(random), true);
      ASSERT_TRUE(judge.judge().ok());
      for (std::size_t t = 0; t < texts.size(); ++t) {
        const auto found = judge.of(t);
        std::string whole;
        std::vector<std::string> sentences;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < found.size(); ++i) {
          whole += (found[i].starts_line && i != 0 ? "\\n" : "") + std::string(found[i].text);
          const std::string normal = words(found[i].text, false);
          if (!normal.empty()) sentences.push_back(normal), places.push_back(i);
        }
        ASSERT_EQ(whole, texts[t]);
        std::vector<bool> seen(found.size());
        std::map<std::string, std::size_t> first_here;
        const std::size_t run = std::min(length, sentences.size());
        for (std::size_t i = 0; run != 0 && i + run <= sentences.size(); ++i) {
          std::string key;
          for (std::size_t j = i; j < i + run; ++j) key += sentences[j];
          if (static_cast<std::uint64_t>(std::count(key.begin(), key.end(), ' ')) < least) continue;
          if (twin.insert(key).second) {
            first_here[key] = i;
            continue;
          }
          const auto here = first_here.find(key);
          const std::size_t from = here != first_here.end() ? std::max(i, here->second + run) : i;
          for (std::size_t j = from; j < i + run; ++j) seen[places[j]] = true;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_EQ(found[i].seen, seen[i]) << texts[t] << "\n" << i << " of runs of " << length;
        }
      }
    }
  }
}

TEST(ParagraphJudge, takes_out_paragraphs_by_the_share_of_their_runs_of_words) {
  std::mt19937 random(12);
  for (const double share : {0.3, 0.8, 1.0}) {
    for (const std::size_t length : {1U, 2U, 4U}) {
      ParagraphJudge judge(make_seen_set({}).take(),
                           {.words = 2, .shingle = length, .share = share}, false);
      std::set<std::string> twin;
      std::size_t taken = 0;
      for (int batch = 0; batch < 200; ++batch) {
        std::vector<std::string> texts(random() % 3);
        judge.clear();
        for (std::string& text : texts) judge.add(text = some_text(random), true);
        ASSERT_TRUE(judge.judge().ok());
        for (std::size_t t = 0; t < texts.size(); ++t) {
          for (const Paragraph& paragraph : judge.of(t)) {
            std::vector<std::string> each(1);
            for (const char c : words(paragraph.text, false)) {
              each.back() += c;
              if (c == ' ') each.emplace_back();
            }
            each.pop_back();
            std::set<std::string> runs;
            for (std::size_t i = 0; i == 0 || i + length <= each.size(); ++i) {
              std::string run;
              for (std::size_t j = i; j < std::min(i + length, each.size()); ++j) run += each[j];
              runs.insert(run);
            }
            if (each.size() < 2) {
              ASSERT_FALSE(paragraph.seen);
              continue;
            }
            std::size_t known = 0;
            for (const std::string& run : runs) known += !twin.insert(run).second;
            taken += paragraph.seen;
            ASSERT_EQ(paragraph.seen,
                      static_cast<double>(known) >= share * static_cast<double>(runs.size()) - 1e-9)
                << texts[t];
          }
        }
      }
      EXPECT_GT(taken, 10U);
    }
  }
}

TEST(ParagraphJudge, what_is_left_of_lines_is_joined_without_gaps) {
  std::string joined;
  const Paragraph cut[] = {{"One.", true, true},     {" Two.", false, false},
                           {" Three.", false, true}, {" Four.", false, false},
                           {"Gone.", true, true},    {"", true, false},
                           {"Five.", true, false},   {" Six.", false, true}};
  EXPECT_EQ(join_unseen(cut, "|", joined), 4U);
  EXPECT_EQ(joined, "Two. Four.||Five.");
}

TEST(ParagraphJudge, numbers_of_what_was_seen) {
  const auto numbers = [](const std::string& seen) {
    std::vector<Paragraph> paragraphs;
    for (const char c : seen) paragraphs.push_back({"", true, c == 's'});
    return seen_numbers(paragraphs);
  };
  EXPECT_EQ(numbers(""), "");
  EXPECT_EQ(numbers("s-"), "1");
  EXPECT_EQ(numbers("s--sss-s"), "1,4-6,8");
  EXPECT_EQ(numbers("-ss"), "2-3");
}

}  // namespace
}  // namespace spinneret::dedupe
