// SPDX-License-Identifier: Apache-2.0
#include "policy/convert.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/ip_address.h"
#include "base/number.h"
#include "base/utf8.h"
#include "policy/directive.h"
#include "policy/host_table.h"
#include "policy/pattern_set.h"
#include "url/host.h"
#include "url/parse.h"
#include "url/percent.h"

namespace spinneret::policy {
namespace {

// Patterns for what comes before the host in a URL of any scheme, and in one of the web.
constexpr std::string_view kAnyOrigin = "^[a-z][a-z0-9+.-]*://([^/?#@]*@)?";
constexpr std::string_view kWebOrigin = "^https?://([^/?#@]*@)?";

bool fail(std::string& why, std::string reason) {
  why = std::move(reason);
  return false;
}

void append_rule(std::string& out, std::string_view name, std::string_view word) {
  out += name;
  out += ' ';
  out += quote_word(word);
  out += '\n';
}

bool add_host(std::string_view name, std::string_view host, std::string& out, std::string& why) {
  HostPattern pattern;
  if (!parse_host_pattern(host, pattern, &why)) return false;
  if (pattern.name.empty()) return fail(why, "it is about every host");
  append_rule(out, name, host);
  return true;
}

bool add_pattern(std::string_view name, const std::string& pattern, std::string& out,
                 std::string& why) {
  if (!is_pattern(pattern, &why)) return fail(why, "no RE2 pattern: " + why);
  // In quotes, which a blank requires, a backslash at the end would escape the quote, so an empty
  // group is appended.
  append_rule(out, name, pattern.ends_with('\\') ? pattern + "(?:)" : pattern);
  return true;
}

// --- bytes in the form that URLs have ------------------------------------------------------------

// Returns whether the parser escapes the byte in every path and query.
bool is_escaped_in_urls(char c) {
  return static_cast<unsigned char>(c) >= 0x7F || is_control(c) ||
         std::string_view(" \"<>").find(c) != std::string_view::npos;
}

// Returns a regular expression whose non-ASCII characters are written as in URLs: a list writes
// "caf\xC3\xA9". Characters in classes stay; --check reports them.
std::string escaped_regex(std::string_view regex) {
  std::string out;
  bool in_class = false;
  for (std::size_t at = 0; at < regex.size();) {
    const std::size_t length = in_class ? 0 : utf8_sequence(regex.substr(at));
    if (length > 1) {
      out += "(?:";
      for (const char c : regex.substr(at, length)) append_escape(out, c);
      out += ')';
      at += length;
      continue;
    }
    const char c = regex[at++];
    out += c;
    if (c == '\\' && at < regex.size()) {
      const bool ascii = static_cast<unsigned char>(regex[at]) < 0x80;
      if (ascii) {
        out += regex[at++];
      } else if (!in_class) {
        out.pop_back();  // the character stands for itself
      }
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    }
  }
  return out;
}

// Returns the text of a rule with its host, if it has one, in Punycode.
std::string with_ascii_host(std::string_view text) {
  const std::size_t scheme = text.find("://");
  const std::size_t begin = text.starts_with("||")             ? 2
                            : scheme != std::string_view::npos ? scheme + 3
                                                               : std::string_view::npos;
  if (begin == std::string_view::npos) return std::string(text);
  const std::size_t end = std::min(text.find_first_of("/?#:^*|", begin), text.size());
  const std::string_view host = text.substr(begin, end - begin);
  const bool ascii = std::none_of(host.begin(), host.end(), is_escaped_in_urls);
  std::string out(text.substr(0, begin));
  if (ascii || !append_host(host, true, out, nullptr)) return std::string(text);
  return out.append(text.substr(end));
}

// --- hosts, dnsmasq, addresses -------------------------------------------------------------------

// Returns whether the address is one that is assigned to a name to block it.
bool is_nowhere(std::string_view address) {
  return address.empty() || address == "#" || address == "0.0.0.0" || address.starts_with("127.") ||
         address == "::" || address == "::1";
}

// Returns whether the name is found in any hosts file, and blocks nothing.
bool is_own_name(std::string_view name) {
  constexpr std::string_view kNames[] = {"localhost", "localhost.localdomain", "local",
                                         "broadcasthost", "0.0.0.0"};
  return name.starts_with("ip6-") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool add_hosts_line(std::string_view line, std::string& out, std::string& why) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::string_view word; !(word = cut_word(line)).empty();) words.push_back(word);
  if (words.empty()) return true;
  const std::string_view first = words.front().substr(0, words.front().find('%'));
  if (words.size() == 1 && parse_ip(first)) return fail(why, "an address without a name");
  if (parse_ip(first)) {
    words.erase(words.begin());
    const bool own = std::all_of(words.begin(), words.end(), is_own_name);
    if (!is_nowhere(first) && !own)
      return fail(why, "the name is given an address, and not blocked");
  }
  std::string lines;
  for (const std::string_view name : words) {
    if (!is_own_name(name) && !add_host("deny-host", name, lines, why)) return false;
  }
  out += lines;
  return true;
}

bool add_dnsmasq_line(std::string_view line, std::string& out, std::string& why) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return true;
  const std::size_t equals = line.find('=');
  const std::string_view name = trim(line.substr(0, equals));
  const bool address = name == "address";
  if (!address && name != "server" && name != "local")
    return fail(why, "only address=, server= and local= block names");
  const std::string_view value =
      equals == std::string_view::npos ? "" : trim(line.substr(equals + 1));
  const std::size_t last = value.rfind('/');
  if (!value.starts_with('/') || last == 0)
    return fail(why, "it names no domain: " + std::string(name) + "=/DOMAIN/");
  const std::string_view target = value.substr(last + 1);
  if (address ? !is_nowhere(target) : !target.empty())
    return fail(why, "the names are sent to " + excerpt(target) + ", and not blocked");
  std::string_view rest = value.substr(1, last - 1);
  std::string lines;
  while (!rest.empty()) {
    std::string_view domain = cut(rest, '/');
    if (domain == "#") return fail(why, "it is about every host: say default deny");
    const bool below = domain.starts_with("*.");
    if (domain.starts_with('.')) domain.remove_prefix(1);
    if (!add_host(below ? "deny-host" : "deny-domain", domain, lines, why)) return false;
  }
  out += lines;
  return true;
}

bool add_cidr_line(std::string_view line, std::string& out, std::string& why) {
  line = trim(line.substr(0, line.find_first_of("#;")));
  if (line.empty()) return true;
  if (line.find('/') != std::string_view::npos || parse_ip(line)) {
    const Result<AddressRange> range = parse_range(line);
    if (!range.ok()) return fail(why, range.message());
    append_rule(out, "deny-address", line);
    return true;
  }
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos || line.ends_with(']'))
    return add_host("deny-host", line, out, why);
  const auto port = parse_unsigned(line.substr(colon + 1));
  if (!port || *port > 65535) return fail(why, "no port: " + excerpt(line.substr(colon + 1)));
  HostPattern host;
  if (!parse_host_pattern(line.substr(0, colon), host, &why)) return false;
  if (host.name.empty()) return fail(why, "it is about every host");
  const std::string labels = host.match == HostMatch::kExact   ? ""
                             : host.match == HostMatch::kBelow ? "([^/?#@:]*\\.)"
                                                               : "([^/?#@:]*\\.)?";
  const std::string name = labels + quote_pattern(host.name) + "\\.?";
  // A URL does not write the default port of its scheme.
  const std::string written = ":" + std::to_string(*port) + "([/?]|$)";
  std::string pattern = std::string(kAnyOrigin) + name + written;
  constexpr std::pair<std::uint64_t, const char*> kDefaults[] = {
      {80, "(http|ws)"}, {443, "(https|wss)"}, {21, "ftp"}};
  for (const auto& [number, schemes] : kDefaults) {
    if (number == *port) pattern += std::string("|^") + schemes + "://([^/?#@]*@)?" + name + "/";
  }
  return add_pattern("deny-url", pattern, out, why);
}

// --- Heritrix ------------------------------------------------------------------------------------

// Turns "com,example," into a pattern for hosts: the labels reversed, with any labels in front of
// them. A prefix may end inside a label: "com,exam".
std::string surt_host(std::string_view labels, bool whole) {
  const bool partial = !whole && !labels.empty() && !labels.ends_with(',');
  std::vector<std::string> names;
  while (!labels.empty()) {
    const std::string_view label = cut(labels, ',');
    if (!label.empty()) names.push_back(quote_pattern(to_lower_copy(label)));
  }
  std::string host;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!host.empty()) host += "\\.";
    host += *name;
    if (partial && name == names.rbegin()) host += "[^/?#@:.]*";
  }
  return (whole ? "" : names.empty() ? "[^/?#@:]*" : "([^/?#@:]*\\.)?") + host + "\\.?";
}

// Adds the prefix that a URL, or a host, implies to Heritrix 3: its directory, on that host and
// port alone.
bool add_surt_of_url(std::string_view rule, std::string_view text, std::string& out,
                     std::string& why) {
  const std::string whole =
      (text.find("://") == std::string_view::npos ? "http://" : "") + std::string(text);
  Url url;
  UrlError error;
  if (!parse(whole, url, &error)) return fail(why, error.message);
  if (url.host().empty()) return fail(why, "it has no host");
  if (url.host().find(',') != std::string_view::npos)
    return fail(why, "no SURT prefix, such as http://(com,example,");
  const std::string_view path = url.path().substr(0, url.path().rfind('/') + 1);
  const std::string port = url.port_text().empty() ? "" : ":" + std::string(url.port_text());
  const std::string origin = url.is_http() ? std::string(kWebOrigin)
                                           : "^" + quote_pattern(url.scheme()) + "://([^/?#@]*@)?";
  return add_pattern(rule, origin + quote_pattern(url.host()) + "\\.?" + port + quote_pattern(path),
                     out, why);
}

bool add_surt_line(std::string_view line, std::string& out, std::string& why) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return true;
  const bool deny = line.front() == '-';
  if (deny || line.front() == '+') line = trim(line.substr(1));
  const std::string_view rule = deny ? "deny-url" : "allow-url";
  std::string_view rest = line.substr(0, line.find_first_of(" \t#"));
  const std::size_t scheme_end = rest.find("://(");
  if (scheme_end == std::string_view::npos && rest.find('(') != std::string_view::npos)
    return fail(why, "no SURT prefix, such as http://(com,example,");
  std::string origin(kWebOrigin);
  if (scheme_end == std::string_view::npos) {
    return add_surt_of_url(rule, rest, out, why);
  }
  const std::string scheme = to_lower_copy(rest.substr(0, scheme_end));
  if (scheme != "http" && scheme != "https")
    origin = "^" + quote_pattern(scheme) + "://([^/?#@]*@)?";
  rest.remove_prefix(scheme_end + 4);
  if (rest.find('@') < rest.find(')')) return fail(why, "prefixes with a user are not known");
  const std::size_t end = rest.find(')');
  std::string_view host = rest.substr(0, end);
  const std::size_t colon = host.find(':');
  std::string port = "(:[0-9]+)?";
  if (colon != std::string_view::npos) {
    const auto number = parse_unsigned(host.substr(colon + 1));
    if (!number) return fail(why, "no port: " + excerpt(host.substr(colon + 1)));
    port = ":" + std::to_string(*number);
    host = host.substr(0, colon);
  } else if (end != std::string_view::npos) {
    port.clear();
  }
  const bool whole = end != std::string_view::npos;
  const std::string path =
      whole && end + 1 < rest.size() ? quote_pattern(rest.substr(end + 1)) : "/";
  return add_pattern(rule, origin + surt_host(host, whole) + port + path, out, why);
}

// --- Nutch ---------------------------------------------------------------------------------------

// Returns whether a class contains "&&" or another class: Java has these, and RE2 reads them
// otherwise.
bool has_class_sets(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (in_class) {
      const std::string_view rest = pattern.substr(at);
      if (rest.starts_with("&&") || (rest.front() == '[' && !rest.starts_with("[:"))) return true;
      in_class = rest.front() != ']';
    } else {
      in_class = pattern[at] == '[';
    }
  }
  return false;
}

bool add_nutch_line(std::string_view line, std::string& out, std::string& why) {
  if (trim(line).empty() || line.front() == '#') return true;
  if (line.front() != '+' && line.front() != '-') return fail(why, "neither + nor - comes first");
  const std::string_view rule = line.front() == '+' ? "allow-url" : "deny-url";
  line.remove_prefix(1);
  if (has_class_sets(line)) return fail(why, "classes within classes, and &&, are Java's alone");
  return add_pattern(rule, escaped_regex(line), out, why);
}

// --- Adblock -------------------------------------------------------------------------------------

// Accepts the options that change nothing for a crawler, which requests documents as well as their
// parts.
bool take_options(std::string_view options, bool& any_case, std::string& why) {
  constexpr std::string_view kHeld[] = {"all", "document", "doc", "important"};
  while (!options.empty()) {
    const std::string_view option = cut(options, ',');
    if (option == "match-case") {
      any_case = false;
    } else if (std::find(std::begin(kHeld), std::end(kHeld), option) == std::end(kHeld)) {
      return fail(why, "a policy has nothing like the option " + excerpt(option));
    }
  }
  return true;
}

// Returns the pattern of a rule's text: '*' is any text, '^' a separator, '|' an end, "||" a host
// or a host below it.
std::string adblock_pattern(std::string_view text, bool any_case) {
  std::string out = any_case ? "(?i)" : "";
  if (text.starts_with("||")) {
    out += std::string(kAnyOrigin) + "([^/?#@:]*\\.)?";
    text.remove_prefix(2);
  } else if (text.starts_with('|')) {
    out += '^';
    text.remove_prefix(1);
  }
  const bool ends = text.ends_with('|');
  if (ends) text.remove_suffix(1);
  for (const char c : text) {
    if (c == '*') {
      out += ".*";
    } else if (c == '^') {
      out += "([^A-Za-z0-9_.%-]|$)";
    } else if (is_escaped_in_urls(c)) {
      append_escape(out, c);
    } else {
      out += quote_pattern(std::string_view(&c, 1));
    }
  }
  return out + (ends ? "$" : "");
}

bool is_adblock_regex(std::string_view text) {
  return text.size() > 2 && text.starts_with('/') && text.ends_with('/');
}

// Returns where a rule's options begin: at the first '$' that the name of an option follows, since
// values may contain others ("$script,replace=/a$/b/"). Returns npos where it has none.
std::size_t options_of(std::string_view line) {
  if (is_adblock_regex(line)) return std::string_view::npos;
  for (std::size_t at = 0; (at = line.find('$', at)) != std::string_view::npos; ++at) {
    const std::string_view rest = line.substr(at + 1);
    const std::string_view name = rest.substr(0, rest.find_first_of(",="));
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return is_alnum(c) || c == '-' || c == '_' || c == '~';
    });
    if (is_name) return at;
  }
  return line.ends_with('$') ? line.size() - 1 : std::string_view::npos;
}

bool add_adblock_line(std::string_view line, std::string& out, std::string& why) {
  line = trim(line);
  const bool comment = line.empty() || line.front() == '!' || line.front() == '[' || line == "#" ||
                       line.starts_with("# ");
  if (comment) return true;
  for (const std::string_view mark : {"##", "#@#", "#?#", "#$#", "#%#", "$$", "$@$"}) {
    if (line.find(mark) != std::string_view::npos)
      return fail(why, "it is about what a page shows, and refuses no URL");
  }
  const bool exception = line.starts_with("@@");
  if (exception) line.remove_prefix(2);
  const std::size_t dollar = options_of(line);
  bool any_case = true;
  const std::string_view options = dollar == std::string_view::npos ? "" : line.substr(dollar + 1);
  if (!take_options(options, any_case, why)) return false;
  const AdblockText text = read_adblock_text(line.substr(0, dollar), any_case);
  const std::string rule = exception ? "allow-" : "deny-";
  if (!text.host.empty()) return add_host(rule + "domain", text.host, out, why);
  if (text.pattern.empty()) return fail(why, "it is about every URL");
  return add_pattern(rule + "url", text.pattern, out, why);
}

}  // namespace

AdblockText read_adblock_text(std::string_view text, bool any_case) {
  if (is_adblock_regex(text))
    return {"", (any_case ? "(?i)" : "") + escaped_regex(text.substr(1, text.size() - 2))};
  // Most rules by far have this form, and these cost nothing, however many there are.
  const bool is_host = text.size() > 3 && text.starts_with("||") && text.ends_with('^') &&
                       text.find_first_of("/*|^:?&=", 2) == text.size() - 1;
  if (is_host) return {std::string(text.substr(2, text.size() - 3)), ""};
  if (text.find_first_not_of("*|^") == std::string_view::npos) return {};
  return {"", adblock_pattern(with_ascii_host(text), any_case)};
}

std::string_view ListConverter::header() const {
  switch (form_) {
    case ListForm::kAdblock: return "order allow-deny\n";
    case ListForm::kNutch: return "order first-match\ndefault deny\n";
    default: return "";
  }
}

bool ListConverter::add_line(std::string_view line, std::string& out, std::string& why) const {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != std::string_view::npos) return fail(why, "a NUL byte");
  switch (form_) {
    case ListForm::kAdblock: return add_adblock_line(line, out, why);
    case ListForm::kDnsmasq: return add_dnsmasq_line(line, out, why);
    case ListForm::kSurt: return add_surt_line(line, out, why);
    case ListForm::kNutch: return add_nutch_line(line, out, why);
    case ListForm::kCidr: return add_cidr_line(line, out, why);
    case ListForm::kHosts: return add_hosts_line(line, out, why);
  }
  return true;
}

}  // namespace spinneret::policy
