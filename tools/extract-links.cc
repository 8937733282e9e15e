// SPDX-License-Identifier: Apache-2.0
// extract-links: pages in, their links out, then the page's own record without its body.
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/outcome.h"
#include "cli/tool.h"
#include "html/extractor.h"
#include "io/record.h"
#include "robots/page_directives.h"
#include "url/parse.h"

namespace {

using namespace spinneret;
using html::Link;
using html::Page;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "the input is one document, found at URL"},
    {0, "charset", "LABEL", "its encoding, as HTTP would say it"},
    {0, "only", "WHAT", "these links only (repeatable)"},
    {0, "except", "WHAT", "but not these (repeatable)"},
    {0, "attr", "TAG@ATTR", "an attribute of your own (repeatable)"},
    {'A', "agent", "NAME", "obey meta robots for NAME too"},
    {0, "ignore-nofollow", nullptr, "links of nofollow pages too"},
    {0, "any-scheme", nullptr, "mailto:, data: and the like too"},
    {0, "raw", nullptr, "add the link as it stands in the page"},
    {0, "positions", nullptr, "add its byte offset"},
    {0, "errors", nullptr, "report links that are no URL"},
};
constexpr cli::ToolSpec kTool{
    "extract-links", "print the links of pages", "[OPTION]... [RECORDS]...", kOptions,
    "WHAT: page (default), resource, meta, feed, all, or TAG, @ATTR, TAG@ATTR, rel=TOKEN.\n"
    "  fetch https://example.org/ | extract-links | cut -f1\n"
    "  extract-links --base=https://example.org/ --only=all page.html\n"};

class Extraction {
 public:
  explicit Extraction(cli::Tool& tool)
      : tool_(tool),
        extractor_(extract_options(tool.options())),
        directives_(tool.options().get("agent")),
        charset_(tool.options().get("charset")),
        ignore_nofollow_(tool.options().has("ignore-nofollow")),
        any_scheme_(tool.options().has("any-scheme")),
        raw_(tool.options().has("raw")),
        positions_(tool.options().has("positions")),
        errors_(tool.options().has("errors")) {}

  void record_line(std::string_view line);
  void document(std::string_view bytes, std::string_view url);

 private:
  static html::ExtractOptions extract_options(const cli::Options& options);
  std::optional<std::string_view> body_of();
  bool is_torn(std::string_view body);
  void emit_page(std::string_view body);
  void emit_location();
  void emit_links(const Page& page);
  void emit_link(const Link& link, const html::Charset& charset);
  void begin_candidate(std::string_view url, std::string_view tag);
  void add_field(std::string_view key, std::string_view value);
  void finish_candidate();
  std::string_view judge(const Page& page);
  bool is_canonical_elsewhere(const Page& page);

  cli::Tool& tool_;
  html::LinkExtractor extractor_;
  PageDirectives directives_;
  std::string charset_;
  bool ignore_nofollow_;
  bool any_scheme_;
  bool raw_;
  bool positions_;
  bool errors_;

  Record record_;
  Url page_url_;
  Url base_;
  Url link_;
  UrlError why_;
  std::string body_;       // of body-file
  std::string depth_;      // of the page's links
  std::string via_;        // the page's URL, escaped
  std::string line_;
  std::uint64_t links_ = 0;
  std::uint64_t bad_links_ = 0;
};

html::ExtractOptions Extraction::extract_options(const cli::Options& options) {
  html::ExtractOptions out;
  for (const auto& [name, value] : options.in_order()) {
    const bool known = name == "only"     ? out.selection.add_only(value)
                       : name == "except" ? out.selection.add_except(value)
                                          : true;
    if (!known) {
      options.usage_error("--" + name + " takes page, resource, meta, feed, all, TAG, @ATTR, " +
                          "TAG@ATTR or rel=TOKEN, not " + excerpt(value));
    }
    if (name != "attr") continue;
    const std::size_t at = value.find('@');
    if (at == std::string::npos || at + 1 == value.size()) {
      options.usage_error("--attr takes TAG@ATTR or @ATTR, not " + excerpt(value));
    }
    out.attributes.emplace_back(to_lower_copy(value.substr(0, at)),
                                to_lower_copy(value.substr(at + 1)));
  }
  return out;
}

// --- one candidate ---

void Extraction::begin_candidate(std::string_view url, std::string_view tag) {
  line_.assign(url);
  if (!depth_.empty()) line_.append("\tdepth=").append(depth_);
  line_.append("\tvia=").append(via_);
  line_.append("\ttag=").append(tag);
}

void Extraction::add_field(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  line_.append("\t").append(key).append("=");
  append_escaped(line_, value);
}

void Extraction::finish_candidate() {
  tool_.writer().write_line(line_);
  ++links_;
}

// Tokens in lower case, one space between.
std::string folded_rel(std::string_view rel) {
  std::string out;
  for (const char c : rel) {
    if (!is_space(c)) {
      out += to_lower(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

void Extraction::emit_link(const Link& link, const html::Charset& charset) {
  if (!resolve(link.value, base_, link_, &why_, charset.encoding->query_encoder())) {
    ++bad_links_;
    if (errors_) tool_.refuse("link is no URL: " + why_.message, link.value);
    return;
  }
  if (!any_scheme_ && !link_.is_http()) return;
  begin_candidate(link_.href(), link.element);
  line_.append("@").append(link.attribute);
  add_field("rel", folded_rel(link.rel));
  add_field("text", link.text);
  add_field("ctx", html::to_string(link.context));
  if (raw_) add_field("raw", link.value);
  if (positions_) add_field("offset", std::to_string(link.offset + charset.bom));
  finish_candidate();
}

void Extraction::emit_links(const Page& page) {
  // A base that is no URL, or whose scheme cannot be one's, leaves the document's own.
  if (!page.has_base || !resolve(page.base, page_url_, base_) || base_.scheme() == "data" ||
      base_.scheme() == "javascript") {
    base_ = page_url_;
  }
  for (const Link& link : page.links) emit_link(link, page.charset);
}

// --- one page ---

bool Extraction::is_canonical_elsewhere(const Page& page) {
  return page.has_canonical && resolve(page.canonical, base_, link_) && link_.is_http() &&
         link_.href_without_fragment() != page_url_.href_without_fragment();
}

// The outcome that the page's own words ask for, or empty.
std::string_view Extraction::judge(const Page& page) {
  if (directives_.noindex()) return to_string(Outcome::kNoindex);
  if (is_canonical_elsewhere(page)) return to_string(Outcome::kNonCanonical);
  return {};
}

void Extraction::emit_page(std::string_view body) {
  const std::string charset(record_.get("charset").value_or(""));
  const Page& page = extractor_.extract(body, charset);
  directives_.clear();
  for (const Record::Field& field : record_.fields()) {
    if (field.key != "x-robots-tag") continue;
    std::string value;
    append_unescaped(value, field.raw);
    directives_.add_header(value);
  }
  for (const html::Meta& meta : page.metas) directives_.add_meta(meta.name, meta.content);
  base_ = page_url_;
  if (ignore_nofollow_ || !directives_.nofollow()) emit_links(page);
  const std::string_view outcome = judge(page);
  if (!outcome.empty() && record_.raw("outcome") == to_string(Outcome::kOk)) {
    record_.set_outcome(outcome);
  }
}

void Extraction::emit_location() {
  const auto location = record_.get("location");
  if (!location || !resolve(*location, page_url_, link_)) return;
  begin_candidate(link_.href(), "location");
  finish_candidate();
}

// The body, wherever it is; nothing where there is none. Reports what cannot be used.
std::optional<std::string_view> Extraction::body_of() {
  if (record_.has("body")) return record_.get("body");
  const auto path = record_.get("body-file");
  if (!path) return std::string_view();
  auto bytes = read_file(std::string(*path));
  if (!bytes.ok()) {
    tool_.refuse(bytes.message() + ": record dropped", record_.url());
    return std::nullopt;
  }
  body_ = bytes.take();
  return std::string_view(body_);
}

bool is_html_type(std::string_view type) {
  type = trim(type.substr(0, type.find(';')));
  return type.empty() || equals_ignore_case(type, "text/html") ||
         equals_ignore_case(type, "application/xhtml+xml");
}

bool holds_page(std::string_view outcome) {
  return outcome == "ok" || outcome == "duplicate" || outcome == "noindex" ||
         outcome == "non-canonical";
}

bool Extraction::is_torn(std::string_view body) {
  const auto size = parse_unsigned(record_.raw("size"));
  if (!size || *size == body.size() || !(record_.has("body") || record_.has("body-file"))) return false;
  tool_.refuse("body of " + std::to_string(body.size()) + " bytes where size says " +
                   std::to_string(*size) + ": torn record dropped",
               record_.url());
  return true;
}

// A record without page or redirect passes as it is.
void Extraction::record_line(std::string_view line) {
  if (!is_settled(line)) return tool_.writer().write_line(line);
  record_.parse(line);
  const auto body = body_of();
  if (!body || is_torn(*body)) return;
  if (record_.raw("purpose") == "robots" || !(record_.has("location") || record_.has("body") || !body->empty())) {
    return tool_.writer().write_line(line);
  }
  bad_links_ = 0;
  if (parse(record_.url(), page_url_, &why_)) {
    depth_.clear();
    append_unsigned(depth_, parse_unsigned(record_.raw("depth")).value_or(0) + 1);
    via_.assign(record_.url());
    emit_location();
    const std::string type(record_.get("type").value_or(""));
    if (!body->empty() && holds_page(record_.raw("outcome")) && is_html_type(type)) emit_page(*body);
  } else {
    tool_.refuse("page's URL: " + why_.message, record_.url());
  }
  if (bad_links_ != 0) record_.set_unsigned("bad-links", bad_links_);
  record_.remove("body");
  tool_.writer().write(record_);
}

// A document that came without a record.
void Extraction::document(std::string_view bytes, std::string_view url) {
  if (!parse(url, page_url_, &why_)) {
    tool_.options().usage_error("--base takes an absolute URL: " + why_.message + ": " + excerpt(url));
  }
  via_ = page_url_.href();
  directives_.clear();
  const Page& page = extractor_.extract(bytes, charset_);
  for (const html::Meta& meta : page.metas) directives_.add_meta(meta.name, meta.content);
  base_ = page_url_;
  if (ignore_nofollow_ || !directives_.nofollow()) emit_links(page);
}

void run_documents(cli::Tool& tool, Extraction& extraction) {
  std::vector<std::string> operands = tool.options().operands();
  if (operands.empty()) operands.emplace_back("-");
  for (const std::string& operand : operands) {
    const auto bytes = read_file(operand == "-" ? "/dev/stdin" : operand);
    if (!bytes.ok()) {
      tool.trouble(bytes.message());
      continue;
    }
    extraction.document(*bytes, tool.options().get("base"));
  }
}

int run(cli::Tool& tool) {
  Extraction extraction(tool);
  if (tool.options().has("base")) {
    run_documents(tool, extraction);
    return tool.status();
  }
  std::string_view line;
  while (tool.next(line)) extraction.record_line(line);
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
