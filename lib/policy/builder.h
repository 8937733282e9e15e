// SPDX-License-Identifier: Apache-2.0
// Makes a Policy from files and single lines. The builder knows the directives and what their
// arguments mean.
//
//   PolicyBuilder builder;
//   builder.add_file("site.policy");
//   builder.add("deny-url", {"\\.pdf$"}, {"--exclude", 1});
//   Policy policy = builder.build();
//   for (const Problem& problem : builder.problems()) report(problem);
//
// A wrong line is reported and left out, and the other lines still make a policy, so that all
// mistakes are found at once. The builder reads files (policies, lists, seeds) and has no other
// side effects. Not thread-safe.
#ifndef SPINNERET_POLICY_BUILDER_H_
#define SPINNERET_POLICY_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/directive.h"
#include "policy/limits.h"
#include "policy/policy.h"

namespace spinneret::policy {

class PolicyBuilder {
 public:
  PolicyBuilder();

  // Adds all directives of a policy file. Paths in it are relative to its folder.
  void add_file(const std::string& path);
  // Adds a policy from memory. `file` is its name in messages; paths are relative to `folder`.
  void add_text(std::string_view text, const std::string& file, const std::string& folder = "");
  // Adds one directive, which applies to all hosts.
  void add(std::string_view name, std::vector<std::string> arguments, const Place& place);
  // Adds an option of url-filter(1) that stands for a single line: {"exclude", "\\.pdf$"} means
  // deny-url. Returns false where it is not such an option.
  bool add_option(std::string_view name, const std::string& value, const Place& place);
  // Adds the options of a command line; those that are not about the policy are ignored. "rule" is
  // a line of a policy. The place of an option is its number among those with its name, "--rule:2".
  void add_options(const std::vector<std::pair<std::string, std::string>>& options);
  // Adds one line of a policy, as it would be in a file.
  void add_line(std::string_view line, const Place& place);

  // From now on ignores directives at these places, as if their lines did not exist.
  void leave_out(std::vector<Place> places) { left_out_ = std::move(places); }

  // From now on keeps what lint needs, at a cost of some 200 bytes a line.
  void keep_words() { keeps_words_ = true; }

  // Compiles what was added. Afterwards only problems() and remarks() may be called.
  Policy build();

  // Returns what makes the policy wrong.
  const std::vector<Problem>& problems() const { return problems_; }
  // Returns what is odd but not wrong: a list without entries, a setting given twice.
  const std::vector<Problem>& remarks() const { return remarks_; }

  // The names of all directives, for documentation tests and suggestions.
  static const std::vector<std::string>& directive_names();

 private:
  struct Known;  // the table of directives
  friend struct Known;

  void take(const Directive& directive);
  void apply(const Known& known, const Directive& directive);
  std::uint32_t new_line(const Directive& directive);
  // Returns the place for the words of the last line; nullptr where words are not kept.
  LineWords* words() { return keeps_words_ ? &policy_.words.back() : nullptr; }
  RuleSet& rules() { return policy_.sections[section_].rules.make(); }
  void problem(const Directive& directive, std::string message);
  bool number(const Directive& directive, std::string_view text, std::uint32_t& value,
              bool may_be_off = true);
  std::string resolve_path(const std::string& path) const;
  // Identifies the file that `path` leads to, whatever its name; {0, 0} where there is no file.
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const FileId&, const FileId&) = default;
  };
  static FileId identify(const std::string& path);
  void add_opened(const std::string& path, const FileId& id, std::string_view text);

  // One function for each kind of directive. They return false where a problem was reported.
  bool section(const Directive& directive);
  bool rule(const Directive& directive);
  bool host_rule(const Directive& directive, RuleKind kind, std::uint32_t line);
  bool pattern_rule(const Directive& directive, PatternSet::Field field, std::uint32_t line);
  bool word_rule(const Directive& directive, RuleKind kind, std::uint32_t line);
  bool add_prefix(const Directive& directive, const std::string& word, std::uint32_t line);
  bool add_list(const Directive& directive, const std::string& word, bool domains,
                std::uint32_t line);
  bool link_rule(const Directive& directive, std::uint32_t line);
  bool add_link_word(LinkRules& links, const std::string& word, std::uint32_t line,
                     std::string* why);
  bool take_tags(Directive& directive, std::uint32_t line);
  bool limit(const Directive& directive);
  bool query(const Directive& directive);
  bool query_parameters(const Directive& directive);
  bool trap(const Directive& directive);
  bool session_trap(const Directive& directive, const Limit& named);
  bool default_traps(const Directive& directive);
  void settle_default_traps();
  bool budget(const Directive& directive);
  bool scope(const Directive& directive);
  bool seed(const Directive& directive);
  bool seeds(const Directive& directive);
  bool order(const Directive& directive);
  bool default_verdict(const Directive& directive);
  bool action(const Directive& directive);
  bool include(const Directive& directive);
  bool set(const Directive& directive, Setting setting, std::uint32_t value);
  void remark_again(std::uint32_t earlier, const Place& place);
  void remark_idle_action(const std::string& why);
  struct NewBudget {
    std::uint32_t section;
    std::string pattern;
    std::uint32_t limit;
    std::uint32_t line;
  };
  bool set_budget(const NewBudget& budget, bool is_default, std::string* why);

  Policy policy_;
  std::vector<Problem> problems_;
  std::vector<Problem> remarks_;
  std::vector<Place> left_out_;
  std::vector<Url> seeds_;
  std::unordered_map<std::string, std::uint32_t> budget_patterns_;  // their numbers
  // The indexes of the budget lines, by section and number of the pattern.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> budget_at_;
  std::string folder_;
  std::uint32_t section_ = 0;
  bool mark_ = false;
  bool in_option_ = false;
  bool keeps_words_ = false;
  std::optional<Directive> idle_action_;  // the last `action`, as long as no rule follows it
  std::vector<FileId> open_files_;        // open files; each is included by the one before it
  std::vector<FileId> looping_;           // files that were found to include themselves
  std::size_t included_ = 0;              // number of included files
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_BUILDER_H_
