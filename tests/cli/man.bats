#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual says what the tools do: options, examples, outcomes and fields are compared both ways.

load helper

pages=("$SPINNERET_ROOT"/man/*.[157])

# The long options of a page's option lists, and of any mention in what a reader sees.
listed_options() { sed -n '/^\.It Fl/p' "$1" | grep -oE ' -[a-z][a-z0-9-]+' | sed 's/^ -//' | sort -u; }
mentioned_options() {
  mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g' | grep -oE -- '--[a-z][a-z0-9-]*' | sed 's/^--//' | sort -u
}
help_options() { "$1" --help | grep -oE '^ +(-[a-zA-Z0-9], )?--[a-z][a-z0-9-]*' | sed 's/.*--//' | sort -u; }

setup() { command -v mandoc >/dev/null || skip "no mandoc"; }

@test "every option of --help is in the man page, and every listed one is in --help" {
  local tool failed=0
  for tool in "${TOOLS[@]}"; do
    help_options "$tool" >help
    [[ -s help ]]
    comm -23 help <(mentioned_options "$SPINNERET_ROOT/man/$tool.1") | sed "s/^/$tool.1 lacks --/" >missing
    comm -13 help <(listed_options "$SPINNERET_ROOT/man/$tool.1") | sed "s/^/$tool --help lacks --/" >>missing
    [[ ! -s missing ]] || { cat missing; failed=1; }
  done
  ((failed == 0))
}

# "SHORT|LONG|PLACEHOLDER" of every option, from --help.
help_table() {
  "$1" --help | sed -nE 's/^ +(-([a-zA-Z0-9]), )? *--([a-z][a-z0-9-]*)(=([^ ]+))?( .*|$)/\2|\3|\5/p'
}

@test "short options and whether a value follows agree" {
  local tool short long value failed=0
  for tool in "${TOOLS[@]}"; do
    while IFS='|' read -r short long value; do
      # What all tools share may be left to spinneret(7).
      grep -E "^\.It Fl.* -$long( |$)" "$SPINNERET_ROOT/man/$tool.1" >item || continue
      if [[ -n $short ]] && ! grep -qE "Fl $short( |$)" item; then
        echo "$tool.1: -$short does not stand with --$long" && failed=1
      fi
      if [[ -n $value ]] && ! grep -qE -- "-$long Ns = Ns" item; then
        echo "$tool.1: --$long=$value is not written 'Fl -$long Ns = Ns Ar'" && failed=1
      fi
      if [[ -z $value ]] && grep -qE -- "-$long (Ns|Ar)" item; then
        echo "$tool.1: --$long takes no value" && failed=1
      fi
    done < <(help_table "$tool")
  done
  ((failed == 0))
}

@test "help texts are short and end without a stop" {
  local tool failed=0
  for tool in "${TOOLS[@]}"; do
    "$tool" --help | sed -nE 's/^ +(-., )? *--[^ ]+ +(.*)/\2/p' >texts
    if grep -nE '^.{51}|[^.]\.$' texts; then echo "of $tool" && failed=1; fi
  done
  ((failed == 0))
}

@test "mandoc finds nothing to say" {
  run mandoc -T lint -W warning "${pages[@]}"
  [[ -z $output ]] || { echo "$output"; false; }
}

@test "every page has the sections that one looks for" {
  local page section failed=0
  for page in "${pages[@]}"; do
    for section in NAME DESCRIPTION 'SEE ALSO'; do
      grep -q "^\.Sh $section\$" "$page" || { echo "$page: no $section"; failed=1; }
    done
    [[ $page != *.1 ]] && continue
    for section in SYNOPSIS EXAMPLES 'EXIT STATUS'; do
      grep -q "^\.Sh $section\$" "$page" || { echo "$page: no $section"; failed=1; }
    done
  done
  ((failed == 0))
}

@test "every page that is referred to is ours or well known" {
  local name section failed=0
  while read -r name section; do
    [[ -e $SPINNERET_ROOT/man/$name.$section ]] && continue
    [[ $section != [23] ]] || continue  # the kernel's and the C library's
    case $name in
      awk | bash | cat | comm | curl | cut | grep | jq | parallel | sed | sh | sort | ssh | uniq | xargs | wget | \
        nsswitch.conf | resolv.conf | signal | pipe | flock | regex | nginx | git | head | tail | tee | zcat | gzip | systemd | cron | timeout) ;;
      *) echo "no page $name($section)"; failed=1 ;;
    esac
  done < <(sed -nE 's/^\.?.*\bXr ([^ ]+) ([1-8]).*/\1 \2/p' "${pages[@]}" | sort -u)
  ((failed == 0))
}

# The literal blocks of a page as shell and expectation: "$ command" lines and what they print.
examples() {
  awk '
    /^\.Sh / { inside = /^\.Sh EXAMPLES/ }
    inside && /^\.Bd -literal/ { block = 1; first = 1; print "@block"; next }
    /^\.Ed/ { block = 0 }
    inside && block {
      sub(/^\\&/, ""); gsub(/\\\(aq/, "\047"); gsub(/\\\(dq/, "\""); gsub(/\\\(ha/, "^"); gsub(/\\\(ti/, "~")
      gsub(/\\-/, "-"); gsub(/\\&/, ""); gsub(/\\e/, "\\")
      print
    }' "$1"
}

# Runs the examples of a page, in one folder, in their order; fails with the first that prints otherwise.
run_examples() {
  local line command='' want='' skipping=no
  settle_example() {
    [[ -n $command ]] || return 0
    bash -c "$command" >got 2>messages </dev/null || true
    if ! diff -u --label "$page says" --label "it prints" <(printf %s "$want") got; then
      printf '$ %s\n' "$command"
      cat messages
      return 1
    fi
    command='' want=''
  }
  while IFS= read -r line; do
    case $line in
      @block) settle_example || return; skipping=no ;;
      '# not run'*) skipping=yes ;;
      '$ '*) settle_example || return; [[ $skipping == yes ]] || command=${line#'$ '} ;;
      *) want+=$line$'\n' ;;
    esac
    [[ $skipping == no ]] || want=''
  done
  settle_example
}

@test "the examples run, and print what the pages say" {
  local page failed=0
  export PATH=$SPINNERET_ROOT/scripts:$PATH
  for page in "${pages[@]}"; do
    mkdir -p "$BATS_TEST_TMPDIR/$(basename "$page")"
    cd "$BATS_TEST_TMPDIR/$(basename "$page")"
    run_examples < <(examples "$page") || failed=1
  done
  ((failed == 0))
}

@test "every tool's page has an example that runs" {
  local tool
  for tool in "${TOOLS[@]}"; do
    examples "$SPINNERET_ROOT/man/$tool.1" | grep -q '^\$ ' || { echo "$tool.1 has none"; false; }
  done
}

# --- spinneret-record(7): the one page that lists outcomes and fields ----------------------------------

record_page=$SPINNERET_ROOT/man/spinneret-record.7

@test "every outcome is listed, and no other" {
  sed -nE 's/^ *\{k[A-Za-z]+, "([a-z-]+)".*/\1/p' "$SPINNERET_ROOT/lib/base/outcome.cc" | sort >table
  (($(wc -l <table) == 25))
  awk '/^\.Sh / { inside = /OUTCOMES/ } inside && /^\.It Cm / { print $3 }' "$record_page" | sort >page
  diff table page
}

@test "the class of every outcome is that of the table" {
  sed -nE 's/^ *\{k[A-Za-z]+, "([a-z-]+)", k([A-Z][a-z]+).*/\1 \L\2/p' "$SPINNERET_ROOT/lib/base/outcome.cc" |
    sort >table
  awk '/^\.Sh / { inside = /OUTCOMES/ } inside && /^\.Ss / { class = tolower($2); sub(/:/, "", class) }
       inside && /^\.It Cm / { print $3, class }' "$record_page" | sort >page
  diff table page
}

# Fields are ".It Cm NAME Pq TYPE" in the section FIELDS.
page_fields() {
  awk '/^\.Sh / { inside = /FIELDS/ } inside && /^\.It Cm / { gsub(/,/, " "); print $3, $NF }' "$record_page"
}

@test "fields that --json prints as numbers are listed as numbers, and no other" {
  tr '\n' ' ' <"$SPINNERET_ROOT/lib/io/json.cc" | grep -oE 'kNumeric\[\] = \{[^}]*\}' |
    grep -oE '"[a-z-]+"' | tr -d '"' | sort >table
  [[ -s table ]]
  page_fields | awk '$2 == "number" { print $1 }' | sort >page
  diff table page
}

@test "every field that a tool writes is listed" {
  {
    grep -hoE '\b(set|add|set_unsigned|field)\("[a-z][a-z0-9.-]*"' -r "$SPINNERET_ROOT"/{tools,lib/loop,lib/http/fields.cc}
    grep -hoE '\bset_(text|count|seconds)\(out, "[a-z-]*"' -r "$SPINNERET_ROOT/lib/loop"
    grep -hoE '"\\t[a-z-]+=' -r "$SPINNERET_ROOT/tools" | sed 's/\\t//; s/=/"/'
  } | grep -oE '"[^"]*"' | tr -d '"' | sort -u >written
  (($(wc -l <written) > 40))
  page_fields | cut -d' ' -f1 | sort -u >page
  comm -23 written page >unlisted
  [[ ! -s unlisted ]] || { cat unlisted; false; }
}
