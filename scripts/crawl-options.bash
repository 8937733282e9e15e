# SPDX-License-Identifier: Apache-2.0
# The options of scripts/crawl, which sources this file: one table says which there are, to whom
# they go and what they mean; --help, completions and parsing come from it. parse_options() fills
# given[NAME], the array of each stage's words, words (all of them again, for a second call) and
# seeds.
# shellcheck shell=bash disable=SC2034,SC2154  # what is said here is read there, and the other way round

# NAME[=VALUE], where it goes, and its --help. STAGE: unchanged to that stage; STAGE:OPTION: under
# another name; `-`: to this script. The first part is what --help shows without =all.
options=(
  '--state=DIR            -            where the crawl is kept, to be resumed (./crawl-state)'
  '--agent=NAME           -            product token of the crawler, as robots.txt names it'
  '--contact=ADDRESS      -            mail address or URL of whoever runs it'
  '--scope=SCOPE          -            origin, host (www. or not), domain, under or any'
  '--include=RE           filter       follow only links that match (repeatable)'
  '--exclude=RE           filter       fetch no URL that matches'
  '--policy=FILE          filter       crawl policy: see man spinneret-policy'
  '--only=LIST            extract      kinds of links to follow (page)'
  '--delay=TIME           sched,fetch:again-after  least time between two requests to a host (1s)'
  '--per-host=N           sched,fetch  connections to one host at once (1)'
  '--in-flight=N          sched,fetch  URLs to fetch at once (64)'
  '--max-pages=N          sched        stop after this many pages'
  '--max-host-pages=N     sched        fetch at most N pages of one host'
  '--max-bytes=SIZE       sched        stop after SIZE bytes of content'
  '--max-time=TIME        sched        stop after TIME'
  '--max-depth=N          filter       links to follow from a seed, redirects included'
  '--recrawl=TIME         sched        revisit after 4w, adaptive:1d..90d, best:5000/d'
  '--sitemaps             -            read the sitemaps of robots.txt, and /sitemap.xml'
  '--store=DIR            -            keep bodies: see fetch --store, --list and --cat'
  '--warc=FILE            -            keep requests and responses as WARC'
  '--allow-private        fetch        also fetch private and loopback addresses'
  '--ignore-robots        -            do not ask robots.txt: only on sites that are yours'
  '--check-links          -            find dead links: see man crawl; they are printed'
  '--config=FILE          -            options, one a line'
  '--retry-failed         -            give URLs and hosts that failed another chance'
  '--add                  -            give the URLs to the crawl that runs on --state'
  '--dry-run              -            show what would be fetched first, and why'
  '--why=URL              -            say what each stage makes of URL'
  '--report[=FILE]        -            without URL: write the report of --state now'
  '--live[=PORT]          -            show the crawl of --state as it runs, in a browser'
  '--demo                 -            crawl a small site served by this command'
  '-h, --help             -            print this help; --help=all: every option'
  ''
  '--retry-blocked        -            judge anew what robots.txt or policy refused'
  '--retry-outcome=LIST   -            ask again for these outcomes: too-large,forbidden'
  '--diff=OLD             -            what changed between two states: --diff OLD NEW'
  '--except=LIST          extract      kinds of links not to follow: rel=ugc, a@href'
  '--follow-nofollow      -            also links that say rel=nofollow or noindex'
  '--profile=NAME         normalize    safe; crawl strips tracking, see url-normalize'
  '--params=FILE          normalize    strip parameters on a list of ClearURLs or AdGuard'
  '--psl=FILE             sched,filter,normalize  public suffix list to use, for domains'
  '--requisites           extract      also what pages show: images, styles, scripts'
  '--content-seen         -            mark and leave alone pages of known content'
  '--types=LIST           fetch        fetch bodies of these types: text/html,text/*'
  '--max-size=SIZE        fetch        largest page, decoded (10M)'
  '--timeout=TIME         fetch        give a URL up after so long (60)'
  '--header=LINE          fetch        send this header field too'
  '--cookies=FILE         fetch        keep cookies, in FILE'
  '--auth=FILE            fetch        credentials by origin'
  '--wacz                 fetch        pack the files of --warc as one, for replay tools'
  '--proxy=URL            fetch        go through this proxy'
  '--insecure             fetch        do not verify certificates'
  '--allow=CIDR           fetch        also fetch addresses of this range'
  '--refuse=LIST          robots       leave pages alone that refuse a use: train-ai'
  '--deny-status=LIST     robots       4xx of robots.txt that forbid all: 401,403'
  '--robots-mode=MODE     robots:mode  rfc, google or 1994'
  '--order=ORDER          sched        which go first: breadth, inlinks, opic (priority)'
  '--tries=N              sched        try a URL that fails this often (3)'
  '--retry-delay=TIME     sched        wait before the second try; then double it (30s)'
  '--patience=N           sched        give a host up after N requests unanswered (5)'
  '--throttle=N/TIME      sched        at most N requests to a host in TIME'
  '--hours=FROM-TO        sched        hours of the day to crawl in: 22:00-06:00'
  '--continuous           sched        go on with what falls due; never end'
  '--metrics=FILE         sched        keep statistics for Prometheus'
  '--checkpoint-every=TIME  sched      copy the state every TIME, into DIR/checkpoint'
  '--links=FILE           extract:edges  append links: via, url, tag, rel, text'
  '--items=RULES          items:rules  find items by the rules of extract-items'
  '--items-to=FILE        items        append the items to FILE'
  '--text-to=FILE         text         append the text of pages to FILE'
  '--rejected=FILE        sched        append links that the policy refuses, and why'
  '--fail-on=LIST         check        with --check-links: what fails (dead,dead-fragment)'
  '--format=FORM          check        text, records, junit, sarif, github or gitlab'
  '--ignore=FILE          check        targets to leave out (.linkignore)'
  '--baseline=FILE        check        leave out findings of an earlier run (records)'
  '--cache=FILE           check        keep what was ok outside the site from run to run'
  '--max-age=TIME         check        use what --cache knows for so long (7d)'
  '--json                 sched        print page records as JSON Lines'
  '-q, --quiet            sched        no progress on standard error'
  '--cluster=URL          -            crawl with other machines: redis://HOST/NAME'
  '--partitions=P         -            number of partitions of that crawl (16)'
  '--partition-lease=TIME  -           keep a partition so long without renewal (10s)'
  '--node=NAME            -            the name of this machine (its host name)'
  '--copies=WHERE         sched        put copies of states there, in case a disk dies'
  '--status               -            with --cluster: print who has which partition'
  '--check                -            with --cluster: say whether the engine is reliable'
  '--drain=NODE           -            with --cluster: have that machine leave'
  '--pin=PART=NODE        -            with --cluster: give that part to that machine'
  '--begin-anew=PART      -            with --cluster: begin that part with a new state'
  '--hosts                sched        print every host of --state'
  '--list                 sched        print every URL of --state'
  '--show=URL             sched        print all that --state knows of URL'
  '--completions=SHELL    -            print a completion script: bash, zsh or fish'
  '-V, --version          -            print the version'
)
# Stages, in the order of the loop. --STAGE:OPTION[=VALUE] reaches any option of theirs.
stages=(sched filter robots fetch content items text extract dedupe normalize check)
declare -A tool_of=(
  [sched]=politeness-sched [filter]=url-filter [robots]=robots-check [fetch]=fetch [content]=dedupe [items]=extract-items
  [text]=extract-text [extract]=extract-links [dedupe]=dedupe [normalize]=url-normalize [check]=link-check
)
sched=() filter=() robots=() fetch=() content=() items=() text=() extract=() dedupe=() check=()
# User names in URLs are sent to nobody: with them a page would count once for each name.
normalize=(--with=userinfo)

declare -A kind=() where=() given=() plain=()
# Stages with options whose values only they can judge; fetch also judges a file of trust anchors.
declare -A unchecked=([fetch]=${SSL_CERT_FILE-})
words=() seeds=()
typed=()  # names of the options on the command line itself, not in a file of options
place=''  # FILE:LINE: of the file of options being read, for messages

read_table() {
  local row name
  for row in "${options[@]}"; do
    row=${row#-?, } name=${row%%[ =[]*}
    [[ -n $row ]] || continue
    case ${row%% *} in
      *'['*) kind[$name]=maybe ;;
      *=N) kind[$name]=value plain[$name]='^[1-9][0-9]{0,3}$' ;;
      *=TIME) kind[$name]=value plain[$name]='^[1-9][0-9]{0,4}(ms|s|m|h)$' ;;
      *=*) kind[$name]=value ;;
      *) kind[$name]=flag ;;
    esac
    row=${row#* } row=${row#"${row%%[! ]*}"} where[$name]=${row%% *}
  done
  kind[--help]=maybe
}

usage() {
  local row name short
  printf 'Usage: %scrawl [OPTION]... [URL|FILE]...\n' "$prefix"
  printf 'Crawl from the URLs given, or go on where the last run stopped.  Page records go\nto stdout, progress to stderr.\n\n'
  for row in "${options[@]}"; do
    [[ -n $row || $1 == all ]] || break
    [[ -n $row ]] || continue
    short=''
    if [[ $row == -?,* ]]; then short=${row%% *}' ' row=${row#* }; fi
    name=${row%% *} row=${row#"${row%% *}"}
    row=${row#"${row%%[! ]*}"} row=${row#* }
    printf '  %-24s%s\n' "$short$name" "${row#"${row%%[! ]*}"}"
  done
  printf '  --STAGE:OPTION[=VALUE]  any option of a stage:\n%4s%s\n' '' "${stages[*]}"
  printf '\nExample: %scrawl --agent=examplebot --contact=me@example.org https://example.org/\n' "$prefix"
  printf 'Stop with Ctrl-C; the same command goes on from there.  See man %scrawl.\n' "$prefix"
  printf 'Exit status: 0 done, 1 seed refused, 2 trouble, 3 hosts given up, 5 lease lost.\n'
}

# Prints the word on standard input that is nearest, if at most every other letter is wrong.
nearest() {
  LC_ALL=C awk -v word="$1" 'function least(a, b) { return a < b ? a : b } {
    n = length($0); for (j = 0; j <= n; j++) row[j] = j
    for (i = 1; i <= length(word); i++) { corner = row[0]; row[0] = i
      for (j = 1; j <= n; j++) { above = row[j]
        row[j] = least(corner + (substr(word, i, 1) != substr($0, j, 1)), 1 + least(above, row[j - 1])); corner = above } }
    if (best == "" || row[n] < best || row[n] == best && index($0, word) == 1) { best = row[n]; found = $0 }
  } END { if (best * 2 <= length(word) - 2) print found }'
}
# Prints the stages that take this option, as --STAGE:OPTION; their own messages name no stage.
of_stages() {
  local stage help path=${SPINNERET_BIN:-$root/build/bin}:$here:$PATH
  for stage in "${stages[@]}"; do
    help=$(PATH=$path "$prefix${tool_of[$stage]}" --help=all 2>/dev/null) || continue
    if grep -qE "^ +(-., )?$1([= ]|\$)" <<<"$help" && (hand_to_stage "--$stage:${1#--}") 2>/dev/null; then
      printf '%s\n' "--$stage:${1#--}"
    fi
  done | paste -sd, - | sed 's/,/ or /g'
}

# Names that other crawlers use come before names that are spelt alike.
unknown() {
  local meant
  case $1 in
    --depth | --level | -l | -d) meant="links to follow are bounded by --max-depth=N" ;;
    -r | --recursive | -m | --mirror) meant="a site is crawled without it; --store=DIR or --warc=FILE keep what comes" ;;
    -o | -O | --output*) meant="records go to standard output (> pages), bodies into --store=DIR" ;;
    -c | --resume | --continue) meant="the same command goes on where it stopped" ;;
    --limit | -n) meant="pages are bounded by --max-pages=N" ;;
    --csv) meant="crawl ... | ${prefix}records --csv --fields=url,status" ;;
    -j | --concurrency | --parallel | --threads) meant="how many at once is --in-flight=N, of one host --per-host=N" ;;
    -U | -A | --useragent) meant="the crawler is named by --agent=NAME" ;;
    *)
      meant=''
      [[ ! $1 =~ ^--[a-z0-9-]+$ ]] || meant=$(of_stages "$1")
      [[ -n $meant ]] || meant=$(printf '%s\n' "${!kind[@]}" | sort | nearest "$1")
      meant=${meant:+did you mean $meant?} ;;
  esac
  die "unknown option $(printf %q "$1")${meant:+: $meant}; see ${prefix}crawl --help"
}

# Takes --STAGE:OPTION[=VALUE]. Options that would take away the loop's records are refused: stages
# must not change those.
hand_to_stage() {
  local name=${1%%=*}
  local stage=${name%%:*} option=${name#*:}
  [[ " ${stages[*]} " == *" ${stage#--} "* && -n $option ]] ||
    die "there is no stage in $(printf %q "$name"): --STAGE:OPTION takes ${stages[*]}"
  stage=${stage#--}
  case $option in
    help | version | completions | null | fields | json | strict | state | gate | learn | cache | raw | count | explain | \
      csv | tsv | json-key | on-error | invert) option='' ;;
    # header is accepted for a request, field for an item.
    header) [[ $stage == fetch ]] || option='' ;;
    field) [[ $stage == items ]] || option='' ;;
    base) [[ $stage == check ]] || option='' ;;
  esac
  # Options that turn a stage into another program are refused; so are those that wait for the end
  # of the input, which never comes.
  case $stage:$option in
    *:unique | dedupe:later | dedupe:cluster | dedupe:keep | dedupe:key | dedupe:whole-line | dedupe:mark | dedupe:drop | dedupe:paragraphs | \
      dedupe:signature | content:drop | content:cluster | content:keep | content:signature | \
      sched:hosts | sched:list | sched:show | sched:judged | sched:report | sched:live | sched:add | sched:dry-run | sched:verify | \
      sched:repair | sched:export | sched:import | sched:forget | sched:clear-errors | sched:clear-outcome | sched:status | sched:drain | sched:pin | \
      sched:begin-anew | \
      filter:convert | filter:diff | filter:why-not | filter:hits | filter:check | filter:results | filter:before-fetch | \
      filter:to-check | filter:seed | robots:all-matches | robots:allowed | robots:disallowed | robots:quiet | \
      fetch:head | fetch:no-body | fetch:follow | fetch:list | fetch:cat | fetch:signing-directory | items:check | \
      extract:links | extract:check | extract:check-fragments | extract:probe | extract:type | extract:charset | items:type | items:charset | text:type | text:charset | \
      normalize:from-* | normalize:get | normalize:list-* | normalize:iterate | check:ask | check:fix | check:fresh)
      option='' ;;
  esac
  [[ -n $option ]] || die "$name is not for a stage of the loop"
  words+=("$1")
  [[ -n $place ]] || typed+=("$name")
  local -n list=$stage
  unchecked[$stage]=1
  list+=("--$option${1#"$name"}")
}

meant_scope() {
  local meant
  meant=$(printf -- '--%s\n' origin host domain under any | nearest "--${1%%,*}")
  printf '%s' "${meant:+: did you mean ${meant#--}?}"
}

# Sets given[NAME], and hands the option to its stages.
take_option() {
  local name=$1 value=$2 to
  given[$name]=$value
  [[ $value != *$'\n'* || $name == --contact ]] || die "$name takes one line"
  [[ $name == --config ]] || words+=("$name${value:+=$value}")
  [[ -n $place ]] || typed+=("$name")
  for to in ${where[$name]//,/ }; do
    [[ $to != - ]] || continue
    local stage=${to%%:*}
    # shellcheck disable=SC2178  # it stands for an array
    local -n list=$stage
    case $to in *:*) to=${to#*:} ;; *) to=${name#--} ;; esac
    list+=("--$to${value:+=$value}")
    [[ ${kind[$name]} == flag || $name$value == --delay0 || $value =~ ${plain[$name]-^$} ]] || unchecked[$stage]=1
  done
  case $name in
    --help) [[ $value =~ ^(|all)$ ]] || die "--help takes no value but all" ;;
    --config) read_config "$value" ;;
    # Commands that only look at a state need no rules, and may run in another folder than the
    # crawl.
    --policy) [[ -f $value || ${asked-} =~ ^(report|live|hosts|list|show|diff)$ ]] || die "--policy takes a file of rules, and $(printf %q "$value") is none" ;;
    --scope)
      [[ $value =~ ^(origin|host|domain|under|any)(,fixed)?$ ]] ||
        die "--scope takes origin, host, domain, under or any, and ,fixed after it, not $(printf %q "$value")$(meant_scope "$value")" ;;
  esac
}

take_operands() {
  local seed
  for seed; do [[ -n $seed ]] || die "an operand is empty: a variable that nobody has set?"; done
  seeds+=("$@")
}

parse_options() {
  local word name value
  while (($#)); do
    word=$1 && shift
    case $word in
      --) take_operands "$@"; return ;;
      -h) word=--help ;;
      -V) word=--version ;;
      -q) word=--quiet ;;
      --*:*) if [[ ${word%%=*} == *:* ]]; then hand_to_stage "$word"; continue; fi ;;
      -?*) ;;
      *) take_operands "$word"; continue ;;
    esac
    name=${word%%=*} value=${word#"${word%%=*}"}
    case ${kind[$name]-none}${value:+=} in
      none*) unknown "$name" ;;
      flag=) die "$name takes no value" ;;
      value)
        # A number or a time is missing, and a URL follows.
        [[ -z ${plain[$name]-} || ! ${1-} =~ ^https?:// ]] || die "$name needs a value, and $(printf %q "$1") is none"
        # After = any value is accepted.
        [[ ! ${1-} =~ ^--[a-z] || -z ${kind[${1%%=*}]-} && ! $1 =~ ^--[a-z]+: ]] ||
          die "$name needs a value, and $(printf %q "$1") is an option"
        if (($#)); then value="=$1" && shift; fi ;;
      maybe)  # behind a space it is a file of seeds
        [[ ! "$name ${1-}" =~ ^(--report\ .*\.html?|--live\ [0-9]+)$ || $1 == *://* ]] ||
          die "$name takes its value after =, as in $name=$(printf %q "$1")" ;;
    esac
    [[ ${kind[$name]}${value:+=} =~ ^(flag|maybe)$ || $value == =?* ]] ||
      die "$name needs a value; see ${prefix}crawl --help"
    take_option "$name" "${value#=}"
  done
}

# Reads a file of options, one a line, with or without dashes, a space or = before the value; #
# begins a comment.
read_config() {
  local line number=0 outer=$place
  [[ -z $place ]] || die "--config within a file of options"
  [[ -r $1 && ! -d $1 ]] || die "--config: cannot read $(printf %q "$1")"
  while IFS= read -r line || [[ -n $line ]]; do
    place="$1:$((++number)): " line=${line%$'\r'}
    ((number > 1)) || line=${line#$'\xef\xbb\xbf'}  # a byte order mark, as some editors write it
    line=${line#"${line%%[![:space:]]*}"} line=${line%"${line##*[![:space:]]}"}
    [[ -n $line && $line != '#'* ]] || continue
    [[ $line == -* || $line =~ ^[a-z]+:// ]] || line=--$line
    if [[ $line =~ ^(--[^[:space:]=]+)[[:space:]]*[[:space:]=][[:space:]]*(.+)$ ]]; then
      line=${BASH_REMATCH[1]}=${BASH_REMATCH[2]}
      # No URL has quotes: a rule in quotes would match nothing.
      [[ ! ${BASH_REMATCH[2]} =~ ^(\".*\"|\'.*\')$ ]] || die "write the value without quotes: no shell reads it"
    fi
    parse_options "$line"
  done <"$1"
  place=$outer
}

# Keeps a named pipe open: its reader would see the end whenever a stage ends, and stages are
# started more than once.
keep_open() {
  local both pipe
  # With the first descriptor, opening the second one does not wait for a reader.
  { exec {both}<>"$1" && exec {pipe}>"$1" {both}>&-; } 2>/dev/null || true
}
