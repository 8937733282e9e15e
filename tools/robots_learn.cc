// SPDX-License-Identifier: Apache-2.0
// robots-check --learn, in the loop of spinneret(7): stores the robots.txt files that were fetched.
#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "body/reader.h"
#include "robots/store.h"
#include "robots_context.h"

namespace spinneret {
namespace {

class Learner {
 public:
  explicit Learner(RobotsContext& context) : context_(context), record_(context.record) {}

  void take(std::string_view line) {
    cli::Tool& tool = context_.tool;
    // An aborted request says nothing about its host.
    if (!is_settled(line) || find_raw_field(line, "purpose") != "robots" ||
        find_raw_field(line, "outcome") == to_string(Outcome::kAborted)) {
      return tool.writer().write_line(line);
    }
    record_.parse(line);
    const std::string url(record_.url());
    if (!parse(url, context_.url, &context_.why)) return tool.refuse(context_.why.message, url);
    robots::RobotsReply reply;
    if (const Status read = read_reply(reply); !read.ok()) return tool.refuse(read.message(), url);
    const robots::RobotsEntry entry = make_entry(reply);
    record_.remove("body");
    const Status stored = robots::store_entry(context_.cache, entry);
    if (!stored.ok()) return abort(stored.message());
    if (entry.state == robots::RobotsState::kRules) add_fields(entry);
    tool.writer().write(record_);
  }

  // Whether the cache could not be written.
  bool failed() const { return failed_; }

 private:
  // Aborts the record. If it were passed on unchanged, the gate would ask for these rules again,
  // and the page would be given up for that.
  void abort(const std::string& why) {
    failed_ = true;
    context_.tool.trouble(why);
    record_.set("error", why);
    record_.set_outcome(to_string(Outcome::kAborted));
    context_.tool.writer().write(record_);
  }

  std::optional<std::int64_t> number(std::string_view key) {
    const auto text = record_.get(key);
    const auto value = text ? parse_unsigned(*text) : std::nullopt;
    if (!value || *value > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

  // Returns an Error where the record was torn off, or its file is missing or damaged.
  Status read_reply(robots::RobotsReply& reply) {
    reply.status = static_cast<int>(std::min<std::int64_t>(number("status").value_or(0), 999));
    reply.outcome = parse_outcome(record_.get("outcome").value_or(""));
    reply.expires = number("expires");
    reply.retry_after = number("retry-after");
    reply.truncated = record_.get("truncated") == "true";
    const Result<std::string_view> body = bodies_.read(record_);
    if (!body.ok()) return Error{body.message()};
    // A record of size 0 has no body. Where a body is missing, the reply's judge decides.
    if (bodies_.is_there()) reply.body = unpacked_robots(*body, unpacked_);
    return {};
  }

  robots::RobotsEntry make_entry(const robots::RobotsReply& reply) {
    const std::string authority = robots::robots_authority(context_.url);
    const std::optional<robots::RobotsEntry> last = robots::load_entry(context_.cache, authority);
    robots::RobotsEntry entry =
        robots::judge_reply(reply, context_.policy, context_.now(), last ? &*last : nullptr);
    entry.authority = authority;
    entry.source = context_.url.href_without_fragment();
    return entry;
  }

  // Adds what the scheduler must know, and what the file states about the host as a whole.
  void add_fields(const robots::RobotsEntry& entry) {
    robots::HostRules::Options options = context_.rules;
    options.agents.resize(1);
    const robots::HostRules rules(entry, options, context_.now());
    const auto delay = rules.rules(0).timetable().delay_ms_at(context_.now() * 1000);
    if (states_preferences(rules)) add_preferences(record_, rules, "/");
    if (delay) record_.set("crawl-delay", seconds_text(*delay));
  }

  RobotsContext& context_;
  Record& record_;
  body::BodyReader bodies_;
  std::string unpacked_;
  bool failed_ = false;
};

}  // namespace

int learn_records(RobotsContext& context) {
  const Status made = make_directories(context.cache);
  if (!made.ok()) return context.tool.trouble(made.message());
  Learner learner(context);
  std::string_view line;
  while (!learner.failed() && context.tool.next(line)) learner.take(line);
  return context.tool.status();
}

}  // namespace spinneret
