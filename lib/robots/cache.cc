// SPDX-License-Identifier: Apache-2.0
#include "robots/cache.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/moment.h"
#include "base/number.h"
#include "robots/text.h"

namespace spinneret::robots {
namespace {

constexpr std::string_view kMagic = "spinneret-robots 1\n";
constexpr std::string_view kStates[] = {"rules", "allow-all", "disallow-all"};
constexpr std::size_t kMaxFile = std::size_t{64} << 20;
constexpr std::size_t kLongName = 200;  // bytes; a file name has at most 255

// Returns "1763640000 2025-11-20T12:00:00Z", or "0" for never.
std::string time_text(std::int64_t seconds) {
  const std::string number = std::to_string(seconds);
  const std::string date = seconds > 0 ? utc_text(seconds) : number;
  return date == number ? number : number + ' ' + date;
}

void append_line(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += ": ";
  out += without_controls(value);
  out += '\n';
}

std::string check_of(std::string_view head, std::string_view body) {
  Hasher128 hasher;
  hasher.update(head);
  hasher.update(body);
  return to_hex(hasher.digest());
}

// Takes the value of the next line, which must be that of `key`.
bool take_line(std::string_view& text, std::string_view key, std::string_view& value) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(key)) return false;
  value = text.substr(0, end).substr(key.size());
  if (!value.starts_with(": ")) return false;
  value.remove_prefix(2);
  text.remove_prefix(end + 1);
  return true;
}

bool take_line(std::string_view& text, std::string_view key, std::string& value) {
  std::string_view view;
  if (!take_line(text, key, view)) return false;
  value = view;
  return true;
}

// Takes a number; any text after it is for people.
bool take_line(std::string_view& text, std::string_view key, std::int64_t& value) {
  std::string_view view;
  if (!take_line(text, key, view)) return false;
  const auto number = parse_unsigned(cut(view, ' '));
  if (!number || *number > INT64_MAX) return false;
  value = static_cast<std::int64_t>(*number);
  return true;
}

}  // namespace

std::string_view to_string(RobotsState state) { return kStates[static_cast<std::size_t>(state)]; }

std::string robots_authority(const Url& url) {
  if (!url.has_host() || url.host().empty() || url.effective_port() < 0) return {};
  std::string out(url.scheme());
  out.append("://").append(url.host()).append(":");
  append_unsigned(out, static_cast<std::uint64_t>(url.effective_port()));
  return out;
}

std::string robots_url(const Url& url) {
  std::string out(url.scheme());
  out.append("://").append(url.host());
  if (url.has_port()) out.append(":").append(url.port_text());
  return out + "/robots.txt";
}

std::string encode_entry(const RobotsEntry& entry) {
  std::string out(kMagic);
  append_line(out, "for", entry.authority);
  append_line(out, "source", entry.source);
  append_line(out, "state", to_string(entry.state));
  append_line(out, "reason", entry.reason);
  append_line(out, "fetched", time_text(entry.fetched));
  append_line(out, "expires", time_text(entry.expires));
  append_line(out, "copy", time_text(entry.copied));
  if (entry.unreachable != 0) append_line(out, "unreachable", time_text(entry.unreachable));
  append_line(out, "size", std::to_string(entry.body.size()));
  append_line(out, "check", check_of(out, entry.body));
  out += '\n';
  return out += entry.body;
}

std::optional<RobotsEntry> decode_entry(std::string_view text) {
  const std::string_view all = text;
  RobotsEntry entry;
  std::string_view state;
  std::string_view check;
  std::int64_t size = 0;
  if (!text.starts_with(kMagic)) return std::nullopt;
  text.remove_prefix(kMagic.size());
  if (!take_line(text, "for", entry.authority) || !take_line(text, "source", entry.source) ||
      !take_line(text, "state", state) || !take_line(text, "reason", entry.reason) ||
      !take_line(text, "fetched", entry.fetched) || !take_line(text, "expires", entry.expires) ||
      !take_line(text, "copy", entry.copied)) {
    return std::nullopt;
  }
  // The line is optional, and missing in older files.
  if (text.starts_with("unreachable: ") && !take_line(text, "unreachable", entry.unreachable)) {
    return std::nullopt;
  }
  if (!take_line(text, "size", size)) return std::nullopt;
  const std::string_view head = all.substr(0, all.size() - text.size());
  if (!take_line(text, "check", check) || !text.starts_with('\n')) return std::nullopt;
  text.remove_prefix(1);
  const auto* const known = std::find(std::begin(kStates), std::end(kStates), state);
  if (known == std::end(kStates) || text.size() != static_cast<std::uint64_t>(size) ||
      check != check_of(head, text)) {
    return std::nullopt;
  }
  entry.state = static_cast<RobotsState>(known - std::begin(kStates));
  entry.body = text;
  return entry;
}

// "https://example.org:443" becomes "https_example.org_443". Schemes and ports contain no
// underscore, so no two authorities share a name; a long name is cut and told apart by its hash.
std::string cache_file_name(std::string_view authority) {
  const std::size_t scheme = authority.find("://");
  const std::size_t colon = authority.rfind(':');
  std::string out(authority.substr(0, scheme));
  out += '_';
  if (scheme != std::string_view::npos && colon > scheme + 2) {
    out.append(authority.substr(scheme + 3, colon - scheme - 3)).append("_");
    out.append(authority.substr(colon + 1));
  }
  std::replace(out.begin(), out.end(), '/', '_');
  if (out.size() <= kLongName) return out;
  return out.substr(0, kLongName / 2) + "~" + to_hex(hash128(authority));
}

Status store_entry(const std::string& folder, const RobotsEntry& entry) {
  if (entry.refused) return {};
  return write_file_atomic(folder + "/" + cache_file_name(entry.authority), encode_entry(entry));
}

std::optional<RobotsEntry> load_entry(const std::string& folder, std::string_view authority,
                                      std::int64_t ttl) {
  Result<std::string> text = read_file(folder + "/" + cache_file_name(authority), kMaxFile);
  if (!text.ok()) return std::nullopt;
  std::optional<RobotsEntry> entry = decode_entry(*text);
  if (!entry || entry->authority != authority) return std::nullopt;
  entry->expires = std::min(entry->expires, std::min(entry->fetched, INT64_MAX - ttl) + ttl);
  return entry;
}

namespace {

std::int64_t good_expiry(const RobotsReply& reply, const RobotsPolicy& policy, std::int64_t now) {
  const std::int64_t wanted = reply.expires.value_or(now + policy.ttl);
  return std::clamp(wanted, now + std::min(policy.floor, policy.ttl), now + policy.ttl);
}

// RFC 9309, section 2.3.1.3. 408, 425 and 429 are about the server and not about the file, and say
// nothing of its rules: a crawler that takes one for "no rules" fetches what is forbidden, and with
// 429 from the very host that asks to be left alone.
bool is_unavailable(int status) {
  return status >= 300 && status < 500 && status != 304 && status != 408 && status != 425 &&
         status != 429;
}

bool is_denial(int status, const RobotsPolicy& policy) {
  return std::find(policy.deny_status.begin(), policy.deny_status.end(), status) !=
         policy.deny_status.end();
}

// Where every request has failed for as long as the policy waits, the host counts as having no
// robots.txt.
void count_silence(RobotsEntry& entry, const RobotsPolicy& policy, const RobotsEntry* last) {
  entry.unreachable = last != nullptr && last->unreachable != 0 ? last->unreachable : entry.fetched;
  if (policy.give_up == 0 || entry.fetched - entry.unreachable < policy.give_up) return;
  entry.state = RobotsState::kAllowAll;
}

void keep_copy(RobotsEntry& entry, const RobotsEntry* last) {
  if (last == nullptr || last->copied == 0) return;
  entry.copied = last->copied;
  entry.body = last->body;
}

}  // namespace

RobotsEntry judge_reply(const RobotsReply& reply, const RobotsPolicy& policy, std::int64_t now,
                        const RobotsEntry* last) {
  RobotsEntry entry;
  const int status = reply.status;
  now = std::min(now, INT64_MAX - policy.ttl);
  entry.fetched = now;
  entry.expires = good_expiry(reply, policy, now);
  entry.reason = std::to_string(status);
  // A response that broke off does not count, except a 4xx, whose status says everything. The
  // beginning of a file that is too large is good; a redirect that is too large was not followed,
  // so that its target is not known.
  const bool is_redirect = status >= 300 && status < 400;
  const bool broke_off = reply.outcome && (class_of(*reply.outcome) != OutcomeClass::kDone ||
                                           (*reply.outcome == Outcome::kTooLarge && is_redirect));
  const bool failed = broke_off && !(status >= 400 && status < 500);
  entry.refused = reply.outcome == Outcome::kRefusedAddress;
  // A wall's page in place of a robots.txt does not count, whatever its status: the host has not
  // been reached.
  const bool walled = reply.outcome == Outcome::kChallenged;
  if (status == 304 && last != nullptr && last->copied != 0) {
    entry.state = RobotsState::kRules;
    keep_copy(entry, last);
    entry.copied = now;
  } else if (status >= 200 && status < 300 && !failed && !walled && reply.body) {
    entry.state = RobotsState::kRules;
    entry.body = reply.truncated ? whole_lines(*reply.body) : *reply.body;
    entry.copied = now;
  } else if (is_unavailable(status) && !failed && !is_denial(status, policy) && !entry.refused &&
             !walled) {
    entry.state = RobotsState::kAllowAll;
  } else {
    entry.state = RobotsState::kDisallowAll;
    if (walled || !is_denial(status, policy)) {
      if (status >= 200 && status < 300 && !failed && !walled) {
        entry.reason = "no body";
      } else if ((status < 400 || entry.refused || walled) && reply.outcome) {
        entry.reason = to_string(*reply.outcome);
      }
      const std::int64_t wait = std::max(policy.retry, reply.retry_after.value_or(0));
      entry.expires = now + std::min(wait, policy.ttl);
      if (!entry.refused) count_silence(entry, policy, last);
    }
    keep_copy(entry, last);
  }
  return entry;
}

}  // namespace spinneret::robots
