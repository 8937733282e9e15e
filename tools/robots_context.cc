// SPDX-License-Identifier: Apache-2.0
#include "robots_context.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "body/reader.h"
#include "http/response_head.h"
#include "identity.h"
#include "robots/pattern.h"
#include "robots/text.h"
#include "robots_agents.h"
#include "robots_fetch.h"

namespace spinneret {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr int kMaxHops = 5;  // RFC 9309, section 2.3.1.2

// Whether an operand is a path of some host: there is no file of that name.
bool is_path_operand(std::string_view operand) {
  struct stat found {};
  return operand.starts_with('/') &&
         (::stat(std::string(operand).c_str(), &found) != 0 || S_ISDIR(found.st_mode));
}

bool is_url_or_path(std::string_view operand) {
  return cli::is_url_operand(operand) || is_path_operand(operand);
}

}  // namespace

std::string RobotsContext::robots_source(const std::string& url) {
  Url parsed;
  UrlError why;
  if (!parse(url, parsed, &why) || !parsed.is_http() || parsed.path_and_query() != "/") return url;
  return robots::robots_url(parsed);
}

std::string RobotsContext::resolved(const std::string& source, std::string_view url) {
  Url base;
  Url out;
  const bool known = cli::is_url_operand(source) && parse(source, base, nullptr);
  if (!known || !resolve(url, base, out, nullptr)) return std::string(url);
  return std::string(out.href());
}

std::vector<std::string> RobotsContext::files_of(const std::string& operand) const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (cli::is_url_operand(operand) || !fs::is_directory(operand, error)) return {operand};
  std::vector<std::string> out;
  fs::recursive_directory_iterator at(operand, fs::directory_options::skip_permission_denied,
                                      error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at->is_regular_file(error)) out.push_back(at->path().string());
  }
  if (error) tool.trouble("cannot read " + operand + ": " + error.message());
  std::sort(out.begin(), out.end());
  return out;
}

void RobotsContext::take_paths_as_lines(std::vector<std::string> operands) {
  tool.set_operands(std::move(operands), is_url_or_path);
}

void RobotsContext::read_statuses() {
  const std::string list = tool.options().get("deny-status");
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto status = parse_unsigned(trim(cut(rest, ',')));
    if (!status || *status < 400 || *status > 499) {
      tool.options().usage_error("--deny-status takes statuses such as 401,403,429");
    }
    policy.deny_status.push_back(static_cast<int>(*status));
  }
}

void RobotsContext::read_options() {
  const cli::Options& options = tool.options();
  rules.rules.mode = static_cast<robots::RobotsMode>(options.choice("mode", 0));
  rules.rules.strict_token = options.has("strict-token");
  AgentChoice choice = read_agents(tool, rules.rules.strict_token);
  rules.agents = std::move(choice.names);
  rows = choice.rows;
  rules.stale = options.duration_ms("stale", 0) / 1000;
  // These options are needed only where a file is fetched; a mistake in them is reported at once
  // all the same.
  contact_of(options);
  options.duration_ms("timeout", 0);
  explain = options.has("explain");
  quiet = options.has("quiet");
  policy.give_up = options.duration_ms("unavailable-after", 0) / 1000;
  cache = options.get("cache");
  const bool old = rules.rules.mode == robots::RobotsMode::k1994;
  read_statuses();
  if (old && !options.has("deny-status")) policy.deny_status = {401, 403};
  policy.ttl = options.duration_ms("ttl", (old ? 7 : 1) * kDayMs) / 1000;
  rules.ttl = policy.ttl;
  if (options.has("now")) fixed_now_ = options.moment_ms("now", 0) / 1000;
  for (const char* loop : {"gate", "learn"}) {
    if (options.has(loop) && cache.empty()) {
      options.usage_error(std::string("--") + loop + " needs --cache=DIR");
    }
  }
  if (options.has("gate") && rules.agents.size() != 1) {
    options.usage_error("--gate needs one --agent=NAME: the product token of your crawler");
  }
  if (rules.agents.empty()) rules.agents.emplace_back("*");
  check_suffixes();
}

// Refuses agents whose fields have the same name: the field would hold only the verdict of the
// last.
void RobotsContext::check_suffixes() {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < rules.agents.size() && rules.agents.size() > 1 && !rows; ++i) {
    const auto [known, is_new] = names.emplace(suffix(i), rules.agents[i]);
    if (is_new) continue;
    tool.options().usage_error("--agent=" + known->second + " and --agent=" + rules.agents[i] +
                               " would have the same field, robots" + known->first);
  }
}

std::int64_t RobotsContext::now() const {
  return fixed_now_ ? *fixed_now_ : system_clock().unix_ms() / 1000;
}

std::string_view RobotsContext::path_of(std::string_view line_url) {
  const robots::RobotsMode mode = rules.rules.mode;
  if (mode == robots::RobotsMode::kGoogle) return robots::google_path(line_url, storage_);
  return robots::comparable_path(url.path_and_query(), mode, storage_);
}

// Parses a path as it would stand in a URL, as logs and pages have it: with dot segments, say.
bool RobotsContext::read_url(std::string_view text, bool may_be_path) {
  if (!may_be_path || !text.starts_with('/')) return parse(text, url, &why);
  path_url_.assign("http://h").append(text);
  return parse(path_url_, url, &why);
}

std::string RobotsContext::suffix(std::size_t agent) const {
  if (rules.agents.size() == 1 || rows) return {};
  std::string out = "." + to_lower_copy(rules.agents[agent]);
  std::replace_if(
      out.begin() + 1, out.end(), [](char c) { return !is_alnum(c) && c != '.'; }, '-');
  return out;
}

bool RobotsContext::is_denial(std::string_view reason) const {
  const auto status = parse_unsigned(reason);
  return status && std::find(policy.deny_status.begin(), policy.deny_status.end(),
                             static_cast<int>(*status)) != policy.deny_status.end();
}

void RobotsContext::add_rule(const std::string& prefix, const std::string& suffix,
                             const robots::HostRules& host, std::size_t agent,
                             const robots::HostRules::Answer& answer) {
  if (answer.rule == nullptr) return;
  record.set(prefix + "-rule" + suffix, without_controls(host.rules(agent).text(*answer.rule)));
  record.set_unsigned(prefix + "-line" + suffix, answer.rule->line);
}

void RobotsContext::tell_unreached(std::string_view source, const http::FetchResult& result) {
  const bool refused = result.outcome == Outcome::kRefusedAddress;
  tool.trouble(std::string(source) + ": " + result.error +
               (refused ? ", refused unless --allow-private is given" : ""));
}

std::string_view unpacked_robots(std::string_view body, std::string& buffer) {
  if (!body::is_gzip(body)) return body;
  body::gunzip(body, kRobotsSizeLimit, buffer);  // a broken body is read as far as it goes
  return buffer;
}

robots::RobotsEntry RobotsContext::judge(const Request& request, const http::FetchResult& result,
                                         bool report) {
  robots::RobotsReply reply;
  reply.status = result.status;
  reply.outcome = result.outcome;
  std::string unpacked;
  if (result.whole || result.truncated) reply.body = unpacked_robots(result.body, unpacked);
  reply.truncated = result.truncated;
  reply.expires = http::fresh_until(result.head, now());
  reply.retry_after = http::retry_after(result.head, now());
  if (reply.status == 0 && report) tell_unreached(request.url, result);
  robots::RobotsEntry entry = robots::judge_reply(reply, policy, now(), request.last);
  entry.source = request.url;
  return entry;
}

std::vector<http::FetchResult> RobotsContext::fetch_all(const std::vector<std::string>& urls,
                                                        int hops, std::uint64_t max_size) const {
  return fetch_files(tool.options(), rules.agents.front(), urls, hops, max_size);
}

std::vector<robots::RobotsEntry> RobotsContext::fetch_robots(const std::vector<Request>& requests,
                                                             bool report) {
  std::vector<std::string> urls;
  urls.reserve(requests.size());
  for (const Request& request : requests) urls.push_back(request.url);
  const std::vector<http::FetchResult> results = fetch_all(urls, kMaxHops, kRobotsSizeLimit);
  std::vector<robots::RobotsEntry> entries;
  entries.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    entries.push_back(judge(requests[i], results[i], report));
  }
  return entries;
}

void RobotsContext::note_html(const std::string& source, std::string_view bytes) {
  std::string storage;
  robots::RobotsTextFacts facts;
  robots::robots_text(bytes, kRobotsSizeLimit, storage, &facts);
  if (facts.looks_html) tool.notice(source + ": is HTML or XML, and no robots.txt");
}

std::optional<std::string> RobotsContext::read_source(const std::string& source) {
  if (cli::is_url_operand(source)) {
    robots::RobotsEntry entry = fetch_robots({{robots_source(source), nullptr}}).front();
    if (entry.state == robots::RobotsState::kRules) {
      note_html(source, entry.body);
      return std::move(entry.body);
    }
    tool.trouble(source + ": no robots.txt there (" + entry.reason + ")");
    return std::nullopt;
  }
  // /dev/stdin would not do: opening it reads a file from its beginning again, and fails for a
  // socket.
  Result<std::string> text =
      source == "-" ? read_descriptor(STDIN_FILENO, "standard input") : read_file(source);
  if (text.ok()) {
    std::string unpacked;
    return std::string(unpacked_robots(*text, unpacked));
  }
  tool.trouble(text.message());
  return std::nullopt;
}

}  // namespace spinneret
