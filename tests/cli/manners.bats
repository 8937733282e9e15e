#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What all tools do alike: each test is a row of the contract and runs every tool. A tool that breaks it is named, with
# its output.

load helper
load filters

# --- assertions over what `tried` left: files out, err, and the status ---------------------------

tried() {
  status=0
  "$@" >out 2>err || status=$?
}
has_status() { [[ $status == "$1" ]] || { echo "status $status, not $1"; head -c 2000 err; return 1; }; }
says_nothing() { [[ ! -s err ]] || { head -c 2000 err; return 1; }; }
says() { grep -qE -- "$1" err || { echo "not said: $1"; head -c 2000 err; return 1; }; }
# The URLs of the output in any order, whatever else their records hold.
urls_are() {
  local got
  got=$(cut -f1 out | sort | tr '\n' ' ')
  [[ $got == "$*${1:+ }" ]] || { echo "URLs: $got, not $*"; head -c 2000 err; return 1; }
}
# Each message is one line with the tool's name, and has no byte that acts on a terminal.
messages_are_clean() {
  if grep -vE "^$1: " err; then return 1; fi
  if grep -nP '[\x00-\x08\x0b-\x1f\x7f]' err; then return 1; fi
}

# --- lines ----------------------------------------------------------------------------------------

@test "empty input: nothing out, nothing said, 0" {
  check() {
    tried as_filter "$1" </dev/null
    has_status 0
    urls_are
    says_nothing
  }
  each check "${TOOLS[@]}"
}

@test "bug: a line with nothing in it was a bad URL to some tools, status 1, and passed others" {
  check() {
    { echo; good "$1" 1; printf '\n\r\n\n'; good "$1" 2; printf '\n\n'; } >in
    tried as_filter "$1" --strict <in
    has_status 0
    [[ $(cut -f1 out | grep . | sort | tr '\n' ' ') == 'http://h1.example/ http://h2.example/ ' ]]
    says_nothing
  }
  each check "${TOOLS[@]}"
}

@test "a last line without LF counts, and gets one" {
  check() {
    { good "$1" 1; echo; good "$1" 2; } >in
    tried as_filter "$1" <in
    has_status 0
    urls_are http://h1.example/ http://h2.example/
    [[ $(tail -c1 out | od -An -tx1) == *0a ]]
    says_nothing
  }
  each check "${TOOLS[@]}"
}

@test "CR before LF is dropped" {
  check() {
    { good "$1" 1; printf '\r\n'; good "$1" 2; printf '\r\n'; } >in
    tried as_filter "$1" <in
    has_status 0
    urls_are http://h1.example/ http://h2.example/
    not grep -q $'\r' out
    says_nothing
  }
  each check "${TOOLS[@]}"
}

# A settled stream with lines of every hostile kind; all come out unchanged.
hostile_records() {
  printf 'http://nul.example/\tx=a\0b\tplain\0column\toutcome=ok\n'
  printf 'http://utf8.example/\xff\xfe\tx=\xc3(\xed\xa0\x80\toutcome=ok\n'
  printf 'http://escapes.example/\tx=\\q\\\\\\t\\0\\\toutcome=ok\n'
  printf 'http://columns.example/\t\tNo Key\t=x\tUPPER=1\tx=\t\toutcome=ok\n'
  printf 'http://repeats.example/\tvia=a\tvia=b\tvia=a\toutcome=ok\n'
  printf 'http://behind.example/\toutcome=ok\tmine=1\n'
  printf 'http://cr.example/\tx=a\rb\toutcome=ok\n'
  printf 'not a URL at all\toutcome=bad-response\n'
  printf '\toutcome=ok\n'
  printf 'http://new.example/\toutcome=some-later-outcome\n'
  printf 'http://forty-kb.example/\tx=%s\toutcome=ok\n' "$(head -c 40000 /dev/zero | tr '\0' k)"
  printf 'http://two-mb.example/\tx='
  head -c 2000000 /dev/zero | tr '\0' m
  printf '\toutcome=ok\n'
}

@test "settled records pass untouched: NUL, invalid UTF-8, odd columns, 40 KB and 2 MB lines" {
  check() {
    hostile_records >in
    tried as_filter "$1" <in
    has_status 0
    cmp in out
    says_nothing
  }
  each check "${FILTERS[@]}"
}

@test "settled records keep their order among candidates" {
  check() {
    local i
    for i in 1 2 3 4 5 6 7 8; do
      printf 'http://settled%s.example/\toutcome=ok\n' "$i"
      printf 'http://127.0.0.1:9/%s\tdepth=1\n' "$i"
    done >in
    tried as_filter "$1" <in
    grep settled in >want
    grep settled out | cmp want -
  }
  each check "${FILTERS[@]}"
}

@test "unknown fields of a candidate pass byte for byte" {
  check() {
    printf 'http://127.0.0.1:9/\tmine=\\q\xff\t\tNo Key\tmine=2\tdepth=1\n' >in
    tried as_filter "$1" <in
    (($(wc -l <out) == 1))
    # A tool may add fields of its own after them.
    printf 'http://127.0.0.1:9/\tmine=\\q\xff\t\tNo Key\tmine=2\tdepth=1' >want
    head -c "$(wc -c <want)" out | cmp want -
  }
  each check url-normalize url-filter robots-check fetch dedupe
}

@test "-z: records end with NUL, in and out, and hold line ends" {
  check() {
    printf 'http://a.example/\tx=a\nb\r\toutcome=ok\0http://b.example/\toutcome=ok' >in
    tried as_filter "$1" -z <in
    has_status 0
    { cat in; printf '\0'; } | cmp - out
  }
  each check "${FILTERS[@]}"
}

@test "a line over --max-line is refused by number, and the stream goes on" {
  check() {
    { good "$1" 1; echo; head -c 5000 /dev/zero | tr '\0' x; echo; good "$1" 3; } >in
    tried as_filter "$1" --max-line=1K <in
    has_status 1
    urls_are http://h1.example/ http://h3.example/
    says "^$1: -:2: line is longer than --max-line"
    (($(wc -l <err) == 1))
  }
  each check "${TOOLS[@]}"
}

@test "a bad URL amid good ones: file, line, reason, safe excerpt; and the stream goes on" {
  check() {
    { good "$1" 1; printf '\nhttp://[\x1b[31m\xe2\x80\xae/\n'; good "$1" 3; echo; } >in
    tried as_filter "$1" in
    has_status 1
    grep -q h1.example out
    grep -q h3.example out
    says "^$1: in:2: .+: \"http://\[.x1B\[31m"
    messages_are_clean "$1"
  }
  each check url-normalize url-filter robots-check fetch politeness-sched
}

@test "--strict stops at the first bad record, with status 1" {
  check() {
    { good "$1" 1; echo; head -c 5000 /dev/zero | tr '\0' x; echo; good "$1" 3; } >in
    tried as_filter "$1" --max-line=1K --strict <in
    has_status 1
    not grep -q h3.example out
  }
  each check "${TOOLS[@]}"
}

# --- output that fails ----------------------------------------------------------------------------

@test "a full disk is trouble: 2, and it is said" {
  check() {
    { good "$1" 1; echo; } >in
    status=0
    as_filter "$1" <in >/dev/full 2>err || status=$?
    has_status 2
    says "^$1: standard output: No space left on device$"
    messages_are_clean "$1"
  }
  each check "${TOOLS[@]}"
}

@test "bug: a file that may not grow (ulimit -f) killed a tool without a word" {
  check() {
    { good "$1" 1; echo; } >in
    head -c 1024 /dev/zero >out
    status=0
    (ulimit -f 1 && as_filter "$1" <in >>out 2>err) || status=$?
    has_status 2
    says "^$1: standard output: File too large$"
    messages_are_clean "$1"
  }
  each check "${FILTERS[@]}" link-check
}

@test "bug: a file that is input and output was read and appended to until the disk was full" {
  check() {
    { good "$1" 1; echo; } >in
    cp in before
    for how in operand input; do
      status=0
      case $how in
        operand) as_filter "$1" in >>in 2>err || status=$? ;;
        input) as_filter "$1" <in >>in 2>err || status=$? ;;
      esac
      has_status 2
      says "^$1: .* is standard output, too$"
      cmp before in
    done
  }
  each check "${FILTERS[@]}"
}

@test "bug: an output named - went to a file of that name, which hardly anybody finds" {
  printf 'http://h/\tbody=<a href=b>x</a>\toutcome=ok\n' >page
  refuses() {
    run -2 "$@" page
    [[ $output == *"- is not a file name here: standard output has contents of its own (./- is one)"* && ! -e ./- && ! -e ./--00001 ]]
  }
  refuses extract-links --edges=-
  refuses extract-links --check=-
  refuses extract-text --text-to=-
  refuses extract-items --items-to=- a=a
  refuses fetch --warc=-
  extract-links --edges=./- page
  [[ -s ./- ]]
}

@test "bug: where robots.txt could not be had, standard output that could not be written left status 3" {
  status=0
  robots-check --timeout=1s http://127.0.0.1:9/ >/dev/full 2>err || status=$?
  has_status 2
}

@test "a full disk is trouble for --help and --version too" {
  check() {
    local option
    for option in --help -h --version -V; do
      status=0
      "$1" "$option" >/dev/full 2>err || status=$?
      has_status 2
      says "^$1: standard output: No space left on device$"
    done
  }
  each check "${TOOLS[@]}"
}

@test "a closed standard output is trouble: 2, and no file gets the data" {
  check() {
    { good "$1" 1; echo; } >in
    cp in before
    status=0
    as_filter "$1" in >&- 2>err || status=$?
    has_status 2
    says "^$1: standard output: Bad file descriptor$"
    cmp before in
    status=0
    "$1" --help >&- 2>err || status=$?
    has_status 2
  }
  each check "${TOOLS[@]}"
}

@test "a closed standard error changes nothing else" {
  check() {
    { good "$1" 1; echo; } >in
    status=0
    as_filter "$1" in none >out 2>&- || status=$?
    [[ $status == 2 ]]
    grep -q h1.example out
  }
  each check "${TOOLS[@]}"
}

# many TOOL: prints more than any pipe and buffer holds.
many() {
  local tail=
  [[ $1 == politeness-sched || $1 == link-check ]] || tail=$'\toutcome=ok'
  seq -f "http://h%.0f.example/$(printf %0100d 0)$tail" 20000
}

@test "| head -1: death by SIGPIPE, quietly; or 2 where that is ignored, and it is said" {
  check() {
    local signal
    many "$1" >in
    for signal in default ignore; do
      launch=(env "--$signal-signal=PIPE")
      { as_filter "$1" in 2>err || echo $? >code; } | head -n1 >out
      (($(wc -l <out) == 1))
      status=$(cat code)
      if [[ $signal == default ]]; then
        has_status 141
        says_nothing
      else
        has_status 2
        says "^$1: standard output: Broken pipe$"
      fi
      rm code
    done
  }
  each check "${TOOLS[@]}"
}

# --- operands ---------------------------------------------------------------------------------------

@test "an unknown option is usage: 2, a hint, no output" {
  check() {
    local option
    for option in --no-such-option --no-such=1 -~ $'--\x1b[31m'; do
      tried "$1" "$option" </dev/null
      has_status 2
      urls_are
      says "^$1: unknown option"
      says "$1 --help"
      not grep -nP '[\x00-\x08\x0b-\x1f\x7f]' err
    done
  }
  each check "${TOOLS[@]}"
}

@test "bug: an empty value was an option not given, or a rule that matches everything: --exclude= refused all, --cookies= kept none" {
  check() {
    local option
    "$1" --help=all | grep -oE '^ +(-., )?--[a-z0-9-]+=' | grep -oE -- '--[a-z0-9-]+' >options
    [[ -s options ]]
    while IFS= read -r option; do
      tried as_filter "$1" "$option=" </dev/null
      has_status 2
      says "^$1: $option needs a value: ."
    done <options
    [[ ! -s out ]]
  }
  each check "${TOOLS[@]}" link-bus
}

@test "--help is short, names man; --version names the tool; both on stdout" {
  check() {
    tried "$1" --help
    has_status 0
    says_nothing
    (($(wc -l <out) <= 42))
    not grep -nE '^.{81}' out
    # Options left out of --help are counted there, and are in --help=all.
    tried "$1" --help=all
    has_status 0
    says_nothing
    mv out whole
    tried "$1" --help
    (($(grep -c '^  .*--' whole) == $(grep -c '^  .*--' out) + $(sed -n 's/ more options: .*--help=all$//p' out | grep . || echo 0)))
    grep -q "^Usage: $1 " out
    grep -q "man $1" out
    mv out help
    tried "$1" -h
    cmp help out
    tried "$1" --version
    has_status 0
    says_nothing
    grep -qE "^$1 \(Spinneret\) [0-9]+\.[0-9]+" out
  }
  each check "${TOOLS[@]}"
}

@test "a folder as standard input is trouble: 2" {
  check() {
    tried as_filter "$1" </
    has_status 2
    urls_are
    says "^$1: .*standard input: Is a directory$"
  }
  each check "${TOOLS[@]}"
}

@test "a closed standard input is trouble: 2" {
  check() {
    tried as_filter "$1" <&-
    has_status 2
    urls_are
    says "^$1: .*standard input: Bad file descriptor$"
  }
  each check "${TOOLS[@]}"
}

@test "a FILE that cannot be read is trouble: 2, and the others are read" {
  check() {
    { good "$1" 1; echo; } >one
    { good "$1" 2; echo; } >two
    tried as_filter "$1" one $'none\x1b[31m' . two
    has_status 2
    urls_are http://h1.example/ http://h2.example/
    says "^$1: cannot open none.x1B\[31m: No such file or directory$"
    [[ $1 == link-check ]] || says "^$1: cannot read \.: Is a directory$"  # a folder is a site to link-check
    messages_are_clean "$1"
  }
  each check "${TOOLS[@]}"
}

@test "- is standard input, among files" {
  check() {
    { good "$1" 1; echo; } >one
    { good "$1" 2; echo; } >two
    tried as_filter "$1" one - <two
    has_status 0
    urls_are http://h1.example/ http://h2.example/
  }
  each check "${TOOLS[@]}"
}

@test "-- ends the options" {
  check() {
    good "$1" 1 >./--help
    echo >>./--help
    tried as_filter "$1" -- --help
    has_status 0
    urls_are http://h1.example/
  }
  each check "${FILTERS[@]}"
}

# --- pipes ------------------------------------------------------------------------------------------

@test "a slow pipe sees its first line at once" {
  check() {
    local pid line=
    with_pipes "$1"
    read -r -t 100 line <&8 || true
    exec 7>&-
    [[ $line == http://h1.example/* ]] || { echo "got: $line"; kill "$pid" || true; wait; false; }
    cat <&8 >rest
    wait "$pid"
    [[ ! -s rest ]]
  }
  # The scheduler reads all seeds before it begins.
  each check "${FILTERS[@]}"
}

@test "--explain is in aligned lines on a terminal, and a record everywhere else" {
  local command failed=0
  printf 'User-agent: *\nDisallow: /p\n' >robots.txt
  printf '<title>A title</title><p>Words.' >page.html
  while IFS= read -r command; do
    run on_terminal bash -c "$command"
    [[ ${lines[0]} == https://h.example/p$'\r' && ${lines[1]} =~ ^\ \ [a-z-]+\ \ +[^\ ] && $output != *$'\t'* ]] ||
      { echo "$command: $output"; failed=1; }
    # Columns, JSON and output to a pipe do not change.
    for form in "$command | cat" "$command --fields=url,robots" "$command --json" "$command -z"; do
      output=$(on_terminal bash -c "$form" | tr '\0' '\n')
      [[ $output != *$'\n  '[a-z]* && $output == *https://h.example/p* ]] || { echo "$form: $output"; failed=1; }
    done
  done <<'COMMANDS'
url-normalize --explain HTTPS://h.example/p
url-filter -e 'deny-path ^/p' --explain https://h.example/p
robots-check -r robots.txt --explain https://h.example/p
extract-text --base=https://h.example/p --explain page.html
COMMANDS
  ((failed == 0))
}

@test "what a list or table of one's own holds cannot act on a terminal" {
  printf 'url,t\nhttp://a.example/,x\033[31mred\007\n' >table.csv
  printf 'http://a.example/\tt=\033]0;title\007 \302\233 \342\200\256end\n' >list
  local command failed=0
  while IFS= read -r command; do
    on_terminal bash -c "$command 2>/dev/null" >screen
    [[ -s screen ]] || { echo "$command: nothing"; failed=1; }
    ! LC_ALL=C grep -qaP '[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\xC2\x9B|\xE2\x80\xAE' screen || { echo "$command:" && cat -v screen; failed=1; }
    # Files and pipes get the bytes unchanged.
    bash -c "$command" 2>/dev/null | LC_ALL=C grep -qa $'\033' || { echo "$command: changed"; failed=1; }
  done <<'COMMANDS'
records list
records --from=csv table.csv
records --csv --fields=url,t list
records --fields=t list
records --count-by=t list
url-normalize list
url-normalize --csv --field=url table.csv
url-filter list
dedupe list
extract-links list
extract-text list
COMMANDS
  ((failed == 0))
  # The tool's own colours remain.
  printf 'User-agent: *\nDisallow: /\n' >r
  run -0 on_terminal env -u NO_COLOR TERM=xterm robots-check -r r --matrix -A $'a\033]0;x\007' / /p
  [[ $output == *$'\033[31m'* && $output != *$'\033]'* && $output != *$'\007'* ]]
}

@test "same input, same bytes" {
  check() {
    { hostile_records; printf 'http://127.0.0.1:9/?b=2&a=1#f\n'; } >in
    as_filter "$1" --json <in >one 2>err || true
    as_filter "$1" --json <in >two 2>err || true
    # Measured times may differ.
    sed -i 's/"time-ms":[0-9]*//; s/ after [0-9]* ms//' one two
    cmp one two
    [[ -s one ]]
  }
  each check url-normalize url-filter extract-links extract-items extract-text dedupe robots-check fetch
}
