#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual describes what the tools do: options, examples, outcomes and fields are compared both ways.

load helper
load examples

PATH=$SPINNERET_ROOT/scripts:$PATH
pages=("$SPINNERET_ROOT"/man/*.[157])

# The long options in a page's lists of options, and those mentioned anywhere in the text that a reader sees.
listed_options() { sed -n '/^\.It Fl/p' "$1" | grep -oE ' -[a-z][a-z0-9-]+' | sed 's/^ -//' | sort -u; }
mentioned_options() {
  mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g' | grep -oE -- '--[a-z][a-z0-9-]*' | sed 's/^--//' | sort -u
}
help_options() { "$1" --help=all | grep -oE '^ +(-[a-zA-Z0-9], )?--[a-z][a-z0-9-]*' | sed 's/.*--//' | sort -u; }

setup() { command -v mandoc >/dev/null || skip "no mandoc"; }

@test "every option of --help is in the man page, and every listed one is in --help" {
  local tool failed=0
  for tool in "${TOOLS[@]}" link-bus crawl; do
    help_options "$tool" >help
    [[ -s help ]]
    comm -23 help <(mentioned_options "$SPINNERET_ROOT/man/$tool.1") | sed "s/^/$tool.1 lacks --/" >missing
    comm -13 help <(listed_options "$SPINNERET_ROOT/man/$tool.1") | sed "s/^/$tool --help lacks --/" >>missing
    [[ ! -s missing ]] || { cat missing; failed=1; }
  done
  ((failed == 0))
}

@test "bug: a quote in a parenthesis went on to the end of its line, over words of the page" {
  run -1 grep -nE '^\..*\b(Ql|Sq|Dq|Qq)\b.*\b(No|Xr)\b' "${pages[@]}"
  mandoc -T utf8 -O width=900 "$SPINNERET_ROOT/man/politeness-sched.1" | sed 's/.\x08//g' | grep -q 'fnmatch(3), with ‘\*’ matching'
}

@test "bug: --help named no exit status above 2, where the page has 3 and 5" {
  local tool
  for tool in "${TOOLS[@]}" link-bus crawl; do
    awk '/^\.Sh/ { there = /EXIT STATUS/ } there && !/Xr/' "$SPINNERET_ROOT/man/$tool.1" | grep -oE '\b[0-9]\b' | sort -u >listed
    "$tool" --help | sed -n 's/^Exit status: //p' | grep -oE '(^|[^0-9])[0-9] [a-z]' | grep -o '[0-9]' | sort -u | diff - listed || { echo "$tool" && false; }
  done
}

# help_table TOOL: prints "SHORT|LONG|PLACEHOLDER" of every option, taken from --help.
help_table() {
  "$1" --help=all | sed -nE 's/^ +(-([a-zA-Z0-9]), )? *--([a-z][a-z0-9-]*)(=([^ ]+))?( .*|$)/\2|\3|\5/p'
}

@test "short options and whether a value follows agree" {
  local tool short long value failed=0
  for tool in "${TOOLS[@]}" link-bus crawl; do
    while IFS='|' read -r short long value; do
      # Options that all tools share may be left to spinneret(7).
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

# Words whose values differ from tool to tool, with the reason: what the tool keeps, compares or counts is of another
# kind, or the word was not ours to choose. Before you add one, look for another word.
kept_apart() {
  cat <<'END'
cache: a folder of robots.txt files; a file of answers
check: a policy, rules, an engine, or a file for link-check: look for mistakes
cluster: of copies; of machines
diff: the other one, which is a file, a store, a state
field: the column of a table; a field of items
head: HEAD; the first lines, as head(1) has it
header: of a table; of HTTP, as curl(1) has it
key: of a certificate; of records
links: records that are links; a file for them
list: what there is; robots-check asks what of it
partition: one of a known number, or of the engine's
policy: rules of a crawl; what sites state about use
report: for people; crawl may write it to a file
show: what is known of a URL; which verdicts
state: of a crawl, a folder; of a receiver, a file
store: of bodies, a folder; of what was seen, a file
with: steps of a profile; parts of a text
END
}

@test "one word, one meaning: options of all tools" {
  local tool
  for tool in "${TOOLS[@]}" link-bus crawl; do
    "$tool" --help=all | sed -nE "s/^ +(-([a-zA-Z0-9]), )? *--([a-z][a-z0-9-]*)(\\[?=([^] ]+)\\]?)?( .*|\$)/$tool|\2|\3|\5/p"
  done >table
  (($(wc -l <table) > 380)) || { wc -l table; false; }
  # A word that takes a value takes the same kind in all tools.
  awk -F'|' '!(($3, $4) in seen) { seen[$3, $4] = 1; kinds[$3]++ } END { for (word in kinds) if (kinds[word] > 1) print word }' table | sort >differ
  kept_apart | cut -d: -f1 | sort | diff - differ
  # A letter stands for one word, except -j (how many at once) and -w (as in grep and uniq).
  awk -F'|' '$2 != "" && !(($2, $3) in seen) { seen[$2, $3] = 1; words[$2] = words[$2] " " $3; n[$2]++ }
    END { for (letter in n) if (n[letter] > 1) print letter ":" words[letter] }' table | sort >letters
  diff - letters <<'END'
j: jobs in-flight
w: whole-line where
END
}

@test "an old spelling is refused, and the new one named" {
  local tool old new
  while read -r tool old new; do
    run -2 "$tool" "$old"
    [[ $output == *": \"${old%%=*}\" is $new"*" now"* ]] || { echo "$tool $old: $output"; false; }
  done <<'END'
fetch --slots=3 --in-flight
fetch --from=me@example.org --contact
fetch --stats --progress
robots-check --from=me@example.org --contact
robots-check -e --explain
url-normalize -e --explain
url-normalize -k --keep-fragment
url-filter --count --hits
extract-items -e --each
extract-links --raw --as-written
records --url-field=link --field
records --tsv --from=tsv
END
}

@test "a mistyped value or field is told what may have been meant" {
  run -2 url-normalize --profile=crawll http://h/
  [[ $output == *'did you mean crawl?'* ]]
  run -2 extract-text --format=markdwon page
  [[ $output == *'takes one of text, markdown, weighted, not "markdwon": did you mean markdown?'* ]]
  printf 'http://h/\toutcome=ok\tverdict=x\n' >records.tsv
  run -0 --separate-stderr records --fields=url,verdcit,status,outcme records.tsv
  [[ $output == $'http://h/\t\t\t' ]]
  [[ $stderr == *'--fields: no record has verdcit: did you mean verdict?'*'no record has outcme: did you mean outcome?'* && $stderr != *status* ]]
  # A field that exists is no mistake, even where its name is close to another one's.
  run -0 --separate-stderr records --fields=verdict,etag records.tsv
  [[ -z $stderr ]]
}

@test "who asks is read from the environment, by every tool that asks servers" {
  local tool
  for tool in fetch robots-check crawl; do
    grep -q SPINNERET_AGENT "$SPINNERET_ROOT/man/$tool.1"
    grep -q SPINNERET_CONTACT "$SPINNERET_ROOT/man/$tool.1"
  done
  # The stages of a crawl read the variables that fetch reads.
  for tool in $(sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh EXIT/p' "$SPINNERET_ROOT/man/fetch.1" | sed -n 's/^\.It Ev //p' | tr -d ,); do
    sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh EXIT/p' "$SPINNERET_ROOT/man/crawl.1" | grep -q "^\.It Ev .*$tool" || { echo "crawl.1: $tool"; false; }
  done
  printf 'User-agent: examplebot\nDisallow: /x\n' >robots.txt
  run -1 env SPINNERET_AGENT=examplebot robots-check -r robots.txt --fields=robots /x
  [[ $output == disallow ]]
  run -0 env SPINNERET_AGENT=examplebot robots-check -r robots.txt --agent=other --fields=robots /x
  [[ $output == allow ]]
}

@test "help is no wider than a screen" {
  local tool
  for tool in "${TOOLS[@]}" link-bus crawl; do
    run -0 "$tool" --help=all
    ! grep -nE '.{81}' <<<"$output" || { echo "of $tool"; false; }
  done
}

@test "help texts are short and end without a stop" {
  local tool failed=0
  for tool in "${TOOLS[@]}" link-bus; do
    "$tool" --help=all | sed -nE 's/^ +(-., )? *--[^ ]+ +(.*)/\2/p' >texts
    if grep -nE '^.{51}|[^.]\.$' texts; then echo "of $tool" && failed=1; fi
  done
  ((failed == 0))
}

@test "the manual as HTML stands alone, and a long command scrolls in its box" {
  "$SPINNERET_ROOT/scripts/manual-html" "$SPINNERET_ROOT/man" html
  (($(ls html | wc -l) == ${#pages[@]} ))
  for page in html/*.html; do
    [[ $(grep -c '</style>' "$page") == 1 ]]
    grep -q '^pre {.* overflow-x: auto;' "$page"
    run ! grep -E '<(link|script|img) ' "$page"
  done
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
    [[ $section != [23] ]] || continue  # pages of the kernel and the C library
    case $name in
      awk | bash | cat | comm | curl | cut | grep | jq | parallel | sed | sh | sort | ssh | uniq | xargs | wget | \
        nsswitch.conf | resolv.conf | signal | pipe | flock | regex | nginx | git | head | tail | tee | zcat | gzip | systemd | cron | timeout | ps) ;;
      *) echo "no page $name($section)"; failed=1 ;;
    esac
  done < <(sed -nE 's/^\.?.*\bXr ([^ ]+) ([1-8]).*/\1 \2/p' "${pages[@]}" | sort -u)
  ((failed == 0))
}

@test "the examples run, and print what the pages say" {
  export TMPDIR=$BATS_TEST_TMPDIR  # the files that they make go away
  local page failed=0
  for page in "${pages[@]}"; do
    mkdir -p "$BATS_TEST_TMPDIR/$(basename "$page")"
    cd "$BATS_TEST_TMPDIR/$(basename "$page")"
    run_examples < <(examples "$page") || failed=1
  done
  ((failed == 0))
}

@test "examples that are not run are shell, and name options that are there" {
  local page line tool option count=0
  for page in "${pages[@]}"; do
    examples "$page" | awk '/^@block/ { on = 0; next } /^# not run/ { on = 1; next } on && (/^\$ / || more) { sub(/^\$ /, ""); more = /\\$/; print }' >shown
    bash -n shown
    # One command a line; quoted words are replaced, since they are no options.
    sed -E ':more; /\\$/{N; s/\\\n//; b more}' shown | sed -E "s/'[^']*'/x/g; s/[|;&]+ */\\n/g" >commands
    while read -r tool line; do
      [[ $tool == crawl || " ${TOOLS[*]} link-bus " == *" $tool "* ]] || continue
      help_options "$tool" >options
      for option in $(grep -oE -- '--[a-z][a-z0-9-]*' <<<"$line"); do
        grep -qx -- "${option#--}" options || { echo "${page##*/}: $tool has no $option"; false; }
        count=$((count + 1))
      done
    done <commands
  done
  ((count > 40))
}

@test "every tool's page has an example that runs" {
  local tool
  for tool in "${TOOLS[@]}" link-bus; do
    examples "$SPINNERET_ROOT/man/$tool.1" | grep -q '^\$ ' || { echo "$tool.1 has none"; false; }
  done
}

@test "what crawl(1) says that is said, is said by some program" {
  local said count=0
  while IFS= read -r said; do
    grep -qrF -- "$said" "$SPINNERET_ROOT"/{lib/cli,lib/loop,lib/frontier,scripts} || { echo "nobody says: $said"; false; }
    count=$((count + 1))
  done < <(sed -n '/^\.Sh DIAGNOSTICS/,/^\.El/s/^\.It Li //p' "$SPINNERET_ROOT/man/crawl.1")
  ((count == 11))
}

@test "bug: crawl(1) said that --add and --why are for one machine, and did not name the passwords of an engine" {
  local option variable page=$SPINNERET_ROOT/man/crawl.1
  sed -n '/^with each machine\|^of each partition/,/^are for one machine/p' "$page" >said
  for option in $(sed -n '/^\.Fl/p' said | grep -oE -- '-[a-z][a-z-]+( Ns = Ns Cm [a-z]+)?' | sed 's/ Ns = Ns Cm /=/'); do
    run -2 crawl "-$option" --state=none --cluster=redis://127.0.0.1:1/x --agent=b --contact=me@example.org http://h.example/
    [[ $output == *"one machine"* || $output == *"one state"* || $output == *"one scheduler"* ]] || { echo "$option: $output"; false; }
  done
  (($(wc -w <said) > 8))
  for variable in $(grep -hoE '"(SPINNERET|PG)[A-Z_]+"' -r "$SPINNERET_ROOT"/{lib,tools} --include='*.cc' | tr -d '"' | sort -u); do
    grep -q "^\.It Ev .*\b$variable\b" "$page" || { echo "crawl.1 lacks $variable"; false; }
  done
}

# --- spinneret-record(7): the one page that lists outcomes and fields ----------------------------------

record_page=$SPINNERET_ROOT/man/spinneret-record.7

@test "every outcome is listed, and no other" {
  sed -nE 's/^ *\{k[A-Za-z]+, "([a-z-]+)".*/\1/p' "$SPINNERET_ROOT/lib/base/outcome.cc" | sort >table
  (($(wc -l <table) == 28))
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

@test "the table of fields is the page: every name, and which are numbers" {
  sed -nE 's/^ *\{"([a-z.-]+)", (true|false)\},$/\1 \2/p' "$SPINNERET_ROOT/lib/io/field.cc" >table
  (($(wc -l <table) > 200))
  LC_ALL=C sort -c table
  page_fields | awk '{ print $1, $2 == "number" ? "true" : "false" }' | sort -u >page
  diff table page
}

# The parts of a URL that --parts adds as fields, in quotes.
part_names() {
  sed -n '/kParts\[\] = {/,/};/s/^ *{\("[a-z]*"\),.*/\1/p' "$SPINNERET_ROOT/lib/url/parts.cc"
}

@test "every field that a tool writes is listed" {
  {
    grep -hoE '\b(set|add|set_unsigned|field)\("[a-z][a-z0-9.-]*"' -r "$SPINNERET_ROOT"/{tools,lib/loop,lib/http/fields.cc}
    grep -hoE '\bset_(text|count|seconds)\(out, "[a-z-]*"' -r "$SPINNERET_ROOT/lib/loop"
    grep -hoE '"\\t[a-z-]+=' -r "$SPINNERET_ROOT"/{tools,lib/loop} | sed 's/\\t//; s/=/"/'
    # Names in tables: statistics, parts of URLs, and what robots.txt says beside its rules.
    sed -nE 's/^ *\{("[a-z-]+"), "[^"]*", (true|false),.*/\1/p' "$SPINNERET_ROOT/lib/loop/metrics.cc"
    part_names
    grep -hoE '[?:] "(robots|content)-[a-z]+"' "$SPINNERET_ROOT/tools/robots_verdict.cc"
  } | grep -oE '"[^"]*"' | tr -d '"' | sort -u >written
  (($(wc -l <written) > 40))
  page_fields | cut -d' ' -f1 | sort -u >page
  comm -23 written page >unlisted
  [[ ! -s unlisted ]] || { cat unlisted; false; }
}

# Each tool runs with everything that makes it write more; its fields are looked up in the page.
@test "every field that comes out of a tool is listed" {
  printf 'User-agent: *\nDisallow: /b\nNoindex: /a\nContent-Signal: search=yes\nCrawl-delay: 2\nVisit-time: 0000-2359\n' >r1
  printf 'User-agent: *\nDisalow: /a\nSitemap: http://h/s.xml\n' >r2
  echo 'deny-path ^/b tag=1' >bad.policy
  printf 'HTTP://u:p@h.example:81/a/%%7Eb?utm_id=1#f\nhttp://h.example/b\n' >urls
  printf '<html lang=en><title>t</title><meta name=description content=d><meta name=robots content=noindex>
<meta name=tdm-reservation content=1><a href=a rel=next hreflang=de type=text/html>x</a><a href=http://:x>y</a>
<noscript><a href=n>n</a></noscript><form method=post action=f>' >page
  printf 'http://h.example/p\tstatus=200\ttype=text/html\tdepth=1\tbody=%s\toutcome=ok\n' "$(tr '\n' ' ' <page)" >record
  {
    url-normalize --explain urls
    url-normalize --parts="$(part_names | tr -d '"' | paste -sd,)" urls
    url-filter -e 'deny-path ^/b' --explain urls
    url-filter -e 'deny-path ^/b' --hits urls
    url-filter -e 'deny-path ^/b' -e 'tag-path . priority=3' --action=mark urls
    robots-check -r r1 --explain urls
    robots-check -r r1 -A a -A b --explain urls | sed -E 's/\.(a|b)=/=/g'
    robots-check --diff r1 r2 urls
    robots-check --lint --json r1 r2 | jq -r '. as $o | "u" + ([keys[] | select(. != "url") | "\t\(.)=x"] | add)'
    robots-check --page --explain record
    for what in sitemaps agents rules delays extensions; do
      robots-check --list=$what --json r1 r2 | jq -r '. as $o | "u" + ([keys[] | select(. != "url") | "\t\(.)=x"] | add // "")'
    done
    printf 'http://h/robots.txt\tpurpose=robots\tstatus=200\tbody=User-agent: *\\nDisallow: /b\\nCrawl-delay: 2\toutcome=ok\n' | robots-check --learn --cache=cache
    printf 'http://h/b\nhttp://h/a\nhttp://other/\n' | robots-check --gate --cache=cache --explain
    extract-links --only=all --about --explain --as-written --positions --ids --errors record
    extract-items x=h1 --explain record
    printf 'http://h/x\tvia=http://h/\tline=1\tcolumn=1\ttag=a@href\nhttp://h/x\toutcome=gone\n' | link-check
    extract-text --explain record
    printf '<urlset><url><loc>http://h/1</loc><lastmod>2024-05-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url></urlset>' |
      extract-links --base=http://h/s.xml
    cat urls urls | dedupe --mark
    cat urls urls | dedupe --count
    { cat record; sed 's|/p|/q|' record; } | dedupe --similarity=0.5 --mark
    dedupe --store=seen urls && dedupe --stat=seen
    politeness-sched --state s -q --delay 0 --stats=stats http://a.example/ -- sed -u 's/$/\tstatus=200\tdigest=x\tsize=3\toutcome=ok/'
    cat stats
    politeness-sched --state s --list
    politeness-sched --state s --hosts
    politeness-sched --state s --export
  } >all 2>messages || true
  tr '\t' '\n' <all | grep -aoE '^[a-z][a-z0-9.-]*=' | tr -d = | sort -u >written
  (($(wc -l <written) > 70)) || { cat written messages; false; }
  page_fields | cut -d' ' -f1 | sort -u >page
  comm -23 written page >unlisted
  [[ ! -s unlisted ]] || { cat unlisted; false; }
}
