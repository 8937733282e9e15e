// SPDX-License-Identifier: Apache-2.0
#include "fetch_settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/terminal.h"
#include "fetch_descriptors.h"
#include "http/header_block.h"
#include "http/response_head.h"
#include "identity.h"

namespace spinneret {
namespace {

// As many connections as a browser opens.
constexpr std::size_t kPerHost = 6;

[[noreturn]] void bad_limit(const cli::Options& options, const std::string& text) {
  constexpr std::string_view kNames[] = {"connect",   "first-byte", "low-speed", "headers", "rate",
                                         "host-rate", "run",        "memory",    "warc"};
  const std::string_view name = std::string_view(text).substr(0, text.find('='));
  const bool known = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  options.usage_error(
      "--limit takes connect=TIME, first-byte=TIME, low-speed=SIZE/TIME, headers=SIZE, rate=SIZE, "
      "host-rate=SIZE, run=TIME, memory=SIZE or warc=SIZE, not " +
      excerpt(text) + (known ? "" : did_you_mean(name, kNames)));
}

void read_limit(const cli::Options& options, const std::string& text, FetchSettings& out) {
  std::string_view value = text;
  const std::string_view name = cut(value, '=');
  http::FetchLimits& limits = out.engine.limits;
  const auto take = [&](auto parsed, auto& target) {
    if (!parsed) bad_limit(options, text);
    target = *parsed;
  };
  // Whoever writes 0 means no limit, as with curl(1); but nothing answers within no time.
  const auto take_limit = [&](std::int64_t& target) {
    take(parse_duration_ms(value), target);
    if (target == 0)
      options.usage_error("--limit=" + std::string(name) + " must be greater than 0");
  };
  if (name == "connect") return take_limit(limits.connect_ms);
  if (name == "first-byte") return take_limit(limits.first_byte_ms);
  if (name == "headers") {
    take(parse_size(value), limits.max_header);
    if (limits.max_header == 0) options.usage_error("--limit=headers must be greater than 0");
    if (limits.max_header <= http::FetchLimits().max_header) return;
    options.usage_error("--limit=headers takes 300K at most, which is libcurl's own limit");
  }
  if (name == "rate") return take(parse_size(value), out.engine.rate);
  if (name == "host-rate") return take(parse_size(value), out.engine.host_rate);
  if (name == "memory") return take(parse_size(value), out.engine.max_held);
  if (name == "run") return take(parse_duration_ms(value), out.run_ms);
  if (name == "warc") return take(parse_size(value), out.warc.max_bytes);
  if (name != "low-speed") bad_limit(options, text);
  take(parse_size(cut(value, '/')), limits.low_speed_bytes);
  take_limit(limits.low_speed_ms);
}

void read_pace(const cli::Options& options, http::EngineOptions& engine) {
  engine.wait_ms = options.duration_ms("wait", 0);
  engine.again_ms = options.duration_ms("again-after", engine.again_ms);
  engine.random_wait = options.has("random-wait");
  if (engine.random_wait && engine.wait_ms == 0)
    options.usage_error("--random-wait varies a wait: say how long with --wait");
}

void read_repeats(const cli::Options& options, FetchSettings& out) {
  http::EngineOptions& engine = out.engine;
  engine.continue_cut = static_cast<int>(options.unsigned_value("continue", 0, 0, 10));
  if (engine.continue_cut != 0 && options.has("warc")) {
    options.usage_error(
        "--continue and --warc exclude each other: an archive holds what one exchange brought");
  }
  engine.retry_connect = static_cast<int>(options.unsigned_value("retry-connect", 1, 0, 10));
  if (options.get("follow").starts_with('-')) {
    options.usage_error("--follow (-L) takes a number of redirects, but what follows it is " +
                        excerpt(options.get("follow")));
  }
  out.follow = static_cast<int>(options.unsigned_value("follow", 0, 0, 50));
}

// Sets what follows from the number of transfers at a time.
void fit_to_slots(http::EngineOptions& engine, bool ordered) {
  // politeness-sched sends as many URLs of hosts that are silent or have not answered yet.
  engine.max_patient = std::max(engine.max_patient, engine.slots * 8) + engine.slots * 4;
  engine.max_queue = std::max(engine.max_queue, engine.slots * 4);
  if (ordered) engine.max_queue = engine.slots * 4;
  // A buffer of 64 KiB takes a page of 40 KiB at one read; thousands of transfers cannot have that
  // each.
  engine.wire.read_buffer =
      std::clamp<std::size_t>((std::size_t{8} << 20) / engine.slots, 16 << 10, 64 << 10);
  // A crawl goes round through hundreds of hosts, and a TLS handshake costs as much as five pages
  // over a kept connection. Connections that wait for silent hosts count, too: with 1,000 of those
  // none could be kept, and each page of the other hosts began with a new connection.
  engine.wire.max_connections =
      std::max<std::size_t>(1024, engine.slots * 2) + engine.slots + engine.max_patient;
  // libcurl searches through all connections of a multi: 1,000 silent hosts cost 11,000 good pages
  // 0.7 to 2.3 s of CPU in one multi, 0.1 s in eight.
  const std::size_t multis = (engine.slots + engine.max_patient) / 128;
  engine.wire.multis = static_cast<unsigned>(std::clamp<std::size_t>(multis, 1, 32));
}

void read_limits(const cli::Options& options, FetchSettings& out) {
  http::EngineOptions& engine = out.engine;
  engine.limits.total_ms = options.duration_ms("timeout", engine.limits.total_ms);
  if (engine.limits.total_ms == 0) options.usage_error("--timeout must be greater than 0");
  engine.limits.max_size = options.size("max-size", engine.limits.max_size);
  if (engine.limits.max_size == 0)
    options.usage_error("--max-size must be greater than 0: every page would be too large");
  for (const std::string& text : options.all("limit")) read_limit(options, text, out);
  engine.slots = options.unsigned_value("in-flight", engine.slots, 1, 10'000);
  engine.per_host = options.unsigned_value("per-host", kPerHost, 1, 10'000);
  // The operator of a server must be able to tell who asks for so much.
  const bool named = options.has("agent") || !environment_value("SPINNERET_AGENT").empty();
  if (!named && engine.per_host > kPerHost) {
    out.notice = "a host gets " + std::to_string(kPerHost) + " transfers at a time, not " +
                 std::to_string(engine.per_host) +
                 ", from a crawler without a name: give --agent or SPINNERET_AGENT";
    engine.per_host = kPerHost;
  }
  read_pace(options, engine);
  read_repeats(options, out);
  fit_to_slots(engine, out.ordered);
  for (const std::string& list : options.all("types")) {
    std::string bad;
    if (!http::parse_type_list(list, engine.types, &bad))
      options.usage_error("--types takes names such as text/html,!image/*, not " + excerpt(bad));
  }
}

void read_store(const cli::Options& options, FetchSettings& out) {
  out.store_files = options.choice("store-as", 0) == 1;
  out.list = options.has("list");
  out.cat = options.all("cat");
  for (const char* const name : {"store-as", "list", "cat"}) {
    if (options.has(name) && !options.has("store") && !options.has("no-body")) {
      options.usage_error("--" + std::string(name) + " is about a store: name it with --store");
    }
  }
  if (!out.list && out.cat.empty()) return;
  if (!options.has("store"))
    options.usage_error("--list and --cat read a store: name it with --store");
  if (out.list && !out.cat.empty()) options.usage_error("--list and --cat exclude each other");
  if (!options.operands().empty()) {
    options.usage_error("--list and --cat fetch nothing, and take no URL or FILE");
  }
}

void read_warc(const cli::Options& options, FetchSettings& out) {
  out.warc.path = options.get("warc");
  // An existing path that is no plain file is never meant to have another beside it:
  // /dev/null-00001 would be in memory.
  std::error_code none;
  const std::filesystem::file_status found = std::filesystem::status(out.warc.path, none);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    options.usage_error("--warc names a file, and " + excerpt(out.warc.path) +
                        (std::filesystem::is_directory(found) ? " is a folder" : " is none"));
  out.warc.software = "Spinneret/" SPINNERET_VERSION;
  out.warc.agent = out.engine.wire.agent;
  out.warc.contact = contact_of(options);
  out.wacz = options.has("wacz");
  out.warc.index = out.wacz || options.has("cdxj");
  for (const char* const name : {"cdxj", "wacz", "warc-info"}) {
    if (options.has(name) && !options.has("warc") && !options.has("no-body")) {
      options.usage_error("--" + std::string(name) + " is about an archive: name it with --warc");
    }
  }
  for (const std::string& field : options.all("warc-info")) {
    std::string_view value = field;
    const std::string_view name = cut(value, '=');
    check_field_text(options, "warc-info", field);
    if (!http::is_token(name) || value.empty())
      options.usage_error("--warc-info takes a field such as robots=obey, not " + excerpt(field));
    out.warc.info.push_back(std::string(name) + ": " + std::string(value));
  }
}

void read_body(const cli::Options& options, FetchSettings& out) {
  using Body = FetchSettings::Body;
  const std::pair<const char*, Body> ways[] = {{"no-body", Body::kNone},
                                               {"store", Body::kStore},
                                               {"warc", Body::kWarc},
                                               {"raw", Body::kRaw}};
  std::optional<Body> given;
  for (const auto& [name, way] : ways) {
    if (options.has(name)) given = way;
  }
  out.body = given.value_or(out.body);
  options.refuse_together(std::array<std::string_view, 4>{"no-body", "store", "warc", "raw"});
  for (const char* const raw : {"raw", "cat"}) {
    for (const char* const form : {"json", "fields", "headers", "timing"}) {
      if (options.has(raw) && options.has(form))
        options.usage_error("--" + std::string(raw) + " prints bodies and no records: not with --" +
                            form);
    }
  }
  // A person wants to see what became of a URL, not 40 KB of escaped HTML.
  out.terminal = is_terminal(STDOUT_FILENO);
  if (!given && out.terminal) {
    out.body = Body::kNone;
    if (out.notice.empty())
      out.notice =
          "bodies are left out on a terminal: --raw shows them, a file or a pipe gets them";
  }
  out.store = options.get("store");
  read_store(options, out);
  read_warc(options, out);
  out.digest =
      options.choice("digest", 0) == 0 ? http::DigestKind::kXxh3 : http::DigestKind::kSha256;
}

// Opens the leases of the scheduler that started us: its renewals postpone the deadlines of its
// records.
void read_leases(const cli::Options& options, http::EngineOptions& engine) {
  const std::string given = environment_value("SPINNERET_LEASES");
  if (given.empty()) return;
  const auto number = parse_unsigned(given);
  Result<Deadlines> opened = number && *number <= INT_MAX
                                 ? Deadlines::open(static_cast<int>(*number))
                                 : Error{"the number of a file descriptor is needed"};
  if (!opened.ok())
    options.usage_error("SPINNERET_LEASES=" + excerpt(given) + ": " + opened.message() +
                        ": whatever starts fetch must leave it open, or take the variable away");
  engine.deadlines = std::make_shared<const Deadlines>(opened.take());
}

}  // namespace

FetchSettings read_settings(const cli::Options& options) {
  FetchSettings out;
  http::EngineOptions& engine = out.engine;
  read_asker(options, out);
  engine.head_only = options.has("head");
  engine.timing = out.fields.timing = options.has("timing");
  out.fields.headers = options.has("headers");
  out.referer = options.has("referer");
  out.ordered = options.has("ordered");
  out.stats = options.has("progress");
  read_limits(options, out);
  read_body(options, out);
  engine.keep_wire = engine.wire.keep_request = out.body == FetchSettings::Body::kWarc;
  if (out.body == FetchSettings::Body::kNone) engine.digest_only = out.digest;
  read_leases(options, engine);
  fit_descriptors(options, out);
  return out;
}

}  // namespace spinneret
