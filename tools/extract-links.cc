// SPDX-License-Identifier: Apache-2.0
// extract-links: reads pages, and prints their links, each page's followed by its own record
// without the body.
#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/outcome.h"
#include "body/reader.h"
#include "cli/tool.h"
#include "extract_output.h"
#include "extract_settings.h"
#include "page/content.h"
#include "page/headers.h"
#include "page/reader.h"
#include "page_stream.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

class Extraction {
 public:
  explicit Extraction(cli::Tool& tool)
      : tool_(tool),
        settings_(extract_settings(tool)),
        writer_(tool, settings_),
        reader_(settings_.page) {
    if (!settings_.edges.empty()) open_edges();
    if (!settings_.check.empty()) open_checks();
  }

  bool takes_documents() const { return !settings_.base.empty(); }
  void record_line(std::string_view line);
  // Returns false where the links cannot be written.
  bool document(const std::string& file, std::string_view bytes);
  void close() {
    if (edges_) is_kept(edges_->close());
    if (checks_) is_kept(checks_->close());
  }

 private:
  void open_edges();
  void open_checks();
  void pass(std::string_view line) {
    if (!settings_.links_alone) tool_.writer().write_line(line);
  }
  // Passes the page on as one whose links could not be kept.
  void give_page_back() {
    if (!settings_.links_alone) give_back(tool_, record_, failure_);
  }
  bool keep_edges();
  bool is_kept(const Status& kept);
  bool settle();
  bool wants_pass() const;
  bool has_needless_body() const;
  void page_record(std::string_view body);
  void judge(const page::PageFacts& facts);
  void probe();
  void add_about(const page::PageFacts& facts);
  void add_read_as(const page::PageFacts& facts);

  cli::Tool& tool_;
  ExtractSettings settings_;
  Record record_;
  Url url_;
  LinkWriter writer_;
  std::optional<EdgeFile> edges_;
  std::optional<CheckFile> checks_;
  std::optional<std::string> ids_;            // the ids of the present page
  std::unordered_set<std::uint64_t> probed_;  // hashes of the sites that have a probe
  page::PageReader reader_;
  body::BodyReader bodies_;
  bool is_needless_ = false;  // the present record's body need not be read
  UrlError why_;
  std::string failure_;  // why links cannot be kept, once they cannot
};

void Extraction::open_edges() {
  Result<EdgeFile> opened = EdgeFile::open(settings_.edges);
  if (!opened.ok()) tool_.options().usage_error("--edges: " + opened.message());
  edges_.emplace(opened.take());
  writer_.set_edges(&*edges_);
}

void Extraction::open_checks() {
  Result<CheckFile> opened = CheckFile::open(settings_.check);
  if (!opened.ok()) tool_.options().usage_error("--check: " + opened.message());
  checks_.emplace(opened.take());
  writer_.set_checks(&*checks_);
}

// Writes the page's links, before its record is passed on.
bool Extraction::keep_edges() {
  const bool edges = !edges_ || is_kept(edges_->flush());
  const bool checks = !checks_ || is_kept(checks_->flush());
  return edges && checks;
}

bool Extraction::is_kept(const Status& kept) {
  if (kept.ok()) return true;
  failure_ = kept.message();
  tool_.trouble(failure_);
  return false;
}

// --- records ---

// Sets the outcome that the page itself asks for.
void Extraction::judge(const page::PageFacts& facts) {
  if (record_.raw("outcome") != to_string(Outcome::kOk)) return;
  const std::int64_t now = static_cast<std::int64_t>(std::time(nullptr));
  if (facts.directives.noindex(now)) {
    if (const robots::PageDirectives::Rule* const rule = facts.directives.noindex_rule(now);
        settings_.explain && rule != nullptr) {
      record_.set("rule", without_controls(rule->source + ": " + rule->name +
                                           (rule->value.empty() ? "" : ": " + rule->value)));
    }
    record_.set_outcome(to_string(Outcome::kNoindex));
  } else if (!facts.canonical.empty() && facts.canonical != record_.url()) {
    if (settings_.explain) record_.set("rule", "canonical: " + facts.canonical);
    record_.set_outcome(to_string(Outcome::kNonCanonical));
  }
}

void Extraction::add_about(const page::PageFacts& facts) {
  if (!facts.title.empty()) record_.set("title", without_controls(facts.title));
  if (!facts.lang.empty()) record_.set("lang", without_controls(facts.lang));
  if (!facts.description.empty()) record_.set("description", without_controls(facts.description));
  ids_.reset();
  if (facts.has_ids) ids_ = page::id_list(facts.ids);
  if (ids_ && settings_.ids) record_.set("ids", *ids_);
}

void Extraction::add_read_as(const page::PageFacts& facts) {
  if (!settings_.explain) return;
  if (!facts.unread.empty()) {
    record_.set("read-as", facts.unread);
  } else if (facts.charset.encoding != nullptr) {
    record_.set("read-as", html::describe(facts.charset));
  }
}

// Prints, once for each site whose pages are crawled, a URL that cannot exist there: a site that
// says ok to it says so to everything.
void Extraction::probe() {
  if (!settings_.probe || !record_.raw("purpose").empty() ||
      !page::holds_page(record_.raw("outcome")))
    return;
  std::string url = url_.origin();
  const std::uint64_t site = hash64(url);
  if (!probed_.insert(site).second) return;
  url.append("/").append(to_hex(hash128(url)));
  Record link;
  link.reset(url);
  link.set("via", record_.url());
  link.set("purpose", page::kCheck);
  link.set("probe", "yes");
  tool_.writer().write(link);
}

void Extraction::page_record(std::string_view body) {
  std::string depth;
  const std::uint64_t own_depth = parse_unsigned(record_.raw("depth")).value_or(0);
  // A sitemap's links are one link away from a seed, through however many indexes they were
  // reached.
  const bool lists = record_.raw("purpose") == "sitemap";
  append_unsigned(depth, std::max(own_depth, lists ? 1 : own_depth + 1));
  writer_.begin_page(record_.url(), depth, body);
  const page::PageFacts& facts = reader_.read(record_, url_, body, writer_);
  probe();
  add_about(facts);
  add_read_as(facts);
  const std::string_view purpose = record_.raw("purpose");
  if (purpose != "robots" && !page::is_checked(purpose)) judge(facts);
}

// Whether the body need not be read, as it has no links. Two kinds have none: those of a type
// without links, unless --explain is to tell of them, and those of a redirect or an error. An
// archive keeps the latter as it does pages, and their records are good even without it. Where such
// a body is in the record, it is looked at all the same: its size shows whether the record is
// whole.
bool Extraction::has_needless_body() const {
  const bool is_inline = record_.has("body");
  const bool is_kept = is_inline || record_.has("body-file") || record_.has("warc-body-file") ||
                       record_.has("warc-file");
  const std::string_view purpose = record_.raw("purpose");
  if (!is_kept || purpose == "robots") return false;
  if (!is_inline && !page::holds_page(record_.raw("outcome"))) return true;
  std::string type;
  append_unescaped(type, record_.raw("type"));
  return !settings_.explain && !page::may_be_read(type, purpose == "sitemap");
}

// Whether the record has no links for this tool.
bool Extraction::wants_pass() const {
  const bool robots = record_.raw("purpose") == "robots";
  const html::LinkSelection& followed =
      settings_.page.followed ? *settings_.page.followed : settings_.page.extract.selection;
  if (robots) return !followed.wants_kind(html::LinkKind::kFeed);
  return !is_needless_ && !bodies_.is_there() && !record_.has("location") &&
         !page::has_link_headers(record_);
}

// Writes what became of the page, after its links.
bool Extraction::settle() {
  if (checks_ && record_.raw("purpose") != "robots") checks_->settle(record_, ids_);
  return keep_edges();
}

void Extraction::record_line(std::string_view line) {
  if (!is_settled(line)) {
    look_at_unsettled(tool_, line);
    return pass(line);
  }
  record_.parse(line);
  if (!failure_.empty() && record_.raw("purpose") != "robots") return give_page_back();
  is_needless_ = has_needless_body();
  const auto body =
      is_needless_ ? Result<std::string_view>(std::string_view()) : bodies_.read(record_);
  if (!body.ok()) {
    if (!settings_.links_alone) return refuse_body(tool_, record_, body.message());
    return tool_.refuse(body.message(), record_.url());
  }
  ids_.reset();
  if (wants_pass()) return settle() ? pass(line) : give_page_back();
  if (parse(page::answered_url(record_), url_, &why_)) {
    page_record(*body);
    if (writer_.bad_links() != 0) record_.set_unsigned("bad-links", writer_.bad_links());
  } else {
    tool_.refuse("page's URL: " + why_.message, record_.url());
  }
  if (record_.raw("purpose") != "robots") record_.remove("body");
  if (!settle()) return give_page_back();
  if (!settings_.links_alone) tool_.writer().write(record_);
}

// --- documents that come without a record ---

bool Extraction::document(const std::string& file, std::string_view bytes) {
  writer_.set_file(file);
  if (!parse(settings_.base, url_, &why_)) {
    tool_.options().usage_error("--base takes an absolute URL: " + why_.message + ": " +
                                excerpt(settings_.base));
  }
  record_.reset(url_.href());
  const std::string_view type = settings_.type.empty() ? page::type_of_name(file) : settings_.type;
  const bool sitemap = !settings_.page.extract.plain_text &&
                       equals_ignore_case(trim(type.substr(0, type.find(';'))), "text/plain");
  writer_.begin_page(url_.href(), {}, bytes);
  const page::PageFacts& facts =
      reader_.read_document(url_, bytes, type, settings_.charset, sitemap, writer_);
  add_about(facts);
  add_read_as(facts);
  if (writer_.bad_links() != 0) record_.set_unsigned("bad-links", writer_.bad_links());
  const bool about = settings_.page.about || settings_.page.extract.ids || settings_.explain;
  if (about && !settings_.links_alone) tool_.writer().write(record_);
  return keep_edges();
}

int run(cli::Tool& tool) {
  check_document_options(tool.options());
  refuse_archives(tool, tool.options().operands());
  Extraction extraction(tool);
  return read_pages(tool, extraction);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kExtractLinks, argc, argv, run); }
