// SPDX-License-Identifier: Apache-2.0
// Reads the two forms of parameter lists into a ParamsList.
#include <map>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/text_file.h"
#include "io/json_record.h"
#include "policy/convert.h"
#include "policy/params_list.h"

namespace spinneret::policy {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} << 20;
// A regular expression takes some 4 KB, and time for every URL: the largest published list has some
// 3,000.
constexpr std::size_t kMaxRules = 100'000;
// No person writes a rule with a longer pattern or name.
constexpr std::size_t kMaxText = 4096;

// Returns whether the text contains no byte that is special in a regular expression.
bool is_plain_name(std::string_view text) {
  return text.find_first_of(R"(\^$.|?*+()[]{})") == std::string_view::npos;
}

// Returns the place of an option with that name, not of a host.
std::size_t option_at(std::string_view line, std::string_view name) {
  std::size_t at = line.find(name);
  while (at != std::string_view::npos && (at == 0 || (line[at - 1] != '$' && line[at - 1] != ',')))
    at = line.find(name, at + 1);
  return at;
}

}  // namespace

class ParamsReader {
 public:
  ParamsReader(std::string file, std::vector<Problem>& left_out)
      : file_(std::move(file)), left_out_(left_out) {}

  Status read_clearurls(std::string_view text);
  Status read_adguard(std::string_view text);

  ParamsList finish() {
    for (ParamsList::Scope& scope : list_.scopes_) {
      scope.name_patterns.compile();
      scope.pair_patterns.compile();
    }
    list_.urls_.compile();
    list_.excepted_.compile();
    return std::move(list_);
  }
  std::size_t size() const { return list_.size_; }

 private:
  using Scope = ParamsList::Scope;
  // An AdGuard line, taken apart.
  struct Rule {
    bool is_exception = false;
    AdblockText about;
    bool any_case = true;
    std::string domains;
    std::string value;
  };

  void leave_out(std::string message) {
    if (line_ == 0) message = file_ + ": " + message;  // a place without a line is not printed
    left_out_.push_back({{file_, line_}, std::move(message)});
  }
  Error too_many() const {
    return Error{file_ + ": more than " + std::to_string(kMaxRules) + " rules"};
  }
  bool take_leaf(std::span<const std::string_view> path, std::string_view value);
  void take_provider_key(std::string_view key, std::string_view value, std::string* why);
  void take_line(std::string_view line);
  bool read_options(std::string_view options, Rule& rule, bool& is_params, std::string& why);
  Scope* scope_of(const Rule& rule, std::string& why);
  static bool add_domains(std::string_view domains, Scope& scope, std::string& why);
  bool add_value(const Rule& rule, Scope& scope, std::string& why);

  std::string file_;
  std::vector<Problem>& left_out_;
  std::uint32_t line_ = 0;
  ParamsList list_;
  std::string provider_;                        // the provider of the leaf before
  std::map<std::string, std::uint32_t> known_;  // the scopes, by the URLs that they are about
  std::size_t other_kinds_ = 0;                 // redirections and whole providers
  std::size_t params_lines_ = 0;                // lines with $removeparam
  std::size_t taken_ = 0;                       // number of JSON leaves
};

// --- ClearURLs -----------------------------------------------------------------------------------

Status ParamsReader::read_clearurls(std::string_view text) {
  std::string why;
  bool any = false;
  const bool good = read_json_leaves(text, why, [&](auto path, std::string_view value) {
    // Leaves are counted before any work, whether the rule is applied or left out.
    if (++taken_ > kMaxRules) return;
    if (path.size() == 3 && path[0] == "providers") any |= take_leaf(path, value);
  });
  if (!good) return Error{file_ + ": " + why};
  if (list_.scopes_.empty())
    return Error{file_ + ": not a list of ClearURLs: it has no \"providers\" with names and rules"};
  if (taken_ > kMaxRules) return too_many();
  if (other_kinds_ != 0) {
    leave_out(std::to_string(other_kinds_) +
              " redirections and whole providers are left out: they are not parameters");
  }
  return {};
}

bool ParamsReader::take_leaf(std::span<const std::string_view> path, std::string_view value) {
  const std::string_view key = path[2];
  if (list_.scopes_.empty() || provider_ != path[1]) {
    provider_ = path[1];
    list_.scopes_.emplace_back().any_case = true;
  }
  std::string why;
  if (value.size() > kMaxText) {
    why = "more than 4096 bytes";
  } else {
    take_provider_key(key, value, &why);
  }
  if (!why.empty()) {
    leave_out("providers." + excerpt(provider_) + "." + std::string(key) + " " + excerpt(value) +
              " is left out: " + why);
  }
  return true;
}

void ParamsReader::take_provider_key(std::string_view key, std::string_view value,
                                     std::string* why) {
  const auto id = static_cast<std::uint32_t>(list_.scopes_.size() - 1);
  Scope& scope = list_.scopes_.back();
  const std::string any_case = "(?i)" + std::string(value);
  if (key == "urlPattern") {
    if (value == ".*") {
      list_.everywhere_.push_back(id);
    } else {
      list_.urls_.add(any_case, id, why);
    }
  } else if (key == "exceptions") {
    list_.excepted_.add(any_case, id, why);
  } else if (key == "rules" || key == "referralMarketing") {
    ++list_.size_;
    if (is_plain_name(value)) {
      scope.names.insert(to_lower_copy(value));
    } else {
      scope.name_patterns.add("(?i)^(?:" + std::string(value) + ")$", 0, why);
    }
  } else if (key == "rawRules") {
    auto eraser = compile_eraser(any_case, why);
    if (!eraser) return;
    ++list_.size_;
    scope.erasers.push_back(std::move(eraser));
    list_.for_queries_ = false;
  } else if (key == "redirections" || (key == "completeProvider" && value == "true")) {
    ++other_kinds_;
  }
}

// --- AdGuard -------------------------------------------------------------------------------------

Status ParamsReader::read_adguard(std::string_view text) {
  while (!text.empty()) {
    ++line_;
    take_line(trim(cut(text, '\n')));
    if (params_lines_ > kMaxRules) return too_many();
  }
  if (params_lines_ == 0) {
    return Error{
        file_ +
        ": neither ClearURLs' JSON nor a list with $removeparam, such as $removeparam=gclid"};
  }
  return {};
}

void ParamsReader::take_line(std::string_view line) {
  if (line.empty() || line.front() == '!' || line.front() == '[') return;
  const std::size_t word = std::min(option_at(line, "removeparam"), option_at(line, "queryprune"));
  if (word == std::string_view::npos) return;
  // The options begin at the last '$' before the word that is not escaped by a backslash.
  std::size_t dollar = line.rfind('$', word);
  while (dollar != std::string_view::npos && dollar > 0 && line[dollar - 1] == '\\')
    dollar = line.rfind('$', dollar - 1);
  if (dollar == std::string_view::npos ||
      line.substr(0, dollar).find("##") != std::string_view::npos)
    return;
  Rule rule;
  rule.is_exception = line.starts_with("@@");
  std::string why;
  bool is_params = false;
  const bool good = read_options(line.substr(dollar + 1), rule, is_params, why);
  if (!is_params) return;  // a host of that name
  ++params_lines_;
  const std::size_t begin = rule.is_exception ? 2 : 0;
  rule.about = read_adblock_text(line.substr(begin, dollar - begin), rule.any_case);
  Scope* const scope = good ? scope_of(rule, why) : nullptr;
  if (scope == nullptr || !add_value(rule, *scope, why)) {
    leave_out(excerpt(line) + " is left out: " + why);
  } else {
    ++list_.size_;
  }
}

// Options are separated by commas that are not escaped by a backslash.
bool ParamsReader::read_options(std::string_view options, Rule& rule, bool& is_params,
                                std::string& why) {
  std::string option;
  bool good = true;
  const auto take = [&] {
    const std::size_t equals = option.find('=');
    const std::string_view name = std::string_view(option).substr(0, equals);
    const std::string_view value =
        equals == std::string::npos ? "" : std::string_view(option).substr(equals + 1);
    if (name == "removeparam" || name == "queryprune") {
      is_params = true;
      rule.value = value;
    } else if (name == "domain" || name == "from" || name == "to") {
      rule.domains = value;
    } else if (name == "match-case") {
      rule.any_case = false;
    } else if (name != "document" && name != "doc" && name != "all" && name != "important" &&
               name != "subdocument" && name != "xmlhttprequest" && name != "~third-party") {
      good = false;
      why = "a crawler knows nothing of the option " + excerpt(name);
    }
    option.clear();
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == '\\' && i + 1 < options.size() &&
        (options[i + 1] == ',' || options[i + 1] == '$')) {
      if (options[i + 1] == '$') option += '\\';
      option += options[++i];
    } else if (options[i] == ',') {
      take();
    } else {
      option += options[i];
    }
  }
  take();
  return good;
}

// Returns nullptr, and says why, where the rule has no scope.
ParamsList::Scope* ParamsReader::scope_of(const Rule& rule, std::string& why) {
  const std::string key = (rule.is_exception ? "@" : "") + rule.about.host + '\n' +
                          rule.about.pattern + '\n' + rule.domains;
  const auto known = known_.find(key);
  if (known != known_.end()) return &list_.scopes_[known->second];
  Scope scope;
  scope.is_exception = rule.is_exception;
  const auto id = static_cast<std::uint32_t>(list_.scopes_.size());
  if (!add_domains(rule.domains, scope, why)) return nullptr;
  if (!rule.about.host.empty()) {
    HostPattern host;
    if (!parse_host_pattern(rule.about.host, host, &why)) return nullptr;
    host.match = HostMatch::kTree;
    list_.hosts_.add(host, id);
  } else if (rule.about.pattern.empty()) {
    list_.everywhere_.push_back(id);
  } else if (rule.about.pattern.size() > kMaxText) {
    why = "more than 4096 bytes";
    return nullptr;
  } else if (!list_.urls_.add(rule.about.pattern, id, &why)) {
    return nullptr;
  }
  known_.emplace(key, id);
  return &list_.scopes_.emplace_back(std::move(scope));
}

bool ParamsReader::add_domains(std::string_view domains, Scope& scope, std::string& why) {
  if (domains.empty()) return true;
  scope.sites = std::make_unique<ParamsList::Sites>();
  ParamsList::Sites& sites = *scope.sites;
  while (!domains.empty()) {
    std::string_view domain = cut(domains, '|');
    const bool is_not = domain.starts_with('~');
    if (is_not) domain.remove_prefix(1);
    if (domain.ends_with(".*") && domain.size() > 2) {
      (is_not ? sites.not_any_suffix : sites.any_suffix)
          .push_back(to_lower_copy(domain.substr(0, domain.size() - 2)));
      continue;
    }
    HostPattern host;
    if (!parse_host_pattern(domain, host, &why)) return false;
    host.match = HostMatch::kTree;
    (is_not ? sites.not_domains : sites.domains).add(host, 0);
  }
  return true;
}

bool ParamsReader::add_value(const Rule& rule, Scope& scope, std::string& why) {
  std::string_view value = rule.value;
  if (value.size() > kMaxText) {
    why = "more than 4096 bytes";
    return false;
  }
  const std::string_view bare = value.starts_with('~') ? value.substr(1) : value;
  if (value == "~" || value.starts_with("~~")) {
    why = "it names no parameter";
    return false;
  }
  if (value.empty()) {
    scope.all = true;
  } else if (bare.starts_with('/') && bare.find('/', 1) != std::string_view::npos) {
    const std::size_t end = bare.rfind('/');
    const std::string_view flags = bare.substr(end + 1);
    if (bare.size() != value.size() || (!flags.empty() && flags != "i")) {
      why = bare.size() == value.size() ? "flags other than i" : "RE2 has no \"all but\"";
      return false;
    }
    const std::string pattern =
        (flags.empty() ? "" : "(?i)") + std::string(bare.substr(1, end - 1));
    const auto id = static_cast<std::uint32_t>(scope.pair_sources.size());
    if (!scope.pair_patterns.add(pattern, id, &why)) return false;
    scope.pair_sources.emplace_back(value);
  } else if (value.size() != bare.size() && !scope.is_exception) {
    scope.kept.emplace_back(bare);
  } else {
    scope.names.emplace(value);
  }
  return true;
}

// --- files ---------------------------------------------------------------------------------------

Result<ParamsList> ParamsList::read(std::string_view text, const std::string& file,
                                    std::vector<Problem>& left_out) {
  if (text.size() > kMaxFile) return Error{file + ": more than 64 MiB"};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  ParamsReader reader(file, left_out);
  const Status status =
      trim(text).starts_with('{') ? reader.read_clearurls(text) : reader.read_adguard(text);
  if (!status.ok()) return status.error();
  return reader.finish();
}

Result<ParamsList> ParamsList::load(const std::string& path, std::vector<Problem>& left_out) {
  Result<std::string> text = read_text_file(path, kMaxFile);
  if (!text.ok()) return text.error();
  return read(*text, path, left_out);
}

}  // namespace spinneret::policy
