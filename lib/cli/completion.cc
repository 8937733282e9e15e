// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "io/field.h"

namespace spinneret::cli {
namespace {

// What completion offers after an option, from Option::values and the placeholder.
struct Offer {
  std::vector<std::string> words;
  bool is_list = false;  // whether more words may follow, after commas
  bool is_open = false;  // whether other words are accepted, too
  bool files = false, folders = false;
};

bool has_part(std::string_view placeholder, std::string_view part) {
  return placeholder.find(part) != std::string_view::npos;
}

Offer offer_of(const Option& option) {
  const std::string_view argument = option.argument;
  std::string_view values = option.values == nullptr ? "" : option.values;
  Offer out;
  out.folders = argument == "DIR";
  for (const char* const part : {"FILE", "STORE", "PLACE", "OLD"})
    out.files = out.files || has_part(argument, part);
  if (values.empty() && argument == "FIELD") values = argument;
  out.is_list = values.find(',') != std::string_view::npos;
  out.is_open = values.starts_with("FIELD") || values.ends_with('|') || values.ends_with(',');
  if (values.starts_with("FIELD")) {
    out.words.emplace_back("url");
    for (const FieldInfo& field : known_fields()) {
      if (field.name != "url") out.words.emplace_back(field.name);
    }
    return out;
  }
  while (!values.empty()) out.words.emplace_back(cut(values, out.is_list ? ',' : '|'));
  return out;
}

std::string long_flag(const Option& option) { return std::string("--") + option.name; }
std::string short_flag(const Option& option) { return {'-', option.short_name}; }

// `text` between single quotes, for any of the three shells.
std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Returns " a b c", with a backslash before each character that a shell might interpret.
std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += ' ';
    for (const char c : word) {
      const bool plain = is_alnum(c) || std::string_view("-_.,/=@+").find(c) != std::string::npos;
      if (!plain) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string function_name(const ToolSpec& tool) {
  std::string name = std::string("_") + tool.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Returns an arm of the script's `case $option`, which sets what is offered after this option.
std::string bash_arm(const Option& option) {
  const Offer offer = offer_of(option);
  std::string out = "    " + long_flag(option);
  if (option.short_name != 0) out += " | " + short_flag(option);
  out += ")";
  if (!offer.words.empty()) out += " words=(" + spaced(offer.words).substr(1) + ")";
  if (offer.is_list) out += " list=,";
  if (offer.files || offer.folders) out += offer.folders ? " files=-d" : " files=-f";
  return out + " ;;\n";
}

// Bash splits words at `=` where COMP_WORDBREAKS contains it, as it does by default.
constexpr const char* kBashBegin = R"(() {
  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} option='' head='' list='' files='' word
  local -a words=()
  case $cur in
    --*=*) option=${cur%%=*} head=${cur%%=*}= cur=${cur#*=} ;;
    =) option=$before cur='' ;;
    *)
      if [[ $before == = && COMP_CWORD -gt 1 ]]; then
        option=${COMP_WORDS[COMP_CWORD-2]}
      elif [[ $before == -?* ]]; then
        option=$before
      fi ;;
  esac
  COMPREPLY=()
  case $option in
)";
constexpr const char* kBashEnd = R"(  esac
  if [[ -n $files ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "$files" -- "$cur")
    COMPREPLY=("${COMPREPLY[@]/#/"$head"}")
  fi
  if [[ -n $list ]]; then head+=${cur%"${cur##*,}"} cur=${cur##*,}; fi
  for word in "${words[@]}"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$head$word"); fi
  done
  if [[ -n $list || ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
}
)";

std::string bash_script(const ToolSpec& tool) {
  const std::string function = function_name(tool);
  std::string out = function + kBashBegin;
  std::string flags;
  for (const Option& option : all_options(tool)) {
    flags += (flags.empty() ? "" : " ") + long_flag(option) + (option.argument ? "=" : "");
    if (option.argument != nullptr) out += bash_arm(option);
  }
  return out + "    *) if [[ $cur == -* ]]; then words=(" + flags + "); else files=-f; fi ;;\n" +
         kBashEnd + "complete -F " + function + " " + tool.name + "\n";
}

// Escapes ':', brackets and backslashes, which _arguments would interpret in descriptions.
std::string zsh_description(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Returns the action of _arguments that completes a value.
std::string zsh_action(const Offer& offer) {
  if (offer.folders) return "_files -/";
  const bool ends_open = std::any_of(offer.words.begin(), offer.words.end(),
                                     [](const std::string& word) { return word.ends_with('='); });
  // A word such as host= is only half of a value: no space is added after it.
  const std::string add =
      std::string("compadd ") + (ends_open ? "-S \"\" " : "") + "-" + spaced(offer.words);
  if (offer.words.empty()) return offer.files ? "_files" : " ";
  if (offer.files) return "{" + add + "; _files}";
  return offer.is_list ? "_sequence " + add : add;
}

std::string zsh_script(const ToolSpec& tool) {
  std::string out = std::string("#compdef ") + tool.name + "\n_arguments -s \\\n";
  for (const Option& option : all_options(tool)) {
    std::string tail = "[" + zsh_description(option.help) + "]";
    if (option.argument != nullptr)
      tail += ":" + zsh_description(option.argument) + ":" + zsh_action(offer_of(option));
    out += "  " + single_quoted("*" + long_flag(option) + (option.argument ? "=" : "") + tail) +
           " \\\n";
    if (option.short_name != 0)
      out += "  " + single_quoted("*" + short_flag(option) + tail) + " \\\n";
  }
  return out + "  '*:file:_files'\n";
}

// Returns the arguments of `complete` for the completion of a value.
std::string fish_value(const Offer& offer) {
  std::string out = offer.files ? " -r -F" : " -x";
  if (offer.folders) return out + " -a '(__fish_complete_directories)'";
  if (offer.words.empty()) return out;
  return out + " -a " +
         single_quoted(offer.is_list ? "(__fish_append ," + spaced(offer.words) + ")"
                                     : spaced(offer.words).substr(1));
}

std::string fish_script(const ToolSpec& tool) {
  std::string out;
  for (const Option& option : all_options(tool)) {
    out += std::string("complete -c ") + tool.name + " -l " + option.name;
    if (option.short_name != 0) out += std::string(" -s ") + option.short_name;
    if (option.argument != nullptr) out += fish_value(offer_of(option));
    out += " -d " + single_quoted(option.help) + "\n";
  }
  return out;
}

// Each line is "--name", a tab, the words with their separators, a tab, and `files`, `folders` or
// nothing.
std::string value_table(const ToolSpec& tool) {
  std::string out;
  for (const Option& option : all_options(tool)) {
    if (option.argument == nullptr) continue;
    const Offer offer = offer_of(option);
    out += long_flag(option) + "\t";
    for (const std::string& word : offer.words) out += word + (offer.is_list ? ',' : '|');
    if (!offer.is_open && !offer.words.empty()) out.pop_back();
    out += offer.folders ? "\tfolders\n" : offer.files ? "\tfiles\n" : "\t\n";
  }
  return out;
}

}  // namespace

std::optional<std::string> completion_script(const ToolSpec& tool, std::string_view shell) {
  if (shell == "bash") return bash_script(tool);
  if (shell == "zsh") return zsh_script(tool);
  if (shell == "fish") return fish_script(tool);
  if (shell == "values") return value_table(tool);
  return std::nullopt;
}

}  // namespace spinneret::cli
