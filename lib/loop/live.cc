// SPDX-License-Identifier: Apache-2.0
#include "loop/live.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"
#include "cli/signals.h"
#include "frontier/rocks_store.h"
#include "loop/enquiry.h"
#include "loop/growing_log.h"
#include "loop/live_server.h"
#include "loop/valve.h"
#include "report/page.h"

namespace spinneret::loop {
namespace {

constexpr std::int64_t kLeastRefreshMs = 1000;

// Returns "pause" for "do" of "token=1f&do=pause". Values of our own forms are letters, digits and
// points.
std::string_view form_value(std::string_view form, std::string_view key) {
  while (!form.empty()) {
    std::string_view value = cut(form, '&');
    if (cut(value, '=') == key) return value;
  }
  return {};
}

// Compares in a time that does not reveal where they differ.
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

  // Reads the state again. A failed read may succeed a second later, so the last content stays.
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
    return {.status = 303, .location = "./?token=" + token_};
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
