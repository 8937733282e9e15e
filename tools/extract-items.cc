// SPDX-License-Identifier: Apache-2.0
// extract-items: reads pages, and prints the items on them, each page's followed by its own record.
// lib/select says what an item is.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/excerpt.h"
#include "base/outcome.h"
#include "base/text_file.h"
#include "body/reader.h"
#include "cli/tool.h"
#include "io/line_file.h"
#include "io/record.h"
#include "page/content.h"
#include "page/headers.h"
#include "page/reader.h"
#include "page_stream.h"
#include "select/items.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "the input is a document, found at URL"},
    {0, "type", "TYPE", "its media type (default: by its content)",
     "text/html|application/xhtml+xml|text/plain|text/css|application/xml|application/rss+xml|"},
    {0, "charset", "LABEL", "its encoding, as HTTP would give it"},
    {0, "each", "SELECTOR", "one item for each of these elements"},
    {'f', "field", "NAME=SELECTOR", "a field: an element's text, or @ATTR of it"},
    {0, "rules", "FILE", "fields by host and path (repeatable)"},
    {0, "json-ld", nullptr, "items of JSON-LD"},
    {0, "microdata", nullptr, "items of microdata"},
    {0, "rdfa", nullptr, "items of RDFa"},
    {0, "opengraph", nullptr, "Open Graph and similar metadata, as an item"},
    {0, "tables", nullptr, "rows of tables, as items"},
    {0, "items-to", "FILE", "append items to FILE, pass records as they are"},
    {0, "keep-body", nullptr, "keep the body in the page's record"},
    {0, "explain", nullptr, "add which element matched, and where"},
    {0, "check", nullptr, "check the rules, and read no page"},
};
constexpr cli::ToolSpec kExtractItems{
    "extract-items", "print the items of pages, by CSS selectors",
    "[OPTION]... [NAME=SELECTOR[@ATTR]]... [RECORDS|DOCUMENT]...", kOptions,
    "  fetch https://example.org/ | extract-items title=h1 link=a@href\n"
    "  extract-items --base=http://h/ --each=li name=h2 price=.price page.html\n"};

// Whether the operand is NAME=..., a field.
bool is_field_operand(std::string_view operand) {
  const std::size_t equals = operand.find('=');
  return equals != std::string_view::npos && is_field_key(operand.substr(0, equals)) &&
         !cli::is_url_operand(operand);
}

class Extraction : private select::ItemTaker {
 public:
  Extraction(cli::Tool& tool, std::vector<std::string>& operands);

  bool has_base() const { return !base_.empty(); }
  int check();
  void record_line(std::string_view line);
  void document(const std::string& file, std::string_view bytes);
  void close() {
    if (items_) is_kept(items_->close());
  }

 private:
  void read_rules(std::vector<std::string>& operands);
  void read_file(const std::string& path);
  static select::ItemOptions item_options(const cli::Options& options);
  void item(const select::Item& item) override;
  void page(const html::Charset& charset) override { charset_ = charset; }
  void trouble(std::string_view reason, std::uint64_t line) override;
  std::uint64_t read(std::string_view body, std::string_view type, std::string_view charset);
  bool keep_items();
  bool is_kept(const Status& kept);

  cli::Tool& tool_;
  select::ItemRules rules_;
  select::ItemOptions options_;
  select::ItemReader reader_;
  std::string base_;
  std::string file_;  // with --base: the file that is read
  bool keep_body_;
  std::optional<LineFile> items_;  // --items-to
  std::string failure_;            // why items_ cannot be written, once it cannot
  std::string lines_;              // lines for items_
  body::BodyReader bodies_;
  page::BodyUnpacker unpacker_;
  Record record_;
  Record item_;
  Url url_;
  std::string key_;  // the URL of the items
  UrlError why_;
  html::Charset charset_;     // charset of the page
  std::uint64_t number_ = 0;  // number of the present item
};

select::ItemOptions Extraction::item_options(const cli::Options& options) {
  select::ItemOptions out;
  out.json_ld = options.has("json-ld");
  out.microdata = options.has("microdata");
  out.rdfa = options.has("rdfa");
  out.opengraph = options.has("opengraph");
  out.tables = options.has("tables");
  out.matches = options.has("explain");
  return out;
}

void Extraction::read_file(const std::string& path) {
  std::string buffer;
  const Result<std::string_view> text = cli::read_operand(path, buffer);
  if (!text.ok()) tool_.options().usage_error("--rules: " + text.message());
  if (is_utf16(*text)) tool_.options().usage_error("--rules: " + utf16_message(path));
  rules_.add_text(*text, path);
}

// Reads the files of --rules, then a rule of --each and the fields.
void Extraction::read_rules(std::vector<std::string>& operands) {
  const cli::Options& options = tool_.options();
  for (const std::string& path : options.all("rules")) read_file(path);
  std::uint32_t number = 0;
  rules_.add_line("[*]", {"--each", 0});
  if (options.has("each")) {
    if (options.all("each").size() > 1)
      options.usage_error("--each may be given once: put several into --rules");
    rules_.add_line("each " + options.get("each"), {"--each", 1});
  }
  for (const std::string& field : options.all("field"))
    rules_.add_field(field, {"--field", ++number});
  for (const std::string& operand : tool_.options().operands()) {
    if (is_field_operand(operand)) {
      rules_.add_field(operand, {"field", ++number});
    } else {
      operands.push_back(operand);
    }
  }
  rules_.finish();
}

Extraction::Extraction(cli::Tool& tool, std::vector<std::string>& operands)
    : tool_(tool),
      options_(item_options(tool.options())),
      reader_(rules_, options_),
      base_(tool.options().get("base")),
      keep_body_(tool.options().has("keep-body")) {
  const cli::Options& options = tool.options();
  read_rules(operands);
  if (options.has("check")) return;
  if (!rules_.problems().empty()) {
    for (std::size_t i = 1; i < std::min<std::size_t>(rules_.problems().size(), 20); ++i)
      tool.notice(rules_.problems()[i].to_string());
    options.usage_error(rules_.problems()[0].to_string());
  }
  const bool fixed = options_.json_ld || options_.microdata || options_.rdfa ||
                     options_.opengraph || options_.tables;
  if (rules_.rules().empty() && !fixed)
    options.usage_error("nothing to look for: NAME=SELECTOR, --rules, --json-ld, --microdata, ...");
  if (!options.has("items-to")) return;
  auto file = LineFile::open(options.get("items-to"));
  if (!file.ok()) options.usage_error("--items-to: " + file.message());
  items_.emplace(file.take());
}

int Extraction::check() {
  for (const policy::Problem& bad : rules_.problems()) {
    tool_.notice(bad.to_string());
    tool_.note_refusal();
  }
  for (const policy::Problem& odd : rules_.remarks()) tool_.notice(odd.to_string() + " (remark)");
  return tool_.status();
}

void Extraction::item(const select::Item& found) {
  item_.reset(key_);
  item_.set_unsigned("item", ++number_);
  for (const auto& [name, value] : found.values) {
    const bool ours = name == "item" || name == "outcome" || name == "url" || name == "columns" ||
                      (options_.matches && name == "read-as");
    item_.add(ours ? "x-" + name : name, without_controls(value));
  }
  if (options_.matches) item_.set("read-as", html::describe(charset_));
  for (const std::string& match : found.matches) item_.add("match", without_controls(match));
  item_.set_outcome(to_string(Outcome::kItem));
  if (!items_) return tool_.writer().write(item_);
  item_.append_to(lines_);
  lines_ += '\n';
}

// Reports trouble: in a document at the page's line; in a record at the record's line, with the
// page's line in words.
void Extraction::trouble(std::string_view reason, std::uint64_t line) {
  if (!file_.empty())
    return tool_.refuse_at(file_, std::max<std::uint64_t>(line, 1), reason, base_);
  const std::string where = line == 0 ? "" : "line " + std::to_string(line) + " of the page: ";
  tool_.refuse(where + std::string(reason), url_.href());
}

// Reads the items of a page. Returns their number.
std::uint64_t Extraction::read(std::string_view body, std::string_view type,
                               std::string_view charset) {
  number_ = 0;
  bool broken = false;
  body = unpacker_.open(body, broken);
  if (broken) trouble("gzip body is broken or over 64 MiB: read as far as it goes", 0);
  if (type.empty()) type = page::type_of_name(url_.path());
  if (page::content_of(type, charset, false, body) == page::Content::kHtml)
    reader_.read(url_, body, charset, *this, 0, page::syntax_of(type));
  return number_;
}

// Writes the items to --items-to. Returns false where that fails, with the reason in failure_.
bool Extraction::keep_items() {
  if (!items_ || lines_.empty()) return true;
  const Status kept = items_->append(lines_);
  lines_.clear();
  return is_kept(kept);
}

bool Extraction::is_kept(const Status& kept) {
  if (kept.ok()) return true;
  failure_ = "--items-to: " + kept.message();
  tool_.trouble(failure_);
  return false;
}

void Extraction::record_line(std::string_view line) {
  if (!is_settled(line)) {
    look_at_unsettled(tool_, line);
    return tool_.writer().write_line(line);
  }
  record_.parse(line);
  const std::string_view purpose = record_.raw("purpose");
  if (!page::holds_page(record_.raw("outcome")) || purpose == "robots" || purpose == "sitemap" ||
      page::is_checked(purpose))
    return tool_.writer().write_line(line);
  if (!failure_.empty()) return give_back(tool_, record_, failure_);
  const auto body = bodies_.read(record_);
  if (!body.ok()) return refuse_body(tool_, record_, body.message());
  if (!bodies_.is_there()) return tool_.writer().write_line(line);
  if (parse(record_.url(), url_)) key_ = url_.href();
  if (!parse(page::answered_url(record_), url_, &why_)) {
    tool_.refuse("page's URL: " + why_.message, record_.url());
  } else if (reader_.wants(url_)) {
    const std::string type(record_.get("type").value_or(""));
    const std::string charset(record_.get("charset").value_or(""));
    const std::uint64_t items = read(*body, type, charset);
    if (!keep_items()) return give_back(tool_, record_, failure_);
    if (!items_) record_.set_unsigned("items", items);
  }
  if (items_) return tool_.writer().write_line(line);
  if (!keep_body_) record_.remove("body");
  tool_.writer().write(record_);
}

void Extraction::document(const std::string& file, std::string_view bytes) {
  if (!parse(base_, url_, &why_)) {
    tool_.options().usage_error("--base takes an absolute URL: " + why_.message + ": " +
                                excerpt(base_));
  }
  key_ = url_.href();
  file_ = file == "-" ? "standard input" : file;
  read(bytes, tool_.options().get("type"), tool_.options().get("charset"));
  if (!keep_items()) tool_.trouble(file + ": items are lost");
}

int run(cli::Tool& tool) {
  check_document_options(tool.options());
  std::vector<std::string> operands;
  Extraction extraction(tool, operands);
  if (tool.options().has("check")) return extraction.check();
  refuse_archives(tool, operands);
  if (extraction.has_base()) {
    tool.for_each_document(std::move(operands),
                           [&extraction](const std::string& file, std::string_view bytes) {
                             extraction.document(file, bytes);
                             return true;
                           });
  } else {
    tool.set_operands(std::move(operands));
    std::string_view line;
    while (tool.next(line)) extraction.record_line(line);
  }
  extraction.close();
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kExtractItems, argc, argv, run); }
