// SPDX-License-Identifier: Apache-2.0
// --page: what pages themselves ask of the agents, by meta elements and headers. Settled records are judged
// as they are; other URLs are fetched, if their robots.txt allows it is for the caller to ask first.
#include "base/ascii.h"
#include "base/excerpt.h"
#include "body/reader.h"
#include "html/extractor.h"
#include "robots/page_directives.h"
#include "robots_context.h"

namespace spinneret {
namespace {

constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
    {kNoindex, "noindex"},
    {kNofollow, "nofollow"},
    {kNoarchive, "noarchive"},
    {kNosnippet, "nosnippet"},
    {kNotranslate, "notranslate"},
    {kNoimageindex, "noimageindex"},
    {kIndexifembedded, "indexifembedded"},
    {kNositelinks, "nositelinkssearchbox"},
    {kNoai, "noai"},
    {kNoimageai, "noimageai"},
};

class PageChecker {
 public:
  explicit PageChecker(RobotsContext& context)
      : context_(context), record_(context.record), extractor_(html::ExtractOptions{}) {
    for (const std::string& agent : context.rules.agents)
      pages_.emplace_back(agent == "*" ? "" : agent);
  }

  void check(std::string_view line) {
    record_.parse(line);
    for (PageDirectives& page : pages_) page.clear();
    if (!(is_settled(line) ? read_record() : read_network())) return;
    bool refused = false;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      refused = refused || pages_[i].noindex(context_.now()) || pages_[i].nofollow();
      add_fields(pages_[i], context_.suffix(i));
    }
    if (refused) context_.tool.note_refusal();
    record_.remove("body");
    context_.tool.writer().write(record_);
  }

 private:
  // False: reported, and nothing to judge.
  bool read_record() {
    for (const Record::Field& field : record_.fields()) {
      std::string value;
      append_unescaped(value, field.raw);
      if (field.key == "x-robots-tag") add_header("X-Robots-Tag", value);
    }
    const Result<std::string_view> body = bodies_.read(record_);
    if (!body.ok()) {
      context_.tool.refuse(body.message(), record_.url());
      return false;
    }
    read_metas(*body, record_.get("type").value_or(""), record_.raw("charset"));
    return true;
  }

  bool read_network() {
    if (!parse(record_.url(), context_.url, &context_.why)) {
      context_.tool.refuse(context_.why.message, record_.url());
      return false;
    }
    const auto result = context_.fetch_page(std::string(context_.url.href_without_fragment()));
    if (!result) return false;
    record_.set_unsigned("status", static_cast<unsigned long long>(result->status));
    for (const HeaderBlock::Field& field : result->head.fields()) {
      add_header(field.name, clean_field_value(field.value));
    }
    read_metas(result->body, result->media.type, result->media.charset);
    return true;
  }

  void add_header(std::string_view name, std::string_view value) {
    for (PageDirectives& page : pages_) page.add_http_header(name, value);
  }

  // Of a body that is HTML, or whose type nobody has said.
  void read_metas(std::string_view body, std::string_view type, std::string_view charset) {
    if (!trim(type).empty() && to_lower_copy(type).find("html") == std::string::npos) return;
    for (const html::Meta& meta : extractor_.extract(body, charset).metas) {
      for (PageDirectives& page : pages_) page.add_meta(meta.name, meta.content);
    }
  }

  void add_fields(const PageDirectives& page, const std::string& suffix) {
    std::string words;
    const auto add = [&words](std::string_view word) {
      words.append(words.empty() ? "" : ",").append(word);
    };
    for (const auto& [bit, name] : kNames) {
      const bool late = bit == kNoindex && page.noindex(context_.now());
      if (late || (page.refusals() & bit) != 0) add(name);
    }
    if (page.max_snippet()) add("max-snippet:" + std::to_string(*page.max_snippet()));
    if (!page.max_image_preview().empty())
      add("max-image-preview:" + std::string(page.max_image_preview()));
    if (page.max_video_preview())
      add("max-video-preview:" + std::to_string(*page.max_video_preview()));
    for (const char* name : {"tdm-reservation", "tdm-policy", "page-rule"}) {
      record_.remove(name + suffix);
    }
    record_.set("page-robots" + suffix, words.empty() ? "all" : words);
    if (page.tdm_reserved()) record_.set("tdm-reservation" + suffix, "1");
    if (!page.tdm_policy().empty())
      record_.set("tdm-policy" + suffix, without_controls(page.tdm_policy()));
    if (context_.explain) explain(page, suffix);
  }

  void explain(const PageDirectives& page, const std::string& suffix) {
    for (const PageDirectives::Rule& rule : page.rules()) {
      std::string text = rule.source + ": " + rule.name;
      if (!rule.value.empty()) text += ":" + rule.value;
      record_.add("page-rule" + suffix, without_controls(text));
    }
  }

  RobotsContext& context_;
  Record& record_;
  BodyReader bodies_;
  html::LinkExtractor extractor_;
  std::vector<PageDirectives> pages_;
};

}  // namespace

int check_pages(RobotsContext& context) {
  PageChecker checker(context);
  std::string_view line;
  while (context.tool.next(line)) checker.check(line);
  return context.tool.status();
}

}  // namespace spinneret
