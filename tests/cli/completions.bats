#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The shells themselves read the completion scripts; bash, zsh and fish complete with them.

load helper

# has_all OPTIONS SCRIPT: checks that the script offers each option of the file OPTIONS; names those that are missing.
has_all() {
  [[ -s $1 ]]
  grep -oE -- '(--|-l )[a-z][a-z0-9-]*' "$2" | sed -E 's/^(--|-l )//' | sort -u >offered-options
  sort -u "$1" | comm -23 - offered-options >missing
  [[ ! -s missing ]] || { cat missing; false; }
}

@test "every tool prints a script for each shell, with all its options" {
  local tool shell
  for tool in "${TOOLS[@]}"; do
    "$tool" --help=all | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' | sed 's/.*--//' >options
    for shell in bash zsh fish; do
      "$tool" --completions="$shell" >script
      has_all options script || { echo "$tool, $shell"; false; }
    done
  done
}

@test "an unknown shell is usage" {
  run -2 dedupe --completions=tcsh
  [[ $output == *"bash, zsh or fish"* ]]
}

# typed_in SHELL LINE...: types the lines into one interactive shell that has the commands' scripts loaded; \t is the
# tab key. Prints the last word of each command that the shell then runs.
typed_in() {
  local shell=$1 name
  shift
  for name in "${TOOLS[@]}" crawl; do
    printf '%s() { printf "%%s\\n" "${@: -1}" >>words; }\n' "$name"
    case $shell in
      bash) printf '. scripts/bash/%s\n' "$name" ;;
      zsh) printf 'compdef _%s %s\n' "$name" "$name" ;;
    esac
  done >commands
  case $shell in
    bash) printf 'bind "set bell-style none"\n. ./commands\n' >rc ;;
    zsh) printf 'fpath=($PWD/scripts/zsh $fpath)\nautoload -U compinit\ncompinit -u -D\n. ./commands\nbindkey "^I" complete-word\n' >.zshrc ;;
  esac
  : >words
  printf '%b\n' "$@" exit |
    case $shell in
      bash) TERM=dumb script -qec 'bash --noprofile --rcfile rc -i' /dev/null ;;
      zsh) TERM=dumb ZDOTDIR=$PWD script -qec 'zsh -i' /dev/null ;;
    esac >screen 2>&1
  cat words
}

# Makes scripts/SHELL/NAME once, for every tool and the driver.
setup_file() {
  local tool
  cd "$BATS_FILE_TMPDIR"
  mkdir -p scripts/bash scripts/zsh scripts/fish
  for tool in "${TOOLS[@]}" crawl; do
    "$(command -v "$tool" || echo "$SPINNERET_ROOT/scripts/$tool")" --completions=bash >"scripts/bash/$tool"
    "$(command -v "$tool" || echo "$SPINNERET_ROOT/scripts/$tool")" --completions=zsh >"scripts/zsh/_$tool"
    "$(command -v "$tool" || echo "$SPINNERET_ROOT/scripts/$tool")" --completions=fish >"scripts/fish/$tool"
  done
}
setup() { cp -R "$BATS_FILE_TMPDIR/scripts" .; }

# Rows of a line to type, a tab, and the last word of the command that is then run. There is a row for each kind: an
# option, a word of a fixed set, an item of a list, a value behind a space, a folder, a file with a space in its name,
# an operand, a field, half a value, and a value that nobody knows.
completed() {
  mkdir -p folder 'a file.d'
  touch 'plain file.txt' folderol
  cat <<'ROWS'
link-check --form\t	--format=
link-check --format=sar\t	--format=sarif
link-check --format sar\t	sarif
link-check --fail-on=dead,forb\t	--fail-on=dead,forbidden
link-check --ignore=pla\t	--ignore=plain file.txt
link-check --root-dir=folder\t	--root-dir=folder/
fetch --store folder\t	folder/
fetch --max-size=pla\t	--max-size=pla
records --count-by=outc\t	--count-by=outcome
records --fields=url,warc-of\t	--fields=url,warc-offset
url-normalize --set=ho\tx	--set=hostx
url-normalize --set=hostn\tx	--set=hostname=x
url-normalize --without=stray\t	--without=stray-percent
robots-check --agents=sear\t	--agents=search
robots-check --agents=pla\t	--agents=plain file.txt
extract-links --only=page,res\t	--only=page,resource
fetch --types=image\t	--types=image/*
dedupe pla\t	plain file.txt
crawl --scope=doma\t	--scope=domain
crawl --robots-mode=goo\t	--robots-mode=google
crawl --only=page,res\t	--only=page,resource
crawl --policy=pla\t	--policy=plain file.txt
crawl --state=folder\t	--state=folder/
ROWS
}

all_typed() {
  local i got want failed=0
  completed >rows
  mapfile -t lines < <(cut -f1 rows)
  mapfile -t wanted < <(cut -f2 rows)
  # Whether a space or a comma follows a finished word is up to the shell.
  mapfile -t typed < <(typed_in "$1" "${lines[@]}" | sed 's/[ ,]$//')
  for i in "${!lines[@]}"; do
    got=${typed[i]-} want=${wanted[i]}
    # zsh removes a = or a slash again when the line ends there.
    [[ $1 != zsh ]] || want=${want%[=/]}
    [[ $got == "$want" ]] || { echo "$1: ${lines[i]}: $got, not $want"; failed=1; }
  done
  return "$failed"
}

@test "bash, as one types: options, their words, lists of them, fields, files and folders" {
  all_typed bash
}

@test "zsh, as one types: the same" {
  command -v zsh >/dev/null || skip "no zsh"
  all_typed zsh
}

@test "fish offers the same" {
  command -v fish >/dev/null || skip "no fish"
  local line want failed=0
  while IFS=$'\t' read -r line want; do
    [[ $line == *'\t' ]] || continue
    line=${line%'\t'}
    cat scripts/fish/* >all.fish
    HOME=$PWD fish --no-config -c 'source all.fish; complete -C "$argv"' "$line" | cut -f1 >offered
    # fish puts no = after an option, since a value may follow a space.
    [[ $want != --*= ]] || want=${want%=}
    grep -qxF -- "$want" offered || [[ $line == *--max-size=* && ! -s offered ]] ||
      { echo "$line: no $want in $(paste -sd' ' offered)"; failed=1; }
  done < <(completed)
  ((failed == 0))
}

# Prints the other options that an option needs before its own value is looked at.
beside() {
  case $1 in
    *' --normalize') echo --content ;;
    *' --sketch') echo --similarity=0.9 ;;
    *' --sign') echo --sign-key=/dev/null ;;
    politeness-sched*) echo --state=state --list ;;
    'fetch --on-error') echo --csv ;;
    *' --on-error') echo --csv --header ;;
    *' --cdx-form') echo --profile=cdx ;;
    extract-text*) echo --base=http://h/ ;;
  esac
}

@test "what is completed is taken, and what is not is refused with the same words" {
  local tool option words word more input failed=0 seen=0
  politeness-sched --quiet --state=state </dev/null
  for tool in "${TOOLS[@]}"; do
    "$tool" --completions=values | awk -F'\t' '$2 != "" && $2 !~ /[,|]$/ { print $1, $2 }' >closed
    # With --list the scheduler reads no file.
    input=(/dev/null) && [[ $tool != politeness-sched ]] || input=()
    while read -r option words; do
      mapfile -t more < <(beside "$tool $option" | tr ' ' '\n')
      for word in ${words//[,|]/ }; do
        "$tool" "${more[@]}" "$option=$word" "${input[@]}" >out 2>err </dev/null || true
        ! grep -q "not \"$word\"\|called \"$word\"" err || { echo "$tool $option: $(cat err)"; failed=1; }
        seen=$((seen + 1))
      done
      "$tool" "${more[@]}" "$option=nonsense" "${input[@]}" >out 2>err </dev/null && failed=1 && echo "$tool $option=nonsense"
      grep -q '"nonsense"' err || { echo "$tool $option=nonsense: $(cat err)"; failed=1; }
    done <closed
  done
  ((failed == 0 && seen > 80))
}

@test "no name of a file runs as a command when it is completed" {
  touch 'with space' "quote'd" '$(touch pwned)'
  run -0 typed_in bash 'dedupe with\t' 'dedupe \\$\t'
  [[ ${lines[0]} == 'with space' && ${lines[1]} == '$(touch pwned)' ]]
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
  local shell
  { "$SPINNERET_ROOT/scripts/crawl" --help=all && "$SPINNERET_ROOT/scripts/crawl" --completions=values; } >help
  grep -a '^ ' help | grep -oE -- '^ +(-., )?--[a-z-]+' | sed 's/.*--//' >options
  for shell in bash zsh fish; do
    "$SPINNERET_ROOT/scripts/complete-from-help" crawl "$shell" <help >"script.$shell"
    has_all options "script.$shell" || { echo "$shell"; false; }
    command -v "$shell" >/dev/null || continue
    case $shell in
      bash | zsh) "$shell" -n "script.$shell" ;;
      fish) fish --no-config --no-execute script.fish ;;
    esac
  done
  run -2 "$SPINNERET_ROOT/scripts/complete-from-help" crawl tcsh <help
  run -2 "$SPINNERET_ROOT/scripts/complete-from-help" 'a;b' bash <help
}
