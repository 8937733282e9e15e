#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever the network sends (tests/support/hostile-text.py), none of it acts on a terminal or in a shell: neither in
# records nor in messages, through every tool and the whole driver.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  start_python hostile-text port
  base=http://127.0.0.1:$(cat port)
  export base
}
teardown_file() { stop_servers; }

# The file has no byte below 0x20 except tab and LF, and no DEL.
holds_no_control() {
  not grep -naP '[\x00-\x08\x0b-\x1f\x7f]' "$1"
}
# Values of records (except bodies, and fields that none of our tools wrote) have no C1 or bidi control as UTF-8, and no
# C1 control as a byte of its own.
turns_no_text() {
  python3 - "$1" <<'EOF' || return 1
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8", "surrogateescape")
bad = [line for line in text.split("\n") if any("\udc80" <= c < "\udca0" for c in line)]
sys.exit(repr(bad[0]) if bad else 0)
EOF
  LC_ALL=C not grep -naP '\xC2[\x80-\x9F]|\xD8\x9C|\xE2\x80[\x8E\x8F\xAA-\xAE]|\xE2\x81[\xA6-\xA9]' "$1"
}
# Text for people has no C1 control either, no bidi control and no bytes that are not UTF-8.
is_safe_text() {
  holds_no_control "$1"
  python3 - "$1" <<'EOF'
import sys, unicodedata
text = open(sys.argv[1], "rb").read().decode("utf-8")
bad = [hex(ord(c)) for c in text if c not in "\t\n" and unicodedata.category(c) in ("Cc", "Cf")]
sys.exit(f"{sys.argv[1]}: {bad}" if bad else 0)
EOF
}
not() { ! "$@"; }

# fetch_all OPTION...: fetches all pages; the records go to the file `records`.
fetch_all() {
  printf '%s\n' "$base"/{,robots.txt,reason,moved,badmove,length,coding,status,header} |
    fetch --allow-private --headers "$@" >records 2>messages || true
  (($(wc -l <records) == 9))
}

@test "fetch: reason phrases, header fields, broken heads" {
  fetch_all --no-body
  holds_no_control records
  turns_no_text records
  is_safe_text messages
  # With bodies, a record escapes whatever a page holds, so that a line stays a line.
  fetch_all
  (($(grep -c 'outcome=' records) == 9))
  not grep -qP '\x00' records
  fetch_all --no-body --json
  is_safe_text records
}

@test "extract-links: hrefs, texts, titles, Link fields" {
  fetch_all
  for options in "" "--only=all --about" "--explain"; do
    # shellcheck disable=SC2086
    extract-links $options <records >links 2>messages || true
    holds_no_control links
    turns_no_text links
    is_safe_text messages
  done
  extract-links --only=all --json <records >links 2>messages || true
  is_safe_text links
  extract-links --only=all <records >links 2>/dev/null || true
  url-normalize <links >normal 2>messages || true
  holds_no_control normal
  turns_no_text normal
  is_safe_text messages
  url-filter --explain <normal >passed 2>messages || true
  holds_no_control passed
  is_safe_text messages
  dedupe <normal | holds_no_control /dev/stdin
}

@test "robots-check: lint, canonical form, explanations, learnt rules" {
  fetch --allow-private "$base/robots.txt" | sed 's/\t/\tpurpose=robots\t/' >record
  robots-check --learn --cache=c record >learnt 2>messages
  holds_no_control learnt
  sed 's/\tbody=[^\t]*//' learnt >values
  turns_no_text values
  is_safe_text messages
  curl -s "$base/robots.txt" >robots.txt
  grep -qaP '\x1b' robots.txt
  : >empty.txt
  for mode in --lint --canonical --list=sitemaps --list=agents "--diff empty.txt"; do
    # shellcheck disable=SC2086
    robots-check $mode robots.txt >out 2>messages || true
    is_safe_text messages
    # The canonical form is a robots.txt again, with escaped patterns.
    holds_no_control out
    turns_no_text out
  done
  printf '%s\n' "$base/private/x" "$base/" "$base/%1b%5b31mred" >in
  robots-check --robots robots.txt --explain in >out 2>messages || true
  holds_no_control out
  is_safe_text messages
  robots-check --gate --explain --cache=c --agent=bot in >out 2>messages || true
  grep -q 'robots-rule=' out
  holds_no_control out
  turns_no_text out
}

@test "the whole driver: no terminal, no shell, no file" {
  mkdir work
  cd work
  timeout 60 "$SPINNERET_ROOT/scripts/crawl" --state=s --allow-private --delay=0 --store=bodies "$base/" \
    >../out 2>../messages </dev/null
  cd ..
  holds_no_control out
  turns_no_text out
  is_safe_text messages
  is_safe_text work/s/report.html
  holds_no_control work/s/log
  turns_no_text work/s/log
  [[ -z $(find / -xdev -name 'pwned*' -newer "$BATS_FILE_TMPDIR/port" -not -path '/proc/*' 2>/dev/null) ]]
  # There is nothing but the state and the bodies, under our own names.
  [[ $(ls work) == $'bodies\ns' ]]
  [[ -z $(find work -name '*pwned*' -o -name '-*') ]]
  grep -qF '/$(touch%20pwned)' out
  grep -qF 'robots=disallow' out
  politeness-sched --state=work/s/frontier --list >out 2>messages
  holds_no_control out
  turns_no_text out
  politeness-sched --state=work/s/frontier --hosts >out 2>messages
  holds_no_control out
  turns_no_text out
}
