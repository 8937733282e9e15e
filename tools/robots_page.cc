// SPDX-License-Identifier: Apache-2.0
// --page: what pages themselves ask of the agents, by meta elements and headers. Settled records
// are judged as they are. Other URLs are fetched; the caller asks first whether their robots.txt
// allows it.
#include "robots_page.h"

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/outcome.h"
#include "html/link_header.h"

namespace spinneret {
namespace {

constexpr std::string_view kRslType = "application/rsl+xml";

// A page without a type counts as HTML.
bool is_html(std::string_view type) {
  return trim(type).empty() || to_lower_copy(type).find("html") != std::string::npos;
}

// Only links with rel=license are wanted.
html::ExtractOptions extract_options() {
  html::ExtractOptions options;
  options.selection.add_only("link@href");
  options.text = false;
  return options;
}

// Whether a link is a licence of RSL. Another, such as that of a picture, states nothing about
// crawlers.
bool is_rsl(std::string_view rel, std::string_view type) {
  return html::has_rel_token(rel, "license") && equals_ignore_case(trim(type), kRslType);
}

constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
    {robots::kNoindex, "noindex"},
    {robots::kNofollow, "nofollow"},
    {robots::kNoarchive, "noarchive"},
    {robots::kNosnippet, "nosnippet"},
    {robots::kNotranslate, "notranslate"},
    {robots::kNoimageindex, "noimageindex"},
    {robots::kIndexifembedded, "indexifembedded"},
    {robots::kNositelinks, "nositelinkssearchbox"},
    {robots::kNoai, "noai"},
    {robots::kNoimageai, "noimageai"},
};

class PageChecker {
 public:
  explicit PageChecker(RobotsContext& context)
      : context_(context), record_(context.record), reader_(context) {}

  void check(std::string_view line) {
    record_.parse(line);
    const bool settled = is_settled(line);
    if (!settled && !parse(record_.url(), context_.url, &context_.why))
      return context_.tool.refuse(context_.why.message, record_.url());
    if (!(settled ? read_record() : read_network())) return pass_unjudged();
    bool refused = false;
    for (std::size_t i = 0; i < reader_.pages().size(); ++i) {
      const robots::PageDirectives& page = reader_.pages()[i];
      refused = refused || page.noindex(context_.now()) || page.nofollow();
      add_fields(page, context_.suffix(i));
    }
    if (refused) context_.tool.note_refusal();
    write();
  }

 private:
  void write() {
    record_.remove("body");
    if (!context_.quiet) context_.tool.writer().write(record_);
  }

  // Passes the record on without what an earlier run has found.
  void pass_unjudged() {
    for (std::size_t i = 0; i < reader_.pages().size(); ++i) remove_fields(context_.suffix(i));
    write();
  }

  void remove_fields(const std::string& suffix) {
    for (const char* name : {"page-robots", "tdm-reservation", "tdm-policy", "page-rule",
                             "page-mistake", "page-content-usage", "page-license"}) {
      record_.remove(name + suffix);
    }
  }

  // Returns false where there is nothing to judge, which was reported here or is said by the
  // outcome.
  bool read_record() {
    const auto outcome = parse_outcome(record_.raw("outcome"));
    if (outcome && class_of(*outcome) != OutcomeClass::kDone && !record_.has("status"))
      return false;
    const Status read = reader_.read_record();
    if (!read.ok()) context_.tool.refuse(read.message(), record_.url());
    return read.ok();
  }

  bool read_network() {
    const std::string url(context_.url.href_without_fragment());
    const http::FetchResult result =
        std::move(context_.fetch_all({url}, 0, kRobotsSizeLimit).front());
    if (result.status == 0) {
      context_.tell_unreached(url, result);
      return false;
    }
    record_.set_unsigned("status", static_cast<unsigned long long>(result.status));
    reader_.read_result(result);
    return true;
  }

  void add_fields(const robots::PageDirectives& page, const std::string& suffix) {
    std::string words;
    const auto add = [&words](std::string_view word) {
      words.append(words.empty() ? "" : ",").append(word);
    };
    for (const auto& [bit, name] : kNames) {
      const bool late = bit == robots::kNoindex && page.noindex(context_.now());
      if (late || (page.refusals() & bit) != 0) add(name);
    }
    if (page.max_snippet()) add("max-snippet:" + std::to_string(*page.max_snippet()));
    if (!page.max_image_preview().empty())
      add("max-image-preview:" + std::string(page.max_image_preview()));
    if (page.max_video_preview())
      add("max-video-preview:" + std::to_string(*page.max_video_preview()));
    remove_fields(suffix);
    record_.set("page-robots" + suffix, words.empty() ? "all" : words);
    if (page.tdm_reservation())
      record_.set("tdm-reservation" + suffix, page.tdm_reserved() ? "1" : "0");
    if (!page.tdm_policy().empty())
      record_.set("tdm-policy" + suffix, without_controls(page.tdm_policy()));
    if (!page.preferences().empty())
      record_.set("page-content-usage" + suffix,
                  robots::preferences_text(page.preferences(), false));
    for (const std::string& license : page.licenses()) {
      record_.add("page-license" + suffix, without_controls(license));
    }
    if (context_.explain) explain(page, suffix);
  }

  void explain(const robots::PageDirectives& page, const std::string& suffix) {
    for (const robots::PageDirectives::Rule& rule : page.rules()) {
      std::string text = rule.source + ": " + rule.name;
      if (!rule.value.empty()) text += ":" + rule.value;
      record_.add("page-rule" + suffix, without_controls(text));
    }
    for (const std::string& mistake : page.mistakes()) {
      record_.add("page-mistake" + suffix, without_controls(mistake));
    }
  }

  RobotsContext& context_;
  Record& record_;
  PageReader reader_;
};

}  // namespace

PageReader::PageReader(RobotsContext& context)
    : record_(context.record), extractor_(extract_options()) {
  for (const std::string& agent : context.rules.agents)
    pages_.emplace_back(agent == "*" ? "" : agent);
}

void PageReader::begin(std::string_view type) {
  for (robots::PageDirectives& page : pages_) page.clear();
  is_whole_ = true;
  is_image_ = starts_with_ignore_case(trim(type), "image/");
}

Status PageReader::read_record() {
  begin(record_.get("type").value_or(""));
  std::string value;
  for (const Record::Field& field : record_.fields()) {
    const bool is_header = field.key == "header";
    if (!is_header && field.key != "x-robots-tag" && field.key != "link") continue;
    value.clear();
    append_unescaped(value, field.raw);
    std::string_view rest = value;
    const std::string_view name = is_header ? cut(rest, ':') : field.key;
    // With --headers fetch repeats the headers of the other fields, which changes nothing.
    add_header(name, trim(rest));
  }
  const Result<std::string_view> body = bodies_.read(record_);
  if (!body.ok()) return body.error();
  // A record that came through here before has no body any more.
  is_whole_ = bodies_.is_there() || !is_html(record_.get("type").value_or(""));
  read_body(*body, record_.get("type").value_or(""), record_.raw("charset"));
  return {};
}

void PageReader::read_result(const http::FetchResult& result) {
  begin(result.media.type);
  for (const http::HeaderBlock::Field& field : result.head.fields()) {
    add_header(field.name, http::clean_field_value(field.value));
  }
  read_body(result.body, result.media.type, result.media.charset);
}

void PageReader::add_header(std::string_view name, std::string_view value) {
  if (equals_ignore_case(name, "link")) return add_links(value);
  for (robots::PageDirectives& page : pages_) page.add_http_header(name, value);
}

void PageReader::add_links(std::string_view value) {
  html::HeaderLink link;
  while (html::next_header_link(value, link)) {
    if (link.has_anchor || !is_rsl(link.rel, link.type)) continue;
    for (robots::PageDirectives& page : pages_) page.add_license(link.target, "Link");
  }
}

// Reads a body that is HTML, or has no type.
void PageReader::read_body(std::string_view body, std::string_view type, std::string_view charset) {
  if (!is_html(type)) return;
  const html::Page& found = extractor_.extract(body, charset);
  for (robots::PageDirectives& page : pages_) {
    for (const html::Meta& meta : found.metas) page.add_meta(meta.name, meta.content);
    for (const html::Link& link : found.links) {
      if (is_rsl(link.rel, link.type)) page.add_license(link.value, "link");
    }
  }
}

int check_pages(RobotsContext& context) {
  PageChecker checker(context);
  std::string_view line;
  while (context.tool.next(line)) checker.check(line);
  return context.tool.status();
}

}  // namespace spinneret
