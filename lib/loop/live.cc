// SPDX-License-Identifier: Apache-2.0
#include "loop/live.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"
#include "cli/signals.h"
#include "frontier/rocks_store.h"
#include "loop/enquiry.h"
#include "loop/live_server.h"
#include "loop/valve.h"
#include "report/page.h"
#include "report/survey.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kLeastRefreshMs = 1000;
constexpr std::int64_t kRecentMs = 10'000;
constexpr std::size_t kMostLine = std::size_t{1} << 20;

// A log that grows, surveyed as far as it has come. One that is replaced is begun anew.
class GrowingLog {
 public:
  explicit GrowingLog(std::string path) : path_(std::move(path)) {}

  Status read() {
    if (Status opened = open(); !opened.ok() || !file_) return opened;
    std::array<char, 65536> bytes;
    while (true) {
      const ssize_t got = ::read(file_.get(), bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error("cannot read " + path_, errno);
      if (got == 0) return {};
      read_ += got;
      take({bytes.data(), static_cast<std::size_t>(got)});
    }
  }
  const report::Survey& survey() const { return survey_; }
  // Pages in the ten seconds before, a second.
  double recent_rate(std::int64_t now_ms) {
    recent_.erase(recent_.begin(), recent_.upper_bound(now_ms - kRecentMs));
    std::uint64_t pages = 0;
    for (const auto& [ms, count] : recent_) pages += count;
    return static_cast<double>(pages) * 1000 / kRecentMs;
  }

 private:
  Status open() {
    struct stat there {};
    if (::stat(path_.c_str(), &there) != 0) {
      return errno == ENOENT ? Status() : system_error("cannot read " + path_, errno);
    }
    // As that of a report: see survey_log.
    if (S_ISCHR(there.st_mode)) return {};
    if (file_ && there.st_ino == inode_ && there.st_size >= read_) return {};
    Result<Fd> opened = open_file(path_, O_RDONLY);
    if (!opened.ok()) return opened.error();
    file_ = opened.take();
    inode_ = there.st_ino;
    read_ = 0;
    rest_.clear();
    recent_.clear();
    survey_ = {};
    return {};
  }
  // Whole lines; what is left of the last one waits for its end.
  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (rest_.size() <= kMostLine) rest_ += bytes.substr(0, end);
      if (end == std::string_view::npos) return;
      survey_.add(rest_);
      if (report::parse_page_line(rest_, page_)) ++recent_[page_.wall_ms / 1000 * 1000];
      rest_.clear();
      bytes.remove_prefix(end + 1);
    }
  }

  const std::string path_;
  Fd file_;
  ino_t inode_ = 0;
  off_t read_ = 0;
  std::string rest_;
  report::Survey survey_;
  report::PageLine page_;
  std::map<std::int64_t, std::uint64_t> recent_;  // pages by second
};

// "do" of "token=1f&do=pause". Values of our own forms are letters, digits and points.
std::string_view form_value(std::string_view form, std::string_view key) {
  while (!form.empty()) {
    std::string_view value = cut(form, '&');
    if (cut(value, '=') == key) return value;
  }
  return {};
}

// In a time that says nothing of where they differ.
bool is_token(std::string_view given, std::string_view token) {
  unsigned differences = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(given.size(), token.size()); ++i)
    differences |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i]);
  return differences == 0;
}

std::string drawn_word() { return to_hex({random_seed(), random_seed()}); }

class Live {
 public:
  Live(cli::Tool& tool, const Clock& clock, const frontier::Options& options, std::string state)
      : tool_(tool),
        clock_(clock),
        options_(options),
        state_(std::move(state)),
        log_(tool.options().get("log")) {}

  LiveAnswer answer(const LiveRequest& request) {
    if (request.path == "/control") return steer(request);
    if (request.path != "/" && request.path != "/events") return {.status = 404};
    if (request.method != "GET") return {.status = 405};
    if (request.path == "/events")
      return {.type = "text/event-stream", .body = "retry: 2000\n\n", .stream = true};
    if (main_.empty() || is_due()) refresh();
    report::LiveView view{.nonce = drawn_word()};
    if (is_token(form_value(request.query, "token"), token_)) view.token = token_;
    return {.type = "text/html; charset=utf-8",
            .body = report::live_html(view, main_),
            .policy = report::live_policy(view)};
  }

  // Reads the state anew. What cannot be read now may be so a second later: what was shown stays.
  void refresh() {
    const std::int64_t before = now_ms();
    report::LiveView view{.setting = valve_text(read_valve(valve()))};
    report::Standing standing;
    standing.is_live = true;
    const Status done = read_all(standing);
    const std::int64_t wall_ms = clock_.unix_ms();
    view.recent_rate = log_.recent_rate(wall_ms);
    view.idle_ms = std::max<std::int64_t>(wall_ms - log_.survey().timeline.last_wall_ms(), 0);
    if (done.ok()) main_ = report::live_main(log_.survey(), standing, view, wall_ms);
    if (!done.ok() && done.message() != told_) tool_.notice(told_ = done.message());
    next_ms_ = now_ms() + std::max(kLeastRefreshMs, 10 * (now_ms() - before));
  }
  const std::string& main() const { return main_; }
  const std::string& token() const { return token_; }
  bool is_due() const { return now_ms() >= next_ms_; }

 private:
  std::int64_t now_ms() const { return clock_.monotonic_ns() / 1'000'000; }
  std::string valve() const { return state_ + "/valve"; }

  Status read_all(report::Standing& out) {
    if (const Status read = log_.read(); !read.ok()) return read;
    Result<std::unique_ptr<frontier::Store>> store =
        frontier::open_rocks_store(state_ + "/db", {.read_only = true});
    if (!store.ok()) return store.error();
    return read_standing({tool_, **store, clock_, options_}, out);
  }

  LiveAnswer steer(const LiveRequest& request) {
    if (request.method != "POST") return {.status = 405};
    if (!is_token(form_value(request.body, "token"), token_)) return {.status = 403};
    ValveSetting setting = read_valve(valve());
    const std::string_view what = form_value(request.body, "do");
    if (what == "pause") setting.paused = true;
    if (what == "go-on") setting.paused = false;
    if (what == "rate") {
      const std::string_view given = form_value(request.body, "rate");
      const auto rate = parse_decimal(given.empty() ? "0" : given);
      if (!rate || *rate < 0)
        return {.status = 400, .body = "rate: a number of requests a second\n"};
      setting.rate = *rate;
    } else if (what != "pause" && what != "go-on") {
      return {.status = 400, .body = "do: pause, go-on or rate\n"};
    }
    if (const Status written = write_valve(valve(), setting); !written.ok())
      return {.status = 500, .body = written.message() + "\n"};
    next_ms_ = 0;
    return {.status = 303, .location = "/?token=" + token_};
  }

  cli::Tool& tool_;
  const Clock& clock_;
  const frontier::Options& options_;
  const std::string state_;
  const std::string token_ = drawn_word();
  GrowingLog log_;
  std::string main_, told_;
  std::int64_t next_ms_ = 0;
};

}  // namespace

int serve_live(cli::Tool& tool, const Clock& clock, const frontier::Options& options,
               const std::string& state, std::uint16_t port) {
  Live live(tool, clock, options, state);
  Result<LiveServer> server =
      LiveServer::open(port, [&live](const LiveRequest& request) { return live.answer(request); });
  if (!server.ok()) return tool.trouble(server.message());
  tool.notice("look at " + server->origin() + "/ (Ctrl-C ends it); to steer: " + server->origin() +
              "/?token=" + live.token());
  while (cli::stop_signal() == 0) {
    server->turn(200, cli::stop_fd());
    if (!server->has_streams() || !live.is_due()) continue;
    live.refresh();
    server->publish("page", live.main());
  }
  return 0;
}

}  // namespace spinneret::loop
