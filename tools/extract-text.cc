// SPDX-License-Identifier: Apache-2.0
// extract-text: reads pages, and prints their records with what the pages say.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "body/reader.h"
#include "cli/tool.h"
#include "io/line_file.h"
#include "page/content.h"
#include "page/headers.h"
#include "page/reader.h"
#include "page_stream.h"
#include "text/facts.h"
#include "text/model.h"
#include "text/page.h"
#include "text/plain.h"
#include "text/render.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "the input is a document, found at URL"},
    {0, "type", "TYPE", "its media type (default: by its content)",
     "text/html|application/xhtml+xml|text/plain|text/css|application/xml|application/rss+xml|"},
    {0, "charset", "LABEL", "its encoding, as HTTP would give it"},
    {0, "what", "PART", "main (default), visible or all text", "main|visible|all"},
    {0, "format", "FORM", "text (default), markdown or weighted", "text|markdown|weighted"},
    {0, "with", "LIST", "comments, tables, links, images too", "comments,tables,links,images"},
    {0, "keep-body", nullptr, "keep the body in the record"},
    {0, "text-to", "FILE", "append text to FILE, pass records as they are"},
    {0, "explain", nullptr, "say where fields come from, and what was cut"},
};
constexpr cli::ToolSpec kExtractText{
    "extract-text", "print the text of pages, and what they say of themselves",
    "[OPTION]... [RECORDS|DOCUMENT]...", kOptions,
    "  fetch https://example.org/ | extract-text --fields=url,title,published,text\n"
    "  extract-text --base=https://example.org/ --format=markdown --json page.html\n"};

enum class What : std::uint8_t { kMain, kVisible, kAll };  // in the order of --what

// Fields that describe the page. Those of an earlier run are no longer valid.
constexpr std::string_view kFields[] = {"title",      "lang",     "description", "author",
                                        "published",  "modified", "site-name",   "text",
                                        "text-words", "sources",  "cut",         "read-as"};

// Returns the kind that content_of() gives, except that other text, such as Markdown, counts as
// text here.
page::Content kind_of(std::string_view type, std::string_view charset, std::string_view body) {
  const page::Content content = page::content_of(type, charset, false, body);
  const bool text = content == page::Content::kNone && !page::is_xml_type(type) &&
                    equals_ignore_case(trim(type).substr(0, 5), "text/");
  return text ? page::Content::kText : content;
}

// Returns a function that resolves the addresses of the page's links, for those who read its text
// elsewhere.
std::function<std::string(std::string_view)> addresses_of(const text::Page& page, const Url& url) {
  Url base;
  page::find_base(url, page.has_base, page.base, base);
  return [base](std::string_view address) {
    Url out;
    const bool leads =
        resolve(address, base, out) && out.scheme() != "javascript" && out.scheme() != "data";
    return leads ? std::string(out.href()) : std::string();
  };
}

class TextTool {
 public:
  explicit TextTool(cli::Tool& tool);
  void record_line(std::string_view line);
  bool document(const std::string& file, std::string_view bytes);
  bool takes_documents() const { return !base_.empty(); }
  void close() {
    if (file_) is_kept(file_->close());
  }

 private:
  void read_with(const std::string& list);
  void refuse(std::string_view reason, std::string_view url);
  void read(std::string_view url, std::string_view body, std::string_view type,
            std::string_view charset, Record& out);
  std::vector<bool> choose(const text::Page& page, std::string_view url);
  void add_facts(const text::Page& page, std::string_view url, Record& out);
  void set(Record& out, std::string_view field, const text::Fact& fact);
  bool keep(Record& found);
  bool is_kept(const Status& kept);

  cli::Tool& tool_;
  std::string base_;
  std::string type_, charset_;
  std::string document_;  // with --base: the file that is read
  What what_ = What::kMain;
  text::Rendering how_;
  bool comments_ = false, tables_ = false, explain_ = false, keep_body_ = false;
  std::optional<LineFile> file_;
  std::string failure_;  // why file_ cannot be written, once it cannot
  text::PageReader reader_;
  body::BodyReader bodies_;
  page::BodyUnpacker unpacker_;
  std::string as_page_, sources_;
  Record record_, found_;
  Url url_;
};

TextTool::TextTool(cli::Tool& tool) : tool_(tool) {
  const cli::Options& options = tool.options();
  base_ = options.get("base");
  type_ = options.get("type");
  charset_ = options.get("charset");
  what_ = static_cast<What>(options.choice("what", 0));
  how_.format = static_cast<text::Format>(options.choice("format", 0));
  explain_ = options.has("explain");
  keep_body_ = options.has("keep-body");
  for (const std::string& list : options.all("with")) read_with(list);
  Url url;
  UrlError why;
  if (!base_.empty() && !parse(base_, url, &why))
    options.usage_error("--base takes an absolute URL: " + why.message + ": " + excerpt(base_));
  const std::string& name = options.get("text-to");
  if (name.empty()) return;
  Result<LineFile> opened = LineFile::open(name);
  if (!opened.ok()) options.usage_error("--text-to: " + opened.message());
  file_.emplace(opened.take());
}

void TextTool::read_with(const std::string& list) {
  constexpr std::string_view kWords[] = {"comments", "tables", "links", "images"};
  std::string_view rest = list;
  do {
    const std::string_view word = trim(cut(rest, ','));
    if (word == "comments") {
      comments_ = true;
    } else if (word == "tables") {
      tables_ = true;
    } else if (word == "links") {
      how_.links = true;
    } else if (word == "images") {
      how_.images = true;
    } else {
      tool_.options().usage_error(
          "--with takes comments, tables, links, images or a list of them, not " + excerpt(word) +
          did_you_mean(word, kWords));
    }
  } while (!rest.empty());
}

// Reports trouble with a page. A document has no line of a stream that could be named.
void TextTool::refuse(std::string_view reason, std::string_view url) {
  if (document_.empty()) return tool_.refuse(reason, url);
  tool_.refuse_at(document_, 1, reason, url);
}

// --- a page ---

std::vector<bool> TextTool::choose(const text::Page& page, std::string_view url) {
  std::vector<bool> chosen(page.blocks.size(), true);
  if (what_ == What::kAll) return chosen;
  if (what_ == What::kVisible) {
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = !page.blocks[i].hidden;
    return chosen;
  }
  chosen = text::choose_main(page, text::likelihoods(page, url));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const text::Cues cues = page.cues_of(page.blocks[i]);
    if (comments_ && text::has(cues, text::Cue::kCommentWord)) chosen[i] = true;
    if (tables_ && text::has(cues, text::Cue::kTable) && !page.blocks[i].hidden) chosen[i] = true;
  }
  return chosen;
}

void TextTool::set(Record& out, std::string_view field, const text::Fact& fact) {
  if (fact.value.empty()) return;
  out.set(field, without_controls(fact.value));
  sources_ += (sources_.empty() ? "" : " ") + std::string(field) + ":" + std::string(fact.source);
}

void TextTool::add_facts(const text::Page& page, std::string_view url, Record& out) {
  const text::Facts facts = text::find_facts(page, url);
  sources_.clear();
  set(out, "title", facts.title);
  set(out, "lang", text::find_language(page, record_.get("content-language").value_or("")));
  set(out, "description", facts.description);
  set(out, "author", facts.author);
  set(out, "published", facts.published);
  set(out, "modified", facts.modified);
  set(out, "site-name", facts.site_name);
  if (explain_) out.set("read-as", html::describe(page.charset));
  if (explain_ && !sources_.empty()) out.set("sources", sources_);
}

void TextTool::read(std::string_view url, std::string_view body, std::string_view type,
                    std::string_view charset, Record& out) {
  bool broken = false;
  body = unpacker_.open(body, broken);
  if (broken) refuse("gzip body is broken or over 64 MiB: read as far as it goes", url);
  if (type.empty() && parse(url, url_)) type = page::type_of_name(url_.path());
  for (const std::string_view field : kFields) out.remove(field);
  const page::Content content = kind_of(type, charset, body);
  if (content != page::Content::kHtml && content != page::Content::kText)
    return out.set_unsigned("text-words", 0);
  const bool plain = content == page::Content::kText;
  const text::Page& page = plain ? reader_.read(text::plain_document(body, as_page_), charset)
                                 : reader_.read(body, charset, page::syntax_of(type));
  add_facts(page, url, out);
  const std::vector<bool> chosen =
      plain ? std::vector<bool>(page.blocks.size(), true) : choose(page, url);
  const std::uint64_t words = text::count_words(page, chosen);
  // A page that is filled by scripts may still tell search engines what it holds.
  constexpr std::uint64_t kFewWords = 20;
  if (what_ == What::kMain && words < kFewWords && !plain) {
    const std::string said = text::json_body(page);
    if (const std::uint64_t count = text::count_words(said); count >= kFewWords) {
      out.set("text", said);
      return out.set_unsigned("text-words", count);
    }
  }
  if (parse(url, url_)) how_.address = addresses_of(page, url_);
  out.set("text", text::render(page, chosen, how_));
  out.set_unsigned("text-words", words);
  if (!explain_ || what_ != What::kMain) return;
  if (const std::string cuts = text::describe_cuts(page, chosen); !cuts.empty())
    out.set("cut", cuts);
}

// --- records ---

bool TextTool::keep(Record& found) {
  std::string line;
  found.append_to(line);
  line += '\n';
  return is_kept(file_->append(line));
}

bool TextTool::is_kept(const Status& kept) {
  if (kept.ok()) return true;
  failure_ = kept.message();
  tool_.trouble(failure_);
  return false;
}

void TextTool::record_line(std::string_view line) {
  const auto pass = [this, line] { tool_.writer().write_line(line); };
  if (!is_settled(line)) {
    look_at_unsettled(tool_, line);
    return pass();
  }
  record_.parse(line);
  const std::string_view purpose = record_.raw("purpose");
  if (!page::holds_page(record_.raw("outcome")) || purpose == "robots" || purpose == "sitemap" ||
      page::is_checked(purpose))
    return pass();
  if (!failure_.empty()) return give_back(tool_, record_, failure_);
  const auto body = bodies_.read(record_);
  if (!body.ok()) return refuse_body(tool_, record_, body.message());
  if (!bodies_.is_there()) return pass();
  const std::string url = page::answered_url(record_);
  const std::string type(record_.get("type").value_or(""));
  const std::string charset(record_.get("charset").value_or(""));
  if (file_) {
    found_.reset(record_.url());
    read(url, *body, type, charset, found_);
    return keep(found_) ? pass() : give_back(tool_, record_, failure_);
  }
  read(url, *body, type, charset, record_);
  if (!keep_body_) record_.remove("body");
  tool_.writer().write(record_);
}

bool TextTool::document(const std::string& file, std::string_view bytes) {
  document_ = file == "-" ? "standard input" : file;
  record_.reset(base_);
  found_.reset(base_);
  read(base_, bytes, type_, charset_, found_);
  if (file_) return keep(found_);
  tool_.writer().write(found_);
  return true;
}

int run(cli::Tool& tool) {
  check_document_options(tool.options());
  refuse_archives(tool, tool.options().operands());
  TextTool texts(tool);
  return read_pages(tool, texts);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kExtractText, argc, argv, run); }
