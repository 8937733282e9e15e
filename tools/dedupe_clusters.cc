// SPDX-License-Identifier: Apache-2.0
// Runs --cluster and --keep of dedupe(1).
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "dedupe/clusters.h"
#include "dedupe/line_batch.h"
#include "dedupe/text_arena.h"
#include "dedupe_at_end.h"
#include "dedupe_output.h"
#include "dedupe_pages.h"
#include "dedupe_settings.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {
namespace {

// Ranks the documents of a cluster by what --keep wants.
class Ranking {
 public:
  explicit Ranking(const cli::Tool& tool) : wanted_(tool.options().get("keep", "first")) {
    newest_ = wanted_ == "newest";
    longest_ = wanted_ == "longest";
    all_equal_ = wanted_ == "first";
    if (newest_ || longest_ || all_equal_) return;
    if (tool.table() != nullptr) wanted_ = table_key(wanted_);
    if (!is_field_key(wanted_) || wanted_ == "url") {
      tool.options().usage_error(
          "--keep takes first, longest, newest or the name of a field, not " + wanted_);
    }
    says_nothing_ = true;
  }
  // Without a date, the newest document is the one that came last.
  dedupe::Clusters::Ties ties() const {
    return newest_ ? dedupe::Clusters::Ties::kLast : dedupe::Clusters::Ties::kFirst;
  }
  // `content` is the size of the body in bytes; 0: it is not known.
  double rank(std::string_view line, std::size_t content) {
    if (all_equal_) return 0;
    if (longest_) return content != 0 ? static_cast<double>(content) : length(line);
    if (!newest_) {
      const double found = value(line, wanted_);
      says_nothing_ = says_nothing_ && found == kNone;
      return found;
    }
    for (const char* const name : {"modified", "last-modified", "published", "lastmod"}) {
      if (const double date = value(line, name); date > kNone) return date;
    }
    return kNone;
  }

  // Returns the name of the field that --keep names, if no record had a number or a date in it;
  // else an empty view.
  std::string_view missing() const { return says_nothing_ ? std::string_view(wanted_) : ""; }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  static double value(std::string_view line, std::string_view name) {
    const auto raw = find_raw_field(line, name);
    return raw ? dedupe::rank_of(*raw).value_or(kNone) : kNone;
  }
  static double length(std::string_view line) {
    if (const auto text = find_raw_field(line, "text")) return static_cast<double>(text->size());
    // Only a whole number that a disk could hold counts as a size: a larger, forged one would win
    // over every page.
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
    const auto size = parse_unsigned(find_raw_field(line, "size").value_or(""));
    return static_cast<double>(size && *size <= kMostBytes ? *size : line.size());
  }

  std::string wanted_;
  bool newest_, longest_, all_equal_;
  bool says_nothing_ = false;
};

// --cluster and --keep: two passes over the records that are compared, which are numbered.
class ClusterRun {
 public:
  explicit ClusterRun(cli::Tool& tool)
      : tool_(tool),
        spool_(tool.terminator()),
        sketches_(original_options(tool)),
        ranking_(tool),
        clusters_(original_options(tool), ranking_.ties()),
        output_(tool),
        shows_(tool.options().has("cluster")),
        keeps_(tool.options().has("keep")),
        inverts_(tool.options().has("invert")) {
    if (compares_pages(tool.options())) pages_.emplace(tool);
  }

  int run() {
    if (Status opened = spool_.open(); !opened.ok()) return tool_.trouble(opened.message());
    dedupe::LineBatch batch = line_batch(tool_);
    for (std::string_view run; tool_.next_run(run);) {
      while (!run.empty() && !tool_.stopped()) {
        batch.take(run);
        for (std::size_t i = 0; i < batch.lines().size(); ++i) take(batch, i);
        if (clusters_.documents() > dedupe::Clusters::kMost - dedupe::LineBatch::kLines) {
          return tool_.trouble("more than 4 billion records to cluster");
        }
        tool_.inputs().add_lines(batch.lines().size());
      }
    }
    clusters_.close();
    tool_.out().flush();
    Status done = name_kept();
    if (done.ok()) done = write();
    if (clusters_.documents() != 0 && !ranking_.missing().empty())
      tool_.notice("--keep: no record has a number or a date as " +
                   std::string(ranking_.missing()) + ": the first of each is kept");
    return done.ok() ? 0 : tool_.trouble(done.message());
  }

 private:
  void take(const dedupe::LineBatch& batch, std::size_t i) {
    const dedupe::LineBatch::Line& line = batch.lines()[i];
    std::size_t content = 0;
    bool torn = false;
    if (!line.judged() ||
        !sketch(line.text, pages_ ? "" : batch.keys()[line.key], i, content, torn)) {
      if (!torn) tool_.writer().write_line(line.text);
      return;
    }
    clusters_.add(sketch_, ranking_.rank(line.text, content));
    spool_.add(line.text);
  }

  // Makes sketch_ of the line. Returns false where there is nothing to compare.
  bool sketch(std::string_view line, std::string_view key, std::size_t index, std::size_t& content,
              bool& torn) {
    if (!pages_) return sketches_.make(key, false, sketch_);
    const PageReader::Content found = pages_->read(line, index);
    torn = found.kind == PageReader::Kind::kTorn;
    if (found.bytes.empty()) return false;
    if (found.kind == PageReader::Kind::kSketch) return sketch_ = found.bytes, true;
    content = found.bytes.size();
    return sketches_.make(found.bytes, found.markup, sketch_);
  }

  // Calls visit(line, number) for each line in the spool.
  template <typename Visit>
  Status each(const Visit& visit) {
    std::uint32_t number = 0;
    dedupe::LineBatch batch(dedupe::LineKey::whole_line(), tool_.terminator(), nullptr);
    return spool_.each_run([&](std::string_view run) {
      while (!run.empty() && !tool_.stopped()) {
        batch.take(run);
        for (const dedupe::LineBatch::Line& line : batch.lines()) visit(line.text, number++);
      }
      return !tool_.stopped();
    });
  }

  // Collects the URLs of the kept lines of which others are marked as duplicates.
  Status name_kept() {
    if (!keeps_ || inverts_ || tool_.options().has("drop")) return {};
    names_at_.resize(clusters_.documents());
    return each([this](std::string_view line, std::uint32_t number) {
      if (clusters_.size(number) > 1 && clusters_.best(number) == number) {
        names_at_[clusters_.first(number)] = names_.add(record_url(line));
      }
    });
  }

  Status write() {
    return each([this](std::string_view line, std::uint32_t number) {
      const bool kept = !keeps_ || clusters_.best(number) == number;
      if (kept != inverts_) {
        shows_ ? show(line, number) : tool_.writer().write_line(line);
      } else if (!inverts_ && output_.marks(line)) {
        output_.mark(line, {dedupe::LineVerdict::Kind::kRepeat,
                            names_.get(names_at_[clusters_.first(number)]), -1});
      }
    });
  }

  void show(std::string_view line, std::uint32_t number) {
    record_.parse(line);
    record_.set_unsigned("cluster", clusters_.first(number) + 1ULL);
    record_.set_unsigned("cluster-size", clusters_.size(number));
    tool_.writer().write(record_);
  }

  cli::Tool& tool_;
  Spool spool_;
  std::optional<PageReader> pages_;
  dedupe::ContentSketch sketches_;
  Ranking ranking_;
  dedupe::Clusters clusters_;
  Output output_;
  bool shows_, keeps_, inverts_;
  Record record_;
  std::string sketch_;
  dedupe::TextArena names_;
  std::vector<std::uint64_t> names_at_;  // by the first document of each cluster
};

}  // namespace

int run_clusters(cli::Tool& tool) { return ClusterRun(tool).run(); }

}  // namespace spinneret::dedupe_tool
