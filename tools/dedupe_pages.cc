// SPDX-License-Identifier: Apache-2.0
#include "dedupe_pages.h"

#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "dedupe_settings.h"

namespace spinneret::dedupe_tool {
namespace {

using Kind = dedupe::LineVerdict::Kind;

// Whether a media type holds markup. A missing type counts as HTML, which most pages are.
bool is_markup(std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  return type.empty() || equals_ignore_case(type, "text/html") ||
         equals_ignore_case(type, "text/xml") || equals_ignore_case(type, "application/xml") ||
         (type.size() > 4 && equals_ignore_case(type.substr(type.size() - 4), "+xml"));
}

// Whether a media type holds text: the words in images and archives mean nothing.
bool is_text(std::string_view type) {
  return is_markup(type) || starts_with_ignore_case(type, "text/") ||
         starts_with_ignore_case(type, "application/json");
}

class PageJudge : public dedupe::LineJudge {
 public:
  PageJudge(cli::Tool& tool, std::unique_ptr<dedupe::OriginalIndex> index)
      : pages_(tool), index_(std::move(index)), drops_(tool.options().has("drop")) {}

  Status judge(const dedupe::LineBatch& batch,
               std::vector<dedupe::LineVerdict>& verdicts) override {
    verdicts.assign(batch.lines().size(), {});
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const dedupe::LineBatch::Line& line = batch.lines()[i];
      if (!line.judged()) continue;
      const PageReader::Content content = pages_.read(line.text, i);
      if (content.kind == PageReader::Kind::kTorn) verdicts[i].kind = Kind::kUnwanted;
      if (!content.bytes.empty()) compare(content, verdicts[i]);
    }
    return index_->commit();
  }

 private:
  void compare(const PageReader::Content& content, dedupe::LineVerdict& verdict) {
    dedupe::OriginalIndex::Verdict found;
    const std::string_view url = pages_.record().url();
    if (content.kind == PageReader::Kind::kSketch) {
      index_->judge_sketch(url, content.bytes, found);
    } else if (!index_->judge(url, content.bytes, content.markup, found)) {
      return;
    }
    // Another visit to the page that came first is no copy of it, unless repeats are to be dropped.
    const bool visit = found.original == url && !drops_;
    verdict.kind = Kind::kFresh;
    if (found.copy && !visit) verdict.kind = Kind::kRepeat;
    if (visit && found.unchanged) verdict.kind = Kind::kSame;
    verdict.original = found.original;
    verdict.similarity = found.similarity;
  }

  PageReader pages_;
  std::unique_ptr<dedupe::OriginalIndex> index_;
  bool drops_;
};

}  // namespace

PageReader::PageReader(cli::Tool& tool)
    : tool_(tool),
      words_(compares_nearness(tool.options()) || tool.options().has("normalize")),
      nearness_(compares_nearness(tool.options())),
      sketches_(original_options(tool)) {}

PageReader::Content PageReader::read(std::string_view line, std::size_t index) {
  record_.parse(line);
  const std::string_view made = nearness_ ? record_.raw("sketch") : std::string_view();
  if (!made.empty() && sketches_.read(made, sketch_)) return {Kind::kSketch, sketch_};
  const Result<std::string_view> body = bodies_.read(record_);
  if (!body.ok()) {
    const bool torn = record_.has("body");
    refuse(torn ? body.message() + ": dropped" : body.message(), index);
    return {torn ? Kind::kTorn : Kind::kNothing};
  }
  // An empty body is no copy of another one, wherever bodies are: inline, in files, or in another
  // record, as that of a revisit in a WARC file.
  const std::string_view type = record_.raw("type");
  if (!body->empty() && (!words_ || is_text(type))) return {Kind::kBody, *body, is_markup(type)};
  if (body->empty() && !made.empty()) {
    refuse(sketches_.misread(made) + "; it passes", index);
  }
  return {};
}

void PageReader::refuse(std::string_view why, std::size_t index) {
  const std::uint64_t number = tool_.inputs().line_number() + index + 1;
  tool_.refuse_at(tool_.inputs().name(), number, why, record_.url());
}

int run_signature(cli::Tool& tool) {
  PageReader pages(tool);
  dedupe::ContentSketch sketches(original_options(tool));
  const std::unique_ptr<dedupe::NearIndex> index = sketches.make_index();
  dedupe::LineBatch batch = line_batch(tool);
  std::string sketch;
  const auto sign = [&](std::string_view line, const PageReader::Content& content) {
    if (content.kind != PageReader::Kind::kBody) return tool.writer().write_line(line);
    if (!sketches.make(content.bytes, content.markup, sketch))
      return tool.writer().write_line(line);
    std::string bands;
    index->each_band(sketch, [&](std::uint64_t key) {
      char text[20];
      std::snprintf(text, sizeof text, "%s%016" PRIx64, bands.empty() ? "" : ",", key);
      bands += text;
    });
    Record& record = pages.record();
    record.remove("body");
    if (!record.has("size")) record.set_unsigned("size", content.bytes.size());
    record.set("sketch", sketches.text(sketch));
    record.set("bands", bands);
    tool.writer().write(record);
  };
  for (std::string_view run; tool.next_run(run);) {
    while (!run.empty() && !tool.stopped()) {
      batch.take(run);
      for (std::size_t i = 0; i < batch.lines().size(); ++i) {
        const dedupe::LineBatch::Line& line = batch.lines()[i];
        if (!line.judged()) {
          tool.writer().write_line(line.text);
          continue;
        }
        const PageReader::Content content = pages.read(line.text, i);
        if (content.kind != PageReader::Kind::kTorn) sign(line.text, content);
      }
      tool.inputs().add_lines(batch.lines().size());
    }
  }
  return 0;
}

std::unique_ptr<dedupe::LineJudge> make_page_judge(cli::Tool& tool,
                                                   std::unique_ptr<dedupe::OriginalIndex> index) {
  return std::make_unique<PageJudge>(tool, std::move(index));
}

}  // namespace spinneret::dedupe_tool
