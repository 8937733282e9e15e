#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# url-normalize as seen from the shell.
load helper

@test "a line with nothing in it is no bad URL: left out, or kept in its place" {
  run -1 --separate-stderr url-normalize < <(printf 'HTTP://a/\n\nx y\n')
  [[ $output == http://a/ && $stderr == 'url-normalize: -:3: '* && $stderr != *$'\n'* ]]
  run -0 url-normalize --on-error=keep < <(printf 'HTTP://a/\n\nHTTP://b/\n')
  [[ $output == $'http://a/\n\nhttp://b/' ]]
  # with a base it is a reference to the base
  run -0 url-normalize --base=http://b/c < <(printf 'HTTP://a/\n\n')
  [[ $output == $'http://a/\nhttp://b/c' ]]
}

# normalize INPUT [OPTION]...: runs url-normalize with INPUT (with escapes of printf %b) on standard
# input.
normalize() {
  local input=$1
  shift
  run --separate-stderr bash -c 'printf %b "$1" | { shift; url-normalize "$@"; }' - "$input" "$@"
}

@test "the default profile: what no server could tell apart, and no fragment" {
  normalize 'HTTP://EXAMPLE.com:80/a/../%7eb%3a?x#f\n'
  expect 0 'http://example.com/~b%3A?x'
}

@test "--profile whatwg is the standard's href" {
  normalize 'HTTP://EXAMPLE.com:80/a/../%7eb?x#f\n' --profile whatwg
  expect 0 'http://example.com/%7eb?x#f'
}

@test "profiles, on one URL" {
  url='HTTP://u:p@www.EXAMPLE.co.uk:80/A//../%7eb;jsessionid=1/index.html?x=2&utm_source=2&b#f\n'
  normalize "$url" -p whatwg
  expect 0 'http://u:p@www.example.co.uk/A/%7eb;jsessionid=1/index.html?x=2&utm_source=2&b#f'
  normalize "$url" -p safe
  expect 0 'http://u:p@www.example.co.uk/A/~b;jsessionid=1/index.html?x=2&utm_source=2&b'
  normalize "$url" -p crawl
  expect 0 'http://www.example.co.uk/A/~b/index.html?x=2&b'
  normalize "$url" -p aggressive
  expect 0 'https://example.co.uk/A/~b?b&x=2'
  normalize "$url" -p roboto
  expect 0 'http://u:p@www.example.co.uk/A/~b;jsessionid=1'
  normalize "$url" -p surt
  expect 0 'uk,co,example)/a/~b/index.html?b&x=2'
}

@test "a fragment is kept with --keep-fragment, in every profile" {
  for profile in whatwg safe crawl aggressive; do
    normalize 'https://h/#a b\n' --keep-fragment -p $profile
    expect 0 'https://h/#a%20b'
  done
}

@test "relative URLs: --base, and the field via before it" {
  normalize '../c?d\n?e\n//g/x\nhttps://abs/\n' --base http://h/a/b/
  expect 0 'http://h/a/c?d' 'http://h/a/b/?e' 'http://g/x' 'https://abs/'
  normalize 'c\tvia=http://page/x/y\tdepth=2\nc\n' --base http://h/a/
  expect 0 $'http://page/x/c\tvia=http://page/x/y\tdepth=2' 'http://h/a/c'
  normalize 'c\tpage=http://page/x/y\tvia=http://no/\n' --base-field page
  expect 0 $'http://page/x/c\tpage=http://page/x/y\tvia=http://no/'
}

@test "without a base a relative URL is reported, with its line and a reason" {
  normalize 'http://h/\nc\nhttp://i/\n'
  expect 1 'http://h/' 'http://i/'
  [ "$stderr" = 'url-normalize: -:2: a relative URL without a base at byte 0: "c"' ]
}

@test "a base that is no URL is a usage error" {
  run -2 url-normalize --base nowhere </dev/null
  [[ $output == *'--base: a relative URL without a base: "nowhere"'* ]]
}

@test "every reason names what is wrong, and where" {
  normalize 'http://h:65536/\nhttp://h:8o/\nhttp://a b/\nhttp:///\nhttp://u@/\nhttp://[::1/\n'
  expect 1
  [[ ${stderr_lines[0]} == *'-:1: port 65536 is out of range at byte 9:'* ]]
  [[ ${stderr_lines[1]} == *'-:2: port has "o", which is not a digit at byte 10:'* ]]
  [[ ${stderr_lines[2]} == *'-:3: " " is not allowed in a domain at byte 8:'* ]]
  [[ ${stderr_lines[3]} == *'-:4: the host is empty at byte 8:'* ]]
  [[ ${stderr_lines[4]} == *"-:5: no host follows the '@' at byte 9:"* ]]
  [[ ${stderr_lines[5]} == *'-:6: IPv6 address has no closing bracket at byte 7:'* ]]
}

@test "--on-error: drop, keep, mark, stop" {
  input='http://h/\nnope\tx=1\nhttp://i/\n'
  normalize "$input" --on-error drop
  expect 1 'http://h/' 'http://i/'
  normalize "$input" --on-error keep
  expect 1 'http://h/' $'nope\tx=1' 'http://i/'
  normalize "$input" --on-error mark
  expect 1 'http://h/' $'nope\tx=1\terror=a relative URL without a base at byte 0' 'http://i/'
  normalize "$input" --on-error stop
  expect 1 'http://h/'
  normalize "$input" --strict
  expect 1 'http://h/'
}

@test "a settled record passes untouched, whatever its URL" {
  normalize 'HTTP://H/#x\tstatus=200\toutcome=ok\nnot a url\toutcome=ok\n' -p aggressive
  expect 0 $'HTTP://H/#x\tstatus=200\toutcome=ok' $'not a url\toutcome=ok'
}

@test "unknown fields and columns pass byte for byte" {
  normalize 'HTTP://H/\tno key\tx=a\\\\tb\t\tX=\n'
  expect 0 $'http://h/\tno key\tx=a\\\\tb\t\tX='
}

@test "--get: parts of the canonical URL" {
  normalize 'https://u:p@www.example.co.uk/a/b?id=7&q=a+b%26#f\n' \
    --keep-fragment --get '{scheme}|{user}|{password}|{host}|{domain}|{port}|{origin}|{path}|{query}|{fragment}'
  expect 0 'https|u|p|www.example.co.uk|example.co.uk|443|https://www.example.co.uk|/a/b|id=7&q=a+b%26|f'
  normalize 'https://h:8443/?id=7&q=a+b%26\n' --get '{{{query:q}}} {query:none}.{port} {surt}'
  expect 0 '{a b&} .8443 h:8443)/?id=7&q=a+b%26'
}

@test "--get keeps a line one line" {
  normalize 'https://h/?a=1%0A2%092\n' --get '{query:a}\t{host}'
  expect 0 $'1\\n2\\t2\th'
}

@test "--get and --parts write no control raw" {
  normalize 'http://h/?a=%1b[31m%c2%9b%7F%E2%80%AE%ff%C3%A9\n' --get '{query:a}'
  expect 0 '%1B[31m%C2%9B%7F%E2%80%AE%FFé'
}

@test "--parts takes all parts but query:NAME, and says so" {
  run -2 url-normalize --parts=query:a </dev/null
  [[ $output == *'--parts: "query:a" is for --get alone'* ]]
  run -2 url-normalize --parts=host,hots </dev/null
  [[ $output == *'--parts: no part is called "hots": did you mean host? There are url scheme user password host host:unicode domain'* ]]
}

@test "--get knows its parts" {
  run -2 url-normalize --get '{hots}' </dev/null
  [[ $output == *'no part is called "hots": did you mean host? There are url scheme'* ]]
}

@test "--parts adds fields, for --fields and --json too" {
  normalize 'HTTP://www.example.org/x\n' --parts host,domain
  expect 0 $'http://www.example.org/x\thost=www.example.org\tdomain=example.org'
  normalize 'HTTP://www.example.org/x\n' --parts host,domain --fields domain,url
  expect 0 $'example.org\thttp://www.example.org/x'
  normalize 'HTTP://www.example.org/x\n' --parts port --json
  expect 0 '{"url":"http://www.example.org/x","port":80}' ||
    expect 0 '{"url":"http://www.example.org/x","port":"80"}'
}

@test "bug: keys was a number in JSON, or a string, by what else the line held" {
  normalize 'http://h/?7\nhttp://h/?7\tx=1\n' --parts=keys --json
  expect 0 '{"url":"http://h/?7","keys":"7"}' '{"url":"http://h/?7","x":"1","keys":"7"}'
  run -0 url-normalize --json-key=u --parts=keys <<<'{"u":"http://h/?7"}'
  [ "$output" = '{"u":"http://h/?7","keys":"7"}' ]
}

# Makes URLs of pieces that parsers, escapes and JSON may stumble over; some are refused.
hostile_urls() {
  LC_ALL=C awk 'BEGIN {
    srand(7)
    schemes = split("http:// HTTPS:// ftp://u:p@ http://u\"@ ws:// file:/// mailto: data:, x-y://:p@ javascript: http:// https://", scheme, " ")
    hosts = split("h.test WWW.Example.CO.UK b\303\274cher.example 0x7f.1 [::1]:8 xn--a.test h.test:80 h.test:65535 a..b 1.2.3 \343\201\202.jp x_y.com.", host, " ")
    pieces = split("/ / ? ? & & = = # . .. %7E %2e %zz %00 %22 \" \\ \\t \\u0041 < > { | 7 007 1.50 -3 null true a b%20c \303\274 \342\200\256 \377 \302\205 \001 \033[31m \177 ; , + : @ x=1 utm_id=1", piece, " ")
    for (n = 0; n < 20000; n++) {
      url = scheme[1 + int(rand() * schemes)] host[1 + int(rand() * hosts)]
      for (k = int(rand() * 12); k > 0; k--) url = url piece[1 + int(rand() * pieces)]
      print url
    } }'
}

@test "parts written at once are those that a record holds: random and hostile URLs, with --json and without" {
  local names form profile
  names=$(sed -n '/kParts\[\] = {/,/};/s/^ *{"\([a-z]*\)",.*/\1/p' "$SPINNERET_ROOT/lib/url/parts.cc" | paste -sd,)
  [[ $names == *,keys,* ]]
  hostile_urls >urls
  sed 's/$/\tzz=1/' urls >columns
  for profile in whatwg crawl; do
    for form in '' --json; do
      # A name that comes twice, or a column beside the URL, takes the slow path, which makes a
      # record.
      url-normalize -p $profile $form --parts="$names" --refused-ok <urls >fast 2>/dev/null
      url-normalize -p $profile $form --parts="$names,host" --refused-ok <urls >slow 2>/dev/null
      cmp fast slow
      url-normalize -p $profile $form --parts="$names" --refused-ok <columns 2>/dev/null |
        LC_ALL=C sed 's/\tzz=1//; s/,"zz":"1"//' >slow
      cmp fast slow
      (($(wc -l <fast) > 8000))
    done
  done
  # Rows of a table, which are no records, compared with a table that has a name twice.
  url-normalize --tsv --parts=host,keys,path,query --refused-ok <columns 2>/dev/null | LC_ALL=C cut -f2- >fast
  url-normalize --tsv --parts=host,keys,path,query,host --refused-ok <columns 2>/dev/null | LC_ALL=C cut -f2-6 >slow
  cmp fast slow
}

@test "parameters: --drop-param, --keep-param, names compared decoded, values never re-encoded" {
  input='http://h/?a%20b=%2f&c=+&%64=2&&e\n'
  normalize "$input" --profile whatwg --drop-param 'a b' --drop-param d
  expect 0 'http://h/?c=+&&e'
  normalize "$input" --profile whatwg --keep-param '[ce]'
  expect 0 'http://h/'
  normalize "$input" --profile whatwg --keep-param 'a*' --keep-param e
  expect 0 'http://h/?a%20b=%2f&e'
}

# This used to take 40 times the line.
@test "sorting millions of parameters takes a few times the line" {
  awk 'BEGIN { printf "http://h/?b"; for (i = 1; i < 2000000; i++) printf "&%c", 97 + i * 7 % 26; print "" }' >long
  /usr/bin/time -f %M -o rss url-normalize -p aggressive long >out
  (($(wc -c <out) == $(wc -c <long) + 1))
  [[ $(head -c 14 out) == 'https://h/?a&a' && $(tail -c 4 out) == 'z&z' ]]
  is_sanitized || (($(tail -n1 rss) < 80000))
}

@test "steps: --with and --without" {
  normalize 'http://www.h.org/a//b/?c=1&b=2\n' --with www,slashes --with sort-query,trailing-slash
  expect 0 'http://h.org/a/b?b=2&c=1'
  normalize 'http://h/?utm_source=x&PHPSESSID=1\n' -p crawl --without session
  expect 0 'http://h/?PHPSESSID=1'
  normalize 'https://h/\n' --with http,port
  expect 0 'http://h:80/'
  run -2 url-normalize --with nothing </dev/null
  [[ $output == *'no step is called "nothing"; --list-steps lists them'* ]]
}

@test "--index sets the names of directory indexes" {
  normalize 'http://h/a/Index.HTML\nhttp://h/home.htm\n' -p whatwg --with index
  expect 0 'http://h/a/' 'http://h/home.htm'
  normalize 'http://h/a/index.html\nhttp://h/home.htm\n' -p whatwg --with index --index home.htm
  expect 0 'http://h/a/index.html' 'http://h/'
}

@test "never decoded: %2F %23 %25 %26 %3D %2B" {
  normalize 'http://h/%2f%23%25%26%3d%2b?%2f%23%25%26%3d%2b\n' -p roboto --without query --with hex-case
  expect 0 'http://h/%2F%23%25%26%3D%2B?%2F%23%25%26%3D%2B'
}

@test "userinfo tricks lead where a browser goes" {
  normalize 'http://good.test;@evil.test/\nhttp://evil.test#@good.test/\nhttp://good.test\\@evil.test/\n' \
    --get '{host}{path}'
  expect 0 'evil.test/' 'evil.test/' 'good.test/@evil.test/'
}

@test "bug: --list-steps and --list-params printed the same with --json, and beside URLs" {
  run -2 url-normalize --list-steps --json
  [[ $output == *'--json is not for it'* ]]
  run -2 url-normalize --list-params http://a/
  [[ $output == *'--list-params reads nothing: without "http://a/"'* ]]
}

@test "--list-steps and --list-params print tables" {
  run -0 url-normalize --list-steps
  [[ $output == *$'fragment\tdrop #fragment\tsafe,crawl,aggressive,roboto,surt,cdx'* ]]
  run -0 url-normalize --list-params
  [[ $output == *$'tracking\tutm_*'* && $output == *$'session\tphpsessid'* ]]
}

@test "URL operands are lines" {
  run --separate-stderr -0 url-normalize HTTP://A/ -- http://B/
  expect 0 'http://a/' 'http://b/'
}

@test "CRLF, a last line without LF, NUL-terminated records" {
  normalize 'http://A/\r\nhttp://B/'
  expect 0 'http://a/' 'http://b/'
  run bash -c "printf 'http://A/\\0http://b/\\n\\0' | url-normalize -z | tr '\\0' '|'"
  [ "$output" = 'http://a/|http://b/|' ]
}

@test "a full disk and a closed output are trouble" {
  run -2 bash -c 'url-normalize http://h/ > /dev/full'
  run -2 bash -c 'url-normalize http://h/ >&-'
}

@test "--field: the URL is a column of a TSV, all else byte for byte" {
  normalize 'id\tHTTP://H/%7e\tx y\tz=\\q\n1\tbad\n2\n' --field 2
  expect 1 $'id\thttp://h/~\tx y\tz=\\q' $'1\tbad' 2
  [[ ${stderr_lines[0]} == *'-:2: a relative URL without a base at byte 0: "bad"' ]]
  [[ ${stderr_lines[1]} == *'-:3: the row has fewer columns: "2"' ]]
  # These lines are no records, so outcome and via mean nothing.
  normalize 'outcome=ok\tHTTP://H/\toutcome=ok\n' --field 2
  expect 0 $'outcome=ok\thttp://h/\toutcome=ok'
}

@test "--json-key: the URL is a string of a JSON object a line, all else byte for byte" {
  normalize '{"id": 1.0, "u":"HTTP:\\/\\/H\\/\\u00e9", "x":{"u":2}}\n{"u":"http:\\/\\/h\\/"}\n{}\n' --json-key u
  expect 0 '{"id": 1.0, "u":"http://h/%C3%A9", "x":{"u":2}}' '{"u":"http:\/\/h\/"}' '{}'
  normalize '{"u":"HTTP://H/a"}\n' --json-key u --get '{host}'
  expect 0 '{"u":"http://h/a","get":"h"}'
  run -2 url-normalize --json-key u --field 1 </dev/null
}

@test "--json-key: a line that is no JSON object behind the value is reported and stays" {
  normalize '{"u":"HTTP://H/"} garbage\n{"u":"HTTP://H/"\n{"u":"HTTP://H/","x":[1,{"u":2}]} \n' --json-key u
  expect 1 '{"u":"HTTP://H/"} garbage' '{"u":"HTTP://H/"' '{"u":"http://h/","x":[1,{"u":2}]} '
  [[ ${stderr_lines[0]} == *'-:1: the line is not a JSON object'* && ${stderr_lines[1]} == *'-:2: '* ]]
}

@test "--explain: no change without a step, no step without a change" {
  python3 - >urls <<'EOF'
import random
random.seed(7)
pieces = ["http", "HTTPS", "file", "foo", "ws", "mailto", ":", ":", "//", "/", "\\", "?", "#", "@", ".", "..", "/../",
          "%2e", "%41", "%7e", "%", " ", "C|", "c:", "H", "h", "0x7f.1", "[::0]", ":80", "a", "é", "www.", "b.org",
          "index.html", "&", "utm_a=1", ";jsessionid=1", "com,b)/", "'", "user:pw@", "localhost"]
for _ in range(4000):
    head = random.choice(pieces[:6]) + "://h" if random.random() < 0.5 else ""
    print(head + "".join(random.choice(pieces) for _ in range(random.randrange(9))))
EOF
  for profile in whatwg safe crawl aggressive roboto surt cdx; do
    url-normalize -p $profile --explain --on-error=keep urls >out 2>/dev/null || true
    python3 - $profile <<'EOF'
import sys
changed = 0
for given, line in zip(open("urls").read().split("\n"), open("out").read().split("\n"), strict=True):
    url, *fields = line.split("\t")
    fields = dict(field.split("=", 1) for field in fields)
    if url == given:
        assert not fields, (sys.argv[1], given, line)
    else:
        assert fields["from"].replace("\\\\", "\\") == given and fields["steps"], (sys.argv[1], given, line)
        changed += 1
assert changed > 500, changed
EOF
  done
}

@test "--explain names --drop-param and --keep-param" {
  normalize 'http://h/?a=1\n' -p whatwg --explain --drop-param a
  expect 0 $'http://h/\tfrom=http://h/?a=1\tsteps=params'
}

@test "--explain names what changed, and where from" {
  normalize 'HTTP://H:80/a/../%7e#f\nhttp://h/\n' --explain
  expect 0 $'http://h/~\tfrom=HTTP://H:80/a/../%7e#f\tsteps=scheme-case,host-case,port,dot-segments,fragment,unreserved' \
    'http://h/'
}

@test "--jobs: same bytes, same messages, in order" {
  local i
  for ((i = 0; i < 3000; i++)); do
    printf 'http://h/%d\nHTTP://H/%d#x\nbad %d\nhttp://h/a\tvia=http://h/\n' "$i" "$i" "$i"
  done >input
  for ((i = 0; i < 40; i++)); do cat input; done >inputs
  printf 'http://last/' >last
  url-normalize inputs https://arg/%7E last missing input >one 2>one.err || true
  for jobs in 2 5; do
    run url-normalize -j $jobs inputs https://arg/%7E last missing input 2>many.err
    [ "$status" -eq 2 ]
    url-normalize -j $jobs inputs https://arg/%7E last missing input >many 2>many.err || true
    cmp one many
    cmp one.err many.err
  done
}

@test "--jobs: a first line comes at once, and a stop does not wait for input" {
  local pid status=0
  mkfifo to
  url-normalize -j 2 <to >out 3>&- &
  pid=$!
  exec 7>to
  echo HTTP://A/ >&7
  soon '[[ -s out ]]'
  exec 7>&-
  wait $pid
  [ "$(<out)" = http://a/ ]
  timeout 100 url-normalize -j 2 --strict <to 2>err 3>&- &
  pid=$!
  exec 7>to
  echo bad >&7
  wait $pid || status=$?
  exec 7>&-
  ((status == 1))
}

@test "--set, --append: the Standard's setters, on each line" {
  normalize 'http://h/a?q#f\thost=x\nhttp://u@h:81/\n' --set scheme=https --set host=B.test:443 --set query= --append path='c d' --keep-fragment
  expect 0 $'https://b.test/a/c%20d#f\thost=x' 'https://u@b.test/c%20d'
  normalize '/x\n' --base http://h/ --append query=a=b --append query=c
  expect 0 'http://h/x?a=b&c'
  normalize 'http://h/%7ea\n' --set user=a@b --get '{user} {path}'
  expect 0 'a%40b /~a'
}

@test "--set: what a URL does not take is refused, and the stream goes on" {
  normalize 'http://h/\nmailto:a@b\nnonsense\nfile:///x\n' --set port=99999
  expect 1
  [[ $stderr == *'it takes no "--set=port=99999"'* && $stderr == *"-:3: "*"without a base"* ]]
  normalize 'mailto:a@b\nhttp://h/\n' --set port=8 --on-error=keep
  expect 1 'mailto:a@b' 'http://h:8/'
  for wrong in --set=prot=8 --set=port --append=port=8 --append=path --iterate=port= '--iterate=x=1 2'; do
    run -2 url-normalize "$wrong" http://h/
    [[ $output == *"takes "* ]]
  done
  run -2 url-normalize --set=port=8 --explain http://h/
}

@test "--iterate makes a line for each value" {
  normalize 'http://h/a\tk=v\nhttp://i/\n' --iterate 'port=80 81' --append path=z
  expect 0 $'http://h/a/z\tk=v' $'http://h:81/a/z\tk=v' 'http://i/z' 'http://i:81/z'
  # In a table each value makes a row; a value that is no URL is reported once and kept once.
  normalize 'id,url\n1,http://h/\n2,\n3,bad\n' --csv --header --iterate 'port=80 81' --iterate 'scheme=ftp ws' --parts=port
  expect 1 id,url,port 1,ftp://h/,21 1,ws://h/,80 1,ftp://h:81/,81 1,ws://h:81/,81 2,, 3,bad,
  [[ $stderr == 'url-normalize: -:4: a relative URL without a base at byte 0: "bad"' ]]
  normalize 'bad\n' --iterate 'port=80 81'
  [[ $stderr == 'url-normalize: -:1: a relative URL without a base at byte 0: "bad"' ]]
  normalize '{"u":"http://h/","n":1}\n' --json-key=u --iterate 'port=80 81'
  expect 0 '{"u":"http://h/","n":1}' '{"u":"http://h:81/","n":1}'
  run -2 url-normalize --iterate 'port=80 81' --csv --field=1 --field=2 http://h/
}

@test "bug: of several --iterate and --params the last one stood for all" {
  normalize 'http://h/\n' --iterate 'port=80 81' --iterate 'host=a b'
  expect 0 'http://a/' 'http://b/' 'http://a:81/' 'http://b:81/'
  printf '$removeparam=gone\n' >one.txt
  printf '{"providers":{"p":{"urlPattern":".*","rules":["left"]}}}' >two.json
  normalize 'http://h/?gone=1&left=2&stays=3\nhttp://h/?stays=1\n' --params=one.txt --params=two.json --explain
  expect 0 $'http://h/?stays=3\tfrom=http://h/?gone=1&left=2&stays=3\tsteps=params-list' 'http://h/?stays=1'
}

@test "--replace: the first parameter of a name, where there is one" {
  normalize 'http://h/?a=1&b=2&a=3#f\nhttp://h/?b\nhttp://h/\nhttp://h/?%61=1&x%zz=%2f\nmailto:x?a=1\n' --keep-fragment --replace 'a=x y&z' --append query=q
  expect 0 'http://h/?a=x%20y&z&b=2&q#f' 'http://h/?b&q' 'http://h/?q' 'http://h/?a=x%20y&z&x%zz=%2F&q' 'mailto:x?a=x%20y&z&q'
  normalize 'id,url\n1,http://h/?p=1\n2,\n' --csv --header --field=url --replace p=2
  expect 0 'id,url' '1,http://h/?p=2' '2,'
  run -2 url-normalize --replace==5 http://h/
}

@test "--set in a table changes its cell" {
  normalize 'id,url\n1,http://h/a\n2,\n' --csv --header --field=url --set scheme=https
  expect 0 'id,url' '1,https://h/a' '2,'
}

@test "--default-scheme takes bare hosts, and is named where it is missing" {
  normalize 'example.org/a\nlocalhost:8080\n//h.test/x\nh.test:81?q\n[::1]:8/\nmailto:1\nhttp://i/\n  b\303\274cher.test \n' --default-scheme=https
  expect 0 https://example.org/a https://localhost:8080/ https://h.test/x 'https://h.test:81/?q' 'https://[::1]:8/' mailto:1 http://i/ \
    https://xn--bcher-kva.test/
  normalize 'example.org/a\n/x\n'
  expect 1
  [[ $stderr == *"-:1: a relative URL without a base (--default-scheme=https takes bare hosts) at byte 0"* && $stderr == *"-:2: a relative URL without a base at byte 0"* ]]
  normalize 'x/y\n' --default-scheme=https --base http://h/a/
  expect 0 http://h/a/x/y
  normalize 'h.test\n' --default-scheme=http --set port=8 --get '{url}'
  expect 0 http://h.test:8/
  run -2 url-normalize --default-scheme='a b' h
  echo i.test >h.test
  run -0 url-normalize --default-scheme=https h.test j.test
  [[ $output == $'https://i.test/\nhttps://j.test/' ]]
}

@test "{suffix} and {subdomain} by the public suffix list" {
  normalize 'http://a.b.example.co.uk/\nhttp://co.uk/\nhttp://example.com/\nhttp://192.0.2.1/\nhttp://x/\n' \
    --get '{subdomain}|{domain}|{suffix}'
  expect 0 'a.b|example.co.uk|co.uk' '|co.uk|co.uk' '|example.com|com' '|192.0.2.1|' '|x|x'
}

@test "--from-parts: JSON of parts leads back to the URL" {
  local parts=scheme,user,password,host,port,path,query,fragment
  cat >urls <<'EOF2'
http://u:p%40@example.org:8080/a%2Fb/%3F;x?q=%23&a=b#f%20
https://xn--bcher-kva.example/
ftp://h.test/
file:///C:/a
file://server/share
foo://h:7/p?q
foo:opaque%20path?q
mailto:a@b.test
http://[::1]:81/?a
ws://h.test/%E4%BD%A0
EOF2
  run -0 bash -c "url-normalize -p whatwg --json --parts=$parts urls | url-normalize -p whatwg --from-parts"
  diff <(printf '%s\n' "$output") urls
  # The same without the URL itself.
  run -0 bash -c "url-normalize -p whatwg --json --parts=$parts urls | sed 's/\"url\":\"[^\"]*\",//' | url-normalize -p whatwg --from-parts"
  diff <(printf '%s\n' "$output") urls
  normalize '{"url":"http://h/a?b","host":"i","path":"/x?y#z","query":null,"port":"81"}\n{"scheme":"https","host":"B\\u00fccher.test","n":[1,{}]}\n' --from-parts
  expect 0 'http://i:81/x%3Fy%23z?b' https://xn--bcher-kva.test/
  normalize '{"host":"h"}\n[]\n{"url":"http://h/","port":99999}\n{"url":"http://h/","host":["a"]}\n{"url":"/a"}\n{"scheme":"http"}\n{"url":"http://\xff/"}\nnot\n' --from-parts
  ((status == 1)) && [[ -z $output ]]
  for reason in 'neither a url nor a scheme' 'not a JSON object' 'takes no port' 'host is not a string' 'a relative URL' '-:8:'; do
    [[ $stderr == *"$reason"* ]] || { echo "$reason: $stderr"; false; }
  done
  run -2 url-normalize --from-parts --csv urls
}

@test "bug: --from-parts heard no --base, and options that have nothing to do were silent" {
  normalize '{"url":"../x?y","port":81}\n{"scheme":"http","host":"i"}\n' --from-parts --base=http://h/a/b/c
  expect 0 'http://h:81/a/x?y' http://i/
  echo http://h/a >in
  local words
  for words in '--get={host} --json' '--get={host} --fields=url' '--get={host} --parts=path' '--from-parts --lint' '--from-key --lint' \
    '--from-parts --default-scheme=http' '--from-key --default-scheme=http' '--from-parts --base-field=via' --index=a.html; do
    run -2 --separate-stderr url-normalize $words in
    [[ -z $output && $stderr == *--* ]] || { echo "$words: $output $stderr"; return 1; }
    # The message names the option that has no effect.
    words=${words##* }
    [[ $stderr == *"${words%%=*}"* ]]
  done
  # In a table the value is one more column.
  printf 'url\nHTTP://H/a\n' >in.csv
  run -0 url-normalize --csv --header --get='{path}' --parts=host in.csv
  [ "$output" = $'url,host,get\nhttp://h/a,h,/a' ]
}

@test "bug: --get --on-error=keep printed a bad line raw, as if it were columns" {
  normalize 'bad\tx=1\nhttp://h.test/a\n' -g '{host}\t<{path}>' --on-error=keep
  expect 1 $'\t<>' $'h.test\t</a>'
}

@test "bug: an unknown option had no near one, and a host that is no file no hint" {
  run -2 url-normalize --colum=2
  [[ $output != *'did you mean'* ]]
  for wrong in --profil=safe=profile --expain=explain --drop-parm=x=drop-param --lin=lint; do
    run -2 url-normalize "${wrong%=*}"
    [[ $output == *"unknown option \"${wrong%=*}\": did you mean --${wrong##*=}?"* ]] || { echo "$output"; false; }
  done
  run -2 url-normalize example.org/a
  [[ $output == *"No such file or directory (a URL begins with its scheme: https://example.org/a)"* ]]
  for wrong in localhost:8080/a 127.0.0.1:8080; do
    run -2 url-normalize "$wrong"
    [[ $output == *"(a URL begins with its scheme: http://$wrong)"* ]] || { echo "$output"; false; }
  done
  for wrong in file.txt file.txt:12 :80 a:b/c notes localhost:; do
    run -2 url-normalize "$wrong"
    [[ $output != *scheme* ]] || { echo "$output"; false; }
  done
}

@test "--psl goes by a list of one's own" {
  printf '// ===BEGIN ICANN DOMAINS===\ntest\nshop.test\n// ===END ICANN DOMAINS===\n' >list
  normalize 'http://www.a.shop.test/\n' --psl list --get '{domain} {suffix}'
  expect 0 'a.shop.test shop.test'
  run -1 url-filter --psl=list --same-domain --seed=http://a.shop.test/ <<<$'http://x.a.shop.test/\nhttp://b.shop.test/'
  [[ $output == http://x.a.shop.test/ ]]
  : >empty
  for wrong in nosuch empty; do
    run -2 url-normalize --psl=$wrong --get '{domain}' http://h/
    [[ $output == *"--psl: "*"$wrong"* ]]
  done
}

@test "-p cdx: keys of CDX indexes, their forms, and back" {
  normalize 'https://u:p@WWW2.Example.com:443/A//b/?Y=2&x=1#f\nhttp://192.0.2.1:81/\nhttp://[::1]/x/\nmailto:A@b\nftp://h/%2561\n' -p cdx
  expect 0 'com,example)/a/b?x=1&y=2' '1,2,0,192:81)/' '[::1])/x' mailto:A@b 'h)/a'
  normalize 'http://www.h.test:8/\nhttp://192.0.2.1/\n' -p cdx --cdx-form=scheme,comma,www,address
  expect 0 'http://(test,h,www:8,)/' 'http://(192.0.2.1)/'
  normalize 'test,h)/a?b\nhttps://(test,h,)/\n1,2,0,192)/\nhttp://x/\n' --from-key
  expect 0 'http://h.test/a?b' https://h.test/ http://192.0.2.1/ http://x/
  normalize 'http://h.test/A?B\n' -g '{cdx} {surt}'
  expect 0 'test,h)/a?b test,h)/A?B'
  run -2 url-normalize -p cdx --cdx-form=port http://h/
  [[ $output == *'--cdx-form takes scheme, comma, www, address, not "port"'* ]]
  run -2 url-normalize --cdx-form=www http://h/
}

@test "steps lower-query, empty-params, dedupe-params; ?a&&b and ?a&b are one key" {
  normalize 'http://h/?A=%C3%A9&&b=1&b=1&=&b=2\nhttp://h/?&&\n' -p whatwg --with lower-query,empty-params,dedupe-params
  expect 0 'http://h/?a=%C3%A9&b=1&b=2' http://h/
  normalize 'http://h/?a&&b\nhttp://h/?a&b\n' -p aggressive
  expect 0 'https://h/?a&b' 'https://h/?a&b'
}

@test "--lint names the Standard's validation errors and their bytes" {
  normalize 'http://u@h/a b\tx=1\nhttp://h/|\nhttp://h/\n HTTP://h/\n' --lint
  expect 0 $'http://u@h/a%20b\tx=1\tfrom=http://u@h/a b\tlint=invalid-credentials@8,invalid-URL-unit@12' \
    $'http://h/|\tlint=invalid-URL-unit@9' http://h/ $'http://h/\tfrom= HTTP://h/\tlint=invalid-URL-unit@0'
  normalize 'http://h:99999/\n' --lint --on-error=mark
  expect 1 $'http://h:99999/\terror=port 99999 is out of range at byte 9 (port-out-of-range)\tlint=port-out-of-range@9'
  normalize 'id,url\n1,http://h/{}\n2,http://h/\n' --csv --header --field=url --lint
  expect 0 id,url,from,lint '1,http://h/%7B%7D,http://h/{},"invalid-URL-unit@9,invalid-URL-unit@10"' 2,http://h/,,
  normalize '../a b\n' --lint --base http://h/x/ --fields url,lint
  expect 0 $'http://h/a%20b\tinvalid-URL-unit@4'
  run -2 url-normalize --lint --get '{host}' http://h/
  [[ $output == *"--get prints its parts and nothing else"* ]]
}

@test "--params: lists of ClearURLs and AdGuard, and what they cannot do is told" {
  cat >list.json <<'END'
{"providers": {"all": {"urlPattern": ".*", "rules": ["utm_[a-z]+", "(?<=x)a"], "exceptions": ["^http://keep\\."]},
 "shop": {"urlPattern": "^https?://(?:[a-z0-9-]+\\.)*shop\\.test", "rules": ["pf_[a-z]*"], "rawRules": ["/ref=[^/?]*"]}}}
END
  local urls='http://h.test/?UTM_x=1&A=%7e\nhttp://keep.test/?utm_x=1\nhttps://a.shop.test/b/ref=1?pf_a=2\nhttp://h.test/\n'
  normalize "$urls" --params=list.json
  expect 0 'http://h.test/?A=~' 'http://keep.test/?utm_x=1' 'https://a.shop.test/b' 'http://h.test/'
  [[ $stderr == *'list.json: providers."all".rules "(?<=x)a" is left out: invalid perl operator: (?<'* ]]
  # The same in each way of writing, and with threads.
  normalize "$urls" --params=list.json --explain --fields url,steps
  [[ ${lines[0]} == $'http://h.test/?A=~\tunreserved,params-list' && ${lines[2]} == $'https://a.shop.test/b\tparams-list' ]]
  normalize "$urls" --params=list.json -p surt -j 2
  expect 0 'test,h)/?A=~' 'test,keep)/' 'test,shop,a)/b' 'test,h)/'
  normalize "$urls" --params=list.json --get='{query}|'
  expect 0 'A=~|' 'utm_x=1|' '|' '|'
  printf '! x\n$removeparam=gclid\n$removeparam=y,script\n' >list.txt
  # Without the list a scan would pass these lines as canonical.
  normalize 'http://h.test/a\nhttp://h.test/a?gclid=1\nhttp://h.test/a?b=1&gclid\n' -p crawl --without tracking --params=list.txt
  expect 0 'http://h.test/a' 'http://h.test/a' 'http://h.test/a?b=1'
  [[ $stderr == *'list.txt:3: "$removeparam=y,script" is left out: a crawler knows nothing of the option "script"'* ]]
}

@test "--params: what is no list is refused" {
  printf '{"providers": {' >cut.json
  printf '||ads.test^\n' >ads.txt
  local file
  for file in cut.json ads.txt /dev/null none . ; do
    normalize 'http://h.test/\n' --params="$file"
    expect 2 ''
    [[ $stderr == *'--params: '*"$file"* ]] || { echo "$stderr"; false; }
  done
}

@test "bug: a byte order mark cost the first URL of a file" {
  printf '\xEF\xBB\xBFhttp://H/a\nhttp://H/b\n' >marked
  printf '\xEF\xBB\xBFdeny-path ^/a\n' >policy
  normalize '' marked
  expect 0 http://h/a http://h/b
  [[ -z $stderr ]]
  run -0 url-filter --policy=policy --refused-ok marked
  [[ $output == http://H/b ]]
}

@test "bug: nothing said that --drop-param and --keep-param tell letters apart by case" {
  normalize 'http://h/?utm_x=1&UTM_y=2&b\n' --drop-param='UTM_*'
  expect 0 'http://h/?utm_x=1&b'
  normalize 'http://h/?id=1&ID=2\n' --keep-param=ID
  expect 0 'http://h/?ID=2'
  normalize 'http://h/?UTM_y=2&b\n' -p crawl
  expect 0 'http://h/?b'
  grep -q '^Letter case counts' "$SPINNERET_ROOT/man/url-normalize.1"
}

@test "bug: domains that are public suffixes today were none, and no list could say so" {
  printf 'com\nazurefd.net\n' >list
  normalize 'http://a.x.azurefd.net/\n' --psl=list --get='{domain}'
  expect 0 x.azurefd.net
  run -0 url-filter --refused-ok --psl=list --same-domain --seed=http://x.azurefd.net/ \
    http://a.x.azurefd.net/ http://y.azurefd.net/
  [[ $output == http://a.x.azurefd.net/ ]]
  printf 'http://a.x.azurefd.net/\nhttp://b.x.azurefd.net/\nhttp://y.azurefd.net/\n' >urls
  run -0 --separate-stderr url-filter --refused-ok --psl=list -e 'budget domain 1' urls
  [[ $output == $'http://a.x.azurefd.net/\nhttp://y.azurefd.net/' ]]
}

@test "bug: a list of suffixes with a rule of nothing crashed" {
  printf 'test\n!\n*.\n*\n.\n! \nshop.test' >list
  normalize 'http://www.a.shop.test/\n' --psl list --get '{domain} {suffix}'
  expect 0 'a.shop.test shop.test'
}

@test "bug: --from-parts took a path for a host, and a host for a path" {
  normalize '{"scheme":"http://evil/x","host":"h"}\n{"scheme":"http","host":"h/x?y"}\n{"scheme":"http","path":"evil/x"}\n{"scheme":"foo","path":"//evil/x"}\n' --from-parts
  expect 1 foo:/.//evil/x
  [[ $stderr == *'-:1: its scheme and host'*'-:2: '*'-:3: '* ]]
}
