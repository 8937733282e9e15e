#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What newcomers type, and the answers, each of which says what to do next. Rows are "STATUS | COMMAND | part of the
# messages"; the shell runs the command with nothing on standard input.

load helper

setup() {
  export crawl=$SPINNERET_ROOT/scripts/crawl
  printf '<a href=x>x</a>\n' >page.html
  printf 'http://h/\toutcome=ok\tstatus=200\n' >stream
  printf 'name,url\n1,http://h/\n' >list.csv
}

# told: runs the rows of standard input.
told() {
  local row status command message got failed=0
  while IFS= read -r row; do
    status=${row%% | *} command=${row#* | } message=${row##* | }
    command=${command% | *} got=0
    bash -c "${command//\\|/|}" </dev/null >out 2>messages || got=$?
    grep -qF -e "$message" messages && (($(wc -l <messages) <= 4 && got == status)) && continue
    printf '%s\nstatus %s, told: %s\n\n' "$row" "$got" "$(<messages)"
    failed=1
  done
  ((failed == 0))
}

@test "a document, or a URL, where pages should stand" {
  told <<'END'
2 | extract-links page.html | as in extract-links --base=https://example.org/ page.html
2 | extract-items x=h1 page.html | as in extract-items --base=https://example.org/ page.html
2 | extract-text page.html | as in extract-text --base=https://example.org/ page.html
2 | cat page.html \| extract-text | standard input: is a document, not records: say where it was found, as in extract-text --base=https://example.org/
0 | extract-text http://h/ | a URL without its page passes as it is: fetch "http://h/"
0 | extract-links http://h/ http://h/2 | a URL without its page passes as it is: fetch "http://h/"
2 | "$crawl" --state=s page.html | no crawl without good seeds: page.html is a document: extract-links --base=URL page.html
2 | link-check http://h/ | crawl --check-links http://h/ checks a site
2 | extract-text --base=http://h/ --type=html page.html | --type takes a media type such as text/html, not "html"
2 | extract-links --base=http://h/ --charset=utf-9 page.html | --charset takes an encoding's name such as utf-8 or shift_jis, not "utf-9"
END
  extract-text http://h/ 2>/dev/null | diff - <(echo http://h/)
}

@test "bug: an archive was read as lines of records: extract-links printed nothing, records counted lines, and ended with 0" {
  printf 'WARC/1.1\r\nWARC-Type: warcinfo\r\n\r\n' | tee site.warc | gzip >site.warc.gz
  touch site.wacz site.tgz
  told <<'END'
2 | extract-links --links site.warc | "site.warc" is an archive: records --from-dir=FILE
2 | extract-text site.warc.gz | "site.warc.gz" is an archive: records --from-dir=FILE
2 | extract-items x=.tar site.tgz | "site.tgz" is an archive: records --from-dir=FILE --base=URL
2 | records --count site.wacz | "site.wacz" is an archive: records --from-dir=FILE
2 | link-check site.wacz | "site.wacz" is an archive: records --from-dir=FILE
2 | extract-links <site.warc | an archive is not a stream of records: records --from-dir=FILE
END
  extract-items x=.tar stream
}

@test "bug: records passed a file that holds no record, such as a page, and ended with 0" {
  printf '{"url":"http://h/"}\n' >list.json
  printf '\n# Links\n' >blank-first
  told <<'END'
2 | records page.html | page.html: is a document, not records: records --from-dir=DIR --base=URL reads the pages of a folder
2 | cat page.html \| records --count | standard input: is a document, not records
2 | records stream list.json | list.json: is JSON, not records: records --from=json reads it
2 | records --count-by=status list.csv | list.csv: is not a file of records: its first line has neither a URL nor a field (a table is read by --from): "name,url"
END
  # A file with a URL or a field is a file of records, and so is a pipe, or a file whose first line is empty.
  records --count-by=status stream >counts
  printf 'urn:a:b\n' >urn
  records counts urn http://h/ blank-first 2>told | diff - <(cat counts urn; echo http://h/; cat blank-first)
  cut -d, -f1 list.csv | records --count 2>>told
  [[ ! -s told ]]
}

@test "bug: of an empty operand the tools said that they cannot open it, without its name" {
  local tool
  for tool in url-normalize url-filter robots-check fetch extract-links extract-items extract-text dedupe records link-check "$crawl"; do
    run -2 "$tool" ''
    [[ $output == "${tool##*/}: an operand is empty: a variable that nobody has set?"* ]] || { echo "$tool: $output"; false; }
    run -2 "$tool" -- ''
    [[ $output == *'an operand is empty'* ]] || { echo "$tool: $output"; false; }
  done
}

@test "bug: mistyped values were told what there is, and not what may have been meant" {
  told <<'END'
2 | fetch --limit=conect=3s http://h/ | not "conect=3s": did you mean connect?
2 | fetch --limit=runn http://h/ | not "runn": did you mean run?
2 | fetch --limit=run=soon http://h/ | memory=SIZE or warc=SIZE, not "run=soon"
2 | politeness-sched --state=s --recrawl=bst:5000/d -- cat | least=1h,most=90d: did you mean best?
2 | link-check --fail-on=dead,moveed stream | all or none, not "moveed": did you mean moved?
2 | url-normalize --get='{hots}' http://h/ | no part is called "hots": did you mean host? There are url
2 | url-normalize --parts=pth http://h/ | no part is called "pth": did you mean path? There are url
2 | url-normalize --with=tracing http://h/ | no step is called "tracing": did you mean tracking? --list-steps lists them
2 | url-normalize --cdx-form=coma http://h/ | www, address, not "coma": did you mean comma?
2 | extract-text --with=tabels stream | or a list of them, not "tabels": did you mean tables?
2 | extract-links --guess=comment stream | comments, scripts or text, not "comment": did you mean comments?
2 | "$crawl" --scope=domian,fixed http://h/ | and ,fixed after it, not domian\,fixed: did you mean domain?
2 | "$crawl" --scope=everything http://h/ | and ,fixed after it, not everything
END
}

@test "bug: a value behind an option that takes one by = alone was read as a file of seeds" {
  told <<'END'
2 | "$crawl" --report out.html | --report takes its value after =, as in --report=out.html
2 | "$crawl" --report=x --live 8080 | --live takes its value after =, as in --live=8080
END
  [[ $("$crawl" --report http://h/x.html --version) == 'crawl (Spinneret) '* ]]
}

@test "bug: link-check said nothing of a folder without pages, or of pages that extract-links has not read" {
  mkdir empty
  told <<'END'
0 | link-check empty | no page there has a link: nothing was judged
0 | link-check stream | no link came with the pages, and none was judged: extract-links --ids --positions reads them, before link-check
END
  printf 'http://h/\toutcome=ok\tids=\n' >read
  link-check read 2>told
  [[ ! -s told ]]
}

@test "bug: a packed robots.txt of --robots was read as it is, and allowed everything" {
  printf 'User-agent: *\nDisallow: /x\n' | gzip >robots.gz
  run -1 robots-check -q -A examplebot --robots=robots.gz http://h/x
  robots-check -q -A examplebot --robots=robots.gz http://h/y
  run -1 robots-check -q -A examplebot --robots=- http://h/x <robots.gz
  gzip -dc robots.gz >robots.txt
  [[ -z $(robots-check -A examplebot --diff robots.gz robots.txt http://h/x) ]]
}

@test "bug: a mistyped kind of links was taken for an element, of which there are none" {
  told <<'END'
2 | extract-links --base=http://h/ --only=pages page.html | --only: no element is called "pages": did you mean page?
2 | extract-links --base=http://h/ --except=imgs page.html | --except: no element is called "imgs": did you mean img?
END
  # A name that is an element, or may be one, is taken.
  [[ $(extract-links --base=http://h/ --only=a,q,ins,cite,my-own,frame,rel=pages,pages@href page.html) == http://h/x* ]]
}

@test "bug: what is no file was taken for one: an archive was a folder, a list a device without an end" {
  mkdir folder
  told <<'END'
2 | fetch --warc=folder http://h/ | --warc names a file, and "folder" is a folder
2 | fetch --warc=/dev/null http://h/ | --warc names a file, and "/dev/null" is none
2 | url-filter --deny-list=/dev/zero http://h/ | cannot read /dev/zero: line 1 is longer than 64 MiB
END
}

@test "bug: robots-check wrote a line end of --contact into its requests, and looked at options only before it fetched" {
  told <<'END'
2 | robots-check -Ax --contact=$'a@b.org\r\nX-Evil: 1' -r stream http://h/ | --contact takes text without control bytes
2 | SPINNERET_CONTACT=$'a@b.org\r\nX-Evil: 1' robots-check -Ax http://127.0.0.1:9/ | --contact takes text without control bytes
2 | robots-check -Ax --timeout=soon -r stream http://h/ | --timeout takes a duration
END
}

@test "words of other programs, and rules of a policy, given as options" {
  told <<'END'
2 | fetch -o page http://h/ | unknown option "-o": records go to standard output (> FILE), bodies into --store=DIR
2 | fetch --output=page http://h/ | bodies into --store=DIR
2 | fetch -I http://h/ | --head
2 | fetch -X POST http://h/ | requests are GET, or HEAD by --head
2 | fetch --user=a:b http://h/ | --auth=FILE
2 | records --sort=url stream | sort(1) sorts
2 | records --filter=outcome=ok stream | a condition is --where
2 | url-filter --deny-path=x http://h/ | --rule='deny-path ^/private/'
2 | url-filter --allow-host=h http://h/ | a rule is given by --rule
2 | url-filter --deny-domian=h http://h/ | did you mean --deny-domain?
END
}

@test "bug: with a limit of 0, which is none for curl, every URL of a list was timeout or dns-failed, and the status 0" {
  told <<'END'
2 | fetch --timeout=0 http://h/ | --timeout must be greater than 0
2 | fetch --max-size=0 http://h/ | --max-size must be greater than 0: every page would be too large
2 | fetch '--types=text/html;charset=utf-8' http://h/ | --types takes names such as text/html,!image/*, not "text/html;charset=utf-8"
2 | fetch --timeout=0.0001 http://h/ | --timeout must be greater than 0
2 | fetch --limit=connect=0 http://h/ | --limit=connect must be greater than 0
2 | fetch --limit=first-byte=0ms http://h/ | --limit=first-byte must be greater than 0
2 | fetch --limit=headers=0 http://h/ | --limit=headers must be greater than 0
2 | fetch --limit=low-speed=1000/0 http://h/ | --limit=low-speed must be greater than 0
2 | fetch --limit=connect=x http://h/ | --limit takes connect=TIME
END
}

@test "a path without a robots.txt" {
  printf 'User-agent: *\nDisallow: /p\n' >robots.txt
  told <<'END'
2 | robots-check -A bot /private/x | there is no file "/private/x"; a path is asked for with the robots.txt to ask: --robots=FILE or URL
2 | robots-check -A bot none | cannot open none: No such file or directory
1 | robots-check -A bot /proc/self/cmdline | a relative URL without a base
END
  run -1 robots-check -A bot --robots=robots.txt /private/x
  [[ $output == $'/private/x\trobots=disallow' ]]
}

@test "options that would do nothing here are refused" {
  told <<'END'
2 | fetch --raw --json http://h/ | --raw prints bodies and no records: not with --json
2 | fetch --raw --fields=url http://h/ | not with --fields
2 | fetch --raw --headers http://h/ | --raw prints bodies and no records: not with --headers
2 | fetch --raw --timing http://h/ | not with --timing
2 | fetch --store=s --cat=http://h/ --json | --cat prints bodies and no records: not with --json
2 | link-check --fresh --cache=c page.html | --fresh reads nothing: "page.html" does not go with it
2 | link-check --fresh --cache=c --ask | --ask and --fresh exclude each other
2 | link-check --ask --report=report.html page.html | --ask and --report exclude each other
2 | link-check --ask --fail-on=ok page.html | --ask and --fail-on exclude each other
2 | link-check --fix --format=junit page.html | --fix and --format exclude each other
2 | link-check --fix --json page.html | --fix and --json exclude each other
2 | robots-check --canonical --json robots.txt | --canonical and --json exclude each other
2 | robots-check --quiet --list=rules robots.txt | --list and --quiet exclude each other
2 | robots-check -A b --quiet --cache=c --gate | --gate and --quiet exclude each other
2 | politeness-sched --state=s --with-state=done http://h/ -- cat | --with-state goes with --list
2 | politeness-sched --state=s --hosts --host=h | --host goes with --list
2 | politeness-sched --state=s http://h/ cat | the command of the pipeline follows --, as in -- cat
2 | url-filter --check | there is no rule to look at: name them by --policy=FILE
2 | url-normalize --get=host http://h/ | parts are named in braces: --get='{host}'
2 | politeness-sched --state=stream http://h/ -- cat | cannot create folder stream: there is a file of that name
END
  [[ ! -e s ]]
}

@test "a question that no record can answer is told what may have been meant" {
  told <<'END'
0 | records --where=outcom=ok stream | --where: no record has outcom: did you mean outcome?
0 | records --where=outcome=okk stream | --where: there is no outcome "okk": did you mean ok?
0 | records --where='not outcome=not_found' stream | did you mean not-found?
0 | records --where='has lastmodd' --count stream | did you mean lastmod?
0 | records --count-by=statsu stream | --count-by: no record has statsu: did you mean status?
END
  # No question is a mistake whose field or value is there, is known but missing here, or resembles nothing.
  for question in status=200 'has etag' outcome=gone outcome=future-word tag=a has=x; do
    records --where="$question" stream 2>told >/dev/null
    [[ ! -s told ]] || { echo "$question: $(<told)"; false; }
  done
  # bug: a column was empty without a message where its name had five letters or less, was close to a field that no
  # record had, or came with --csv
  told <<'END'
0 | records --fields=url,staus stream | --fields: no record has staus: did you mean status?
0 | records --fields=url,titel stream | --fields: no record has titel: did you mean title?
0 | records --fields=urll stream | --fields: no record has urll: did you mean url?
0 | records --csv --fields=url,statsu stream | --fields: no record has statsu: did you mean status?
0 | url-normalize --fields=url,hostt --parts=host http://h/ | url-normalize: --fields: no record has hostt: did you mean host?
END
  for fields in url,title url,ur url,price-of-tea tag outcome,anchr; do
    records --fields="$fields" </dev/null 2>told
    [[ $fields == *anchr ]] || records --fields="$fields" stream >/dev/null 2>>told
    records --csv --fields="$fields" </dev/null 2>>told >/dev/null
    [[ ! -s told ]] || { echo "$fields: $(<told)"; false; }
  done
  run -0 --separate-stderr records --csv --fields=url,titel stream
  [[ $stderr == "records: --fields: no record has titel: did you mean title?" ]]
  printf 'http://h/\toutcom=x\toutcome=ok\n' | records --where=outcom=x 2>told >/dev/null
  [[ ! -s told ]]
}

@test "a field to compare that no line has is told" {
  printf 'http://h/\nhttp://h/\n' | dedupe --key=digset 2>told | diff - <(printf 'http://h/\nhttp://h/\n')
  [[ $(<told) == "dedupe: no line has a field that --key names: nothing was compared" ]]
  printf 'http://h/\tdigest=1\noutcome=ok\n' | dedupe --key=digest 2>told >/dev/null
  [[ ! -s told ]]
  dedupe --key=digest </dev/null 2>told
  [[ ! -s told ]]
  # Settled records do not count: a crawl whose URLs were all refused by new rules used to be warned.
  printf 'http://h/\tdepth=3\toutcome=blocked-by-policy\n' | dedupe --key=depth 2>told >/dev/null
  [[ ! -s told ]]
}
