// SPDX-License-Identifier: Apache-2.0
// extract-links: pages in, their links out, then the page's own record without its body.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/outcome.h"
#include "body/reader.h"
#include "cli/tool.h"
#include "extract_content.h"
#include "extract_headers.h"
#include "extract_output.h"
#include "extract_page.h"
#include "extract_settings.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

class Extraction {
 public:
  explicit Extraction(cli::Tool& tool)
      : tool_(tool),
        settings_(extract_settings(tool.options())),
        page_(settings_),
        writer_(tool, settings_),
        content_(writer_, page_) {
    if (!settings_.edges.empty()) open_edges();
  }

  const ExtractSettings& settings() const { return settings_; }
  // False: the edges cannot be written, and the record waits for whoever reads it again.
  bool record_line(std::string_view line);
  bool document(const std::string& file, std::string_view bytes);

 private:
  void open_edges();
  bool keep_edges();
  bool wants_pass(std::string_view body);
  void page_record(std::string_view body);
  void judge();

  cli::Tool& tool_;
  ExtractSettings settings_;
  ExtractedPage page_;
  LinkWriter writer_;
  std::optional<EdgeFile> edges_;
  ContentReader content_;
  BodyReader bodies_;
  UrlError why_;
};

bool holds_page(std::string_view outcome) {
  return outcome == "ok" || outcome == "duplicate" || outcome == "noindex" ||
         outcome == "non-canonical";
}

void Extraction::open_edges() {
  Result<EdgeFile> opened = EdgeFile::open(settings_.edges);
  if (!opened.ok()) tool_.options().usage_error("--edges: " + opened.message());
  edges_.emplace(opened.take());
  writer_.set_edges(&*edges_);
}

// The page's links, ahead of its record.
bool Extraction::keep_edges() {
  const Status kept = edges_ ? edges_->flush() : Status();
  if (!kept.ok()) tool_.trouble(kept.message());
  return kept.ok();
}

// --- records ---

// The outcome that the page's own words ask for.
void Extraction::judge() {
  if (page_.record.raw("outcome") != to_string(Outcome::kOk)) return;
  const std::int64_t now = static_cast<std::int64_t>(std::time(nullptr));
  if (page_.directives.noindex(now)) {
    if (const PageDirectives::Rule* const rule = page_.directives.noindex_rule(now);
        settings_.explain && rule != nullptr) {
      page_.record.set("rule", without_controls(rule->source + ": " + rule->name +
                                                (rule->value.empty() ? "" : ": " + rule->value)));
    }
    page_.record.set_outcome(to_string(Outcome::kNoindex));
  } else if (!page_.canonical.empty()) {
    if (settings_.explain) page_.record.set("rule", "canonical: " + page_.canonical);
    page_.record.set_outcome(to_string(Outcome::kNonCanonical));
  }
}

void Extraction::page_record(std::string_view body) {
  page_.begin();
  std::string depth;
  const std::uint64_t own_depth = parse_unsigned(page_.record.raw("depth")).value_or(0);
  append_unsigned(depth, std::max(own_depth, own_depth + 1));
  writer_.begin_page(page_.record.url(), depth, body);
  write_redirect(page_, writer_);
  if (page_.record.raw("purpose") == "robots") {
    content_.read_robots(body);
    return;
  }
  if (!holds_page(page_.record.raw("outcome"))) return;
  read_header_directives(page_);
  const std::string type(page_.record.get("type").value_or(""));
  const std::string charset(page_.record.get("charset").value_or(""));
  if (!body.empty()) content_.read(body, type, charset);
  write_header_links(page_, writer_);
  judge();
}

// Whether there is nothing in the record for us.
bool Extraction::wants_pass(std::string_view body) {
  const bool robots = page_.record.raw("purpose") == "robots";
  if (robots) return !settings_.extract.selection.wants_kind(html::LinkKind::kFeed);
  return body.empty() && !page_.record.has("body") && !page_.record.has("location") &&
         !has_link_headers(page_.record);
}

bool Extraction::record_line(std::string_view line) {
  if (!is_settled(line)) {
    tool_.writer().write_line(line);
    return true;
  }
  page_.record.parse(line);
  const auto body = bodies_.read(page_.record);
  if (!body.ok()) {
    tool_.refuse(body.message() + ": record dropped", page_.record.url());
    return true;
  }
  if (wants_pass(*body)) {
    tool_.writer().write_line(line);
    return true;
  }
  if (parse(page_.record.url(), page_.url, &why_)) {
    page_record(*body);
    if (writer_.bad_links() != 0) page_.record.set_unsigned("bad-links", writer_.bad_links());
  } else {
    tool_.refuse("page's URL: " + why_.message, page_.record.url());
  }
  if (page_.record.raw("purpose") != "robots") page_.record.remove("body");
  if (!keep_edges()) return false;
  tool_.writer().write(page_.record);
  return true;
}

// --- documents that come without a record ---

bool Extraction::document(const std::string& file, std::string_view bytes) {
  writer_.set_file(file);
  if (!parse(settings_.base, page_.url, &why_)) {
    tool_.options().usage_error("--base takes an absolute URL: " + why_.message + ": " +
                                excerpt(settings_.base));
  }
  page_.begin();
  page_.record.reset(page_.url.href());
  const std::string_view type = settings_.type;
  if (!settings_.extract.plain_text &&
      equals_ignore_case(trim(type.substr(0, type.find(';'))), "text/plain")) {
    page_.record.set("purpose", "sitemap");
  }
  writer_.begin_page(page_.url.href(), {}, bytes);
  content_.read(bytes, settings_.type, settings_.charset);
  page_.record.remove("purpose");
  if (writer_.bad_links() != 0) page_.record.set_unsigned("bad-links", writer_.bad_links());
  if (settings_.about) tool_.writer().write(page_.record);
  return keep_edges();
}

void run_documents(cli::Tool& tool, Extraction& extraction) {
  std::vector<std::string> operands = tool.options().operands();
  if (operands.empty()) operands.emplace_back("-");
  std::string buffer;
  for (const std::string& operand : operands) {
    if (tool.stopped()) return;
    if (cli::is_url_operand(operand)) {
      tool.options().usage_error("with --base operands are files, not " + excerpt(operand) +
                                 " (fetch it first: fetch URL | extract-links)");
    }
    auto file = operand == "-" ? Result<Fd>(Fd()) : open_file(operand, O_RDONLY);
    const Result<std::string_view> document =
        file.ok() ? read_all(*file ? file->get() : STDIN_FILENO, operand, buffer) : file.error();
    if (!document.ok()) {
      tool.trouble(document.message());
      continue;
    }
    if (!extraction.document(operand, *document)) return;
  }
}

int run(cli::Tool& tool) {
  Extraction extraction(tool);
  if (!extraction.settings().base.empty()) {
    run_documents(tool, extraction);
    return tool.status();
  }
  std::string_view line;
  while (tool.next(line) && extraction.record_line(line)) {
  }
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kExtractLinks, argc, argv, run); }
