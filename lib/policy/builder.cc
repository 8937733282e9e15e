// SPDX-License-Identifier: Apache-2.0
// The table of directives; files and sections. The meaning of rules and settings is in
// builder_rules.cc and builder_settings.cc.
#include "policy/builder.h"

#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "base/text_file.h"
#include "policy/limits.h"
#include "url/normalize.h"

namespace spinneret::policy {
namespace {

constexpr std::size_t kMaxIncludeDepth = 16;
// Two includes at each of ten levels are a thousand files; at each of sixteen levels they would
// fill a machine's memory.
constexpr std::size_t kMaxIncludes = 1000;
constexpr std::size_t kMany = SIZE_MAX;

std::string suggestion(std::string_view name) {
  std::string best;
  // "deny /x" does not say what to compare.
  if (name == "allow" || name == "deny" || name == "tag") {
    const std::string verb(name);
    return "; did you mean " + verb + "-path, " + verb + "-url or " + verb + "-domain?";
  }
  std::size_t best_distance = 1 + name.size() / 3;
  for (const std::string& known : PolicyBuilder::directive_names()) {
    const std::size_t d = edit_distance(name, known, best_distance);
    if (d >= best_distance) continue;
    best = known;
    best_distance = d;
  }
  return best.empty() ? "" : "; did you mean " + best + "?";
}

}  // namespace

struct PolicyBuilder::Known {
  const char* name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  bool (PolicyBuilder::*take)(const Directive&);
  bool in_sections;
  const char* usage;  // the usage of its arguments

  static std::span<const Known> table();
};

std::span<const PolicyBuilder::Known> PolicyBuilder::Known::table() {
  using B = PolicyBuilder;
  static constexpr Known kTable[] = {
      {"scope", 1, 1, &B::scope, false, "any|origin|host|domain|under"},
      {"seed", 1, kMany, &B::seed, false, "URL..."},
      {"seeds", 1, 1, &B::seeds, false, "FILE"},
      {"max-offsite-hops", 1, 1, &B::limit, false, "NUMBER"},
      {"order", 1, 1, &B::order, false, "deny-allow|allow-deny|first-match|last-match"},
      {"default", 1, 1, &B::default_verdict, false, "allow|deny"},
      {"action", 1, 1, &B::action, true, "reject|mark"},
      {"include", 1, 1, &B::include, false, "FILE"},
      {"max-depth", 1, 1, &B::limit, true, "NUMBER|off"},
      {"max-url-length", 1, 1, &B::limit, true, "BYTES|off"},
      {"max-path-segments", 1, 1, &B::limit, true, "NUMBER|off"},
      {"max-segment-repeats", 1, 1, &B::limit, true, "NUMBER|off"},
      {"max-parameters", 1, 1, &B::limit, true, "NUMBER|off"},
      {"max-query-length", 1, 1, &B::limit, true, "BYTES|off"},
      {"query", 1, 1, &B::query, true, "any|none|strip"},
      {"query-parameters", 1, kMany, &B::query_parameters, true, "[strip] PATH [NAME]..."},
      {"trap", 1, 3, &B::trap, true, "NAME [ARGUMENT]...|off"},
      {"traps", 1, 1, &B::default_traps, false, "default"},
      {"budget", 2, 2, &B::budget, true, "host|domain|total|numbers|PATTERN NUMBER|off"},
  };
  return kTable;
}

const std::vector<std::string>& PolicyBuilder::directive_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Known& known : Known::table()) out.emplace_back(known.name);
    const std::vector<std::string> rules = rule_names();
    out.insert(out.end(), rules.begin(), rules.end());
    return out;
  }();
  return names;
}

PolicyBuilder::PolicyBuilder() { policy_.sections.emplace_back(); }

void PolicyBuilder::add_file(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    problems_.push_back({{path, 0}, text.message()});  // no line of any policy
    return;
  }
  add_opened(path, identify(path), *text);
}

void PolicyBuilder::add_opened(const std::string& path, const FileId& id, std::string_view text) {
  const std::size_t slash = path.rfind('/');
  open_files_.push_back(id);
  add_text(text, path, slash == std::string::npos ? "" : path.substr(0, slash + 1));
  open_files_.pop_back();
}

void PolicyBuilder::add_text(std::string_view text, const std::string& file,
                             const std::string& folder) {
  // Sections and actions end with the file that began them.
  const std::uint32_t outer_section = section_;
  const bool outer_mark = mark_;
  const std::string outer_folder = folder_;
  folder_ = folder;
  // Included lines may use an `action` set above. Such use is not tracked, so such an action is
  // never reported as idle.
  idle_action_.reset();
  each_directive(text, file, problems_, [this](const Directive& directive) { take(directive); });
  remark_idle_action("no rule stands below it in its file");
  folder_ = outer_folder;
  section_ = outer_section;
  mark_ = outer_mark;
}

void PolicyBuilder::add(std::string_view name, std::vector<std::string> arguments,
                        const Place& place) {
  take({std::string(name), std::move(arguments), place});
}

void PolicyBuilder::add_line(std::string_view line, const Place& place) {
  std::vector<Directive> directives;
  std::vector<Problem> unreadable;
  read_directives(line, place.file, directives, unreadable);
  for (Problem& problem : unreadable) problems_.push_back({place, std::move(problem.message)});
  for (Directive& directive : directives) {
    directive.place = place;
    take(directive);
  }
}

void PolicyBuilder::problem(const Directive& directive, std::string message) {
  problems_.push_back({directive.place, std::move(message)});
}

void PolicyBuilder::take(const Directive& directive) {
  if (std::find(left_out_.begin(), left_out_.end(), directive.place) != left_out_.end()) return;
  if (directive.name == "[") {
    section(directive);
    return;
  }
  if (find_rule_name(directive.name)) {
    rule(directive);
    return;
  }
  const auto table = Known::table();
  const auto known = std::find_if(table.begin(), table.end(),
                                  [&](const Known& entry) { return directive.name == entry.name; });
  if (known == table.end()) {
    problem(directive, "unknown directive " + excerpt(directive.name) + suggestion(directive.name));
  } else if (directive.arguments.size() < known->min_arguments ||
             directive.arguments.size() > known->max_arguments) {
    problem(directive, std::string("usage: ") + known->name + " " + known->usage);
  } else if (section_ != 0 && !known->in_sections) {
    problem(directive, std::string(known->name) +
                           " is for all hosts: put it before the first section, or below [*]");
  } else {
    (this->*known->take)(directive);
  }
}

std::uint32_t PolicyBuilder::new_line(const Directive& directive) {
  Line line;
  line.mark = mark_;
  line.of_option = in_option_;
  line.section = section_;
  idle_action_.reset();
  if (keeps_words_) policy_.words.push_back({directive.name, {}, directive.arguments, {}, {}});
  return policy_.lines.add(line, directive.place, directive.text());
}

bool PolicyBuilder::section(const Directive& directive) {
  std::vector<HostPattern> patterns;
  for (const std::string& text : directive.arguments) {
    HostPattern pattern;
    std::string why;
    if (!parse_host_pattern(text, pattern, &why)) {
      problem(directive, why);
      // What follows belongs to unknown hosts; it was not meant for all hosts.
      patterns.clear();
      patterns.push_back({HostMatch::kExact, "[unknown]"});
      break;
    }
    patterns.push_back(std::move(pattern));
  }
  section_ = 0;
  const bool for_all = std::any_of(patterns.begin(), patterns.end(),
                                   [](const HostPattern& pattern) { return pattern.name.empty(); });
  if (for_all) return true;
  section_ = static_cast<std::uint32_t>(policy_.sections.size());
  policy_.sections.emplace_back();
  if (keeps_words_) {
    policy_.section_begins.push_back(
        {directive.place, static_cast<std::uint32_t>(policy_.lines.size()), patterns});
  }
  for (const HostPattern& pattern : patterns) policy_.sections_by_host.add(pattern, section_);
  return true;
}

std::string PolicyBuilder::resolve_path(const std::string& path) const {
  return path.starts_with('/') ? path : folder_ + path;
}

PolicyBuilder::FileId PolicyBuilder::identify(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

bool PolicyBuilder::include(const Directive& directive) {
  const std::string path = resolve_path(directive.arguments[0]);
  const FileId id = identify(path);
  const auto is_among = [&id](const std::vector<FileId>& files) {
    return id != FileId{} && std::find(files.begin(), files.end(), id) != files.end();
  };
  if (is_among(open_files_)) {
    // Reported once for each file, by however many lines and ways the file includes itself.
    if (is_among(looping_)) return false;
    looping_.push_back(id);
    problem(directive, id == open_files_.back() ? "the file includes itself"
                                                : path + " includes itself by way of this file");
    return false;
  }
  if (open_files_.size() > kMaxIncludeDepth) {
    problem(directive, "files include each other more than 16 deep");
    return false;
  }
  if (included_ >= kMaxIncludes) {
    if (included_++ == kMaxIncludes) {
      problem(directive, "more than 1000 files are included, those included twice counted twice");
    }
    return false;
  }
  ++included_;
  Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    problem(directive, text.message());
    return false;
  }
  add_opened(path, id, *text);
  return true;
}

Policy PolicyBuilder::build() {
  remark_idle_action("no rule stands below it");
  // Whatever a line sets takes precedence over the defaults, wherever the line is.
  settle_default_traps();
  const SectionSettings& settings = policy_.sections[0].settings;
  for (Url& seed : seeds_) {
    make_safe(seed);
    policy_.scope.add_seed(seed);
  }
  const auto asks_depth = [](const SectionSettings& some) {
    return std::any_of(all_limits().begin(), all_limits().end(), [&some](const Limit& limit) {
      return limit.needs_depth && some.active(limit.setting);
    });
  };
  policy_.needs_depth = asks_depth(policy_.default_settings);
  for (Section& section : policy_.sections) {
    policy_.needs_depth |= asks_depth(section.settings);
    if (!section.rules.is_made()) continue;
    RuleSet& rules = section.rules.make();
    rules.compile();
    policy_.needs_type |= !rules.types->empty();
    if (rules.links != nullptr) policy_.link_parts |= rules.links->parts();
  }
  policy_.needs_via = (policy_.link_parts & bit(Part::kVia)) != 0;
  policy_.needs_via |= policy_.scope.kind() != ScopeKind::kAny &&
                       (!policy_.scope.has_seeds() || settings.active(Setting::kMaxOffsiteHops));
  return std::move(policy_);
}

}  // namespace spinneret::policy
