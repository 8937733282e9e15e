// SPDX-License-Identifier: Apache-2.0
// --sitemaps: fetches the sitemaps that robots.txt files name, and those that these name, and says
// what is wrong.
#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "body/reader.h"
#include "feed/feed.h"
#include "http/fetch.h"
#include "robots/contents.h"
#include "robots/page_directives.h"
#include "robots/text.h"
#include "robots_context.h"

namespace spinneret {
namespace {

// Limits of sitemaps.org: URLs and bytes of a file. An index names no other index.
constexpr std::size_t kMaxUrls = 50'000;
constexpr std::uint64_t kMaxBytes = http::kSitemapSizeLimit;
constexpr int kMaxDepth = 2;
constexpr std::size_t kMaxSitemaps = 10'000;  // of one robots.txt
constexpr std::size_t kBatch = 8;             // fetched at one time: each may have 50 MB

std::string_view name_of(feed::FeedType type) {
  switch (type) {
    case feed::FeedType::kSitemap: return "sitemap";
    case feed::FeedType::kSitemapIndex: return "sitemap-index";
    case feed::FeedType::kRss: return "rss";
    case feed::FeedType::kAtom: return "atom";
    default: return "text";
  }
}

struct Wanted {
  std::string url;
  int depth = 0;
  std::string from;  // "robots.txt:3", or the index that names it
};

// Counts what a sitemap holds, as its links come.
class Tally : public feed::FeedTaker {
 public:
  explicit Tally(std::string_view url) { parse(url, base_, nullptr); }

  void take(const feed::FeedPage& page) override {
    for (const feed::FeedLink& link : page.links) {
      const bool map = link.kind == feed::FeedLinkKind::kSitemap;
      if (!map && link.kind != feed::FeedLinkKind::kPage) continue;
      ++count;
      Url url;
      if (!resolve(link.value, base_, url, nullptr) || !url.is_http()) {
        if (bad.empty()) bad = link.value;
        ++bad_count;
        continue;
      }
      if (map && maps.size() < kMaxSitemaps)
        maps.push_back(std::string(url.href_without_fragment()));
      if (!map && robots::robots_authority(url) != robots::robots_authority(base_)) {
        ++foreign;
        if (hosts.size() < 100) hosts.insert(std::string(url.host()));
      }
      take_date(link.lastmod);
    }
  }

  std::size_t count = 0;
  std::size_t foreign = 0;
  std::size_t bad_count = 0;
  std::string bad;
  std::set<std::string> hosts;  // hosts other than its own
  std::vector<std::string> maps;
  std::string first;  // the earliest lastmod, as written
  std::string last;
  std::size_t undated = 0;
  std::string bad_date;

 private:
  void take_date(const std::string& lastmod) {
    if (lastmod.empty()) {
      ++undated;
      return;
    }
    const auto date = robots::parse_loose_date(lastmod);
    if (!date) {
      if (bad_date.empty()) bad_date = lastmod;
      return;
    }
    if (first.empty() || *date < first_) first_ = *date, first = lastmod;
    if (last.empty() || *date > last_) last_ = *date, last = lastmod;
  }

  Url base_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

class SitemapChecker {
 public:
  explicit SitemapChecker(RobotsContext& context) : context_(context), record_(context.record) {}

  void check(const std::string& operand) {
    const auto text = context_.read_source(operand);
    if (!text) return;
    const std::string source = context_.robots_source(operand);
    std::string storage;
    const robots::RobotsContents contents =
        robots::read_contents(robots::robots_text(*text, context_.rules.rules.size_limit, storage),
                              context_.rules.rules.mode);
    for (const robots::RobotsRecord& record : contents.others) {
      if (record.key != robots::RobotsKey::kSitemap || record.value.empty()) continue;
      want(context_.resolved(source, record.value), 0, "robots.txt:" + std::to_string(record.line));
    }
    // Where none is named, the usual place is tried (sitemaps.org names none).
    if (queue_.empty() && cli::is_url_operand(operand)) {
      want(context_.resolved(source, "/sitemap.xml"), 0, "custom");
    }
    if (queue_.empty()) context_.tool.notice(operand + ": names no sitemap");
    while (!queue_.empty() && !context_.tool.stopped()) fetch_some();
    known_.clear();
  }

 private:
  void want(const std::string& url, int depth, std::string from) {
    if (known_.size() == kMaxSitemaps) return;
    if (known_.insert(url).second) queue_.push_back({url, depth, std::move(from)});
  }

  void fetch_some() {
    std::vector<Wanted> batch;
    std::vector<std::string> urls;
    while (!queue_.empty() && batch.size() < kBatch) {
      urls.push_back(queue_.front().url);
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    std::vector<http::FetchResult> results = context_.fetch_all(urls, 5, kMaxBytes);
    for (std::size_t i = 0; i < batch.size(); ++i) report(batch[i], results[i]);
  }

  void report(const Wanted& wanted, http::FetchResult& result) {
    record_.reset(escaped(wanted.url));
    record_.set("from", without_controls(wanted.from));
    record_.set_unsigned("depth", static_cast<unsigned>(wanted.depth));
    if (result.status != 0) record_.set_unsigned("status", static_cast<unsigned>(result.status));
    errors_.clear();
    if (result.status != 200 || !result.whole) {
      error(result.error.empty() ? "no sitemap: status " + std::to_string(result.status)
                                 : result.error);
    } else {
      read(wanted, result.body);
    }
    for (const std::string& text : errors_) record_.add("error", text);
    if (!errors_.empty()) context_.tool.note_refusal();
    if (!context_.quiet) context_.tool.writer().write(record_);
  }

  void error(const std::string& text) { errors_.push_back(without_controls(text)); }

  void read(const Wanted& wanted, std::string_view body) {
    std::string unpacked;
    if (body::is_gzip(body)) {
      if (!body::gunzip(body, kMaxBytes, unpacked)) error("is broken gzip, or has more than 50 MB");
      body = unpacked;
    }
    Tally tally(wanted.url);
    feed::FeedPage page;
    feed::FeedType type = feed::feed_type(body);
    if (type == feed::FeedType::kHtml || type == feed::FeedType::kXml ||
        type == feed::FeedType::kSvg || type == feed::FeedType::kOpml) {
      return error("is not a sitemap: its root element is another");
    }
    if (type == feed::FeedType::kNone) {
      feed::read_text_sitemap(body, page, &tally);
    } else {
      feed::read_feed(body, page, &tally, wanted.url);
    }
    record_.set("sitemap", name_of(type));
    record_.set_unsigned("size", body.size());
    record_.set_unsigned("count", tally.count);
    judge(wanted, tally, type == feed::FeedType::kSitemapIndex);
  }

  void judge(const Wanted& wanted, const Tally& tally, bool is_index) {
    if (!tally.first.empty()) {
      record_.set("lastmod-first", without_controls(tally.first));
      record_.set("lastmod-last", without_controls(tally.last));
    }
    if (tally.undated > 0) record_.set_unsigned("undated", tally.undated);
    if (tally.foreign > 0) record_.set_unsigned("other-hosts", tally.foreign);
    for (const std::string& host : tally.hosts) record_.add("host", without_controls(host));
    if (tally.count == 0) error("names no URL");
    if (tally.count > kMaxUrls) {
      error("names " + std::to_string(tally.count) + " URLs, of which readers take 50,000");
    }
    if (tally.bad_count > 0) {
      error(std::to_string(tally.bad_count) + " of its URLs are invalid: " + excerpt(tally.bad));
    }
    if (!tally.bad_date.empty()) error("has an invalid date: " + excerpt(tally.bad_date));
    if (is_index && wanted.depth > 0) error("is an index that an index names");
    if (wanted.depth == kMaxDepth && !tally.maps.empty()) {
      return error("names sitemaps too deep to be read");
    }
    for (const std::string& map : tally.maps) want(map, wanted.depth + 1, wanted.url);
  }

  static std::string escaped(std::string_view url) {
    std::string out;
    append_escaped(out, without_controls(url));
    return out;
  }

  RobotsContext& context_;
  Record& record_;
  std::deque<Wanted> queue_;
  std::set<std::string> known_;
  std::vector<std::string> errors_;
};

}  // namespace

int check_sitemaps(RobotsContext& context) {
  std::vector<std::string> operands = context.tool.options().operands();
  if (operands.empty()) operands = {"-"};
  SitemapChecker checker(context);
  for (const std::string& operand : operands) {
    checker.check(operand);
    if (context.tool.stopped()) break;
  }
  return context.tool.status();
}

}  // namespace spinneret
