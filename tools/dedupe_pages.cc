// SPDX-License-Identifier: Apache-2.0
#include "dedupe_pages.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "body/reader.h"
#include "dedupe_settings.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {
namespace {

using Kind = LineVerdict::Kind;

// The essence of a media type that holds markup; no type is taken for HTML, as most pages are.
bool is_markup(std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  return type.empty() || equals_ignore_case(type, "text/html") ||
         equals_ignore_case(type, "text/xml") || equals_ignore_case(type, "application/xml") ||
         (type.size() > 4 && equals_ignore_case(type.substr(type.size() - 4), "+xml"));
}

// Of images and archives the words mean nothing.
bool is_text(std::string_view type) {
  return is_markup(type) || starts_with_ignore_case(type, "text/") ||
         starts_with_ignore_case(type, "application/json");
}

class PageJudge : public LineJudge {
 public:
  PageJudge(cli::Tool& tool, std::unique_ptr<OriginalIndex> index)
      : tool_(tool),
        index_(std::move(index)),
        words_(compares_nearness(tool.options()) || tool.options().has("normalize")),
        drops_(tool.options().has("drop")) {}

  Status judge(const LineBatch& batch, std::vector<LineVerdict>& verdicts) override {
    verdicts.assign(batch.lines().size(), {});
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const LineBatch::Line& line = batch.lines()[i];
      if (line.judged()) judge_line(line.text, i, verdicts[i]);
    }
    return index_->commit();
  }

 private:
  void judge_line(std::string_view line, std::size_t index, LineVerdict& verdict) {
    record_.parse(line);
    const auto refuse = [&](std::string_view why) {
      const std::uint64_t number = tool_.inputs().line_number() + index + 1;
      tool_.refuse_at(tool_.inputs().name(), number, why, record_.url());
    };
    const Result<std::string_view> body = bodies_.read(record_);
    if (body.ok()) {
      // Nothing is no copy of nothing, wherever bodies are: inline, in files, or elsewhere, as a revisit in a WARC file
      // has it.
      if (!body->empty()) compare(*body, verdict);
    } else if (record_.has("body")) {
      refuse(body.message() + ": dropped");
      verdict.kind = Kind::kUnwanted;
    } else {
      refuse(body.message());
    }
  }

  void compare(std::string_view body, LineVerdict& verdict) {
    const std::string_view type = record_.raw("type");
    if (words_ && !is_text(type)) return;
    OriginalIndex::Verdict found;
    if (!index_->judge(record_.url(), body, is_markup(type), found)) return;
    // Another visit to the page that came first is no copy of it, but where repeats are to go.
    const bool visit = found.original == record_.url() && !drops_;
    verdict.kind = found.copy && !visit ? Kind::kRepeat : Kind::kFresh;
    verdict.original = found.original;
    verdict.similarity = found.similarity;
  }

  cli::Tool& tool_;
  std::unique_ptr<OriginalIndex> index_;
  bool words_;
  bool drops_;
  Record record_;
  BodyReader bodies_;
};

}  // namespace

std::unique_ptr<LineJudge> make_page_judge(cli::Tool& tool, std::unique_ptr<OriginalIndex> index) {
  return std::make_unique<PageJudge>(tool, std::move(index));
}

}  // namespace spinneret::dedupe_tool
