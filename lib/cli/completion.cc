// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>

namespace spinneret::cli {
namespace {

std::string long_flag(const Option& option) { return std::string("--") + option.name; }
std::string short_flag(const Option& option) { return {'-', option.short_name}; }

// `text` between single quotes, for any of the three shells.
std::string quoted(std::string_view text) {
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

std::string function_name(const ToolSpec& tool) {
  std::string name = std::string("_") + tool.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string bash_script(const ToolSpec& tool) {
  std::string words;
  for (const Option& option : all_options(tool)) {
    words += (words.empty() ? "" : " ") + long_flag(option) + (option.argument ? "=" : "");
  }
  const std::string function = function_name(tool);
  return function + "() {\n  local cur=${COMP_WORDS[COMP_CWORD]}\n  if [[ $cur == -* ]]; then\n" +
         "    mapfile -t COMPREPLY < <(compgen -W " + quoted(words) + " -- \"$cur\")\n" +
         "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n  else\n" +
         "    compopt -o filenames\n" +
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n  fi\n}\ncomplete -F " + function +
         " " + tool.name + "\n";
}

// _arguments reads ':' and brackets in descriptions as its own.
std::string zsh_description(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_script(const ToolSpec& tool) {
  std::string out = std::string("#compdef ") + tool.name + "\n_arguments -s \\\n";
  for (const Option& option : all_options(tool)) {
    const std::string tail =
        "[" + zsh_description(option.help) + "]" +
        (option.argument ? ":" + zsh_description(option.argument) + ":_files" : "");
    out += "  " + quoted("*" + long_flag(option) + (option.argument ? "=" : "") + tail) + " \\\n";
    if (option.short_name != 0) out += "  " + quoted("*" + short_flag(option) + tail) + " \\\n";
  }
  return out + "  '*:file:_files'\n";
}

std::string fish_script(const ToolSpec& tool) {
  std::string out;
  for (const Option& option : all_options(tool)) {
    out += std::string("complete -c ") + tool.name + " -l " + option.name;
    if (option.short_name != 0) out += std::string(" -s ") + option.short_name;
    if (option.argument != nullptr) out += " -r";
    out += " -d " + quoted(option.help) + "\n";
  }
  return out;
}

}  // namespace

std::optional<std::string> completion_script(const ToolSpec& tool, std::string_view shell) {
  if (shell == "bash") return bash_script(tool);
  if (shell == "zsh") return zsh_script(tool);
  if (shell == "fish") return fish_script(tool);
  return std::nullopt;
}

}  // namespace spinneret::cli
