#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The shells themselves read the completion scripts; bash and fish complete with them.

load helper

@test "every tool prints a script for each shell, with all its options" {
  local tool shell option
  for tool in "${TOOLS[@]}"; do
    "$tool" --help | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' | sed 's/.*--//' >options
    for shell in bash zsh fish; do
      "$tool" --completions="$shell" >script
      while IFS= read -r option; do
        grep -qE -- "(--|-l )$option\b" script || { echo "$tool, $shell: no $option"; false; }
      done <options
    done
  done
}

@test "an unknown shell is usage" {
  run -2 dedupe --completions=tcsh
  [[ $output == *"bash, zsh or fish"* ]]
}

# complete_in_bash TOOL WORD...: what bash offers for the last word.
complete_in_bash() {
  bash --norc -c '
    set -u
    source <("$1" --completions=bash)
    tool=$1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    compopt() { :; }
    COMPREPLY=()
    function=$(complete -p "$tool" | sed "s/.*-F \([^ ]*\).*/\1/")
    "$function"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sed '/^$/d'
}

@test "bash completes options" {
  run complete_in_bash dedupe dedupe --ma
  [[ $output == *--max-line=* ]]
  run complete_in_bash url-normalize url-normalize --ver
  [[ $output == --version ]]
  run complete_in_bash dedupe dedupe --no-such
  [[ -z $output ]]
}

@test "bash completes files, whatever their names" {
  touch 'plain.txt' 'with space' "quote'd" '$(touch pwned)'
  run complete_in_bash dedupe dedupe ''
  [[ ${#lines[@]} == 4 ]]
  [[ $output == *'with space'* ]]
  [[ ! -e pwned ]]
}

@test "zsh reads the scripts" {
  command -v zsh >/dev/null || skip "no zsh"
  local tool
  mkdir functions
  for tool in "${TOOLS[@]}"; do
    "$tool" --completions=zsh >"functions/_$tool"
    zsh -n "functions/_$tool"
  done
}

@test "fish reads the scripts and completes options" {
  command -v fish >/dev/null || skip "no fish"
  local tool
  for tool in "${TOOLS[@]}"; do
    "$tool" --completions=fish >script.fish
    fish --no-config --no-execute script.fish
  done
  dedupe --completions=fish >script.fish
  HOME=$PWD fish --no-config -c 'source script.fish; complete -C "dedupe --max-l"' >out
  grep -q -- '--max-line' out
}

@test "the driver's completions come from its --help, and the shells read them" {
  local shell option
  "$SPINNERET_ROOT/scripts/crawl" --help=all >help
  for shell in bash zsh fish; do
    "$SPINNERET_ROOT/scripts/complete-from-help" crawl "$shell" <help >"script.$shell"
    for option in $(grep -oE -- '^ +(-., )?--[a-z-]+' help | sed 's/.*--//'); do
      grep -qE -- "(--|-l )$option\b" "script.$shell" || { echo "$shell: no $option"; false; }
    done
    command -v "$shell" >/dev/null || continue
    case $shell in
      bash | zsh) "$shell" -n "script.$shell" ;;
      fish) fish --no-config --no-execute script.fish ;;
    esac
  done
  run -2 "$SPINNERET_ROOT/scripts/complete-from-help" crawl tcsh <help
  run -2 "$SPINNERET_ROOT/scripts/complete-from-help" 'a;b' bash <help
}
