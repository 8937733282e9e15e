// SPDX-License-Identifier: Apache-2.0
// For tests of the loop: a pipeline that treats each URL as a test says, and a crawl over it with
// an injected clock.
#ifndef SPINNERET_TESTS_UNIT_LOOP_LOOP_FIXTURE_H_
#define SPINNERET_TESTS_UNIT_LOOP_LOOP_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/clock.h"
#include "cli/tool.h"
#include "frontier/frontier.h"
#include "frontier/memory_store.h"
#include "frontier/neighbours.h"
#include "loop/driver.h"
#include "loop/ends.h"
#include "loop/metrics.h"
#include "loop/progress.h"
#include "loop/rejected.h"
#include "loop/share.h"
#include "loop/shares.h"
#include "loop/voice.h"
#include "report/page_log.h"

namespace spinneret::loop {

// Waiting lets the clock go on, and nothing else does.
class FakeEnds : public Ends {
 public:
  explicit FakeEnds(FakeClock& clock) : clock_(clock) {}

  // Called with each URL that comes in: calls give(), die(), or does nothing. `lives` is the number
  // of pipelines so far, with this one.
  std::function<void(const std::string& url)> on_url;
  // Called once the input is closed, before the pipeline ends well.
  std::function<void()> on_close = [] {};
  // Called at each turn.
  std::function<void()> on_wait = [] {};
  std::function<void(int number)> on_signal = [this](int) { die("was killed by signal 15"); };
  bool ends_when_closed = true;
  int lives = 0;
  std::vector<std::string> asked;        // the URLs of all lives
  std::string record;                    // the last record, with its fields
  std::vector<std::int64_t> started_ms;  // when each life began
  std::vector<int> signals;

  // Adds bytes to the output.
  void give(std::string_view bytes) { out_ += bytes; }
  // Makes the output unreadable behind what was given.
  void break_read(int code) { broken_ = code; }
  // Ends the pipeline behind what was given.
  void die(std::string how, bool well = false) {
    ended_ = true;
    end_ = {well, std::move(how)};
  }
  void fail(std::string how) {
    die(std::move(how));
    end_.failed = true;
  }

  bool renewable() const override { return true; }
  Status start() override {
    ++lives;
    started_ms.push_back(clock_.monotonic_ns() / 1'000'000);
    running_ = takes_ = true;
    ended_ = false;
    out_.clear();
    return {};
  }
  bool running() const override { return running_; }
  bool takes() const override { return takes_; }
  Result<bool> wait(bool wanted, bool stoppable, std::int64_t timeout_ms) override {
    static_cast<void>(stoppable);
    on_wait();
    if (++waits_ > 100'000) return Error{"the loop spins, or never ends"};
    if (running_ && (ended_ || broken_ != 0 || out_.find('\n') != std::string::npos)) return true;
    if (!wanted || !takes_) clock_.advance_ms(std::max<std::int64_t>(timeout_ms, 1));
    return false;
  }
  LineReader::Event read(std::string_view& run) override {
    const std::size_t end = out_.rfind('\n');
    if (end == std::string::npos && broken_ != 0) return LineReader::Event::kError;
    if (end == std::string::npos)
      return ended_ ? LineReader::Event::kEnd : LineReader::Event::kWait;
    given_ = out_.substr(0, end + 1);
    out_.erase(0, end + 1);
    run = given_;
    return LineReader::Event::kLine;
  }
  int read_error() const override { return broken_; }
  int write(Outlet& lines) override {
    const std::string bytes = lines.lines().substr(lines.lines().size() - lines.pending());
    lines.clear();
    for (std::string_view rest = bytes; !rest.empty() && !ended_;) {
      const std::string_view line = cut(rest, '\n');
      record = line;
      asked.emplace_back(line.substr(0, line.find('\t')));
      on_url(asked.back());
    }
    return 0;
  }
  void close_input() override {
    if (!std::exchange(takes_, false) || ended_) return;
    on_close();
    if (ends_when_closed && !ended_) die("ended with status 0", /*well=*/true);
  }
  void signal(int number) override {
    signals.push_back(number);
    on_signal(number);
  }
  pid_t group() const override { return -1; }
  End end(std::int64_t patience_ms) override {
    close_input();
    if (!ended_) clock_.advance_ms(patience_ms);
    running_ = false;
    return end_;
  }

 private:
  FakeClock& clock_;
  std::string out_, given_;
  bool running_ = false, takes_ = false, ended_ = false;
  End end_;
  int waits_ = 0, broken_ = 0;
};

// Neighbours that never want anything, and are done when this one is.
class QuietNeighbours : public frontier::Neighbours {
 public:
  std::vector<std::pair<std::uint32_t, std::string>> offered;
  std::string lost_text;
  bool sends = true;
  std::function<bool()> all_idle = [] { return true; };
  // Links have come, which the next stage() takes.
  bool come = false;
  int stages = 0;
  // How many of `offered` are staged.
  std::size_t staged = 0;

  void offer(std::uint32_t partition, std::string_view line) override {
    offered.emplace_back(partition, std::string(line));
  }
  void exchange() override {}
  void stage(const Admit& admit) override {
    static_cast<void>(admit);
    come = false;
    staged = offered.size();
    ++stages;
  }
  bool has_come() const override { return come; }
  void committed() override {}
  bool may_send() override { return sends; }
  std::int64_t send_by = 0, end_by = 0;
  std::int64_t send_by_ms() override { return send_by; }
  std::int64_t end_by_ms() override { return end_by; }
  std::string_view lost() override { return lost_text; }
  bool over(const frontier::Situation& here) override {
    idle = here.idle;
    return idle && all_idle();
  }
  bool idle = false;
};

// A store that counts its commits.
class CountingStore : public frontier::MemoryStore {
 public:
  int commits = 0;  // those that were not empty
  Status commit() override {
    commits += staged() != 0 ? 1 : 0;
    return MemoryStore::commit();
  }
};

struct FakeShare {
  CountingStore store;
  frontier::Options options;
  std::unique_ptr<frontier::Frontier> frontier;
  Rejected rejected;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<Share> share;
  QuietNeighbours neighbours;
  Deadlines* deadlines = nullptr;
};

class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    char name[] = "loop-test";
    char* arguments[] = {name, nullptr};
    static constexpr cli::Option kOptions[] = {{'q', "quiet", nullptr, "say nothing"}};
    static const cli::ToolSpec kSpec{"loop-test", "", "", kOptions, ""};
    tool_ = std::make_unique<cli::Tool>(kSpec, cli::Options::parse(kSpec, 1, arguments));
    progress_ = std::make_unique<Progress>(Progress::Options{.name = "t", .quiet = true}, clock_);
    voice_ = std::make_unique<Voice>(*tool_, *progress_, /*shows_records=*/true);
    ends_.on_url = [this](const std::string& url) { page(url); };
  }

  // Opens a frontier whose pages have their rules, without delays between them.
  void open(FakeShare& it, const std::vector<std::string>& seeds, bool in_partitions = false,
            report::PageLog* log = nullptr) {
    it.options.politeness.delay_ms = it.options.politeness.min_delay_ms = 0;
    it.options.politeness.factor_percent = 0;
    it.options.tries = 1;
    auto opened = frontier::Frontier::open(it.store, clock_, it.options);
    ASSERT_TRUE(opened.ok()) << opened.message();
    it.frontier = opened.take();
    it.frontier->assume_rules();
    for (const std::string& url : seeds)
      ASSERT_EQ(it.frontier->offer({.url = url}), frontier::Frontier::Offer::kStaged) << url;
    it.frontier->seal();
    it.metrics = std::make_unique<Metrics>(Metrics::Options{}, clock_);
    it.share =
        std::make_unique<Share>(*voice_, clock_,
                                Belongings{.frontier = *it.frontier,
                                           .store = it.store,
                                           .metrics = *it.metrics,
                                           .rejected = it.rejected,
                                           .log = log,
                                           .neighbours = in_partitions ? &it.neighbours : nullptr,
                                           .deadlines = it.deadlines},
                                ShareOptions{.partition = it.options.partition});
  }

  // Crawls with one frontier, or with these shares; the output is in records_ and said_.
  int run(const std::vector<std::string>& seeds) {
    open(one_, seeds);
    Shares shares(*voice_);
    shares.add(*one_.share);
    return run(shares);
  }
  int run(Shares& shares) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    options_.stop_signal = [this] { return signal_; };
    const int status = Driver(ends_, shares, *voice_, clock_, stages_, options_).run();
    tool_->out().flush();
    records_ = testing::internal::GetCapturedStdout();
    said_ = testing::internal::GetCapturedStderr();
    return status;
  }

  // Gives a page, behind its links.
  void page(const std::string& url, const std::vector<std::string>& links = {}) {
    for (const std::string& link : links) ends_.give(link + "\tdepth=1\tvia=" + url + "\n");
    ends_.give(url + "\tstatus=200\toutcome=ok\n");
  }
  long times_asked(const std::string& url) const {
    return std::count(ends_.asked.begin(), ends_.asked.end(), url);
  }
  // Returns URL and outcome of the last records.
  std::map<std::string, std::string> outcomes() const {
    std::map<std::string, std::string> out;
    for (std::string_view rest = records_; !rest.empty();) {
      const std::string_view line = cut(rest, '\n');
      const std::string url(line.substr(0, line.find('\t')));
      EXPECT_FALSE(out.contains(url)) << url << " is shown twice";
      out[url] = line.substr(line.rfind("outcome=") + 8);
    }
    return out;
  }
  bool said(const std::string& text) const { return said_.find(text) != std::string::npos; }

  FakeClock clock_;
  std::unique_ptr<cli::Tool> tool_;
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<Voice> voice_;
  StageLedger stages_{""};
  FakeEnds ends_{clock_};
  FakeShare one_;
  DriverOptions options_;
  int signal_ = 0;
  std::string records_, said_;
};

}  // namespace spinneret::loop

#endif  // SPINNERET_TESTS_UNIT_LOOP_LOOP_FIXTURE_H_
