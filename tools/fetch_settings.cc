// SPDX-License-Identifier: Apache-2.0
#include "fetch_settings.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "http/address.h"
#include "http/header_block.h"
#include "url/parse.h"

namespace spinneret {
namespace {

constexpr cli::Option kOptions[] = {
    {'A', "agent", "NAME", "User-Agent (Spinneret/" SPINNERET_VERSION ")"},
    {0, "from", "ADDRESS", "contact, for From and User-Agent"},
    {'H', "header", "LINE", "send this header field too"},
    {0, "referer", nullptr, "send via= as Referer, as browsers cut it"},
    {0, "head", nullptr, "ask for headers only (HEAD)"},
    {0, "auth", "FILE", "credentials by origin"},
    {0, "cookies", "FILE", "keep cookies, in FILE"},
    {0, "proxy", "URL", "go through this proxy"},
    {0, "insecure", nullptr, "do not verify certificates"},
    {0, "allow-private", nullptr, "fetch private and loopback addresses too"},
    {0, "allow", "CIDR", "fetch addresses of this range too"},
    {'L', "follow", "N", "follow up to N redirects (0)"},
    {'j', "slots", "N", "transfers at a time (64)"},
    {0, "per-host", "N", "of them from one host (all)"},
    {0, "ordered", nullptr, "write records in the order of the input"},
    {'t', "timeout", "TIME", "for one URL (60)"},
    {0, "max-size", "SIZE", "of one decoded body (10M)"},
    {0, "types", "LIST", "accept these types: text/html,text/*"},
    {0, "limit", "NAME=VALUE", "another limit: see man fetch"},
    {0, "retry-connect", "N", "more tries for a connection (1)"},
    {0, "no-body", nullptr, "leave bodies out"},
    {0, "store", "DIR", "put bodies into files named by digest"},
    {0, "warc", "FILE", "write bodies to a WARC file"},
    {0, "raw", nullptr, "print bodies only"},
    {0, "digest", "NAME", "xxh3 or sha256 (xxh3)"},
    {0, "headers", nullptr, "add all header fields to the record"},
    {0, "timing", nullptr, "add the times of each stage"},
    {0, "stats", nullptr, "report progress and totals on stderr"},
};

std::string product_with_contact(const std::string& agent, const std::string& contact) {
  if (contact.empty() || agent.find(contact) != std::string::npos) return agent;
  return agent + " (+" + contact + ")";
}

void check_field_text(const cli::Options& options, std::string_view name, const std::string& text) {
  if (!std::any_of(text.begin(), text.end(), [](char c) { return is_control(c); })) return;
  options.usage_error("--" + std::string(name) + " takes text without control bytes, not " +
                      excerpt(text));
}

void read_identity(const cli::Options& options, WireOptions& wire) {
  const std::string agent = options.get("agent", "Spinneret/" SPINNERET_VERSION);
  const std::string from = options.get("from");
  if (agent.find_first_not_of(' ') == std::string::npos) {
    options.usage_error("--agent must name the crawler: servers cannot tell who an empty one is");
  }
  check_field_text(options, "agent", agent);
  check_field_text(options, "from", from);
  // A product token alone gets our version, so that the whole is product/version (RFC 9110, 10.1.5).
  const bool bare = std::all_of(agent.begin(), agent.end(),
                                [](char c) { return is_alpha(c) || c == '-' || c == '_'; });
  wire.agent = product_with_contact(bare ? agent + "/" SPINNERET_VERSION : agent, from);
  // From takes a mail address (RFC 9110, 10.1.2); a contact page, which may have an @ too, stands in the User-Agent
  // alone.
  Url page;
  if (from.find('@') != std::string::npos && !parse(from, page)) {
    wire.headers.push_back("From: " + from);
  }
}

void read_headers(const cli::Options& options, WireOptions& wire) {
  bool accept = false;
  bool language = false;
  for (std::string line : options.all("header")) {
    const std::size_t colon = line.find(':');
    const std::string_view name = std::string_view(line).substr(0, colon);
    // White space around a name would smuggle it past the ban below, and is refused by servers.
    if (colon == std::string::npos || !is_token(name)) {
      options.usage_error("--header takes a line such as 'Name: value', not " + excerpt(line));
    }
    check_field_text(options, "header", line);
    for (const std::string_view own :
         {"host", "content-length", "transfer-encoding", "accept-encoding", "authorization",
          "cookie", "connection"}) {
      if (equals_ignore_case(name, own)) {
        options.usage_error("--header cannot set " + std::string(own) +
                            (own == "authorization" ? ": use --auth"
                             : own == "cookie"      ? ": use --cookies"
                                                    : ""));
      }
    }
    accept = accept || equals_ignore_case(name, "accept");
    language = language || equals_ignore_case(name, "accept-language");
    line.resize(line.find_last_not_of(' ') + 1);
    wire.headers.push_back(line);
  }
  if (!accept) {
    wire.headers.emplace_back(
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  }
  if (!language) wire.headers.emplace_back("Accept-Language: en,*;q=0.5");
}

// Neither control nor white space, also not behind a %, and nothing that a URL would end at.
bool is_plain_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < '!' || c > '~' || std::string_view("/?#\\@").find(c) != std::string_view::npos)
      return false;
    if (c != '%') continue;
    if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    if (is_control(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]))))
      return false;
  }
  return true;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) return parse_ip(host).has_value();
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '.' || c == '_';
  });
}

// What libcurl could not take it would complain of in each record, password and all.
bool is_proxy(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos) return false;
  constexpr std::string_view kSchemes[] = {"http",    "https",  "socks4",
                                           "socks4a", "socks5", "socks5h"};
  const auto is_scheme = [&](std::string_view name) {
    return equals_ignore_case(name, url.substr(0, end));
  };
  if (std::none_of(std::begin(kSchemes), std::end(kSchemes), is_scheme)) return false;
  url.remove_prefix(end + 3);
  if (url.ends_with('/')) url.remove_suffix(1);
  const std::size_t at = url.find('@');
  if (at != std::string_view::npos) {
    if (!is_plain_text(url.substr(0, at))) return false;
    url.remove_prefix(at + 1);
  }
  const std::size_t colon = url.rfind(':');
  if (colon == std::string_view::npos || !is_host(url.substr(0, colon))) return false;
  const auto port = parse_unsigned(url.substr(colon + 1));
  return port && *port >= 1 && *port <= 65535;
}

std::string read_proxy(const cli::Options& options) {
  std::string proxy = options.get("proxy");
  // What was given is not shown: it may hold a password.
  if (options.has("proxy") && !is_proxy(proxy)) {
    options.usage_error(
        "--proxy takes [user:password@]host:port behind http://, https://, socks4://, socks4a://, "
        "socks5:// or "
        "socks5h://");
  }
  return proxy;
}

std::string read_secret_file(const cli::Options& options, std::string_view name) {
  Result<std::string> text = read_file(options.get(name), std::size_t{1} << 20);
  if (!text.ok()) options.usage_error("--" + std::string(name) + ": " + text.message());
  return text.take();
}

[[noreturn]] void bad_limit(const cli::Options& options, const std::string& text) {
  options.usage_error(
      "--limit takes connect=TIME, first-byte=TIME, low-speed=SIZE/TIME, headers=SIZE, rate=SIZE, "
      "host-rate=SIZE, run=TIME or warc=SIZE, not " +
      excerpt(text));
}

void read_limit(const cli::Options& options, const std::string& text, FetchSettings& out) {
  std::string_view value = text;
  const std::string_view name = cut(value, '=');
  FetchLimits& limits = out.engine.limits;
  const auto take = [&](auto parsed, auto& target) {
    if (!parsed) bad_limit(options, text);
    target = *parsed;
  };
  if (name == "connect") return take(parse_duration_ms(value), limits.connect_ms);
  if (name == "first-byte") return take(parse_duration_ms(value), limits.first_byte_ms);
  if (name == "headers") {
    take(parse_size(value), limits.max_header);
    if (limits.max_header <= FetchLimits().max_header) return;
    options.usage_error("--limit=headers takes 300K at most: libcurl takes no more");
  }
  if (name == "rate") return take(parse_size(value), out.engine.rate);
  if (name == "host-rate") return take(parse_size(value), out.engine.host_rate);
  if (name == "run") return take(parse_duration_ms(value), out.run_ms);
  if (name == "warc") return take(parse_size(value), out.warc.max_bytes);
  if (name != "low-speed") bad_limit(options, text);
  take(parse_size(cut(value, '/')), limits.low_speed_bytes);
  take(parse_duration_ms(value), limits.low_speed_ms);
}

void read_limits(const cli::Options& options, FetchSettings& out) {
  EngineOptions& engine = out.engine;
  engine.limits.total_ms = options.duration_ms("timeout", engine.limits.total_ms);
  engine.limits.max_size = options.size("max-size", engine.limits.max_size);
  for (const std::string& text : options.all("limit")) read_limit(options, text, out);
  engine.slots = options.unsigned_value("slots", engine.slots, 1, 10'000);
  engine.per_host = options.unsigned_value("per-host", engine.slots, 1, 10'000);
  engine.retry_connect = static_cast<int>(options.unsigned_value("retry-connect", 1, 0, 10));
  out.follow = static_cast<int>(options.unsigned_value("follow", 0, 0, 50));
  engine.max_queue = std::max(engine.max_queue, engine.slots * 4);
  if (out.ordered) engine.max_queue = engine.slots * 4;
  // 64 KiB reads a page of 40 KiB at once; thousands of transfers cannot each have that.
  engine.wire.read_buffer =
      std::clamp<std::size_t>((std::size_t{8} << 20) / engine.slots, 16 << 10, 64 << 10);
  engine.wire.max_connections = std::max<std::size_t>(256, engine.slots * 2);
  for (const std::string& list : options.all("types")) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::string type = to_lower_copy(trim(cut(rest, ',')));
      if (type.find('/') == std::string::npos) {
        options.usage_error("--types takes names such as text/html,image/*, not " + excerpt(type));
      }
      engine.types.push_back(type);
    }
  }
}

void read_policy(const cli::Options& options, AddressPolicy& policy) {
  if (options.has("allow-private")) policy.allow_all();
  for (const std::string& range : options.all("allow")) {
    if (const Status allowed = policy.allow(range); !allowed.ok()) {
      options.usage_error("--allow: " + allowed.message());
    }
  }
}

void read_body(const cli::Options& options, FetchSettings& out) {
  using Body = FetchSettings::Body;
  const std::pair<const char*, Body> ways[] = {{"no-body", Body::kNone},
                                               {"store", Body::kStore},
                                               {"warc", Body::kWarc},
                                               {"raw", Body::kRaw}};
  int given = 0;
  for (const auto& [name, way] : ways) {
    if (!options.has(name)) continue;
    out.body = way;
    ++given;
  }
  if (given > 1) options.usage_error("--no-body, --store, --warc and --raw exclude each other");
  // A person wants to see what came of it, not 40 KB of escaped HTML.
  out.terminal = isatty(STDOUT_FILENO) != 0;
  if (given == 0 && out.terminal) out.body = Body::kNone;
  out.store = options.get("store");
  out.warc.path = options.get("warc");
  out.warc.software = "Spinneret/" SPINNERET_VERSION;
  out.warc.agent = out.engine.wire.agent;
  out.warc.contact = options.get("from");
  constexpr std::string_view kDigests[] = {"xxh3", "sha256"};
  out.digest = options.choice("digest", kDigests, 0) == 0 ? DigestKind::kXxh3 : DigestKind::kSha256;
}

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// How many descriptors there may be, once as many as are wanted have been asked for.
std::size_t raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return wanted;
  rlimit raised = limit;
  raised.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

// A transfer takes two at most, while IPv6 and IPv4 race; kept connections one each, for as many as the pool holds
// beside those in use.
void fit_descriptors(const cli::Options& options, FetchSettings& out) {
  constexpr std::size_t kOwn = 24;  // standard ones, input, output, epoll, resolver
  constexpr std::size_t kLeast = 8;
  EngineOptions& engine = out.engine;
  const std::size_t wanted =
      kOwn + engine.wire.max_connections + 2 * (engine.slots + engine.max_patient);
  const std::size_t limit = raise_descriptor_limit(wanted);
  if (limit >= wanted) return;
  if (limit < kOwn + kLeast) {
    options.usage_error("needs " + std::to_string(kOwn + kLeast) +
                        " file descriptors at least (ulimit -n), not " + std::to_string(limit));
  }
  const std::size_t room = limit - kOwn;
  const std::size_t active = room / 4;
  if (engine.slots > active) {
    out.notice = std::to_string(limit) + " file descriptors (ulimit -n) allow " +
                 std::to_string(active) + " transfers at a time, not " +
                 std::to_string(engine.slots);
    engine.slots = active;
  }
  engine.max_patient = std::min(engine.max_patient, active - engine.slots);
  engine.wire.max_connections = std::min(engine.wire.max_connections, room / 2);
}

}  // namespace

const cli::ToolSpec kFetchTool{"fetch", "fetch URLs, one record out for each line in",
                               "[OPTION]... [URL|FILE]...", kOptions};

FetchSettings read_settings(const cli::Options& options) {
  FetchSettings out;
  EngineOptions& engine = out.engine;
  read_identity(options, engine.wire);
  read_headers(options, engine.wire);
  if (options.has("auth")) {
    Result<AuthTable> table = AuthTable::parse(read_secret_file(options, "auth"));
    if (!table.ok()) options.usage_error("--auth: " + options.get("auth") + ": " + table.message());
    engine.auth = table.take();
  }
  engine.wire.cookie_file = options.get("cookies");
  engine.wire.proxy = read_proxy(options);
  engine.wire.insecure = out.fields.insecure = options.has("insecure");
  engine.wire.ca_file = environment("SSL_CERT_FILE");
  engine.resolver.servers = environment("SPINNERET_DNS");
  engine.head_only = options.has("head");
  engine.timing = out.fields.timing = options.has("timing");
  out.fields.headers = options.has("headers");
  out.referer = options.has("referer");
  out.ordered = options.has("ordered");
  out.stats = options.has("stats");
  read_limits(options, out);
  read_policy(options, engine.policy);
  read_body(options, out);
  engine.keep_wire = engine.wire.keep_request = out.body == FetchSettings::Body::kWarc;
  fit_descriptors(options, out);
  return out;
}

}  // namespace spinneret
