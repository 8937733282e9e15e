// SPDX-License-Identifier: Apache-2.0
#include "dedupe_paragraphs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/line_batch.h"
#include "dedupe/paragraphs.h"
#include "dedupe_settings.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {
namespace {

dedupe::ParagraphRule paragraph_rule(const cli::Options& options) {
  dedupe::ParagraphRule rule;
  rule.words = options.unsigned_value("paragraphs", 1, 1, 1 << 20);
  rule.sentences = options.unsigned_value("sentences", 0, 1, 100);
  if (!options.has("drop-share")) return rule;
  rule.shingle = options.unsigned_value("shingle", 13, 1, 1000);
  rule.share = options.decimal("drop-share", 0.8, 0.01, 1);
  return rule;
}

// Describes the keys of a store.
std::string description(const dedupe::ParagraphRule& rule) {
  if (rule.sentences != 0) return "runs of " + std::to_string(rule.sentences) + " sentences";
  if (rule.shingle != 0) return "runs of " + std::to_string(rule.shingle) + " words";
  return "paragraphs";
}

std::uint64_t words_in(std::string_view text) {
  std::uint64_t words = !text.empty() && text[0] != ' ';
  for (std::size_t i = 1; i < text.size(); ++i) {
    words += static_cast<unsigned>(text[i] != ' ') & static_cast<unsigned>(text[i - 1] == ' ');
  }
  return words;
}

// The records of a batch, and what remains of their texts.
class Texts {
 public:
  Texts(cli::Tool& tool, dedupe::ParagraphJudge& judge)
      : tool_(tool),
        judge_(judge),
        plain_(tool.options().has("whole-line")),
        marks_(tool.options().has("mark")),
        drops_(tool.options().has("drop")),
        parts_(tool.options().has("sentences") ? "sentences" : "paragraphs") {}

  Status judge(const dedupe::LineBatch& batch) {
    judge_.clear();
    judged_.assign(batch.lines().size(), false);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      const std::string_view line = batch.lines()[i].text;
      if (batch.lines()[i].exempt && !plain_) continue;
      const auto text = plain_ ? line : find_raw_field(line, "text");
      if (!text) continue;
      judged_[i] = true;
      judge_.add(*text, !plain_);
    }
    return judge_.judge();
  }

  void write(const dedupe::LineBatch& batch) {
    std::size_t text = 0;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      const std::string_view line = batch.lines()[i].text;
      if (!judged_[i]) {
        tool_.writer().write_line(line);
      } else {
        write_text(line, judge_.of(text++));
      }
    }
    tool_.inputs().add_lines(judged_.size());
  }

 private:
  void write_text(std::string_view line, std::span<const dedupe::Paragraph> paragraphs) {
    bool any = false;
    bool all = true;
    for (const dedupe::Paragraph& paragraph : paragraphs) {
      any |= paragraph.seen;
      all &= paragraph.seen || paragraph.text.find_first_not_of(' ') == std::string_view::npos;
    }
    if (!any) return tool_.writer().write_line(line);
    if (all && (plain_ || drops_)) return;
    if (plain_) {
      dedupe::join_unseen(paragraphs, "", left_);
      return tool_.writer().write_line(left_);
    }
    record_.parse(line);
    if (marks_) {
      record_.set(parts_ + "-seen", dedupe::seen_numbers(paragraphs));
    } else {
      const std::size_t dropped = dedupe::join_unseen(paragraphs, "\\n", left_);
      unescaped_.clear();
      append_unescaped(unescaped_, left_);
      record_.set("text", unescaped_);
      if (record_.has("text-words")) record_.set_unsigned("text-words", count_words(paragraphs));
      record_.set_unsigned(parts_ + "-dropped", dropped);
    }
    tool_.writer().write(record_);
  }

  static std::uint64_t count_words(std::span<const dedupe::Paragraph> paragraphs) {
    std::uint64_t words = 0;
    for (const dedupe::Paragraph& paragraph : paragraphs) {
      if (!paragraph.seen) words += words_in(paragraph.text);
    }
    return words;
  }

  cli::Tool& tool_;
  dedupe::ParagraphJudge& judge_;
  bool plain_;  // each line is a paragraph
  bool marks_;
  bool drops_;
  std::string parts_;  // the parts that are taken out
  std::vector<bool> judged_;
  Record record_;
  std::string left_;
  std::string unescaped_;
};

}  // namespace

int run_paragraphs(cli::Tool& tool, const std::function<bool(std::string_view& run)>& next_run) {
  const dedupe::ParagraphRule rule = paragraph_rule(tool.options());
  dedupe::ParagraphJudge judge(seen_set(tool, description(rule)), rule, tool.options().has("diff"));
  Texts texts(tool, judge);
  dedupe::LineBatch batch = line_batch(tool);
  for (std::string_view run; next_run(run);) {
    while (!run.empty() && !tool.stopped()) {
      batch.take(run);
      if (Status done = texts.judge(batch); !done.ok()) return tool.trouble(done.message());
      texts.write(batch);
    }
  }
  tool.out().flush();
  const Status closed = judge.close();
  if (const std::string report = judge.report(); !report.empty()) tool.notice(report);
  return closed.ok() ? 0 : tool.trouble(closed.message());
}

}  // namespace spinneret::dedupe_tool
