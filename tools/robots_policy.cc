// SPDX-License-Identifier: Apache-2.0
// --policy: gives one answer to what may be done with a page, from robots.txt, the files beside it,
// headers and the page.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/excerpt.h"
#include "base/outcome.h"
#include "robots/robots_file.h"
#include "robots/usage.h"
#include "robots_answer.h"
#include "robots_page.h"
#include "rsl.h"

namespace spinneret {
namespace {

constexpr std::size_t kBatch = 32;  // pages that are fetched at one time
constexpr std::uint64_t kMaxFile = kRobotsSizeLimit;
constexpr std::size_t kMaxKnown = 4096;  // hosts and licences whose files are kept

// Whether a record with this outcome describes a page that was fetched.
bool brought_page(std::string_view word) {
  const std::optional<Outcome> outcome = parse_outcome(word);
  return outcome == Outcome::kOk || outcome == Outcome::kNoindex ||
         outcome == Outcome::kNonCanonical || outcome == Outcome::kDuplicate;
}

// The files beside a host's robots.txt.
struct HostFiles {
  std::optional<robots::TdmFile> tdm;
  std::optional<robots::RuleSet> ai_txt;
};

class PolicyWriter : public Answerer {
 public:
  PolicyWriter(RobotsContext& context, bool may_fetch)
      : context_(context), may_fetch_(may_fetch), pages_(context) {
    if (context.rules.agents.size() != 1) {
      context.tool.options().usage_error("--policy takes one --agent");
    }
  }

  bool takes_settled() const override { return true; }

  void answer(std::string_view line, const KnownHost& host, std::string_view path) override {
    Question question;
    question.line = line;
    question.url = context_.url.href_without_fragment();
    question.authority = robots::robots_authority(context_.url);
    question.path = path;
    question.host = &host;
    question.settled = is_settled(line);
    queue_.push_back(std::move(question));
    if (queue_.size() == kBatch) flush();
  }

  void flush() override {
    if (queue_.empty()) return;
    fetch_beside();
    std::vector<http::FetchResult> pages = fetch_pages();
    for (std::size_t i = 0; i < queue_.size(); ++i) read_page(queue_[i], pages[i]);
    fetch_licenses();
    for (Question& question : queue_) write(question);
    queue_.clear();
    if (beside_.size() > kMaxKnown) beside_.clear();
    if (licenses_.size() > kMaxKnown) licenses_.clear();
  }

 private:
  struct Question {
    std::string line;
    std::string url;
    std::string authority;
    std::string path;
    const KnownHost* host = nullptr;
    bool settled = false;
    robots::Usage usage;
    std::vector<std::string> licenses;  // URLs
    int status = 0;                     // HTTP status of the page, where it was asked for
    bool failed = false;                // the page cannot be read, which has been reported
    std::optional<bool> page_tdm;
  };

  static std::string beside(const Question& question, std::string_view path) {
    Url url;
    parse(question.url, url, nullptr);
    std::string out = robots::robots_url(url);
    return out.replace(out.size() - 11, 11, path);
  }

  // Fetches tdmrep.json and ai.txt of each new host.
  void fetch_beside() {
    if (!may_fetch_) return;
    std::vector<std::string> urls;
    std::vector<std::string> hosts;
    for (const Question& question : queue_) {
      if (!beside_.try_emplace(question.authority).second) continue;
      hosts.push_back(question.authority);
      urls.push_back(beside(question, "/.well-known/tdmrep.json"));
      urls.push_back(beside(question, "/ai.txt"));
    }
    if (urls.empty()) return;
    const std::vector<http::FetchResult> files = context_.fetch_all(urls, 5, kMaxFile);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      HostFiles& known = beside_[hosts[i]];
      const http::FetchResult& tdm = files[2 * i];
      if (is_file(tdm) && robots::looks_like_json(tdm.body))
        known.tdm = robots::read_tdm_file(tdm.body);
      const http::FetchResult& ai = files[2 * i + 1];
      std::string storage;
      robots::RobotsTextFacts facts;
      robots::robots_text(ai.body, kMaxFile, storage, &facts);
      if (is_file(ai) && !facts.looks_html) {
        known.ai_txt = robots::RuleSet::compile(ai.body, context_.rules.agents.front());
      }
    }
  }

  static bool is_page(const http::FetchResult& result) {
    return result.status >= 200 && result.status < 300;
  }
  static bool is_file(const http::FetchResult& result) {
    return is_page(result) && (result.whole || result.truncated);
  }

  // Fetches the pages, in the order of the queue; the result is empty where a page is not asked
  // for.
  std::vector<http::FetchResult> fetch_pages() {
    std::vector<http::FetchResult> out(queue_.size());
    std::vector<std::string> urls;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < queue_.size() && may_fetch_; ++i) {
      const Question& question = queue_[i];
      if (question.settled || !question.host->rules->ask(0, question.path).allowed) continue;
      urls.push_back(question.url);
      places.push_back(i);
    }
    if (urls.empty()) return out;
    std::vector<http::FetchResult> got = context_.fetch_all(urls, 0, kMaxFile);
    for (std::size_t i = 0; i < got.size(); ++i) {
      queue_[places[i]].status = got[i].status;
      if (got[i].status == 0) context_.tell_unreached(urls[i], got[i]);
      out[places[i]] = std::move(got[i]);
    }
    return out;
  }

  void read_page(Question& question, const http::FetchResult& fetched) {
    const robots::HostRules& rules = *question.host->rules;
    question.usage.read_robots(rules, 0, question.path);
    for (const robots::HostRules::License& license : rules.licenses()) {
      question.licenses.push_back(license.url);
    }
    // What a redirect or an error says does not apply to the page.
    if (!question.settled && !is_page(fetched)) return;
    context_.record.parse(question.line);
    if (question.settled) {
      const Status read = pages_.read_record();
      question.failed = !read.ok();
      if (!brought_page(context_.record.get("outcome").value_or(""))) return;
      if (question.failed) {
        context_.tool.notice(question.url + ": " + read.message());
        context_.tool.note_refusal();
      }
    } else {
      pages_.read_result(fetched);
    }
    if (question.failed) return;
    const robots::PageDirectives& page = pages_.pages().front();
    question.usage.read_page(page, context_.now(), pages_.is_image());
    if (pages_.is_whole()) question.usage.assume_allowed();
    question.page_tdm = page.tdm_reservation();
    question.licenses.insert(question.licenses.end(), page.licenses().begin(),
                             page.licenses().end());
  }

  // Resolves the licences against the page, and keeps each once.
  void resolve_licenses(Question& question) const {
    Url base;
    parse(question.url, base, nullptr);
    std::vector<std::string> out;
    for (const std::string& license : question.licenses) {
      Url url;
      if (!resolve(license, base, url, nullptr) || !url.is_http()) continue;
      std::string text(url.href_without_fragment());
      if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    }
    question.licenses = std::move(out);
  }

  void fetch_licenses() {
    std::vector<std::string> urls;
    for (Question& question : queue_) {
      resolve_licenses(question);
      for (const std::string& license : question.licenses) {
        if (may_fetch_ && licenses_.try_emplace(license).second) urls.push_back(license);
      }
    }
    if (urls.empty()) return;
    const std::vector<http::FetchResult> files = context_.fetch_all(urls, 5, kMaxFile);
    for (std::size_t i = 0; i < urls.size(); ++i) {
      if (is_file(files[i]) && looks_like_rsl(files[i].body)) {
        licenses_[urls[i]] = read_rsl(files[i].body);
      }
    }
  }

  void add_files(Question& question) {
    const auto host = beside_.find(question.authority);
    if (host != beside_.end()) {
      if (host->second.tdm && !question.page_tdm) {
        question.usage.read_tdm(*host->second.tdm, question.path);
      }
      if (host->second.ai_txt) question.usage.read_ai_txt(*host->second.ai_txt, question.path);
    }
    for (const std::string& license : question.licenses) {
      const auto known = licenses_.find(license);
      if (known == licenses_.end()) continue;
      if (const RslContent* const content = known->second.find(question.path)) {
        say_license(question.usage, *content);
      }
    }
  }

  void write(Question& question) {
    if (question.failed) return;
    add_files(question);
    Record& record = context_.record;
    record.parse(question.line);
    record.remove("body");
    record.remove("license");
    if (question.status != 0) record.set_unsigned("status", static_cast<unsigned>(question.status));
    for (std::size_t i = 0; i < robots::kUses; ++i) {
      const robots::Use use = static_cast<robots::Use>(i);
      add_answer(std::string(robots::to_string(use)), question.usage.of(use));
    }
    for (const std::string& license : question.licenses) {
      record.add("license", without_controls(license));
    }
    const bool crawlable = question.usage.of(robots::Use::kCrawl).word == robots::UseAnswer::kYes;
    if (!crawlable) context_.tool.note_refusal();
    if (!context_.quiet) context_.tool.writer().write(record);
  }

  void add_answer(const std::string& name, const robots::UseAnswer& answer) {
    Record& record = context_.record;
    for (const char* end : {"-source", "-line", "-rule"}) record.remove(name + end);
    record.set(name, robots::to_string(answer.word));
    if (answer.word == robots::UseAnswer::kUnknown) return;
    record.set(name + "-source", without_controls(answer.source));
    if (answer.line != 0) record.set_unsigned(name + "-line", answer.line);
    record.set(name + "-rule", without_controls(answer.rule));
  }

  RobotsContext& context_;
  const bool may_fetch_;
  PageReader pages_;
  std::vector<Question> queue_;
  std::map<std::string, HostFiles> beside_;  // by authority
  std::map<std::string, RslFile> licenses_;  // by URL
};

}  // namespace

std::unique_ptr<Answerer> make_policy_writer(RobotsContext& context, bool may_fetch) {
  return std::make_unique<PolicyWriter>(context, may_fetch);
}

}  // namespace spinneret
